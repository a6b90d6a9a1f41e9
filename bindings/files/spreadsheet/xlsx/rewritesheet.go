package xlsx

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// sheetWriter copies a sheet with its edits.
type sheetWriter struct {
	rw     *rewriter
	s      *worksheet
	edits  *sheetEdits
	rs     *rowScanner
	prefix string // of the elements' names, with its colon
	todo   []int  // rows that have to exist and were not met yet
	last   int    // the last row written
	// orphans are shared formulas whose first cell was overwritten: their other cells
	// get the formula itself.
	orphans map[int]master
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
	sw := &sheetWriter{rw: rw, s: s, edits: edits, rs: rs, todo: edits.touched(), orphans: map[int]master{}}
	if s.index.disordered() {
		return tooComplex("the rows of the sheet %q are out of order; such a sheet cannot be changed", clip(s.info.Name)).
			WithHint("Copy its values to a new sheet, or save it in a spreadsheet program first.")
	}
	if err := sw.head(); err != nil {
		return err
	}
	// What follows the rows stays as it is.
	return rs.transform(w, func(*xmlScanner) error { return nil })
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
		case x.depth == 1:
			sw.prefix = prefixOf(x.tagText())
		case x.depth == 2 && string(x.name) == "dimension" && sw.edits.used.MinRow > 0:
			if err := x.replaceTag(setAttr(x.tagText(), "ref", grown(x.get("ref"), sw.edits.used))); err != nil {
				return err
			}
		case x.depth == 2 && string(x.name) == "cols" && !hasCols:
			hasCols = true
			if err := sw.cols(x); err != nil {
				return err
			}
		case x.depth == 2 && string(x.name) == "sheetData":
			if !hasCols {
				if err := x.insertBefore(colsXML(sw.prefix, nil, sw.edits.widths)); err != nil {
					return err
				}
			}
			return sw.rows()
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
	all := func(int) bool { return true }
	for {
		cells, ok, err := rs.nextRow(all)
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
	numbered := hasNumber(rs.buf[rs.kept:rs.r])
	wanted := sw.edits.wants(rs.row) || len(sw.orphans) > 0 && bytes.Contains(cells, []byte("shared"))
	if !wanted && numbered && (len(sw.todo) == 0 || sw.todo[0] > rs.row) {
		sw.last = rs.row
		return nil
	}
	// What stands before the row, then the rows that belong between, then the row.
	whole := rs.buf[rs.kept:rs.r]
	begin := bytes.IndexByte(whole, '<') // behind white space
	if _, err := rs.copy.Write(whole[:begin]); err != nil {
		return err
	}
	if err := sw.newRows(rs.row); err != nil {
		return err
	}
	if len(sw.todo) > 0 && sw.todo[0] == rs.row {
		sw.todo = sw.todo[1:]
	}
	end := begin + tagEnd(whole[begin:])
	tag := string(whole[begin:end])
	if !numbered {
		tag = setAttr(tag, "r", strconv.Itoa(rs.row))
	}
	if h, ok := sw.edits.heights[rs.row]; ok {
		tag = setAttr(setAttr(tag, "ht", number(h)), "customHeight", "1")
	}
	if !wanted {
		_, err := rs.copy.WriteString(tag)
		if err == nil {
			_, err = rs.copy.Write(whole[end:])
		}
		rs.drop()
		return err
	}
	made, err := sw.cells(cells, rs.row)
	if err != nil {
		return err
	}
	tag = strings.TrimSuffix(setAttr(tag, "spans", ""), ">")
	tag = strings.TrimSuffix(tag, "/") + ">"
	prefix := prefixOf(tag)
	_, err = rs.copy.WriteString(tag + made + "</" + prefix + "row>")
	rs.drop()
	sw.last = rs.row
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

// newRows writes the rows that have to exist before row and do not.
func (sw *sheetWriter) newRows(before int) error {
	for len(sw.todo) > 0 && sw.todo[0] < before {
		row := sw.todo[0]
		sw.todo = sw.todo[1:]
		made, err := sw.cells(nil, row)
		if err != nil {
			return err
		}
		height := ""
		if h, ok := sw.edits.heights[row]; ok {
			height = ` ht="` + number(h) + `" customHeight="1"`
		}
		if made == "" && height == "" {
			continue
		}
		if _, err := fmt.Fprintf(sw.rs.copy, `<%srow r="%d"%s>%s</%srow>`, sw.prefix, row, height, made, sw.prefix); err != nil {
			return err
		}
		sw.last = row
	}
	return nil
}

// oldCell is a cell as the file has it.
type oldCell struct {
	col   int32
	style uint32
	raw   []byte // all of it
	tag   []byte // its start tag
	rest  []byte // what follows the start tag
	ref   bool   // the tag has an r attribute
	f     formula
}

// cells gives a row's cells with the edits.
func (sw *sheetWriter) cells(old []byte, row int) (string, error) {
	list, err := splitCells(old)
	if err != nil {
		return "", err
	}
	edits := sw.edits.of(row)
	var out strings.Builder
	out.Grow(len(old) + 64*len(edits))
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
	for i, c := range list {
		byCol[c.col] = i
		note(c.col)
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
		if err := sw.cell(&out, c, edit, sheet.Ref{Col: int(col), Row: row}); err != nil {
			return "", err
		}
	}
	return out.String(), nil
}

// cell writes one cell: what the file has, with an edit, either of which may be missing.
func (sw *sheetWriter) cell(out *strings.Builder, old *oldCell, edit *cellEdit, at sheet.Ref) error {
	base := uint32(0)
	if old != nil {
		base = old.style
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
		orphan, isOrphan := sw.orphans[old.f.shared]
		if old.f.shared >= 0 && isOrphan && old.f.text == "" {
			return sw.adopt(out, old, orphan, at, style)
		}
		if style == base && old.ref {
			out.Write(old.raw)
			return nil
		}
		tag := string(old.tag)
		if !old.ref {
			tag = setAttr(tag, "r", at.String())
		}
		if style != base {
			tag = setAttr(tag, "s", strconv.Itoa(int(style)))
		}
		out.WriteString(tag)
		out.Write(old.rest)
		return nil
	}
	if old != nil && old.f.shared >= 0 && old.f.text != "" {
		sw.orphans[old.f.shared] = master{at, old.f.text}
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
		out.WriteString(open + ">" + element("f", escapeXML(edit.formula)))
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

// adopt writes a cell of a shared formula whose first cell is gone with its own text.
func (sw *sheetWriter) adopt(out *strings.Builder, old *oldCell, from master, at sheet.Ref, style uint32) error {
	tag := string(old.tag)
	if !old.ref {
		tag = setAttr(tag, "r", at.String())
	}
	if style != old.style {
		tag = setAttr(tag, "s", strconv.Itoa(int(style)))
	}
	out.WriteString(tag)
	text := escapeXML(moveFormula(from.text, at.Col-from.at.Col, at.Row-from.at.Row))
	x := xmlScanner{stream: &stream{buf: old.rest, w: len(old.rest), eof: true}, depth: 1}
	w := bufio.NewWriter(out)
	err := x.transform(w, func(x *xmlScanner) error {
		if x.kind == startTag && string(x.name) == "f" {
			prefix := prefixOf(x.tagText())
			if err := x.skip(); err != nil {
				return err
			}
			x.drop()
			_, err := x.copy.WriteString("<" + prefix + "f>" + text + "</" + prefix + "f>")
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.Flush()
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
			if x.kind == startTag && string(x.name) == "f" && x.get("t") == "shared" {
				c.f.shared = x.number("si", -1)
				if c.f.text, err = x.textContent(); err != nil {
					return nil, err
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
