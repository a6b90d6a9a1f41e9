// Package table finds tables on a page: in a grid of ruled lines, in rows that level lines
// divide, or in text whose columns are aligned.
//
// It knows words and lines by their places alone, in points from the bottom-left corner
// of the page. ruled.go has the first way, banded.go the second,
// aligned.go the third.
//
// Imports nothing of this module. Start reading at Find.
package table

import (
	"cmp"
	"slices"
	"strings"
)

// Box is a rectangle, X1 ≤ X2 and Y1 ≤ Y2. One without width or height is a line.
type Box struct {
	X1, Y1, X2, Y2 float64
}

func (b Box) width() float64  { return b.X2 - b.X1 }
func (b Box) height() float64 { return b.Y2 - b.Y1 }
func (b Box) midX() float64   { return (b.X1 + b.X2) / 2 }
func (b Box) midY() float64   { return (b.Y1 + b.Y2) / 2 }

func (b Box) around(other Box) Box {
	return Box{min(b.X1, other.X1), min(b.Y1, other.Y1), max(b.X2, other.X2), max(b.Y2, other.Y2)}
}

func (b Box) holds(x, y float64) bool { return x >= b.X1 && x <= b.X2 && y >= b.Y1 && y <= b.Y2 }

// Word is a word of the page's text.
type Word struct {
	Text string
	Box  Box
	Size float64 // of the font
}

// Table is what was found.
type Table struct {
	Rows  [][]string // of equal length
	Box   Box
	Ruled bool
}

// Find gives the tables from top to bottom.
func Find(words []Word, rules []Box) []Table {
	tables := ruled(words, rules)
	tables = append(tables, banded(outside(words, tables), rules)...)
	tables = append(tables, aligned(outside(words, tables))...)
	slices.SortStableFunc(tables, func(a, b Table) int { return cmp.Compare(b.Box.Y2, a.Box.Y2) })
	return tables
}

// outside are the words that are in no table yet.
func outside(words []Word, tables []Table) (free []Word) {
	for _, w := range words {
		if !slices.ContainsFunc(tables, func(t Table) bool { return t.Box.holds(w.Box.midX(), w.Box.midY()) }) {
			free = append(free, w)
		}
	}
	return free
}

// row is words that stand beside each other, from left to right.
type row struct {
	words []Word
	box   Box
}

// rowsOf puts words into rows, from top to bottom.
func rowsOf(words []Word) []row {
	sorted := slices.Clone(words)
	slices.SortStableFunc(sorted, func(a, b Word) int { return cmp.Compare(b.Box.midY(), a.Box.midY()) })
	var rows []row
	for _, w := range sorted {
		last := len(rows) - 1
		if last >= 0 && w.Box.midY() > rows[last].box.Y1+0.25*w.Box.height() && sameLine(rows[last], w) {
			rows[last].words = append(rows[last].words, w)
			rows[last].box = rows[last].box.around(w.Box)
			continue
		}
		rows = append(rows, row{[]Word{w}, w.Box})
	}
	for _, r := range rows {
		slices.SortStableFunc(r.words, func(a, b Word) int { return cmp.Compare(a.Box.X1, b.Box.X1) })
	}
	return rows
}

// sameLine is whether a word's middle is about as high as that of the row's first word.
func sameLine(r row, w Word) bool {
	first := r.words[0].Box
	return abs(first.midY()-w.Box.midY()) < 0.5*min(first.height(), w.Box.height())
}

// text is words as they are read.
func text(words []Word) string {
	var lines []string
	for _, r := range rowsOf(words) {
		parts := make([]string, len(r.words))
		for i, w := range r.words {
			parts[i] = w.Text
		}
		lines = append(lines, strings.Join(parts, " "))
	}
	return strings.Join(lines, "\n")
}

func abs(v float64) float64 { return max(v, -v) }
