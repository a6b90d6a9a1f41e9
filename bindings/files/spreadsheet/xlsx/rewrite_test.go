package xlsx

import (
	"archive/zip"
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/xuri/excelize/v2"
)

func rewritten(t testing.TB, wb *Workbook, e *Edits) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := wb.Rewrite(t.Context(), &b, e); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func partTexts(t testing.TB, data []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		texts[f.Name] = string(text)
	}
	return texts
}

func ref(t testing.TB, s string) sheet.Ref {
	at, err := sheet.ParseRef(s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func area2(t testing.TB, s string) sheet.Range {
	r, err := sheet.ParseRange(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRewriteCells(t *testing.T) {
	styles := file{"xl/styles.xml", `<styleSheet ` + mainNS + `><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="4"/></cellXfs></styleSheet>`}
	for _, c := range []struct {
		name, before string
		edit         func(e *Edits)
		want         string // between the worksheet's tags
	}{
		{"one value", rowsXML(`<row r="1" spans="1:2" ht="20"><c r="A1" s="2"><v>1</v></c><c r="B1" t="s"><v>0</v></c></row><row r="2"><c r="A2"><v>2</v></c></row>`),
			func(e *Edits) { e.Set(0, ref(t, "A1"), sheet.Num(5.5)) },
			rowsXML(`<row r="1" ht="20"><c r="A1" s="2"><v>5.5</v></c><c r="B1" t="s"><v>0</v></c></row><row r="2"><c r="A2"><v>2</v></c></row>`)},
		{"new cells between, before and behind", rowsXML(`<row r="2"><c r="B2"><v>1</v></c></row><row r="5"/>`),
			func(e *Edits) {
				e.Set(0, ref(t, "C2"), sheet.Boolean(true))
				e.Set(0, ref(t, "A2"), sheet.Str("a<b & \"c\""))
				e.Set(0, ref(t, "A1"), sheet.Err("#N/A"))
				e.Set(0, ref(t, "D5"), sheet.Str(" spaces\nand lines "))
				e.SetFormula(0, ref(t, "A9"), "SUM(A1:A8)&\"<\"")
			},
			rowsXML(`<row r="1"><c r="A1" t="e"><v>#N/A</v></c></row><row r="2"><c r="A2" t="inlineStr"><is><t>a&lt;b &amp; &quot;c&quot;</t></is></c><c r="B2"><v>1</v></c><c r="C2" t="b"><v>1</v></c></row>` +
				`<row r="5"><c r="D5" t="inlineStr"><is><t xml:space="preserve"> spaces` + "\n" + `and lines </t></is></c></row><row r="9"><c r="A9"><f>SUM(A1:A8)&amp;"&lt;"</f></c></row>`)},
		{"an empty sheet", `<sheetData/><pageMargins left="1"/>`,
			func(e *Edits) { e.Set(0, ref(t, "B2"), sheet.Num(1)) },
			rowsXML(`<row r="2"><c r="B2"><v>1</v></c></row>`) + `<pageMargins left="1"/>`},
		{"clearing", rowsXML(`<row r="1"><c r="A1" s="2"><f>1+1</f><v>2</v></c><c r="B1"><v>3</v></c></row>`),
			func(e *Edits) {
				e.Set(0, ref(t, "A1"), sheet.Value{})
				e.Set(0, ref(t, "B1"), sheet.Value{})
				e.Set(0, ref(t, "C7"), sheet.Value{})
			},
			rowsXML(`<row r="1"><c r="A1" s="2"/></row>`)},
		{"the last of two edits", rowsXML(`<row r="1"><c r="A1"><v>1</v></c></row>`),
			func(e *Edits) {
				e.Set(0, ref(t, "A1"), sheet.Num(2))
				e.Set(0, ref(t, "A1"), sheet.Num(3))
			},
			rowsXML(`<row r="1"><c r="A1"><v>3</v></c></row>`)},
		{"rows and cells without numbers", rowsXML("<row><c><v>1</v></c><c><v>2</v></c></row>\n<row><c><v>3</v></c></row>"),
			func(e *Edits) { e.Set(0, ref(t, "D1"), sheet.Num(4)) },
			rowsXML("<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><v>2</v></c><c r=\"D1\"><v>4</v></c></row>\n<row r=\"2\"><c><v>3</v></c></row>")},
		{"the first cell of a shared formula", rowsXML(`<row r="1"><c r="A1"><f t="shared" ref="A1:A3" si="0">B1*2</f><v>2</v></c></row><row r="2"><c r="A2" t="str"><f t="shared" si="0"/><v>x</v></c></row><row r="3"><c r="A3"><f t="shared" si="1"/></c></row>`),
			func(e *Edits) { e.Set(0, ref(t, "A1"), sheet.Num(7)) },
			rowsXML(`<row r="1"><c r="A1"><v>7</v></c></row><row r="2"><c r="A2" t="str"><f>B2*2</f><v>x</v></c></row><row r="3"><c r="A3"><f t="shared" si="1"/></c></row>`)},
		{"a dimension grows", `<dimension ref="A1:B2"/>` + rowsXML(`<row r="1"><c r="A1"><v>1</v></c></row>`),
			func(e *Edits) { e.Set(0, ref(t, "D9"), sheet.Num(1)) },
			`<dimension ref="A1:D9"/>` + rowsXML(`<row r="1"><c r="A1"><v>1</v></c></row><row r="9"><c r="D9"><v>1</v></c></row>`)},
		{"column widths and row heights", `<cols><col min="1" max="3" width="9" style="1"/></cols>` + rowsXML(`<row r="1"><c r="A1"><v>1</v></c></row>`),
			func(e *Edits) { e.SetColumnWidth(0, 2, 5, 20.5); e.SetRowHeight(0, 1, 30); e.SetRowHeight(0, 3, 15) },
			`<cols><col min="1" max="1" width="9" style="1"/><col min="2" max="3" width="20.5" style="1" customWidth="1"/><col width="20.5" customWidth="1" min="4" max="5"/></cols>` +
				rowsXML(`<row r="1" ht="30" customHeight="1"><c r="A1"><v>1</v></c></row><row r="3" ht="15" customHeight="1"></row>`)},
		{"prefixes", `<x:sheetData><x:row r="1"><x:c r="A1"><x:v>1</x:v></x:c></x:row></x:sheetData>`,
			func(e *Edits) { e.Set(0, ref(t, "B1"), sheet.Num(2)) },
			`<x:sheetData><x:row r="1"><x:c r="A1"><x:v>1</x:v></x:c><x:c r="B1"><x:v>2</x:v></x:c></x:row></x:sheetData>`},
		{"comments stay", rowsXML(`<!-- one --><row r="1"><c r="A1"><v>1</v></c></row><!-- two --><row r="2"><c r="A2"><v>2</v></c></row><!-- three -->`),
			func(e *Edits) { e.Set(0, ref(t, "A2"), sheet.Num(3)) },
			rowsXML(`<!-- one --><row r="1"><c r="A1"><v>1</v></c></row><!-- two --><row r="2"><c r="A2"><v>3</v></c></row><!-- three -->`)},
	} {
		var e Edits
		c.edit(&e)
		data := rewritten(t, open(t, book(c.before, styles)), &e)
		got := partTexts(t, data)["xl/worksheets/sheet1.xml"]
		got = strings.TrimSuffix(got[strings.Index(got, mainNS)+len(mainNS)+1:], "</worksheet>")
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestRewriteStyles(t *testing.T) {
	yes, no, size, red, code, center := true, false, 14.0, "FF0000", "0.000", "center"
	for name, styles := range map[string]string{
		"usual": `<numFmts count="1"><numFmt numFmtId="170" formatCode="0.0"/></numFmts><fonts count="1"><font><i/><sz val="10"/><name val="Arial"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/></border></borders><cellXfs count="2"><xf numFmtId="0" fontId="0"/><xf numFmtId="170" fontId="0"><alignment vertical="top"/><protection locked="0"/></xf></cellXfs><dxfs count="0"/>`,
		"bare":  `<cellXfs><xf numFmtId="0"/><xf numFmtId="2"/></cellXfs>`,
		"empty": ``,
		"none":  `-`,
	} {
		data := book(rowsXML(`<row r="1"><c r="A1" s="1"><v>1</v></c><c r="B1"><v>2</v></c></row>`), file{"xl/styles.xml", `<styleSheet ` + mainNS + `>` + styles + `</styleSheet>`})
		if styles == "-" {
			data = rewrite(t, data, func(z *zip.Writer, f *zip.File) {
				if f.Name != "xl/styles.xml" {
					z.Copy(f)
				}
			})
		}
		var e Edits
		e.SetStyle(0, area2(t, "A1:C2"), StyleChange{Bold: &yes, Italic: &no, FontSize: &size, Color: &red, Fill: &red, Horizontal: &center, Wrap: &yes})
		e.SetStyle(0, area2(t, "A:A"), StyleChange{NumberFormat: &code, Border: map[string]BorderLine{"top": {"thin", "00FF00"}}})
		e.Set(0, ref(t, "B1"), sheet.Serial(45322))
		e.Set(0, ref(t, "D1"), sheet.Serial(45322.5))
		out := rewritten(t, open(t, data), &e)
		wb := open(t, out)
		for at, want := range map[string]string{"A1": "0.000|1.000", "B1": "yyyy-mm-dd|2024-01-31", "C2": "General|", "D1": "yyyy-mm-dd hh:mm:ss|2024-01-31 12:00:00", "A2": "0.000|"} {
			d, err := wb.Cell(t.Context(), 0, ref(t, at))
			if err != nil {
				t.Fatal(err)
			}
			if got := d.NumberFormat + "|" + d.Text; got != want {
				t.Errorf("%s: %s: %s, want %s", name, at, got, want)
			}
			if at == "D1" {
				continue
			}
			if d.Style == nil || !d.Style.Bold || d.Style.Italic || d.Style.FontSize != 14 || d.Style.Color != "#FF0000" || d.Style.Fill != "#FF0000" || d.Style.Horizontal != "center" || !d.Style.Wrap {
				t.Errorf("%s: %s: %+v", name, at, d.Style)
			}
		}
		// Another library agrees.
		f, err := excelize.OpenReader(bytes.NewReader(out))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		id, err := f.GetCellStyle("Data", "A1")
		if err != nil {
			t.Fatal(err)
		}
		style, err := f.GetStyle(id)
		if err != nil || style.Font == nil || !style.Font.Bold || style.Font.Size != 14 || style.Font.Color != "FF0000" || style.Alignment.Horizontal != "center" || len(style.Border) == 0 || style.CustomNumFmt == nil || *style.CustomNumFmt != "0.000" {
			t.Errorf("%s: excelize has %+v, %v", name, style, err)
		}
		if name == "usual" && style != nil && (style.Font.Family != "Arial" || style.Alignment.Vertical != "top" || style.Protection == nil || style.Protection.Locked) {
			t.Errorf("lost: %+v %+v %+v", style.Font, style.Alignment, style.Protection)
		}
	}
}

// On every workbook of the corpus one cell changes, and nothing else does.
func TestRewriteKeepsEverythingElse(t *testing.T) {
	for _, path := range corpus(t) {
		name := filepath.Base(path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if refused[name] != "" {
			continue
		}
		wb := open(t, data)
		first := -1
		for i, info := range wb.Sheets() {
			if info.Kind == sheet.Worksheet && wb.sheets[i].part != nil {
				first = i
				break
			}
		}
		if first < 0 {
			continue
		}
		at := sheet.Ref{Col: 30, Row: 777}
		var e Edits
		e.Set(first, at, sheet.Str("new & <old>"))
		out := rewritten(t, wb, &e)
		before, err := allValues(t.Context(), data)
		if err != nil {
			t.Fatal(err)
		}
		after, err := allValues(t.Context(), out)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		before[wb.Sheets()[first].Name][at.String()] = sheet.Str("new & <old>")
		for s := range before {
			if !maps.Equal(before[s], after[s]) {
				t.Errorf("%s: the values of %q changed", name, s)
			}
		}
		old, now := partTexts(t, data), partTexts(t, out)
		for part, text := range old {
			switch {
			case strings.HasSuffix(part, "calcChain.xml"):
			case now[part] == text:
			case part == wb.sheets[first].part.file.Name, part == wb.main.file.Name, strings.HasSuffix(part, ".rels"), part == "[Content_Types].xml":
			default:
				t.Errorf("%s: part %s changed or is gone", name, part)
			}
		}
	}
}

func TestRewriteTwiceIsStable(t *testing.T) {
	wb := open(t, large(t, 3000, 6))
	var e Edits
	for row := 10; row < 3000; row += 30 {
		e.Set(0, sheet.Ref{Col: 3, Row: row}, sheet.Num(float64(row)))
	}
	once := rewritten(t, wb, &e)
	again := open(t, once)
	n := 0
	err := again.Rows(t.Context(), 0, sheet.All(), func(row int, cells []sheet.Cell) error {
		n += len(cells)
		if row%30 == 10 && cells[2].Num != float64(row) {
			t.Errorf("row %d: %+v", row, cells[2])
		}
		return nil
	})
	if err != nil || n != 18_000 {
		t.Errorf("%d cells, %v", n, err)
	}
	if twice := partTexts(t, rewritten(t, again, &e)); twice["xl/worksheets/sheet1.xml"] != partTexts(t, once)["xl/worksheets/sheet1.xml"] {
		t.Error("the same edits again change something")
	}
}

func BenchmarkRewrite(b *testing.B) {
	data := benchBook(b, 100_000, 20)
	b.Run("one cell", func(b *testing.B) {
		for b.Loop() {
			var e Edits
			e.Set(0, sheet.Ref{Col: 3, Row: 90_000}, sheet.Num(1))
			if err := open(b, data).Rewrite(b.Context(), io.Discard, &e); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("a column formatted", func(b *testing.B) {
		bold := true
		for b.Loop() {
			var e Edits
			e.SetStyle(0, sheet.Range{MinCol: 5, MinRow: 1, MaxCol: 5, MaxRow: 100_000}, StyleChange{Bold: &bold})
			if err := open(b, data).Rewrite(b.Context(), io.Discard, &e); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("10k x 10 written", func(b *testing.B) {
		for b.Loop() {
			var e Edits
			for row := 1; row <= 10_000; row++ {
				for col := 1; col <= 10; col++ {
					e.Set(0, sheet.Ref{Col: col, Row: row}, sheet.Num(float64(row*col)))
				}
			}
			if err := open(b, data).Rewrite(b.Context(), io.Discard, &e); err != nil {
				b.Fatal(err)
			}
		}
	})
}
