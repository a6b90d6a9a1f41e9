package pdf_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// seen is a PDF as pdfjs-dist and pdf-lib see it.
type seen struct {
	Texts     []string
	Links     []string
	Outline   []string
	Title     string
	Fields    []string
	Pages     int
	LibFields []string
}

// readBack skips the test where Node or the libraries are not installed.
func (r *run) readBack(name, password string) (s seen) {
	r.t.Helper()
	modules, err := filepath.Abs("../../../bench/peers/node_modules")
	if err != nil {
		r.t.Fatal(err)
	}
	for _, library := range []string{"pdf-lib", "pdfjs-dist"} {
		if _, err := os.Stat(filepath.Join(modules, library)); err != nil {
			r.t.Skipf("%s is not installed: cd bench/peers && npm ci", library)
		}
	}
	node, err := exec.LookPath("node")
	if err != nil {
		r.t.Skip("Node is not installed")
	}
	path := filepath.Join(r.t.TempDir(), "out.pdf")
	if err := os.WriteFile(path, r.bytes(name), 0o600); err != nil {
		r.t.Fatal(err)
	}
	request, err := json.Marshal(map[string]string{"path": path, "password": password})
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.CommandContext(r.t.Context(), node, "testdata/readback.mjs", modules, string(request))
	var out, report bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &report
	if err := cmd.Run(); err != nil {
		r.t.Fatalf("%v\n%.2000s", err, report.String())
	}
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		r.t.Fatal(err)
	}
	return s
}

func TestOtherLibrariesReadWhatIsMade(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "a.pdf", blank(t, 2, nil))
	for i, text := range []string{"Grüße 5 €", "Привет", "中文字体", "한국어", "office", "नमस्ते"} {
		r.must("pdf_add_text", fmt.Sprintf(`{"file_id": "a.pdf", "page": 2, "text": %q, "position": {"x": 50, "y": %d}}`, text, 40+30*i), &struct{}{})
	}
	r.must("pdf_set_metadata", `{"file_id": "a.pdf", "metadata": {"title": "Größe"}}`, &struct{}{})
	got := r.readBack("a.pdf", "")
	for _, want := range []string{"page-2", "Grüße 5 €", "Привет", "中文字体", "한국어", "office", "नमस्ते"} {
		if !strings.Contains(got.Texts[1], want) {
			t.Errorf("%q is not in %q", want, got.Texts[1])
		}
	}
	if got.Pages != 2 || got.Title != "Größe" {
		t.Errorf("%+v", got)
	}

	r.must("pdf_encrypt", `{"file_id": "a.pdf", "user_password": "ü"}`, &struct{}{})
	if got = r.readBack("a.pdf", "ü"); !strings.Contains(got.Texts[1], "中文字体") {
		t.Errorf("%+v", got)
	}

	if _, err := r.create(map[string]any{"markdown": "# One\n\nText and [a link](https://example.com/), [see](#two)\n\n## Two\n\nשלום\n\n# Three"}); err != nil {
		t.Fatal(err)
	}
	got = r.readBack("new.pdf", "")
	if text := got.Texts[0]; !strings.Contains(text, "Text and a link, see") || !strings.Contains(text, "שלום") {
		t.Errorf("%q", text)
	}
	if fmt.Sprintf("%v %v %s", got.Outline, got.Links, got.Title) != "[One Three] [https://example.com/ inside] One" {
		t.Errorf("%v %v %v", got.Outline, got.Links, got.Title)
	}
}

func TestOtherLibrariesSeeTheFieldsOfMergedForms(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "form.pdf", formPDF())
	before := r.readBack("form.pdf", "")
	r.must("pdf_merge", `{"file_ids": ["form.pdf", "form.pdf"], "output_name": "both.pdf"}`, &struct{}{})
	after := r.readBack("both.pdf", "")
	if len(before.LibFields) == 0 || len(after.LibFields) != 2*len(before.LibFields) || len(after.Fields) != 2*len(before.Fields) {
		t.Errorf("before %v, after %v (%v)", before.LibFields, after.LibFields, after.Fields)
	}
}
