package spreadsheet

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/csvfile"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/xuri/excelize/v2"
)

type sheetNameIn struct {
	FileID string `json:"file_id" doc:"File id or name"`
	Name   string `json:"name" doc:"Name of the sheet"`
}

func addSheet(ctx context.Context, env *op.Env, in sheetNameIn) (okOut, error) {
	if err := validName(in.Name); err != nil {
		return okOut{}, err
	}
	err := edit(ctx, env, in.FileID, func(d *document) error {
		xl, err := d.all(ctx, "adding a sheet")
		if err != nil {
			return err
		}
		for _, have := range xl.GetSheetList() {
			if strings.EqualFold(have, in.Name) {
				return problem.New(problem.Exists, "there is a sheet %q already", have).
					WithHint("Use another name, or write to the sheet that exists.")
			}
		}
		return d.change(func() error { _, err := xl.NewSheet(in.Name); return err })
	})
	return okOut{err == nil}, err
}

func validName(name string) error {
	if name == "" || utf8.RuneCountInString(name) > 31 || strings.ContainsAny(name, `:\/?*[]`) || strings.HasPrefix(name, "'") || strings.HasSuffix(name, "'") {
		return problem.New(problem.InvalidArgument, "name: a sheet's name has 1 to 31 characters, none of : \\ / ? * [ ], and no ' at its ends; got %q", name).
			With("argument", "name")
	}
	return nil
}

// change runs a change of the excelize workbook.
func (d *document) change(fn func() error) error {
	if err := guard(fn); err != nil {
		return problem.New(problem.DamagedFile, "%q cannot be changed", d.file.Name).WithCause(err)
	}
	return nil
}

func deleteSheet(ctx context.Context, env *op.Env, in sheetNameIn) (okOut, error) {
	err := edit(ctx, env, in.FileID, func(d *document) error {
		xl, name, err := d.sheetOf(ctx, in.Name, "deleting a sheet")
		if err != nil {
			return err
		}
		visible := 0
		for _, other := range xl.GetSheetList() {
			if shown, _ := xl.GetSheetVisible(other); shown && other != name {
				visible++
			}
		}
		if visible == 0 {
			return problem.New(problem.InvalidArgument, "name: %q is the last visible sheet; a workbook needs one", name).
				WithHint("Add a sheet first.").With("argument", "name")
		}
		return d.change(func() error { return xl.DeleteSheet(name) })
	})
	return okOut{err == nil}, err
}

// sheetOf gives the excelize workbook and a sheet's name as it is written there.
func (d *document) sheetOf(ctx context.Context, name, what string) (*excelize.File, string, error) {
	if d.whole == nil { // say which sheets there are before anything is opened
		book, err := d.current(ctx)
		if err != nil {
			return nil, "", err
		}
		if _, err := findSheet(book, name); err != nil {
			return nil, "", err
		}
	}
	xl, err := d.all(ctx, what)
	if err != nil {
		return nil, "", err
	}
	found := ""
	for _, have := range xl.GetSheetList() {
		if have == name {
			return xl, have, nil
		}
		if strings.EqualFold(have, name) {
			found = have
		}
	}
	if found == "" {
		return nil, "", problem.New(problem.NotFound, "there is no sheet %q", name).WithHint("listSheets tells which there are.")
	}
	return xl, found, nil
}

type insertRowsIn struct {
	FileID   string `json:"file_id" doc:"File id or name"`
	Sheet    string `json:"sheet" doc:"Name of the sheet"`
	AfterRow int    `json:"after_row" min:"0" max:"1048575" doc:"The rows are inserted behind this one; 0 is the top"`
	Count    int    `json:"count" min:"1" max:"100000" doc:"How many rows"`
}

func insertRows(ctx context.Context, env *op.Env, in insertRowsIn) (okOut, error) {
	err := edit(ctx, env, in.FileID, func(d *document) error {
		if table, err := d.tableOf(ctx, in.Sheet); err != nil || table != nil {
			if table != nil {
				table.InsertRows(in.AfterRow, in.Count)
			}
			return err
		}
		xl, name, err := d.sheetOf(ctx, in.Sheet, "inserting rows")
		if err != nil {
			return err
		}
		return d.change(func() error { return xl.InsertRows(name, in.AfterRow+1, in.Count) })
	})
	return okOut{err == nil}, err
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

type deleteRowsIn struct {
	FileID   string `json:"file_id" doc:"File id or name"`
	Sheet    string `json:"sheet" doc:"Name of the sheet"`
	StartRow int    `json:"start_row" min:"1" max:"1048576" doc:"The first row to delete"`
	Count    int    `json:"count" min:"1" max:"1048576" doc:"How many rows"`
}

func deleteRows(ctx context.Context, env *op.Env, in deleteRowsIn) (okOut, error) {
	err := edit(ctx, env, in.FileID, func(d *document) error {
		if table, err := d.tableOf(ctx, in.Sheet); err != nil || table != nil {
			if table != nil {
				table.DeleteRows(in.StartRow, in.Count)
			}
			return err
		}
		last := in.StartRow + in.Count - 1
		if d.whole == nil {
			// What lies behind the last row in use need not be deleted row by row.
			book, err := d.current(ctx)
			if err != nil {
				return err
			}
			i, err := findSheet(book, in.Sheet)
			if err != nil {
				return err
			}
			used, _, err := book.Used(ctx, i)
			if err != nil {
				return named(err, d.file.Name)
			}
			last = min(last, max(used.MaxRow, in.StartRow))
		}
		xl, name, err := d.sheetOf(ctx, in.Sheet, "deleting rows")
		if err != nil {
			return err
		}
		return d.change(func() error {
			for row := last; row >= in.StartRow; row-- {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := xl.RemoveRow(name, row); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return okOut{err == nil}, err
}

type autoFilterIn struct {
	FileID string `json:"file_id" doc:"File id or name"`
	Sheet  string `json:"sheet" doc:"Name of the sheet"`
	Range  string `json:"range,omitempty" doc:"The table with its row of headers, such as A1:F200. Omit for all cells in use."`
}

type autoFilterOut struct {
	Range string `json:"range" doc:"The range that is filtered now"`
}

func autoFilter(ctx context.Context, env *op.Env, in autoFilterIn) (out autoFilterOut, err error) {
	within, err := sheet.ParseRange(in.Range)
	if err != nil {
		return out, err
	}
	err = edit(ctx, env, in.FileID, func(d *document) error {
		if _, csv := d.book.(*csvfile.Table); csv {
			return valuesOnly(d.file.Name, "a filter")
		}
		if within.MaxRow == sheet.Unbounded || within.MaxCol == sheet.Unbounded {
			book, err := d.current(ctx)
			if err != nil {
				return err
			}
			i, err := findSheet(book, in.Sheet)
			if err != nil {
				return err
			}
			used, ok, err := book.Used(ctx, i)
			if err != nil {
				return named(err, d.file.Name)
			}
			if within, ok = within.Overlap(used); !ok {
				return problem.New(problem.InvalidArgument, "range: there are no values to filter in it").With("argument", "range")
			}
		}
		xl, name, err := d.sheetOf(ctx, in.Sheet, "a filter")
		if err != nil {
			return err
		}
		out.Range = within.String()
		area := sheet.Ref{Col: within.MinCol, Row: within.MinRow}.String() + ":" + sheet.Ref{Col: within.MaxCol, Row: within.MaxRow}.String()
		return d.change(func() error { return xl.AutoFilter(name, area, nil) })
	})
	return out, err
}
