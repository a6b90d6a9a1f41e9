package xlsx

import (
	"sort"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// Edits are changes to cells that Rewrite makes. The zero Edits changes nothing. Later
// ones are laid over earlier ones. It is not safe for concurrent use.
type Edits struct {
	sheets map[int]*sheetEdits
	cells  int
	moves  changes // rows and columns that were inserted and deleted
	tables []*tableEdit
	ends   map[int]Ending // of the file's sheets, as far as somebody asked
}

type sheetEdits struct {
	rows    map[int][]cellEdit // by row; of two for one column the last counts
	areas   []area
	widths  []columnWidth
	heights map[int]float64 // by row, in points
	used    sheet.Range     // of all cells that get a value

	lines, columns *axis         // what became of rows and columns; nil if they stay
	merged         []sheet.Range // all merged areas, if they were changed
	hasMerged      bool
	filter         *sheet.Range // the new filter
	freeze         *frozen      // the new frozen rows and columns
	tables         bool         // the sheet's tables are in Edits.tables

	objects *objects // what it gets beside its cells; nil if nothing

	unselect bool            // of a sheet's copy: it is not in front
	lostRels map[string]bool // of a sheet's copy: relationships that it does not have
}

// cellEdit is a cell's new content.
type cellEdit struct {
	col     int32
	value   sheet.Value
	formula string // without the leading =
	base    uint32 // the style of a cell that is not there yet
}

// area is a range whose look changes.
type area struct {
	within sheet.Range
	change *StyleChange
	fill   bool // cells that are not there are made
}

type columnWidth struct {
	first, last int
	width       float64 // in characters
}

// maxFilled is how many cells a range may have so that formatting it makes those that
// are not there. Of a larger one only the cells with content are formatted.
const maxFilled = 200_000

func (e *Edits) of(i int) *sheetEdits {
	if e.sheets == nil {
		e.sheets = map[int]*sheetEdits{}
	}
	if e.sheets[i] == nil {
		e.sheets[i] = &sheetEdits{rows: map[int][]cellEdit{}, heights: map[int]float64{}}
	}
	return e.sheets[i]
}

// Empty tells whether there is nothing to change.
func (e *Edits) Empty() bool { return len(e.sheets) == 0 }

// Used gives the range of the cells of a sheet that get a value, zero if none does.
func (e *Edits) Used(i int) sheet.Range {
	if s := e.sheets[i]; s != nil {
		return s.used
	}
	return sheet.Range{}
}

// Cells counts the cells that were set.
func (e *Edits) Cells() int { return e.cells }

// Set gives a cell a value; its look stays. A date gets a date's number format if the
// cell has none. An empty value clears the cell.
func (e *Edits) Set(i int, at sheet.Ref, v sheet.Value) { e.set(i, at, v, "", 0) }

// SetFormula gives a cell a formula, without the leading =. It has no result until a
// spreadsheet program computes it.
func (e *Edits) SetFormula(i int, at sheet.Ref, formula string) {
	e.set(i, at, sheet.Value{}, formula, 0)
}

// SetLike gives a cell a value or a formula and, if the sheet does not have the cell yet,
// the look of another one: style is its sheet.Cell.Style.
func (e *Edits) SetLike(i int, at sheet.Ref, v sheet.Value, formula string, style uint32) {
	e.set(i, at, v, formula, style)
}

func (e *Edits) set(i int, at sheet.Ref, v sheet.Value, formula string, base uint32) {
	s := e.of(i)
	s.rows[at.Row] = append(s.rows[at.Row], cellEdit{int32(at.Col), v, formula, base})
	if !v.IsEmpty() || formula != "" {
		s.used.Include(at.Col, at.Row)
	}
	e.cells++
}

// needStyles tells whether cells get a look or a date's number format.
func (e *Edits) needStyles() bool {
	for _, s := range e.sheets {
		if len(s.areas) > 0 || s.objects.styled() {
			return true
		}
		for _, row := range s.rows {
			for _, c := range row {
				if c.value.Kind == sheet.Date {
					return true
				}
			}
		}
	}
	return false
}

// SetStyle changes the look of a range.
func (e *Edits) SetStyle(i int, within sheet.Range, change StyleChange) {
	s := e.of(i)
	fill := within.MaxRow != sheet.Unbounded && within.MaxCol != sheet.Unbounded && within.Rows()*within.Cols() <= maxFilled
	s.areas = append(s.areas, area{within, &change, fill})
}

// SetColumnWidth sets the width of columns, in characters of the default font.
func (e *Edits) SetColumnWidth(i, first, last int, width float64) {
	s := e.of(i)
	s.widths = append(s.widths, columnWidth{first, min(last, sheet.MaxCol), width})
}

// SetRowHeight sets the height of a row, in points.
func (e *Edits) SetRowHeight(i, row int, height float64) { e.of(i).heights[row] = height }

// touched lists the rows that have to exist, in order.
func (s *sheetEdits) touched() []int {
	rows := map[int]bool{}
	for row := range s.rows {
		rows[row] = true
	}
	for row := range s.heights {
		rows[row] = true
	}
	for _, a := range s.areas {
		if a.fill {
			for row := a.within.MinRow; row <= a.within.MaxRow; row++ {
				rows[row] = true
			}
		}
	}
	list := make([]int, 0, len(rows))
	for row := range rows {
		list = append(list, row)
	}
	sort.Ints(list)
	return list
}

// wants tells whether a row of the file has to be looked at.
func (s *sheetEdits) wants(row int) bool {
	if len(s.rows[row]) > 0 {
		return true
	}
	if _, ok := s.heights[row]; ok {
		return true
	}
	for _, a := range s.areas {
		if a.within.MinRow <= row && row <= a.within.MaxRow {
			return true
		}
	}
	return false
}

// of gives a row's edits, one a column, ordered by column.
func (s *sheetEdits) of(row int) []cellEdit {
	list := s.rows[row]
	sort.SliceStable(list, func(a, b int) bool { return list[a].col < list[b].col })
	out := list[:0]
	for i, c := range list {
		if i+1 < len(list) && list[i+1].col == c.col {
			continue
		}
		out = append(out, c)
	}
	return out
}
