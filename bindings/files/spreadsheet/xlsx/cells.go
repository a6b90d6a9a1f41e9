package xlsx

import (
	"bytes"
	"context"
	"slices"

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
		if i >= len(b) || b[i] != '<' {
			j := bytes.IndexByte(b[i:], '<')
			if j < 0 {
				break
			}
			i += j
		}
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
			name, eq := i, i+1
			if i+2 < len(b) && b[eq] == '=' && b[eq+1] == '"' {
				i += 2 // as nearly all are
			} else {
				for i < len(b) && b[i] != '=' && b[i] != '>' {
					i++
				}
				eq = i
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

var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

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
