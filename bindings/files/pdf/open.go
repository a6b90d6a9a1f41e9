package pdf

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// source is a PDF's bytes as they are now, and the password to read them with.
type source struct {
	file     host.File
	data     []byte
	password string
}

// fetch reads a file, which may be given by its name. Errors are the host's, such as
// not_found, and unsupported_format for what is evidently no PDF.
func fetch(ctx context.Context, env *op.Env, ref, password string) (source, error) {
	opened, err := env.Host.Open(ctx, ref, 0)
	if err != nil {
		return source{}, err
	}
	defer opened.Data.Close()
	src := source{file: opened.File, data: make([]byte, opened.File.Size), password: password}
	if n, err := opened.Data.ReadAt(src.data, 0); n < len(src.data) {
		return source{}, problem.New(problem.Internal, "%q cannot be read", src.file.Name).WithCause(err)
	}
	if !looksLikePDF(src.data) {
		return source{}, notPDF(src.file)
	}
	return src, nil
}

// looksLikePDF tells whether PDFium may make something of it: one with its header lost
// still has objects.
func looksLikePDF(data []byte) bool {
	head := data[:min(len(data), 1024)]
	return bytes.Contains(head, []byte("%PDF-")) || bytes.Contains(head, []byte(" obj"))
}

func notPDF(file host.File) error {
	return problem.New(problem.UnsupportedFormat, "%q is not a PDF, it is %s", file.Name, file.MimeType).
		WithHint("Use the operations for its format, or convert it to PDF first.")
}

// library gives PDFium, or engine_missing.
func library(env *op.Env) (*pdfium.Library, error) {
	return engine.Of[*pdfium.Library](env.Engines, pdfium.Name)
}

// open opens the source with PDFium. The caller closes the document. Errors are
// engine_missing, password_required, damaged_file, unsupported_format, and too_complex
// for more pages than the limit.
func (s source) open(env *op.Env) (*pdfium.Document, error) {
	lib, err := library(env)
	if err != nil {
		return nil, err
	}
	doc, err := lib.Open(s.data, s.password)
	if err != nil {
		return nil, s.failed(err)
	}
	pages, err := doc.Pages()
	switch {
	case err != nil:
		err = s.failed(err)
	case pages > env.Limits.PDFPages:
		err = tooManyPages(s.file.Name, pages, env.Limits.PDFPages)
	case pages == 0:
		err = problem.New(problem.DamagedFile, "%q has no pages that can be read", s.file.Name)
	default:
		return doc, nil
	}
	doc.Close()
	return nil, err
}

func tooManyPages(name string, pages, limit int) error {
	return problem.New(problem.TooComplex, "%q has %d pages; a PDF may have %d", name, pages, limit).With("limit", limit)
}

// failed turns what PDFium answered into what the caller reads.
func (s source) failed(err error) error { return failed(s.file.Name, s.password != "", err) }

func failed(name string, withPassword bool, err error) error {
	var known *problem.Error
	switch {
	case err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, pdfium.ErrPassword) && withPassword:
		return problem.New(problem.PasswordRequired, "the password of %q is another one", name).
			WithHint("Pass the right password in the options.").WithCause(err)
	case errors.Is(err, pdfium.ErrPassword):
		return problem.New(problem.PasswordRequired, "%q is encrypted and opens with a password only", name).WithCause(err)
	case errors.Is(err, pdfium.ErrSecurity):
		return problem.New(problem.UnsupportedFormat, "%q is encrypted in a way that is not supported", name).
			WithHint("Ask for a copy that is not encrypted, or encrypted with a password.").WithCause(err)
	case errors.Is(err, pdfium.ErrFormat):
		return problem.New(problem.DamagedFile, "%q is damaged beyond repair", name).WithCause(err)
	case errors.Is(err, pdfium.ErrPage):
		return problem.New(problem.DamagedFile, "a page of %q is damaged beyond repair", name).WithCause(err)
	case errors.Is(err, pdfium.ErrBroken):
		return problem.New(problem.TooComplex, "%q takes more memory than there is for one PDF, or is made to break what reads it", name).
			WithHint("Work on a smaller file, or on fewer of its pages.").WithCause(err)
	case errors.Is(err, pdfium.ErrMemory):
		return problem.New(problem.MemoryLimit, "there is no memory left to open %q", name).
			WithHint("Work on fewer documents in one run.").WithCause(err)
	}
	return problem.New(problem.Internal, "%q cannot be worked on", name).WithCause(err)
}

// shared is an open document in the worker's cache. Its readers take turns.
type shared struct {
	mu     sync.Mutex
	doc    *pdfium.Document
	closed bool
	texts  texts
}

// Evicted closes the document, unless somebody is at work on it: then the garbage
// collector does.
func (s *shared) Evicted() {
	if s.mu.TryLock() {
		defer s.mu.Unlock()
		if !s.closed {
			s.closed = true
			s.doc.Close()
		}
	}
}

// view is what a reader gets: the document, which is its own for the time, and facts.
type view struct {
	file     host.File
	doc      *pdfium.Document
	pages    int
	repaired bool
	password string
	texts    *texts
	answered int // bytes of text so far
}

// read hands a file's document to look: one that is kept from an earlier call on the same
// content and password, or a new one. look must not change it.
func read(ctx context.Context, env *op.Env, ref, password string, look func(v *view) error) error {
	lib, err := library(env)
	if err != nil {
		return err
	}
	file, err := env.Host.Stat(ctx, ref)
	if err != nil {
		return err
	}
	leave, err := lib.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	key := op.CacheKey{Kind: "pdf\x00" + password, Hash: file.Hash}
	if kept, ok := env.Cache.Get(key).(*shared); ok {
		if done, err := kept.look(env, key, file, password, look); done {
			return err
		}
	}
	src, err := fetch(ctx, env, file.ID, password)
	if err != nil {
		return err
	}
	doc, err := src.open(env)
	if err != nil {
		return err
	}
	fresh := &shared{doc: doc}
	// Who was the last to hold one that the cache forgot is not known.
	runtime.AddCleanup(fresh, func(doc *pdfium.Document) { doc.Close() }, doc)
	key.Hash = src.file.Hash
	_, err = fresh.look(env, key, src.file, password, look)
	return err
}

// look takes a turn; done is false if the document was closed in the meantime. Afterwards
// the document stays in the cache with the size it now has, unless it broke.
func (s *shared) look(env *op.Env, key op.CacheKey, file host.File, password string, look func(v *view) error) (done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false, nil
	}
	v := &view{file: file, doc: s.doc, password: password, texts: &s.texts}
	if v.pages, err = s.doc.Pages(); err == nil {
		if v.repaired, err = s.doc.Repaired(); err == nil {
			err = look(v)
		}
	}
	err = failed(file.Name, password != "", err)
	if !s.doc.Broken() {
		env.Cache.Put(key, s, s.doc.Size()+int64(s.texts.size))
	}
	if kept, ok := env.Cache.Get(key).(*shared); !ok || kept != s || s.doc.Broken() {
		s.closed = true
		s.doc.Close()
	}
	return true, err
}

// index turns a page's number into its index.
func (v *view) index(page int) (int, error) { return pageIndex("page", v.file.Name, v.pages, page) }

// pageIndex turns a page's number into its index; the error names the argument.
func pageIndex(argument, name string, pages, page int) (int, error) {
	if page < 1 || page > pages {
		if pages == 1 {
			return 0, problem.New(problem.InvalidArgument, "%s: expected 1, since %q has 1 page, got %d", argument, name, page).
				With("argument", argument).With("pages", pages)
		}
		return 0, problem.New(problem.InvalidArgument, "%s: expected 1 to %d, since %q has %s, got %d", argument, pages, name, plural(pages, "page"), page).
			With("argument", argument).With("pages", pages)
	}
	return page - 1, nil
}

// indexes turns a list of pages into indexes.
func (v *view) indexes(pages pageList) ([]int, error) { return pages.indexes(v.file.Name, v.pages) }
