package pdf_test

import (
	"context"
	"encoding/json"
	"fmt"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/problem"
)

// everything is a call of each operation that changes a file or makes one, on doc.pdf.
var everything = []struct{ tool, args, result string }{
	{"pdf_add_page", `{"file_id": "doc.pdf", "at": 1}`, "doc.pdf"},
	{"pdf_delete_page", `{"file_id": "doc.pdf", "page_num": 1}`, "doc.pdf"},
	{"pdf_rotate_pages", `{"file_id": "doc.pdf", "degrees": 90}`, "doc.pdf"},
	{"pdf_add_text", `{"file_id": "doc.pdf", "page": 1, "text": "Grüße 你好", "position": {"x": 20, "y": 20}}`, "doc.pdf"},
	{"pdf_add_image", `{"file_id": "doc.pdf", "page": 1, "image_file_id": "dot.png", "position": {"x": 20, "y": 20}}`, "doc.pdf"},
	{"pdf_watermark", `{"file_id": "doc.pdf", "text": "DRAFT"}`, "doc.pdf"},
	{"pdf_set_metadata", `{"file_id": "doc.pdf", "metadata": {"title": "Größe"}}`, "doc.pdf"},
	{"pdf_optimize", `{"file_id": "doc.pdf"}`, "doc.pdf"},
	{"pdf_merge", `{"file_ids": ["doc.pdf", "other.pdf", "doc.pdf"], "output_name": "merged.pdf"}`, "merged.pdf"},
	{"pdf_split_pages", `{"file_id": "doc.pdf", "ranges": [1], "names": ["part.pdf"]}`, "part.pdf"},
	{"pdf_encrypt", `{"file_id": "doc.pdf", "owner_password": "o"}`, "doc.pdf"},
}

// TestEveryFileCanBeChanged looks at a part of the corpus, and at all of it if PDF_CORPUS is set.
func TestEveryFileCanBeChanged(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(corpus, "pdf", "*.pdf"))
	if len(paths) == 0 {
		t.Skip("the corpus is not here")
	}
	step := 9
	if os.Getenv("PDF_CORPUS") != "" {
		step = 1
	}
	dot := swatch(t, 20, 20, color.Black)
	counts := map[string]int{}
	slowest, slow := time.Duration(0), ""
	for i := 0; i < len(paths); i += step {
		name := filepath.Base(paths[i])
		data := corpusFile(t, name)
		sound := soundBytes(t, data)
		for _, op := range everything {
			r := newRun(t)
			r.host.Add(t, "doc.pdf", data)
			r.host.Add(t, "other.pdf", blank(t, 2, nil))
			r.host.Add(t, "dot.png", dot)
			began := time.Now()
			err := r.tool(op.tool, op.args, &json.RawMessage{})
			if took := time.Since(began); took > slowest {
				slowest, slow = took, name+" "+op.tool
			}
			code := problem.CodeOf(err)
			counts[fmt.Sprintf("%s %s", op.tool, code)]++
			switch code {
			case "":
				if err := soundBytes(t, r.bytes(op.result)); err != nil && sound == nil {
					t.Errorf("%s of %s: %v", op.tool, name, err)
				}
			case problem.PasswordRequired, problem.DamagedFile, problem.UnsupportedFormat:
			case problem.InvalidArgument:
				if op.tool != "pdf_delete_page" || !strings.Contains(err.Error(), "only") {
					t.Errorf("%s of %s: %v", op.tool, name, err)
				}
			default:
				t.Errorf("%s of %s: %v", op.tool, name, err)
			}
		}
	}
	t.Logf("%v\nthe slowest: %s, %v", counts, slow, slowest)
	if slowest > time.Minute && !testing.Short() {
		t.Errorf("%s took %v", slow, slowest)
	}
}

// soundBytes has qpdf look at a PDF; nil where it is not installed.
func soundBytes(t *testing.T, data []byte) error {
	t.Helper()
	if _, err := exec.LookPath("qpdf"); err != nil {
		return nil
	}
	path := filepath.Join(t.TempDir(), "out.pdf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "qpdf", "--check", path).CombinedOutput(); err != nil {
		return fmt.Errorf("qpdf --check: %w\n%.400s", err, out)
	}
	return nil
}
