package spreadsheet_test

import (
	"fmt"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/officetest"
	"github.com/sandboxd/sandboxd/op"
)

// A run may add more rules and charts than wait at a time.
func TestManyObjects(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "b.xlsx", budget(t))
	for n := range 1100 {
		rule := op.Object{{Name: "type", Value: "cell"}, {Name: "above", Value: int64(n)},
			{Name: "format", Value: op.Object{{Name: "bold", Value: true}}}}
		r.do("conditionalFormat", "b.xlsx", "2024", fmt.Sprintf("D%d", 4+n%12), rule)
		if n%100 == 0 {
			r.do("addChart", "b.xlsx", "2024", "line", op.Object{{Name: "data", Value: "B3:D15"}, {Name: "anchor", Value: fmt.Sprintf("H%d", n+1)}})
		}
	}
	r.end()
	got := officetest.Objects(t, r.host.Bytes(t, "b.xlsx"))
	if got["rules"] != 1100 || got["charts"] != 11 {
		t.Errorf("LibreOffice sees %v", got)
	}
}

// Rows that are appended one by one look like the file's and make its table longer, also
// when rows were inserted in between.
func TestAppendOneByOne(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "b.xlsx", budget(t))
	r.do("addTable", "b.xlsx", "2024", "A3:E15", op.Object{{Name: "name", Value: "Budget"}})
	for n := range 50 {
		r.do("appendRows", "b.xlsx", "2024", []any{[]any{nil, "Sales", int64(n), 1.5}})
		if n == 25 {
			r.do("insertRows", "b.xlsx", "2024", int64(0), int64(2))
		}
	}
	cell := r.do("readCell", "b.xlsx", "2024", "C67").(op.Object)
	if cell[1].Value != "$49.00" {
		t.Errorf("the last amount reads %v", cell[1].Value)
	}
	if _, err := r.js("addTable", "b.xlsx", "2024", "G60:H67"); err != nil {
		t.Error(err)
	}
	_, err := r.js("addTable", "b.xlsx", "2024", "E67:F70")
	wantCode(t, err, "invalid_argument", "Budget", "A5:E67")
}
