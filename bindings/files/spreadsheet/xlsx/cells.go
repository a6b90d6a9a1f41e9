package xlsx

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// cellType is the t attribute.
type cellType uint8

const (
	typeNumber cellType = iota
	typeShared
	typeText // a formula's string
	typeInline
	typeBool
	typeError
	typeDate
)

// formula is what a cell says of its formula.
type formula struct {
	text   string
	shared int    // the si of a shared formula, -1 if it is none
	ref    string // the range of an array or shared formula, where it is given
	array  bool
}

// cellParser turns a row's XML into cells.
type cellParser struct {
	wb      *Workbook
	strings []string    // shared strings read so far
	dates   []bool      // by style, whether numbers are dates
	arena   sheet.Arena // texts that stand in the sheet itself

	minCol, maxCol int  // cells outside are passed over
	blanks         bool // cells without value are wanted too
	withFormulas   bool // formulas holds those of cells
	extentOnly     bool // texts are not wanted, only whether there are any

	cells    []sheet.Cell
	formulas []formula // parallel to cells if withFormulas
	scratch  []byte
	x        xmlScanner // for what is in a cell
	window   stream
}

// parse fills p.cells from the XML between a row's tags.
func (p *cellParser) parse(ctx context.Context, b []byte) error {
	p.cells, p.formulas = p.cells[:0], p.formulas[:0]
	col, sorted := 0, true
	for i := 0; ; {
		j := bytes.IndexByte(b[i:], '<')
		if j < 0 {
			break
		}
		i += j
		if i+2 >= len(b) {
			return badCell()
		}
		if b[i+1] == 'c' && (b[i+2] == ' ' || b[i+2] == '>') {
			i += 2
		} else {
			at, isCell := cellName(b, i)
			if at < 0 {
				return badCell()
			}
			i = at
			if !isCell {
				continue
			}
		}
		// The attributes.
		var style uint32
		typ := typeNumber
		ref := 0
		open := false
		for {
			for i < len(b) && isSpace(b[i]) {
				i++
			}
			if i >= len(b) {
				return badCell()
			}
			if b[i] == '>' {
				open = true
				i++
				break
			}
			if b[i] == '/' {
				i++
				continue
			}
			name := i
			for i < len(b) && b[i] != '=' && b[i] != '>' {
				i++
			}
			eq := i
			if i+1 >= len(b) || b[i] != '=' {
				return badCell()
			}
			i++
			for i < len(b) && isSpace(b[i]) {
				i++
			}
			if i >= len(b) || b[i] != '"' && b[i] != '\'' {
				return badCell()
			}
			quote := b[i]
			i++
			value := i
			for i < len(b) && b[i] != quote {
				i++
			}
			if i >= len(b) {
				return badCell()
			}
			v := b[value:i]
			i++
			if eq-name > 1 && len(bytes.TrimRight(b[name:eq], " \t\r\n")) > 1 {
				continue
			}
			switch b[name] {
			case 'r':
				for _, c := range v {
					if c |= 0x20; c < 'a' || c > 'z' || ref > 1<<20 {
						break
					}
					ref = ref*26 + int(c-'a') + 1
				}
			case 's':
				n, _ := atoi(v)
				style = uint32(n)
			case 't':
				typ = cellTypeOf(v)
			}
		}
		if ref > 0 && ref <= 1<<20 {
			if ref <= col {
				sorted = false
			}
			col = ref
		} else {
			col++
		}
		closed := i >= 2 && b[i-2] == '/'
		wanted := col >= p.minCol && col <= p.maxCol
		if closed || !open {
			if p.blanks && wanted {
				p.emit(sheet.Cell{Col: int32(col), Style: style}, formula{shared: -1})
			}
			continue
		}
		// The children. Most cells are <v>…</v></c>.
		var value, inline []byte
		isFormula := false
		f := formula{shared: -1}
		if i+3 < len(b) && b[i] == '<' && b[i+1] == 'v' && b[i+2] == '>' {
			j := bytes.IndexByte(b[i+3:], '<')
			if j >= 0 && i+j+11 <= len(b) && string(b[i+3+j:i+j+11]) == "</v></c>" {
				value = b[i+3 : i+3+j]
				if typ == typeText {
					value = unescape(value)
				}
				i += j + 11
				goto done
			}
		}
		{
			var err error
			value, inline, isFormula, i, err = p.children(b, i, &f)
			if err != nil {
				return err
			}
		}
	done:
		if !wanted {
			continue
		}
		cell := sheet.Cell{Col: int32(col), Style: style, Formula: isFormula}
		if err := p.value(ctx, &cell.Value, typ, value, inline, style); err != nil {
			return err
		}
		if cell.Kind == sheet.Empty && !isFormula && !p.blanks {
			continue
		}
		p.emit(cell, f)
	}
	if !sorted {
		p.sort()
	}
	return nil
}

func (p *cellParser) emit(c sheet.Cell, f formula) {
	p.cells = append(p.cells, c)
	if p.withFormulas {
		p.formulas = append(p.formulas, f)
	}
}

// cellName looks at the tag at b[i] that does not begin with "<c ". It answers where the
// attributes begin if it is a cell, perhaps with a prefix, and else what follows the tag.
func cellName(b []byte, i int) (next int, isCell bool) {
	switch b[i+1] {
	case '!':
		end := commentEnd
		if b[i+2] == '[' {
			end = cdataEnd
		}
		j := bytes.Index(b[i:], end)
		if j < 0 {
			return -1, false
		}
		return i + j + len(end), false
	case '?', '/':
		j := bytes.IndexByte(b[i:], '>')
		if j < 0 {
			return -1, false
		}
		return i + j + 1, false
	}
	end := i + 1
	for end < len(b) && b[end] != '>' && b[end] != '/' && !isSpace(b[end]) {
		end++
	}
	if string(localName(b[i+1:end])) == "c" {
		return end, true
	}
	j := bytes.IndexByte(b[end:], '>')
	if j < 0 {
		return -1, false
	}
	return end + j + 1, false
}

func cellTypeOf(v []byte) cellType {
	switch string(v) {
	case "s":
		return typeShared
	case "str":
		return typeText
	case "inlineStr":
		return typeInline
	case "b":
		return typeBool
	case "e":
		return typeError
	case "d":
		return typeDate
	}
	return typeNumber
}

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

var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

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

// sort puts cells that came out of order in order; of two in one place the last counts.
func (p *cellParser) sort() {
	seen := map[int32]int{}
	var keepCells []sheet.Cell
	var keepFormulas []formula
	for i, c := range p.cells {
		at, ok := seen[c.Col]
		if !ok {
			at = len(keepCells)
			seen[c.Col] = at
			keepCells = append(keepCells, c)
			if p.withFormulas {
				keepFormulas = append(keepFormulas, p.formulas[i])
			}
			continue
		}
		keepCells[at] = c
		if p.withFormulas {
			keepFormulas[at] = p.formulas[i]
		}
	}
	order := make([]int, len(keepCells))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(keepCells[a].Col) - int(keepCells[b].Col) })
	p.cells, p.formulas = p.cells[:0], p.formulas[:0]
	for _, i := range order {
		p.cells = append(p.cells, keepCells[i])
		if p.withFormulas {
			p.formulas = append(p.formulas, keepFormulas[i])
		}
	}
}

func badCell() error { return damaged("a row of the sheet is not well-formed") }
