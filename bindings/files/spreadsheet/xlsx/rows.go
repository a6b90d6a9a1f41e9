package xlsx

import (
	"context"
	"slices"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// worksheet is one sheet of a workbook.
type worksheet struct {
	wb   *Workbook
	info sheet.Info
	part *part // nil if it is missing

	index  rowIndex
	survey survey
	shared sharedFormulas
}

// smallSheet is how many inflated bytes a sheet may have to be surveyed before anything
// else, so that rows in a strange order are found at their place. It takes 3 ms.
const smallSheet = 2 << 20

// maxDisordered is how many cells of a sheet whose rows are out of order can be put in order.
const maxDisordered = 1_000_000

// Rows hands out the rows of a range that have values or formulas. In a sheet of more
// than 2 MB whose rows are out of order, a first pass may hand them out as they come, and
// end at the first row behind the range; later passes know better.
func (wb *Workbook) Rows(ctx context.Context, i int, within sheet.Range, fn sheet.RowFunc) error {
	s, err := wb.worksheetOf(i)
	if err != nil {
		return err
	}
	return s.rows(ctx, within, &cellParser{}, func(row int, p *cellParser) error { return fn(row, p.cells) })
}

// rows reads a range with a parser that says what of the cells is wanted.
func (s *worksheet) rows(ctx context.Context, within sheet.Range, p *cellParser, fn func(int, *cellParser) error) error {
	if within.MinRow > within.MaxRow || within.MinCol > within.MaxCol {
		return nil
	}
	dates, err := s.wb.styles.dates(ctx, s.wb)
	if err != nil {
		return err
	}
	p.wb, p.strings, p.dates = s.wb, s.wb.strings.snapshot(), dates
	p.minCol, p.maxCol = within.MinCol, min(within.MaxCol, sheet.MaxCol)
	if s.part.inflated <= smallSheet {
		if _, err := s.survey.get(ctx, s); err != nil {
			return err
		}
	}
	if s.index.disordered() {
		return s.sortedRows(ctx, within, p, fn)
	}
	return s.pass(ctx, s.index.before(within.MinRow), within, p, fn)
}

// pass reads rows in the order of the file from a point on, up to the range's end. It
// begins where the pass before it has ended, if that is nearer.
func (s *worksheet) pass(ctx context.Context, from *point, within sheet.Range, p *cellParser, fn func(int, *cellParser) error) error {
	rs := s.wb.cursor.take(ctx, s, within.MinRow, from)
	if rs == nil {
		var ok bool
		var err error
		rs, ok, err = s.newScanner(ctx, from)
		if err != nil || !ok {
			if rs != nil {
				rs.close()
			}
			return err
		}
	}
	ended, err := rs.readTo(ctx, within, p, fn)
	if err == nil && !ended {
		s.wb.cursor.keep(s, rs, within.MaxRow)
		return nil
	}
	rs.close()
	if err == sheet.Stop {
		return nil
	}
	return err
}

// readTo reads the rows of a range. ended is false if there may be more rows behind it.
func (rs *rowScanner) readTo(ctx context.Context, within sheet.Range, p *cellParser, fn func(int, *cellParser) error) (ended bool, err error) {
	for {
		xml, ok, err := rs.nextRow()
		if err != nil || !ok {
			return true, err
		}
		if rs.row > within.MaxRow && !rs.index.disordered() {
			rs.unreadRow(xml)
			return false, nil
		}
		if len(xml) == 0 || rs.row < within.MinRow || rs.row > within.MaxRow {
			continue
		}
		if err := p.parse(ctx, xml); err != nil {
			return true, err
		}
		if len(p.cells) == 0 {
			continue
		}
		if err := fn(rs.row, p); err != nil {
			return true, err
		}
	}
}

// sortedRows reads a sheet whose rows are out of order: all of the range at once, rows
// that come twice as one.
func (s *worksheet) sortedRows(ctx context.Context, within sheet.Range, p *cellParser, fn func(int, *cellParser) error) error {
	type line struct {
		cells    []sheet.Cell
		formulas []formula
	}
	lines := map[int]*line{}
	var numbers []int
	total := 0
	err := s.pass(ctx, nil, within, p, func(row int, p *cellParser) error {
		if total += len(p.cells); total > maxDisordered {
			return tooComplex("the rows of the sheet %q are out of order, and it has too many cells to sort", clip(s.info.Name)).
				WithHint("Read a smaller range.")
		}
		l := lines[row]
		if l == nil {
			l = &line{}
			lines[row] = l
			numbers = append(numbers, row)
		}
		l.cells = append(l.cells, p.cells...)
		l.formulas = append(l.formulas, p.formulas...)
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(numbers)
	for _, row := range numbers {
		p.cells, p.formulas = lines[row].cells, lines[row].formulas
		p.sort()
		if err := fn(row, p); err != nil {
			if err == sheet.Stop {
				return nil
			}
			return err
		}
	}
	return nil
}

// Cell gives one cell. Its formula is moved to it if it is shared.
func (wb *Workbook) Cell(ctx context.Context, i int, at sheet.Ref) (sheet.Detail, error) {
	d := sheet.Detail{NumberFormat: "General"}
	s, err := wb.worksheetOf(i)
	if err != nil {
		return d, err
	}
	found, err := s.survey.get(ctx, s)
	if err != nil {
		return d, err
	}
	for _, area := range found.merged {
		if area.Contains(at) {
			d.Merged = area
			break
		}
	}
	within := sheet.Range{MinCol: at.Col, MinRow: at.Row, MaxCol: at.Col, MaxRow: at.Row}
	var cell sheet.Cell
	f := formula{shared: -1} // a cell that is not there has none
	err = s.rows(ctx, within, &cellParser{blanks: true, withFormulas: true}, func(_ int, p *cellParser) error {
		cell, f = p.cells[0], p.formulas[0]
		return nil
	})
	if err != nil {
		return d, err
	}
	d.Value = cell.Value
	if d.Formula = f.text; f.text == "" && f.shared >= 0 {
		if d.Formula, err = s.shared.at(ctx, s, f.shared, at); err != nil {
			return d, err
		}
	}
	if f.array {
		d.ArrayRange, _ = sheet.ParseRange(f.ref)
	}
	d.NumberFormat = wb.styles.code(cell.Style)
	d.Style = wb.styles.look(cell.Style)
	d.Text = wb.Text(cell)
	return d, nil
}

// Used gives the range of the cells that have a value or a formula.
func (wb *Workbook) Used(ctx context.Context, i int) (sheet.Range, bool, error) {
	s, err := wb.worksheetOf(i)
	if err != nil {
		return sheet.Range{}, false, err
	}
	found, err := s.survey.get(ctx, s)
	return found.used, found.used.MinRow > 0, err
}

// Merged lists the merged areas, in the order of the file.
func (wb *Workbook) Merged(ctx context.Context, i int) ([]sheet.Range, error) {
	s, err := wb.worksheetOf(i)
	if err != nil {
		return nil, err
	}
	found, err := s.survey.get(ctx, s)
	return found.merged, err
}
