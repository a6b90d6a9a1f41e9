package spreadsheet

import (
	"context"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/csvfile"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type toCSVIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Sheet   string `json:"sheet,omitempty" doc:"Name of the sheet. Defaults to the first worksheet."`
	Options struct {
		Name      string `json:"name,omitempty" doc:"Name of the new file. Defaults to the file's with .csv, and the sheet's if there are several."`
		Delimiter string `json:"delimiter,omitempty" doc:"A comma, semicolon, tab or pipe, as the sign or as the word. Defaults to comma, or tab for a name that ends in .tsv"`
		Safe      bool   `json:"safe,omitempty" doc:"Put an apostrophe before texts that a spreadsheet program would take for a formula: those that begin with = + - @, a tab or a carriage return"`
		Formatted bool   `json:"formatted,omitempty" doc:"Write what a person sees, such as $1,200.00, instead of the values"`
		Bom       bool   `json:"bom,omitempty" doc:"Begin with a byte order mark, by which Excel knows UTF-8"`
	} `op:"options"`
}

var delimiters = map[string]byte{"comma": ',', ",": ',', "semicolon": ';', ";": ';', "tab": '\t', "\t": '\t', "pipe": '|', "|": '|'}

func toCSV(ctx context.Context, env *op.Env, in toCSVIn) (out madeOut, err error) {
	err = read(ctx, env, in.FileID, func(file host.File, book sheet.Book) error {
		i, err := sheetOrFirst(book, in.Sheet)
		if err != nil {
			return err
		}
		name := in.Options.Name
		if name == "" {
			name = csvName(file.Name, book, i)
		}
		dialect, kind := newKind(name)
		if kind == kindXLSX {
			return problem.New(problem.InvalidArgument, "name: expected a name such as \"data.csv\", got %q", name).With("argument", "name")
		}
		if in.Options.Delimiter != "" {
			if dialect.Delimiter = delimiters[in.Options.Delimiter]; dialect.Delimiter == 0 {
				return problem.New(problem.InvalidArgument, "delimiter: expected \",\", \";\", \"\\t\" or \"|\", got %q", cut(in.Options.Delimiter, 20)).With("argument", "delimiter")
			}
		}
		dialect.BOM = in.Options.Bom
		made, err := made(ctx, env, name, func(w io.Writer) error {
			writer := csvfile.NewWriter(w, dialect)
			if in.Options.Safe {
				writer.Safe()
			}
			out.Rows, err = export(ctx, book, i, writer, in.Options.Formatted)
			return named(err, file.Name)
		})
		out.ID, out.Name = made.ID, made.Name
		return err
	})
	return out, err
}

// export writes a sheet from A1 to its last cell in use.
func export(ctx context.Context, book sheet.Book, i int, writer *csvfile.Writer, formatted bool) (rows int, err error) {
	used, ok, err := book.Used(ctx, i)
	if err != nil {
		return 0, err
	}
	if !ok {
		return 0, writer.Close()
	}
	values := make([]sheet.Value, used.MaxCol)
	all := sheet.Range{MinCol: 1, MinRow: 1, MaxCol: used.MaxCol, MaxRow: used.MaxRow}
	err = book.Rows(ctx, i, all, func(row int, cells []sheet.Cell) error {
		for clear(values); rows < row-1; rows++ {
			if err := writer.Row(values); err != nil {
				return err
			}
		}
		for _, c := range cells {
			v := c.Value
			if formatted && v.Kind != sheet.String {
				v = sheet.Str(book.Text(c))
			}
			values[c.Col-1] = v
		}
		rows++
		return writer.Row(values)
	})
	if err != nil {
		return 0, err
	}
	return rows, writer.Close()
}

// sheetOrFirst is findSheet, where "" is the first sheet with cells.
func sheetOrFirst(book sheet.Book, name string) (int, error) {
	if name != "" {
		return findSheet(book, name)
	}
	for i, info := range book.Sheets() {
		if hasCells(info) {
			return i, nil
		}
	}
	return 0, problem.New(problem.UnsupportedFormat, "the workbook has no sheet with cells")
}

func csvName(file string, book sheet.Book, i int) string {
	base := strings.TrimSuffix(file, path.Ext(file))
	if sheets := book.Sheets(); len(sheets) > 1 {
		base += " " + strings.NewReplacer("/", "-", "\\", "-").Replace(sheets[i].Name)
	}
	return base + ".csv"
}

type fromCSVIn struct {
	FileID  string `json:"file_id" doc:"File id or name of a csv or tsv file"`
	Options struct {
		Name  string `json:"name,omitempty" doc:"Name of the new workbook. Defaults to the file's with .xlsx."`
		Sheet string `json:"sheet,omitempty" doc:"Name of its sheet. Defaults to the file's without its ending."`
	} `op:"options"`
}

func fromCSV(ctx context.Context, env *op.Env, in fromCSVIn) (out madeOut, err error) {
	if in.Options.Sheet != "" {
		if err := sheet.CheckName(in.Options.Sheet); err != nil {
			return out, err
		}
	}
	err = read(ctx, env, in.FileID, func(file host.File, book sheet.Book) error {
		table, ok := book.(*csvfile.Table)
		if !ok {
			return problem.New(problem.UnsupportedFormat, "%q is a workbook already", file.Name).
				WithHint("Copy it with files.copy, or export a sheet with toCSV.")
		}
		name, title := in.Options.Name, in.Options.Sheet
		if name == "" {
			name = strings.TrimSuffix(file.Name, path.Ext(file.Name)) + ".xlsx"
		}
		if _, kind := newKind(name); kind != kindXLSX {
			return problem.New(problem.InvalidArgument, "name: expected a name that ends in .xlsx, got %q", name).With("argument", "name")
		}
		if title == "" {
			title = sheetName(table.Sheets()[0].Name)
		}
		made, err := made(ctx, env, name, func(w io.Writer) error {
			out.Rows, err = convert(ctx, table, w, title)
			return named(err, file.Name)
		})
		out.ID, out.Name = made.ID, made.Name
		return err
	})
	return out, err
}

// sheetName makes a sheet's name of a file's.
func sheetName(name string) string {
	clean := strings.Trim(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`:\/?*[]`, r) {
			return '-'
		}
		return r
	}, name), "'")
	if runes := []rune(clean); len(runes) > 31 {
		clean = strings.Trim(string(runes[:31]), "'")
	}
	if clean == "" {
		return "Sheet1"
	}
	return clean
}

// convert copies a csv file into a workbook of one sheet. Numbers and booleans are typed
// as the reader has them; days and moments that are written as in ISO 8601 become dates.
func convert(ctx context.Context, table *csvfile.Table, w io.Writer, title string) (rows int, err error) {
	out := xlsx.NewWriter(w)
	if err := out.Sheet(xlsx.NewSheet{Name: title}); err != nil {
		return 0, err
	}
	var line []xlsx.Input
	err = table.Rows(ctx, 0, sheet.All(), func(row int, cells []sheet.Cell) error {
		if row > sheet.MaxRow || int(cells[len(cells)-1].Col) > sheet.MaxCol {
			return problem.New(problem.TooComplex, "the file has more rows or columns than a worksheet, which ends at XFD1048576").
				WithHint("Work with the csv file itself: readRows, query and appendRows take any length.")
		}
		for ; rows < row-1; rows++ {
			if err := out.Row(nil); err != nil {
				return err
			}
		}
		line = line[:0]
		for _, c := range cells {
			for len(line) < int(c.Col)-1 {
				line = append(line, xlsx.Input{})
			}
			v := dated(c.Value)
			if len(v.Text) > maxText && utf8.RuneCountInString(v.Text) > maxText {
				return problem.New(problem.TooComplex, "%s has more than the %d characters that a cell of a workbook holds", sheet.Ref{Col: int(c.Col), Row: row}, maxText).
					WithHint("Shorten it in the csv file first.")
			}
			line = append(line, xlsx.Input{Value: v})
		}
		rows++
		return out.Row(line)
	})
	if err != nil {
		return 0, err
	}
	return rows, out.Close()
}

// dated gives a text that is a day or a moment in the form of ISO 8601 as a date. One
// with an offset from UTC stays a text, since a date would lose it.
func dated(v sheet.Value) sheet.Value {
	t := v.Text
	if v.Kind != sheet.String || len(t) < 10 || len(t) > 35 || t[4] != '-' || t[7] != '-' || strings.ContainsAny(t[10:], "+-") {
		return v
	}
	if serial, ok := sheet.ParseISO(t); ok && serial >= 1 && serial < sheet.MaxSerial {
		return sheet.Serial(serial)
	}
	return v
}
