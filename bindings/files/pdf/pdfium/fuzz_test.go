package pdfium_test

import (
	"errors"
	"image"
	"sync"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/engine/enginetest"
)

// impatient gives up on a document after a second, as a deadline does that kills a worker.
var impatient = sync.OnceValues(func() (*pdfium.Library, error) {
	places, err := enginetest.InModule()
	if err != nil {
		return nil, err
	}
	return pdfium.LoadImpatient(places, time.Second)
})

// FuzzDocument does everything to a document that may be anything. It must end with an
// answer or with one of the binding's errors, and a document that broke stays so.
func FuzzDocument(f *testing.F) {
	f.Add(simple("one", "two"), "")
	f.Add(simple("a")[:300], "secret")
	f.Add([]byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>/Outlines 5 0 R>>endobj\n"+
		"2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj\n"+
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 90 90]/Annots[4 0 R]/Contents 6 0 R>>endobj\n"+
		"4 0 obj<</Type/Annot/Subtype/Widget/FT/Ch/T(c)/Opt[(a)(b)]/Rect[9 9 50 30]/DA(/Helv 9 Tf)>>endobj\n"+
		"5 0 obj<</First 7 0 R>>endobj 7 0 obj<</Title(t)/Dest[3 0 R/Fit]>>endobj\n"+
		"6 0 obj<</Length 60>>stream\n0 0 m 90 0 l S BI/W 2/H 2/BPC 8/CS/G ID abcd EI\nendstream endobj\ntrailer<</Root 1 0 R>>"), "")
	known := []error{pdfium.ErrFormat, pdfium.ErrPassword, pdfium.ErrSecurity, pdfium.ErrPage, pdfium.ErrBroken, pdfium.ErrPixels, pdfium.ErrField}
	f.Fuzz(func(t *testing.T, data []byte, password string) {
		if len(data) > 1<<16 {
			t.Skip("large")
		}
		check := func(what string, err error) {
			t.Helper()
			for _, k := range known {
				if err == nil || errors.Is(err, k) {
					return
				}
			}
			t.Errorf("%s: %v", what, err)
		}
		lib, err := impatient()
		if err != nil {
			t.Skip(err)
		}
		doc, err := lib.Open(data, password)
		if check("open", err); err != nil {
			return
		}
		defer doc.Close()
		pages, err := doc.Pages()
		check("pages", err)
		_, err = doc.Outline()
		check("outline", err)
		widgets, err := doc.Widgets()
		check("widgets", err)
		for _, w := range widgets[:min(len(widgets), 5)] {
			switch w.Type {
			case pdfium.TextField:
				check("type", doc.Type(w, "x"))
			case pdfium.CheckBox, pdfium.RadioButton:
				check("toggle", doc.Toggle(w))
			case pdfium.ComboBox, pdfium.ListBox:
				check("select", doc.Select(w, []int{0}))
			}
		}
		for i := range min(pages, 3) {
			_, _, err = doc.PageSize(i)
			check("size", err)
			_, err = doc.Chars(i)
			check("chars", err)
			_, err = doc.Search(i, "a", false, false, 10)
			check("search", err)
			_, err = doc.Rules(i)
			check("rules", err)
			_, err = doc.Annotations(i)
			check("annotations", err)
			_, err = doc.Images(i, 1, 1_000_000, func(pdfium.Image) error { return nil })
			check("images", err)
			check("render", doc.Render(i, 40, 40, func(*image.RGBA) error { return nil }))
			check("flatten", doc.Flatten(i))
		}
		_, err = doc.Save()
		check("save", err)
	})
}
