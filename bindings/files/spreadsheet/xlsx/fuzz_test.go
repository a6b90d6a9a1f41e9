package xlsx

import (
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
)

// answers tells whether a code is one that a hostile workbook may be answered with.
func answers(code problem.Code) bool {
	switch code {
	case "", problem.DamagedFile, problem.UnsupportedFormat, problem.PasswordRequired, problem.TooComplex:
		return true
	}
	return false
}

func FuzzSheet(f *testing.F) {
	f.Add(`<dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" s="1"><f t="shared" si="0" ref="B1:B9">A1+$B$2</f><v>1.5</v></c></row></sheetData><mergeCells><mergeCell ref="A1:B2"/></mergeCells>`,
		`<si><r><t>a&amp;</t></r><rPh><t>b</t></rPh></si><si><t>_x000D_</t></si>`, `<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs><numFmts><numFmt numFmtId="164" formatCode="[h]:mm"/></numFmts>`)
	f.Add(`<sheetData><x:row><!-- </row> --><x:c t="inlineStr"><x:is><x:t><![CDATA[</row>]]></x:t></x:is></x:c></x:row><row r="9"/><row r="2"><c r="C2" t="d"><v>2024-01-31</v></c></row></sheetData>`, ``, ``)
	f.Fuzz(func(t *testing.T, text, texts, styles string) {
		data := book(text, file{"xl/sharedStrings.xml", "<sst>" + texts + "</sst>"}, file{"xl/styles.xml", "<styleSheet>" + styles + "</styleSheet>"})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if code := readEverything(ctx, data); !answers(code) {
			t.Errorf("answered %q", code)
		}
	})
}

func FuzzFile(f *testing.F) {
	f.Add(book(rowsXML(`<row r="1"><c r="A1"><v>1</v></c></row>`)))
	f.Add([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))
	for _, name := range []string{"poi__sample.xlsx", "sheetjs__wtf_path.xlsx", "poi__SimpleWithComments.xlsx"} {
		if data, err := os.ReadFile("../../../../../shared/corpus/xlsx/" + name); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if code := readEverything(ctx, data); !answers(code) {
			t.Errorf("answered %q", code)
		}
	})
}

// Whatever a sheet is, an edit either is refused or makes a workbook that holds the edit
// and, beside it, the same values.
func FuzzRewrite(f *testing.F) {
	f.Add(`<dimension ref="A1"/><cols><col min="1" max="2" width="3"/></cols><sheetData><row r="1"><c r="A1"><f t="shared" si="0" ref="A1:A2">B1</f><v>1</v></c></row><row><c><f t="shared" si="0"/><v>2</v></c></row></sheetData>`, ``)
	f.Add(`<sheetData/>`, `<cellXfs><xf numFmtId="14"/></cellXfs>`)
	f.Fuzz(func(t *testing.T, text, styles string) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		data := book(text, file{"xl/styles.xml", "<styleSheet>" + styles + "</styleSheet>"})
		before, err := allValues(ctx, data)
		if err != nil {
			return
		}
		wb := open(t, data)
		bold := true
		var e Edits
		e.Set(0, sheet.Ref{Col: 1, Row: 1}, sheet.Str("<new>"))
		e.Set(0, sheet.Ref{Col: 3, Row: 9}, sheet.Num(5))
		e.SetStyle(0, sheet.Range{MinCol: 1, MinRow: 1, MaxCol: 2, MaxRow: 2}, StyleChange{Bold: &bold})
		e.SetColumnWidth(0, 2, 3, 20)
		var out bytes.Buffer
		if err := wb.Rewrite(ctx, &out, &e); err != nil {
			if code := problem.CodeOf(err); !answers(code) {
				t.Errorf("answered %v", err)
			}
			return
		}
		after, err := allValues(ctx, out.Bytes())
		if err != nil && wellFormed(text) && wellFormed(styles) {
			t.Fatalf("the result cannot be read: %v\n%s", err, partTexts(t, out.Bytes())["xl/worksheets/sheet1.xml"])
		}
		if err != nil || !wellFormed(text) || !wellFormed(styles) {
			return // what is read of such a sheet is anybody's guess
		}
		want := before["Data"]
		want["A1"], want["C9"] = sheet.Str("<new>"), sheet.Num(5)
		for at, v := range after["Data"] {
			w := want[at]
			if v != w && !(v.Kind == sheet.Date || w.Kind == sheet.Date) {
				t.Errorf("%s is %+v, want %+v", at, v, w)
			}
			delete(want, at)
		}
		for at, w := range want {
			if w.Kind != sheet.Empty {
				t.Errorf("%s is gone, it was %+v", at, w)
			}
		}
	})
}

// wellFormed tells whether a sheet is, by the standard library, and has rows and cells
// only where they belong.
func wellFormed(sheet string) bool {
	d := xml.NewDecoder(strings.NewReader("<w>" + sheet + "</w>"))
	var path []string
	for {
		token, err := d.Token()
		if err == io.EOF {
			return true
		}
		if err != nil {
			return false
		}
		switch token := token.(type) {
		case xml.StartElement:
			path = append(path, token.Name.Local)
			at := strings.Join(path, "/")
			name := token.Name.Local
			if (name == "row" || name == "c" || name == "sheetData") && at != "w/sheetData" && at != "w/sheetData/row" && at != "w/sheetData/row/c" {
				return false
			}
		case xml.EndElement:
			path = path[:len(path)-1]
		}
	}
}
