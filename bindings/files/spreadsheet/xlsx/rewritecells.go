package xlsx

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// oldCell is a cell as the file has it.
type oldCell struct {
	col   int32
	style uint32
	raw   []byte // all of it
	tag   []byte // its start tag
	rest  []byte // what follows the start tag
	ref   bool   // the tag has an r attribute
	row   int    // its row in the file
	isF   bool   // it has a formula
	f     formula
}

// blank tells whether a cell has a look at most.
func (c *oldCell) blank() bool {
	return !c.isF && !bytes.Contains(c.rest, []byte("<v>")) && !bytes.Contains(c.rest, []byte(":v>")) && !bytes.Contains(c.rest, []byte("is>"))
}

// cells gives a row's cells with the edits: those of row old of the file, none if it is
// a new row, which has a look if it was inserted below one that has.
func (sw *sheetWriter) cells(xml []byte, old, row int, look *rowLook) (string, error) {
	list, err := splitCells(xml)
	if err != nil {
		return "", err
	}
	edits := sw.edits.of(row)
	var out strings.Builder
	out.Grow(len(xml) + 64*len(edits))
	// The columns in question, from both lists and from areas that make cells.
	made := map[int32]bool{}
	var columns []int32
	note := func(col int32) {
		if !made[col] {
			made[col] = true
			columns = append(columns, col)
		}
	}
	byCol := map[int32]int{}
	looks := map[int32]uint32{} // of cells that are not there
	for i := range list {
		list[i].row = old
		c := list[i]
		col, stays := sw.columns.now(int(c.col))
		if !stays {
			sw.loseMaster(c)
			continue
		}
		if col > sheet.MaxCol && col != int(c.col) {
			if c.blank() {
				continue
			}
			return "", offSheet(sw.s.info.Name)
		}
		byCol[int32(col)] = i
		note(int32(col))
	}
	for _, c := range sw.inherited(list) {
		looks[c.col] = c.style
		note(c.col)
	}
	if look != nil {
		for _, c := range look.cells {
			looks[c.col] = c.style
			note(c.col)
		}
	}
	for _, e := range edits {
		note(e.col)
	}
	for _, a := range sw.edits.areas {
		if a.fill && a.within.MinRow <= row && row <= a.within.MaxRow {
			for col := a.within.MinCol; col <= a.within.MaxCol; col++ {
				note(int32(col))
			}
		}
	}
	slices.Sort(columns)
	k := 0
	for _, col := range columns {
		var c *oldCell
		if i, ok := byCol[col]; ok {
			c = &list[i]
		}
		for k < len(edits) && edits[k].col < col {
			k++
		}
		var edit *cellEdit
		if k < len(edits) && edits[k].col == col {
			edit = &edits[k]
		}
		if err := sw.cell(&out, c, edit, sheet.Ref{Col: int(col), Row: row}, looks[col]); err != nil {
			return "", err
		}
	}
	return out.String(), nil
}

// cell writes one cell: what the file has, with an edit, either of which may be missing.
// A new one has the look that belongs to its place.
func (sw *sheetWriter) cell(out *strings.Builder, old *oldCell, edit *cellEdit, at sheet.Ref, look uint32) error {
	base := look
	if old != nil {
		base = old.style
	} else if edit != nil && look == 0 {
		base = edit.base
	}
	style := base
	for _, a := range sw.edits.areas {
		if a.within.Contains(at) {
			made, err := sw.rw.styles.apply(style, a.change)
			if err != nil {
				return err
			}
			style = made
		}
	}
	prefix := sw.prefix
	if edit == nil {
		if old == nil {
			if style != 0 {
				fmt.Fprintf(out, `<%sc r="%s" s="%d"/>`, prefix, at, style)
			}
			return nil
		}
		raw, rest, err := sw.formula(old, at)
		if err != nil {
			return err
		}
		if style == base && old.ref && raw && old.row == at.Row && int(old.col) == at.Col {
			out.Write(old.raw)
			return nil
		}
		tag := string(old.tag)
		if !old.ref || old.row != at.Row || int(old.col) != at.Col {
			tag = setAttr(tag, "r", at.String())
		}
		if style != base {
			tag = setAttr(tag, "s", strconv.Itoa(int(style)))
		}
		out.WriteString(tag)
		out.Write(rest)
		return nil
	}
	if old != nil {
		sw.loseMaster(*old)
	}
	v := edit.value
	if v.Kind == sheet.Date && !sw.rw.styles.isDate(style) {
		made, err := sw.rw.styles.apply(style, dateStyle(v.Num))
		if err != nil {
			return err
		}
		style = made
	}
	attr := ""
	if style != 0 {
		attr = fmt.Sprintf(` s="%d"`, style)
	}
	open := fmt.Sprintf(`<%sc r="%s"%s`, prefix, at, attr)
	element := func(name, text string) string {
		return "<" + prefix + name + ">" + text + "</" + prefix + name + ">"
	}
	switch {
	case edit.formula != "":
		out.WriteString(open + ">" + element("f", escapeText(edit.formula)))
	case v.Kind == sheet.Empty:
		if style != 0 {
			out.WriteString(open + "/>")
		}
		return nil
	case v.Kind == sheet.Number:
		out.WriteString(open + ">" + element("v", number(v.Num)))
	case v.Kind == sheet.Date:
		n := v.Num
		if sw.rw.wb.date1904 {
			n -= 1462
		}
		out.WriteString(open + ">" + element("v", number(n)))
	case v.Kind == sheet.Bool:
		out.WriteString(open + ` t="b">` + element("v", number(v.Num)))
	case v.Kind == sheet.Error:
		out.WriteString(open + ` t="e">` + element("v", escapeXML(v.Text)))
	default:
		space := ""
		if strings.TrimSpace(v.Text) != v.Text || strings.Contains(v.Text, "\n") {
			space = ` xml:space="preserve"`
		}
		out.WriteString(open + ` t="inlineStr"><` + prefix + "is><" + prefix + "t" + space + ">" + escapeXML(v.Text) + "</" + prefix + "t></" + prefix + "is>")
	}
	out.WriteString("</" + prefix + "c>")
	return nil
}

// splitCells takes a row's XML apart; cells in order of their columns.
func splitCells(b []byte) (list []oldCell, err error) {
	x := xmlScanner{stream: &stream{buf: b[:len(b):len(b)], w: len(b), eof: true}}
	col, sorted := int32(0), true
	for {
		if err := x.next(); err != nil {
			return nil, err
		}
		if x.kind == endOfPart {
			break
		}
		if x.kind != startTag {
			continue
		}
		if string(x.name) != "c" {
			if err := x.skip(); err != nil {
				return nil, err
			}
			continue
		}
		begin := bytes.LastIndexByte(b[:x.r], '<')
		c := oldCell{tag: b[begin:x.r], f: formula{shared: -1}}
		if s, err := strconv.ParseUint(x.get("s"), 10, 32); err == nil {
			c.style = uint32(s)
		}
		if n, _ := parseCellRef([]byte(x.get("r"))); n > 0 {
			sorted = sorted && int32(n) > col
			c.col, c.ref = int32(n), true
		} else {
			c.col = col + 1
		}
		col = c.col
		rest := x.r
		for depth := x.depth; x.kind != endTag || x.depth >= depth; {
			if err := x.next(); err != nil {
				return nil, err
			}
			if x.kind == endOfPart {
				return nil, badCell()
			}
			if x.kind == startTag && string(x.name) == "f" {
				c.isF = true
				if x.get("t") == "shared" {
					c.f.shared = x.number("si", -1)
					if c.f.text, err = x.textContent(); err != nil {
						return nil, err
					}
				}
			}
		}
		c.raw, c.rest = b[begin:x.r], b[rest:x.r]
		list = append(list, c)
	}
	if !sorted {
		slices.SortStableFunc(list, func(a, b oldCell) int { return int(a.col) - int(b.col) })
		list = slices.CompactFunc(list, func(a, b oldCell) bool { return a.col == b.col })
	}
	return list, nil
}

// number writes a number as XML has it.
func number(v float64) string { return strconv.FormatFloat(v, 'G', -1, 64) }
