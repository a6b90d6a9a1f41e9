package spreadsheet

import (
	"context"
	"slices"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// arrays gives rows as arrays of values. One that is an object has its values by column
// name: columns are the names there are, in order, asked for when the first object comes.
// A sheet that has none is given the names of the objects as its first row.
func arrays(rows []any, columns func() ([]string, error)) (grid [][]any, err error) {
	grid = make([][]any, 0, len(rows))
	var names []string
	for r, row := range rows {
		switch row := row.(type) {
		case []any:
			grid = append(grid, row)
			continue
		case op.Object:
			if names == nil {
				if names, err = columns(); err != nil {
					return nil, err
				}
				if len(names) == 0 {
					if names = namesOf(rows); r > 0 || len(names) == 0 {
						return nil, problem.New(problem.InvalidArgument, "rows[%d]: the sheet has no header row that says where an object's values belong", r).
							WithHint("Give all rows as arrays.").With("argument", "rows")
					}
					grid = append(grid, plainTexts(names))
				}
			}
			line := make([]any, len(names))
			for _, m := range row {
				at := columnNamed(names, m.Name)
				if at < 0 {
					return nil, problem.New(problem.InvalidArgument, "rows[%d]: there is no column %q", r, cut(m.Name, 60)).
						WithHint("The columns are %s.", listed(names)).With("argument", "rows")
				}
				line[at] = m.Value
			}
			grid = append(grid, line)
		default:
			return nil, problem.New(problem.InvalidArgument, "rows[%d]: expected an array of values, or an object of values by column name", r).With("argument", "rows")
		}
	}
	return grid, nil
}

// namesOf gives the names of all objects in the order in which they come.
func namesOf(rows []any) (names []string) {
	seen := map[string]bool{}
	for _, row := range rows {
		if object, ok := row.(op.Object); ok {
			for _, m := range object {
				if !seen[m.Name] {
					seen[m.Name] = true
					names = append(names, m.Name)
				}
			}
		}
	}
	return names
}

// plainTexts gives texts as values that are written as they are, whatever they begin with.
func plainTexts(texts []string) []any {
	out := make([]any, len(texts))
	for i, t := range texts {
		if strings.HasPrefix(t, "=") {
			t = "'" + t
		}
		out[i] = t
	}
	return out
}

// columnNamed finds a column; the case of letters and spaces around count only between
// names that differ by nothing else.
func columnNamed(names []string, name string) int {
	if at := slices.Index(names, name); at >= 0 || name == "" {
		return at
	}
	name = strings.TrimSpace(name)
	return slices.IndexFunc(names, func(n string) bool { return n != "" && strings.EqualFold(strings.TrimSpace(n), name) })
}

func listed(names []string) string {
	var quoted []string
	for _, n := range names {
		if len(quoted) == 30 {
			quoted = append(quoted, "…")
			break
		}
		if n != "" {
			quoted = append(quoted, "\""+cut(n, 60)+"\"")
		}
	}
	return strings.Join(quoted, ", ")
}

// columnsOf gives the names of the columns behind whose last row rows are appended, from
// the first column in use on: those of the table that ends there, or else of the header
// row, as getSheetSummary guesses it. None for an empty sheet.
func (d *document) columnsOf(ctx context.Context, wb *xlsx.Workbook, edits *xlsx.Edits, i int, used sheet.Range) ([]string, error) {
	if used.MinRow == 0 {
		return nil, nil
	}
	book, err := d.view(ctx) // with what the run has written
	if err != nil {
		return nil, err
	}
	tables, err := edits.Tables(ctx, wb, i)
	if err != nil {
		return nil, err
	}
	top := used
	for _, t := range tables {
		if t.Area.MinRow <= used.MaxRow && used.MaxRow <= t.Area.MaxRow {
			top.MinRow, top.MaxRow = t.Area.MinRow, t.Area.MinRow
		}
	}
	var first []line
	err = book.Rows(ctx, i, top, func(row int, cells []sheet.Cell) error {
		if first = append(first, line{row, slices.Clone(cells)}); len(first) > headerSearch {
			return sheet.Stop
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	k := guessHeader(first, used.Cols())
	if k < 0 && len(first) == 1 {
		k = 0 // nothing but headers
	}
	if k < 0 {
		return nil, problem.New(problem.InvalidArgument, "rows: the sheet has no header row that says where an object's values belong").
			WithHint("Give the rows as arrays.").With("argument", "rows")
	}
	names := make([]string, used.Cols())
	for _, c := range first[k].cells {
		names[int(c.Col)-used.MinCol] = book.Text(c)
	}
	return names, nil
}
