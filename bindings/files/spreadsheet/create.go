package spreadsheet

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/csvfile"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type newColumn struct {
	Width  float64      `json:"width,omitempty" min:"0" max:"255" doc:"In characters"`
	Format *formatPatch `json:"format,omitempty" doc:"How the cells below the header look, as setFormat takes it"`
}

type newSheet struct {
	Name         string       `json:"name" doc:"Name of the sheet; of a csv file it is not kept"`
	Rows         [][]any      `json:"rows,omitempty" doc:"Rows of values from A1 on, as writeRange takes them"`
	Columns      []newColumn  `json:"columns,omitempty" doc:"Widths and formats of the columns from A on"`
	Header       *formatPatch `json:"header,omitempty" doc:"How the first row looks, as setFormat takes it"`
	FreezeHeader bool         `json:"freeze_header,omitempty" doc:"The first row stays in view"`
}

type createIn struct {
	Name    string `json:"name" doc:"Name of the new file: .xlsx, .csv or .tsv"`
	Options struct {
		Sheets []newSheet `json:"sheets,omitempty" doc:"The sheets. Defaults to one that is empty, Sheet1."`
	} `op:"options"`
}

// madeOut is a file that an operation made.
type madeOut struct {
	ID   string `json:"id" doc:"UUID"`
	Name string `json:"name" doc:"The file's name"`
	Rows int    `json:"rows" doc:"Rows written, of all sheets"`
}

func create(ctx context.Context, env *op.Env, in createIn) (out madeOut, err error) {
	sheets := in.Options.Sheets
	if len(sheets) == 0 {
		sheets = []newSheet{{Name: "Sheet1"}}
	}
	data := make([][][]input, len(sheets))
	seen := map[string]bool{}
	for i, s := range sheets {
		if err := sheet.CheckName(s.Name); err != nil {
			return out, err
		}
		if folded := strings.ToLower(s.Name); seen[folded] {
			return out, problem.New(problem.InvalidArgument, "sheets: two sheets are named %q", s.Name).With("argument", "sheets")
		} else {
			seen[folded] = true
		}
		rows, width, _, err := inputRows(s.Rows, fmt.Sprintf("sheets[%d].rows", i))
		if err != nil {
			return out, err
		}
		if err := fitsSheet(len(rows), max(width, len(s.Columns))); err != nil {
			return out, err
		}
		data[i] = rows
		out.Rows += len(rows)
	}
	dialect, kind := newKind(in.Name)
	var fill func(w io.Writer) error
	switch kind {
	case kindCSV:
		if err := holdsValuesOnly(in.Name, sheets, data); err != nil {
			return out, err
		}
		fill = func(w io.Writer) error { return writeCSV(w, dialect, data[0]) }
	case kindXLSX:
		fill = func(w io.Writer) error { return writeXLSX(ctx, w, sheets, data) }
	default:
		return out, problem.New(problem.InvalidArgument, "name: expected a name that ends in .xlsx, .csv or .tsv, got %q", in.Name).With("argument", "name")
	}
	file, err := made(ctx, env, in.Name, fill)
	if err != nil {
		return out, err
	}
	out.ID, out.Name = file.ID, file.Name
	return out, formatNew(ctx, env, file.ID, sheets, data)
}

type fileKind int

const (
	kindOther fileKind = iota
	kindXLSX
	kindCSV
)

// newKind tells by its name how a new file is written.
func newKind(name string) (csvfile.Dialect, fileKind) {
	switch strings.ToLower(path.Ext(name)) {
	case ".xlsx":
		return csvfile.Dialect{}, kindXLSX
	case ".csv":
		return csvfile.Dialect{Delimiter: ','}, kindCSV
	case ".tsv", ".tab":
		return csvfile.Dialect{Delimiter: '\t'}, kindCSV
	}
	return csvfile.Dialect{}, kindOther
}

// holdsValuesOnly refuses for a csv file what it cannot hold.
func holdsValuesOnly(name string, sheets []newSheet, data [][][]input) error {
	if len(sheets) > 1 {
		return valuesOnly(name, "a second sheet")
	}
	s := sheets[0]
	if s.Header != nil || s.FreezeHeader || len(s.Columns) > 0 {
		return valuesOnly(name, "a format")
	}
	for _, row := range data[0] {
		for _, v := range row {
			if v.formula != "" {
				return valuesOnly(name, "a formula")
			}
		}
	}
	return nil
}

func writeCSV(w io.Writer, dialect csvfile.Dialect, rows [][]input) error {
	out := csvfile.NewWriter(w, dialect)
	for _, row := range rows {
		values := make([]sheet.Value, len(row))
		for i, v := range row {
			values[i] = v.value
		}
		if err := out.Row(values); err != nil {
			return err
		}
	}
	return out.Close()
}

func writeXLSX(ctx context.Context, w io.Writer, sheets []newSheet, data [][][]input) error {
	out := xlsx.NewWriter(w)
	for i, s := range sheets {
		begin := xlsx.NewSheet{Name: s.Name}
		for _, c := range s.Columns {
			begin.Widths = append(begin.Widths, c.Width)
		}
		if s.FreezeHeader {
			begin.Freeze = 1
		}
		if err := out.Sheet(begin); err != nil {
			return err
		}
		var cells []xlsx.Input
		for r, row := range data[i] {
			if r%1000 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			cells = cells[:0]
			for _, v := range row {
				cells = append(cells, xlsx.Input{Value: v.value, Formula: v.formula})
			}
			if err := out.Row(cells); err != nil {
				return err
			}
		}
	}
	return out.Close()
}

// formatNew gives a new workbook the formats that were asked for.
func formatNew(ctx context.Context, env *op.Env, id string, sheets []newSheet, data [][][]input) error {
	type look struct {
		sheet  string
		within sheet.Range
		format formatPatch
	}
	var looks []look
	for i, s := range sheets {
		first, last := 1, len(data[i])
		width := len(s.Columns)
		for _, row := range data[i] {
			width = max(width, len(row))
		}
		if s.Header != nil && width > 0 {
			first = 2
			looks = append(looks, look{s.Name, sheet.Range{MinCol: 1, MinRow: 1, MaxCol: width, MaxRow: 1}, *s.Header})
		}
		for c, column := range s.Columns {
			if column.Format != nil && last >= first {
				looks = append(looks, look{s.Name, sheet.Range{MinCol: c + 1, MinRow: first, MaxCol: c + 1, MaxRow: last}, *column.Format})
			}
		}
	}
	if len(looks) == 0 {
		return nil
	}
	return edit(ctx, env, id, func(d *document) error {
		for _, l := range looks {
			if err := d.format(ctx, l.sheet, l.within, l.format); err != nil {
				return err
			}
		}
		return nil
	})
}

// made writes a new file and gives it its name.
func made(ctx context.Context, env *op.Env, name string, fill func(w io.Writer) error) (host.File, error) {
	stage, err := env.Host.Stage(ctx)
	if err != nil {
		return host.File{}, err
	}
	defer stage.Data.Close()
	if err := fill(&bounded{stage.Data, env.Limits.FileBytes, env.Limits.FileBytes, name}); err != nil {
		if e := problem.From(err); e.Code != problem.Internal {
			return host.File{}, e
		}
		return host.File{}, problem.New(problem.Internal, "%q cannot be written", name).WithCause(err)
	}
	return env.Host.Create(ctx, host.NewFile{Name: name, Source: host.SourceDerived, Stage: stage.ID})
}

// bounded is a writer that ends at the size that a file may have.
type bounded struct {
	w         io.Writer
	left, max int64
	name      string
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, problem.New(problem.FileTooLarge, "%q would have more than %d bytes", b.name, b.max).With("limit", b.max)
	}
	return b.w.Write(p)
}
