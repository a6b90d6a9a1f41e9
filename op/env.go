package op

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
)

// Env is what an operation may touch: the boundary, the limits, the worker's cache of
// documents, and the documents that the run holds open with unsaved changes.
//
// Operations use Env.Host for everything. It settles first: whoever reads a file, its
// metadata or the list of files sees what held documents have not saved yet, and whoever
// changes a file by another way drops the stale document. Only a Held's own Save goes
// through Env.Direct.
type Env struct {
	Host   host.Host
	Direct host.Host
	Limits limits.Limits
	Cache  *Cache
	// Engines are the libraries outside the binary that this process has; see engine.Of.
	Engines *engine.Set

	mu    sync.Mutex
	held  map[string]Held          // by file id
	locks map[string]chan struct{} // by file id

	abandoned atomic.Int64
	suggested atomic.Int64 // files for wrong names
}

// Abandon counts a piece of work that nothing can stop, in a library that knows no
// context, and that may go on after its operation has answered. Whoever does it calls ended
// when it has come to its end. A process in which one is left when its run ends is not
// used again.
func (e *Env) Abandon() (ended func()) {
	e.abandoned.Add(1)
	return sync.OnceFunc(func() { e.abandoned.Add(-1) })
}

// Abandoned tells whether such work is still going on.
func (e *Env) Abandoned() bool { return e.abandoned.Load() > 0 }

// Held is a document with changes that are not yet in the file.
type Held interface {
	// Save writes the changes through direct, once; a second call with nothing new does
	// nothing. It may be called while an operation works on the document, by another one
	// that lists files, so it must wait for a moment when the document is whole.
	Save(ctx context.Context, direct host.Host) error
}

// NewEnv makes the environment of one run.
func NewEnv(h host.Host, l limits.Limits, cache *Cache) *Env {
	env := &Env{Direct: h, Limits: l.Or(limits.Default()), Cache: cache,
		held: map[string]Held{}, locks: map[string]chan struct{}{}}
	env.Host = &settling{Host: h, env: env}
	return env
}

// Lock makes the operations on one file of a run take turns; an operation that reads,
// changes and writes a file holds it throughout. The id must be a file's id, not its name.
// The error is ctx's. Calling unlock again does nothing.
func (e *Env) Lock(ctx context.Context, id string) (unlock func(), err error) {
	e.mu.Lock()
	turn, ok := e.locks[id]
	if !ok {
		turn = make(chan struct{}, 1)
		e.locks[id] = turn
	}
	e.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return sync.OnceFunc(func() { <-turn }), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Hold registers a document with unsaved changes as the newest content of a file.
func (e *Env) Hold(id string, doc Held) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.held[id] = doc
}

// HeldOf gives the document held for a file, or nil.
func (e *Env) HeldOf(id string) Held {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.held[id]
}

// Drop forgets the document held for a file without saving it.
func (e *Env) Drop(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.held, id)
}

// Settle saves the document held for a file, or all of them, in order of their ids, when
// id is "". They stay held.
func (e *Env) Settle(ctx context.Context, id string) error {
	for _, doc := range e.heldFor(id) {
		if err := doc.Save(ctx, e.Direct); err != nil {
			return err
		}
	}
	return nil
}

func (e *Env) heldFor(id string) []Held {
	e.mu.Lock()
	defer e.mu.Unlock()
	if id != "" {
		if doc := e.held[id]; doc != nil {
			return []Held{doc}
		}
		return nil
	}
	var docs []Held
	for _, id := range slices.Sorted(maps.Keys(e.held)) {
		docs = append(docs, e.held[id])
	}
	return docs
}
