// Package hosttest is a host.Host for tests: files with versions, state and logs, held
// in memory and in the test's temporary folder, without a workspace behind it.
//
// It keeps to the contract of host.Host except for what belongs to the workspace alone:
// names are not normalised, nothing is rolled back, and nothing but the size of a file
// is limited. Ids and times are the same in every test, so that they can stand in goldens.
//
// Imports host, limits and problem. Start reading at New.
package hosttest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// Memory is a workspace of one test. Its fields are set before it is used.
type Memory struct {
	// Limits defaults to limits.Default(). FileBytes is the one that is looked at.
	Limits limits.Limits
	// RunID and SessionID are what new versions and files are attributed to. Default to "test".
	RunID, SessionID string
	// Get answers Fetch with the bytes at an address and their name. Defaults to fetch_failed.
	Get func(ctx context.Context, url string) (name string, data []byte, err error)
	// Query and Tables answer SQL and Schema. Default to engine_missing.
	Query  func(ctx context.Context, query host.Query) (*host.QueryResult, error)
	Tables func(ctx context.Context) ([]host.Table, error)
	// Fail, if set, is asked before every call but Log, by the method's name and the ref,
	// name or key it is about; an error it gives is the call's answer.
	Fail func(method, ref string) error

	dir string

	mu     sync.Mutex
	files  map[string]*file // by id, deleted ones too
	stages map[int64]string // paths
	state  map[string][]byte
	logs   []host.LogLine
	calls  map[string]int
	clock  time.Time
	nextID int64
}

var _ host.Host = (*Memory)(nil)

// New makes an empty workspace that goes away with the test.
func New(t testing.TB) *Memory {
	t.Helper()
	return &Memory{
		Limits:    limits.Default(),
		RunID:     "test",
		SessionID: "test",
		dir:       t.TempDir(),
		files:     map[string]*file{},
		stages:    map[int64]string{},
		state:     map[string][]byte{},
		calls:     map[string]int{},
		clock:     time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	}
}

// Add puts a file there, as an upload does, or a new version of it if the name is taken.
func (m *Memory) Add(t testing.TB, name string, data []byte) host.File {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	hash, err := m.keep(data)
	if err != nil {
		t.Fatal(err)
	}
	if f := m.live(name); f != nil {
		return f.change(m, "modified", hash, int64(len(data)))
	}
	return m.add(name, detect(name, data), host.SourceUpload, hash, int64(len(data)))
}

// Bytes gives the content of a file by its id or name.
func (m *Memory) Bytes(t testing.TB, ref string) []byte {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.live(ref)
	if f == nil {
		t.Fatalf("there is no file %q among %q", ref, m.names())
	}
	data, err := os.ReadFile(m.blob(f.Hash))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Names lists the files that are there, in order.
func (m *Memory) Names() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.names()
}

func (m *Memory) names() []string {
	names := []string{}
	for _, f := range m.files {
		if !f.deleted {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Logs gives what was logged so far.
func (m *Memory) Logs() []host.LogLine {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.logs)
}

// Calls gives how often each method was called, by its name.
func (m *Memory) Calls() map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.calls)
}

// Log keeps the line for Logs.
func (m *Memory) Log(line host.LogLine) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.logs = append(m.logs, line)
}

// enter begins a call: it counts it, asks Fail, and takes the lock if all is well.
func (m *Memory) enter(ctx context.Context, method, ref string) error {
	if err := ctx.Err(); err != nil {
		return problem.From(err)
	}
	m.mu.Lock()
	m.calls[method]++
	m.mu.Unlock()
	if m.Fail != nil {
		if err := m.Fail(method, ref); err != nil {
			return err
		}
	}
	m.mu.Lock()
	return nil
}

// now is a clock that moves by a millisecond whenever it is looked at.
func (m *Memory) now() string {
	m.clock = m.clock.Add(time.Millisecond)
	return m.clock.Format("2006-01-02T15:04:05.000Z")
}

func (m *Memory) newID() string {
	m.nextID++
	return fmt.Sprintf("00000000-0000-4000-8000-%012d", m.nextID)
}

func (m *Memory) blob(hash string) string { return filepath.Join(m.dir, hash) }

// keep stores content under its hash.
func (m *Memory) keep(data []byte) (hash string, err error) {
	sum := sha256.Sum256(data)
	hash = hex.EncodeToString(sum[:])
	if _, err := os.Stat(m.blob(hash)); err == nil {
		return hash, nil
	}
	return hash, os.WriteFile(m.blob(hash), data, 0o600)
}

// live finds a file that is there by its id or name, or gives nil.
func (m *Memory) live(ref string) *file {
	if f := m.files[ref]; f != nil && !f.deleted {
		return f
	}
	for _, f := range m.files {
		if f.Name == ref && !f.deleted {
			return f
		}
	}
	return nil
}

// find is live, with not_found.
func (m *Memory) find(ref string) (*file, error) {
	if f := m.live(ref); f != nil {
		return f, nil
	}
	return nil, problem.New(problem.NotFound, "there is no file %q", ref).With("ref", ref)
}

// free tells that a name is taken, with exists.
func (m *Memory) free(name string) error {
	if f := m.live(name); f != nil {
		return problem.New(problem.Exists, "there is already a file named %q", name).With("id", f.ID)
	}
	return nil
}

// unique is the name, or "name (2).ext" and so on.
func (m *Memory) unique(name string) string {
	ext := filepath.Ext(name)
	free := name
	for n := 2; m.live(free) != nil; n++ {
		free = fmt.Sprintf("%s (%d)%s", strings.TrimSuffix(name, ext), n, ext)
	}
	return free
}
