package spreadsheet

import (
	"context"
	"fmt"
	"slices"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/csvfile"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/op"
)

type appendRowsIn struct {
	FileID string `json:"file_id" doc:"File id or name"`
	Sheet  string `json:"sheet" doc:"Name of the sheet"`
	Rows   []any  `json:"rows" doc:"Rows: arrays of values, as writeRange takes them, or objects of values by column name"`
}

func appendRows(ctx context.Context, env *op.Env, in appendRowsIn) (out writeRangeOut, err error) {
	if len(in.Rows) == 0 {
		return out, nil
	}
	err = edit(ctx, env, in.FileID, func(d *document) error {
		if table, err := d.tableOf(ctx, in.Sheet); err != nil || table != nil {
			if err != nil {
				return err
			}
			rows, err := arrays(in.Rows, table.First)
			if err != nil {
				return err
			}
			out, err = d.appendTo(table, rows)
			return err
		}
		out, err = d.appendRows(ctx, in.Sheet, in.Rows)
		return err
	})
	return out, err
}

// inputRows reads rows of plain values.
func inputRows(data [][]any, argument string) (rows [][]input, width, formulas int, err error) {
	rows = make([][]input, len(data))
	for r, row := range data {
		rows[r] = make([]input, len(row))
		width = max(width, len(row))
		for c, v := range row {
			if rows[r][c], err = inputOf(v, fmt.Sprintf("%s[%d][%d]", argument, r, c)); err != nil {
				return nil, 0, 0, err
			}
			if rows[r][c].formula != "" {
				formulas++
			}
		}
	}
	return rows, width, formulas, nil
}

// holds tells whether a csv file can hold rows, before any of it is written.
func holds(table *csvfile.Document, rows [][]input) error {
	for _, row := range rows {
		for _, v := range row {
			if err := table.Check(v.value); err != nil {
				return err
			}
		}
	}
	return nil
}

// appendTo adds rows behind a csv file's last.
func (d *document) appendTo(table *csvfile.Document, data [][]any) (out writeRangeOut, err error) {
	rows, _, formulas, err := inputRows(data, "rows")
	if err != nil {
		return out, err
	}
	if formulas > 0 {
		return out, valuesOnly(d.file.Name, "a formula")
	}
	if err := holds(table, rows); err != nil {
		return out, err
	}
	first := table.Len() + 1
	width := 0
	table.InsertRows(table.Len(), len(rows)) // as wide as the others
	for r, row := range rows {
		for c, v := range row {
			if err := table.Set(sheet.Ref{Col: c + 1, Row: first + r}, v.value); err != nil {
				return out, err
			}
		}
		out.Cells += len(row)
		width = max(width, len(row))
	}
	if width > 0 {
		out.Range = sheet.Range{MinCol: 1, MinRow: first, MaxCol: width, MaxRow: first + len(rows) - 1}.String()
	}
	return out, nil
}

// appendRows adds rows behind the last row of a worksheet that has a value, from the
// first column in use on; where that row is the totals of a table, before it. New cells
// look like those above them.
func (d *document) appendRows(ctx context.Context, name string, data []any) (out writeRangeOut, err error) {
	wb, edits, i, err := d.decorate(ctx, name, "appending rows")
	if err != nil {
		return out, err
	}
	last, err := edits.Ending(ctx, wb, i)
	if err != nil {
		return out, named(err, d.file.Name)
	}
	grid, err := arrays(data, func() ([]string, error) { return d.columnsOf(ctx, wb, edits, i, last.Used) })
	if err != nil {
		return out, err
	}
	rows, width, _, err := inputRows(grid, "rows")
	if err != nil {
		return out, err
	}
	at := sheet.Ref{Col: max(last.Used.MinCol, 1), Row: last.Used.MaxRow + 1}
	if err := fitsSheet(at.Row+len(rows)-1, at.Col+width-1); err != nil {
		return out, argument(err, "rows")
	}
	tables, err := edits.Tables(ctx, wb, i)
	if err != nil {
		return out, err
	}
	ending := func(row int) (list []xlsx.Table) { // the tables above the new cells that end at row
		for _, t := range tables {
			if t.Area.MaxRow == row && t.Area.MinCol < at.Col+width && at.Col <= t.Area.MaxCol {
				list = append(list, t)
			}
		}
		return list
	}
	above := ending(last.Used.MaxRow)
	if k := slices.IndexFunc(above, func(t xlsx.Table) bool { return t.Totals }); k >= 0 {
		if wb, edits, i, err = d.beforeTotals(ctx, name, above[k], len(rows)); err != nil {
			return out, err
		}
		at.Row, above, last.Styles = above[k].Area.MaxRow, nil, nil // the rows have looks already
	}
	for r, row := range rows {
		for c, v := range row {
			cell := sheet.Ref{Col: at.Col + c, Row: at.Row + r}
			edits.SetLike(i, cell, v.value, v.formula, last.Styles[cell.Col])
		}
		out.Cells += len(row)
		if edits.Cells() > maxEdits {
			return out, tooManyEdits(d.file.Name)
		}
	}
	if out.Cells > 0 {
		out.Range = sheet.Range{MinCol: at.Col, MinRow: at.Row, MaxCol: at.Col + width - 1, MaxRow: at.Row + len(rows) - 1}.String()
	}
	for _, t := range above {
		if err := edits.GrowTable(i, t, len(rows)); err != nil {
			return out, err
		}
	}
	return out, nil
}

// beforeTotals inserts rows before the totals of a table.
func (d *document) beforeTotals(ctx context.Context, name string, t xlsx.Table, count int) (*xlsx.Workbook, *xlsx.Edits, int, error) {
	if _, _, err := d.settled(ctx, "appending rows"); err != nil {
		return nil, nil, 0, err
	}
	wb, i, err := d.worksheet(name, "appending rows")
	if err != nil {
		return nil, nil, 0, err
	}
	return wb, &d.edits, i, named(d.edits.InsertBeforeTotals(ctx, wb, i, t, count), d.file.Name)
}
