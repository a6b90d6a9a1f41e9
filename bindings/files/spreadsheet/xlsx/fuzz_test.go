package xlsx

import (
	"context"
	"os"
	"testing"
	"time"

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
	f.Fuzz(func(t *testing.T, sheet, strings, styles string) {
		data := book(sheet, file{"xl/sharedStrings.xml", "<sst>" + strings + "</sst>"}, file{"xl/styles.xml", "<styleSheet>" + styles + "</styleSheet>"})
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
