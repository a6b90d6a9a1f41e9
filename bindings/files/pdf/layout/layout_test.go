package layout_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/fonts"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/layout"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/picture"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/typeset"
)

var errNone = errors.New("there is none")

// lay lays out Markdown on small pages, in the fonts of every viewer.
func lay(ctx context.Context, source string) ([]byte, int, error) {
	d := document.New()
	set := typeset.New(d, func() (*fonts.Set, error) { return nil, errNone })
	flow := layout.New(ctx, d, set, layout.Options{
		Width: 200, Height: 200, Margin: 20, Size: 10, Family: "Helvetica", MonoFamily: "Courier", PageNumbers: true, MaxPages: 300,
		Image: func(context.Context, string) (*picture.Picture, error) { return nil, errNone },
	})
	if err := flow.Markdown(source); err != nil {
		return nil, 0, err
	}
	if err := flow.Finish(); err != nil {
		return nil, 0, err
	}
	var b bytes.Buffer
	err := d.Write(ctx, &b)
	return b.Bytes(), len(d.Pages), err
}

var sources = []string{
	"# A\n\ntext **b** *i* `c` [l](http://x) ~~s~~\n\n* a\n* b\n  1. c\n\n---\n\n> q\n> > r\n\n```go\ncode\n```\n\n    indented\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n",
	"- \n- \n\n1.\n2. x\n\n9999999. y",
	"|a|\n|-|\n|" + strings.Repeat("word ", 400) + "|",
	"|" + strings.Repeat("a|", 60) + "\n|" + strings.Repeat("-|", 60) + "\n|" + strings.Repeat("value|", 60),
	strings.Repeat("x", 5000),
	"<div>\n# no\n</div>\n<!-- pagebreak -->\n<br>",
	"[a]: b\n[a] ![i][a] &amp; &#x41; \\* \x00 \u202e",
	"#\n##\n###### six\n\nSetext\n===\n",
	"a  \nb\\\nc <br> d <http://e> <f@g.h> www.i.jk",
	"> ```\n> in a quote\n> " + strings.Repeat("\n> line", 60) + "\n> ```",
	"- a\n\n  | t |\n  |---|\n  | u |\n\n  > v",
}

func TestAnythingCanBeLaidOut(t *testing.T) {
	for _, source := range sources {
		out, pages, err := lay(t.Context(), source)
		if err != nil && !errors.Is(err, errNone) {
			t.Errorf("%.40q: %v", source, err)
		}
		if err == nil {
			again, err := document.Open(t.Context(), out, document.Options{})
			if err != nil || len(again.Pages) != pages {
				t.Errorf("%.40q: %v", source, err)
			}
		}
	}
}

func TestAFlowEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := lay(ctx, "# A\n\nb"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, source := range sources {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 4000 {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		out, pages, err := lay(ctx, source)
		if ctx.Err() != nil {
			t.Fatal("it takes too long")
		}
		if err != nil {
			return
		}
		if again, err := document.Open(ctx, out, document.Options{}); err != nil || len(again.Pages) != pages {
			t.Fatal(err)
		}
	})
}
