package xlsx

import (
	"archive/zip"
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// large makes a workbook as Excel would write it: shared strings, dates, decimals.
func large(t testing.TB, rows, cols int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	usual, err := zip.NewReader(bytes.NewReader(book("")), int64(len(book(""))))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range usual.File {
		if f.Name != "xl/worksheets/sheet1.xml" {
			if err := z.Copy(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	w, _ := z.Create("xl/styles.xml")
	fmt.Fprintf(w, `<styleSheet %s><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="4"/></cellXfs></styleSheet>`, mainNS)
	w, _ = z.Create("xl/sharedStrings.xml")
	fmt.Fprintf(w, `<sst %s>`, mainNS)
	for i := range 5000 {
		fmt.Fprintf(w, `<si><t>Customer name %d</t></si>`, i)
	}
	fmt.Fprint(w, `</sst>`)
	w, _ = z.Create("xl/worksheets/sheet1.xml")
	fmt.Fprintf(w, `<worksheet %s><dimension ref="A1:B2"/><sheetData>`, mainNS)
	var line bytes.Buffer
	for r := 1; r <= rows; r++ {
		line.Reset()
		fmt.Fprintf(&line, `<row r="%d" spans="1:%d">`, r, cols)
		for c := 1; c <= cols; c++ {
			ref := sheet.Ref{Col: c, Row: r}
			n := r*7919 + c*104729
			switch c % 5 {
			case 0:
				fmt.Fprintf(&line, `<c r="%s" t="s"><v>%d</v></c>`, ref, n%5000)
			case 1:
				fmt.Fprintf(&line, `<c r="%s"><v>%d</v></c>`, ref, r)
			case 2:
				fmt.Fprintf(&line, `<c r="%s" s="2"><v>%d.%02d</v></c>`, ref, n%100_000, n%97)
			case 3:
				fmt.Fprintf(&line, `<c r="%s" s="1"><v>%d</v></c>`, ref, 25_000+n%6000)
			default:
				fmt.Fprintf(&line, `<c r="%s"><v>%d</v></c>`, ref, n%1000)
			}
		}
		line.WriteString("</row>")
		w.Write(line.Bytes())
	}
	fmt.Fprint(w, `</sheetData><mergeCells><mergeCell ref="A1:B1"/></mergeCells></worksheet>`)
	z.Close()
	return b.Bytes()
}

// Whatever was read before, and by how many at once, a range reads the same.
func TestIndexedReadsAgree(t *testing.T) {
	data := large(t, 25_000, 8)
	reference := open(t, data)
	var all []string
	err := reference.Rows(t.Context(), 0, sheet.All(), func(row int, cells []sheet.Cell) error {
		if row != len(all)+1 {
			t.Fatalf("row %d after %d", row, len(all))
		}
		all = append(all, fmt.Sprint(cells))
		return nil
	})
	if err != nil || len(all) != 25_000 {
		t.Fatalf("%d rows, %v", len(all), err)
	}
	if n := len(reference.sheets[0].index.points); n < 5 {
		t.Fatalf("the index has %d points", n)
	}
	check := func(wb *Workbook, first, last int) {
		next := first
		err := wb.Rows(t.Context(), 0, sheet.Range{MinCol: 1, MinRow: first, MaxCol: 8, MaxRow: last}, func(row int, cells []sheet.Cell) error {
			if row != next || fmt.Sprint(cells) != all[row-1] {
				t.Errorf("row %d: %v, want row %d: %s", row, cells, next, all[next-1])
				return sheet.Stop
			}
			next++
			return nil
		})
		if err != nil || next != last+1 {
			t.Errorf("%d to %d: ended at %d, %v", first, last, next, err)
		}
	}
	fresh := open(t, data)
	check(fresh, 19_000, 19_010) // cold
	check(fresh, 19_000, 19_010) // by the index
	check(fresh, 24_990, 25_000) // further than the index reaches
	check(fresh, 1, 3)
	for row := 500; row < 25_000; row += 1997 {
		check(fresh, row, row+2)
	}
	shared := open(t, data)
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			for row := 1 + i*1000; row < 24_000; row += 7001 {
				check(shared, row, row+5)
			}
		})
	}
	wait.Wait()
}

func TestSurveyOfALargeSheet(t *testing.T) {
	wb := open(t, large(t, 15_000, 7))
	used, ok, err := wb.Used(t.Context(), 0)
	if !ok || err != nil || used.String() != "A1:G15000" {
		t.Errorf("used %v, %v, %v", used, ok, err)
	}
	merged, err := wb.Merged(t.Context(), 0)
	if err != nil || fmt.Sprint(merged) != "[A1:B1]" {
		t.Errorf("merged %v, %v", merged, err)
	}
	if size := wb.Size(); size < 100_000 || size > 4<<20 {
		t.Errorf("size %d", size)
	}
}

var bench struct {
	sync.Mutex
	books map[string][]byte
}

func benchBook(b *testing.B, rows, cols int) []byte {
	bench.Lock()
	defer bench.Unlock()
	key := fmt.Sprint(rows, "x", cols)
	if bench.books == nil {
		bench.books = map[string][]byte{}
	}
	if bench.books[key] == nil {
		bench.books[key] = large(b, rows, cols)
	}
	return bench.books[key]
}

func BenchmarkRead(b *testing.B) {
	data := benchBook(b, 100_000, 20)
	b.Logf("the workbook has %d MB", len(data)>>20)
	read := func(b *testing.B, wb *Workbook, within string) (cells int) {
		r, err := sheet.ParseRange(within)
		if err != nil {
			b.Fatal(err)
		}
		err = wb.Rows(b.Context(), 0, r, func(_ int, row []sheet.Cell) error { cells += len(row); return nil })
		if err != nil {
			b.Fatal(err)
		}
		return cells
	}
	b.Run("open and read A1:D50", func(b *testing.B) {
		for b.Loop() {
			if n := read(b, open(b, data), "A1:D50"); n != 200 {
				b.Fatal(n)
			}
		}
	})
	b.Run("cold 50 cells at row 90k", func(b *testing.B) {
		for b.Loop() {
			if n := read(b, open(b, data), "B90000:B90049"); n != 50 {
				b.Fatal(n)
			}
		}
	})
	b.Run("warm 50 cells at row 90k", func(b *testing.B) {
		wb := open(b, data)
		read(b, wb, "B90000:B90049")
		for b.Loop() {
			if n := read(b, wb, "B90000:B90049"); n != 50 {
				b.Fatal(n)
			}
		}
		b.ReportMetric(float64(wb.Size())/1e6, "MB-kept")
	})
	b.Run("read all", func(b *testing.B) {
		for b.Loop() {
			if n := read(b, open(b, data), ""); n != 2_000_000 {
				b.Fatal(n)
			}
		}
	})
	b.Run("read all by pages, extent first", func(b *testing.B) {
		for b.Loop() {
			wb, cells := open(b, data), 0
			for from := 1; ; from += 1000 {
				used, _, err := wb.Used(b.Context(), 0)
				if err != nil {
					b.Fatal(err)
				}
				if from > used.MaxRow {
					break
				}
				cells += read(b, wb, fmt.Sprintf("A%d:T%d", from, from+999))
			}
			if cells != 2_000_000 {
				b.Fatal(cells)
			}
		}
	})
	b.Run("survey", func(b *testing.B) {
		for b.Loop() {
			if used, _, _ := open(b, data).Used(b.Context(), 0); used.MaxRow != 100_000 {
				b.Fatal(used)
			}
		}
	})
}

// A million rows leave little behind.
func BenchmarkMemoryOfAMillionRows(b *testing.B) {
	data := benchBook(b, 1_000_000, 5)
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		wb := open(b, data)
		n, most := 0, uint64(0)
		err := wb.Rows(b.Context(), 0, sheet.All(), func(row int, cells []sheet.Cell) error {
			if n += len(cells); row%100_000 == 0 {
				runtime.ReadMemStats(&after)
				most = max(most, after.HeapInuse)
			}
			return nil
		})
		if err != nil || n != 5_000_000 {
			b.Fatal(n, err)
		}
		b.ReportMetric(float64(most-min(most, before.HeapInuse))/1e6, "MB-peak")
		b.ReportMetric(float64(wb.Size())/1e6, "MB-kept")
	}
}

// A sheet that is read by pages is inflated once, although the index would lead back to
// before each page, and whatever lies between the pages of one.
func TestPagesAreReadOnce(t *testing.T) {
	data := large(t, 25_000, 8)
	wb := open(t, data)
	s := wb.sheets[0]
	page := func(wb *Workbook, first, last int) (rows []int) {
		t.Helper()
		err := wb.Rows(t.Context(), 0, sheet.Range{MinCol: 1, MinRow: first, MaxCol: 8, MaxRow: last}, func(row int, cells []sheet.Cell) error {
			if cells[0].Num != float64(row) {
				t.Fatalf("row %d begins with %v", row, cells[0])
			}
			rows = append(rows, row)
			return nil
		})
		if err != nil || len(rows) != min(last, 25_000)-first+1 {
			t.Fatalf("rows %d to %d: %d of them, %v", first, last, len(rows), err)
		}
		return rows
	}
	page(wb, 1, 1000)
	kept := wb.cursor.rs
	for first := 1001; first < 25_000; first += 1000 {
		page(wb, first, first+999)
		if first < 24_000 && wb.cursor.rs != kept {
			t.Fatalf("the page from row %d began anew", first)
		}
	}
	if n := len(s.index.points); n < 5 {
		t.Errorf("the index has %d points", n)
	}
	page(wb, 10, 20) // back
	page(wb, 21, 21) // the row that ended the pass before
	page(wb, 21, 30) // once more
	page(wb, 35, 40) // some are left out
	page(wb, 20_000, 20_001)
	page(wb, 24_999, 26_000)

	// A kept scanner has found a row already that another call wants.
	first, second := open(t, data), open(t, data)
	for row := 1; row < 5000; row += 7 {
		page(first, row, row+6)
		page(second, row, row+3)
	}
}
