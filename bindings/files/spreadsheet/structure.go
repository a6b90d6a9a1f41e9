package spreadsheet

import (
	"context"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/csvfile"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type insertRowsIn struct {
	FileID   string `json:"file_id" doc:"File id or name"`
	Sheet    string `json:"sheet" doc:"Name of the sheet"`
	AfterRow int    `json:"after_row" min:"0" max:"1048575" doc:"The rows are inserted behind this one; 0 is the top"`
	Count    int    `json:"count" min:"1" max:"100000" doc:"How many rows"`
}

func insertRows(ctx context.Context, env *op.Env, in insertRowsIn) (okOut, error) {
	return reshape(ctx, env, in.FileID, in.Sheet, "inserting rows",
		func(t *csvfile.Document) { t.InsertRows(in.AfterRow, in.Count) },
		func(e *xlsx.Edits, wb *xlsx.Workbook, i int) error {
			return e.InsertRows(ctx, wb, i, in.AfterRow, in.Count)
		})
}

type deleteRowsIn struct {
	FileID   string `json:"file_id" doc:"File id or name"`
	Sheet    string `json:"sheet" doc:"Name of the sheet"`
	StartRow int    `json:"start_row" min:"1" max:"1048576" doc:"The first row to delete"`
	Count    int    `json:"count" min:"1" max:"1048576" doc:"How many rows"`
}

func deleteRows(ctx context.Context, env *op.Env, in deleteRowsIn) (okOut, error) {
	return reshape(ctx, env, in.FileID, in.Sheet, "deleting rows",
		func(t *csvfile.Document) { t.DeleteRows(in.StartRow, in.Count) },
		func(e *xlsx.Edits, wb *xlsx.Workbook, i int) error {
			return e.DeleteRows(ctx, wb, i, in.StartRow, in.Count)
		})
}

type insertColumnsIn struct {
	FileID      string `json:"file_id" doc:"File id or name"`
	Sheet       string `json:"sheet" doc:"Name of the sheet"`
	AfterColumn string `json:"after_column" doc:"The columns are inserted behind this one, such as C; \"\" is the left edge"`
	Count       int    `json:"count" min:"1" max:"16383" doc:"How many columns"`
}

func insertColumns(ctx context.Context, env *op.Env, in insertColumnsIn) (okOut, error) {
	after := 0
	if in.AfterColumn != "" {
		var err error
		if after, err = parseColumn(in.AfterColumn, "afterColumn"); err != nil {
			return okOut{}, err
		}
	}
	if after+in.Count > sheet.MaxCol {
		return okOut{}, problem.New(problem.InvalidArgument, "count: a sheet ends at column XFD, the %dth", sheet.MaxCol).With("argument", "count")
	}
	return reshape(ctx, env, in.FileID, in.Sheet, "inserting columns",
		func(t *csvfile.Document) { t.InsertColumns(after, in.Count) },
		func(e *xlsx.Edits, wb *xlsx.Workbook, i int) error {
			return e.InsertColumns(ctx, wb, i, after, in.Count)
		})
}

type deleteColumnsIn struct {
	FileID      string `json:"file_id" doc:"File id or name"`
	Sheet       string `json:"sheet" doc:"Name of the sheet"`
	StartColumn string `json:"start_column" doc:"The first column to delete, such as C"`
	Count       int    `json:"count" min:"1" max:"16384" doc:"How many columns"`
}

func deleteColumns(ctx context.Context, env *op.Env, in deleteColumnsIn) (okOut, error) {
	first, err := parseColumn(in.StartColumn, "startColumn")
	if err != nil {
		return okOut{}, err
	}
	return reshape(ctx, env, in.FileID, in.Sheet, "deleting columns",
		func(t *csvfile.Document) { t.DeleteColumns(first, in.Count) },
		func(e *xlsx.Edits, wb *xlsx.Workbook, i int) error {
			return e.DeleteColumns(ctx, wb, i, first, in.Count)
		})
}

// parseColumn reads a column's letters.
func parseColumn(text, argument string) (int, error) {
	at, err := sheet.ParseRef(text + "1")
	if err != nil || at.Row != 1 {
		return 0, problem.New(problem.InvalidArgument, "%s: expected the letters of a column, such as \"C\", got %q", argument, text).
			WithHint("Columns go from A to XFD.").With("argument", argument)
	}
	return at.Col, nil
}

// reshape inserts or deletes rows or columns of a csv file or of a workbook's sheet.
func reshape(ctx context.Context, env *op.Env, ref, name, what string, csv func(*csvfile.Document), change func(*xlsx.Edits, *xlsx.Workbook, int) error) (okOut, error) {
	err := edit(ctx, env, ref, func(d *document) error {
		if table, err := d.tableOf(ctx, name); err != nil || table != nil {
			if table != nil {
				csv(table)
			}
			return err
		}
		if d.edits.Full() || d.edits.Decorated() {
			if _, err := d.current(ctx); err != nil {
				return err
			}
		}
		wb, i, err := d.worksheet(name, what)
		if err != nil {
			return err
		}
		return named(change(&d.edits, wb, i), d.file.Name)
	})
	return okOut{err == nil}, err
}

// worksheet finds a sheet that has cells in a workbook that is about to change.
func (d *document) worksheet(name, what string) (*xlsx.Workbook, int, error) {
	wb, _, err := d.workbook(what)
	if err != nil {
		return nil, 0, err
	}
	i, err := findSheet(wb, name)
	if err != nil {
		return nil, 0, err
	}
	return wb, i, mustHaveCells(wb, i)
}

// tableOf gives the csv document to change, nil if the file is a workbook.
func (d *document) tableOf(ctx context.Context, name string) (*csvfile.Document, error) {
	if _, csv := d.book.(*csvfile.Table); !csv {
		return nil, nil
	}
	if _, err := findSheet(d.book, name); err != nil {
		return nil, err
	}
	table, err := d.table(ctx)
	if err == nil {
		d.dirty, d.ahead = true, true
	}
	return table, err
}
