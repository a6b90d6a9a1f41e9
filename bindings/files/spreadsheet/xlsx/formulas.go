package xlsx

import (
	"context"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// Formula is a formula of a sheet.
type Formula struct {
	At    sheet.Ref
	Text  string      // without the leading =; shared ones as each cell has them
	Array sheet.Range // where the results of an array formula stand; none is zero
}

// Formulas hands the formulas of a sheet to fn by row and column. It ends early without an
// error when fn answers sheet.Stop.
func (wb *Workbook) Formulas(ctx context.Context, i int, fn func(f Formula) error) error {
	s, err := wb.worksheetOf(i)
	if err != nil {
		return err
	}
	p := &cellParser{withFormulas: true, extentOnly: true}
	return s.rows(ctx, sheet.All(), p, func(row int, p *cellParser) error {
		for k, f := range p.formulas {
			at := sheet.Ref{Col: int(p.cells[k].Col), Row: row}
			text := f.text
			if text == "" && f.shared >= 0 {
				if text, err = s.shared.at(ctx, s, f.shared, at); err != nil {
					return err
				}
			}
			if text == "" {
				continue
			}
			made := Formula{At: at, Text: text}
			if f.array {
				if made.Array, err = sheet.ParseRange(f.ref); err != nil || f.ref == "" {
					made.Array = sheet.Range{MinCol: at.Col, MinRow: at.Row, MaxCol: at.Col, MaxRow: at.Row}
				}
			}
			if err := fn(made); err != nil {
				return err
			}
		}
		return nil
	})
}

// Reads hands the areas that a formula reads whatever its values are to fn, with the sheet
// that is named in front, "" for the formula's own. What an IF may leave alone, and what
// only its place is asked of, is left out; so are names, tables, other workbooks and areas
// that go through several sheets.
func Reads(formula string, fn func(sheetName string, area sheet.Range)) {
	if len(formula) > maxFormula {
		return
	}
	in := nesting{text: formula}
	mapRefs(formula, func(r *reference) verdict {
		if !r.other && (r.last == "" || r.last == r.first) && in.at(r.from).surelyReads() {
			fn(r.first, r.area())
		}
		return kept
	})
}

// CellOf gives the cell that a formula is nothing but the reference of, with the sheet that
// is named in front.
func CellOf(formula string) (sheetName string, at sheet.Ref, ok bool) {
	if len(formula) > 100 {
		return "", at, false
	}
	r, ok := wholeReference(formula)
	if !ok || r.other || r.isRange || r.last != "" {
		return "", at, false
	}
	return r.first, sheet.Ref{Col: r.a.col, Row: r.a.row}, true
}

// maxFormula is how many bytes a formula may have to be looked into; Excel allows 8,192
// characters.
const maxFormula = 32 << 10
