package xlsx

import (
	"bytes"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// sharedMaster is the first cell of a shared formula, where it was and where it is.
type sharedMaster struct {
	at   sheet.Ref
	text string
	now  sheet.Ref
	new  string
	gone bool // deleted or overwritten: the other cells get the formula itself
}

var sharedWord = []byte("shared")

// hasFormula tells whether a row may have formulas.
func hasFormula(cells []byte) bool {
	return bytes.Contains(cells, []byte("<f")) || bytes.Contains(cells, []byte(":f"))
}

// noteMaster remembers the first cell of a shared formula.
func (sw *sheetWriter) noteMaster(old *oldCell, m sharedMaster) error {
	if sw.mastered += len(m.text) + len(m.new) + 64; sw.mastered > maxSharedText {
		return tooComplex("the sheet %q has too many shared formulas", clip(sw.s.info.Name))
	}
	m.at, m.text = sheet.Ref{Col: int(old.col), Row: old.row}, old.f.text
	sw.masters[old.f.shared] = &m
	return nil
}

// loseMaster notes that a cell of the file is no more.
func (sw *sheetWriter) loseMaster(c oldCell) {
	if c.f.shared >= 0 && c.f.text != "" {
		sw.noteMaster(&c, sharedMaster{gone: true})
	}
}

// loseMasters is loseMaster for a row that is deleted.
func (sw *sheetWriter) loseMasters(cells []byte, row int) error {
	list, err := splitCells(cells)
	for _, c := range list {
		c.row = row
		sw.loseMaster(c)
	}
	return err
}

// formula gives what follows a cell's start tag, with its formula as it is at a place;
// same says that it is what the file has.
func (sw *sheetWriter) formula(old *oldCell, at sheet.Ref) (same bool, rest []byte, err error) {
	if !old.isF || !sw.refs && len(sw.masters) == 0 {
		return true, old.rest, nil
	}
	if !sw.refs {
		m := sw.masters[old.f.shared]
		if old.f.shared < 0 || m == nil || old.f.text != "" {
			return true, old.rest, nil
		}
	}
	list, err := parseXML(old.raw)
	if err != nil {
		return false, nil, err
	}
	cell := rootOf(list)
	var f *node
	if cell != nil {
		f = cell.child("f")
	}
	if f == nil {
		return true, old.rest, nil
	}
	tag, text := f.tag, f.text()
	if err := sw.follow(f, text, old, at); err != nil {
		return false, nil, err
	}
	if f.tag == tag && f.text() == text {
		return true, old.rest, nil
	}
	whole := xmlText(list)
	return false, []byte(whole[len(cell.tag):]), nil
}

// follow makes a cell's formula follow.
func (sw *sheetWriter) follow(f *node, text string, old *oldCell, at sheet.Ref) error {
	moves, home := sw.rw.moves, sw.s.info.Name
	own := sw.follower.own
	moveArea := func(attr string) {
		if ref := f.get(attr); ref != "" && len(own) > 0 {
			if moved := own.areas(ref); moved != "" {
				f.set(attr, moved)
			}
		}
	}
	if old.f.shared < 0 {
		switch f.get("t") {
		case "array":
			moveArea("ref")
		case "dataTable":
			moveArea("ref")
			moveArea("r1")
			moveArea("r2")
		}
		if text != "" {
			f.setText(moves.formula(text, home))
		}
		return nil
	}
	if text != "" {
		now := moves.formula(text, home)
		f.setText(now)
		moveArea("ref")
		return sw.noteMaster(old, sharedMaster{now: at, new: now})
	}
	m := sw.masters[old.f.shared]
	if m == nil {
		return nil
	}
	want := moves.formula(moveFormula(m.text, int(old.col)-m.at.Col, old.row-m.at.Row), home)
	if !m.gone && moveFormula(m.new, at.Col-m.now.Col, at.Row-m.now.Row) == want {
		return nil
	}
	for _, attr := range []string{"t", "si", "ref"} {
		f.set(attr, "")
	}
	f.setText(want)
	return nil
}

// rowLook is what rows look like that are inserted below a row.
type rowLook struct {
	tag   string // the row's start tag, without its number
	bare  bool   // the tag says nothing
	cells []styled
}

// styled is a cell that has a style and nothing else.
type styled struct {
	col   int32
	style uint32
}

func (l *rowLook) plain() bool { return l == nil || l.bare && len(l.cells) == 0 }

// prepare finds the rows that others look like.
func (sw *sheetWriter) prepare() {
	sw.made = sw.lines.made()
	sw.likes = map[int]*rowLook{}
	for _, m := range sw.made {
		sw.likes[m.like] = &rowLook{bare: true}
	}
}

// noteLook remembers the look of the row that was passed.
func (sw *sheetWriter) noteLook(old int, cells []byte) error {
	list, err := splitCells(cells)
	if err != nil {
		return err
	}
	look := sw.likes[old]
	for _, c := range list {
		if col, ok := sw.columns.now(int(c.col)); ok && c.style != 0 && col <= sheet.MaxCol {
			look.cells = append(look.cells, styled{int32(col), c.style})
		}
	}
	look.cells = append(look.cells, sw.inherited(list)...)
	whole := sw.rs.buf[sw.rs.kept:sw.rs.r]
	whole = whole[bytes.IndexByte(whole, '<'):]
	tag := string(whole[:tagEnd(whole)])
	for _, attr := range []string{"r", "spans", "hidden", "collapsed"} {
		tag = setAttr(tag, attr, "")
	}
	tag = string(bytes.TrimSuffix(bytes.TrimSuffix([]byte(tag), []byte(">")), []byte("/"))) + ">"
	look.tag, look.bare = tag, !bytes.Contains([]byte(tag), []byte("="))
	return nil
}

// inherited gives the looks of cells in inserted columns: those of the column before.
func (sw *sheetWriter) inherited(list []oldCell) (cells []styled) {
	for _, m := range sw.columns.made() {
		for _, c := range list {
			if int(c.col) != m.like || c.style == 0 {
				continue
			}
			for k := range m.count {
				if m.begin+k <= sheet.MaxCol {
					cells = append(cells, styled{int32(m.begin + k), c.style})
				}
			}
		}
	}
	return cells
}
