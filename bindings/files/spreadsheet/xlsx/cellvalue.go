package xlsx

import (
	"bytes"
	"context"
	"math"
	"strconv"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// children reads what is in a cell from b[i] on, up to behind its closing tag.
func (p *cellParser) children(b []byte, i int, f *formula) (value, inline []byte, isFormula bool, next int, err error) {
	x := &p.x
	p.window = stream{buf: b[:len(b):len(b)], r: i, w: len(b), eof: true}
	*x = xmlScanner{stream: &p.window, depth: 1}
	for {
		if err = x.next(); err != nil {
			return
		}
		switch {
		case x.kind == endOfPart:
			err = badCell()
			return
		case x.kind == endTag && x.depth == 0:
			next = x.r
			return
		case x.kind != startTag:
		case string(x.name) == "v":
			if value, err = x.bytesContent(); err != nil {
				return
			}
		case string(x.name) == "f":
			isFormula = true
			if !p.withFormulas {
				if err = x.skip(); err != nil {
					return
				}
				continue
			}
			f.ref, f.array = x.get("ref"), x.get("t") == "array"
			if x.get("t") == "shared" {
				f.shared = x.number("si", -1)
			}
			if x.get("t") == "dataTable" {
				// A what-if table has no formula text of its own.
				f.text, isFormula = "", false
			}
			if f.text, err = x.textContent(); err != nil {
				return
			}
		case string(x.name) == "is":
			if inline, err = x.richText(p.scratch[:0]); err != nil {
				return
			}
			p.scratch = inline
		default:
			if err = x.skip(); err != nil {
				return
			}
		}
	}
}

// bytesContent is textContent without a copy where the text is in one piece.
func (x *xmlScanner) bytesContent() (text []byte, err error) {
	for depth := x.depth; ; {
		if err := x.next(); err != nil {
			return nil, err
		}
		switch {
		case x.kind == charData && text == nil:
			text = x.text
		case x.kind == charData:
			text = append(text[:len(text):len(text)], x.text...)
		case x.kind == endOfPart || x.kind == endTag && x.depth < depth:
			return text, nil
		}
	}
}

// value decides what a cell's text means.
func (p *cellParser) value(ctx context.Context, v *sheet.Value, typ cellType, raw, inline []byte, style uint32) error {
	switch typ {
	case typeShared:
		if p.extentOnly {
			if len(raw) > 0 {
				v.Kind = sheet.String
			}
			return nil
		}
		i, ok := index(raw)
		if !ok {
			return nil
		}
		if i >= len(p.strings) {
			list, err := p.wb.strings.need(ctx, i)
			if err != nil {
				return err
			}
			if p.strings = list; i >= len(list) {
				return nil // a number that the table does not have: no text
			}
		}
		v.Kind, v.Text = sheet.String, p.strings[i]
	case typeInline, typeText:
		if inline == nil {
			inline = raw
		}
		if inline != nil {
			v.Kind, v.Text = sheet.String, p.arena.Add(unescapeX(inline))
		}
	case typeBool:
		if len(raw) == 0 {
			return nil
		}
		*v = sheet.Boolean(raw[0] == '1' || raw[0] == 't' || raw[0] == 'T')
	case typeError:
		if len(raw) == 0 {
			return nil
		}
		*v = sheet.Err(string(raw))
	case typeDate:
		if len(raw) == 0 {
			return nil
		}
		if serial, ok := sheet.ParseISO(string(bytes.TrimSpace(raw))); ok {
			*v = sheet.Serial(serial)
		} else {
			*v = sheet.Str(string(raw))
		}
	default:
		if len(raw) == 0 {
			if inline != nil {
				*v = sheet.Str(p.arena.Add(unescapeX(inline)))
			}
			return nil
		}
		n, ok := parseNumber(raw)
		if !ok {
			if raw = bytes.TrimSpace(raw); len(raw) > 0 {
				*v = sheet.Str(string(raw))
			}
			return nil
		}
		v.Kind, v.Num = sheet.Number, n
		if int(style) < len(p.dates) && p.dates[style] {
			if p.wb.date1904 {
				n += 1462
			}
			if n >= 0 && n < sheet.MaxSerial {
				v.Kind, v.Num = sheet.Date, n
			}
		}
	}
	return nil
}

// index reads a whole number from 0 on.
func index(b []byte) (int, bool) {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' || n > 1<<28 {
			f, err := strconv.ParseFloat(string(bytes.TrimSpace(b)), 64)
			return int(f), err == nil && f >= 0 && f < 1<<28
		}
		n = n*10 + int(c-'0')
	}
	return n, len(b) > 0
}

// parseNumber reads a number. Up to 15 digits it needs no library: both the digits and
// the power of ten are exact, so that one division rounds correctly.
func parseNumber(b []byte) (float64, bool) {
	i, neg := 0, false
	if i < len(b) && b[i] == '-' {
		neg = true
		i++
	}
	var mantissa uint64
	digits, frac, point := 0, 0, false
	for ; i < len(b); i++ {
		c := b[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		mantissa = mantissa*10 + uint64(c-'0')
		if mantissa > 0 {
			digits++
		}
		if point {
			frac++
		}
	}
	if i == len(b) && digits <= 15 && frac < len(pow10) && i > 0 && b[i-1] != '-' && (frac > 0 || !point) {
		f := float64(mantissa) / pow10[frac]
		if neg {
			f = -f
		}
		return f, true
	}
	f, err := strconv.ParseFloat(string(bytes.TrimSpace(b)), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) || bytes.ContainsAny(b, "_xXpP") {
		return 0, false
	}
	return f, true
}
