package document_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
)

// FuzzDocument changes whatever can be opened in every way, and opens the result.
func FuzzDocument(f *testing.F) {
	d := document.New()
	d.NewPage(0, 200, 100).Draw([]byte("0 0 50 50 re f\n"))
	d.NewPage(1, 100, 200)
	var plain bytes.Buffer
	if err := d.Write(context.Background(), &plain); err != nil {
		f.Fatal(err)
	}
	f.Add(plain.Bytes())
	f.Add([]byte("%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[3 0 R]/DR<</Font<</F 4 0 R>>>>>>/Names<</Dests<</Names[(a)[3 0 R/Fit]]>>>>>>\nendobj\n" +
		"2 0 obj\n<</Type/Pages/Kids[3 0 R 3 0 R 2 0 R]/Count 3/Resources<<>>>>\nendobj\n" +
		"3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Rotate 90/Annots[3 0 R]/Subtype/Widget/T(x)/FT/Tx/Kids[]/Dest(a)>>\nendobj\n" +
		"4 0 obj\n<</Length 3>>stream\nabc\nendstream\nendobj\ntrailer<</Root 1 0 R/Size 5>>\n%%EOF"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		open := func() *document.Document {
			d, err := document.Open(ctx, data, document.Options{MaxPages: 100, MaxBytes: 1 << 20})
			if err != nil {
				return nil
			}
			return d
		}
		d := open()
		if d == nil || d.Encrypted() {
			return
		}
		pages := len(d.Pages)
		for _, p := range d.Pages {
			p.Rotate(90)
			p.Size()
			p.Draw([]byte("n\n"))
			p.DrawUnder([]byte("n\n"))
			p.Use("Font", d.Add(nil))
		}
		if err := d.Optimize(ctx, 1<<20); err != nil {
			t.Fatal(err)
		}
		merged := document.New()
		merged.Append(d)
		if again := open(); again != nil {
			merged.Append(again)
		}
		part := merged.Take([]int{len(merged.Pages) - 1, 0})
		for _, d := range []*document.Document{merged, part} {
			var out bytes.Buffer
			if err := d.Write(ctx, &out); err != nil {
				t.Fatal(err)
			}
			again, err := document.Open(ctx, out.Bytes(), document.Options{MaxBytes: 1 << 20})
			if err != nil {
				t.Fatalf("what was written cannot be read: %v", err)
			}
			if len(again.Pages) != len(d.Pages) {
				t.Fatalf("%d of %d pages came back, of %d", len(again.Pages), len(d.Pages), pages)
			}
		}
	})
}
