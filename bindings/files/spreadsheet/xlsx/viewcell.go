package xlsx

import (
	"context"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// Cell implements sheet.Book.
func (v *View) Cell(ctx context.Context, i int, at sheet.Ref) (sheet.Detail, error) {
	own := v.e.sheets[i]
	if own == nil && !v.e.Moved() {
		return v.wb.Cell(ctx, i, at)
	}
	if own == nil {
		own = &sheetEdits{}
	}
	d := sheet.Detail{NumberFormat: "General"}
	merged, err := v.Merged(ctx, i)
	if err != nil {
		return d, err
	}
	for _, area := range merged {
		if area.Contains(at) {
			d.Merged = area
			break
		}
	}
	one := sheet.Range{MinCol: at.Col, MinRow: at.Row, MaxCol: at.Col, MaxRow: at.Row}
	cell := viewCell{f: formula{shared: -1}}
	found := false
	err = v.rows(ctx, i, own, one, true, func(_ int, cells []viewCell) error {
		cell, found = cells[0], true
		return nil
	})
	if err != nil {
		return d, err
	}
	if !found {
		// Nothing is there but perhaps a look.
		cell.Cell = sheet.Cell{Col: int32(at.Col), Style: v.inherited(ctx, i, own, at)}
		v.restyle(&cell, own, at.Row)
	}
	d.Value = cell.Value
	if cell.edited {
		d.Formula = cell.written
	} else if cell.f.text != "" || cell.f.shared >= 0 {
		if err := v.formula(ctx, i, &cell, &d); err != nil {
			return d, err
		}
	}
	d.NumberFormat = v.code(cell.Style)
	d.Style = v.look(cell.Style)
	d.Text = v.Text(cell.Cell)
	return d, nil
}

// formula gives the formula of a cell of the file as it is now.
func (v *View) formula(ctx context.Context, i int, cell *viewCell, d *sheet.Detail) (err error) {
	ws := v.wb.sheets[i]
	text := cell.f.text
	if text == "" && cell.f.shared >= 0 {
		if text, err = ws.shared.at(ctx, ws, cell.f.shared, cell.old); err != nil {
			return err
		}
	}
	d.Formula = v.e.moves.formula(text, ws.info.Name)
	if cell.f.array {
		if area, err := sheet.ParseRange(cell.f.ref); err == nil {
			d.ArrayRange, _ = shifts(v.e.moves.of(ws.info.Name)).area(area)
		}
	}
	return nil
}

// inherited gives the look of a cell that was inserted below another one.
func (v *View) inherited(ctx context.Context, i int, own *sheetEdits, at sheet.Ref) (style uint32) {
	old, like := own.lines.was(at.Row)
	if old == 0 && like == 0 {
		return 0
	}
	oldCol, likeCol := own.columns.was(at.Col)
	row, col := max(old, like), max(oldCol, likeCol)
	if row == 0 || col == 0 || like == 0 && likeCol == 0 {
		return 0
	}
	one := sheet.Range{MinCol: col, MinRow: row, MaxCol: col, MaxRow: row}
	v.wb.sheets[i].rows(ctx, one, &cellParser{blanks: true, withFormulas: true}, func(_ int, p *cellParser) error {
		style = p.cells[0].Style
		return nil
	})
	return style
}

// Used implements sheet.Book. Where rows and columns were only inserted, or nothing was
// cleared, it follows from what is known; else the cells are looked at.
func (v *View) Used(ctx context.Context, i int) (sheet.Range, bool, error) {
	own := v.e.sheets[i]
	used, ok, err := v.wb.Used(ctx, i)
	if err != nil || own == nil {
		return used, ok, err
	}
	if own.shrinks(used) {
		var found sheet.Range
		err := v.Rows(ctx, i, sheet.All(), func(row int, cells []sheet.Cell) error {
			found.Include(int(cells[0].Col), row)
			found.Include(int(cells[len(cells)-1].Col), row)
			return nil
		})
		return found, found.MinRow > 0, err
	}
	if ok {
		used.MinRow, _ = own.lines.now(used.MinRow)
		used.MaxRow, _ = own.lines.now(used.MaxRow)
		used.MinCol, _ = own.columns.now(used.MinCol)
		used.MaxCol, _ = own.columns.now(used.MaxCol)
	}
	if more := own.used; more.MinRow > 0 {
		used.Include(more.MinCol, more.MinRow)
		used.Include(more.MaxCol, more.MaxRow)
	}
	return used, used.MinRow > 0, nil
}

// shrinks tells whether the cells in use may be fewer than the file's and those that
// were written.
func (s *sheetEdits) shrinks(used sheet.Range) bool {
	if s.lines.lost(used.MaxRow) || s.columns.lost(used.MaxCol) {
		return true
	}
	for _, cells := range s.rows {
		for _, c := range cells {
			if c.value.IsEmpty() && c.formula == "" {
				return true
			}
		}
	}
	return false
}

// lost tells whether any of the old ones up to max was deleted.
func (a *axis) lost(max int) bool {
	if a == nil {
		return false
	}
	next := 1
	for _, p := range a.pieces {
		if p.old > 0 {
			if p.old > next && next <= max {
				return true
			}
			next = p.old + p.count
		}
	}
	return next <= max
}
