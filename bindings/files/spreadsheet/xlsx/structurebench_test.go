package xlsx

import (
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

func BenchmarkStructure(b *testing.B) {
	data := benchBook(b, 100_000, 20)
	for _, c := range []struct {
		name string
		edit func(wb *Workbook, e *Edits)
	}{
		{"100 rows inserted", func(wb *Workbook, e *Edits) { e.InsertRows(b.Context(), wb, 0, 5, 100) }},
		{"1000 rows deleted", func(wb *Workbook, e *Edits) { e.DeleteRows(b.Context(), wb, 0, 500, 1000) }},
		{"a column inserted", func(wb *Workbook, e *Edits) { e.InsertColumns(b.Context(), wb, 0, 3, 1) }},
		{"100 rows inserted here and there, with 100 cells", func(wb *Workbook, e *Edits) {
			for k := range 100 {
				e.InsertRows(b.Context(), wb, 0, 900*k, 1)
				e.Set(0, sheet.Ref{Col: 3, Row: 950*k + 1}, sheet.Num(1))
			}
		}},
		{"100 cells", func(wb *Workbook, e *Edits) {
			for k := range 100 {
				e.Set(0, sheet.Ref{Col: 3, Row: 950*k + 1}, sheet.Num(1))
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				wb := open(b, data)
				var e Edits
				c.edit(wb, &e)
				if err := wb.Rewrite(b.Context(), io.Discard, &e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("peak", func(b *testing.B) {
		for b.Loop() {
			runtime.GC()
			stop, done := make(chan bool), make(chan uint64)
			go func() {
				var most uint64
				for {
					select {
					case <-stop:
						done <- most
						return
					case <-time.After(5 * time.Millisecond):
						var m runtime.MemStats
						runtime.ReadMemStats(&m)
						most = max(most, m.HeapInuse)
					}
				}
			}()
			wb := open(b, data)
			var e Edits
			e.InsertRows(b.Context(), wb, 0, 5, 100)
			wb.Rewrite(b.Context(), io.Discard, &e)
			close(stop)
			b.ReportMetric(float64(<-done)/(1<<20), "MB-heap")
		}
	})
}
