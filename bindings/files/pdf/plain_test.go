package pdf_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTextAsPDFJS compares the text of the corpus, whoever reads it, with what pdf.js
// reads, by the F1 of the tokens.
func TestTextAsPDFJS(t *testing.T) {
	in, err := os.Open(filepath.Join(corpus, "pdf.pdfjs-text.jsonl"))
	if err != nil {
		t.Skip("the corpus is not here")
	}
	defer in.Close()
	r := newRun(t)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	sum, files := 0.0, 0
	for lines.Scan() {
		var want struct {
			File  string
			Pages []string
		}
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		theirs := strings.Fields(strings.Join(want.Pages, " "))
		if len(theirs) < 10 {
			continue
		}
		r.host.Add(t, want.File, corpusFile(t, want.File))
		var got textAnswer
		r.must("pdf_extract_text", fmt.Sprintf(`{"file_id": %q}`, want.File), &got)
		counts := map[string]int{}
		for _, word := range theirs {
			counts[word]++
		}
		ours, both := 0, 0
		for _, p := range got.Pages {
			for _, word := range strings.Fields(p.Text) {
				ours++
				if counts[word] > 0 {
					counts[word]--
					both++
				}
			}
		}
		sum += 2 * float64(both) / float64(ours+len(theirs))
		files++
	}
	mean := sum / float64(files)
	t.Logf("mean F1 is %.4f over %d files", mean, files)
	if mean < 0.98 {
		t.Error("it was 0.987 with PDFium alone")
	}
}
