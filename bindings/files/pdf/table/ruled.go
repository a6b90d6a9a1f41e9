package table

import (
	"cmp"
	"slices"
)

const (
	// near is how far apart what belongs together may be, in points: thick lines are two.
	near = 3.0
	// maxLines bounds what is compared pair by pair; a page of more is a drawing.
	maxLines = 4000
)

// ruled finds the grids that level and upright lines make.
func ruled(words []Word, rules []Box) (tables []Table) {
	var level, upright []Box
	for _, r := range rules {
		if r.width() >= r.height() {
			level = append(level, Box{r.X1, r.midY(), r.X2, r.midY()})
		} else {
			upright = append(upright, Box{r.midX(), r.Y1, r.midX(), r.Y2})
		}
	}
	level, upright = joinLevel(level), transpose(joinLevel(transpose(upright)))
	if len(level) < 2 || len(upright) < 2 || len(level)+len(upright) > maxLines {
		return nil
	}
	for _, g := range grids(level, upright) {
		if t, ok := g.table(words); ok {
			tables = append(tables, t)
		}
	}
	return outermost(tables)
}

func transpose(lines []Box) []Box {
	out := make([]Box, len(lines))
	for i, l := range lines {
		out[i] = Box{l.Y1, l.X1, l.Y2, l.X2}
	}
	return out
}

// joinLevel makes one line of those that continue or double each other.
func joinLevel(lines []Box) (joined []Box) {
	slices.SortFunc(lines, func(a, b Box) int {
		return cmp.Or(cmp.Compare(a.Y1, b.Y1), cmp.Compare(a.X1, b.X1))
	})
	for i := 0; i < len(lines); {
		end := i + 1 // of those as high as line i
		for end < len(lines) && lines[end].Y1-lines[i].Y1 < near {
			end++
		}
		same := slices.Clone(lines[i:end])
		slices.SortFunc(same, func(a, b Box) int { return cmp.Compare(a.X1, b.X1) })
		for j, l := range same {
			l.Y1, l.Y2 = lines[i].Y1, lines[i].Y1
			if last := len(joined) - 1; j > 0 && l.X1 <= joined[last].X2+near {
				joined[last].X2 = max(joined[last].X2, l.X2)
			} else {
				joined = append(joined, l)
			}
		}
		i = end
	}
	return joined
}

// grid is lines that cross each other, directly or by others.
type grid struct {
	level, upright []Box
}

// grids divides lines into those that hang together.
func grids(level, upright []Box) []grid {
	parent := make([]int, len(level)+len(upright))
	for i := range parent {
		parent[i] = i
	}
	var find func(i int) int
	find = func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for i, l := range level {
		for j, u := range upright {
			if u.X1 >= l.X1-near && u.X1 <= l.X2+near && l.Y1 >= u.Y1-near && l.Y1 <= u.Y2+near {
				parent[find(i)] = find(len(level) + j)
			}
		}
	}
	byRoot := map[int]*grid{}
	var order []int
	at := func(i int) *grid {
		root := find(i)
		if byRoot[root] == nil {
			byRoot[root] = &grid{}
			order = append(order, root)
		}
		return byRoot[root]
	}
	for i, l := range level {
		g := at(i)
		g.level = append(g.level, l)
	}
	for j, u := range upright {
		g := at(len(level) + j)
		g.upright = append(g.upright, u)
	}
	var all []grid
	for _, root := range order {
		if g := byRoot[root]; len(g.level) >= 2 && len(g.upright) >= 2 {
			all = append(all, *g)
		}
	}
	return all
}

// table puts the words that lie in the grid into its cells. One cell alone is a frame.
func (g grid) table(words []Word) (t Table, ok bool) {
	var xs, ys []float64
	for _, u := range g.upright {
		xs = append(xs, u.X1)
	}
	for _, l := range g.level {
		ys = append(ys, l.Y1)
	}
	xs, ys = distinct(xs), distinct(ys)
	columns, rows := len(xs)-1, len(ys)-1
	if columns < 1 || rows < 1 || columns*rows < 2 || columns > 200 || rows > 2000 {
		return t, false
	}
	t = Table{Box: Box{xs[0], ys[0], xs[columns], ys[rows]}, Ruled: true, Rows: make([][]string, rows)}
	cells := make(map[[2]int][]Word)
	for _, w := range words {
		if t.Box.holds(w.Box.midX(), w.Box.midY()) {
			at := g.first(xs, ys, interval(xs, w.Box.midX()), interval(ys, w.Box.midY()))
			cells[at] = append(cells[at], w)
		}
	}
	if len(cells) < 2 {
		return t, false
	}
	for r := range rows {
		t.Rows[r] = make([]string, columns)
		for c := range columns {
			t.Rows[r][c] = text(cells[[2]int{c, rows - 1 - r}])
		}
	}
	t.Rows = dropEmpty(t.Rows)
	return t, len(t.Rows) > 0 && len(t.Rows)*len(t.Rows[0]) >= 2
}

// first is the cell at the top left of those that column c and row r (counted from the
// bottom) are merged with: where no line is between two, they are one.
func (g grid) first(xs, ys []float64, c, r int) [2]int {
	y := (ys[r] + ys[r+1]) / 2
	for c > 0 && !slices.ContainsFunc(g.upright, func(u Box) bool { return abs(u.X1-xs[c]) < near && u.Y1-near <= y && y <= u.Y2+near }) {
		c--
	}
	x := (xs[c] + xs[c+1]) / 2
	for r < len(ys)-2 && !slices.ContainsFunc(g.level, func(l Box) bool { return abs(l.Y1-ys[r+1]) < near && l.X1-near <= x && x <= l.X2+near }) {
		r++
	}
	return [2]int{c, r}
}

// distinct sorts values and leaves out those near to the one before.
func distinct(values []float64) []float64 {
	slices.Sort(values)
	out := values[:1]
	for _, v := range values[1:] {
		if v-out[len(out)-1] >= near {
			out = append(out, v)
		}
	}
	return out
}

// interval is between which two of the bounds a value lies.
func interval(bounds []float64, v float64) int {
	i, _ := slices.BinarySearch(bounds, v)
	return min(max(i-1, 0), len(bounds)-2)
}

// outermost leaves out tables that lie in another.
func outermost(tables []Table) []Table {
	return slices.DeleteFunc(slices.Clone(tables), func(t Table) bool {
		return slices.ContainsFunc(tables, func(o Table) bool {
			return o.Box != t.Box && o.Box.X1 <= t.Box.X1 && o.Box.Y1 <= t.Box.Y1 && o.Box.X2 >= t.Box.X2 && o.Box.Y2 >= t.Box.Y2
		})
	})
}

// dropEmpty leaves out rows and columns without any text.
func dropEmpty(rows [][]string) [][]string {
	empty := func(cells []string) bool { return !slices.ContainsFunc(cells, func(s string) bool { return s != "" }) }
	rows = slices.DeleteFunc(rows, empty)
	if len(rows) == 0 {
		return nil
	}
	var keep []int
	for c := range rows[0] {
		if slices.ContainsFunc(rows, func(r []string) bool { return r[c] != "" }) {
			keep = append(keep, c)
		}
	}
	out := make([][]string, len(rows))
	for i, r := range rows {
		for _, c := range keep {
			out[i] = append(out[i], r[c])
		}
	}
	return out
}
