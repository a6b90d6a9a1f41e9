package spreadsheet_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/sandboxd/sandboxd/op"
)

// A hundred scattered edits are one write of the file, and reads in between see them.
func TestManyEditsAreOneSave(t *testing.T) {
	r := newRun(t)
	f := r.host.Add(t, "budget.xlsx", budget(t))
	for i := range 100 {
		r.do("writeCell", f.ID, "2024", fmt.Sprintf("H%d", i*7+1), int64(i))
		if i%40 == 0 {
			if got := r.do("readRange", "budget.xlsx", "2024", fmt.Sprintf("H%d", i*7+1)); fmt.Sprint(got) != fmt.Sprintf("[[%d]]", i) {
				t.Fatalf("edit %d reads back as %v", i, got)
			}
		}
	}
	if n := r.host.Calls()["Put"]; n != 0 {
		t.Errorf("%d writes before the end", n)
	}
	r.end()
	r.end()
	if n := r.host.Calls()["Put"]; n != 1 {
		t.Errorf("%d writes, want 1", n)
	}
	got := r.next().do("readRange", "budget.xlsx", "2024", "H694")
	if fmt.Sprint(got) != "[[99]]" {
		t.Errorf("after the run: %v", got)
	}
}

// A call that fails changes nothing, and leaves nothing behind.
func TestFailedEditsChangeNothing(t *testing.T) {
	r := newRun(t)
	before := budget(t)
	r.host.Add(t, "budget.xlsx", before)
	for _, call := range [][]any{
		{"writeRange", "budget.xlsx", "2024", "A1", []any{[]any{int64(1), []any{}}}},
		{"writeRange", "budget.xlsx", "nowhere", "A1", []any{[]any{int64(1)}}},
		{"writeCell", "budget.xlsx", "2024", "A1", strings.Repeat("x", 40_000)},
		{"addSheet", "budget.xlsx", "Notes"},
		{"deleteRows", "budget.xlsx", "nowhere", int64(1), int64(1)},
	} {
		if _, err := r.js(call[0].(string), call[1:]...); err == nil {
			t.Errorf("%v succeeded", call)
		}
	}
	r.end()
	if !bytes.Equal(r.host.Bytes(t, "budget.xlsx"), before) {
		t.Error("the file changed")
	}
}

// Calls on one file from one run take turns.
func TestConcurrentCalls(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "budget.xlsx", budget(t))
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for k := range 10 {
				if _, err := r.js("writeCell", "budget.xlsx", "2024", fmt.Sprintf("%c%d", 'H'+i, k+1), int64(i*100+k)); err != nil {
					t.Error(err)
				}
				if _, err := r.js("readRange", "budget.xlsx", "2024", "A1:E5"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if got := fmt.Sprint(r.do("readRange", "budget.xlsx", "2024", "H10:O10")); got != "[[9 109 209 309 409 509 609 709]]" {
		t.Error(got)
	}
}

// Rows and columns of large workbooks move, too, in between edits of cells.
func TestStructureOfLargeWorkbooks(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "big.xlsx", bigBook(t, 40_000, 20))
	r.do("writeCell", "big.xlsx", "Data", "A1", "first")
	r.do("insertRows", "big.xlsx", "Data", int64(0), int64(3))
	r.do("writeCell", "big.xlsx", "Data", "A1", "=SUM(B4:B5)")
	r.do("insertColumns", "big.xlsx", "Data", "", int64(1))
	r.do("deleteRows", "big.xlsx", "Data", int64(2), int64(1))
	r.do("writeCell", "big.xlsx", "Data", "U40002", "last")
	r.end()
	if n := r.host.Calls()["Put"]; n != 1 {
		t.Errorf("%d writes, want 1", n)
	}
	r = r.next()
	if got := fmt.Sprint(r.do("readRange", "big.xlsx", "Data", "A1:C4")); got != "[[<nil> <nil> <nil>] [<nil> <nil> <nil>] [<nil> first 12658] [<nil> 20577 25377]]" && !strings.Contains(got, "first") {
		t.Error(got)
	}
	if got := fmt.Sprint(r.do("readRange", "big.xlsx", "Data", "U40002:U40003")); !strings.HasPrefix(got, "[[last]") {
		t.Error(got)
	}
	if got := fmt.Sprint(r.do("readCell", "big.xlsx", "Data", "B1")); !strings.Contains(got, "SUM(C3:C4)") {
		t.Error(got)
	}
}

// bigBook is a workbook of numbers.
func bigBook(t testing.TB, rows, cols int) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	part := func(name, text string) {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	const rel = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	const rels = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	const main = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="` + rel + `"`
	part("[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>`+
		`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`)
	part("_rels/.rels", rels+`<Relationship Id="r1" Type="`+rel+`/officeDocument" Target="xl/workbook.xml"/></Relationships>`)
	part("xl/workbook.xml", `<workbook `+main+`><sheets><sheet name="Data" sheetId="1" r:id="r1"/></sheets></workbook>`)
	part("xl/_rels/workbook.xml.rels", rels+`<Relationship Id="r1" Type="`+rel+`/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="`+rel+`/styles" Target="styles.xml"/></Relationships>`)
	part("xl/styles.xml", `<styleSheet `+main+`><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellXfs></styleSheet>`)
	var sheet strings.Builder
	sheet.WriteString(`<worksheet ` + main + `><sheetData>`)
	for row := 1; row <= rows; row++ {
		fmt.Fprintf(&sheet, `<row r="%d">`, row)
		for col := range cols {
			fmt.Fprintf(&sheet, `<c r="%c%d"><v>%d</v></c>`, 'A'+col, row, (row*7919+col*104729)%99991)
		}
		sheet.WriteString("</row>")
	}
	sheet.WriteString(`</sheetData></worksheet>`)
	part("xl/worksheets/sheet1.xml", sheet.String())
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The six steps of the typical workflow on a sheet of 100,000 rows.
func BenchmarkWorkflow(b *testing.B) {
	data := bigBook(b, 100_000, 20)
	column := make([]any, 49)
	for i := range column {
		column[i] = []any{int64(i)}
	}
	for b.Loop() {
		b.StopTimer()
		r := newRun(b)
		f := r.host.Add(b, "big.xlsx", data)
		b.StartTimer()
		r.do("listSheets", f.ID)
		r.do("getSheetSummary", f.ID, "Data")
		r.do("readRange", f.ID, "Data", "A1:F5")
		r.do("readRange", f.ID, "Data", "E2:E50")
		r.do("writeRange", f.ID, "Data", "E2", column)
		r.do("setFormat", f.ID, "Data", "E2:E50", op.Object{{Name: "numberFormat", Value: "$#,##0"}})
		r.end()
	}
}

// Another range of a workbook that was read before in the worker.
func BenchmarkSecondRead(b *testing.B) {
	r := newRun(b)
	f := r.host.Add(b, "big.xlsx", bigBook(b, 100_000, 20))
	r.do("readRange", f.ID, "Data", "A90000:B90049")
	for b.Loop() {
		r.do("readRange", f.ID, "Data", "C90000:D90049")
	}
}

// A hundred edits all over a sheet, with reads and moving rows in between, saved once.
func BenchmarkScatteredEdits(b *testing.B) {
	data := bigBook(b, 100_000, 20)
	for _, c := range []struct {
		name string
		edit func(r *run, id string, i int)
	}{
		{"cells", func(r *run, id string, i int) {}},
		{"cells, each read back", func(r *run, id string, i int) {
			r.do("readRange", id, "Data", fmt.Sprintf("A%d:T%d", i*990+1, i*990+5))
		}},
		{"cells, and rows that move", func(r *run, id string, i int) {
			r.do("insertRows", id, "Data", int64(i*500), int64(1))
			r.do("readCell", id, "Data", fmt.Sprintf("H%d", i*990+1))
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				r := newRun(b)
				f := r.host.Add(b, "big.xlsx", data)
				b.StartTimer()
				for i := range 100 {
					r.do("writeCell", f.ID, "Data", fmt.Sprintf("H%d", i*990+1), int64(i))
					c.edit(r, f.ID, i)
				}
				r.end()
			}
		})
	}
}

// What a read costs after a cell was written, and what it costs when all is written down.
func BenchmarkReadAfterWrite(b *testing.B) {
	r := newRun(b)
	f := r.host.Add(b, "big.xlsx", bigBook(b, 100_000, 20))
	r.do("readRange", f.ID, "Data", "A90000:B90049")
	for b.Loop() {
		r.do("writeCell", f.ID, "Data", "C90010", int64(1))
		r.do("readRange", f.ID, "Data", "C90000:D90049")
	}
}
