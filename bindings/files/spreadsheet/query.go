package spreadsheet

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sandboxd/sandboxd/agentdb"
	"github.com/sandboxd/sandboxd/bindings/db"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type queryIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Sheet   string `json:"sheet" doc:"Name of the sheet: the table \"sheet\""`
	SQL     string `json:"sql" doc:"One SELECT, in SQLite's SQL"`
	Params  any    `json:"params,omitempty" doc:"Values for the statement's parameters: an array for ?, an object for :name"`
	Options struct {
		HeaderRow *int   `json:"header_row,omitempty" min:"0" max:"1048576" doc:"The row that holds the names of the columns; 0 if none does, then they are A, B, C. Defaults to a guess, as getSheetSummary makes it."`
		Range     string `json:"range,omitempty" doc:"Only this part of the sheet, its header row included, such as A3:F"`
		As        string `json:"as,omitempty" enum:"arrays,objects" doc:"What each row is: an array of cells in the order of columns (the default), or an object by column name"`
	} `op:"options"`
}

type queryOut struct {
	Columns   []string `json:"columns" doc:"Column names of the answer"`
	Rows      []any    `json:"rows" doc:"The rows"`
	RowCount  int      `json:"row_count" js:"row_count" doc:"How many rows are here"`
	Truncated bool     `json:"truncated" doc:"There were more rows than one answer may have"`
}

func query(ctx context.Context, env *op.Env, in queryIn) (out queryOut, err error) {
	within, err := sheet.ParseRange(in.Options.Range)
	if err != nil {
		return out, err
	}
	q := host.Query{SQL: in.SQL}
	if err := db.SetParams(&q, in.Params); err != nil {
		return out, err
	}
	var result *host.QueryResult
	err = read(ctx, env, in.FileID, func(file host.File, book sheet.Book) error {
		i, err := findSheet(book, in.Sheet)
		if err != nil {
			return err
		}
		t, err := newSQLTable(ctx, book, i, within, in.Options.HeaderRow)
		if err != nil {
			return named(err, file.Name)
		}
		sources := []agentdb.Source{t.source("sheet")}
		// Every sheet that the statement may mean is a table by its own name.
		for k, info := range book.Sheets() {
			if len(sources) > maxTables || !hasCells(info) || strings.EqualFold(info.Name, "sheet") || !mentions(in.SQL, info.Name) || taken(sources, info.Name) {
				continue
			}
			other := t
			if k != i {
				if other, err = newSQLTable(ctx, book, k, sheet.All(), nil); err != nil {
					return named(err, file.Name)
				}
			}
			sources = append(sources, other.source(info.Name))
		}
		result, err = agentdb.Ask(ctx, env.Limits, sources, q)
		return withTables(err, book)
	})
	if err != nil {
		return out, err
	}
	out.Columns, out.Rows = db.Rows(result, in.Options.As == "objects")
	out.RowCount, out.Truncated = len(out.Rows), result.Truncated
	return out, nil
}

// withTables says which tables there are to a statement that names none of them.
func withTables(err error, book sheet.Book) error {
	var e *problem.Error
	if !errors.As(err, &e) || e.Code != problem.SQLError || !strings.HasPrefix(e.Message, "no such table") {
		return err
	}
	names := []string{`"sheet"`}
	for _, info := range book.Sheets() {
		if len(names) == maxTables {
			names = append(names, "…")
			break
		}
		if hasCells(info) && !strings.EqualFold(info.Name, "sheet") {
			names = append(names, `"`+strings.ReplaceAll(info.Name, `"`, `""`)+`"`)
		}
	}
	return e.WithHint("The tables are: %s. \"sheet\" is the sheet that is asked.", strings.Join(names, ", "))
}

// maxTables is how many sheets one query may name besides its own.
const maxTables = 20

// mentions tells whether a statement may name a sheet, in quotes or without.
func mentions(sql, name string) bool {
	sql, name = strings.ToLower(sql), strings.ToLower(name)
	return strings.Contains(sql, name) || strings.Contains(sql, strings.ReplaceAll(name, `"`, `""`))
}

func taken(sources []agentdb.Source, name string) bool {
	return slices.ContainsFunc(sources, func(s agentdb.Source) bool { return strings.EqualFold(s.Name, name) })
}

// sqlTable is a sheet as a table: its columns have the names of a header row.
type sqlTable struct {
	book    sheet.Book
	index   int
	data    sheet.Range // the rows below the header
	columns []string
}

// newSQLTable looks at the first rows of a sheet. header is the header's row, 0 for none,
// nil for a guess.
func newSQLTable(ctx context.Context, book sheet.Book, i int, within sheet.Range, header *int) (*sqlTable, error) {
	t := &sqlTable{book: book, index: i}
	used, ok, err := book.Used(ctx, i)
	if err != nil {
		return nil, err
	}
	if ok {
		used, ok = used.Overlap(within)
	}
	if !ok {
		t.columns = []string{"A"}
		return t, nil
	}
	if used.Cols() > agentdb.MaxSourceColumns {
		used.MaxCol = used.MinCol + agentdb.MaxSourceColumns - 1
	}
	t.data = used
	var names []sheet.Cell
	top := used
	switch {
	case header == nil:
		var first []line
		err := book.Rows(ctx, i, top, func(row int, cells []sheet.Cell) error {
			if first = append(first, line{row, slices.Clone(cells)}); len(first) > headerSearch {
				return sheet.Stop
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if k := guessHeader(first, used.Cols()); k >= 0 {
			names, t.data.MinRow = first[k].cells, first[k].row+1
		}
	case *header > 0:
		if *header > used.MaxRow {
			return nil, problem.New(problem.InvalidArgument, "header_row: row %d lies behind the last row in use, %d", *header, used.MaxRow).With("argument", "header_row")
		}
		top.MinRow, top.MaxRow = *header, *header
		err := book.Rows(ctx, i, top, func(_ int, cells []sheet.Cell) error {
			names = slices.Clone(cells)
			return nil
		})
		if err != nil {
			return nil, err
		}
		t.data.MinRow = *header + 1
	}
	t.columns = columnNames(used, names)
	return t, nil
}

// columnNames gives each column its header's text, or else its letters; a second Total is
// Total_2.
func columnNames(used sheet.Range, header []sheet.Cell) []string {
	names := make([]string, used.Cols())
	for _, c := range header {
		names[int(c.Col)-used.MinCol] = cut(strings.Join(strings.Fields(headerText(c.Value)), " "), 100)
	}
	seen := map[string]bool{"rowid": true, "oid": true, "_rowid_": true}
	for i, name := range names {
		// A NUL would end the name.
		if name = strings.ReplaceAll(name, "\x00", ""); name == "" {
			name = sheet.ColName(used.MinCol + i)
		}
		unique := name
		for n := 2; seen[asciiLower(unique)]; n++ {
			unique = fmt.Sprintf("%s_%d", name, n)
		}
		seen[asciiLower(unique)] = true
		names[i] = unique
	}
	return names
}

// asciiLower is how SQLite compares names.
func asciiLower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

func (t *sqlTable) source(name string) agentdb.Source {
	return agentdb.Source{Name: name, Columns: t.columns, Rows: t.rows}
}

// rows gives the sheet's rows with a value, each with its number as its rowid.
func (t *sqlTable) rows(ctx context.Context, wanted []int, add *agentdb.Adder) error {
	if t.data.MinRow == 0 {
		return nil
	}
	place := make([]int, len(t.columns))
	for i := range place {
		place[i] = -1
	}
	for n, column := range wanted {
		place[column] = n
	}
	return t.book.Rows(ctx, t.index, t.data, func(row int, cells []sheet.Cell) error {
		any := false
		for _, c := range cells {
			any = any || c.Kind != sheet.Empty
			n := place[int(c.Col)-t.data.MinCol]
			if n < 0 {
				continue
			}
			switch c.Kind {
			case sheet.Number:
				if c.Num == math.Trunc(c.Num) && math.Abs(c.Num) < 1<<53 {
					add.Int(n, int64(c.Num))
				} else {
					add.Float(n, c.Num)
				}
			case sheet.Bool:
				add.Int(n, int64(c.Num))
			case sheet.Date:
				add.Text(n, strings.TrimSuffix(c.ISO(), "T00:00:00.000Z"))
			case sheet.String, sheet.Error:
				add.Text(n, c.Value.Text)
			}
		}
		if !any {
			return nil
		}
		return add.Row(int64(row))
	})
}
