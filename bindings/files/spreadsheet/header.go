package spreadsheet

import (
	"math"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// guessHeader looks for the first row of headers that is about as wide as the rows below
// it: texts, years and dates. -1 if there is none.
func guessHeader(rows []line, width int) int {
	for k, l := range rows {
		if k >= headerSearch || k+1 >= len(rows) {
			break
		}
		below := rows[k+1:]
		if isHeader(l.cells, below[0].cells, below, width) {
			return k
		}
		// Notes and totals may stand beside a table.
		first, next := firstRun(l.cells), firstRun(below[0].cells)
		if 1 < len(next) && len(next) <= len(first) && len(first) < len(l.cells) && isHeader(first, next, below, len(first)) {
			return k
		}
	}
	return -1
}

// isHeader tells whether cells are headers of what is below them; next is what of the
// next row belongs to them.
func isHeader(cells, next []sheet.Cell, below []line, width int) bool {
	seen := map[string]bool{}
	texts, periods := 0, 0
	for _, c := range cells {
		switch {
		case c.Kind == sheet.String && !c.Formula:
			seen[c.Value.Text] = true
			texts++
		case isPeriod(c.Value) && overAmounts(c, below):
			periods++
		default:
			return false
		}
	}
	headers := texts + periods
	if texts == 0 || headers*2 < len(next) || headers*3 < width {
		return false
	}
	if width > 1 && headers == 1 {
		return false // a title
	}
	// A name may be there twice, but rows of texts may be alike, too.
	return len(seen) == texts || len(seen)*2 >= texts && !onlyTexts(next)
}

// isPeriod tells whether a value may stand above a column of amounts: a year, a month.
func isPeriod(v sheet.Value) bool {
	return v.Kind == sheet.Date || v.Kind == sheet.Number && v.Num == math.Trunc(v.Num) && 1900 <= v.Num && v.Num <= 2100
}

// overAmounts tells whether what is below a cell is numbers, and not of the cell's own sort.
func overAmounts(head sheet.Cell, below []line) bool {
	amounts := false
	for _, l := range below {
		for _, c := range l.cells {
			if c.Col != head.Col || c.Kind == sheet.Empty {
				continue
			}
			if c.Kind == sheet.Date {
				return false
			}
			amounts = amounts || c.Kind == sheet.Number && !isPeriod(c.Value)
		}
	}
	return amounts
}

func onlyTexts(cells []sheet.Cell) bool {
	for _, c := range cells {
		if c.Kind != sheet.String && c.Kind != sheet.Empty {
			return false
		}
	}
	return true
}

// firstRun gives the cells of a row up to the first one that is missing.
func firstRun(cells []sheet.Cell) []sheet.Cell {
	for k := range cells {
		if k > 0 && cells[k].Col != cells[k-1].Col+1 {
			return cells[:k]
		}
	}
	return cells
}

// headerText is a header as the name of its column.
func headerText(v sheet.Value) string { return strings.TrimSuffix(v.Plain(), "T00:00:00.000Z") }
