package spreadsheet

import (
	"context"
	"slices"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/csvfile"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type areaIn struct {
	FileID string `json:"file_id" doc:"File id or name"`
	Sheet  string `json:"sheet" doc:"Name of the sheet"`
	Range  string `json:"range" doc:"Such as A1:D1"`
}

// maxMergedAreas is how many merged areas a sheet may get.
const maxMergedAreas = 65_000

func mergeCells(ctx context.Context, env *op.Env, in areaIn) (okOut, error) {
	within, err := closedRange(in.Range)
	if err == nil && within.Rows() == 1 && within.Cols() == 1 {
		err = problem.New(problem.InvalidArgument, "range: %s is one cell; merging takes two or more", in.Range).With("argument", "range")
	}
	if err != nil {
		return okOut{}, err
	}
	err = merge(ctx, env, in, func(d *document, wb *xlsx.Workbook, i int, list []sheet.Range) ([]sheet.Range, error) {
		for _, r := range list {
			if _, both := r.Overlap(within); both && r != within {
				return nil, problem.New(problem.InvalidArgument, "range: %s overlaps the merged area %s", within, r).
					WithHint("Call unmergeCells on it first.").With("argument", "range")
			}
		}
		if slices.Contains(list, within) {
			return list, nil
		}
		if len(list) >= maxMergedAreas {
			return nil, problem.New(problem.TooComplex, "the sheet %q has more than %d merged areas", in.Sheet, maxMergedAreas)
		}
		// Only the first cell of a merged area has a value: what the others have would
		// stay in the file without being seen.
		first := sheet.Ref{Col: within.MinCol, Row: within.MinRow}
		var others []sheet.Ref
		book, err := d.view(ctx)
		if err != nil {
			return nil, err
		}
		err = book.Rows(ctx, i, within, func(row int, cells []sheet.Cell) error {
			for _, c := range cells {
				if at := (sheet.Ref{Col: int(c.Col), Row: row}); at != first && len(others) <= maxEdits {
					others = append(others, at)
				}
			}
			return nil
		})
		if err != nil {
			return nil, named(err, d.file.Name)
		}
		for _, at := range others {
			d.edits.Set(i, at, sheet.Value{})
		}
		if d.edits.Cells() > maxEdits {
			return nil, tooManyEdits(d.file.Name)
		}
		return append(slices.Clone(list), within), nil
	})
	return okOut{err == nil}, err
}

func unmergeCells(ctx context.Context, env *op.Env, in areaIn) (okOut, error) {
	within, err := sheet.ParseRange(in.Range)
	if err != nil {
		return okOut{}, err
	}
	err = merge(ctx, env, in, func(d *document, _ *xlsx.Workbook, _ int, list []sheet.Range) ([]sheet.Range, error) {
		return slices.DeleteFunc(slices.Clone(list), func(r sheet.Range) bool {
			_, both := r.Overlap(within)
			return both
		}), nil
	})
	return okOut{err == nil}, err
}

// merge changes the list of a sheet's merged areas.
func merge(ctx context.Context, env *op.Env, in areaIn, change func(*document, *xlsx.Workbook, int, []sheet.Range) ([]sheet.Range, error)) error {
	return edit(ctx, env, in.FileID, func(d *document) error {
		wb, i, err := d.worksheet(in.Sheet, "a merged area")
		if err != nil {
			return err
		}
		list, err := d.edits.Merged(ctx, wb, i)
		if err != nil {
			return named(err, d.file.Name)
		}
		after, err := change(d, wb, i, list)
		if err == nil && !slices.Equal(after, list) {
			d.edits.SetMerged(i, after)
		}
		return err
	})
}

// closedRange reads a range that has an end.
func closedRange(text string) (sheet.Range, error) {
	within, err := sheet.ParseRange(text)
	if err == nil && (within.MaxRow > sheet.MaxRow || within.MaxCol > sheet.MaxCol) {
		err = problem.New(problem.InvalidArgument, "range: %q has no end; give both corners, such as A1:D1", text).With("argument", "range")
	}
	return within, err
}

type freezePanesIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Sheet   string `json:"sheet" doc:"Name of the sheet"`
	Options struct {
		Rows    int `json:"rows,omitempty" min:"0" max:"1000" doc:"How many rows from the top stay in sight"`
		Columns int `json:"columns,omitempty" min:"0" max:"1000" doc:"How many columns from the left stay in sight"`
	} `op:"options"`
}

func freezePanes(ctx context.Context, env *op.Env, in freezePanesIn) (okOut, error) {
	err := edit(ctx, env, in.FileID, func(d *document) error {
		_, i, err := d.worksheet(in.Sheet, "freezing rows")
		if err == nil {
			d.edits.Freeze(i, in.Options.Rows, in.Options.Columns)
		}
		return err
	})
	return okOut{err == nil}, err
}

type columnWidthIn struct {
	FileID  string  `json:"file_id" doc:"File id or name"`
	Sheet   string  `json:"sheet" doc:"Name of the sheet"`
	Columns string  `json:"columns" doc:"Such as C or A:F"`
	Width   float64 `json:"width" min:"0" max:"255" doc:"In characters of the default font; 8.43 is usual"`
}

func setColumnWidth(ctx context.Context, env *op.Env, in columnWidthIn) (okOut, error) {
	first, last, err := columns(in.Columns)
	if err != nil {
		return okOut{}, err
	}
	err = edit(ctx, env, in.FileID, func(d *document) error {
		_, i, err := d.worksheet(in.Sheet, "a column width")
		if err == nil {
			d.edits.SetColumnWidth(i, first, last, in.Width)
		}
		return err
	})
	return okOut{err == nil}, err
}

// columns reads C or A:F.
func columns(text string) (first, last int, err error) {
	r, err := sheet.ParseRange(text)
	if err == nil && r.MaxRow == sheet.Unbounded && r.MinRow == 1 && r.MaxCol <= sheet.MaxCol {
		return r.MinCol, r.MaxCol, nil
	}
	first, err = parseColumn(text, "columns")
	return first, first, err
}

type rowHeightIn struct {
	FileID string  `json:"file_id" doc:"File id or name"`
	Sheet  string  `json:"sheet" doc:"Name of the sheet"`
	Rows   string  `json:"rows" doc:"Such as 1:1 or 2:20"`
	Height float64 `json:"height" min:"0" max:"409" doc:"In points; 15 is usual"`
}

func setRowHeight(ctx context.Context, env *op.Env, in rowHeightIn) (okOut, error) {
	rows := strings.TrimSpace(in.Rows)
	if rows != "" && strings.Trim(rows, "0123456789") == "" { // one row
		rows += ":" + rows
	}
	r, err := sheet.ParseRange(rows)
	if err != nil || r.MaxCol != sheet.Unbounded || r.MinCol != 1 || r.MaxRow > sheet.MaxRow {
		return okOut{}, problem.New(problem.InvalidArgument, "rows: expected rows such as \"1:1\" or \"2:20\", got %q", in.Rows).With("argument", "rows")
	}
	if r.Rows() > maxHeights {
		return okOut{}, problem.New(problem.TooComplex, "rows: the height of more than %d rows cannot be set at once", maxHeights).With("argument", "rows")
	}
	err = edit(ctx, env, in.FileID, func(d *document) error {
		_, i, err := d.worksheet(in.Sheet, "a row height")
		for row := r.MinRow; err == nil && row <= r.MaxRow; row++ {
			d.edits.SetRowHeight(i, row, in.Height)
		}
		return err
	})
	return okOut{err == nil}, err
}

// maxHeights is how many rows get a height in one call.
const maxHeights = 200_000

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
		_, i, err := d.worksheet(in.Sheet, "a filter")
		if err != nil {
			return err
		}
		if within.MaxRow > sheet.MaxRow || within.MaxCol > sheet.MaxCol {
			book, err := d.view(ctx)
			if err != nil {
				return err
			}
			used, ok, err := book.Used(ctx, i)
			if err != nil {
				return named(err, d.file.Name)
			}
			if ok {
				within, ok = within.Overlap(used)
			}
			if !ok {
				return problem.New(problem.InvalidArgument, "range: there are no values to filter in it").With("argument", "range")
			}
		}
		out.Range = within.String()
		d.edits.SetFilter(i, within)
		return nil
	})
	return out, err
}
