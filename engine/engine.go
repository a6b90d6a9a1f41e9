// Package engine describes the libraries that sandboxd uses and does not contain: PDFium
// as WebAssembly, libvips as a shared library, fonts. A worker loads them before its
// sandbox closes, because nothing can be opened after that.
//
// An Engine says how one is loaded. A Set holds those of a process; operations take from
// it by Of, and answer engine_missing where there is none. Places are where the files
// lie; Find looks for them.
//
// A leaf beside host: it imports problem alone. Start reading at Engine, then Set.
package engine

import (
	"errors"
	"fmt"
	"sync"

	"github.com/sandboxd/sandboxd/problem"
)

// Engine is one library outside the binary.
type Engine struct {
	Name  string // for Of and for Doctor: "pdfium"
	Title string // what an error calls it: "PDFium"
	// Load loads it. It is called once in a process: in a worker while files can still be
	// opened for reading and memory made executable, in the program itself when
	// an operation first asks. It answers ErrMissing, wrapped or not, where there is none.
	Load func(Places) (any, error)
	// Warm writes to Places.Cache what makes Load fast. It runs in a process of its own
	// that may write there, once on a machine. Optional.
	Warm func(Places) error
	// Version tells what was loaded, for Doctor: "libvips 8.18.0". Optional.
	Version func(loaded any) string
	// Get is what an error tells the operator to do where the engine is missing.
	Get string
}

// ErrMissing is what Load answers where there is nothing to load.
var ErrMissing = errors.New("engine: it is not installed")

// Set holds the engines of a process. It is safe for concurrent use. A nil *Set has none.
type Set struct {
	at      Places
	engines map[string]*slot
	order   []string
}

type slot struct {
	engine Engine
	once   sync.Once
	loaded any
	err    error
}

// NewSet makes a set of engines that are loaded from at when they are first asked for.
func NewSet(engines []Engine, at Places) *Set {
	s := &Set{at: at, engines: map[string]*slot{}}
	for _, e := range engines {
		s.engines[e.Name] = &slot{engine: e}
		s.order = append(s.order, e.Name)
	}
	return s
}

// Load loads all of them now. Which of them are there, Status tells.
func (s *Set) Load() {
	if s == nil {
		return
	}
	for _, name := range s.order {
		s.engines[name].load(s.at)
	}
}

// Warm has each engine write its cache.
func (s *Set) Warm() error {
	var errs []error
	for _, name := range s.order {
		if e := s.engines[name].engine; e.Warm != nil {
			if err := e.Warm(s.at); err != nil && !errors.Is(err, ErrMissing) {
				errs = append(errs, fmt.Errorf("engine %s: %w", name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// Status is whether an engine is there.
type Status struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"` // if it is there
	Missing bool   `json:"missing,omitempty"` // it is not installed
	Error   string `json:"error,omitempty"`   // why it did not load though it is
	Get     string `json:"get,omitempty"`     // what to do
}

// Status tells of each engine, loading those that are not yet.
func (s *Set) Status() []Status {
	if s == nil {
		return nil
	}
	s.Load()
	var all []Status
	for _, name := range s.order {
		all = append(all, s.engines[name].status())
	}
	return all
}

func (sl *slot) load(at Places) {
	sl.once.Do(func() {
		defer func() {
			if p := recover(); p != nil {
				sl.err = fmt.Errorf("engine %s: loading it failed: %v", sl.engine.Name, p)
			}
		}()
		sl.loaded, sl.err = sl.engine.Load(at)
	})
}

func (sl *slot) status() Status {
	st := Status{Name: sl.engine.Name}
	switch {
	case sl.err == nil:
		st.Version = sl.engine.Name
		if sl.engine.Version != nil {
			st.Version = sl.engine.Version(sl.loaded)
		}
	case errors.Is(sl.err, ErrMissing):
		st.Missing, st.Get = true, sl.engine.Get
	default:
		st.Error, st.Get = sl.err.Error(), sl.engine.Get
	}
	return st
}

// Of gives a loaded engine. The error is engine_missing, as *problem.Error.
func Of[T any](s *Set, name string) (T, error) {
	var none T
	if s == nil || s.engines[name] == nil {
		return none, problem.New(problem.EngineMissing, "%s is not part of this sandboxd", name)
	}
	sl := s.engines[name]
	sl.load(s.at)
	if sl.err != nil {
		return none, problem.New(problem.EngineMissing, "this needs %s, which is not installed here", sl.engine.Title).
			WithHint("%s", sl.engine.Get).WithCause(sl.err)
	}
	loaded, ok := sl.loaded.(T)
	if !ok {
		panic(fmt.Sprintf("engine %s is a %T", name, sl.loaded))
	}
	return loaded, nil
}
