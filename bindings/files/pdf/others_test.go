package pdf_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// pdfLib reads a form with pdf-lib.
func pdfLib(t *testing.T, data []byte) map[string]any {
	t.Helper()
	peers, err := filepath.Abs("../../../bench/peers/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	if _, err := os.Stat(filepath.Join(peers, "pdf-lib")); err != nil {
		t.Skip("there is no pdf-lib: run make test, which fetches it")
	}
	path := filepath.Join(t.TempDir(), "form.pdf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "testdata/pdf-lib/fields.cjs", path)
	cmd.Env = append(os.Environ(), "NODE_PATH="+peers)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("pdf-lib: %v\n%s", err, out)
	}
	var values map[string]any
	if err := json.Unmarshal(out, &values); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return values
}

// checked has qpdf look at a file; it tells of whatever is not as the standard has it.
func checked(t *testing.T, data []byte) {
	t.Helper()
	qpdf, err := exec.LookPath("qpdf")
	if err != nil {
		t.Log("there is no qpdf: apt-get install qpdf")
		return
	}
	path := filepath.Join(t.TempDir(), "file.pdf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(qpdf, "--check", path).CombinedOutput(); err != nil {
		t.Errorf("qpdf: %v\n%s", err, out)
	}
}

// What is filled in is what pdf-lib reads, and the file is sound.
func TestPDFLibReadsWhatIsFilled(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "form.pdf", formPDF())
	r.must("pdf_fill_form", `{"file_id": "form.pdf", "fields": {"name": "Ada Łukasz 山田 Ω", "notes": "one\ntwo", "born": "1815-12-10", "agree": true, "size": "large",
		"country": "Sweden", "colour": "mauve", "toppings": ["cheese", "olives"], "code": 1234, "total": "99.50", "everywhere": "both"}}`, &struct{}{})
	data := r.bytes("form.pdf")
	checked(t, data)
	want := map[string]any{"name": "Ada Łukasz 山田 Ω", "notes": "one\ntwo", "born": "10.12.1815", "agree": true, "size": "large",
		"country": "se", "colour": "mauve", "toppings": []any{"cheese", "olives"}, "code": "1234", "total": "99.50", "everywhere": "both"}
	got := pdfLib(t, data)
	for name, v := range want {
		if text, ok := got[name].(string); ok {
			got[name] = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
		}
		if !reflect.DeepEqual(got[name], v) {
			t.Errorf("pdf-lib reads %s as %#v, want %#v", name, got[name], v)
		}
	}
}

// The same of a form that pdf-lib's own tests have, with emoji in names and values.
func TestPDFLibReadsItsOwnForm(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "fancy.pdf", corpusFile(t, "pl_fancy_fields.pdf"))
	want := map[string]any{}
	for name, f := range r.fields("fancy.pdf") {
		if v, ok := someValue(f); ok {
			want[name] = v
		}
	}
	args, err := json.Marshal(map[string]any{"file_id": "fancy.pdf", "fields": want})
	if err != nil {
		t.Fatal(err)
	}
	r.must("pdf_fill_form", string(args), &struct{}{})
	data := r.bytes("fancy.pdf")
	checked(t, data)
	got := pdfLib(t, data)
	for name, v := range want {
		if !reflect.DeepEqual(got[name], v) {
			t.Errorf("pdf-lib reads %q as %#v, want %#v", name, got[name], v)
		}
	}
}

// Every viewer shows what was filled in: poppler, which draws appearances as they are.
func TestPopplerShowsWhatIsFilled(t *testing.T) {
	pdftotext, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("there is no pdftotext: apt-get install poppler-utils")
	}
	r := newRun(t)
	r.host.Add(t, "form.pdf", formPDF())
	r.must("pdf_fill_form", `{"file_id": "form.pdf", "fields": {"name": "Zoë 山田", "notes": "Привет\nмир", "country": "Sweden", "code": 1234, "everywhere": "both"}}`, &struct{}{})
	path := filepath.Join(t.TempDir(), "form.pdf")
	if err := os.WriteFile(path, r.bytes("form.pdf"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(pdftotext, path, "-").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"Zoë", "山田", "Привет", "мир", "Sweden", "1234", "both"} {
		if !strings.Contains(string(out), word) {
			t.Errorf("poppler does not show %q", word)
		}
	}
	if t.Failed() {
		t.Log(fmt.Sprintf("%s", out))
	}
}
