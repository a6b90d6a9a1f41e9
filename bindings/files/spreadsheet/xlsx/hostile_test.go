package xlsx

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
)

// rewrite packs a workbook anew, each part as change makes it.
func rewrite(t *testing.T, data []byte, change func(z *zip.Writer, f *zip.File)) []byte {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range in.File {
		change(z, f)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func isSheet(f *zip.File) bool { return f.Name == "xl/worksheets/sheet1.xml" }

// bomb is a sheet of spaces, deflated.
func bomb(size int) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, 9)
	w.Write([]byte(`<worksheet><sheetData>`))
	w.Write(bytes.Repeat([]byte(" "), size))
	w.Close()
	return b.Bytes()
}

func TestHostileFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine reads: the race detector has nothing to find in a hundred seconds")
	}
	plain := book(rowsXML(`<row r="1"><c r="A1"><v>1</v></c></row>`))
	packed := bomb(70 << 20)
	claim := func(size uint64) []byte {
		return rewrite(t, plain, func(z *zip.Writer, f *zip.File) {
			if !isSheet(f) {
				z.Copy(f)
				return
			}
			w, err := z.CreateRaw(&zip.FileHeader{Name: f.Name, Method: zip.Deflate, CompressedSize64: uint64(len(packed)), UncompressedSize64: size})
			if err != nil {
				t.Fatal(err)
			}
			w.Write(packed)
		})
	}
	manyParts := func(n int) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i := range n {
			z.Create(fmt.Sprint("part", i))
		}
		z.Close()
		return b.Bytes()
	}
	cut := bytes.Clone(plain)
	for i := bytes.Index(cut, []byte("xl/worksheets/sheet1.xml")) + 40; i < len(cut) && i < bytes.Index(cut, []byte("xl/worksheets/sheet1.xml"))+80; i++ {
		cut[i] ^= 0x5a
	}
	inSheet := func(xml string) []byte {
		if len(xml) < 1<<20 {
			return book("", file{"xl/worksheets/sheet1.xml", xml})
		}
		return rewrite(t, book(""), func(z *zip.Writer, f *zip.File) {
			if !isSheet(f) {
				z.Copy(f)
				return
			}
			w, _ := z.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Store}) // at once
			w.Write([]byte(xml))
		})
	}
	for _, c := range []struct {
		name string
		data []byte
		want problem.Code
	}{
		{"empty", nil, problem.DamagedFile},
		{"not a zip", []byte("hello, this is no workbook"), problem.DamagedFile},
		{"a web page", []byte("<html><table><tr><td>1</td></tr></table></html>"), problem.UnsupportedFormat},
		{"cut off", plain[:len(plain)-30], problem.DamagedFile},
		{"flipped bits", cut, problem.DamagedFile},
		{"an old workbook", append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 2000)...), problem.UnsupportedFormat},
		{"an encrypted workbook", append(append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 2<<20)...), "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"...), problem.PasswordRequired},
		{"a binary workbook", pack([]file{{"_rels/.rels", `<Relationships><Relationship Id="r" Type="x/officeDocument" Target="xl/workbook.bin"/></Relationships>`}, {"xl/workbook.bin", "\x83\x01"}}), problem.UnsupportedFormat},
		{"a text document", pack([]file{{"_rels/.rels", `<Relationships><Relationship Id="r" Type="x/officeDocument" Target="word/document.xml"/></Relationships>`}, {"word/document.xml", "<document/>"}}), problem.UnsupportedFormat},
		{"any zip", pack([]file{{"a.txt", "a"}}), problem.UnsupportedFormat},
		{"no sheets", book("", file{"xl/workbook.xml", "<workbook><sheets/></workbook>"}), problem.DamagedFile},
		{"an honest bomb", claim(70 << 20), problem.TooComplex},
		{"a bomb that claims little", claim(100), problem.TooComplex},
		{"a bomb that claims 5 GB", claim(5 << 30), problem.TooComplex},
		{"too many parts", manyParts(30_000), problem.TooComplex},
		{"a directory that is too large", manyParts(120_000), problem.TooComplex},
		{"a sheet that ends within a row", inSheet(`<worksheet><sheetData><row r="1"><c r="A1"><v>1</v>`), problem.DamagedFile},
		{"a sheet that ends within a tag", inSheet(`<worksheet><sheetData><row r="1`), problem.DamagedFile},
		{"a sheet that ends within a comment", inSheet(`<worksheet><sheetData><!-- `), problem.DamagedFile},
		{"an empty sheet part", inSheet(``), problem.DamagedFile},
		{"no XML", inSheet(`hello`), problem.DamagedFile},
		{"a row that is too long", inSheet(`<worksheet><sheetData><row r="1">` + strings.Repeat(`<c r="A1"><v>1</v></c>`, maxToken/20) + `</row></sheetData></worksheet>`), problem.TooComplex},
		{"a text that is too long", inSheet(`<worksheet><sheetData><row r="1"><c t="str"><v>` + strings.Repeat("x", maxToken+1)), problem.TooComplex},
		{"a huge attribute", inSheet(`<worksheet><sheetData><row r="1" a="` + strings.Repeat("x", maxToken+1)), problem.TooComplex},
		{"entities that multiply", inSheet(`<!DOCTYPE w [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><worksheet><sheetData><row r="1"><c r="A1" t="str"><v>&b;</v></c></row></sheetData></worksheet>`), ""},
		{"a lying dimension", inSheet(`<worksheet><dimension ref="A1:XFD1048576"/><sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>`), ""},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		if code := readEverything(ctx, c.data); code != c.want {
			t.Errorf("%s: answered %q, want %q", c.name, code, c.want)
		}
		cancel()
	}
}

// The same cells, however the archive holds them.
func TestWaysToPack(t *testing.T) {
	plain := book(rowsXML(`<row r="1"><c r="A1"><v>1</v></c></row>`))
	for name, data := range map[string][]byte{
		"data descriptors": plain,
		"stored": rewrite(t, plain, func(z *zip.Writer, f *zip.File) {
			w, _ := z.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Store})
			r, _ := f.Open()
			var b bytes.Buffer
			b.ReadFrom(r)
			w.Write(b.Bytes())
		}),
		"a name twice, the last counts": rewrite(t, plain, func(z *zip.Writer, f *zip.File) {
			if isSheet(f) {
				w, _ := z.Create(f.Name)
				w.Write([]byte("<worksheet><sheetData><row><c><v>9</v></c></row></sheetData></worksheet>"))
			}
			z.Copy(f)
		}),
		"backslashes": rewrite(t, plain, func(z *zip.Writer, f *zip.File) {
			f.Name = strings.ReplaceAll(f.Name, "/", `\`)
			z.Copy(f)
		}),
		"leading junk": append(bytes.Repeat([]byte("junk"), 100), plain...),
	} {
		if got := dump(t, open(t, data)); got != "A1=number:1" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Memory stays small whatever is claimed: a table of a million texts is refused at its limit.
func TestSharedStringsAreBounded(t *testing.T) {
	var texts strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&texts, "<si><t>text number %d</t></si>", i)
	}
	data := book(rowsXML(`<row r="1"><c r="A1" t="s"><v>199999</v></c></row>`), file{"xl/sharedStrings.xml", "<sst>" + texts.String() + "</sst>"})
	wb, err := Open(t.Context(), bytes.NewReader(data), int64(len(data)), Options{MaxStrings: 2 << 20})
	if err != nil {
		t.Fatal(err)
	}
	err = wb.Rows(t.Context(), 0, sheet.All(), func(int, []sheet.Cell) error { return nil })
	if problem.CodeOf(err) != problem.TooComplex {
		t.Errorf("answered %v", err)
	}
	if got := dump(t, open(t, data)); got != "A1=string:text number 199999" {
		t.Error(got)
	}
}

// Only as much of the table is read as the cells need.
func TestSharedStringsAreReadAsNeeded(t *testing.T) {
	wb := open(t, large(t, 2000, 5))
	if err := wb.Rows(t.Context(), 0, sheet.Range{MinCol: 1, MinRow: 1, MaxCol: 4, MaxRow: 10}, func(int, []sheet.Cell) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if n := len(wb.strings.snapshot()); n != 0 {
		t.Errorf("%d strings were read for cells without any", n)
	}
}

func TestReadingLeavesNoGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 3 {
		dump(t, open(t, large(t, 3000, 5)))
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, %d before", after, before)
	}
}
