package pdf

import (
	"bytes"
	"context"
	"errors"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/fonts"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/typeset"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// graph opens the source as a graph of objects, to change it. What pdfcpu cannot read
// PDFium repairs, if it is there. Errors are those of open.
func (s source) graph(ctx context.Context, env *op.Env) (d *document.Document, repaired bool, err error) {
	d, err = s.graphOf(ctx, env, s.data)
	if !errors.Is(err, document.ErrDamaged) && !errors.Is(err, document.ErrUnsupported) {
		return d, false, s.graphFailed(env, err)
	}
	saved, repairErr := s.repair(ctx, env, errors.Is(err, document.ErrUnsupported) && s.password == "")
	switch {
	case problem.CodeOf(repairErr) == problem.EngineMissing:
		return nil, false, problem.New(problem.DamagedFile, "%q is damaged, and what could repair it is not installed", s.file.Name).
			WithHint("%s", problem.From(repairErr).Hint).WithCause(err)
	case repairErr != nil:
		return nil, false, repairErr
	}
	d, err = s.graphOf(ctx, env, saved)
	if errors.Is(err, document.ErrDamaged) && s.password == "" {
		// An encryption that opens without a password and that pdfcpu cannot read.
		if saved, repairErr = s.repair(ctx, env, true); repairErr == nil {
			d, err = s.graphOf(ctx, env, saved)
		}
	}
	return d, true, s.graphFailed(env, err)
}

func (s source) graphOf(ctx context.Context, env *op.Env, data []byte) (*document.Document, error) {
	return document.Open(ctx, data, document.Options{
		Password: s.password, MaxPages: env.Limits.PDFPages, MaxBytes: min(env.Limits.InflatedBytes, env.Limits.Memory/2),
	})
}

// graphFailed turns what document.Open answered into what the caller reads.
func (s source) graphFailed(env *op.Env, err error) error {
	switch {
	case errors.Is(err, document.ErrPassword):
		return s.failed(pdfium.ErrPassword)
	case errors.Is(err, document.ErrUnsupported):
		return s.failed(pdfium.ErrSecurity)
	case errors.Is(err, document.ErrPages):
		return problem.New(problem.TooComplex, "%q has more than %d pages", s.file.Name, env.Limits.PDFPages).With("limit", env.Limits.PDFPages)
	case errors.Is(err, document.ErrDamaged):
		return problem.New(problem.DamagedFile, "%q is damaged beyond repair", s.file.Name).WithCause(err)
	}
	return err
}

// repair has PDFium write the source anew, and without its encryption if plain is set.
func (s source) repair(ctx context.Context, env *op.Env, plain bool) ([]byte, error) {
	lib, err := library(env)
	if err != nil {
		return nil, err
	}
	leave, err := lib.Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	doc, err := s.open(env)
	if err != nil {
		return nil, err
	}
	defer doc.Close()
	if plain {
		if err := doc.Decrypt(); err != nil {
			return nil, s.failed(err)
		}
	}
	data, err := doc.Save()
	if err != nil {
		return nil, s.failed(err)
	}
	return data, nil
}

// written gives the bytes of a document, of which there may be so many.
func written(ctx context.Context, limit int64, d *document.Document, name string) ([]byte, error) {
	out := &capped{max: limit, name: name}
	if err := d.Write(ctx, out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// capped is a buffer that ends at the size that a file may have.
type capped struct {
	bytes.Buffer
	max  int64
	name string
}

func (c *capped) Write(p []byte) (int, error) {
	if int64(c.Len()+len(p)) > c.max {
		return 0, problem.New(problem.FileTooLarge, "%q would have more than %d bytes", c.name, c.max).With("limit", c.max)
	}
	return c.Buffer.Write(p)
}

// graph is a file that is open as a graph of objects.
type graph struct {
	doc      *document.Document
	set      *typeset.Setter
	name     string // the file's
	password string // that it was opened with
	changed  bool   // since it was last written
}

// graphBytes is the size up to which a file that is changed is kept open as a graph: to
// write on each of its pages is then one reading and one writing.
const graphBytes = 2 << 20

// rework changes a PDF as a graph of objects, which stays open for further changes. change
// must not fail once it has changed something.
func rework(ctx context.Context, env *op.Env, ref, password string, change func(g *graph) error) (out repair, err error) {
	id, err := idOf(ctx, env, ref)
	if err != nil {
		return out, err
	}
	unlock, err := env.Lock(ctx, id)
	if err != nil {
		return out, err
	}
	defer unlock()
	h, isHeld := env.HeldOf(id).(*held)
	if isHeld {
		if done, err := h.rework(password, change); done {
			return out, err
		}
	}
	src, err := current(ctx, env, h, id, password)
	if err != nil {
		return out, err
	}
	g := &graph{name: src.file.Name, password: password, changed: true}
	data, err := guarded(func() (data []byte, err error) {
		if g.doc, out.Repaired, err = src.graph(ctx, env); err != nil {
			return nil, err
		}
		g.set = setter(env, g.doc)
		if err := change(g); err != nil || len(src.data) <= graphBytes {
			return nil, err
		}
		return written(ctx, env.Limits.FileBytes, g.doc, g.name)
	})
	switch {
	case err != nil:
		return out, src.failed(err)
	case data != nil:
		return out, keep(ctx, env, h, src, data)
	case !isHeld:
		h = &held{id: id, limit: env.Limits.FileBytes}
	}
	h.mu.Lock()
	h.file, h.graph = src.file, g
	h.mu.Unlock()
	if isHeld {
		return out, nil
	}
	env.Hold(id, h)
	return out, env.Relieve(ctx, id, maxGraphs)
}

// maxGraphs is how many files are held where one of them is open as a graph.
const maxGraphs = 4

// rework makes the change in the graph that is open, if the password is that of before.
func (h *held) rework(password string, change func(g *graph) error) (done bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.graph == nil || h.graph.password != password {
		return false, nil
	}
	_, err = guarded(func() ([]byte, error) { return nil, change(h.graph) })
	if err == nil {
		h.graph.changed = true
	}
	return true, failed(h.file.Name, password != "", err)
}

// rewrite changes a PDF as a graph of objects that is written at once.
func rewrite(ctx context.Context, env *op.Env, ref, password string, change func(g *graph) error) (out repair, err error) {
	err = edit(ctx, env, ref, password, func(src source) ([]byte, error) {
		d, repaired, err := src.graph(ctx, env)
		if err != nil {
			return nil, err
		}
		out.Repaired = repaired
		if err := change(&graph{doc: d, set: setter(env, d), name: src.file.Name, password: password}); err != nil {
			return nil, err
		}
		return written(ctx, env.Limits.FileBytes, d, src.file.Name)
	})
	return out, err
}

// setter sets text for a document with the fonts that there are.
func setter(env *op.Env, d *document.Document) *typeset.Setter {
	return typeset.New(d, func() (*fonts.Set, error) { return engine.Of[*fonts.Set](env.Engines, fonts.Name) })
}
