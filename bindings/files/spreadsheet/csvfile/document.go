package csvfile

import (
	"context"
	"io"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
	"golang.org/x/text/encoding/charmap"
)

// Document is a csv file in memory that can be changed. Cells that nobody changes are
// written back as they stood in the file, to the quote. It is not safe for concurrent use.
type Document struct {
	Dialect Dialect
	rows    [][]string // as written, quotes included
}

// maxDocument is how many cells a file may have to be changed.
const maxDocument = 5_000_000

// Load reads all of a table.
func Load(ctx context.Context, t *Table) (*Document, error) {
	doc := &Document{Dialect: t.dialect}
	cells := 0
	err := t.scan(ctx, 1, func(_ int, fields []field) error {
		if cells += len(fields); cells > maxDocument {
			return problem.New(problem.TooComplex, "the file has more than %d cells; that is too many to change it", maxDocument)
		}
		// One string a row holds all of its cells.
		var all strings.Builder
		size := 0
		for _, f := range fields {
			size += len(f.raw)
		}
		all.Grow(size)
		row := make([]string, len(fields))
		for i, f := range fields {
			start := all.Len()
			if t.dialect.Encoding == Windows1252 {
				row[i] = text1252(f.raw)
				continue
			}
			all.Write(f.raw)
			row[i] = all.String()[start:]
		}
		doc.rows = append(doc.rows, row)
		return nil
	})
	return doc, err
}

// New makes an empty document.
func New(d Dialect) *Document { return &Document{Dialect: d.normal()} }

// Len is the number of rows.
func (doc *Document) Len() int { return len(doc.rows) }

// First gives the texts of the first row that has any: what the columns are called.
func (doc *Document) First() ([]string, error) {
	for _, row := range doc.rows {
		texts := make([]string, len(row))
		any := false
		for i, raw := range row {
			texts[i] = unquote(raw)
			any = any || texts[i] != ""
		}
		if any {
			return texts, nil
		}
	}
	return nil, nil
}

// unquote gives a cell's text as written without its quotes.
func unquote(raw string) string {
	if inner, ok := strings.CutPrefix(raw, `"`); ok {
		return strings.ReplaceAll(strings.TrimSuffix(inner, `"`), `""`, `"`)
	}
	return raw
}

// Check tells whether the file can hold a value: the encodings of old have few letters.
func (doc *Document) Check(v sheet.Value) error {
	if doc.Dialect.Encoding != Windows1252 || v.Kind != sheet.String {
		return nil
	}
	for _, r := range v.Text {
		if _, ok := charmap.Windows1252.EncodeRune(r); !ok {
			return problem.New(problem.UnsupportedFormat, "the file is encoded in Windows-1252, which has no %q", r).
				WithHint("Write the text without it, or make a workbook of the file with fromCSV: toCSV writes that one in UTF-8.")
		}
	}
	return nil
}

// Set changes a cell, adding rows and cells as needed.
func (doc *Document) Set(at sheet.Ref, v sheet.Value) error {
	if err := doc.Check(v); err != nil {
		return err
	}
	if at.Row > sheet.MaxRow*4 || at.Col > sheet.MaxCol || at.Row < 1 || at.Col < 1 {
		return problem.New(problem.InvalidArgument, "cell: %s lies outside of any sheet", at)
	}
	for len(doc.rows) < at.Row {
		doc.rows = append(doc.rows, nil)
	}
	row := doc.rows[at.Row-1]
	if v.IsEmpty() && at.Col > len(row) {
		return nil
	}
	for len(row) < at.Col {
		row = append(row, "")
	}
	row[at.Col-1] = doc.Dialect.Quote(doc.Dialect.Format(v), v.Kind == sheet.Number)
	doc.rows[at.Row-1] = row
	return nil
}

// InsertRows adds empty rows behind a row; 0 is before the first.
func (doc *Document) InsertRows(after, count int) {
	for len(doc.rows) < after {
		doc.rows = append(doc.rows, nil)
	}
	fresh := make([][]string, count)
	// As wide as the others, so that the file stays a table.
	width := doc.width()
	for i := range fresh {
		fresh[i] = make([]string, width)
	}
	doc.rows = append(doc.rows[:after:after], append(fresh, doc.rows[after:]...)...)
}

// DeleteRows removes rows; those beyond the last are not there to remove.
func (doc *Document) DeleteRows(first, count int) {
	from := min(first-1, len(doc.rows))
	to := min(from+count, len(doc.rows))
	doc.rows = append(doc.rows[:from:from], doc.rows[to:]...)
}

// InsertColumns adds empty columns behind a column; 0 is before the first.
func (doc *Document) InsertColumns(after, count int) {
	for i, row := range doc.rows {
		if len(row) > after {
			doc.rows[i] = append(row[:after:after], append(make([]string, count), row[after:]...)...)
		}
	}
}

// DeleteColumns removes columns.
func (doc *Document) DeleteColumns(first, count int) {
	for i, row := range doc.rows {
		from := min(first-1, len(row))
		doc.rows[i] = append(row[:from:from], row[min(from+count, len(row)):]...)
	}
}

func (doc *Document) width() int {
	width := 0
	for _, row := range doc.rows {
		width = max(width, len(row))
	}
	return width
}

// Write writes the document in its dialect.
func (doc *Document) Write(w io.Writer) error {
	out := NewWriter(w, doc.Dialect)
	for _, row := range doc.rows {
		if err := out.Raw(row); err != nil {
			return err
		}
	}
	return out.Close()
}
