package pdf

import (
	"context"
	"fmt"
	"sync"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// mimeType is that of every file these operations write.
const mimeType = "application/pdf"

// held is a PDF that a run has changed and not saved yet, so that a hundred changes are
// one version.
type held struct {
	id string

	mu    sync.Mutex
	file  host.File // as it was when it was opened
	data  []byte    // nil if there is nothing to save, or if graph has newer changes
	graph *graph    // nil if the content is not open as a graph
	limit int64
}

var _ op.Held = (*held)(nil)

const (
	// holdBytes is the size up to which a changed PDF is held; a larger one is saved at once.
	holdBytes = 4 << 20
	// maxHeld is how many PDFs a run holds changed and unsaved.
	maxHeld = 16
)

// Save makes the content a new version of the file.
func (h *held) Save(ctx context.Context, direct host.Host) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.flush(ctx); err != nil || h.data == nil {
		return err
	}
	if _, err := store(ctx, direct, h.data, h.limit, h.file.Name, func(stage int64) (host.File, error) {
		return direct.Put(ctx, h.id, stage)
	}); err != nil {
		return err
	}
	h.data, h.graph = nil, nil
	return nil
}

// flush writes down what the graph has and data has not.
func (h *held) flush(ctx context.Context) error {
	if h.graph == nil || !h.graph.changed {
		return nil
	}
	data, err := guarded(func() ([]byte, error) { return written(ctx, h.limit, h.graph.doc, h.file.Name) })
	if err != nil {
		return err
	}
	h.data, h.graph.changed = data, false
	return nil
}

// store writes data to a stage and hands it to put.
func store(ctx context.Context, to host.Host, data []byte, limit int64, name string, put func(stage int64) (host.File, error)) (host.File, error) {
	if size := int64(len(data)); size > limit {
		return host.File{}, problem.New(problem.FileTooLarge, "%q would have %d bytes; a file may have %d", name, size, limit).With("limit", limit)
	}
	stage, err := to.Stage(ctx)
	if err != nil {
		return host.File{}, err
	}
	defer stage.Data.Close()
	if _, err := stage.Data.WriteAt(data, 0); err != nil {
		return host.File{}, problem.New(problem.Internal, "%q cannot be written", name).WithCause(err)
	}
	return put(stage.ID)
}

// edit makes a new version of a PDF, which may be given by its name: change answers the
// new bytes, or nil if nothing changed. Edits of one file take turns. The bytes that
// change gets must not be written to.
func edit(ctx context.Context, env *op.Env, ref, password string, change func(src source) ([]byte, error)) error {
	id, err := idOf(ctx, env, ref)
	if err != nil {
		return err
	}
	unlock, err := env.Lock(ctx, id)
	if err != nil {
		return err
	}
	defer unlock()
	h, _ := env.HeldOf(id).(*held)
	src, err := current(ctx, env, h, id, password)
	if err != nil {
		return err
	}
	data, err := guarded(func() ([]byte, error) { return change(src) })
	if err != nil {
		return src.failed(err)
	}
	if data == nil {
		return nil
	}
	return keep(ctx, env, h, src, data)
}

// keep holds new content of a file, or saves it if it is large.
func keep(ctx context.Context, env *op.Env, h *held, src source, data []byte) error {
	id := src.file.ID
	if len(data) > holdBytes || int64(len(data)) > env.Limits.FileBytes {
		// Put lets go of what was held for the file.
		_, err := store(ctx, env.Host, data, env.Limits.FileBytes, src.file.Name, func(stage int64) (host.File, error) {
			return env.Host.Put(ctx, id, stage)
		})
		return err
	}
	isHeld := h != nil
	if !isHeld {
		h = &held{id: id, limit: env.Limits.FileBytes}
	}
	h.mu.Lock()
	h.file, h.data, h.graph = src.file, data, nil
	h.mu.Unlock()
	if isHeld {
		return nil
	}
	env.Hold(id, h)
	return env.Relieve(ctx, id, maxHeld)
}

// current gives the content with its unsaved changes.
func current(ctx context.Context, env *op.Env, h *held, id, password string) (source, error) {
	if h != nil {
		h.mu.Lock()
		file, data := h.file, h.data
		h.mu.Unlock()
		if data != nil {
			return source{file: file, data: data, password: password}, nil
		}
	}
	return fetch(ctx, env, id, password)
}

// guarded turns a panic of a library into an error.
func guarded(work func() ([]byte, error)) (data []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = problem.New(problem.DamagedFile, "the file holds something that what reads it cannot bear").
				WithCause(fmt.Errorf("panic: %v", p))
		}
	}()
	return work()
}

// create makes a new file. exists if the name is taken, unless it may become
// "name (2).pdf" (unique).
func create(ctx context.Context, env *op.Env, name, mime string, data []byte, unique bool) (host.File, error) {
	return store(ctx, env.Host, data, env.Limits.FileBytes, name, func(stage int64) (host.File, error) {
		return env.Host.Create(ctx, host.NewFile{Name: name, MimeType: mime, Source: host.SourceDerived, Stage: stage, Unique: unique})
	})
}

// idOf gives the id of the file that ref names, which may be its id. It does not settle:
// a document that is held stays unsaved.
func idOf(ctx context.Context, env *op.Env, ref string) (string, error) {
	if _, isHeld := env.HeldOf(ref).(*held); isHeld {
		return ref, nil
	}
	file, err := env.Direct.Stat(ctx, ref)
	return file.ID, err
}

func plural(n int, what string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}
