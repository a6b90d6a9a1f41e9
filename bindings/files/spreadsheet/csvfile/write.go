package csvfile

import (
	"bufio"
	"io"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
	"golang.org/x/text/transform"
)

// Writer writes rows in a dialect. Close it to write what is left; it does not close
// what it writes to.
type Writer struct {
	d       Dialect
	encoded io.WriteCloser // nil for UTF-8
	w       *bufio.Writer
	rows    int
	safe    bool
	err     error
}

// NewWriter makes a Writer and writes what stands before the first row.
func NewWriter(w io.Writer, d Dialect) *Writer {
	d = d.normal()
	out := &Writer{d: d}
	if d.Encoding != UTF8 {
		out.encoded = transform.NewWriter(w, codec(d.Encoding).NewEncoder())
		w = out.encoded
	}
	out.w = bufio.NewWriterSize(w, 64<<10)
	if d.BOM {
		out.w.WriteString("\ufeff")
	}
	if d.SepLine {
		out.w.WriteString("sep=" + string(d.Delimiter) + d.LineEnd)
	}
	return out
}

// Safe makes the writer put an apostrophe before texts that a spreadsheet program would
// take for a formula: those that begin with = + - @, a tab or a carriage return.
func (w *Writer) Safe() { w.safe = true }

// Row writes a row of values.
func (w *Writer) Row(values []sheet.Value) error {
	cells := make([]string, len(values))
	for i, v := range values {
		text := w.d.Format(v)
		if w.safe && v.Kind == sheet.String {
			text = neutral(text)
		}
		cells[i] = w.quote(text, v.Kind == sheet.Number)
	}
	return w.Raw(cells)
}

// Raw writes a row of cells as they are to stand in the file, quotes included.
func (w *Writer) Raw(cells []string) error {
	if w.rows > 0 {
		w.w.WriteString(w.d.LineEnd)
	}
	w.rows++
	for i, c := range cells {
		if i > 0 {
			w.w.WriteByte(w.d.Delimiter)
		}
		if _, err := w.w.WriteString(c); err != nil {
			return problem.From(err)
		}
	}
	return nil
}

// Quote gives a text as it stands in a file of the dialect.
func (d Dialect) Quote(text string, number bool) string {
	d = d.normal()
	needed := needsQuotes([]byte(text), d.Delimiter)
	if needed || text != "" && (d.Quoting == QuoteAll || d.Quoting == QuoteTexts && !number) {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}

func (w *Writer) quote(text string, number bool) string { return w.d.Quote(text, number) }

// neutral leaves negative numbers as they are: they are no formulas.
func neutral(text string) string {
	if strings.HasPrefix(text, "-") && strings.Trim(text[1:], "0123456789.,%") == "" {
		return text
	}
	if text != "" && strings.IndexByte("=+-@\t\r", text[0]) >= 0 {
		return "'" + text
	}
	return text
}

// Close writes what is left.
func (w *Writer) Close() error {
	if w.rows > 0 && !w.d.NoFinalEnd {
		w.w.WriteString(w.d.LineEnd)
	}
	err := w.w.Flush()
	if w.encoded != nil && err == nil {
		err = w.encoded.Close()
	}
	if err != nil {
		return problem.From(err)
	}
	return nil
}
