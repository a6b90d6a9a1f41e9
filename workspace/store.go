package workspace

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/problem"
)

// timeFormat is ISO 8601 in UTC with milliseconds; it orders as text.
const timeFormat = "2006-01-02T15:04:05.000Z"

// Store is one data folder. It is safe for concurrent use.
type Store struct {
	config Config
	folder *folder
	meta   *metadata
	writer *writer
	blobs  *publisher
	events event.Notifier
	key    []byte // of the seals of redo records

	scripts *scripts

	// publishing is held for reading from the publishing of a run's blobs to the commit of
	// the metadata that refers to them, and for writing while blobs are collected.
	publishing sync.RWMutex
	// collecting is held while contents are removed, and by whoever needs all of them to stay.
	collecting sync.Mutex

	mu     sync.Mutex
	spaces map[string]*space
	active map[string]*Run
	closed bool

	serial atomic.Int64 // for names in tmp/
	fences atomic.Int64 // fenced workspaces
}

// space is what the store keeps in memory of a workspace that was used since the start.
type space struct {
	name string

	// turn is held by a run from its first use of the agent's database to its end.
	turn turn
	// gate is held for reading while a run's commit is in the metadata's hands, and for
	// writing by a commit that spans both stores, from its checks to its last write: nothing
	// may come between what it checked and what it then must be able to write.
	gate sync.RWMutex

	// commits counts those of the agent's database, whatever became of them.
	commits atomic.Int64

	// Guarded by turn: whether agent_open is recorded since the start.
	opened bool

	mu     sync.Mutex
	fenced *fence
}

// Open opens a data folder: it takes the folder's lock (ErrLocked if another process has
// it), migrates and recovers. Runs that a crash cut off inside their commit are then
// there whole or not at all, and nothing of the others is left.
func Open(ctx context.Context, config Config) (*Store, error) {
	config = config.withDefaults()
	if config.Dir == "" {
		return nil, fmt.Errorf("workspace: Config.Dir is empty")
	}
	f, err := openFolder(ctx, config.Dir)
	if err != nil {
		return nil, err
	}
	meta, err := openSQLite(ctx, f.dir)
	if err != nil {
		f.close()
		return nil, err
	}
	s := &Store{config: config, folder: f, meta: meta, blobs: newPublisher(f, config.Faults),
		spaces: map[string]*space{}, active: map[string]*Run{}}
	if s.key, err = sealKey(ctx, meta); err != nil {
		meta.close()
		f.close()
		return nil, err
	}
	if s.scripts, err = newScripts(); err != nil {
		meta.close()
		f.close()
		return nil, err
	}
	s.writer = startWriter(meta, config.Log, s.events.Wake, config.Faults)
	if err := s.recover(ctx); err != nil {
		s.writer.close()
		meta.close()
		f.close()
		return nil, err
	}
	return s, nil
}

// Close writes what waits to be written and lets go of the folder. Runs that are still
// open can no longer be committed; end them first.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	s.publishing.Lock() // commits under way come to their end, later ones are refused
	err := s.settleAgents()
	s.publishing.Unlock()
	for _, close := range []func() error{s.writer.close, s.meta.close, s.folder.close} {
		if cerr := close(); err == nil {
			err = cerr
		}
	}
	return err
}

// Hold keeps a workspace as it is, files and database: runs can go on and read, but none
// can commit, and none can begin to use the database. It is for whoever reads both and
// needs them to fit, such as a backup. Call release soon.
func (s *Store) Hold(ctx context.Context, workspace string) (release func(), err error) {
	if err := CheckWorkspace(workspace); err != nil {
		return nil, err
	}
	sp := s.space(workspace)
	if err := s.heal(ctx, sp); err != nil {
		return nil, err
	}
	if err := sp.turn.take(ctx); err != nil {
		return nil, problem.From(err)
	}
	sp.gate.Lock()
	return func() {
		sp.gate.Unlock()
		sp.turn.give()
	}, nil
}

func (s *Store) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Dir is the data folder.
func (s *Store) Dir() string { return s.folder.dir }

// Notifier wakes when events may have come; see event.Follow.
func (s *Store) Notifier() *event.Notifier { return &s.events }

func (s *Store) space(name string) *space {
	s.mu.Lock()
	defer s.mu.Unlock()
	sp, ok := s.spaces[name]
	if !ok {
		sp = &space{name: name}
		s.spaces[name] = sp
	}
	return sp
}

func (s *Store) now() string { return s.config.Now().UTC().Format(timeFormat) }

func (s *Store) since(start time.Time) float64 {
	return float64(s.config.Now().Sub(start)) / float64(time.Millisecond)
}

// tmpName is a new name in tmp/.
func (s *Store) tmpName() string {
	return s.folder.tmp(fmt.Sprintf("%d-%d", s.config.Now().UnixNano(), s.serial.Add(1)))
}

func (s *Store) path(diskPath string) string {
	return filepath.Join(s.folder.dir, "files", filepath.FromSlash(diskPath))
}

func errClosed() error {
	return problem.New(problem.Busy, "sandboxd is shutting down")
}
