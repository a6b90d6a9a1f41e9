package xlsx

import (
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// FuzzPlain looks into any text as a formula.
func FuzzPlain(f *testing.F) {
	for _, text := range []string{
		"Orders[", "[", "[]", "Orders[@", "Orders[[", "Orders[[a]:[b", "[@[a]:[b]]", "Orders['", "SUM(Orders[[#Totals],[Total]],'it''s'!A1)", "[1]a!b", "[0]!Rate", "[0]!",
		"Rate+Sheet1!Rate", "A1:B2*2", "((A:A))", "'", "\"", "IF(,)*A1:A3", "'a'!A1:'b'!B2", "Loop", "Deep", "#REF!A1", "Orders[[#This Row],[Total]:[Price]]", "Orders[ [Total] , [#All] ]",
		"Orders[:[Total]]", "Orders[[Total],]", "Orders[#Nothing]", "@Orders[Total]", "{1,2}*Orders[Total]",
	} {
		f.Add(text, 4, 3)
	}
	data := book(rowsXML("")+`<tableParts><tablePart r:id="t1"/></tableParts>`,
		file{"xl/workbook.xml", `<workbook ` + mainNS + `><sheets><sheet name="Data" sheetId="1" r:id="s1"/></sheets><definedNames><definedName name="Rate">Data!B2</definedName>` +
			`<definedName name="Loop">Loop</definedName><definedName name="Deep">Orders[@Total]</definedName><definedName name="Bad">Orders[</definedName></definedNames></workbook>`},
		file{"xl/worksheets/_rels/sheet1.xml.rels", `<Relationships ` + relsNS + `><Relationship Id="t1" Type="` + relType + `table" Target="../tables/table1.xml"/></Relationships>`},
		file{"xl/tables/table1.xml", `<table ` + mainNS + ` id="1" name="Orders" displayName="Orders" ref="B2:D6" totalsRowCount="1"><tableColumns count="3"><tableColumn id="1" name="Item"/><tableColumn id="2" name="Price"/><tableColumn id="3" name="Total"/></tableColumns></table>`})
	rs, err := open(f, data).Resolver(f.Context())
	if err != nil || len(rs.tables) != 1 {
		f.Fatal(err, rs)
	}
	f.Fuzz(func(t *testing.T, text string, row, col int) {
		if row < 1 || row > sheet.MaxRow || col < 1 || col > sheet.MaxCol {
			return
		}
		at := sheet.Ref{Col: col, Row: row}
		rs.Plain(0, Formula{At: at, Text: text})
		rs.Plain(0, Formula{At: at, Text: text, Array: sheet.Range{MinCol: col, MinRow: row, MaxCol: col, MaxRow: row}})
		spelled(text, "Orders")
		Reads(text, func(string, sheet.Range) {})
		CellOf(text)
	})
}
