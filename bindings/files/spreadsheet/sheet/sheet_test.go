package sheet_test

import (
	"cmp"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
)

func TestParseRange(t *testing.T) {
	for text, want := range map[string]string{
		"A1:D50": "A1:D50", "d50:a1": "A1:D50", "A50:D1": "A1:D50", "$B$2": "B2", "b2": "B2", "A:C": "A:C", "$A:$C": "A:C", "C:A": "A:C",
		"1:5": "1:5", "$1:$5": "1:5", " A1 ": "A1", "": "", "XFD1048576": "XFD1048576", "AA10:AB11": "AA10:AB11", "B2:B2": "B2",
	} {
		r, err := sheet.ParseRange(text)
		if err != nil || r.String() != want {
			t.Errorf("%q: %q, %v; want %q", text, r, err, want)
		}
	}
	if r, err := sheet.ParseRange("B5:C"); err != nil || r != (sheet.Range{MinCol: 2, MinRow: 5, MaxCol: 3, MaxRow: sheet.Unbounded}) {
		t.Errorf("B5:C: %+v, %v", r, err)
	}
	for _, text := range []string{"A", "1", "A0", "A1:", ":A1", "A1:B", "XFE1", "1A", "A1 B2", "A-1", "Ä1", "A1:B2:C3", "$", "$$A1", "A1:2", "A99999999999", "$1A"} {
		if text == "A1:B" { // from A1 down in columns A to B
			continue
		}
		if r, err := sheet.ParseRange(text); problem.CodeOf(err) != problem.InvalidArgument {
			t.Errorf("%q: %v, %v", text, r, err)
		}
	}
}

func TestParseQualified(t *testing.T) {
	for text, want := range map[string]string{
		"Sheet1!A1": "Sheet1|A1", "'My Sheet'!A1:B2": "My Sheet|A1:B2", "'It''s'!A:A": "It's|A:A", "B2": "|B2", "'a!b'!C3": "a!b|C3",
	} {
		name, r, err := sheet.ParseQualified(text)
		if got := name + "|" + r.String(); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"'open!A1", "''", "Sheet1!", "'a'b!A1", "x!y"} {
		if _, r, err := sheet.ParseQualified(text); err == nil && text != "Sheet1!" {
			t.Errorf("%q: %v", text, r)
		}
	}
}

func TestColNames(t *testing.T) {
	for col, want := range map[int]string{1: "A", 26: "Z", 27: "AA", 702: "ZZ", 703: "AAA", 16384: "XFD"} {
		if got := sheet.ColName(col); got != want {
			t.Errorf("%d: %s, want %s", col, got, want)
		}
	}
}

func TestSerials(t *testing.T) {
	for serial, want := range map[float64]string{
		0.5: "1899-12-30T12:00:00.000Z", 1: "1900-01-01T00:00:00.000Z", 59: "1900-02-28T00:00:00.000Z", 61: "1900-03-01T00:00:00.000Z",
		45322: "2024-01-31T00:00:00.000Z", 45322.999999999: "2024-02-01T00:00:00.000Z", 2958465: "9999-12-31T00:00:00.000Z", 45322.123456: "2024-01-31T02:57:46.598Z",
	} {
		if got := sheet.Serial(serial).ISO(); got != want {
			t.Errorf("%v: %s, want %s", serial, got, want)
		}
		back := sheet.SerialOf(sheet.Time(serial))
		if serial >= 1 && (back-serial > 1e-8 || serial-back > 1e-8) {
			t.Errorf("%v came back as %v", serial, back)
		}
	}
	for text, want := range map[string]float64{
		"2024-01-31": 45322, "2024-01-31T12:00:00": 45322.5, "2024-01-31T12:00:00.000Z": 45322.5, "2024-01-31T12:00:00+06:00": 45322.25, "2024-01-31 06:00:00": 45322.25, "12:00:00": 0.5,
	} {
		if got, ok := sheet.ParseISO(text); !ok || got != want {
			t.Errorf("%s: %v %v, want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "2024", "31.01.2024", "2024-13-01", "x"} {
		if got, ok := sheet.ParseISO(text); ok {
			t.Errorf("%s: %v", text, got)
		}
	}
	if got := sheet.SerialOf(time.Date(2024, 1, 31, 18, 0, 0, 0, time.UTC)); got != 45322.75 {
		t.Error(got)
	}
}

func TestAny(t *testing.T) {
	for _, c := range []struct {
		v    sheet.Value
		want any
	}{
		{sheet.Value{}, nil}, {sheet.Num(5), int64(5)}, {sheet.Num(5.5), 5.5}, {sheet.Num(1e20), 1e20}, {sheet.Str("x"), "x"},
		{sheet.Boolean(true), true}, {sheet.Boolean(false), false}, {sheet.Err("#N/A"), sheet.ErrorValue{Error: "#N/A"}}, {sheet.Serial(45322), "2024-01-31T00:00:00.000Z"},
	} {
		if got := c.v.Any(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.v, got, c.want)
		}
	}
}

// grid is a book of cells that say where they are; rows come in the order of the list.
type grid struct {
	sheet.Book
	rows []int
	cols int
}

func (g grid) Rows(_ context.Context, _ int, within sheet.Range, fn sheet.RowFunc) error {
	for _, row := range g.rows {
		var cells []sheet.Cell
		for col := within.MinCol; col <= min(g.cols, within.MaxCol); col++ {
			cells = append(cells, sheet.Cell{Col: int32(col), Value: sheet.Str(sheet.Ref{Col: col, Row: row}.String())})
		}
		if row < within.MinRow || row > within.MaxRow {
			continue
		}
		if err := fn(row, cells); err != nil {
			if err == sheet.Stop {
				return nil
			}
			return err
		}
	}
	return nil
}

func TestReadRange(t *testing.T) {
	for _, c := range []struct {
		book   grid
		within string
		max    int
		want   string // "" if it does not fit
	}{
		{grid{rows: []int{1, 2, 4}, cols: 3}, "A1:B2", 100, "[[A1 B1] [A2 B2]]"},
		{grid{rows: []int{1, 2, 4}, cols: 3}, "B3:D5", 100, "[[_ _ _] [B4 C4 _] [_ _ _]]"},
		{grid{rows: []int{1, 2, 4}, cols: 3}, "", 100, "[[A1 B1 C1] [A2 B2 C2] [_ _ _] [A4 B4 C4]]"},
		{grid{rows: []int{4, 1, 2}, cols: 2}, "", 100, "[[A1 B1] [A2 B2] [_ _] [A4 B4]]"},
		{grid{rows: []int{1, 2, 4}, cols: 3}, "C:E", 100, "[[C1 _ _] [C2 _ _] [_ _ _] [C4 _ _]]"},
		{grid{rows: []int{1, 2, 4}, cols: 3}, "2:3", 100, "[[A2 B2 C2] [_ _ _]]"},
		{grid{rows: []int{1, 2, 4}, cols: 3}, "", 11, ""},
		{grid{rows: []int{1, 2, 4}, cols: 3}, "A1:C4", 11, ""},
		{grid{rows: []int{1000000}, cols: 16384}, "", 1 << 20, ""},
		{grid{rows: nil, cols: 3}, "", 10, "[]"},
		{grid{rows: []int{1}, cols: 3}, "A1:XFD1048576", 1 << 20, ""},
	} {
		r, err := sheet.ParseRange(c.within)
		if err != nil {
			t.Fatal(err)
		}
		rows, fits, err := sheet.ReadRange(t.Context(), c.book, 0, r, c.max, sheet.Value.Plain)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if fits {
			for _, row := range rows {
				for i, text := range row {
					row[i] = cmp.Or(text, "_")
				}
			}
			got = fmt.Sprint(rows)
		}
		if got != c.want {
			t.Errorf("%q of rows %v: %s, want %s", c.within, c.book.rows, got, c.want)
		}
	}
}

func TestISOIsWhatFormatWrites(t *testing.T) {
	for serial := -1.5; serial < sheet.MaxSerial; serial += 971.37 {
		if got, want := (sheet.Value{Kind: sheet.Date, Num: serial}).ISO(), sheet.Time(serial).Format("2006-01-02T15:04:05.000Z"); got != want {
			t.Errorf("%v is %s, want %s", serial, got, want)
		}
	}
}
