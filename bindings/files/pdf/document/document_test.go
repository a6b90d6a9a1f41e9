package document_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
)

// corpus gives real files, many broken on purpose: a part of them, or all if PDF_CORPUS is set.
func corpus(t *testing.T) []string {
	t.Helper()
	files, _ := filepath.Glob("../../../../../shared/corpus/pdf/*.pdf")
	if len(files) == 0 {
		t.Skip("the corpus of PDFs is not there")
	}
	if os.Getenv("PDF_CORPUS") != "" {
		return files
	}
	var some []string
	for i := 0; i < len(files); i += 4 {
		some = append(some, files[i])
	}
	return some
}

func open(t *testing.T, path string) *document.Document {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	d, err := document.Open(ctx, data, document.Options{})
	if err != nil {
		if ctx.Err() != nil {
			t.Errorf("%s: %v", path, err)
		}
		return nil
	}
	return d
}

func write(t *testing.T, d *document.Document) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := d.Write(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// check has qpdf look at a document, which the reader here did not write.
func check(t *testing.T, what string, pdf []byte, args ...string) {
	t.Helper()
	if _, err := exec.LookPath("qpdf"); err != nil {
		t.Skip("qpdf is not installed: apt-get install qpdf")
	}
	path := filepath.Join(t.TempDir(), "out.pdf")
	if err := os.WriteFile(path, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("qpdf", append(append([]string{}, args...), "--check", path)...).CombinedOutput()
	if err != nil {
		if len(out) > 500 {
			out = out[:500]
		}
		t.Errorf("%s: qpdf --check: %v\n%s", what, err, out)
	}
}

func TestWhatIsReadIsWritten(t *testing.T) {
	opened := 0
	files := corpus(t)
	for _, path := range files {
		if d := open(t, path); d != nil {
			opened++
			check(t, filepath.Base(path), write(t, d))
		}
	}
	if opened < len(files)*9/10 {
		t.Errorf("only %d of %d files can be opened", opened, len(files))
	}
}

func TestTakingPages(t *testing.T) {
	for _, path := range corpus(t) {
		d := open(t, path)
		if d == nil {
			continue
		}
		last := len(d.Pages) - 1
		for _, pages := range [][]int{{0}, {last, 0, last}} {
			part := write(t, d.Take(pages))
			check(t, filepath.Base(path), part)
			again, err := document.Open(t.Context(), part, document.Options{})
			if err != nil || len(again.Pages) != len(pages) {
				t.Errorf("%s: of %v came %v", path, pages, err)
			}
		}
	}
}

func TestMergingAll(t *testing.T) {
	merged := document.New()
	pages := 0
	for _, path := range corpus(t) {
		if d := open(t, path); d != nil && !d.Encrypted() {
			pages += len(d.Pages)
			merged.Append(d)
		}
	}
	out := write(t, merged)
	check(t, "all", out)
	again, err := document.Open(t.Context(), out, document.Options{})
	if err != nil || len(again.Pages) != pages {
		t.Fatalf("%d pages: %v", pages, err)
	}
	if err := again.Optimize(t.Context(), 64<<20); err != nil {
		t.Fatal(err)
	}
	small := write(t, again)
	check(t, "optimized", small)
	if len(small) >= len(out) {
		t.Errorf("optimizing made %d bytes of %d", len(small), len(out))
	}
	t.Logf("%d pages: %d bytes, %d optimized", pages, len(out), len(small))
}

func TestEncryption(t *testing.T) {
	var locked []byte
	for range 8 { // a wrong hash is right for most salts
		d := document.New()
		d.NewPage(0, 200, 100).Draw([]byte("0 0 50 50 re f\n"))
		d.Encrypt("für", "owner", document.Print)
		locked = write(t, d)
		check(t, "user", locked, "--password=für")
		check(t, "owner", locked, "--password=owner")
	}
	if _, err := document.Open(t.Context(), locked, document.Options{Password: "other"}); err == nil || !strings.Contains(err.Error(), "password") {
		t.Errorf("another password: %v", err)
	}
	// What is changed stays locked with the same passwords.
	again, err := document.Open(t.Context(), locked, document.Options{Password: "für"})
	if err != nil {
		t.Fatal(err)
	}
	again.Pages[0].Draw([]byte("1 0 0 rg 10 10 20 20 re f\n"))
	changed := write(t, again)
	check(t, "changed", changed, "--password=owner")
	again, err = document.Open(t.Context(), changed, document.Options{Password: "owner"})
	if err != nil {
		t.Fatal(err)
	}
	again.Decrypt()
	check(t, "decrypted", write(t, again))
}

func TestOldEncryptionsStay(t *testing.T) {
	if _, err := exec.LookPath("qpdf"); err != nil {
		t.Skip("qpdf is not installed: apt-get install qpdf")
	}
	d := document.New()
	d.NewPage(0, 200, 100).Draw([]byte("0 0 50 50 re f\n"))
	plain := filepath.Join(t.TempDir(), "plain.pdf")
	if err := os.WriteFile(plain, write(t, d), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"40", "128", "128 --use-aes=y", "128 --cleartext-metadata", "256"} {
		path := filepath.Join(t.TempDir(), "locked.pdf")
		args := append([]string{"--allow-weak-crypto", plain, path, "--encrypt", "u", "o"}, strings.Fields(how)...)
		if out, err := exec.Command("qpdf", append(args, "--")...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v %s", how, err, out)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, password := range []string{"u", "o"} {
			d, err := document.Open(t.Context(), data, document.Options{Password: password})
			if err != nil {
				t.Errorf("%s: %v", how, err)
				continue
			}
			d.Info = types.Dict{"Title": document.String("Größe")}
			check(t, how, write(t, d), "--password=u")
		}
	}
}
