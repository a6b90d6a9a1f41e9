// Package workspacetest holds what every store of workspaces must do, whatever it keeps its
// metadata in: Exercise runs it against one.
package workspacetest

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// Exercise runs the suite. open gives a fresh, empty store with databases for agents, which
// the test it is given closes at its end.
func Exercise(t *testing.T, open func(t *testing.T, config workspace.Config) *workspace.Store) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, *Fixture)
	}{
		{"a run is seen whole after its commit and not before", commitIsAtomic},
		{"an aborted run changes nothing and is recorded", abortChangesNothing},
		{"a run reads its own changes", runReadsItself},
		{"names are unique", namesAreUnique},
		{"files are listed by pattern and ordered by name", listsByPattern},
		{"every change is a version that can be restored", versionsAreKept},
		{"names change hands in one run", namesChangeHands},
		{"types are told from the bytes", typesAreDetected},
		{"staged bytes are copied when they are handed over", stagesBelongToTheRun},
		{"quotas hold, early and at the commit", quotasHold},
		{"times and provenance", timesAndProvenance},
		{"the last writer wins and both versions stay", lastWriterWins},
		{"conflicts can fail instead", conflictsCanFail},
		{"a file deleted meanwhile", deletedMeanwhile},
		{"a name taken meanwhile", nameTakenMeanwhile},
		{"many runs at once", manyRunsAtOnce},
		{"undo takes back a run", undoTakesBack},
		{"undo is refused where later runs changed the same", undoIsRefused},
		{"undo meets a name that is taken", undoMeetsATakenName},
		{"undo in reverse order", undoInReverse},
		{"SQL is part of the run", sqlIsPartOfTheRun},
		{"waiting for SQL ends", waitingForSQLEnds},
		{"undo takes rows back", undoTakesRowsBack},
		{"changes are events", changesAreEvents},
		{"long runs are seen while they run", longRunsAreSeen},
		{"runs are listed", runsAreListed},
		{"state is JSON by key", stateIsJSON},
		{"the history of state is bounded", stateHistoryIsBounded},
		{"contents are collected", contentsAreCollected},
		{"downloads become files", downloadsBecomeFiles},
		{"many small files in one run", manySmallFiles},
		{"a held workspace stays as it is", heldStaysAsItIs},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.run(t, &Fixture{open: open})
		})
	}
}

// Fixture is what a test of the suite works with.
type Fixture struct {
	open func(*testing.T, workspace.Config) *workspace.Store
}

// store opens a store with limits, zero ones being the defaults.
func (f *Fixture) store(t *testing.T, l limits.Limits) *workspace.Store {
	t.Helper()
	return f.open(t, workspace.Config{Limits: l})
}

func begin(t *testing.T, s *workspace.Store, start workspace.Start) *workspace.Run {
	t.Helper()
	if start.Workspace == "" {
		start.Workspace = "w"
	}
	r, err := s.Begin(context.Background(), start)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func commit(t *testing.T, r *workspace.Run) limits.Receipt {
	t.Helper()
	receipt, err := r.Commit(context.Background(), workspace.Finish{})
	if err != nil {
		t.Fatalf("commit: %v", err)
	}
	return receipt
}

// do runs one run to its end.
func do(t *testing.T, s *workspace.Store, fn func(r *workspace.Run)) limits.Receipt {
	t.Helper()
	r := begin(t, s, workspace.Start{})
	fn(r)
	return commit(t, r)
}

// stage puts text into a staged file, the way that a worker does.
func stage(t *testing.T, h host.Host, text string) int64 {
	t.Helper()
	st, err := h.Stage(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Data.Close()
	if _, err := io.WriteString(st.Data, text); err != nil {
		t.Fatal(err)
	}
	return st.ID
}

func create(t *testing.T, h host.Host, name, text string) host.File {
	t.Helper()
	f, err := h.Create(context.Background(), host.NewFile{Name: name, Stage: stage(t, h, text)})
	if err != nil {
		t.Fatalf("create %q: %v", name, err)
	}
	return f
}

func put(t *testing.T, h host.Host, ref, text string) host.File {
	t.Helper()
	f, err := h.Put(context.Background(), ref, stage(t, h, text))
	if err != nil {
		t.Fatalf("put %q: %v", ref, err)
	}
	return f
}

func content(t *testing.T, o *host.Opened, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer o.Data.Close()
	text, err := io.ReadAll(io.NewSectionReader(o.Data, 0, o.File.Size+1))
	if err != nil || int64(len(text)) != o.File.Size {
		t.Fatalf("read %d of %d bytes of %q: %v", len(text), o.File.Size, o.File.Name, err)
	}
	if _, err := o.Data.WriteAt([]byte("x"), 0); err == nil {
		t.Fatalf("the bytes of %q can be written through what Open gave", o.File.Name)
	}
	return string(text)
}

func read(t *testing.T, h host.Host, ref string) string {
	t.Helper()
	o, err := h.Open(context.Background(), ref, 0)
	return content(t, o, err)
}

func stored(t *testing.T, s *workspace.Store, ref string, version int64) string {
	t.Helper()
	o, err := s.Open(context.Background(), "w", ref, version)
	return content(t, o, err)
}

func names(t *testing.T, h interface {
	List(context.Context, string) ([]host.File, error)
}, pattern string) string {
	t.Helper()
	files, err := h.List(context.Background(), pattern)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range files {
		list = append(list, f.Name)
	}
	return strings.Join(list, " ")
}

func storedNames(t *testing.T, s *workspace.Store) string {
	t.Helper()
	files, err := s.Files(context.Background(), "w", "")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range files {
		list = append(list, f.Name)
	}
	return strings.Join(list, " ")
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func fails(t *testing.T, what string, err error, code problem.Code) *problem.Error {
	t.Helper()
	if problem.CodeOf(err) != code {
		t.Fatalf("%s: got %v, want code %q", what, err, code)
	}
	p := problem.From(err)
	if strings.Contains(p.Message+p.Hint, os.TempDir()) {
		t.Errorf("%s: the message shows a path of the host: %v", what, p)
	}
	return p
}

func setState(t *testing.T, h host.Host, key, value string) {
	t.Helper()
	if err := h.StateSet(context.Background(), key, json.RawMessage(value)); err != nil {
		t.Fatal(err)
	}
}

func state(t *testing.T, s *workspace.Store) string {
	t.Helper()
	values, err := s.State(context.Background(), "w", "")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(values)
	return string(text)
}
