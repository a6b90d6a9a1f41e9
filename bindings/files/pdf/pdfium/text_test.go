package pdfium_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const corpus = "../../../../../shared/corpus"

// TestTextOfCorpus compares with what pdf.js reads, by the F1 of the tokens.
func TestTextOfCorpus(t *testing.T) {
	in, err := os.Open(filepath.Join(corpus, "pdf.pdfjs-text.jsonl"))
	if err != nil {
		t.Skip("the corpus is not here")
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	var sum float64
	var files int
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
		data, err := os.ReadFile(filepath.Join(corpus, "pdf", want.File))
		if err != nil {
			t.Fatal(err)
		}
		doc := open(t, data)
		var ours []string
		for i := range pages(t, doc) {
			text, err := doc.Text(i)
			if err != nil {
				t.Errorf("%s, page %d: %v", want.File, i+1, err)
			}
			ours = append(ours, strings.Fields(text)...)
		}
		f1 := tokenF1(ours, theirs)
		t.Logf("%.4f %s (%d tokens, %d in pdf.js)", f1, want.File, len(ours), len(theirs))
		sum += f1
		files++
	}
	if mean := sum / float64(files); mean < 0.97 {
		t.Errorf("mean F1 is %.4f over %d files, want 0.97", mean, files)
	} else {
		t.Logf("mean F1 is %.4f over %d files", mean, files)
	}
}

// tokenF1 compares two bags of tokens.
func tokenF1(ours, theirs []string) float64 {
	count := map[string]int{}
	for _, token := range theirs {
		count[token]++
	}
	common := 0
	for _, token := range ours {
		if count[token] > 0 {
			count[token]--
			common++
		}
	}
	if common == 0 {
		return 0
	}
	precision, recall := float64(common)/float64(len(ours)), float64(common)/float64(len(theirs))
	return 2 * precision * recall / (precision + recall)
}
