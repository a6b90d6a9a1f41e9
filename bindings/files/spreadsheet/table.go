package spreadsheet

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type addTableIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Sheet   string `json:"sheet" doc:"Name of the sheet"`
	Range   string `json:"range,omitempty" doc:"The headers and the rows below them, such as A1:F200. Omit for all cells in use."`
	Options struct {
		Name  string `json:"name,omitempty" doc:"Name for formulas, such as Orders in SUM(Orders[Total]). Defaults to Table1 and so on."`
		Style string `json:"style,omitempty" doc:"TableStyleLight1 to 21, TableStyleMedium1 to 28, TableStyleDark1 to 11, or none. Defaults to TableStyleMedium2."`
		Bands *bool  `json:"bands,omitempty" doc:"Shade every other row. Defaults to true."`
	} `op:"options"`
}

type addTableOut struct {
	Name    string   `json:"name" doc:"The table's name"`
	Range   string   `json:"range" doc:"Its cells"`
	Headers []string `json:"headers" doc:"The names of its columns; empty and repeated ones were given new ones, in the cells too"`
}

var (
	tableName  = regexp.MustCompile(`^[\pL_\\][\pL\pN_.\\]*$`)
	looksLike  = regexp.MustCompile(`(?i)^([a-z]{1,3}[0-9]+|r[0-9]*c?[0-9]*|c[0-9]*)$`)
	tableStyle = regexp.MustCompile(`^TableStyle(Light([1-9]|1[0-9]|2[01])|Medium([1-9]|1[0-9]|2[0-8])|Dark([1-9]|1[01]))$`)
)

func addTable(ctx context.Context, env *op.Env, in addTableIn) (out addTableOut, err error) {
	within, err := sheet.ParseRange(in.Range)
	if err != nil {
		return out, err
	}
	t := xlsx.NewTable{Name: in.Options.Name, Style: "TableStyleMedium2", Banded: in.Options.Bands == nil || *in.Options.Bands}
	switch s := in.Options.Style; {
	case s == "none":
		t.Style = ""
	case s != "" && !tableStyle.MatchString(s):
		return out, problem.New(problem.InvalidArgument, "style: expected a name such as \"TableStyleMedium2\" or \"none\", got %q", cut(s, 60)).With("argument", "style")
	case s != "":
		t.Style = s
	}
	if n := t.Name; n != "" && (len(n) > 255 || !tableName.MatchString(n) || looksLike.MatchString(n)) {
		return out, problem.New(problem.InvalidArgument, "name: a table's name begins with a letter, has letters, digits, _ and . only, and does not look like a cell; got %q", cut(n, 60)).With("argument", "name")
	}
	err = edit(ctx, env, in.FileID, func(d *document) error {
		wb, edits, i, err := d.decorate(ctx, in.Sheet, "a table")
		if err != nil {
			return err
		}
		book, err := d.view(ctx) // the headers are read with what the run has written
		if err != nil {
			return err
		}
		if t.Area, err = d.bounded(ctx, book, i, within); err != nil {
			return err
		}
		if t.Area.Rows() < 2 {
			t.Area.MaxRow++ // a table has a row below its headers
		}
		if t.Area.MaxRow > sheet.MaxRow {
			return problem.New(problem.InvalidArgument, "range: there is no row below the headers").With("argument", "range")
		}
		if t.Area.Cols() > 1000 {
			return problem.New(problem.TooComplex, "range: a table of more than 1000 columns cannot be made").With("argument", "range")
		}
		if t.Name == "" {
			if t.Name, err = freeTableName(ctx, wb, edits); err != nil {
				return err
			}
		}
		changed := map[int]string{}
		if t.Headers, changed, err = headersOf(ctx, book, i, t.Area); err != nil {
			return named(err, d.file.Name)
		}
		if err := edits.AddTable(ctx, wb, i, t); err != nil {
			return named(err, d.file.Name)
		}
		for c, text := range changed { // a table's headers are texts, and no two are alike
			edits.Set(i, sheet.Ref{Col: t.Area.MinCol + c, Row: t.Area.MinRow}, sheet.Str(text))
		}
		d.ahead = true
		out = addTableOut{t.Name, t.Area.String(), t.Headers}
		return nil
	})
	return out, err
}

// headersOf gives a table's headers, and those that its cells do not say as they are.
func headersOf(ctx context.Context, book sheet.Book, i int, area sheet.Range) (names []string, changed map[int]string, err error) {
	names, changed = make([]string, area.Cols()), map[int]string{}
	texts := make([]bool, area.Cols())
	area.MaxRow = area.MinRow
	err = book.Rows(ctx, i, area, func(_ int, cells []sheet.Cell) error {
		for _, c := range cells {
			k := int(c.Col) - area.MinCol
			names[k], texts[k] = book.Text(c), c.Kind == sheet.String && !c.Formula
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	for k, name := range names {
		had := name
		if name = cut(name, 250); name == "" {
			name = fmt.Sprintf("Column%d", k+1)
		}
		unique := name
		for n := 2; seen[strings.ToLower(unique)]; n++ {
			unique = fmt.Sprintf("%s%d", name, n)
		}
		seen[strings.ToLower(unique)] = true
		if names[k] = unique; unique != had || !texts[k] {
			changed[k] = unique
		}
	}
	return names, changed, nil
}

func freeTableName(ctx context.Context, wb *xlsx.Workbook, edits *xlsx.Edits) (string, error) {
	taken := map[string]bool{}
	for _, n := range wb.Names() {
		taken[strings.ToLower(n.Name)] = true
	}
	for k, s := range wb.Sheets() {
		if !hasCells(s) {
			continue
		}
		list, err := edits.Tables(ctx, wb, k)
		if err != nil {
			return "", err
		}
		for _, t := range list {
			taken[strings.ToLower(t.Name)] = true
		}
	}
	for n := 1; ; n++ {
		if name := fmt.Sprintf("Table%d", n); !taken[strings.ToLower(name)] {
			return name, nil
		}
	}
}

// decorate gives the workbook, the edits and the sheet for something beside the cells.
// Rows that have moved are written down first.
func (d *document) decorate(ctx context.Context, name, what string) (*xlsx.Workbook, *xlsx.Edits, int, error) {
	if _, _, err := d.worksheet(name, what); err != nil {
		return nil, nil, 0, err
	}
	if d.edits.Crowded() {
		if _, err := d.current(ctx); err != nil {
			return nil, nil, 0, err
		}
	}
	wb, edits, err := d.cells(ctx)
	if err != nil {
		return nil, nil, 0, err
	}
	i, err := findSheet(wb, name)
	return wb, edits, i, err
}

// settled is workbook for changes that what waits beside the cells does not follow.
func (d *document) settled(ctx context.Context, what string) (*xlsx.Workbook, *xlsx.Edits, error) {
	if d.edits.Decorated() {
		if _, err := d.current(ctx); err != nil {
			return nil, nil, err
		}
	}
	return d.workbook(what)
}

// bounded gives an open range the end of the cells in use.
func (d *document) bounded(ctx context.Context, book sheet.Book, i int, within sheet.Range) (sheet.Range, error) {
	if within.MaxRow <= sheet.MaxRow && within.MaxCol <= sheet.MaxCol {
		return within, nil
	}
	used, ok, err := book.Used(ctx, i)
	if err != nil {
		return within, named(err, d.file.Name)
	}
	if ok {
		within, ok = within.Overlap(used)
	}
	if !ok {
		return within, problem.New(problem.InvalidArgument, "range: there are no values in it").With("argument", "range")
	}
	return within, nil
}
