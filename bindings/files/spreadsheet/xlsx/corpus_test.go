package xlsx

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
)

// corpus lists real workbooks, many of them broken on purpose.
func corpus(t testing.TB) []string {
	files, _ := filepath.Glob("../../../../../shared/corpus/xlsx/*")
	if len(files) == 0 {
		t.Skip("no corpus beside the repository")
	}
	return files
}

// refused names the corpus files that must not open or read, with the reason.
var refused = map[string]problem.Code{
	"excelize__test__encryptAES.xlsx":                                         problem.PasswordRequired,
	"poi__crash-9bf3cd4bd6f50a8a9339d363c2c7af14b536865c.xlsx":                problem.PasswordRequired,
	"exceljs__spec__integration__data__missing-bits.xlsx":                     problem.DamagedFile, // no workbook part
	"poi__clusterfuzz-testcase-minimized-POIXSSFFuzzer-5937385319563264.xlsx": problem.DamagedFile, // a checksum is wrong
	"poi__clusterfuzz-testcase-minimized-POIXSSFFuzzer-6123461607817216.xlsx": problem.DamagedFile, // no zip directory
}

func TestCorpusNeitherCrashesNorHangs(t *testing.T) {
	for _, path := range corpus(t) {
		name := filepath.Base(path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		code := readEverything(ctx, data)
		cancel()
		if code != refused[name] {
			t.Errorf("%s: answered %q, want %q", name, code, refused[name])
		}
	}
}

// readEverything opens a workbook and reads all that can be read; "" if all went well.
func readEverything(ctx context.Context, data []byte) problem.Code {
	wb, err := Open(ctx, bytes.NewReader(data), int64(len(data)), Options{MaxInflated: 64 << 20})
	if err != nil {
		return problem.CodeOf(err)
	}
	for i, info := range wb.Sheets() {
		if info.Kind == sheet.Chartsheet || info.Kind == sheet.Dialogsheet {
			continue
		}
		var last sheet.Ref
		err := wb.Rows(ctx, i, sheet.All(), func(row int, cells []sheet.Cell) error {
			for _, c := range cells {
				wb.Text(c)
				last = sheet.Ref{Col: int(c.Col), Row: row}
			}
			return nil
		})
		if err == nil && last.Row > 0 {
			_, err = wb.Cell(ctx, i, last)
		}
		if err == nil {
			_, _, err = wb.Used(ctx, i)
		}
		if err != nil {
			return problem.CodeOf(err)
		}
	}
	return ""
}
