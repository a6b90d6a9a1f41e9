package xlsx

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/xuri/excelize/v2"
)

// A header of a table was overwritten and its column kept the old name, so that Excel
// called the file damaged.
func TestColumnsTakeTheNamesOfTheirHeaders(t *testing.T) {
	const table = `<table ` + mainNS + ` id="1" name="T" displayName="T" ref="B2:E6"><autoFilter ref="B2:E6"/><tableColumns count="4"><tableColumn id="1" name="a"/><tableColumn id="2" name="b"/><tableColumn id="3" name="c"><calculatedColumnFormula>T[[#This Row],[a]]+1</calculatedColumnFormula></tableColumn><tableColumn id="4" name="d"/></tableColumns></table>`
	cell := func(at, text string) string {
		return `<c r="` + at + `" t="inlineStr"><is><t>` + text + `</t></is></c>`
	}
	data := book(rowsXML(`<row r="2">`+cell("B2", "a")+cell("C2", "b")+cell("D2", "c")+cell("E2", "d")+`</row><row r="9"><c r="F9"><f>SUM(T[a])+SUM(T[[b]:[d]])+SUM(U[a])</f></c></row>`)+`<tableParts count="1"><tablePart r:id="rId1"/></tableParts>`,
		file{"xl/worksheets/_rels/sheet1.xml.rels", `<Relationships ` + relsNS + `><Relationship Id="rId1" Type="` + relType + `table" Target="../tables/table1.xml"/></Relationships>`},
		file{"xl/tables/table1.xml", table},
		file{"[Content_Types].xml", `<Types><Override PartName="/xl/tables/table1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml"/></Types>`})
	for name, c := range map[string]struct {
		values  [4]sheet.Value // "-" leaves a header
		names   [4]string
		formula string
	}{
		"text":     {[4]sheet.Value{sheet.Str("x & [y]"), sheet.Str("-"), sheet.Str("-"), sheet.Str("-")}, [4]string{"x & [y]", "b", "c", "d"}, "SUM(T[x & '[y']])+SUM(T[[b]:[d]])+SUM(U[a])"},
		"number":   {[4]sheet.Value{sheet.Str("-"), sheet.Num(2024), sheet.Str("-"), sheet.Str("-")}, [4]string{"a", "2024", "c", "d"}, "SUM(T[a])+SUM(T[[2024]:[d]])+SUM(U[a])"},
		"cleared":  {[4]sheet.Value{sheet.Str("-"), {}, sheet.Str("-"), sheet.Str("-")}, [4]string{"a", "Column2", "c", "d"}, "SUM(T[a])+SUM(T[[Column2]:[d]])+SUM(U[a])"},
		"repeated": {[4]sheet.Value{sheet.Str("D"), sheet.Str("-"), sheet.Str("-"), sheet.Str("-")}, [4]string{"D2", "b", "c", "d"}, "SUM(T[D2])+SUM(T[[b]:[d]])+SUM(U[a])"},
		"swapped":  {[4]sheet.Value{sheet.Str("b"), sheet.Str("a"), sheet.Str("-"), sheet.Str("-")}, [4]string{"b", "a", "c", "d"}, "SUM(T[b])+SUM(T[[a]:[d]])+SUM(U[a])"},
	} {
		wb := open(t, data)
		var e Edits
		for k, v := range c.values {
			if v != sheet.Str("-") {
				e.Set(0, sheet.Ref{Col: 2 + k, Row: 2}, v)
			}
		}
		rewritten(t, wb, &e)
		out := rewritten(t, wb, &e) // as well when it is written again
		parts := partTexts(t, out)
		if text := parts["xl/tables/table1.xml"]; !strings.Contains(text, `T[[#This Row],[`+columnSpecial.ReplaceAllString(escapeText(c.names[0]), "'$0")+`]]+1`) {
			t.Errorf("%s: the column's formula names another one: %s", name, text)
		}
		if text := parts["xl/worksheets/sheet1.xml"]; !strings.Contains(text, "<f>"+escapeText(c.formula)+"</f>") {
			t.Errorf("%s: no %s in %s", name, c.formula, text)
		}
		again := open(t, out)
		var read Edits
		if err := read.loadTables(t.Context(), again, 0); err != nil || len(read.tables) != 1 {
			t.Fatal(name, err)
		}
		var cells [4]string
		err := again.Rows(t.Context(), 0, sheet.Range{MinCol: 2, MinRow: 2, MaxCol: 5, MaxRow: 2}, func(_ int, row []sheet.Cell) error {
			for _, c := range row {
				if c.Kind != sheet.String {
					t.Errorf("%s: a header is a %v", name, c.Kind)
				}
				cells[c.Col-2] = again.Text(c)
			}
			return nil
		})
		if err != nil || cells != c.names {
			t.Errorf("%s: the headers are %q, want %q; %v", name, cells, c.names, err)
		}
		for k, column := range read.tables[0].columns {
			if column.name != c.names[k] {
				t.Errorf("%s: column %d is %q, want %q", name, k, column.name, c.names[k])
			}
		}
		if f, err := excelize.OpenReader(bytes.NewReader(out)); err != nil {
			t.Errorf("%s: excelize: %v", name, err)
		} else {
			f.Close()
		}
	}
}

// The headers of a table that waits to be written, and of one whose columns have moved.
func TestColumnsTakeNamesWhileTheyWait(t *testing.T) {
	wb := open(t, book(rowsXML(`<row r="1"><c r="A1"><v>1</v></c></row>`)))
	var e Edits
	if err := e.AddTable(t.Context(), wb, 0, NewTable{Name: "T", Area: area2(t, "A1:B3"), Headers: []string{"a", "b"}}); err != nil {
		t.Fatal(err)
	}
	e.Set(0, sheet.Ref{Col: 2, Row: 1}, sheet.Str("new"))
	first := rewritten(t, wb, &e)
	if got := partTexts(t, first)["xl/tables/table1.xml"]; !strings.Contains(got, `name="new"`) {
		t.Errorf("the table is %s", got)
	}
	wb, e = open(t, first), Edits{}
	if err := e.InsertColumns(t.Context(), wb, 0, 1, 1); err != nil {
		t.Fatal(err)
	}
	e.Set(0, sheet.Ref{Col: 3, Row: 1}, sheet.Str("newer"))
	got := partTexts(t, rewritten(t, wb, &e))["xl/tables/table1.xml"]
	if !strings.Contains(got, `<tableColumn id="1" name="a"/><tableColumn id="3" name="Column1"/><tableColumn id="2" name="newer"/>`) {
		t.Errorf("the table is %s", got)
	}
}
