package table

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// columnGap is how wide a gap between columns is at least, in sizes of the font.
	columnGap = 1.2
	// leastRows and leastColumns make a table of aligned text; less is chance.
	leastRows    = 3
	leastColumns = 2
	// rowDistance is how far apart rows of one table are at most, in heights of a row.
	rowDistance = 2.6
	// longCell is how many words a cell has on average from which on it is prose in columns.
	longCell = 6.0
)

// cell is a run of words of a row without a wide gap.
type cell struct {
	words []Word
	box   Box
}

// aligned finds tables in rows whose cells stand below each other.
func aligned(words []Word) (tables []Table) {
	var run [][]cell
	var last row
	end := func() {
		for len(run) > 0 && len(run[len(run)-1]) < leastColumns {
			run = run[:len(run)-1]
		}
		if t, ok := tableOf(run); ok {
			tables = append(tables, t)
		}
		run = nil
	}
	for _, r := range rowsOf(words) {
		cells := cellsOf(r)
		if len(run) > 0 && last.box.Y1-r.box.Y2 > (rowDistance-1)*max(last.box.height(), r.box.height()) {
			end()
		}
		switch {
		case len(cells) >= leastColumns:
			run = append(run, cells)
		case len(run) > 0 && within(cells[0], run):
			run = append(run, cells) // a cell's second line, or a row with one cell
		default:
			end()
		}
		last = r
	}
	end()
	return tables
}

// cellsOf divides a row at its wide gaps.
func cellsOf(r row) (cells []cell) {
	for _, w := range r.words {
		if n := len(cells) - 1; n >= 0 && w.Box.X1-cells[n].box.X2 < columnGap*max(w.Size, 1) {
			cells[n].words = append(cells[n].words, w)
			cells[n].box = cells[n].box.around(w.Box)
			continue
		}
		cells = append(cells, cell{[]Word{w}, w.Box})
	}
	return cells
}

// within is whether a cell lies in one column of the rows before it.
func within(c cell, run [][]cell) bool {
	previous := run[len(run)-1]
	overlaps := 0
	for _, other := range previous {
		if c.box.X1 < other.box.X2 && other.box.X1 < c.box.X2 {
			overlaps++
		}
	}
	return overlaps == 1 && len(previous) >= leastColumns
}

// tableOf makes a table of rows, if their cells make columns.
func tableOf(run [][]cell) (t Table, ok bool) {
	if len(run) < leastRows {
		return t, false
	}
	columns := columnsOf(run)
	if len(columns) < leastColumns || len(columns) > 60 {
		return t, false
	}
	cells, words, full := 0, 0, 0
	t.Box = run[0][0].box
	for _, r := range run {
		byColumn := make([][]Word, len(columns))
		for _, c := range r {
			i := columnOf(columns, c.box)
			byColumn[i] = append(byColumn[i], c.words...)
			t.Box = t.Box.around(c.box)
		}
		out := make([]string, len(columns))
		filled := 0
		for i, w := range byColumn {
			if out[i] = text(w); out[i] != "" {
				filled++
				words += len(strings.Fields(out[i]))
			}
		}
		cells += filled
		if filled >= leastColumns {
			full++
		}
		t.Rows = append(t.Rows, out)
	}
	if full < leastRows || 2*full < len(run) || float64(words)/float64(cells) > longCell || 2*cells < len(run)*len(columns) {
		return Table{}, false
	}
	return t, true
}

// columnsOf are the ranges that the cells of most rows leave free of gaps: cells that
// overlap are of one column. Cells that span columns, such as titles, do not count.
func columnsOf(run [][]cell) (columns []Box) {
	most := 0
	for _, r := range run {
		most = max(most, len(r))
	}
	var boxes []Box
	for _, r := range run {
		if 2*len(r) > most {
			for _, c := range r {
				boxes = append(boxes, c.box)
			}
		}
	}
	slices.SortFunc(boxes, func(a, b Box) int { return cmp.Compare(a.X1, b.X1) })
	for _, b := range boxes {
		if n := len(columns) - 1; n >= 0 && b.X1 < columns[n].X2 {
			columns[n] = columns[n].around(b)
			continue
		}
		columns = append(columns, b)
	}
	return columns
}

// columnOf is the column that a cell lies in most; of none, the nearest.
func columnOf(columns []Box, b Box) int {
	best, overlap := 0, 0.0
	for i, c := range columns {
		o := min(b.X2, c.X2) - max(b.X1, c.X1) // negative is how far away it is
		if i == 0 || o > overlap {
			best, overlap = i, o
		}
	}
	return best
}
