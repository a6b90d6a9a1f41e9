package plaintext_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/plaintext"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/engine/enginetest"
)

var library = sync.OnceValues(func() (*pdfium.Library, error) {
	places, err := enginetest.InModule()
	if err != nil {
		return nil, err
	}
	return engine.Of[*pdfium.Library](engine.NewSet([]engine.Engine{pdfium.Engine()}, places), pdfium.Name)
})

// all reads the texts of all pages.
func all(data []byte) (texts []string, err error) {
	d, err := plaintext.Open(context.Background(), data, plaintext.Options{})
	if err != nil {
		return nil, err
	}
	for i := range d.Pages() {
		text, err := d.Text(context.Background(), i)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// f1 is how well two texts agree, by their words.
func f1(a, b string) (score float64, words int) {
	counts := map[string]int{}
	x, y := strings.Fields(a), strings.Fields(b)
	for _, w := range x {
		counts[w]++
	}
	both := 0
	for _, w := range y {
		if counts[w] > 0 {
			counts[w]--
			both++
		}
	}
	if len(x)+len(y) == 0 {
		return 1, 0
	}
	return 2 * float64(both) / float64(len(x)+len(y)), max(len(x), len(y))
}

// TestAnswersAsPDFium reads every file of the corpus both ways.
func TestAnswersAsPDFium(t *testing.T) {
	paths, _ := filepath.Glob("../../../../../shared/corpus/pdf/*.pdf")
	lib, err := library()
	if len(paths) == 0 || errors.Is(err, engine.ErrMissing) {
		t.Skip("the corpus is not here, or there is no pdfium.wasm: run make engines")
	}
	sure, exact := 0, 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts, err := all(data)
		if err != nil {
			if !errors.Is(err, plaintext.ErrUnsure) {
				t.Errorf("%s: %v", filepath.Base(path), err)
			}
			continue
		}
		sure++
		doc, err := lib.Open(data, "")
		if err != nil {
			t.Errorf("%s: PDFium says %v", filepath.Base(path), err)
			continue
		}
		same := true
		for i, got := range texts {
			want, err := doc.Text(i)
			if want = strings.TrimRight(want, "\n "); err != nil {
				t.Errorf("%s, page %d: PDFium says %v", filepath.Base(path), i+1, err)
			}
			if got != want {
				same = false
				if score, words := f1(got, want); score < 0.99 && words >= 10 {
					t.Errorf("%s, page %d: %.3f of %d words:\n%s\nwant\n%s", filepath.Base(path), i+1, score, words, got, want)
				}
			}
		}
		if same {
			exact++
		}
		doc.Close()
	}
	t.Logf("%d files, %d read, %d exactly as PDFium reads them", len(paths), sure, exact)
	if sure*3 < len(paths)*2 || exact*100 < sure*97 {
		t.Error("too few of them")
	}
}
