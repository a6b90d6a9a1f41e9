package spreadsheet

import (
	"context"
	"regexp"
	"slices"
	"strconv"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/xuri/excelize/v2"
)

// excelize follows a formula to what it reads by recursion, and keeps what it finds. A
// column in which every row adds to the one before takes it as deep as there are rows; at
// some 2,500 the stack of a worker ends, and the process. So such columns are computed
// in steps first, from the end at which they begin.
const (
	chainLength = 500 // formulas in a column that may be a chain
	chainStep   = 100
	maxChained  = 2_000_000 // formulas that are looked at
)

// chain is a column with many formulas.
type chain struct {
	col  int
	rows []int
}

// chains finds the columns of the range, above and below it too, with many formulas.
func (c *calculation) chains(ctx context.Context) ([]chain, error) {
	used, ok, err := c.wb.Used(ctx, c.sheet)
	if err != nil || !ok || used.MaxRow < chainLength {
		return nil, err
	}
	byCol := map[int][]int{}
	total := 0
	within := sheet.Range{MinCol: c.within.MinCol, MinRow: 1, MaxCol: c.within.MaxCol, MaxRow: sheet.Unbounded}
	err = c.wb.Rows(ctx, c.sheet, within, func(row int, cells []sheet.Cell) error {
		for _, cell := range cells {
			if cell.Formula {
				byCol[int(cell.Col)] = append(byCol[int(cell.Col)], row)
				total++
			}
		}
		if total > maxChained {
			return sheet.Stop
		}
		return nil
	})
	var list []chain
	for col, rows := range byCol {
		if len(rows) >= chainLength {
			list = append(list, chain{col, rows})
		}
	}
	slices.SortFunc(list, func(a, b chain) int { return a.col - b.col })
	return list, err
}

// climb computes a chain in steps, so that no step goes deep.
func (ch chain) climb(ctx context.Context, f *excelize.File, name string) {
	rows := ch.rows
	if ch.upward(f, name) {
		rows = slices.Clone(rows)
		slices.Reverse(rows)
	}
	for i := chainStep - 1; i < len(rows) && ctx.Err() == nil; i += chainStep {
		at := sheet.Ref{Col: ch.col, Row: rows[i]}
		_ = guarded(func() error { // what comes of it is seen when it is asked for
			_, err := f.CalcCellValue(name, at.String(), excelize.Options{RawCellValue: true})
			return err
		})
	}
}

var rowOfRef = regexp.MustCompile(`(?:^|[^A-Za-z0-9_.])\$?[A-Za-z]{1,3}\$?([0-9]{1,7})\b`)

// upward tells whether the formulas read what is below them.
func (ch chain) upward(f *excelize.File, name string) bool {
	row := ch.rows[len(ch.rows)/2]
	var text string
	err := guarded(func() (err error) {
		text, err = f.GetCellFormula(name, sheet.Ref{Col: ch.col, Row: row}.String())
		return err
	})
	below, above := false, false
	for _, m := range rowOfRef.FindAllStringSubmatch(text, -1) {
		if n, convErr := strconv.Atoi(m[1]); convErr == nil {
			below = below || n > row
			above = above || n == row-1
		}
	}
	return err == nil && below && !above
}
