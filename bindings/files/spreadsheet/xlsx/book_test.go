package xlsx

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// file is a part of a workbook made for a test.
type file struct{ name, text string }

const (
	relsNS  = `xmlns="http://schemas.openxmlformats.org/package/2006/relationships"`
	mainNS  = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	relType = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
)

// book makes a workbook of one sheet from the XML within its worksheet element; parts
// given besides replace the usual ones of their name.
func book(worksheet string, parts ...file) []byte {
	usual := []file{
		{"_rels/.rels", `<Relationships ` + relsNS + `><Relationship Id="r1" Type="` + relType + `officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook ` + mainNS + `><sheets><sheet name="Data" sheetId="1" r:id="s1"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships ` + relsNS + `><Relationship Id="s1" Type="` + relType + `worksheet" Target="worksheets/sheet1.xml"/>` +
			`<Relationship Id="t" Type="` + relType + `sharedStrings" Target="sharedStrings.xml"/><Relationship Id="y" Type="` + relType + `styles" Target="styles.xml"/></Relationships>`},
		{"xl/worksheets/sheet1.xml", `<?xml version="1.0"?><worksheet ` + mainNS + `>` + worksheet + `</worksheet>`},
	}
	for _, p := range parts {
		found := false
		for i := range usual {
			if usual[i].name == p.name {
				usual[i].text, found = p.text, true
			}
		}
		if !found {
			usual = append(usual, p)
		}
	}
	return pack(usual)
}

func pack(parts []file) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range parts {
		w, _ := z.Create(p.name)
		w.Write([]byte(p.text))
	}
	z.Close()
	return b.Bytes()
}

func rowsXML(rows string) string { return "<sheetData>" + rows + "</sheetData>" }

func open(t testing.TB, data []byte) *Workbook {
	t.Helper()
	wb, err := Open(t.Context(), bytes.NewReader(data), int64(len(data)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return wb
}

// dump gives the first sheet's cells as "A1=number:5 B1=string:x", in order.
func dump(t testing.TB, wb *Workbook) string {
	t.Helper()
	var out []string
	err := wb.Rows(t.Context(), 0, sheet.All(), func(row int, cells []sheet.Cell) error {
		for _, c := range cells {
			out = append(out, fmt.Sprintf("%s=%v:%s", sheet.Ref{Col: int(c.Col), Row: row}, c.Kind, c.Plain()))
		}
		return nil
	})
	if err != nil {
		return "error " + err.Error()
	}
	return strings.Join(out, " ")
}

func TestCells(t *testing.T) {
	strings := file{"xl/sharedStrings.xml", `<sst ` + mainNS + `><si><t>plain</t></si><si><r><rPr><b/></rPr><t>ri</t></r><r><t xml:space="preserve">ch </t></r>` +
		`<rPh sb="0" eb="1"><t>phonetic</t></rPh></si><si><t>a_x000D_b_x005F_x000D_ _xD83D__xDE00_</t></si><si><t><![CDATA[<&>]]> &amp;&#65;&#x42;</t></si><si><t/></si></sst>`}
	styles := file{"xl/styles.xml", `<styleSheet ` + mainNS + `><numFmts count="2"><numFmt numFmtId="164" formatCode="&quot;day&quot; 0"/><numFmt numFmtId="165" formatCode="[$-409]d\-mmm\ yyyy"/></numFmts>` +
		`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="46"/></cellXfs></styleSheet>`}
	for _, c := range []struct{ name, rows, want string }{
		{"numbers", `<row r="1"><c r="A1"><v>1</v></c><c r="B1" t="n"><v>-2.5</v></c><c r="C1"><v>1E-3</v></c><c r="D1"><v> 7 </v></c><c r="E1"><v>0.30000000000000004</v></c></row>`,
			"A1=number:1 B1=number:-2.5 C1=number:0.001 D1=number:7 E1=number:0.30000000000000004"},
		{"shared strings", `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c><c r="D1" t="s"><v>3</v></c><c r="E1" t="s"><v>4</v></c></row>`,
			"A1=string:plain B1=string:rich  C1=string:a\rb_x000D_ 😀 D1=string:<&> &AB E1=string:"},
		{"a shared string that does not exist", `<row r="1"><c r="A1" t="s"><v>99</v></c><c r="B1" t="s"><v>-1</v></c><c r="C1"><v>1</v></c></row>`, "C1=number:1"},
		{"inline strings", `<row r="1"><c r="A1" t="inlineStr"><is><t>a &lt; b</t></is></c><c r="B1" t="inlineStr"><is><r><t>x</t></r><r><t>y</t></r><rPh><t>no</t></rPh></is></c></row>`,
			"A1=string:a < b B1=string:xy"},
		{"booleans and errors", `<row r="1"><c r="A1" t="b"><v>1</v></c><c r="B1" t="b"><v>0</v></c><c r="C1" t="e"><v>#DIV/0!</v></c></row>`,
			"A1=boolean:TRUE B1=boolean:FALSE C1=error:#DIV/0!"},
		{"formulas", `<row r="1"><c r="A1" t="str"><f>"a"&amp;"b"</f><v>a&amp;b</v></c><c r="B1"><f>1+1</f><v>2</v></c><c r="C1"><f>C2</f></c></row>`,
			"A1=string:a&b B1=number:2 C1=empty:"},
		{"dates", `<row r="1"><c r="A1" s="1"><v>45322</v></c><c r="B1" s="2"><v>45322</v></c><c r="C1" s="3"><v>45322.75</v></c><c r="D1" s="4"><v>0.5</v></c><c r="E1" t="d"><v>2024-01-31T18:00:00</v></c><c r="F1" s="1"><v>-5</v></c></row>`,
			"A1=date:2024-01-31T00:00:00.000Z B1=number:45322 C1=date:2024-01-31T18:00:00.000Z D1=date:1899-12-30T12:00:00.000Z E1=date:2024-01-31T18:00:00.000Z F1=number:-5"},
		{"no references", `<row><c><v>1</v></c><c/><c><v>3</v></c></row><row/><row><c><v>4</v></c></row>`, "A1=number:1 C1=number:3 A3=number:4"},
		{"rows without numbers whose cells have them", `<row><c r="B5"><v>1</v></c></row><row><c r="B7"><v>2</v></c></row>`, "B5=number:1 B7=number:2"},
		{"rows out of order, one twice", `<row r="3"><c r="A3"><v>3</v></c></row><row r="1"><c r="A1"><v>1</v></c></row><row r="3"><c r="B3"><v>4</v></c></row>`, "A1=number:1 A3=number:3 B3=number:4"},
		{"cells out of order, one twice", `<row r="1"><c r="C1"><v>3</v></c><c r="A1"><v>1</v></c><c r="C1"><v>4</v></c></row>`, "A1=number:1 C1=number:4"},
		{"prefixes", `<x:row r="1"><x:c r="A1" t="inlineStr"><x:is><x:t>p</x:t></x:is></x:c><x:c r="B1"><x:v>2</x:v></x:c></x:row>`, "A1=string:p B1=number:2"},
		{"comments and CDATA that look like tags", `<row r="1"><!-- </row><c r="Z1"><v>9</v></c> --><c r="A1" t="str"><v><![CDATA[</row></c>]]></v></c></row><row r="2"><c r="A2"><v>5</v></c></row>`, "A1=string:</row></c> A2=number:5"},
		{"white space and odd attributes", "<row spans='1:2'\n r = '1' ht=\"15>\" ><c\n\tfoo=\"a>b\"  r = 'A1'  s=\"0\" ><f ca=\"1\"/><v>1</v></c  ><c r=\"B1\" /></row >", "A1=number:1"},
		{"an unknown element between", `<ext><row r="9"><c r="A9"><v>9</v></c></row></ext><row r="1"><c r="A1"><foo><v>7</v></foo><v>1</v></c></row>`, "A1=number:1"},
		{"text where a number should be", `<row r="1"><c r="A1"><v>abc</v></c><c r="B1"><v>0x10</v></c><c r="C1"><v></v></c><c r="D1"><v/></c></row>`, "A1=string:abc B1=string:0x10"},
		{"columns beyond the last", `<row r="1"><c r="XFD1"><v>1</v></c><c r="XFE1"><v>2</v></c><c r="ZZZZZZZZZZ1"><v>3</v></c></row>`, "XFD1=number:1"},
		{"nothing", ``, ""},
	} {
		if got := dump(t, open(t, book(rowsXML(c.rows), strings, styles))); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestDate1904(t *testing.T) {
	data := book(rowsXML(`<row r="1"><c r="A1" s="1"><v>0</v></c><c r="B1" s="1"><v>43860.5</v></c></row>`),
		file{"xl/workbook.xml", `<workbook ` + mainNS + `><workbookPr date1904="1"/><sheets><sheet name="Data" sheetId="1" r:id="s1"/></sheets></workbook>`},
		file{"xl/styles.xml", `<styleSheet ` + mainNS + `><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/></cellXfs></styleSheet>`})
	want := "A1=date:1904-01-01T00:00:00.000Z B1=date:2024-01-31T12:00:00.000Z"
	wb := open(t, data)
	if got := dump(t, wb); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	d, err := wb.Cell(t.Context(), 0, sheet.Ref{Col: 2, Row: 1})
	if err != nil || d.Text != "1/31/2024 12:00" {
		t.Errorf("text %q, %v", d.Text, err)
	}
}

// Sheets are found by their relationships, however these are written.
func TestRelationships(t *testing.T) {
	cells := `<sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData>`
	workbook := `<workbook ` + mainNS + `><sheets><sheet name="A&amp;B" sheetId="7" state="hidden" r:id="x"/><sheet name="C" sheetId="3" state="veryHidden" r:id="y"/><sheet name="Chart" sheetId="4" r:id="z"/><sheet name="Gone" sheetId="5" r:id="gone"/></sheets></workbook>`
	strict := strings.NewReplacer("http://schemas.openxmlformats.org/officeDocument/2006/relationships", "http://purl.oclc.org/ooxml/officeDocument/relationships",
		"http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://purl.oclc.org/ooxml/spreadsheetml/main")
	for name, change := range map[string]func(string) string{
		"transitional": func(s string) string { return s },
		"strict":       strict.Replace,
		"other prefix": func(s string) string {
			return strings.ReplaceAll(strings.ReplaceAll(s, "r:id", "ns1:id"), "xmlns:r=", "xmlns:ns1=")
		},
	} {
		parts := []file{
			{"_rels/.rels", `<Relationships ` + relsNS + `><Relationship Id="r1" Type="` + relType + `officeDocument" Target="/my/Book.xml"/></Relationships>`},
			{"my/book.xml", workbook}, // another case than the relationship has
			{"my/_rels/Book.xml.rels", `<Relationships ` + relsNS + `><Relationship Target="../odd%20place/one.xml" Type="` + relType + `worksheet" Id="x"/><Relationship Id="y" Type="` + relType + `worksheet" Target="/two.xml"/><Relationship Id="z" Type="` + relType + `chartsheet" Target="chart.xml"/></Relationships>`},
			{`odd place\one.xml`, `<worksheet ` + mainNS + `>` + cells + `</worksheet>`},
			{"two.xml", `<worksheet ` + mainNS + `>` + cells + `</worksheet>`},
			{"my/chart.xml", `<chartsheet/>`},
		}
		for i := range parts {
			parts[i].text = change(parts[i].text)
		}
		wb := open(t, pack(parts))
		got := fmt.Sprint(wb.Sheets())
		if want := "[{A&B hidden worksheet} {C veryHidden worksheet} {Chart visible chartsheet} {Gone visible worksheet}]"; got != want {
			t.Errorf("%s: sheets %s, want %s", name, got, want)
		}
		for i, want := range []string{"", "", "unsupported_format", "damaged_file"} {
			n := 0
			err := wb.Rows(t.Context(), i, sheet.All(), func(int, []sheet.Cell) error { n++; return nil })
			if want == "" && (err != nil || n != 1) || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
				t.Errorf("%s: sheet %d: %d rows, %v; want %q", name, i, n, err, want)
			}
		}
	}
}

func TestUTF16Parts(t *testing.T) {
	utf16 := func(s string) string {
		var b strings.Builder
		b.WriteString("\xff\xfe")
		for _, r := range s {
			b.WriteByte(byte(r))
			b.WriteByte(byte(r >> 8))
		}
		return b.String()
	}
	data := book("", file{"xl/worksheets/sheet1.xml", utf16(`<?xml version="1.0" encoding="UTF-16"?><worksheet ` + mainNS + `><sheetData><row r="1"><c r="A1" t="str"><v>żółw</v></c></row></sheetData></worksheet>`)})
	if got := dump(t, open(t, data)); got != "A1=string:żółw" {
		t.Error(got)
	}
	latin := book("", file{"xl/worksheets/sheet1.xml", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><worksheet><sheetData><row r=\"1\"><c r=\"A1\" t=\"str\"><v>caf\xe9</v></c></row></sheetData></worksheet>"})
	if got := dump(t, open(t, latin)); got != "A1=string:café" {
		t.Error(got)
	}
}

func TestCellDetail(t *testing.T) {
	data := book(rowsXML(`<row r="1"><c r="A1"><f t="shared" ref="A1:A3" si="0">B1*$C$1+SUM(B1:B$9)+Other!D4&amp;"B1"</f><v>1</v></c><c r="D1"><f t="array" ref="D1:E2">A1:B2*2</f><v>4</v></c></row>`+
		`<row r="2"><c r="A2"><f t="shared" si="0"/><v>2</v></c></row><row r="3"><c r="A3" s="1"><f t="shared" si="0"/><v>0.256</v></c><c r="B3" s="1"/></row>`)+
		`<mergeCells count="1"><mergeCell ref="A3:C4"/></mergeCells>`,
		file{"xl/styles.xml", `<styleSheet ` + mainNS + `><fonts><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="14"/><color rgb="FFFF0000"/><name val="Calibri"/></font></fonts>` +
			`<fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FF00FF00"/></patternFill></fill></fills>` +
			`<cellXfs><xf numFmtId="0"/><xf numFmtId="10" fontId="1" fillId="1"><alignment horizontal="center" wrapText="1"/></xf></cellXfs></styleSheet>`})
	wb := open(t, data)
	d, err := wb.Cell(t.Context(), 0, sheet.Ref{Col: 1, Row: 3})
	if err != nil {
		t.Fatal(err)
	}
	if d.Formula != `B3*$C$1+SUM(B3:B$9)+Other!D6&"B1"` || d.NumberFormat != "0.00%" || d.Text != "25.60%" || d.Merged.String() != "A3:C4" || d.Value.Num != 0.256 {
		t.Errorf("%+v", d)
	}
	if d.Style == nil || *d.Style != (sheet.Style{Bold: true, FontSize: 14, Color: "#FF0000", Fill: "#00FF00", Horizontal: "center", Wrap: true}) {
		t.Errorf("%+v", d.Style)
	}
	if d, _ := wb.Cell(t.Context(), 0, sheet.Ref{Col: 4, Row: 1}); d.Formula != "A1:B2*2" || d.ArrayRange.String() != "D1:E2" {
		t.Errorf("%+v", d)
	}
	if d, _ := wb.Cell(t.Context(), 0, sheet.Ref{Col: 2, Row: 3}); d.Value.Kind != sheet.Empty || d.NumberFormat != "0.00%" {
		t.Errorf("%+v", d)
	}
	if d, err := wb.Cell(t.Context(), 0, sheet.Ref{Col: 9, Row: 999}); err != nil || d.NumberFormat != "General" || d.Text != "" {
		t.Errorf("%+v %v", d, err)
	}
	if used, ok, err := wb.Used(t.Context(), 0); !ok || err != nil || used.String() != "A1:D3" {
		t.Errorf("used %v %v %v", used, ok, err)
	}
}

func TestMoveFormula(t *testing.T) {
	for _, c := range []struct {
		text       string
		cols, rows int
		want       string
	}{
		{"A1+B2", 1, 1, "B2+C3"},
		{"$A1+B$2+$C$3", 2, 5, "$A6+D$2+$C$3"},
		{"SUM(A:A,1:1,$B:C)", 1, 1, "SUM(B:B,2:2,$B:D)"},
		{"LOG10(A1)*TRUE+Rate", 0, 1, "LOG10(A2)*TRUE+Rate"},
		{`"A1 ""B2"""&A1`, 0, 1, `"A1 ""B2"""&A2`},
		{"'A1'!B1+Sheet2!C1", 0, 1, "'A1'!B2+Sheet2!C2"},
		{"Table1[[#This Row],[A1]]+A1", 0, 1, "Table1[[#This Row],[A1]]+A2"},
		{"A1", -1, 0, "#REF!"},
		{"A1", 0, -1, "#REF!"},
		{"1.5E3+A1E", 1, 1, "1.5E3+A1E"},
		{"XFD1", 1, 0, "#REF!"},
		{`"unterminated A1`, 1, 1, `"unterminated A1`},
		{"a1[unclosed", 1, 1, "a1[unclosed"},
	} {
		if got := moveFormula(c.text, c.cols, c.rows); got != c.want {
			t.Errorf("%s moved by %d,%d: %s, want %s", c.text, c.cols, c.rows, got, c.want)
		}
	}
}

func TestCancelledReadsEnd(t *testing.T) {
	wb := open(t, large(t, 20_000, 5))
	ctx, cancel := context.WithCancel(t.Context())
	rows := 0
	err := wb.Rows(ctx, 0, sheet.All(), func(int, []sheet.Cell) error {
		if rows++; rows == 10 {
			cancel()
		}
		return nil
	})
	if err == nil || rows > 10_000 || !strings.HasPrefix(err.Error(), "canceled") {
		t.Errorf("%d rows, %v", rows, err)
	}
	// The same workbook still answers others.
	if _, _, err := wb.Used(t.Context(), 0); err != nil {
		t.Error(err)
	}
}
