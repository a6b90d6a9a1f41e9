package xlsx

import (
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
)

// The formula of an array was gone with its first row, and the other cells had its results
// as values.
func TestArraysKeepTheirFirstCell(t *testing.T) {
	data := book(rowsXML(`<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>1</v></c><c r="C2"><f t="array" ref="C2:D4">A2:B4*2</f><v>2</v></c><c r="D2"><v>0</v></c></row>` +
		`<row r="3"><c r="C3"><v>0</v></c></row><row r="4"><c r="C4"><v>0</v></c></row><row r="5"><c r="A5"><f t="array" ref="A5">SUM(A1:A2*2)</f><v>4</v></c></row>`))
	type move func(e *Edits, wb *Workbook) error
	rows := func(at, n int) move {
		return func(e *Edits, wb *Workbook) error { return e.DeleteRows(t.Context(), wb, 0, at, n) }
	}
	columns := func(at, n int) move {
		return func(e *Edits, wb *Workbook) error { return e.DeleteColumns(t.Context(), wb, 0, at, n) }
	}
	insert := func(after, n int) move {
		return func(e *Edits, wb *Workbook) error { return e.InsertRows(t.Context(), wb, 0, after, n) }
	}
	over := func(at string) move {
		return func(e *Edits, wb *Workbook) error {
			ref, err := sheet.ParseRef(at)
			e.Set(0, ref, sheet.Num(1))
			return err
		}
	}
	for _, c := range []struct {
		moves []move
		code  problem.Code // of the last one
		want  string       // in the sheet
	}{
		{[]move{rows(2, 1)}, problem.InvalidArgument, ""},
		{[]move{rows(1, 3)}, problem.InvalidArgument, ""},
		{[]move{columns(3, 1)}, problem.InvalidArgument, ""},
		{[]move{insert(0, 2), rows(4, 1)}, problem.InvalidArgument, ""},
		{[]move{rows(1, 1), rows(1, 1)}, problem.InvalidArgument, ""},
		{[]move{rows(2, 3)}, "", `<f t="array" ref="A2">SUM(A1:A1*2)</f>`},
		{[]move{columns(3, 2)}, "", `<f t="array" ref="A5">SUM(A1:A2*2)</f>`},
		{[]move{rows(3, 1)}, "", `<f t="array" ref="C2:D3">A2:B3*2</f>`},
		{[]move{columns(4, 1)}, "", `<f t="array" ref="C2:C4">A2:B4*2</f>`},
		{[]move{rows(5, 1)}, "", `ref="C2:D4"`},
		{[]move{over("C2"), rows(2, 1)}, "", `<row r="2">`},
		{[]move{insert(0, 1), over("C3"), rows(3, 1)}, "", `<row r="3">`},
	} {
		wb := open(t, data)
		e := &Edits{}
		for i, move := range c.moves {
			err := move(e, wb)
			if i < len(c.moves)-1 && err != nil {
				t.Fatal(err)
			}
			if i == len(c.moves)-1 && problem.CodeOf(err) != c.code {
				t.Errorf("want %q, got %v, for %q", c.code, err, c.want)
			}
		}
		if got := partTexts(t, rewritten(t, wb, e))["xl/worksheets/sheet1.xml"]; c.code == "" && !strings.Contains(got, c.want) {
			t.Errorf("%s is not in %s", c.want, got)
		}
	}
}
