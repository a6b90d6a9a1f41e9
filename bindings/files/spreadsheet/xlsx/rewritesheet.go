package xlsx

import (
	"bufio"
	"bytes"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// sheetWriter copies a sheet with its edits.
type sheetWriter struct {
	rw       *rewriter
	s        *worksheet
	edits    *sheetEdits
	rs       *rowScanner
	prefix   string // of the elements' names, with its colon
	todo     []int  // rows that have to exist and were not met yet
	last     int    // the last row written
	follower *follower
	lines    *axis // what became of rows; nil if they stay
	columns  *axis
	refs     bool // formulas have to follow
	// masters are the shared formulas met so far whose other cells may need the formula
	// itself.
	masters  map[int]*sharedMaster
	mastered int // bytes of their texts
	// made are rows that were inserted and look like one of the file; likes are the looks.
	made  []run
	likes map[int]*rowLook

	frozen  bool // the new panes are written
	scratch []byte
	places  []int32       // by old column, the new one; 0 if it is gone
	names   []string      // letters of columns
	behind  map[int][]run // by old column, the inserted ones that look like it
}

// sheet writes a sheet part.
func (rw *rewriter) sheet(s *worksheet, edits *sheetEdits, w *bufio.Writer) error {
	b, err := rw.wb.archive.open(rw.ctx, s.part, nil)
	if err != nil {
		return err
	}
	src, _, err := asUTF8(b)
	if err != nil {
		b.close()
		return err
	}
	rs := &rowScanner{body: b, index: &rowIndex{}}
	defer rs.close()
	rs.stream = newStream(src, make([]byte, 128<<10))
	rs.copy = w
	sw := &sheetWriter{rw: rw, s: s, edits: edits, rs: rs, todo: edits.touched(), masters: map[int]*sharedMaster{},
		follower: newFollower(rw.moves, s.info.Name), lines: edits.lines, columns: edits.columns, refs: len(rw.moves) > 0}
	sw.prepare()
	if s.index.disordered() {
		return tooComplex("the rows of the sheet %q are out of order; such a sheet cannot be changed", clip(s.info.Name)).
			WithHint("Copy its values to a new sheet, or save it in a spreadsheet program first.")
	}
	if err := sw.head(); err != nil {
		return err
	}
	return sw.tail()
}

// head copies what stands before the rows, and then the rows.
func (sw *sheetWriter) head() error {
	x := &sw.rs.xmlScanner
	hasCols := len(sw.edits.widths) == 0
	for {
		if err := x.next(); err != nil {
			return err
		}
		switch {
		case x.kind == endOfPart:
			return damaged("the sheet %q has no rows element", clip(sw.s.info.Name))
		case x.kind != startTag:
		case x.depth == 2 && string(x.name) == "dimension" && sw.resized():
			if err := x.replaceTag(setAttr(x.tagText(), "ref", sw.dimension(x.get("ref")))); err != nil {
				return err
			}
		case x.depth == 2 && string(x.name) == "cols" && (!hasCols || sw.columns != nil):
			hasCols = true
			sw.prefix = prefixOf(x.tagText())
			if err := sw.cols(x); err != nil {
				return err
			}
		case x.depth == 2 && string(x.name) == "sheetData":
			sw.prefix = prefixOf(x.tagText()) // the root may have another one
			if sw.edits.freeze != nil && !sw.frozen {
				if err := x.insertBefore(sw.newViews()); err != nil {
					return err
				}
			}
			if !hasCols {
				if err := x.insertBefore(colsXML(sw.prefix, nil, sw.edits.widths)); err != nil {
					return err
				}
			}
			return sw.rows()
		case x.depth == 2:
			if err := sw.section(x); err != nil {
				return err
			}
		}
		if err := x.flush(); err != nil {
			return err
		}
	}
}

// rows copies the rows, from the start tag of sheetData on.
func (sw *sheetWriter) rows() error {
	rs := sw.rs
	if rs.empty {
		if len(sw.todo) == 0 {
			return rs.flush()
		}
		tag := strings.TrimSuffix(rs.tagText(), ">")
		if err := rs.replaceTag(strings.TrimSuffix(tag, "/") + ">"); err != nil {
			return err
		}
		if err := sw.newRows(1 << 30); err != nil {
			return err
		}
		_, err := rs.copy.WriteString("</" + sw.prefix + "sheetData>")
		return err
	}
	if err := rs.flush(); err != nil {
		return err
	}
	for {
		cells, ok, err := rs.nextRow()
		if err != nil {
			return err
		}
		if !ok {
			// The closing tag of sheetData is passed, and not copied yet.
			tag := rs.tagText()
			if err := rs.replaceTag(""); err != nil {
				return err
			}
			if err := sw.newRows(1 << 30); err != nil {
				return err
			}
			_, err := rs.copy.WriteString(tag)
			return err
		}
		if err := sw.row(cells); err != nil {
			return err
		}
		if err := rs.flush(); err != nil {
			return err
		}
	}
}

// row copies the row that nextRow has passed, with its edits.
func (sw *sheetWriter) row(cells []byte) error {
	rs := sw.rs
	old := rs.row
	row, stays := sw.lines.now(old)
	if sw.likes[old] != nil {
		if err := sw.noteLook(old, cells); err != nil {
			return err
		}
	}
	if !stays {
		defer rs.drop()
		if sw.refs && bytes.Contains(cells, sharedWord) {
			return sw.loseMasters(cells, old)
		}
		return nil
	}
	if row > sheet.MaxRow && row != old {
		list, err := splitCells(cells)
		for i := range list {
			if !list[i].blank() {
				return offSheet(sw.s.info.Name)
			}
		}
		rs.drop() // a look at most
		return err
	}
	numbered := hasNumber(rs.buf[rs.kept:rs.r])
	wanted := sw.edits.wants(row) || len(sw.masters) > 0 && bytes.Contains(cells, sharedWord)
	moved := row != old || sw.columns != nil || sw.refs && hasFormula(cells)
	if !wanted && !moved && numbered && (len(sw.todo) == 0 || sw.todo[0] > row) && (len(sw.made) == 0 || sw.made[0].begin > row) {
		sw.last = row
		return nil
	}
	// What stands before the row, then the rows that belong between, then the row.
	whole := rs.buf[rs.kept:rs.r]
	begin := bytes.IndexByte(whole, '<') // behind white space
	if _, err := rs.copy.Write(whole[:begin]); err != nil {
		return err
	}
	if err := sw.newRows(row); err != nil {
		return err
	}
	if len(sw.todo) > 0 && sw.todo[0] == row {
		sw.todo = sw.todo[1:]
	}
	end := begin + tagEnd(whole[begin:])
	tag := string(whole[begin:end])
	if !numbered || row != old {
		tag = setAttr(tag, "r", strconv.Itoa(row))
	}
	if sw.columns != nil {
		tag = setAttr(tag, "spans", "")
	}
	if h, ok := sw.edits.heights[row]; ok {
		tag = setAttr(setAttr(tag, "ht", number(h)), "customHeight", "1")
	}
	sw.last = row
	if !wanted && moved && len(cells) > 0 {
		out, ok, err := sw.moved(sw.scratch[:0], cells, old, row)
		if err != nil {
			return err
		}
		sw.scratch = out
		if wanted = !ok; ok {
			if _, err = rs.copy.WriteString(tag); err == nil {
				if _, err = rs.copy.Write(out); err == nil {
					_, err = rs.copy.Write(whole[end+len(cells):])
				}
			}
			rs.drop()
			return err
		}
	}
	if !wanted {
		_, err := rs.copy.WriteString(tag)
		if err == nil {
			_, err = rs.copy.Write(whole[end:])
		}
		rs.drop()
		return err
	}
	made, err := sw.cells(cells, old, row, nil)
	if err != nil {
		return err
	}
	tag = strings.TrimSuffix(setAttr(tag, "spans", ""), ">")
	tag = strings.TrimSuffix(tag, "/") + ">"
	prefix := prefixOf(tag)
	_, err = rs.copy.WriteString(tag + made + "</" + prefix + "row>")
	rs.drop()
	return err
}

// tagEnd gives what follows the tag that b begins with.
func tagEnd(b []byte) int {
	var quote byte
	for i, c := range b {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return len(b)
}

// hasNumber tells whether a row's start tag gives its number.
func hasNumber(row []byte) bool {
	row = row[bytes.IndexByte(row, '<'):]
	x := xmlScanner{attrs: nil}
	tag := row[:tagEnd(row)]
	if sp := bytes.IndexAny(tag, " \t\r\n"); sp >= 0 {
		x.attrs = tag[sp:]
	}
	return x.get("r") != ""
}

// newRows writes the rows that have to exist before row and do not: those with edits,
// and inserted ones that have a look.
func (sw *sheetWriter) newRows(before int) error {
	before = min(before, sheet.MaxRow+1)
	for {
		for len(sw.made) > 0 && sw.made[0].begin < before && sw.likes[sw.made[0].like].plain() {
			sw.made = sw.made[1:]
		}
		row := before
		if len(sw.todo) > 0 {
			row = min(row, sw.todo[0])
		}
		var look *rowLook
		if len(sw.made) > 0 && sw.made[0].begin <= row && sw.made[0].begin < before {
			m := &sw.made[0]
			row, look = m.begin, sw.likes[m.like]
			m.begin++
			if m.count--; m.count == 0 {
				sw.made = sw.made[1:]
			}
		}
		if row >= before {
			return nil
		}
		if len(sw.todo) > 0 && sw.todo[0] == row {
			sw.todo = sw.todo[1:]
		}
		made, err := sw.cells(nil, 0, row, look)
		if err != nil {
			return err
		}
		tag := "<" + sw.prefix + "row>"
		if look != nil {
			tag = look.tag
		}
		tag = setAttr(tag, "r", strconv.Itoa(row))
		h, high := sw.edits.heights[row]
		if high {
			tag = setAttr(setAttr(tag, "ht", number(h)), "customHeight", "1")
		}
		if made == "" && !high && look == nil {
			continue
		}
		if _, err := sw.rs.copy.WriteString(tag + made + "</" + prefixOf(tag) + "row>"); err != nil {
			return err
		}
		sw.last = row
	}
}
