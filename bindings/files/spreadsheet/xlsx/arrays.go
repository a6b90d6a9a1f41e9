package xlsx

import (
	"bytes"
	"context"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
)

// arrayArea is an array formula whose results stand in several cells.
type arrayArea struct {
	at   sheet.Ref // the cell that has the formula
	area sheet.Range
}

var arrayWord = []byte("array")

// findArrays adds the array formulas of a row.
func (s *worksheet) findArrays(ctx context.Context, row int, xml []byte, found *findings) error {
	if !bytes.Contains(xml, arrayWord) {
		return nil
	}
	p := &cellParser{wb: s.wb, minCol: 1, maxCol: sheet.MaxCol, withFormulas: true, extentOnly: true}
	if err := p.parse(ctx, xml); err != nil {
		return err
	}
	for k, f := range p.formulas {
		if !f.array || f.ref == "" {
			continue
		}
		if area, err := sheet.ParseRange(f.ref); err == nil && (area.Rows() > 1 || area.Cols() > 1) {
			found.arrays = append(found.arrays, arrayArea{sheet.Ref{Col: int(p.cells[k].Col), Row: row}, area})
		}
	}
	return nil
}

// keepArrays refuses to delete the cell that has the formula of an array whose other cells
// stay, as spreadsheet programs do: they would have its last results as values.
func (e *Edits) keepArrays(ctx context.Context, wb *Workbook, i int, s shift) error {
	ws := wb.sheets[i]
	found, err := ws.survey.get(ctx, ws)
	if err != nil {
		return err
	}
	before := shifts(e.moves.of(ws.info.Name))
	for _, a := range found.arrays {
		at, stood := before.cell(a.at)
		area, left := before.area(a.area)
		if !stood || !left || e.overwritten(i, at) {
			continue // it is gone
		}
		if _, stays := s.cell(at); stays {
			continue
		}
		if _, some := s.area(area); some {
			return problem.New(problem.InvalidArgument, "a part of the array formula in %s, which fills %s, cannot be deleted", at, area).
				WithHint("Delete all of its cells together, or write something else into %s first.", at)
		}
	}
	return nil
}

// overwritten tells whether a cell gets something else than it has in the file.
func (e *Edits) overwritten(i int, at sheet.Ref) bool {
	own := e.sheets[i]
	if own == nil {
		return false
	}
	for _, c := range own.rows[at.Row] {
		if int(c.col) == at.Col {
			return true
		}
	}
	return false
}
