package xlsx

import (
	"bytes"
	"strconv"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// moved gives a row's cells, none of which has an edit, at their new places and with
// formulas that follow. It is five times as fast as cells; ok is false for XML that is not
// as programs usually write it, which is left to cells.
func (sw *sheetWriter) moved(out, cells []byte, old, row int) (_ []byte, ok bool, err error) {
	if findMarkup(cells) >= 0 {
		return out, false, nil
	}
	sw.placeColumns()
	opener, closer := []byte("<"+sw.prefix+"c"), []byte("</"+sw.prefix+"c>")
	var digits [8]byte
	number := strconv.AppendInt(digits[:0], int64(row), 10)
	for i := 0; ; {
		j := bytes.IndexByte(cells[i:], '<')
		if j < 0 {
			return append(out, cells[i:]...), true, nil
		}
		out = append(out, cells[i:i+j]...)
		i += j
		rest := cells[i:]
		if !bytes.HasPrefix(rest, opener) || len(rest) <= len(opener) || !isSpace(rest[len(opener)]) {
			return out, false, nil
		}
		tag := rest[:tagEnd(rest)]
		end := len(tag)
		if tag[end-1] != '>' {
			return out, false, nil
		}
		if tag[end-2] != '/' {
			close := bytes.Index(rest[end:], closer)
			if close < 0 {
				return out, false, nil
			}
			end += close + len(closer)
		}
		cell := rest[:end]
		at, length := attrPlace(tag[len(opener):len(tag)-1], "r")
		if at += len(opener); length <= 0 {
			return out, false, nil
		}
		col := 0
		for _, c := range tag[at : at+length] {
			if c |= 0x20; c < 'a' || c > 'z' || col > sheet.MaxCol {
				break
			}
			col = col*26 + int(c-'a') + 1
		}
		if col < 1 || col > sheet.MaxCol {
			return out, false, nil
		}
		i += end
		now := col
		if sw.places != nil {
			now = int(sw.places[col])
		}
		isFormula := len(cell) > len(tag) && hasFormula(cell[len(tag):])
		switch {
		case now > sheet.MaxCol:
			return out, false, nil // cells says whether that matters
		case now == 0 && isFormula, now > 0 && isFormula && sw.refs:
			list, err := splitCells(cell)
			if err != nil || len(list) != 1 {
				return out, false, err
			}
			c := &list[0]
			c.row = old
			if now == 0 {
				sw.loseMaster(*c)
				break
			}
			_, body, err := sw.formula(c, sheet.Ref{Col: now, Row: row})
			if err != nil {
				return out, false, err
			}
			out = append(append(append(out, cell[:at]...), sw.name(now)...), number...)
			out = append(append(out, tag[at+length:]...), body...)
		case now > 0:
			out = append(append(append(out, cell[:at]...), sw.name(now)...), number...)
			out = append(out, cell[at+length:]...)
		}
		for _, r := range sw.behind[col] {
			at, length := attrPlace(tag[len(opener):len(tag)-1], "s")
			if length <= 0 || tag[len(opener)+at] == '0' {
				continue
			}
			for k := range r.count {
				if r.begin+k > sheet.MaxCol {
					break
				}
				out = append(append(out, opener...), ` r="`...)
				out = append(append(append(out, sw.name(r.begin+k)...), number...), `" s="`...)
				out = append(append(out, tag[len(opener)+at:len(opener)+at+length]...), `"/>`...)
			}
		}
	}
}

// placeColumns finds out once where each column of the file is now.
func (sw *sheetWriter) placeColumns() {
	if sw.columns == nil || sw.places != nil {
		return
	}
	sw.places = make([]int32, sheet.MaxCol+1)
	for col := 1; col <= sheet.MaxCol; col++ {
		if now, ok := sw.columns.now(col); ok {
			sw.places[col] = int32(now)
		}
	}
	sw.behind = map[int][]run{}
	for _, r := range sw.columns.made() {
		sw.behind[r.like] = append(sw.behind[r.like], r)
	}
}

// name gives a column's letters.
func (sw *sheetWriter) name(col int) string {
	for len(sw.names) <= col {
		sw.names = append(sw.names, sheet.ColName(len(sw.names)))
	}
	return sw.names[col]
}

// attrPlace gives where the value of an attribute lies in what follows a tag's name, and
// how long it is; -1 if there is none.
func attrPlace(attrs []byte, name string) (at, length int) {
	for rest := attrs; ; {
		key, value, more, ok := nextAttr(rest)
		if !ok {
			return 0, -1
		}
		if string(key) == name {
			return len(attrs) - len(more) - len(value) - 1, len(value)
		}
		rest = more
	}
}
