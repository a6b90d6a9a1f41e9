package xlsx

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/xuri/excelize/v2"
)

// made writes a workbook of one sheet.
func made(t testing.TB, name string, rows ...[]Input) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	if err := w.Sheet(NewSheet{Name: name, Widths: []float64{0, 12.5}, Freeze: 1}); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if err := w.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What is written is read back: by this package and by excelize.
func FuzzNewWorkbook(f *testing.F) {
	f.Add("text", 1.5, "A")
	f.Add(" <&>\"\n\r\t_x0041_ \x00\x1f", -0.0, "a & b's")
	f.Add("\ufffe\U0001F600", 1e300, "\u00e4")
	f.Fuzz(func(t *testing.T, text string, n float64, name string) {
		if !utf8.ValidString(text) || text == "" || sheet.CheckName(name) != nil || math.IsNaN(n) || math.IsInf(n, 0) || len(text) > 1000 {
			return
		}
		values := []sheet.Value{sheet.Str(text), sheet.Num(n), sheet.Boolean(n > 0), sheet.Err("#N/A"), sheet.Serial(45000.25), {}, sheet.Str("end")}
		row := make([]Input, len(values))
		for i, v := range values {
			row[i] = Input{Value: v}
		}
		formula := strings.Map(func(r rune) rune { // those that the operations let through
			if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0xfffe || r == 0xffff {
				return -1
			}
			return r
		}, "A"+text)
		data := made(t, name, nil, row, []Input{{Formula: formula}})
		wb := open(t, data)
		if got := wb.Sheets()[0].Name; got != name {
			t.Errorf("the sheet is called %q, want %q", got, name)
		}
		err := wb.Rows(t.Context(), 0, sheet.All(), func(r int, cells []sheet.Cell) error {
			for _, c := range cells {
				if want := values[c.Col-1]; r == 2 && c.Value != want && !(want.Kind == sheet.String && lineEnds(want.Text) == c.Value.Text) {
					t.Errorf("column %d reads %v %q, want %v %q", c.Col, c.Kind, c.Value.Plain(), want.Kind, want.Plain())
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		d, err := wb.Cell(t.Context(), 0, sheet.Ref{Col: 1, Row: 3})
		if err != nil || d.Formula != lineEnds(formula) {
			t.Errorf("the formula reads %q, want %q, %v", d.Formula, formula, err)
		}
		other, err := excelize.OpenReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		if list := other.GetSheetList(); len(list) != 1 || list[0] != name {
			t.Errorf("excelize sees the sheets %q, want %q", list, name)
		}
	})
}

// lineEnds are as XML has them.
func lineEnds(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}
