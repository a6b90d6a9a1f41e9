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

// References hands the areas that a formula names to fn, with the sheet that is named in
// front, "" for the formula's own. Names, tables, other workbooks and areas that go through
// several sheets are left out.
func References(formula string, fn func(sheetName string, area sheet.Range)) {
	mapRefs(formula, func(r *reference) verdict {
		if r.other || r.last != "" && r.last != r.first {
			return kept
		}
		area := sheet.Range{
			MinCol: min(r.a.col, r.b.col), MinRow: min(r.a.row, r.b.row),
			MaxCol: max(r.a.col, r.b.col), MaxRow: max(r.a.row, r.b.row),
		}
		if area.MinCol == 0 { // whole rows
			area.MinCol, area.MaxCol = 1, sheet.MaxCol
		}
		if area.MinRow == 0 { // whole columns
			area.MinRow, area.MaxRow = 1, sheet.MaxRow
		}
		fn(r.first, area)
		return kept
	})
}
