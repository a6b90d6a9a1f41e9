package pdf

import (
	"context"
	"runtime"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/op"
)

// texts are those of pages that were read already, by their indexes.
type texts struct {
	pages map[int]string
	size  int
}

const (
	// keptText bounds what is kept of a document's text, in bytes.
	keptText = 16 << 20
	// manyPages is from how many pages on a second instance reads half of them.
	manyPages = 12
)

func (t *texts) keep(i int, text string) {
	if t.size+len(text) > keptText {
		return
	}
	if t.pages == nil {
		t.pages = map[int]string{}
	}
	if _, ok := t.pages[i]; !ok {
		t.pages[i] = text
		t.size += len(text) + 64
	}
}

// plainText is a page's text, from what is kept if it is there.
func (v *view) plainText(i int) (pageText, error) {
	text, ok := v.texts.pages[i]
	if !ok {
		var err error
		if text, err = trimmed(v.doc, i); err != nil {
			return pageText{}, err
		}
		v.texts.keep(i, text)
	}
	return pageText{Page: i + 1, Text: text}, nil
}

func trimmed(doc *pdfium.Document, i int) (string, error) {
	text, err := doc.Text(i)
	return strings.TrimRight(text, "\n "), err
}

// readAhead has many pages read by two instances at once, if a processor is idle. What
// goes wrong with one is found again, and told, when the page's turn comes.
func (v *view) readAhead(ctx context.Context, env *op.Env, indexes []int) error {
	var missing []int
	for _, i := range indexes {
		if _, ok := v.texts.pages[i]; !ok {
			missing = append(missing, i)
		}
	}
	if len(missing) < manyPages {
		return nil
	}
	lib, err := library(env)
	if err != nil {
		return err
	}
	leave := lib.EnterNow()
	if leave == nil {
		return nil
	}
	src, err := fetch(ctx, env, v.file.ID, v.password)
	if err != nil || src.file.Hash != v.file.Hash {
		leave()
		return err
	}
	defer onTwoProcessors()()
	half := len(missing) / 2
	others, done := make([]string, len(missing)), make(chan int)
	go func() {
		defer leave()
		read := 0
		if doc, err := src.open(env); err == nil {
			for read < len(missing)-half && ctx.Err() == nil {
				text, err := trimmed(doc, missing[half+read])
				if err != nil {
					break
				}
				others[half+read] = text
				read++
			}
			doc.Close()
		}
		done <- read
	}()
	for _, i := range missing[:half] {
		if ctx.Err() != nil {
			break
		}
		if _, err := v.plainText(i); err != nil {
			break
		}
	}
	for k := range <-done {
		v.texts.keep(missing[half+k], others[half+k])
	}
	return ctx.Err()
}

// onTwoProcessors lets a worker of a small machine compute on two until undo is called: it
// has one, because a second makes host calls slower (45 to 54 µs on two cores), and the
// text of 33 pages takes 42 ms with two and 62 with one.
func onTwoProcessors() (undo func()) {
	before := runtime.GOMAXPROCS(0)
	if before > 1 || runtime.NumCPU() < 2 {
		return func() {}
	}
	runtime.GOMAXPROCS(2)
	return func() { runtime.GOMAXPROCS(before) }
}
