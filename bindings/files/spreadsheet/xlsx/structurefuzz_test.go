package xlsx

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
)

// Whatever a sheet is, rows and columns that come and go either are refused or end where
// a model has them, and a view shows what is then written.
func FuzzStructure(f *testing.F) {
	f.Add(`<dimension ref="A1"/><cols><col min="1" max="2" width="3"/></cols><sheetData><row r="1" ht="3"><c r="A1" s="1"><f t="shared" si="0" ref="A1:A2">B1</f><v>1</v></c></row><row><c><f t="shared" si="0"/><v>2</v></c></row></sheetData><mergeCells><mergeCell ref="A1:B2"/></mergeCells>`, []byte{1, 2, 130, 1, 65, 3})
	f.Add(`<sheetData><row r="2"><c r="B2" t="inlineStr"><is><t>x</t></is></c><c r="C2" s="1"/></row></sheetData><conditionalFormatting sqref="A1"><cfRule><formula>A1</formula></cfRule></conditionalFormatting>`, []byte{66, 1, 2, 2, 200, 1})
	f.Add(`<x:sheetData><x:row r="1"><!-- --><x:c r="A1"><x:v>1</x:v></x:c></x:row></x:sheetData>`, []byte{0, 1})
	f.Add(`<sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>`, []byte{0, 1})
	f.Fuzz(func(t *testing.T, text string, moves []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		data := book(text, file{"xl/styles.xml", `<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="2"/></cellXfs></styleSheet>`})
		before, err := allValues(ctx, data)
		if err != nil {
			return
		}
		wb := open(t, data)
		var e Edits
		want := before["Data"]
		for i := 0; i+1 < len(moves) && i < 20; i += 2 {
			s := step{columns: moves[i]&0x40 != 0, remove: moves[i]&0x80 != 0, at: int(moves[i]&0x0f) + 1, count: int(moves[i+1]&7) + 1}
			if moves[i]&0x20 != 0 {
				s = step{set: true, cell: sheet.Ref{Col: s.at, Row: s.count}, value: "new"}
			}
			if err := s.edit(ctx, wb, &e); err != nil {
				if code := problem.CodeOf(err); !answers(code) && code != problem.InvalidArgument {
					t.Errorf("answered %v", err)
				}
				return
			}
			want = s.model(want)
		}
		var out bytes.Buffer
		if err := wb.Rewrite(ctx, &out, &e); err != nil {
			if code := problem.CodeOf(err); !answers(code) && code != problem.InvalidArgument {
				t.Errorf("answered %v", err)
			}
			return
		}
		if !wellFormed(text) {
			return
		}
		after, err := allValues(ctx, out.Bytes())
		if err != nil {
			t.Fatalf("the result cannot be read: %v\n%s", err, partTexts(t, out.Bytes())["xl/worksheets/sheet1.xml"])
		}
		if diff := difference(want, after["Data"], false); diff != "" {
			t.Errorf("%s\n%s", diff, partTexts(t, out.Bytes())["xl/worksheets/sheet1.xml"])
		}
		if a, b := shown(t, wb.With(&e), 0, sheet.All()), shown(t, open(t, out.Bytes()), 0, sheet.All()); strings.Join(a, "\n") != strings.Join(b, "\n") {
			t.Errorf("the view is %q, what is written %q", a, b)
		}
	})
}

// Whatever XML a part is, it follows without panic and stays well-formed.
func FuzzFollow(f *testing.F) {
	f.Add(`<mergeCells count="2"><mergeCell ref="A1:B2"/><mergeCell ref="A9"/></mergeCells>`, 3, 2)
	f.Add(`<xdr:twoCellAnchor editAs="oneCell"><xdr:from><xdr:col>1</xdr:col><xdr:row>99999999</xdr:row></xdr:from><xdr:to><xdr:row>-1</xdr:row></xdr:to></xdr:twoCellAnchor>`, 1, 1)
	f.Add(`<conditionalFormatting sqref="A1 B:B 1:1 x"><cfRule><formula>A1&lt;'</formula></cfRule><cfvo val="A1"/></conditionalFormatting>`, 1, 1)
	f.Add(`<rowBreaks count="x"><brk id="0"/><brk id="1048576" man="1"/></rowBreaks>`, 1, 1)
	f.Add(`<autoFilter ref="A1:C3"><filterColumn colId="-5"/></autoFilter>`, 1, 1)
	f.Fuzz(func(t *testing.T, text string, at, count int) {
		if !isWellFormed(text) {
			return
		}
		at, count = max(at&0x1ff, 1), max(count&0xff, 1)
		for k := range 4 {
			list, err := parseXML([]byte(text))
			if err != nil {
				return
			}
			if xmlText(list) != text {
				t.Fatalf("%q is read as %q", text, xmlText(list))
			}
			fo := newFollower(changes{shift{sheet: "S", at: at, count: count, columns: k&1 > 0, delete: k&2 > 0}, rename{"S", "a'b"}}, "S")
			root := rootOf(list)
			if root == nil {
				return
			}
			if ok, err := fo.node(root); err == nil && ok {
				if out := xmlText(list); !isWellFormed(out) {
					t.Errorf("%q becomes %q", text, out)
				}
			}
			fo.vml(text)
		}
	})
}

// A workbook may say anything of itself: what it costs to move its rows is bounded.
func TestHostileStructure(t *testing.T) {
	for name, c := range map[string]struct {
		sheet string
		code  problem.Code
	}{
		"a dimension that lies":    {`<dimension ref="A1:XFD1048576"/>` + rowsXML(`<row r="1"><c r="A1"><v>1</v></c></row>`), ""},
		"a formula of references":  {rowsXML(`<row r="1"><c r="A1"><f>` + strings.Repeat("A2+", 300_000) + `1</f></c></row>`), ""},
		"a formula of quotes":      {rowsXML(`<row r="1"><c r="A1"><f>` + strings.Repeat("'", 1_000_000) + `</f></c></row>`), ""},
		"a formula of brackets":    {rowsXML(`<row r="1"><c r="A1"><f>` + strings.Repeat("a[", 500_000) + `</f></c></row>`), ""},
		"an area of a million":     {rowsXML("") + `<conditionalFormatting sqref="` + strings.Repeat("A1 ", 1_000_000) + `"/>`, ""},
		"nested without end":       {rowsXML("") + strings.Repeat("<x>", 100_000) + strings.Repeat("</x>", 100_000), problem.TooComplex},
		"the last cell":            {rowsXML(`<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>`), problem.InvalidArgument},
		"a look in the last row":   {rowsXML(`<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576" s="1"/></row>`), ""},
		"rows out of order":        {rowsXML(`<row r="9"><c r="A9"><v>1</v></c></row><row r="2"><c r="A2"><v>1</v></c></row>`), problem.TooComplex},
		"shared formulas in chain": {rowsXML(`<row r="1"><c r="A1"><f t="shared" si="0" ref="A1:A9">A2</f></c></row><row r="2"><c r="A2"><f t="shared" si="0"/></c><c r="B2"><f t="shared" si="99"/></c></row>`), ""},
		"anchors of nowhere":       {rowsXML("") + `<oleObjects><oleObject><objectPr><anchor><from><col>99999999999999999999</col><row>-1</row></from><to/></anchor></objectPr></oleObject></oleObjects>`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			wb := open(t, book(c.sheet))
			var e Edits
			begin := time.Now()
			err := e.InsertRows(t.Context(), wb, 0, 0, 3)
			if err == nil {
				err = e.DeleteColumns(t.Context(), wb, 0, 3, 2)
			}
			var out bytes.Buffer
			if err == nil {
				err = wb.Rewrite(t.Context(), &out, &e)
			}
			if got := problem.CodeOf(err); got != c.code {
				t.Errorf("answered %q (%v), want %q", got, err, c.code)
			}
			if took := time.Since(begin); took > time.Minute && !testing.Short() {
				t.Errorf("took %v", took)
			}
		})
	}
	// Two thousand moves, each of which every formula follows.
	var rows strings.Builder
	for r := range 200 {
		fmt.Fprintf(&rows, `<row r="%d"><c r="A%d"><f>SUM(B%d:B%d)+$A$1</f></c></row>`, r+1, r+1, r+1, r+5)
	}
	wb := open(t, book(rowsXML(rows.String())))
	var e Edits
	for k := 0; !e.Full(); k++ {
		if err := e.InsertRows(t.Context(), wb, 0, k%150, 1); err != nil {
			t.Fatal(err)
		}
	}
	begin := time.Now()
	rewritten(t, wb, &e)
	if took := time.Since(begin); took > time.Minute && !testing.Short() {
		t.Errorf("%d moves took %v", maxMoves, took)
	}
}
