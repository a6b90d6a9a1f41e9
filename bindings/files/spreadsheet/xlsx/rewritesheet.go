package xlsx

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
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
