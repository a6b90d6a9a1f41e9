package pdf

import (
	"context"
	"errors"
	"sync"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/plaintext"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// ordinary is a document in the worker's cache whose text plaintext reads, or has found that
// it cannot.
type ordinary struct {
	mu     sync.Mutex
	unsure bool
	pages  int
	texts  texts
}

// ordinaryText is extractText for a document that is read without PDFium; done is false for
// one that PDFium has to read.
func ordinaryText(ctx context.Context, env *op.Env, in extractTextIn) (out extractTextOut, done bool, err error) {
	file, err := env.Host.Stat(ctx, in.FileID)
	if err != nil {
		return out, true, err
	}
	key := op.CacheKey{Kind: "pdf text", Hash: file.Hash}
	doc, ok := env.Cache.Get(key).(*ordinary)
	if !ok {
		doc = &ordinary{}
	}
	doc.mu.Lock()
	defer doc.mu.Unlock()
	if doc.unsure {
		return out, false, nil
	}
	v := &view{file: file, pages: doc.pages, texts: &doc.texts}
	if out, ok, err = v.keptTexts(in.Options.Pages); ok || err != nil {
		return out, true, err
	}
	src, err := fetch(ctx, env, file.ID, "")
	if err != nil {
		return out, true, err
	}
	if src.file.Hash != file.Hash { // it was changed in between
		return out, false, nil
	}
	read, err := plaintext.Open(ctx, src.data, plaintext.Options{
		MaxPages: env.Limits.PDFPages, MaxBytes: min(env.Limits.InflatedBytes, env.Limits.Memory/8),
	})
	if err == nil {
		doc.pages = read.Pages()
		v.pages = doc.pages
		out, err = v.readTexts(ctx, read, in.Options.Pages)
	}
	if errors.Is(err, plaintext.ErrUnsure) {
		doc.unsure, doc.texts, err = true, texts{}, nil
	}
	if err == nil {
		env.Cache.Put(key, doc, int64(doc.texts.size)+256)
	}
	return out, !doc.unsure, err
}

// keptTexts answers from what is kept, if all of it is there.
func (v *view) keptTexts(pages pageList) (out extractTextOut, ok bool, err error) {
	if v.pages == 0 {
		return out, false, nil
	}
	indexes, err := v.indexes(pages)
	if err != nil {
		return out, false, err
	}
	for _, i := range indexes {
		text, ok := v.texts.pages[i]
		if !ok {
			return extractTextOut{}, false, nil
		}
		if err := v.answer(&out, pageText{Page: i + 1, Text: text}); err != nil {
			return out, false, err
		}
	}
	return out, true, nil
}

func (v *view) readTexts(ctx context.Context, doc *plaintext.Document, pages pageList) (out extractTextOut, err error) {
	indexes, err := v.indexes(pages)
	if err != nil {
		return out, err
	}
	for _, i := range indexes {
		text, ok := v.texts.pages[i]
		if !ok {
			if text, err = doc.Text(ctx, i); err != nil {
				return extractTextOut{}, err
			}
			v.texts.keep(i, text)
		}
		if err := v.answer(&out, pageText{Page: i + 1, Text: text}); err != nil {
			return out, err
		}
	}
	return out, nil
}

// answer adds the text of a page, as far as one answer may have so much.
func (v *view) answer(out *extractTextOut, p pageText) error {
	if v.answered += len(p.Text); v.answered > maxText {
		return problem.New(problem.TooComplex, "%q has more than %d MB of text", v.file.Name, maxText>>20).
			WithHint("Extract some pages at a time.")
	}
	out.Pages = append(out.Pages, p)
	return nil
}
