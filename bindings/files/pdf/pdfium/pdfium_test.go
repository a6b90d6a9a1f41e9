package pdfium_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/engine/enginetest"
)

var load = sync.OnceValues(func() (*pdfium.Library, error) {
	places, err := enginetest.InModule()
	if err != nil {
		return nil, err
	}
	return pdfium.Load(places)
})

// library is PDFium, loaded once for all tests.
func library(t testing.TB) *pdfium.Library {
	t.Helper()
	lib, err := load()
	if errors.Is(err, engine.ErrMissing) {
		t.Skip("there is no pdfium.wasm: run make engines")
	}
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// simple is a PDF of some pages, each with a line of text.
func simple(texts ...string) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), fmt.Sprintf(format, args...))
	}
	b.WriteString("%PDF-1.7\n")
	kids := make([]string, len(texts))
	for i := range texts {
		kids[i] = fmt.Sprintf("%d 0 R", 4+2*i)
	}
	object("<</Type/Catalog/Pages 2 0 R>>")
	object("<</Type/Pages/Count %d/Kids[%s]>>", len(texts), strings.Join(kids, " "))
	object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	for _, text := range texts {
		object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>", len(offsets)+2)
		content := fmt.Sprintf("BT /F 24 Tf 50 100 Td (%s) Tj ET", text)
		object("<</Length %d>>stream\n%s\nendstream", len(content), content)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, xref)
	return b.Bytes()
}

func open(t testing.TB, data []byte) *pdfium.Document {
	t.Helper()
	doc, err := library(t).Open(data, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(doc.Close)
	return doc
}

func pages(t testing.TB, doc *pdfium.Document) int {
	t.Helper()
	n, err := doc.Pages()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPages(t *testing.T) {
	doc := open(t, simple("one", "two", "three"))
	if n := pages(t, doc); n != 3 {
		t.Fatalf("%d pages", n)
	}
	w, h, err := doc.PageSize(0)
	if w != 300 || h != 200 || err != nil {
		t.Errorf("page is %v × %v, %v", w, h, err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(doc.NewPage(1, 100, 400))
	must(doc.DeletePage(0))
	must(doc.Import(simple("four", "five"), "", []int{1}, 0))
	must(doc.SetRotation(1, 90))
	data, err := doc.Save()
	must(err)
	again := open(t, data)
	if n := pages(t, again); n != 4 {
		t.Fatalf("%d pages after the changes", n)
	}
	if w, h, _ := again.PageSize(1); w != 400 || h != 100 {
		t.Errorf("the turned page is %v × %v", w, h)
	}
	part, err := again.Extract([]int{3, 0})
	must(err)
	if n := pages(t, open(t, part)); n != 2 {
		t.Errorf("%d pages in the part", n)
	}
}

func TestTheOnlyPageStays(t *testing.T) {
	doc := open(t, simple("one"))
	if err := doc.DeletePage(0); !errors.Is(err, pdfium.ErrPage) {
		t.Error(err)
	}
}

func TestWhatIsNoPDF(t *testing.T) {
	for _, data := range []string{"", "%PDF-1.7", "PK\x03\x04", strings.Repeat("<<", 1<<16)} {
		if _, err := library(t).Open([]byte(data), ""); !errors.Is(err, pdfium.ErrFormat) {
			t.Errorf("%.20q: %v", data, err)
		}
	}
}

// A file whose table of objects is lost is found again by its objects.
func TestRepair(t *testing.T) {
	data := simple("one", "two")
	doc := open(t, bytes.Replace(data, []byte("\nstartxref\n"), []byte("\nstartxref\n9"), 1))
	if repaired, err := doc.Repaired(); !repaired || err != nil || pages(t, doc) != 2 {
		t.Errorf("repaired %v, %v", repaired, err)
	}
	if repaired, err := open(t, data).Repaired(); repaired || err != nil {
		t.Errorf("a whole one is repaired %v, %v", repaired, err)
	}
}

func TestLoadSaysWhatIsMissing(t *testing.T) {
	if _, err := pdfium.Load(engine.Places{}); !errors.Is(err, engine.ErrMissing) {
		t.Error(err)
	}
	other := filepath.Join(t.TempDir(), "pdfium.wasm")
	if err := os.WriteFile(other, []byte("\x00asm\x01\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := pdfium.Load(engine.Places{PDFium: other}); err == nil || !strings.Contains(err.Error(), "it has no") {
		t.Errorf("a module that is another: %v", err)
	}
}

// A worker short of memory is told so when it opens another document: making the instance
// panicked, in a goroutine where nobody recovers.
func TestNoMemoryForAnInstance(t *testing.T) {
	if err := library(t).StartWithout(); !errors.Is(err, pdfium.ErrMemory) {
		t.Errorf("%v", err)
	}
}
