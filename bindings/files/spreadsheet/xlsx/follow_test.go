package xlsx

import (
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// What the parts of a workbook say of places follows. The part belongs to the sheet S.
func TestPlacesFollow(t *testing.T) {
	rows := func(at, count int) change { return shift{sheet: "S", at: at, count: count} }
	noRows := func(at, count int) change { return shift{sheet: "S", at: at, count: count, delete: true} }
	cols := func(at, count int) change { return shift{sheet: "S", at: at, count: count, columns: true} }
	noCols := func(at, count int) change {
		return shift{sheet: "S", at: at, count: count, columns: true, delete: true}
	}
	for _, c := range []struct {
		change       change
		before, want string
	}{
		{rows(3, 2), `<mergeCells count="3"><mergeCell ref="A1:B2"/><mergeCell ref="A2:B4"/><mergeCell ref="A9:B9"/></mergeCells>`,
			`<mergeCells count="3"><mergeCell ref="A1:B2"/><mergeCell ref="A2:B6"/><mergeCell ref="A11:B11"/></mergeCells>`},
		{noRows(2, 1), `<mergeCells count="3"><mergeCell ref="A1:A2"/><mergeCell ref="A2:B2"/><mergeCell ref="A9:B9"/></mergeCells>`,
			`<mergeCells count="1"><mergeCell ref="A8:B8"/></mergeCells>`},
		{noRows(1, 9), `<mergeCells count="1"><mergeCell ref="A1:A2"/></mergeCells>`, ``},
		{cols(2, 1), `<conditionalFormatting sqref="B2:B9 D1"><cfRule type="expression" dxfId="0" priority="1"><formula>B2&gt;$C$1</formula></cfRule><cfRule type="colorScale"><colorScale><cfvo type="num" val="$B$1"/><cfvo type="percent" val="10"/></colorScale></cfRule></conditionalFormatting>`,
			`<conditionalFormatting sqref="C2:C9 E1"><cfRule type="expression" dxfId="0" priority="1"><formula>C2&gt;$D$1</formula></cfRule><cfRule type="colorScale"><colorScale><cfvo type="num" val="$C$1"/><cfvo type="percent" val="10"/></colorScale></cfRule></conditionalFormatting>`},
		{noCols(2, 1), `<conditionalFormatting sqref="B2:B9"><cfRule type="duplicateValues"/></conditionalFormatting>`, ``},
		{noRows(2, 2), `<dataValidations count="2"><dataValidation type="list" sqref="A2:A9"><formula1>Lists!$A$1:$A$3</formula1></dataValidation><dataValidation type="whole" sqref="B2:B3"><formula1>1</formula1><formula2>C2</formula2></dataValidation></dataValidations>`,
			`<dataValidations count="1"><dataValidation type="list" sqref="A2:A7"><formula1>Lists!$A$1:$A$3</formula1></dataValidation></dataValidations>`},
		{shift{sheet: "Lists", at: 1, count: 4}, `<dataValidations count="1"><dataValidation type="list" sqref="A2:A9"><formula1>Lists!$A$1:$A$3</formula1></dataValidation></dataValidations>`,
			`<dataValidations count="1"><dataValidation type="list" sqref="A2:A9"><formula1>Lists!$A$5:$A$7</formula1></dataValidation></dataValidations>`},
		{rename{"Lists", "My lists"}, `<dataValidations count="1"><dataValidation type="list" sqref="A2:A9"><formula1>Lists!$A$1:$A$3</formula1></dataValidation></dataValidations>`,
			`<dataValidations count="1"><dataValidation type="list" sqref="A2:A9"><formula1>'My lists'!$A$1:$A$3</formula1></dataValidation></dataValidations>`},
		{rows(1, 1), `<hyperlinks><hyperlink ref="A1" r:id="rId1"/><hyperlink ref="B2:C2" location="S!A5" display="x"/></hyperlinks>`,
			`<hyperlinks><hyperlink ref="A2" r:id="rId1"/><hyperlink ref="B3:C3" location="S!A6" display="x"/></hyperlinks>`},
		{noRows(1, 2), `<hyperlinks><hyperlink ref="A1"/><hyperlink ref="B2:C2"/></hyperlinks>`, ``},
		{noCols(2, 1), `<autoFilter ref="A1:D9"><filterColumn colId="0"/><filterColumn colId="1"/><filterColumn colId="3"/></autoFilter>`,
			`<autoFilter ref="A1:C9"><filterColumn colId="0"/><filterColumn colId="2"/></autoFilter>`},
		{cols(1, 2), `<autoFilter ref="A1:D9"><filterColumn colId="1"/><sortState ref="A2:D9"><sortCondition ref="B2:B9"/></sortState></autoFilter>`,
			`<autoFilter ref="C1:F9"><filterColumn colId="1"/><sortState ref="C2:F9"><sortCondition ref="D2:D9"/></sortState></autoFilter>`},
		{rows(1, 2), `<rowBreaks count="2" manualBreakCount="2"><brk id="1" max="16383" man="1"/><brk id="5" max="16383" man="1"/></rowBreaks>`,
			`<rowBreaks count="2" manualBreakCount="2"><brk id="3" max="16383" man="1"/><brk id="7" max="16383" man="1"/></rowBreaks>`},
		{noRows(1, 6), `<rowBreaks count="2" manualBreakCount="2"><brk id="3" man="1"/><brk id="9" man="1"/></rowBreaks>`,
			`<rowBreaks count="1" manualBreakCount="1"><brk id="3" man="1"/></rowBreaks>`},
		{rows(1, 1), `<sheetViews><sheetView topLeftCell="A5"><pane xSplit="1" ySplit="3" topLeftCell="B9" activePane="bottomRight" state="frozen"/><selection pane="bottomRight" activeCell="C7" sqref="C7:C8"/></sheetView></sheetViews>`,
			`<sheetViews><sheetView topLeftCell="A6"><pane xSplit="1" ySplit="4" topLeftCell="B10" activePane="bottomRight" state="frozen"/><selection pane="bottomRight" activeCell="C8" sqref="C8:C9"/></sheetView></sheetViews>`},
		{noRows(5, 9), `<selection activeCell="C7" sqref="C7:C8"/>`, `<selection activeCell="C5" sqref="C5"/>`},
		{rows(2, 1), `<protectedRanges><protectedRange sqref="A1:A3 C5" name="x"/></protectedRanges>`, `<protectedRanges><protectedRange sqref="A1:A4 C6" name="x"/></protectedRanges>`},
		{noRows(1, 1), `<ignoredErrors><ignoredError sqref="A1" numberStoredAsText="1"/></ignoredErrors>`, ``},
		// What Excel 2010 added.
		{noRows(2, 1), `<extLst><ext uri="{1}"><x14:conditionalFormattings><x14:conditionalFormatting><x14:cfRule><xm:f>A2&gt;Other!A1</xm:f></x14:cfRule><xm:sqref>A2:A5</xm:sqref></x14:conditionalFormatting></x14:conditionalFormattings></ext><ext uri="{2}"><x14:dataValidations count="1"><x14:dataValidation><x14:formula1><xm:f>S!$A$9</xm:f></x14:formula1><xm:sqref>A2</xm:sqref></x14:dataValidation></x14:dataValidations></ext></extLst>`,
			`<extLst><ext uri="{1}"><x14:conditionalFormattings><x14:conditionalFormatting><x14:cfRule><xm:f>A2&gt;Other!A2</xm:f></x14:cfRule><xm:sqref>A2:A4</xm:sqref></x14:conditionalFormatting></x14:conditionalFormattings></ext></extLst>`},
		{rows(1, 1), `<x14:sparklineGroups><x14:sparklineGroup><x14:colorSeries/><x14:sparklines><x14:sparkline><xm:f>S!A1:C1</xm:f><xm:sqref>D1</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup></x14:sparklineGroups>`,
			`<x14:sparklineGroups><x14:sparklineGroup><x14:colorSeries/><x14:sparklines><x14:sparkline><xm:f>S!A2:C2</xm:f><xm:sqref>D2</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup></x14:sparklineGroups>`},
		{noRows(1, 1), `<x14:sparklineGroups><x14:sparklineGroup><x14:colorSeries/><x14:sparklines><x14:sparkline><xm:f>S!A1:C1</xm:f><xm:sqref>D1</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup></x14:sparklineGroups>`, ``},
		// Drawings.
		{rows(3, 2), `<xdr:twoCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:colOff>5</xdr:colOff><xdr:row>1</xdr:row><xdr:rowOff>7</xdr:rowOff></xdr:from><xdr:to><xdr:col>3</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>9</xdr:row><xdr:rowOff>3</xdr:rowOff></xdr:to><xdr:sp textlink="S!$A$3"/></xdr:twoCellAnchor>`,
			`<xdr:twoCellAnchor><xdr:from><xdr:col>1</xdr:col><xdr:colOff>5</xdr:colOff><xdr:row>1</xdr:row><xdr:rowOff>7</xdr:rowOff></xdr:from><xdr:to><xdr:col>3</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>11</xdr:row><xdr:rowOff>3</xdr:rowOff></xdr:to><xdr:sp textlink="S!$A$5"/></xdr:twoCellAnchor>`},
		{rows(1, 2), `<xdr:twoCellAnchor editAs="oneCell"><xdr:from><xdr:col>1</xdr:col><xdr:row>1</xdr:row></xdr:from><xdr:to><xdr:col>3</xdr:col><xdr:row>9</xdr:row></xdr:to></xdr:twoCellAnchor>`,
			`<xdr:twoCellAnchor editAs="oneCell"><xdr:from><xdr:col>1</xdr:col><xdr:row>3</xdr:row></xdr:from><xdr:to><xdr:col>3</xdr:col><xdr:row>11</xdr:row></xdr:to></xdr:twoCellAnchor>`},
		{rows(1, 2), `<xdr:twoCellAnchor editAs="absolute"><xdr:from><xdr:col>1</xdr:col><xdr:row>1</xdr:row></xdr:from></xdr:twoCellAnchor>`,
			`<xdr:twoCellAnchor editAs="absolute"><xdr:from><xdr:col>1</xdr:col><xdr:row>1</xdr:row></xdr:from></xdr:twoCellAnchor>`},
		{noRows(2, 4), `<xdr:oneCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:row>3</xdr:row><xdr:rowOff>9</xdr:rowOff></xdr:from></xdr:oneCellAnchor>`,
			`<xdr:oneCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:row>1</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from></xdr:oneCellAnchor>`},
		// Charts, comments, controls.
		{rows(1, 1), `<c:f>S!$A$1:$A$9</c:f>`, `<c:f>S!$A$2:$A$10</c:f>`},
		{removal{"S", []string{"S", "T"}}, `<c:f>S!$A$1:$A$9</c:f>`, `<c:f>#REF!</c:f>`},
		{rename{"S", "a & b"}, `<c:f>S!$A$1</c:f>`, `<c:f>'a &amp; b'!$A$1</c:f>`},
		{rows(1, 1), `<comment ref="B2" authorId="0"><text><t>B2</t></text></comment>`, `<comment ref="B3" authorId="0"><text><t>B2</t></text></comment>`},
		{noRows(2, 1), `<comment ref="B2" authorId="0"/>`, ``},
		{rows(1, 1), `<formControlPr objectType="Drop" fmlaLink="$A$1" fmlaRange="Other!$A$1:$A$3"/>`, `<formControlPr objectType="Drop" fmlaLink="$A$2" fmlaRange="Other!$A$1:$A$3"/>`},
		// What is not concerned stays to the byte.
		{rows(90, 1), `<mergeCells  count='2' ><mergeCell ref='A1:B2' /><!-- x --><mergeCell ref="a4:b4"></mergeCell></mergeCells >`, `<mergeCells  count='2' ><mergeCell ref='A1:B2' /><!-- x --><mergeCell ref="a4:b4"></mergeCell></mergeCells >`},
	} {
		list, err := parseXML([]byte(c.before))
		if err != nil {
			t.Fatal(err)
		}
		f := newFollower(changes{c.change}, "S")
		got := ""
		if ok, err := f.node(rootOf(list)); err != nil {
			t.Error(err)
		} else if ok {
			got = xmlText(list)
		}
		if got != c.want {
			t.Errorf("%+v:\n got %s\nwant %s", c.change, got, c.want)
		}
	}
}

func TestLegacyDrawingsFollow(t *testing.T) {
	shape := func(row, col, anchor string) string {
		return `<v:shape id="x" type="#t"><v:textbox><br></v:textbox><x:ClientData ObjectType="Note"><x:Anchor>` + anchor + `</x:Anchor><x:Row>` + row + `</x:Row><x:Column>` + col + `</x:Column></x:ClientData></v:shape>`
	}
	text := `<xml><v:shapetype id="t"/>` + shape("0", "1", "2, 15, 0, 2, 4, 15, 4, 1") + shape("4", "0", "1,15,4,2,3,15,8,1") + `</xml>`
	f := newFollower(changes{shift{sheet: "S", at: 2, count: 3}}, "S")
	if got, want := f.vml(text), `<xml><v:shapetype id="t"/>`+shape("0", "1", "2, 15, 0, 2, 4, 15, 4, 1")+shape("7", "0", "1, 15, 7, 2, 3, 15, 11, 1")+`</xml>`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	f = newFollower(changes{shift{sheet: "S", at: 5, count: 1, delete: true}}, "S")
	if got, want := f.vml(text), `<xml><v:shapetype id="t"/>`+shape("0", "1", "2, 15, 0, 2, 4, 15, 4, 1")+`</xml>`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// A table in the way of what is inserted and deleted.
func TestTablesFollow(t *testing.T) {
	const table = `<table ` + mainNS + ` id="1" name="T" displayName="T" ref="B2:D6" totalsRowCount="1"><autoFilter ref="B2:D5"><filterColumn colId="2"/></autoFilter><tableColumns count="3"><tableColumn id="1" name="a"/><tableColumn id="2" name="column1"/><tableColumn id="3" name="c"><calculatedColumnFormula>B3+T[[#This Row],[a]]+F1</calculatedColumnFormula></tableColumn></tableColumns></table>`
	data := func() []byte {
		return book(rowsXML(`<row r="2"><c r="B2" t="inlineStr"><is><t>a</t></is></c></row><row r="9"><c r="F9"><f>SUM(T[a])</f></c></row>`)+`<tableParts count="1"><tablePart r:id="rId1"/></tableParts>`,
			file{"xl/worksheets/_rels/sheet1.xml.rels", `<Relationships ` + relsNS + `><Relationship Id="rId1" Type="` + relType + `table" Target="../tables/table1.xml"/></Relationships>`},
			file{"xl/tables/table1.xml", table},
			file{"[Content_Types].xml", `<Types><Override PartName="/xl/tables/table1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml"/></Types>`})
	}
	for _, c := range []struct {
		name string
		edit func(wb *Workbook, e *Edits) error
		want []string // in the table; "-" if there is none
	}{
		{"columns within", func(wb *Workbook, e *Edits) error { return e.InsertColumns(t.Context(), wb, 0, 3, 2) },
			[]string{`ref="B2:F6"`, `<autoFilter ref="B2:F5"><filterColumn colId="4"/>`, `count="5"`, `<tableColumn id="2" name="column1"/><tableColumn id="4" name="Column2"/><tableColumn id="5" name="Column3"/><tableColumn id="3" name="c">`, `>B3+T[[#This Row],[a]]+H1<`}},
		{"columns before", func(wb *Workbook, e *Edits) error { return e.InsertColumns(t.Context(), wb, 0, 1, 1) }, []string{`ref="C2:E6"`, `count="3"`}},
		{"columns behind", func(wb *Workbook, e *Edits) error { return e.InsertColumns(t.Context(), wb, 0, 4, 1) }, []string{`ref="B2:D6"`, `count="3"`}},
		{"a column deleted", func(wb *Workbook, e *Edits) error { return e.DeleteColumns(t.Context(), wb, 0, 1, 2) }, []string{`ref="A2:B6"`, `<autoFilter ref="A2:B5"><filterColumn colId="1"/>`, `<tableColumns count="2"><tableColumn id="2" name="column1"/>`}},
		{"all columns", func(wb *Workbook, e *Edits) error { return e.DeleteColumns(t.Context(), wb, 0, 2, 3) }, []string{"-"}},
		{"rows within", func(wb *Workbook, e *Edits) error { return e.InsertRows(t.Context(), wb, 0, 3, 2) }, []string{`ref="B2:D8"`, `<autoFilter ref="B2:D7">`}},
		{"the totals", func(wb *Workbook, e *Edits) error { return e.DeleteRows(t.Context(), wb, 0, 6, 1) }, []string{`ref="B2:D5"`, `<autoFilter ref="B2:D5">`, `totalsRowShown="0"`}},
		{"all data", func(wb *Workbook, e *Edits) error { return e.DeleteRows(t.Context(), wb, 0, 3, 9) }, []string{`ref="B2:D3"`}},
		{"the headers", func(wb *Workbook, e *Edits) error { return e.DeleteRows(t.Context(), wb, 0, 2, 1) }, []string{"-"}},
	} {
		wb := open(t, data())
		var e Edits
		if err := c.edit(wb, &e); err != nil {
			t.Fatal(err)
		}
		parts := partTexts(t, rewritten(t, wb, &e))
		got, there := parts["xl/tables/table1.xml"]
		sheetXML := parts["xl/worksheets/sheet1.xml"]
		if c.want[0] == "-" {
			if there || strings.Contains(sheetXML, "tablePart") || strings.Contains(parts["[Content_Types].xml"], "table1") || strings.Contains(parts["xl/worksheets/_rels/sheet1.xml.rels"], "table1") || !strings.Contains(sheetXML, "<f>SUM(#REF!)</f>") {
				t.Errorf("%s: the table is still there: %v", c.name, parts)
			}
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s is not in %s", c.name, want, got)
			}
		}
		if c.name == "columns within" && !(strings.Contains(sheetXML, `<c r="D2" t="inlineStr"><is><t>Column2</t></is></c><c r="E2" t="inlineStr"><is><t>Column3</t></is></c>`)) {
			t.Errorf("no headers: %s", sheetXML)
		}
	}
}

// Names, the look of what is inserted, shared formulas, and what other sheets say.
func TestStructureOfAWorkbook(t *testing.T) {
	data := many(map[string]string{
		"A": `<cols><col min="2" max="3" width="20" customWidth="1" hidden="1"/></cols>` + rowsXML(
			`<row r="1" ht="30" customHeight="1" s="2" customFormat="1"><c r="A1" s="1"><v>1</v></c><c r="B1"><v>2</v></c></row>`+
				`<row r="2"><c r="A2"><f t="shared" ref="A2:A6" si="0">A1+$B$1+B!A1</f><v>3</v></c></row><row r="3"><c r="A3"><f t="shared" si="0"/><v>4</v></c></row><row r="4"><c r="A4"><f t="shared" si="0"/></c></row><row r="6"><c r="A6"><f t="shared" si="0"/></c><c r="C6"><f t="array" ref="C6:C8">A1:A3</f><v>1</v></c></row>`),
		"B": rowsXML(`<row r="1"><c r="A1"><f>SUM(A!A1:A6)+A1</f></c></row>`), "C": rowsXML(`<row r="1"><c r="A1" t="str"><v>x</v></c></row>`),
	}, []string{"A", "B", "C"})
	for _, c := range []struct {
		name string
		edit func(wb *Workbook, e *Edits) error
		want map[string]string // by part, what must be in it
	}{
		{"rows", func(wb *Workbook, e *Edits) error { return e.InsertRows(t.Context(), wb, 0, 1, 2) }, map[string]string{
			"1": rowsXML(`<row r="1" ht="30" customHeight="1" s="2" customFormat="1"><c r="A1" s="1"><v>1</v></c><c r="B1"><v>2</v></c></row>` +
				`<row ht="30" customHeight="1" s="2" customFormat="1" r="2"><c r="A2" s="1"/></row><row ht="30" customHeight="1" s="2" customFormat="1" r="3"><c r="A3" s="1"/></row>` +
				`<row r="4"><c r="A4"><f t="shared" ref="A4:A8" si="0">A1+$B$1+B!A1</f><v>3</v></c></row><row r="5"><c r="A5"><f>A4+$B$1+B!A2</f><v>4</v></c></row><row r="6"><c r="A6"><f>A5+$B$1+B!A3</f></c></row><row r="8"><c r="A8"><f>A7+$B$1+B!A5</f></c><c r="C8"><f t="array" ref="C8:C10">A1:A5</f><v>1</v></c></row>`),
			"2": `<f>SUM(A!A1:A8)+A1</f>`,
			"w": `<definedName name="_xlnm.Print_Area" localSheetId="0">A!$A$1:$B$11,A!$D$1:$D$5</definedName><definedName name="_xlnm.Print_Titles" localSheetId="1">B!$A:$A,B!$1:$2</definedName><definedName name="Rate">A!$B$4</definedName>`}},
		{"rows far below", func(wb *Workbook, e *Edits) error { return e.InsertRows(t.Context(), wb, 0, 20, 2) }, map[string]string{
			"1": `<row r="2"><c r="A2"><f t="shared" ref="A2:A6" si="0">A1+$B$1+B!A1</f><v>3</v></c></row><row r="3"><c r="A3"><f t="shared" si="0"/><v>4</v></c></row>`}},
		{"the first of a shared formula", func(wb *Workbook, e *Edits) error { return e.DeleteRows(t.Context(), wb, 0, 2, 1) }, map[string]string{
			"1": `<row r="2"><c r="A2"><f>#REF!+$B$1+B!A2</f><v>4</v></c></row><row r="3"><c r="A3"><f>A2+$B$1+B!A3</f></c></row><row r="5">`,
			"2": `<f>SUM(A!A1:A5)+A1</f>`,
			"w": `<definedName name="Rate">A!#REF!</definedName>`}},
		{"columns", func(wb *Workbook, e *Edits) error { return e.InsertColumns(t.Context(), wb, 0, 2, 1) }, map[string]string{
			"1": `<cols><col min="2" max="2" width="20" customWidth="1" hidden="1"/><col min="3" max="3" width="20" customWidth="1"/><col min="4" max="4" width="20" customWidth="1" hidden="1"/></cols>`,
			"w": `A!$A$1:$B$9,A!$E$1:$E$3`}},
		{"columns that take a look", func(wb *Workbook, e *Edits) error { return e.InsertColumns(t.Context(), wb, 0, 1, 1) }, map[string]string{
			"1": `<c r="A1" s="1"><v>1</v></c><c r="B1" s="1"/><c r="C1"><v>2</v></c>`}},
		{"an area of two that is printed", func(wb *Workbook, e *Edits) error { return e.DeleteColumns(t.Context(), wb, 0, 4, 1) }, map[string]string{
			"w": `<definedName name="_xlnm.Print_Area" localSheetId="0">A!$A$1:$B$9</definedName>`}},
		{"all that is printed", func(wb *Workbook, e *Edits) error { return e.DeleteColumns(t.Context(), wb, 0, 1, 4) }, map[string]string{
			"w": `<definedNames><definedName name="_xlnm.Print_Titles"`}},
		{"a filter", func(wb *Workbook, e *Edits) error {
			e.SetFilter(0, area2(t, "A1:B6"))
			return e.InsertRows(t.Context(), wb, 0, 0, 1)
		}, map[string]string{"1": `</sheetData><autoFilter ref="A2:B7"/></worksheet>`, "w": `<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">A!$A$2:$B$7</definedName></definedNames>`}},
		{"merged and frozen", func(wb *Workbook, e *Edits) error {
			e.SetMerged(0, []sheet.Range{area2(t, "A1:B1")})
			e.Freeze(0, 1, 0)
			return e.InsertRows(t.Context(), wb, 0, 0, 1)
		}, map[string]string{"1": `<mergeCells count="1"><mergeCell ref="A2:B2"/></mergeCells></worksheet>`}},
	} {
		wb := open(t, data)
		var e Edits
		if err := c.edit(wb, &e); err != nil {
			t.Fatal(err)
		}
		parts := partTexts(t, rewritten(t, wb, &e))
		for which, want := range c.want {
			part := "xl/worksheets/sheet" + which + ".xml"
			if which == "w" {
				part = "xl/workbook.xml"
			}
			if !strings.Contains(parts[part], want) {
				t.Errorf("%s:\n got %s\nwant %s", c.name, parts[part], want)
			}
		}
		if c.name == "merged and frozen" && !strings.Contains(parts["xl/worksheets/sheet1.xml"], `<pane ySplit="2" topLeftCell="A3" activePane="bottomLeft" state="frozen"/>`) {
			t.Errorf("panes: %s", parts["xl/worksheets/sheet1.xml"])
		}
	}
}
