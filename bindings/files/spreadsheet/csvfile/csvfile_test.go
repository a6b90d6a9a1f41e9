package csvfile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
)

func open(t testing.TB, text string) *Table {
	t.Helper()
	table, err := Open(t.Context(), strings.NewReader(text), int64(len(text)), Options{Name: "data.csv"})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func dump(t testing.TB, table *Table) string {
	t.Helper()
	var out []string
	err := table.Rows(t.Context(), 0, sheet.All(), func(row int, cells []sheet.Cell) error {
		for _, c := range cells {
			out = append(out, fmt.Sprintf("%s=%v:%s", sheet.Ref{Col: int(c.Col), Row: row}, c.Kind, c.Plain()))
		}
		return nil
	})
	if err != nil {
		return "error " + err.Error()
	}
	return strings.Join(out, " ")
}

func TestTyped(t *testing.T) {
	for text, want := range map[string]string{
		"1": "number", "-2.5": "number", "12.50": "number", "0": "number", "0.5": "number", ".5": "number", " 7 ": "number", "1.5E+10": "number", "1e-7": "number", "1,234.50": "number", "-1,234,567.8": "number", "1,23.4": "string", "1,234,567": "string",
		"007": "string", "+5": "string", "1,234": "string", "12E3": "string", "1e5": "string", "12345678901234567890": "string", "123456789012345": "number",
		"5.": "string", "-": "string", ".": "string", "1.2.3": "string", "0x10": "string", "1_000": "string", "NaN": "string", "Infinity": "string", "-0": "string",
		"TRUE": "boolean", "false": "boolean", "yes": "string", "tRUE": "string", "2024-01-31": "string", "": "empty", " ": "string", "1e-999": "number",
	} {
		if got := (Dialect{}).Typed(text).Kind.String(); got != want {
			t.Errorf("%q is a %s, want %s", text, got, want)
		}
	}
	german := Dialect{Delimiter: ';', DecimalComma: true}
	for text, want := range map[string]float64{"1,5": 1.5, "1.234,50": 1234.5, "-12.345.678,9": -12345678.9} {
		if v := german.Typed(text); v.Kind != sheet.Number || v.Num != want {
			t.Errorf("%q is %+v, want %v", text, v, want)
		}
	}
	for _, text := range []string{"1.23,4", "1.2345,6", "1,234.5", "1.-23,4", ".234,5", "1..234,5", "01.234,5", "1.234,5,6"} {
		if v := german.Typed(text); v.Kind != sheet.String {
			t.Errorf("%q is %+v, want a text", text, v)
		}
	}
}

func TestRows(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "a,b\n1,2\n", "A1=string:a B1=string:b A2=number:1 B2=number:2"},
		{"no final line end", "a,b\r\n1,2", "A1=string:a B1=string:b A2=number:1 B2=number:2"},
		{"quotes", "\"a,\"\"b\"\"\",\"line\r\nend\"\nx\"y,\"z\"w\n", "A1=string:a,\"b\" B1=string:line\r\nend A2=string:x\"y B2=string:zw"},
		{"empty rows and cells", "a,,c\n\n,,\nd\n", "A1=string:a C1=string:c A4=string:d"},
		{"old Mac line ends", "a,b\r1,2\r", "A1=string:a B1=string:b A2=number:1 B2=number:2"},
		{"semicolons and decimal commas", "name;price\nx;1,50\ny;2,25\n", "A1=string:name B1=string:price A2=string:x B2=number:1.5 A3=string:y B3=number:2.25"},
		{"tabs", "a\tb\n1\t2\n", "A1=string:a B1=string:b A2=number:1 B2=number:2"},
		{"sep line", "sep=|\na|b\n", "A1=string:a B1=string:b"},
		{"byte order mark", "\xef\xbb\xbfa,b\n", "A1=string:a B1=string:b"},
		{"windows-1252", "caf\xe9,\x80\n", "A1=string:café B1=string:€"},
		{"UTF-16", "\xff\xfea\x00,\x00\xe9\x00\n\x00", "A1=string:a B1=string:é"},
		{"UTF-16 without a mark", "\x00a\x00,\x00b\x00\n\x00c\x00,\x00d\x00\n", "A1=string:a B1=string:b A2=string:c B2=string:d"},
		{"one column", "x\ny\n", "A1=string:x A2=string:y"},
		{"a quote that is not closed", "a,\"b\nc", "A1=string:a B1=string:b\nc"},
		{"empty", "", ""},
	} {
		if got := dump(t, open(t, c.text)); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
	data := "PK\x03\x04\x00\x00binary"
	if _, err := Open(t.Context(), strings.NewReader(data), int64(len(data)), Options{}); problem.CodeOf(err) != problem.NotText {
		t.Errorf("binary: %v", err)
	}
}

// What nobody changes is written back as it was, to the byte.
func TestDocumentsComeBackAsTheyWere(t *testing.T) {
	texts := map[string]string{
		"crlf":     "a;b\r\n1,5;\"x;y\"\r\n",
		"all":      "\"a\",\"b\"\n\"1\",\"2\"\n",
		"texts":    "\"a\",\"b\"\n\"x\",2\n",
		"no end":   "a,b\n1,2",
		"mac":      "a,b\r1,2\r",
		"bom":      "\xef\xbb\xbfa,b\r\n",
		"utf-16":   "\xff\xfea\x00;\x00\xe9\x00\r\x00\n\x00",
		"utf-16be": "\xfe\xff\x00a\x00,\x00b\x00\n",
		"1252":     "caf\xe9,\x80\n",
		"sep":      "sep=;\r\na;b\r\n",
		"needless": "a,\"needless\"\n\"quotes\",b\n",
		"empty":    "",
		"ragged":   "a\n\nb,c,d\n,\n",
	}
	files, _ := filepath.Glob("../../../../../shared/corpus/csv/*")
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(path)] = string(data)
	}
	for name, text := range texts {
		table := open(t, text)
		doc, err := Load(t.Context(), table)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var b bytes.Buffer
		if err := doc.Write(&b); err != nil || b.String() != text {
			t.Errorf("%s: %v, %+v\n got %q\nwant %q", name, err, table.Dialect(), clipped(b.String()), clipped(text))
		}
	}
}

func clipped(s string) string { return s[:min(len(s), 300)] }

// Amounts in thousands say as much of the decimal comma as small ones do.
func TestGroupedNumbersTellTheDialect(t *testing.T) {
	table := open(t, "name;amount\r\nrent;1.234,50\r\nfood;-2.345,00\r\n")
	if d := table.Dialect(); !d.DecimalComma || d.Quoting != QuoteMinimal {
		t.Errorf("%+v", d)
	}
	cell, err := table.Cell(t.Context(), 0, sheet.Ref{Col: 2, Row: 2})
	if err != nil || cell.Value != sheet.Num(1234.5) || cell.Text != "1.234,50" {
		t.Errorf("%+v, %v", cell, err)
	}
}

// A letter that the file's encoding lacks was written as a control character.
func TestLettersThatAnEncodingLacks(t *testing.T) {
	doc, err := Load(t.Context(), open(t, "Name;Ort\nJ\xfcrgen;K\xf6ln\n"))
	if err != nil {
		t.Fatal(err)
	}
	at := sheet.Ref{Col: 1, Row: 3}
	if err := doc.Set(at, sheet.Str("Łódź")); err == nil || !strings.Contains(err.Error(), "'Ł'") {
		t.Errorf("%v", err)
	}
	if err := doc.Set(at, sheet.Str("Zoë €")); err != nil {
		t.Error(err)
	}
	var b bytes.Buffer
	if err := doc.Write(&b); err != nil || b.String() != "Name;Ort\nJ\xfcrgen;K\xf6ln\nZo\xeb \x80\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func TestChangesKeepTheDialect(t *testing.T) {
	doc, err := Load(t.Context(), open(t, "\"name\";\"price\"\r\n\"x\";1,50\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	doc.Set(sheet.Ref{Col: 2, Row: 3}, sheet.Num(2.5))
	doc.Set(sheet.Ref{Col: 1, Row: 3}, sheet.Str("say \"hi\""))
	doc.Set(sheet.Ref{Col: 3, Row: 1}, sheet.Serial(45322))
	doc.InsertRows(1, 1)
	var b bytes.Buffer
	if err := doc.Write(&b); err != nil {
		t.Fatal(err)
	}
	if want := "\"name\";\"price\";\"2024-01-31\"\r\n;;\r\n\"x\";1,50\r\n\"say \"\"hi\"\"\";2,5\r\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	doc.DeleteRows(2, 2)
	doc.DeleteColumns(1, 1)
	doc.InsertColumns(1, 1)
	b.Reset()
	doc.Write(&b)
	if want := "\"price\";;\"2024-01-31\"\r\n2,5\r\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestSafeWriterNeutralisesFormulas(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, Dialect{})
	w.Safe()
	w.Row([]sheet.Value{sheet.Str("=1+1"), sheet.Str("@x"), sheet.Num(-5), sheet.Str("-5x"), sheet.Str("plain"), sheet.Boolean(true), sheet.Err("#N/A"), {}})
	w.Close()
	if want := "'=1+1,'@x,-5,'-5x,plain,TRUE,#N/A,\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func long(rows int) string {
	var b strings.Builder
	for r := 1; r <= rows; r++ {
		fmt.Fprintf(&b, "%d,name %d,\"quoted, %d\",%d.25,2024-01-%02d\n", r, r, r, r%977, r%28+1)
	}
	return b.String()
}

func TestIndexedReadsAgree(t *testing.T) {
	text := long(60_000)
	table := open(t, text)
	for _, row := range []int{59_000, 59_000, 1, 30_000, 60_000, 12_345} {
		got := 0
		err := table.Rows(t.Context(), 0, sheet.Range{MinCol: 1, MinRow: row, MaxCol: 1, MaxRow: row}, func(_ int, cells []sheet.Cell) error {
			got = int(cells[0].Num)
			return nil
		})
		if err != nil || got != row {
			t.Errorf("row %d: %d, %v", row, got, err)
		}
	}
	if used, ok, err := table.Used(t.Context(), 0); !ok || err != nil || used.String() != "A1:E60000" {
		t.Errorf("%v %v %v", used, ok, err)
	}
	if d, err := table.Cell(t.Context(), 0, sheet.Ref{Col: 4, Row: 2}); err != nil || d.Text != "2.25" || d.Value.Num != 2.25 {
		t.Errorf("%+v %v", d, err)
	}
	if n := len(table.points); n < 5 {
		t.Errorf("%d points", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Load(ctx, table); problem.CodeOf(err) != problem.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// Whatever a file holds, its cells come back from what is written.
func FuzzDocument(f *testing.F) {
	for _, text := range []string{"a,b\n1,2\n", "\"a\";\"b\"\r\n\"x\"\"y\";1,5", "sep=|\na|b", "\xff\xfea\x00,\x00b\x00", "caf\xe9\t1\r", "a,\"b\nc"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := Open(t.Context(), bytes.NewReader(data), int64(len(data)), Options{})
		if err != nil {
			return
		}
		doc, err := Load(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		dump(t, table)
		var b bytes.Buffer
		if err := doc.Write(&b); err != nil {
			t.Fatal(err)
		}
		again := &Table{src: bytes.NewReader(b.Bytes()), size: int64(b.Len()), start: table.start, dialect: table.dialect}
		if d := table.Dialect(); d.Encoding != UTF8 || d.SepLine {
			return // what an encoding cannot hold changes
		}
		if first, second := dump(t, table), dump(t, again); first != second && !strings.Contains(string(data), `"`) {
			t.Errorf("%q: %q became %q", data, first, second)
		}
	})
}

func BenchmarkTable(b *testing.B) {
	text := long(1_000_000)
	b.SetBytes(int64(len(text)))
	b.Run("read all", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			n := 0
			open(b, text).Rows(b.Context(), 0, sheet.All(), func(_ int, cells []sheet.Cell) error { n += len(cells); return nil })
			if n != 5_000_000 {
				b.Fatal(n)
			}
		}
	})
	b.Run("warm 50 rows at row 900k", func(b *testing.B) {
		table := open(b, text)
		table.Used(b.Context(), 0)
		for b.Loop() {
			n := 0
			table.Rows(b.Context(), 0, sheet.Range{MinCol: 1, MinRow: 900_000, MaxCol: 1, MaxRow: 900_049}, func(int, []sheet.Cell) error { n++; return nil })
			if n != 50 {
				b.Fatal(n)
			}
		}
	})
}
