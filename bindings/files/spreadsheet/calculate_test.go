package spreadsheet_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

func seconds(n int64) op.Object { return op.Object{{Name: "seconds", Value: n}} }

// A column in which each row adds to the one above, as in every account book.
func TestCalculateRunningBalance(t *testing.T) {
	r := newRun(t)
	rows := []any{[]any{int64(1), "=A1"}}
	for row := 2; row <= 3000; row++ {
		rows = append(rows, []any{int64(1), fmt.Sprintf("=B%d+A%d", row-1, row)})
	}
	r.do("create", "balance.xlsx", op.Object{{Name: "sheets", Value: []any{
		op.Object{{Name: "name", Value: "s"}, {Name: "rows", Value: rows}}}}})
	start := time.Now()
	// All of it, and the last one alone.
	for _, within := range []string{"B1:B3000", "B3000"} {
		out := r.do("calculate", "balance.xlsx", "s", within, seconds(60)).(op.Object)
		values := out[0].Value.([][]any)
		if last := values[len(values)-1][0]; last != int64(3000) {
			t.Errorf("%s: the last balance is %v", within, last)
		}
	}
	t.Logf("3000 formulas in a chain, twice: %v", time.Since(start))
}

// What does not end is left behind at the deadline, and said to be: nothing may use the
// process again while it goes on.
func TestCalculateDoesNotHang(t *testing.T) {
	r := newRun(t)
	rows := []any{[]any{int64(1), "=A1+1", "=POISSON(200000,5,TRUE)", "=A1+2"}} // it takes 20 s
	r.do("create", "bomb.xlsx", op.Object{{Name: "sheets", Value: []any{
		op.Object{{Name: "name", Value: "s"}, {Name: "rows", Value: rows}}}}})
	start := time.Now()
	out, err := r.js("calculate", "bomb.xlsx", "s", "A1:D1", seconds(4))
	if took := time.Since(start); err != nil || took > time.Minute && !testing.Short() {
		t.Fatalf("it took %v, %v", took, err)
	}
	if cells := fmt.Sprint(out.(op.Object)[1].Value); !strings.Contains(cells, "{value 2} {source computed}") || strings.Count(cells, "longer than 4s") != 2 {
		t.Errorf("B1 comes before the deadline, C1 and D1 do not: %s", cells)
	}
	if !r.env.Abandoned() {
		t.Error("the sum goes on, and nobody would know")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o, _ := table.Lookup("files.spreadsheet.calculate")
	in, _ := o.BindJS([]any{"bomb.xlsx", "s", "A1:D1"})
	if _, err := o.Call(ctx, r.env, in); problem.CodeOf(err) != problem.Canceled {
		t.Errorf("with a context that has ended: %v", err)
	}
}

// Every workbook of the corpus, those on which the library panics or does not end among
// them, answers in time.
func TestCalculateCorpus(t *testing.T) {
	paths, _ := filepath.Glob("../../../../shared/corpus/xlsx/*.xlsx")
	if len(paths) == 0 {
		t.Skip("the corpus is not here")
	}
	if testing.Short() {
		t.Skip("takes a while")
	}
	computed, cached, failed := 0, 0, 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r := newRun(t)
		r.host.Add(t, "b.xlsx", data)
		sheets, err := r.js("listSheets", "b.xlsx")
		if err != nil {
			continue
		}
		for _, s := range sheets.([]any)[:min(2, len(sheets.([]any)))] {
			name := s.(op.Object)[0].Value
			start := time.Now()
			out, err := r.js("calculate", "b.xlsx", name, "A1:Z200", seconds(10))
			if took := time.Since(start); took > 2*time.Minute {
				t.Errorf("%s: %v", filepath.Base(path), took)
			}
			if err != nil {
				if problem.CodeOf(err) == problem.Internal {
					t.Errorf("%s, %s: %v", filepath.Base(path), name, err)
				}
				failed++
				continue
			}
			for _, m := range out.(op.Object) {
				switch m.Name {
				case "computed":
					computed += int(m.Value.(int64))
				case "cached":
					cached += int(m.Value.(int64))
				}
			}
		}
	}
	t.Logf("%d formulas computed, %d kept, %d sheets refused", computed, cached, failed)
	if computed < 1000 {
		t.Errorf("only %d formulas were computed", computed)
	}
}

// Formulas that go in a circle came out as if it had begun with nothing, each with another
// number, and nothing said so.
func TestCalculateTellsCircles(t *testing.T) {
	r := newRun(t)
	sheetOf := func(name string, rows ...any) op.Object {
		return op.Object{{Name: "name", Value: name}, {Name: "rows", Value: rows}}
	}
	r.do("create", "circles.xlsx", op.Object{{Name: "sheets", Value: []any{
		sheetOf("s",
			[]any{"=B1+1", "=C1+1", "=A1+1", "=A1*2", "=E1", "=F2+1"},
			[]any{int64(1), "=A2+1", "=SUM(A2:B2)", "=SUM(A2:D2)", "=IF(A2>0,1,E2)", "='t u'!A1"},
			[]any{"=D2", "=ROW(B3)", "=SUM(A:A)", "=other+1", "=\"A1\"&A2", "=F2"}),
		sheetOf("t u", []any{"=s!F2*2", "=A2"}),
	}}})
	out := r.do("calculate", "circles.xlsx", "s").(op.Object)
	want := map[string]string{
		"A1": "the formula refers to itself, by way of B1", "B1": "the formula refers to itself, by way of A1", "C1": "the formula refers to itself, by way of A1",
		"D1": "the formula reads a circular reference, at B1", "E1": "the formula refers to itself", "F1": "the formula reads a circular reference, at 't u'!$A$1",
		"B2": "", "C2": "", "D2": "the formula refers to itself", "E2": "", "F2": "the formula refers to itself, by way of 't u'!$A$1",
		"A3": "the formula reads a circular reference, at D2", "B3": "", "C3": "the formula reads a circular reference, at B1", "E3": "",
		"F3": "the formula reads a circular reference, at 't u'!$A$1",
	}
	for _, v := range out[1].Value.([]any) {
		cell := map[string]any{}
		for _, m := range v.(op.Object) {
			cell[m.Name] = m.Value
		}
		at := cell["cell"].(string)
		why, known := want[at]
		if !known {
			continue
		}
		if got, _ := cell["why"].(string); got != why {
			t.Errorf("%s, %v: %q, want %q", at, cell["formula"], got, why)
		}
		if shown := fmt.Sprint(cell["value"]); (shown == "[{error #CIRC!}]") != (why != "") {
			t.Errorf("%s is %s", at, shown)
		}
		delete(want, at)
	}
	if len(want) > 0 {
		t.Errorf("no answer for %v", want)
	}
}

// A formula reads what decides about its other arguments: a circle through the condition of
// an IF, or through the number of an INDEX, was computed as if it had begun with nothing.
func TestCalculateTellsCirclesThroughConditions(t *testing.T) {
	r := newRun(t)
	rows := []any{
		[]any{"=IF(B1>0,B1,1)", "=A1+1"},
		[]any{"=IF(TRUE,1,B2)", "=A2+1"},
		[]any{"=INDEX(C1:C9,B3)", "=A3"},
		[]any{"=INDEX(A3:C9,1,3)+ROW(A4)+ROWS(A1:A9)", int64(3), int64(5)},
		[]any{"=1+1", int64(7)},
		[]any{"=IFERROR(B6,0)", "=A6"},
		[]any{"=IF(FALSE,IF(B7>1,1,2),4)", "=A7"},
		[]any{"=OFFSET(C1,B8,0)", "=IF(\"a,(\"=\"b\",\"c\",2)*A8"},
		[]any{"=CHOOSE(IF(C4>1,2,B9),B9,3)", "=A9"},
	}
	r.do("create", "circles.xlsx", op.Object{{Name: "sheets", Value: []any{op.Object{{Name: "name", Value: "s"}, {Name: "rows", Value: rows}}}}})
	values, _ := calculatedCells(t, r, "circles.xlsx", "s")
	const circle = "[{error #CIRC!}]"
	for at, want := range map[string]string{
		"A1": circle, "B1": circle, "A2": "1", "A3": circle, "B3": circle, "A4": "13", "A6": circle, "B6": circle, "A7": "4", "B7": "4",
		"A8": circle, "B8": circle, "A9": "3",
	} {
		if values[at] != want {
			t.Errorf("%s is %s, want %s", at, values[at], want)
		}
	}
}

// A formula that is nothing but a blank cell's reference is 0, as in every program.
func TestCalculateBlankCells(t *testing.T) {
	r := newRun(t)
	rows := []any{[]any{"=E1", "=A1", "=other!$A$1", "=A2"}, []any{"=C2", "=\"\"", "=B2"}, []any{"=E1&\"\"", "=E9+0", "=B1+1"}}
	r.do("create", "blank.xlsx", op.Object{{Name: "sheets", Value: []any{
		op.Object{{Name: "name", Value: "s"}, {Name: "rows", Value: rows}},
		op.Object{{Name: "name", Value: "other"}, {Name: "rows", Value: []any{[]any{nil, int64(1)}}}},
	}}})
	values, _ := calculatedCells(t, r, "blank.xlsx", "s")
	for at, want := range map[string]string{"A1": "0", "B1": "0", "C1": "0", "D1": "", "A2": "", "B2": "", "C2": "", "A3": "", "B3": "0", "C3": "1"} {
		if values[at] != want {
			t.Errorf("%s is %q, want %q", at, values[at], want)
		}
	}
}
