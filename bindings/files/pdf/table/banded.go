package table

import (
	"cmp"
	"slices"
)

const (
	// leastBands is how many rows between level lines make a table.
	leastBands = 3
	// bandLines is how many lines of text a row between two level lines has at most; what
	// has more is a list of rows, or prose.
	bandLines = 8
	// bandGap is how wide the gap between columns is at least where lines divide the rows,
	// in sizes of the font.
	bandGap = 0.8
)

// banded finds tables whose rows are divided by level lines, with no lines between the
// columns: as browsers, Markdown and most reports set them.
func banded(words []Word, rules []Box) (tables []Table) {
	var level []Box
	for _, r := range rules {
		if r.width() >= r.height() {
			level = append(level, Box{r.X1, r.midY(), r.X2, r.midY()})
		}
	}
	if len(level) < 2 || len(level) > maxLines {
		return nil
	}
	down := slices.Clone(words)
	slices.SortStableFunc(down, func(a, b Word) int { return cmp.Compare(b.Box.midY(), a.Box.midY()) })
	for _, lines := range alike(joinLevel(level)) {
		var run bands
		for i, l := range lines {
			if i == 0 {
				continue
			}
			b := bandOf(down, Box{l.X1, l.Y1, l.X2, lines[i-1].Y1})
			if run.takes(b) {
				run.add(b)
				continue
			}
			tables = run.end(down, tables)
			if run = (bands{}); run.takes(b) {
				run.add(b)
			}
		}
		tables = run.end(down, tables)
	}
	return tables
}

// alike puts together the level lines that begin and end below each other, from top to bottom.
func alike(level []Box) (groups [][]Box) {
	slices.SortStableFunc(level, func(a, b Box) int { return cmp.Compare(b.Y1, a.Y1) })
	for _, l := range level {
		i := slices.IndexFunc(groups, func(g []Box) bool { return abs(g[0].X1-l.X1) < near && abs(g[0].X2-l.X2) < near })
		if i < 0 {
			groups = append(groups, []Box{l})
			continue
		}
		groups[i] = append(groups[i], l)
	}
	return groups
}

// band is what stands between two level lines.
type band struct {
	box   Box
	words []Word
}

// bandOf takes the words that lie in a box; words are sorted from top to bottom.
func bandOf(down []Word, box Box) band {
	b := band{box: box}
	from, _ := slices.BinarySearchFunc(down, box.Y2, func(w Word, y float64) int { return cmp.Compare(y, w.Box.midY()) })
	for _, w := range down[from:] {
		if w.Box.midY() < box.Y1 {
			break
		}
		if w.Box.midX() >= box.X1-near && w.Box.midX() <= box.X2+near {
			b.words = append(b.words, w)
		}
	}
	return b
}

// bands are rows that follow each other, and the columns that all of them leave gaps between.
type bands struct {
	rows    []band
	columns []Box
	across  int // rows with a cell over several columns
}

// takes tells whether a row has the columns of those before it, or is one of a few with a
// cell over several of them, such as a total.
func (r *bands) takes(b band) bool {
	if len(b.words) == 0 || len(rowsOf(b.words)) > bandLines {
		return false
	}
	if r.isAcross(b) {
		return len(r.rows) >= 2*(r.across+1) && len(rowsOf(b.words)) == 1
	}
	return len(withWords(r.columns, b.words)) >= leastColumns
}

func (r *bands) isAcross(b band) bool { return len(withWords(r.columns, b.words)) < len(r.columns) }

func (r *bands) add(b band) {
	r.rows = append(r.rows, b)
	if r.isAcross(b) {
		r.across++
		return
	}
	r.columns = withWords(r.columns, b.words)
}

// withWords are the columns that words and columns make together.
func withWords(columns []Box, words []Word) (joined []Box) {
	type part struct {
		Box
		gap float64
	}
	parts := make([]part, 0, len(columns)+len(words))
	for _, c := range columns {
		parts = append(parts, part{Box: c})
	}
	for _, w := range words {
		parts = append(parts, part{w.Box, bandGap * max(w.Size, 1)})
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.X1, b.X1) })
	gap := 0.0
	for _, p := range parts {
		if n := len(joined) - 1; n >= 0 && p.X1-joined[n].X2 < max(gap, p.gap) {
			joined[n] = joined[n].around(p.Box)
		} else {
			joined = append(joined, p.Box)
		}
		gap = p.gap
	}
	return joined
}

// end makes a table of the rows, if they are one. A head that stands above the first line
// belongs to it.
func (r *bands) end(down []Word, tables []Table) []Table {
	if len(r.rows) == 0 {
		return tables
	}
	if first := r.rows[0].box; len(r.rows) > 1 {
		height := r.rows[0].words[0].Box.height()
		head := bandOf(down, Box{first.X1, first.Y2, first.X2, first.Y2 + 1.6*height})
		columns := withWords(r.columns, head.words)
		if len(columns) == len(r.columns) && len(rowsOf(head.words)) == 1 && filled(columns, head.words) >= max(leastColumns, len(columns)-1) {
			r.rows, r.columns = append([]band{head}, r.rows...), columns
		}
	}
	n := len(r.columns)
	if len(r.rows) < leastBands || n < leastColumns || n > 60 {
		return tables
	}
	t := Table{Box: r.rows[0].box}
	cells, full := 0, 0
	for _, b := range r.rows {
		t.Box = t.Box.around(b.box)
		byColumn := make([][]Word, n)
		own := withWords(nil, b.words) // a cell over several columns stays in one piece
		for _, w := range b.words {
			i := columnOf(r.columns, own[columnOf(own, w.Box)])
			byColumn[i] = append(byColumn[i], w)
		}
		row := make([]string, n)
		used := 0
		for i, words := range byColumn {
			if row[i] = text(words); row[i] != "" {
				used++
			}
		}
		if cells += used; used >= leastColumns {
			full++
		}
		t.Rows = append(t.Rows, row)
	}
	if full < leastBands || 2*cells < n*len(t.Rows) {
		return tables
	}
	return append(tables, t)
}

// filled is how many columns have one of the words.
func filled(columns []Box, words []Word) int {
	seen := map[int]bool{}
	for _, w := range words {
		seen[columnOf(columns, w.Box)] = true
	}
	return len(seen)
}
