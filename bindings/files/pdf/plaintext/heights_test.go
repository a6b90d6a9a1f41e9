package plaintext_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/fonts"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/plaintext"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/typeset"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/engine/enginetest"
)

// Cells beside each other whose lines are at different heights, as tables have them, are one
// line or two by how high their letters are: of words, and of letters that stand alone.
func TestCellsAtDifferentHeights(t *testing.T) {
	engines := engine.NewSet([]engine.Engine{fonts.Engine()}, enginetest.Places(t))
	set := func() (*fonts.Set, error) { return engine.Of[*fonts.Set](engines, fonts.Name) }
	if _, err := set(); err != nil {
		t.Skip("there are no fonts: make engines")
	}
	lib, err := library()
	if err != nil {
		t.Skip(err)
	}
	cells := []string{
		"one", "Ärger", "über", "géant", "ça", "İşık", "Łódź", "những", "лиса", "собаку", "ещё", "йод", "Съешь", "ленивую",
		"και", "ψυχοφθόρα", "ήλιος", "την", "中文", "一", "二三四", "테스트", "カタカナ", "»", "«", "™", "œ", "©", "€", "½", "¹", "a", "g", "я", "у", "ω",
	}
	read := 0
	for i, left := range cells {
		d := document.New()
		s := typeset.New(d, set)
		pages := 0
		for _, right := range cells {
			for _, apart := range []float64{3, 5, 7, 9, 11, 14} {
				page := d.NewPage(pages, 300, 300)
				pages++
				var content []byte
				for k, cell := range []string{left, right} {
					for _, x := range []float64{20, 150} {
						lines, err := s.Lines([]typeset.Span{{Text: cell, Style: typeset.Style{Size: 11}}}, 0)
						if err != nil {
							t.Fatal(err)
						}
						content = lines[0].Draw(page, content, x+50*float64(k), 200-apart*float64(k))
					}
				}
				page.Draw(content)
			}
		}
		var out bytes.Buffer
		if err := d.Write(context.Background(), &out); err != nil {
			t.Fatal(err)
		}
		doc, err := lib.Open(out.Bytes(), "")
		if err != nil {
			t.Fatal(err)
		}
		mine, err := plaintext.Open(context.Background(), out.Bytes(), plaintext.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for p := range pages {
			got, err := mine.Text(context.Background(), p)
			if errors.Is(err, plaintext.ErrUnsure) {
				continue
			}
			read++
			if want, _ := doc.Text(p); got != strings.TrimRight(want, "\n ") {
				t.Errorf("%s, page %d: %q, and PDFium says %q", fmt.Sprintf("%q and %q", left, cells[p/6]), p+1, got, want)
			}
		}
		doc.Close()
		if i > 0 && testing.Short() {
			break
		}
	}
	t.Log(read, "read")
}
