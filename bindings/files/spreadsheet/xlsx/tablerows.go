package xlsx

import (
	"context"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
)

// InsertBeforeTotals puts empty rows between the data of a table and its totals. They are
// rows of the sheet: what stands beside the totals and below moves down with them, but
// another table must not stand there. Nothing must wait beside the cells.
func (e *Edits) InsertBeforeTotals(ctx context.Context, wb *Workbook, i int, t Table, count int) error {
	totals := t.Area.MaxRow
	tables, err := e.Tables(ctx, wb, i)
	if err != nil {
		return err
	}
	for _, other := range tables {
		if !strings.EqualFold(other.Name, t.Name) && other.Area.MinRow < totals && totals <= other.Area.MaxRow {
			return problem.New(problem.InvalidArgument, "rows before the totals of the table %q would go through the table %q beside it", clip(t.Name), clip(other.Name)).
				WithHint("Where both may get rows, insert them with insertRows, and write the cells.").With("argument", "rows")
		}
	}
	if err := e.InsertRows(ctx, wb, i, totals-1, count); err != nil {
		return err
	}
	longer := stretch{sheet: wb.sheets[i].info.Name, data: t.data(), count: count}
	e.moves = append(e.moves, longer)
	for k, other := range e.sheets {
		other.refer(changes{longer}, wb.sheets[k].info.Name)
	}
	return nil
}

// data are the rows between the headers and the totals.
func (t Table) data() sheet.Range {
	r := t.Area
	if t.headers {
		r.MinRow++
	}
	if t.Totals {
		r.MaxRow--
	}
	return r
}

// stretch is rows that the data of a table get at their end. What refers to all rows of
// some of its columns has the new ones too, as in Excel.
type stretch struct {
	sheet string
	data  sheet.Range // as they were
	count int
}

func (s stretch) touches(home string) (plain, qualified bool) {
	return strings.EqualFold(home, s.sheet), true
}

func (s stretch) follow(r *reference, home string) verdict {
	on := home
	if r.first != "" {
		on = r.first
	}
	if r.other || !r.isRange || r.last != "" || !strings.EqualFold(on, s.sheet) ||
		r.a.row != s.data.MinRow || r.b.row != s.data.MaxRow ||
		min(r.a.col, r.b.col) < s.data.MinCol || max(r.a.col, r.b.col) > s.data.MaxCol {
		return kept
	}
	r.b.row += s.count
	return changed
}
