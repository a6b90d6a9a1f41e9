package spreadsheet_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/officetest"
	"github.com/sandboxd/sandboxd/op"
)

// Rows went behind a table's totals, where they belonged to nothing.
func TestAppendBeforeTotals(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "b.xlsx", orders(t, map[string]map[string]string{
		"Bob's shop": {"E7": "SUM(E4:E6)", "H7": "D7*2"},
		"Sums":       {"A1": "'Bob''s shop'!D7", "A2": "SUM('Bob''s shop'!B4:B6)", "A3": "SUM('Bob''s shop'!B4:B5)", "A4": "SUM(Orders[Quantity])", "A5": "MAX('Bob''s shop'!H4:H6)"},
	}))
	product := "=Orders[[#This Row],[Price]]*Orders[[#This Row],[Quantity]]"
	out := r.do("appendRows", "b.xlsx", "Bob's shop", []any{[]any{"Salt", int64(1), int64(2), product, int64(4)}, []any{"Oil", int64(4), int64(3), product, int64(5)}})
	if got := fmt.Sprint(out); !strings.Contains(got, "A7:E8") {
		t.Errorf("the rows went to %s", got)
	}
	// One more, by the names of the columns.
	r.do("appendRows", "b.xlsx", "Bob's shop", []any{op.Object{{Name: "Item", Value: "Nuts"}, {Name: "Price", Value: int64(6)}, {Name: "Total", Value: product}}})
	rows := r.do("readRange", "b.xlsx", "Bob's shop", "A6:C10").([][]any)
	if got := fmt.Sprint(rows); got != "[[Rice 3 5] [Salt 1 2] [Oil 4 3] [Nuts 6 <nil>] [Total <nil> <nil>]]" {
		t.Errorf("the rows are %s", got)
	}
	values, _ := calculatedCells(t, r, "b.xlsx", "Bob's shop")
	for at, want := range map[string]string{"D7": "2", "D8": "12", "D9": "0", "D10": "59", "E10": "15", "H10": "118"} {
		if values[at] != want {
			t.Errorf("%s is %s, want %s", at, values[at], want)
		}
	}
	values, _ = calculatedCells(t, r, "b.xlsx", "Sums")
	for at, want := range map[string]string{"A1": "59", "A2": "17.75", "A3": "3.75", "A4": "24", "A5": "0"} {
		if values[at] != want {
			t.Errorf("Sums!%s is %s, want %s", at, values[at], want)
		}
	}
	r.end()
	data := r.host.Bytes(t, "b.xlsx")
	repacked(t, data, func(name, text string) string {
		if strings.HasPrefix(name, "xl/tables/") && (!strings.Contains(text, ` ref="A3:F10"`) || !strings.Contains(text, `<autoFilter ref="A3:F9"`) || !strings.Contains(text, `totalsRowCount="1"`)) {
			t.Errorf("the table is %s", text)
		}
		return text
	})
	officetest.Check(t, map[string][]byte{"rows before totals": data})
}

// Rows cannot come into one table and leave another beside it alone.
func TestAppendBeforeTotalsBesideTable(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "b.xlsx", orders(t, nil))
	r.do("writeRange", "b.xlsx", "Bob's shop", "H5", []any{[]any{"x"}, []any{int64(1)}, []any{int64(2)}})
	r.do("addTable", "b.xlsx", "Bob's shop", "H5:H7", op.Object{{Name: "name", Value: "Beside"}})
	_, err := r.js("appendRows", "b.xlsx", "Bob's shop", []any{[]any{"Salt"}})
	wantCode(t, err, "invalid_argument", "Beside", "Orders")
	if rows := fmt.Sprint(r.do("readRange", "b.xlsx", "Bob's shop", "A6:A8")); rows != "[[Rice] [Total] [<nil>]]" {
		t.Errorf("the rows are %s", rows)
	}
}
