package xlsx

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// What a view shows of edits is what is read after they are written.
func TestViewIsWhatIsWritten(t *testing.T) {
	yes, code, date, red := true, "0.00", "yyyy", "FF0000"
	for _, path := range corpus(t) {
		name := filepath.Base(path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if refused[name] != "" {
			continue
		}
		rnd := rand.New(rand.NewPCG(uint64(len(data)), 3))
		wb := open(t, data)
		var e Edits
		list := steps(t, wb, rnd, 8)
		if len(list) == 0 {
			continue
		}
		for k, s := range list {
			if err := s.edit(t.Context(), wb, &e); err != nil {
				continue
			}
			within := sheet.Range{MinCol: s.cell.Col, MinRow: s.cell.Row, MaxCol: s.cell.Col + 2, MaxRow: s.cell.Row + 3}
			switch k {
			case 1:
				e.SetStyle(s.sheet, within, StyleChange{Bold: &yes, NumberFormat: &code})
			case 3:
				e.SetStyle(s.sheet, within, StyleChange{NumberFormat: &date, Color: &red})
				e.Set(s.sheet, s.cell, sheet.Num(45_000))
			case 4:
				e.Set(s.sheet, s.cell, sheet.Serial(45_000.5))
			case 5:
				e.SetFormula(s.sheet, s.cell, "SUM(A1:B2)")
			case 6:
				e.Set(s.sheet, s.cell, sheet.Value{})
			}
		}
		view := wb.With(&e)
		after := open(t, rewritten(t, wb, &e))
		sheets := map[int]bool{}
		for _, s := range list {
			sheets[s.sheet] = true
		}
		for _, i := range slices.Sorted(maps.Keys(sheets)) {
			used, ok, err := view.Used(t.Context(), i)
			wantUsed, wantOK, _ := after.Used(t.Context(), i)
			if err != nil || used != wantUsed || ok != wantOK {
				t.Errorf("%s: sheet %d: used %v %v, want %v %v (%v)", name, i, used, ok, wantUsed, wantOK, err)
			}
			got, _ := view.Merged(t.Context(), i)
			want, _ := after.Merged(t.Context(), i)
			if !slices.Equal(got, want) {
				t.Errorf("%s: sheet %d: merged %v, want %v", name, i, got, want)
			}
			for _, within := range []sheet.Range{sheet.All(), {MinCol: 2, MinRow: 2, MaxCol: 4, MaxRow: 9}, {MinCol: 1, MinRow: 3, MaxCol: 3, MaxRow: sheet.Unbounded}} {
				a, b := shown(t, view, i, within), shown(t, after, i, within)
				for k := range max(len(a), len(b)) {
					if k >= len(a) || k >= len(b) || a[k] != b[k] {
						t.Errorf("%s: sheet %d, %v of %v:\nview    %v\nwritten %v", name, i, within, list, a[min(k, len(a)):min(k+1, len(a))], b[min(k, len(b)):min(k+1, len(b))])
						break
					}
				}
			}
			for k := range 20 {
				at := sheet.Ref{Col: 1 + rnd.IntN(used.MaxCol+2), Row: 1 + rnd.IntN(used.MaxRow+2)}
				if k < len(list) && list[k].sheet == i {
					at = list[k].cell
				}
				a, err := view.Cell(t.Context(), i, at)
				if err != nil {
					t.Fatal(err)
				}
				b, err := after.Cell(t.Context(), i, at)
				if err != nil {
					t.Fatal(err)
				}
				if x, y := detail(a), detail(b); x != y {
					t.Errorf("%s: sheet %d, %s of %v:\nview    %s\nwritten %s", name, i, at, list, x, y)
				}
			}
		}
	}
}

func detail(d sheet.Detail) string {
	look := sheet.Style{}
	if d.Style != nil {
		look = *d.Style
	}
	d.Style = nil
	return fmt.Sprintf("%+v %+v", d, look)
}

func shown(t *testing.T, book sheet.Book, i int, within sheet.Range) (list []string) {
	err := book.Rows(t.Context(), i, within, func(row int, cells []sheet.Cell) error {
		for _, c := range cells {
			list = append(list, fmt.Sprintf("%s %v %v %q", sheet.Ref{Col: int(c.Col), Row: row}, c.Value, c.Formula, book.Text(c)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
