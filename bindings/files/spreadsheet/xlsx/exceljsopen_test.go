package xlsx

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// What ExcelJS can open it still opens when sheets are copied, when tables, charts and rules
// are added, and when rows and columns move.
func TestExcelJSOpensWhatItOpened(t *testing.T) {
	if testing.Short() {
		t.Skip("takes Node some 15 s")
	}
	files := corpus(t)
	noted := filepath.Join(t.TempDir(), "noted.xlsx")
	if err := os.WriteFile(noted, withNote(), 0o600); err != nil {
		t.Fatal(err)
	}
	made := map[string]string{} // from written files to what they were
	var list []string
	for _, peer := range exceljs(t, append(files, noted)) {
		if peer.Error != "" {
			continue
		}
		data, err := os.ReadFile(peer.File)
		if err != nil {
			t.Fatal(err)
		}
		wb, err := Open(t.Context(), bytes.NewReader(data), int64(len(data)), Options{MaxInflated: 64 << 20})
		if err != nil {
			continue
		}
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
		for _, change := range []func(w io.Writer) error{
			func(w io.Writer) error {
				_, err := wb.CopySheet(t.Context(), w, first, "The copy")
				return err
			},
			func(w io.Writer) error {
				e, err := decorated(t, wb, first)
				if err != nil {
					return err
				}
				return wb.Rewrite(t.Context(), w, e)
			},
			func(w io.Writer) error {
				e := &Edits{}
				if err := e.InsertRows(t.Context(), wb, first, 2, 1); err != nil {
					return err
				}
				return wb.Rewrite(t.Context(), w, e)
			},
		} {
			var out bytes.Buffer
			if err := change(&out); err == nil { // what cannot be done is said by other tests
				wb, data = open(t, out.Bytes()), out.Bytes()
			}
		}
		to := filepath.Join(t.TempDir(), "changed.xlsx")
		if err := os.WriteFile(to, data, 0o600); err != nil {
			t.Fatal(err)
		}
		made[to] = filepath.Base(peer.File)
		list = append(list, to)
	}
	for _, peer := range exceljs(t, list) {
		if peer.Error == "the reader ended" { // it may have been out of time, with others before it
			peer = exceljs(t, []string{peer.File})[0]
		}
		if peer.Error != "" {
			t.Errorf("%s: ExcelJS: %.200s", made[peer.File], peer.Error)
		}
	}
	t.Logf("%d workbooks", len(list))
	if len(list) < 60 {
		t.Errorf("only %d workbooks were written", len(list))
	}
}

// withNote is a workbook with a note on a cell.
func withNote() []byte {
	return book(rowsXML(`<row r="1"><c r="A1"><v>1</v></c></row>`)+`<legacyDrawing r:id="v"/>`,
		file{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
			`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + worksheetType + `"/><Override PartName="/xl/comments1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.comments+xml"/></Types>`},
		file{"xl/worksheets/_rels/sheet1.xml.rels", `<Relationships ` + relsNS + `><Relationship Id="v" Type="` + relType + `vmlDrawing" Target="../drawings/vmlDrawing1.vml"/><Relationship Id="c" Type="` + relType + `comments" Target="../comments1.xml"/></Relationships>`},
		file{"xl/comments1.xml", `<comments ` + mainNS + `><authors><author>a</author></authors><commentList><comment ref="A1" authorId="0"><text><r><t>look</t></r></text></comment></commentList></comments>`},
		file{"xl/drawings/vmlDrawing1.vml", `<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:x="urn:schemas-microsoft-com:office:excel"><v:shape id="_x0000_s1025" type="#_x0000_t202" style="visibility:hidden"><v:textbox/><x:ClientData ObjectType="Note"><x:Row>0</x:Row><x:Column>0</x:Column></x:ClientData></v:shape></xml>`})
}
