package xlsx

import (
	"io"
	"strings"
	"testing"
)

// A copy of a sheet has parts of its own: its chart shows its own cells, its table has a
// name of its own that its formulas use, and pictures are shared.
func TestCopySheetParts(t *testing.T) {
	rels := func(list ...string) string {
		return `<Relationships ` + relsNS + `>` + strings.Join(list, "") + `</Relationships>`
	}
	rel := func(id, kind, target string) string {
		return `<Relationship Id="` + id + `" Type="` + relType + kind + `" Target="` + target + `"/>`
	}
	data := many(map[string]string{
		"A": `<sheetPr codeName="Sheet1"/><sheetViews><sheetView tabSelected="1" workbookViewId="0"/></sheetViews>` + rowsXML(`<row r="1"><c r="A1"><f>SUM(T[a])+Other[x]+A!B2</f></c></row>`) +
			`<drawing r:id="d"/><legacyDrawing r:id="v"/><tableParts count="1"><tablePart r:id="t"/></tableParts><extLst><ext uri="{A}"><x14:slicerList><x14:slicer r:id="s"/></x14:slicerList></ext></extLst>`,
		"B": rowsXML(""), "C": rowsXML(""),
	}, []string{"A", "B", "C"},
		file{"[Content_Types].xml", `<Types><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="r"/><Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/><Default Extension="png" ContentType="image/png"/>` +
			`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + worksheetType + `"/><Override PartName="/xl/tables/table1.xml" ContentType="x/spreadsheetml.table+xml"/><Override PartName="/xl/charts/chart1.xml" ContentType="x/drawingml.chart+xml"/><Override PartName="/xl/drawings/drawing1.xml" ContentType="x/vnd.drawing+xml"/></Types>`},
		file{"xl/worksheets/_rels/sheet1.xml.rels", rels(rel("d", "drawing", "../drawings/drawing1.xml"), rel("v", "vmlDrawing", "../drawings/vmlDrawing1.vml"), rel("t", "table", "../tables/table1.xml"), rel("c", "comments", "../comments1.xml"),
			rel("p", "pivotTable", "../pivotTables/pivotTable1.xml"), rel("s", "slicer", "../slicers/slicer1.xml"), `<Relationship Id="h" Type="`+relType+`hyperlink" Target="https://example.com/?a=1&amp;b=2" TargetMode="External"/>`)},
		file{"xl/drawings/drawing1.xml", `<xdr:wsDr/>`}, file{"xl/drawings/_rels/drawing1.xml.rels", rels(rel("c", "chart", "../charts/chart1.xml"), rel("i", "image", "../media/image1.png"))},
		file{"xl/charts/chart1.xml", `<c:chartSpace><c:f>A!$A$1:$A$9</c:f><c:f>B!$A$1</c:f></c:chartSpace>`}, file{"xl/media/image1.png", "png"},
		file{"xl/drawings/vmlDrawing1.vml", "<xml><br></xml>"}, file{"xl/comments1.xml", "<comments/>"},
		file{"xl/pivotTables/pivotTable1.xml", "<pivotTableDefinition/>"}, file{"xl/slicers/slicer1.xml", "<slicers/>"},
		file{"xl/tables/table1.xml", `<table id="4" name="T" displayName="T" ref="A1:B2"><tableColumns count="1"><tableColumn id="1" name="a"><calculatedColumnFormula>T[a]+1</calculatedColumnFormula></tableColumn></tableColumns></table>`})
	var left []string
	out := written(t, func(w io.Writer) (err error) {
		left, err = open(t, data).CopySheet(t.Context(), w, 0, "A b")
		return err
	})
	if got := strings.Join(left, ", "); got != "pivot tables, slicers" {
		t.Errorf("not copied: %s", got)
	}
	parts := partTexts(t, out)
	for part, want := range map[string][]string{
		"xl/worksheets/sheet4.xml":            {`<f>SUM(T_1[a])+Other[x]+A!B2</f>`, `<sheetPr/>`, `<sheetView workbookViewId="0"/>`, `<drawing r:id="d"/><legacyDrawing r:id="v"/><tableParts count="1"><tablePart r:id="t"/></tableParts></worksheet>`},
		"xl/worksheets/_rels/sheet4.xml.rels": {`Target="../drawings/drawing2.xml"`, `Target="../drawings/vmlDrawing2.vml"`, `Target="../tables/table2.xml"`, `Target="../comments2.xml"`, `Target="https://example.com/?a=1&amp;b=2" TargetMode="External"`},
		"xl/drawings/_rels/drawing2.xml.rels": {`Target="../charts/chart2.xml"`, `Target="../media/image1.png"`},
		"xl/charts/chart2.xml":                {`<c:f>'A b'!$A$1:$A$9</c:f><c:f>B!$A$1</c:f>`},
		"xl/tables/table2.xml":                {`id="5" name="T_1" displayName="T_1"`, `>T_1[a]+1<`},
		"xl/workbook.xml":                     {`<sheet name="A b" sheetId="4" r:id="rId4"/>`, `<definedName name="_xlnm.Print_Area" localSheetId="3">'A b'!$A$1:$B$9,'A b'!$D$1:$D$3</definedName>`, `<definedName name="Own" localSheetId="3">'A b'!$A$1</definedName>`},
		"[Content_Types].xml":                 {`PartName="/xl/charts/chart2.xml"`, `PartName="/xl/tables/table2.xml"`, `PartName="/xl/worksheets/sheet4.xml"`},
		"xl/charts/chart1.xml":                {`<c:f>A!$A$1:$A$9</c:f>`},
		"xl/worksheets/_rels/sheet1.xml.rels": {"pivotTable", "slicer"},
	} {
		for _, text := range want {
			if !strings.Contains(parts[part], text) {
				t.Errorf("%s: %s is not in %s", part, text, parts[part])
			}
		}
	}
	for _, text := range []string{"pivot", "slicer"} {
		if strings.Contains(parts["xl/worksheets/_rels/sheet4.xml.rels"], text) {
			t.Errorf("the copy refers to a %s", text)
		}
	}
	// Without the copy all is as before; without the first, its parts are gone.
	wb := open(t, out)
	less := partTexts(t, written(t, func(w io.Writer) error { return wb.DeleteSheet(t.Context(), w, &Edits{}, 0) }))
	for _, part := range []string{"xl/worksheets/sheet1.xml", "xl/drawings/drawing1.xml", "xl/charts/chart1.xml", "xl/tables/table1.xml", "xl/comments1.xml", "xl/pivotTables/pivotTable1.xml", "xl/drawings/_rels/drawing1.xml.rels"} {
		if _, ok := less[part]; ok {
			t.Errorf("%s is still there", part)
		}
	}
	if _, ok := less["xl/media/image1.png"]; !ok {
		t.Error("the picture of the copy is gone")
	}
	if got := less["xl/workbook.xml"]; !strings.Contains(got, `<workbookView activeTab="1"/>`) || !strings.Contains(got, `localSheetId="0">B!$A:$A,B!$1:$2<`) || !strings.Contains(got, `<definedName name="Rate">#REF!</definedName>`) || strings.Contains(got, `localSheetId="3"`) {
		t.Errorf("workbook: %s", got)
	}
	if got := less["xl/worksheets/sheet4.xml"]; !strings.Contains(got, `<f>SUM(T_1[a])+Other[x]+#REF!</f>`) {
		t.Errorf("the copy: %s", got)
	}
}
