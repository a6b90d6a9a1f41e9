package layout

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extended "github.com/yuin/goldmark/extension/ast"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/typeset"
)

// grid is a table on its way to a page.
type grid struct {
	flow   *Flow
	in     column
	size   float64
	pad    float64
	align  []string
	widths []float64 // of the columns, with their padding
	head   [][]typeset.Line
}

// table sets a table. Its head is repeated on every page that it is on.
func (f *Flow) table(n *extended.Table, in column, style typeset.Style) error {
	style.Size *= .92
	g := &grid{flow: f, in: in, size: style.Size, pad: style.Size * .5}
	for _, a := range n.Alignments {
		g.align = append(g.align, map[extended.Alignment]string{
			extended.AlignLeft: "left", extended.AlignCenter: "center", extended.AlignRight: "right",
		}[a])
	}
	var rows [][][]typeset.Span
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		own := style
		_, head := row.(*extended.TableHeader)
		own.Bold = own.Bold || head
		var cells [][]typeset.Span
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, f.spans(ast.Node(cell), own))
		}
		rows = append(rows, cells)
	}
	if len(rows) == 0 || len(g.align) == 0 {
		return nil
	}
	if err := g.measure(rows); err != nil {
		return err
	}
	f.space(f.opts.Size * .7)
	var err error
	if g.head, err = g.set(rows[0]); err != nil {
		return err
	}
	first, second := g.height(g.head), 0.0
	if len(rows) > 1 {
		lines, err := g.set(rows[1])
		if err != nil {
			return err
		}
		second = g.height(lines)
	}
	if err := f.keep(min(first+second, f.sheet().height/3)); err != nil {
		return err
	}
	if err := g.row(g.head, true); err != nil {
		return err
	}
	for _, row := range rows[1:] {
		lines, err := g.set(row)
		if err != nil {
			return err
		}
		if err := g.row(lines, false); err != nil {
			return err
		}
	}
	f.space(f.opts.Size * .9)
	return nil
}

// slack is what rounding may take of a width.
const slack = .5

// measure chooses the widths of the columns: what their text takes, or, where that is more
// than there is, at least their longest words and a fair part of the rest.
func (g *grid) measure(rows [][][]typeset.Span) error {
	n := len(g.align)
	most, least := make([]float64, n), make([]float64, n)
	for _, row := range rows {
		for i, cell := range row[:min(len(row), n)] {
			lines, err := g.flow.set.Lines(cell, 0)
			if err != nil {
				return err
			}
			for _, line := range lines {
				most[i] = max(most[i], line.Width+slack)
			}
			word, err := g.longest(cell)
			if err != nil {
				return err
			}
			least[i] = max(least[i], min(word, g.in.width/3)+slack)
		}
	}
	g.widths = columnWidths(most, least, g.in.width, 2*g.pad)
	return nil
}

// columnWidths divides room among columns, each with its text and a padding. Where all need
// more than there is, those that need no more than an even share get what they need, so
// that a number does not break for the sake of a paragraph beside it.
func columnWidths(most, least []float64, room, padding float64) []float64 {
	widths := make([]float64, len(most))
	sum := func(list []float64) (total float64) {
		for _, v := range list {
			total += v + padding
		}
		return total
	}
	if sum(most) <= room {
		for i := range widths {
			widths[i] = most[i] + padding
		}
		return widths
	}
	if all := sum(least); all >= room {
		for i := range widths {
			widths[i] = (least[i] + padding) * room / all
		}
		return widths
	}
	least = slices.Clone(least)
	for changed := true; changed; {
		changed = false
		wide, left := 0, room
		for i := range least {
			if left -= least[i] + padding; least[i] < most[i] {
				wide++
				left += least[i] + padding
			}
		}
		for i := range least {
			share := left / float64(max(wide, 1))
			if least[i] < most[i] && most[i]+padding <= share && sum(least)+most[i]-least[i] <= room {
				least[i], changed = most[i], true
			}
		}
	}
	mostSum, leastSum := 0.0, sum(least)
	for i := range least {
		mostSum += max(most[i]-least[i], 0)
	}
	for i := range widths {
		widths[i] = least[i] + padding + max(most[i]-least[i], 0)*(room-leastSum)/max(mostSum, 1)
	}
	return widths
}

// longest is the width of the longest word of a cell.
func (g *grid) longest(cell []typeset.Span) (float64, error) {
	longest := typeset.Span{}
	count := 0
	for _, span := range cell {
		for _, word := range strings.Fields(span.Text) {
			if n := len(word); n > count {
				longest, count = typeset.Span{Text: word, Style: span.Style}, n
			}
		}
	}
	if count == 0 {
		return 0, nil
	}
	lines, err := g.flow.set.Lines([]typeset.Span{longest}, 0)
	if err != nil {
		return 0, err
	}
	return lines[0].Width, nil
}

// set breaks the cells of a row into lines.
func (g *grid) set(row [][]typeset.Span) ([][]typeset.Line, error) {
	cells := make([][]typeset.Line, len(g.widths))
	for i := range cells {
		if i >= len(row) || len(row[i]) == 0 {
			continue
		}
		lines, err := g.flow.set.Lines(row[i], max(g.widths[i]-2*g.pad, g.size))
		if err != nil {
			return nil, err
		}
		cells[i] = slices.Clone(lines)
	}
	return cells, nil
}

const tableLeading = 1.35

func (g *grid) height(cells [][]typeset.Line) float64 {
	n := 1
	for _, lines := range cells {
		n = max(n, len(lines))
	}
	return float64(n)*g.size*tableLeading + 1.4*g.pad
}

// row draws a row, on more than one page if it is higher than one.
func (g *grid) row(cells [][]typeset.Line, head bool) error {
	f := g.flow
	for {
		whole := g.height(cells)
		if !head && !f.top && whole > f.room() {
			if err := f.next(); err != nil {
				return err
			}
			if g.height(g.head) < f.room()/2 {
				if err := g.row(g.head, true); err != nil {
					return err
				}
			}
		}
		fit := max(int((f.room()-1.4*g.pad)/(g.size*tableLeading)), 1)
		part, rest, more := make([][]typeset.Line, len(cells)), make([][]typeset.Line, len(cells)), false
		for i, lines := range cells {
			n := min(fit, len(lines))
			part[i], rest[i] = lines[:n], lines[n:]
			more = more || n < len(lines)
		}
		if err := g.draw(part, head); err != nil || !more {
			return err
		}
		cells = rest
	}
}

func (g *grid) draw(cells [][]typeset.Line, head bool) error {
	f := g.flow
	height := g.height(cells)
	y, err := f.take(height)
	if err != nil {
		return err
	}
	total := 0.0
	for _, w := range g.widths {
		total += w
	}
	if head {
		f.fill(shade, g.in.x, y-height, total, height)
	}
	f.fill(rule, g.in.x, y-height, total, .6)
	x := g.in.x
	for i, lines := range cells {
		at := y - .7*g.pad
		for _, line := range lines {
			f.draw(line, column{x + g.pad, g.widths[i] - 2*g.pad}, at, g.size*tableLeading, g.size, g.align[i])
			at -= g.size * tableLeading
		}
		x += g.widths[i]
	}
	return nil
}
