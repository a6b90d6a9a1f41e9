package spreadsheet

import (
	"context"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type readRowsIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Sheet   string `json:"sheet" doc:"Name of the sheet"`
	Options struct {
		Range string `json:"range,omitempty" doc:"Such as A2:D, A:C or A1:F5000. Omit for all cells in use."`
		From  int    `json:"from,omitempty" min:"1" doc:"The row to begin with: next of the page before. Defaults to the first of the range."`
		Limit int    `json:"limit,omitempty" min:"1" max:"100000" doc:"Most rows to answer. Defaults to 1000."`
	} `op:"options"`
}

type readRowsOut struct {
	Rows [][]any `json:"rows" doc:"Rows of equal length, the same for all pages; values as readRange gives them"`
	From int     `json:"from" doc:"The row that the first of rows is"`
	Next *int    `json:"next" doc:"The row that the next page begins with; null behind the last page"`
}

// pageRows is how many rows a page has.
const pageRows = 1000

func readRows(ctx context.Context, env *op.Env, in readRowsIn) (out readRowsOut, err error) {
	within, err := sheet.ParseRange(in.Options.Range)
	if err != nil {
		return out, err
	}
	limit := in.Options.Limit
	if limit == 0 {
		limit = pageRows
	}
	out.Rows = [][]any{}
	err = read(ctx, env, in.FileID, func(file host.File, book sheet.Book) error {
		i, err := findSheet(book, in.Sheet)
		if err != nil {
			return err
		}
		used, any, err := book.Used(ctx, i)
		if err != nil {
			return named(err, file.Name)
		}
		from := max(within.MinRow, in.Options.From)
		out.From = from
		// An open end is that of the cells in use, on every page.
		if within.MaxRow == sheet.Unbounded {
			within.MaxRow = used.MaxRow
		}
		if within.MaxCol == sheet.Unbounded {
			within.MaxCol = used.MaxCol
		}
		if !any && in.Options.Range == "" || from > within.MaxRow || within.MaxCol < within.MinCol {
			return nil
		}
		page := within
		page.MinRow, page.MaxRow = from, min(within.MaxRow, from+limit-1)
		if page.Rows() > maxCells/page.Cols() {
			return problem.New(problem.ResultTooLarge, "a page of %d rows and %d columns has more than %d cells", page.Rows(), page.Cols(), maxCells).
				WithHint("Ask for a smaller limit, or for fewer columns with a range such as \"A:F\".")
		}
		rows, _, err := sheet.ReadRange(ctx, book, i, page, maxCells, plain)
		if err != nil {
			return named(err, file.Name)
		}
		out.Rows = rows
		if page.MaxRow < within.MaxRow {
			next := page.MaxRow + 1
			out.Next = &next
		}
		return nil
	})
	return out, err
}
