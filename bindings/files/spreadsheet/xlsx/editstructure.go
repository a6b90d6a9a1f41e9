package xlsx

import (
	"context"
	"maps"
	"slices"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
)

// frozen says how many rows and columns stay in sight.
type frozen struct{ rows, columns int }

// maxMoves is how many insertions and deletions Edits hold: each formula follows all.
const maxMoves = 2000

// Moved tells whether rows or columns were inserted or deleted: cells then have other
// places than in the workbook.
func (e *Edits) Moved() bool { return len(e.moves) > 0 }

// Full tells whether Edits should be written before more rows or columns move.
func (e *Edits) Full() bool { return len(e.moves) >= maxMoves }

// InsertRows puts empty rows behind row after, 0 for the top. They look like the row
// above. What refers to cells below, anywhere in the workbook, follows.
func (e *Edits) InsertRows(ctx context.Context, wb *Workbook, i, after, count int) error {
	return e.shift(ctx, wb, i, shift{at: after + 1, count: count})
}

// DeleteRows takes rows away. References to nothing but their cells become #REF!. The first
// cell of an array formula goes with all of its cells only.
func (e *Edits) DeleteRows(ctx context.Context, wb *Workbook, i, first, count int) error {
	return e.shift(ctx, wb, i, shift{at: first, count: min(count, sheet.MaxRow-first+1), delete: true})
}

// InsertColumns puts empty columns behind column after, 0 for the left edge. They look
// like the column before.
func (e *Edits) InsertColumns(ctx context.Context, wb *Workbook, i, after, count int) error {
	return e.shift(ctx, wb, i, shift{at: after + 1, count: count, columns: true})
}

// DeleteColumns takes columns away.
func (e *Edits) DeleteColumns(ctx context.Context, wb *Workbook, i, first, count int) error {
	return e.shift(ctx, wb, i, shift{at: first, count: min(count, sheet.MaxCol-first+1), delete: true, columns: true})
}

func (e *Edits) shift(ctx context.Context, wb *Workbook, i int, s shift) error {
	ws, err := wb.worksheetOf(i)
	if err != nil {
		return err
	}
	if s.at < 1 || s.at > s.max() || s.count < 1 || s.count > s.max() {
		return problem.New(problem.InvalidArgument, "rows and columns %d to %d are not on a sheet", s.at, s.at+s.count-1)
	}
	s.sheet = ws.info.Name
	check := e.room
	if s.delete {
		check = e.keepArrays
	}
	if err := check(ctx, wb, i, s); err != nil {
		return err
	}
	if err := e.loadTables(ctx, wb, i); err != nil {
		return err
	}
	own := e.of(i)
	e.moves = append(e.moves, s)
	if s.columns {
		if own.columns == nil {
			own.columns = newAxis()
		}
		own.columns.apply(s)
	} else {
		if own.lines == nil {
			own.lines = newAxis()
		}
		own.lines.apply(s)
	}
	own.follow(s)
	for k, other := range e.sheets {
		home := wb.sheets[k].info.Name
		if plain, qualified := s.touches(home); plain || qualified {
			other.refer(changes{s}, home)
		}
	}
	e.recount()
	for _, t := range e.tables {
		if t.sheet == i && !t.gone {
			e.shiftTable(t, s)
		}
	}
	return nil
}

// room makes sure that nothing is pushed off the sheet, as far as that is known without
// reading a large one; what is not known now is found when the sheet is written.
func (e *Edits) room(ctx context.Context, wb *Workbook, i int, s shift) error {
	ws := wb.sheets[i]
	own := e.sheets[i]
	if own == nil {
		own = &sheetEdits{}
	}
	last := own.used.MaxRow
	if s.columns {
		last = own.used.MaxCol
	}
	if ws.part.inflated <= smallSheet {
		found, err := ws.survey.get(ctx, ws)
		if err != nil {
			return err
		}
		if used := found.used; used.MinRow > 0 {
			if at, ok := own.lines.now(used.MaxRow); ok && !s.columns {
				last = max(last, at)
			}
			if at, ok := own.columns.now(used.MaxCol); ok && s.columns {
				last = max(last, at)
			}
		}
	}
	if last >= s.at && last+s.count > s.max() {
		return offSheet(ws.info.Name)
	}
	return nil
}

func offSheet(name string) error {
	return problem.New(problem.InvalidArgument, "there is no room in the sheet %q: cells would be pushed off its end", clip(name)).
		WithHint("A sheet ends at XFD1048576. Insert fewer, or delete others first.").With("argument", "count")
}

// follow moves the edits of a sheet with its rows or columns.
func (s *sheetEdits) follow(m shift) {
	rows := make(map[int][]cellEdit, len(s.rows))
	for row, cells := range s.rows {
		if !m.columns {
			if now, ok := m.index(row); ok {
				rows[now] = cells
			}
			continue
		}
		kept := cells[:0]
		for _, c := range cells {
			if now, ok := m.index(int(c.col)); ok {
				c.col = int32(now)
				kept = append(kept, c)
			}
		}
		if len(kept) > 0 {
			rows[row] = kept
		}
	}
	s.rows = rows
	areas := s.areas[:0]
	for _, a := range s.areas {
		ok := true
		if a.within, ok = m.look(a.within); ok {
			areas = append(areas, a)
		}
	}
	s.areas = areas
	if m.columns {
		widths := s.widths[:0]
		for _, w := range s.widths {
			r, ok := m.look(sheet.Range{MinCol: w.first, MinRow: 1, MaxCol: w.last, MaxRow: 1})
			if w.first, w.last = r.MinCol, r.MaxCol; ok {
				widths = append(widths, w)
			}
		}
		s.widths = widths
	} else {
		heights := make(map[int]float64, len(s.heights))
		for row, h := range s.heights {
			if now, ok := m.index(row); ok {
				heights[now] = h
			}
			if !m.delete && row == m.at-1 {
				for k := range m.count {
					heights[m.at+k] = h
				}
			}
		}
		s.heights = heights
	}
	if s.hasMerged {
		s.merged = moveMerged(shifts{m}, s.merged)
	}
	if s.filter != nil {
		if moved, ok := m.area(*s.filter); ok {
			s.filter = &moved
		} else {
			s.filter = nil
		}
	}
	if s.freeze != nil {
		if f := *s.freeze; m.columns && f.columns > 0 {
			s.freeze = &frozen{f.rows, m.frozen(f.columns)}
		} else if !m.columns && f.rows > 0 {
			s.freeze = &frozen{m.frozen(f.rows), f.columns}
		}
	}
}

// look is area for the look of cells: what is inserted behind looks alike.
func (s shift) look(r sheet.Range) (sheet.Range, bool) {
	lo, hi := r.MinRow, r.MaxRow
	if s.columns {
		lo, hi = r.MinCol, r.MaxCol
	}
	grow := !s.delete && lo < s.at && hi == s.at-1
	moved, ok := s.area(r)
	if grow && s.columns {
		moved.MaxCol = min(moved.MaxCol+s.count, sheet.MaxCol)
	} else if grow {
		moved.MaxRow = min(moved.MaxRow+s.count, sheet.MaxRow)
	}
	return moved, ok
}

// refer makes the formulas among the edits follow.
func (s *sheetEdits) refer(moves changes, home string) {
	for _, cells := range s.rows {
		for k := range cells {
			if cells[k].formula != "" {
				cells[k].formula = moves.formula(cells[k].formula, home)
			}
		}
	}
}

// recount finds out anew what of cells is set.
func (e *Edits) recount() {
	e.cells = 0
	for _, s := range e.sheets {
		s.used = sheet.Range{}
		for row, cells := range s.rows {
			e.cells += len(cells)
			for _, c := range cells {
				if !c.value.IsEmpty() || c.formula != "" {
					s.used.Include(int(c.col), row)
				}
			}
		}
	}
}

func moveMerged(moves shifts, list []sheet.Range) []sheet.Range {
	out := make([]sheet.Range, 0, len(list))
	for _, r := range list {
		if moved, ok := moves.area(r); ok && (moved.Rows() > 1 || moved.Cols() > 1) {
			out = append(out, moved)
		}
	}
	return out
}

// Merged gives the merged areas of a sheet with the edits.
func (e *Edits) Merged(ctx context.Context, wb *Workbook, i int) ([]sheet.Range, error) {
	own := e.sheets[i]
	if own != nil && own.hasMerged {
		return own.merged, nil
	}
	list, err := wb.Merged(ctx, i)
	if err != nil || own == nil || !e.Moved() {
		return list, err
	}
	return moveMerged(e.moves.of(wb.sheets[i].info.Name), list), nil
}

// SetMerged replaces the merged areas of a sheet.
func (e *Edits) SetMerged(i int, list []sheet.Range) {
	s := e.of(i)
	s.merged, s.hasMerged = slices.Clone(list), true
}

// SetFilter puts filter buttons on the first row of a range, in place of the sheet's
// filter.
func (e *Edits) SetFilter(i int, within sheet.Range) { e.of(i).filter = &within }

// Freeze keeps rows and columns in sight; zeros for none.
func (e *Edits) Freeze(i, rows, columns int) { e.of(i).freeze = &frozen{rows, columns} }

// touchedSheets lists the sheets that have edits, in order.
func (e *Edits) touchedSheets() []int { return slices.Sorted(maps.Keys(e.sheets)) }
