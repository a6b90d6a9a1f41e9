package spreadsheet

import (
	"context"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/csvfile"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type writeRangeIn struct {
	FileID    string  `json:"file_id" doc:"File id or name"`
	Sheet     string  `json:"sheet" doc:"Name of the sheet"`
	StartCell string  `json:"start_cell" doc:"Top left cell, such as A1"`
	Data      [][]any `json:"data" doc:"Rows of values: numbers, strings, booleans, null to clear a cell; strings that begin with = and {formula} are formulas"`
}

type writeRangeOut struct {
	Range string `json:"range" doc:"The cells that were written; empty if the data was"`
	Cells int    `json:"cells" doc:"How many"`
}

func writeRange(ctx context.Context, env *op.Env, in writeRangeIn) (out writeRangeOut, err error) {
	at, err := sheet.ParseRef(in.StartCell)
	if err != nil {
		return out, err
	}
	rows, width, formulas, err := inputRows(in.Data, "data")
	if err != nil {
		return out, err
	}
	for _, row := range rows {
		out.Cells += len(row)
	}
	if err := fitsSheet(at.Row+len(rows)-1, at.Col+width-1); err != nil {
		return out, err
	}
	if out.Cells > 0 {
		out.Range = sheet.Range{MinCol: at.Col, MinRow: at.Row, MaxCol: at.Col + width - 1, MaxRow: at.Row + len(rows) - 1}.String()
	}
	err = edit(ctx, env, in.FileID, func(d *document) error {
		if _, csv := d.book.(*csvfile.Table); csv && formulas > 0 {
			return valuesOnly(d.file.Name, "a formula")
		}
		put, err := d.putter(ctx, in.Sheet)
		if err != nil {
			return err
		}
		if d.csv != nil {
			if err := holds(d.csv, rows); err != nil {
				return err
			}
		}
		for r, row := range rows {
			for c, v := range row {
				if err := put(sheet.Ref{Col: at.Col + c, Row: at.Row + r}, v); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return out, err
}

func fitsSheet(row, col int) error {
	if row > sheet.MaxRow || col > sheet.MaxCol {
		return problem.New(problem.InvalidArgument, "the data would reach %s; a sheet ends at XFD1048576", sheet.Ref{Col: max(col, 1), Row: max(row, 1)}).
			With("argument", "data")
	}
	return nil
}

// putter gives a function that writes a cell of a sheet.
func (d *document) putter(ctx context.Context, name string) (func(sheet.Ref, input) error, error) {
	i, err := findSheet(d.book, name)
	if err != nil {
		return nil, err
	}
	table, err := d.table(ctx)
	if err != nil {
		return nil, err
	}
	if table != nil {
		d.dirty, d.ahead = true, true
		return func(at sheet.Ref, v input) error {
			if v.formula != "" {
				return valuesOnly(d.file.Name, "a formula")
			}
			return table.Set(at, v.value)
		}, nil
	}
	wb, edits, err := d.workbook("this change")
	if err != nil {
		return nil, err
	}
	if i, err = findSheet(wb, name); err != nil {
		return nil, err
	}
	if err := mustHaveCells(wb, i); err != nil {
		return nil, err
	}
	return func(at sheet.Ref, v input) error {
		if v.formula != "" {
			edits.SetFormula(i, at, v.formula)
		} else {
			edits.Set(i, at, v.value)
		}
		if edits.Cells() > maxEdits {
			return tooManyEdits(d.file.Name)
		}
		return nil
	}, nil
}

func tooManyEdits(name string) error {
	return problem.New(problem.TooComplex, "more than %d cells were written to %q in one run", maxEdits, name).
		WithHint("Write them in several runs, or make a csv file.")
}

// maxEdits is how many cells a run may write to a workbook: 100 bytes each.
const maxEdits = 2_000_000

func mustHaveCells(wb *xlsx.Workbook, i int) error {
	if s := wb.Sheets()[i]; s.Kind == sheet.Chartsheet || s.Kind == sheet.Dialogsheet {
		return problem.New(problem.UnsupportedFormat, "the sheet %q is a %s and has no cells", s.Name, s.Kind).
			WithHint("Choose a worksheet; listSheets tells which they are.")
	}
	return nil
}

type writeCellIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Sheet   string `json:"sheet" doc:"Name of the sheet"`
	Cell    string `json:"cell" doc:"Such as B2"`
	Value   any    `json:"value,omitempty" doc:"A number, a string, a boolean, or null to clear the cell; a string that begins with = is a formula"`
	Options struct {
		Formula string       `json:"formula,omitempty" doc:"A formula to write instead of the value, with or without the leading ="`
		Format  *formatPatch `json:"format,omitempty" doc:"As setFormat takes it"`
	} `op:"options"`
}

type okOut struct {
	OK bool `json:"ok" doc:"Always true"`
}

func writeCell(ctx context.Context, env *op.Env, in writeCellIn) (okOut, error) {
	at, err := sheet.ParseRef(in.Cell)
	if err != nil {
		return okOut{}, err
	}
	v, err := inputOf(in.Value, "value")
	if err == nil && in.Options.Formula != "" {
		v, err = formulaInput(in.Options.Formula, "formula")
	}
	if err == nil {
		err = fitsSheet(at.Row, at.Col)
	}
	if err != nil {
		return okOut{}, err
	}
	err = edit(ctx, env, in.FileID, func(d *document) error {
		put, err := d.putter(ctx, in.Sheet)
		if err != nil {
			return err
		}
		if in.Options.Format != nil {
			one := sheet.Range{MinCol: at.Col, MinRow: at.Row, MaxCol: at.Col, MaxRow: at.Row}
			if err := d.format(ctx, in.Sheet, one, *in.Options.Format); err != nil {
				return err
			}
		}
		return put(at, v)
	})
	return okOut{err == nil}, err
}
