package workspace_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// flaky is a database whose worker dies at the commit, before or after it is done, and
// whose markers may then not be readable for a while.
type flaky struct {
	workspace.AgentDB
	faults *flakyFaults
}

type flakyFaults struct {
	before, after bool // die at Commit
	unreadable    bool // Markers fail from then on
	lying         bool // die before Commit, and say that it is done
	forge         func(workspace.Marker) workspace.Marker
}

var errDied = errors.New("the worker died")

func (f flaky) Commit(ctx context.Context, runID string, redo []byte) error {
	if f.faults.before {
		_ = f.AgentDB.Rollback(ctx)
		return errDied
	}
	if f.faults.lying {
		_ = f.AgentDB.Rollback(ctx)
		return problem.New(problem.SQLError, "no").With("committed", "yes")
	}
	err := f.AgentDB.Commit(ctx, runID, redo)
	if err == nil && f.faults.after {
		err = errDied
	}
	return err
}

func (f flaky) Markers(ctx context.Context) ([]workspace.Marker, error) {
	if f.faults.unreadable {
		return nil, errDied
	}
	markers, err := f.AgentDB.Markers(ctx)
	for i := range markers {
		if f.faults.forge != nil {
			markers[i] = f.faults.forge(markers[i])
		}
	}
	return markers, err
}

func openFlaky(t *testing.T) (*workspace.Store, *flakyFaults) {
	dir := t.TempDir()
	faults := &flakyFaults{}
	dbs := newAgentDBs(t, dir)
	dbs.wrap = func(db workspace.AgentDB) workspace.AgentDB { return flaky{db, faults} }
	s := open(t, workspace.Config{Dir: dir, AgentDBs: dbs, Log: slog.New(slog.DiscardHandler)})
	if _, err := insert(t, s, "CREATE TABLE t (n)", ""); err != nil {
		t.Fatal(err)
	}
	return s, faults
}

// insert runs one statement and makes one file, if it has a name, in one run.
func insert(t *testing.T, s *workspace.Store, sql, file string) (string, error) {
	t.Helper()
	ctx := context.Background()
	r, err := s.Begin(ctx, workspace.Start{Workspace: "w"})
	if err != nil {
		return "", err
	}
	if _, err := r.SQL(ctx, host.Query{SQL: sql}); err != nil {
		t.Fatal(err)
	}
	if file != "" {
		if err := write(ctx, r, file, strings.Repeat("x", 50_000)); err != nil {
			t.Fatal(err)
		}
	}
	_, err = r.Commit(ctx, workspace.Finish{})
	return r.ID(), err
}

func whatIsThere(t *testing.T, s *workspace.Store) string {
	t.Helper()
	ctx := context.Background()
	files, err := s.Files(ctx, "w", "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Begin(ctx, workspace.Start{Workspace: "w"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Abort(ctx, workspace.Finish{})
	result, err := r.SQL(ctx, host.Query{SQL: "SELECT count(*) FROM t"})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range files {
		list = append(list, f.Name)
	}
	return strings.Repeat("row ", int(result.Rows[0][0].(int64))) + strings.Join(list, " ")
}

func status(t *testing.T, s *workspace.Store, id string) string {
	t.Helper()
	rec, err := s.RunByID(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return rec.Status
}

func TestACommitThatNobodyAnswered(t *testing.T) {
	s, faults := openFlaky(t)
	// It died before: nothing is there, and the error says so.
	faults.before = true
	id, err := insert(t, s, "INSERT INTO t VALUES (1)", "a")
	if err == nil || problem.From(err).Details["committed"] != nil {
		t.Fatalf("got %v", err)
	}
	if got := whatIsThere(t, s); got != "" || status(t, s, id) != workspace.StatusFailed {
		t.Errorf("got %q, %s", got, status(t, s, id))
	}
	// It died after: the marker tells, and the run is simply committed.
	faults.before, faults.after = false, true
	id, err = insert(t, s, "INSERT INTO t VALUES (1)", "a")
	if err != nil {
		t.Fatal(err)
	}
	if got := whatIsThere(t, s); got != "row a" || status(t, s, id) != workspace.StatusOK {
		t.Errorf("got %q, %s", got, status(t, s, id))
	}
}

func TestAWorkspaceIsFencedUntilItIsKnownWhatHappened(t *testing.T) {
	for _, committed := range []bool{true, false} {
		s, faults := openFlaky(t)
		ctx := context.Background()
		bystander, err := s.Begin(ctx, workspace.Start{Workspace: "w"})
		if err != nil {
			t.Fatal(err)
		}
		if err := write(ctx, bystander, "b", "x"); err != nil {
			t.Fatal(err)
		}
		faults.after, faults.before, faults.unreadable = committed, !committed, true
		id, err := insert(t, s, "INSERT INTO t VALUES (1)", "a")
		if got := problem.From(err).Details["committed"]; got != "unknown" {
			t.Fatalf("got %v", err)
		}
		if _, err := insert(t, s, "INSERT INTO t VALUES (2)", "c"); problem.CodeOf(err) != problem.Busy {
			t.Fatalf("begin in a fenced workspace: %v", err)
		}
		if _, err := bystander.Commit(ctx, workspace.Finish{}); problem.CodeOf(err) != problem.Busy {
			t.Fatalf("commit in a fenced workspace: %v", err)
		}
		if _, err := s.Begin(ctx, workspace.Start{Workspace: "other"}); err != nil {
			t.Fatalf("begin in another workspace: %v", err)
		}
		if _, err := s.GC(ctx); err != nil {
			t.Fatal(err)
		}
		*faults = flakyFaults{}
		want, wantStatus := "", workspace.StatusFailed
		if committed {
			want, wantStatus = "row a", workspace.StatusOK
		}
		if got := whatIsThere(t, s); got != want || status(t, s, id) != wantStatus {
			t.Errorf("committed %v: got %q, %s", committed, got, status(t, s, id))
		}
		if committed {
			o, err := s.Open(ctx, "w", "a", 0)
			if err != nil {
				t.Fatal(err)
			}
			o.Data.Close()
		}
	}
}

// A redo record of megabytes does not go into the agent's database.
func TestALargeRedoRecord(t *testing.T) {
	ctx := context.Background()
	s, faults := openFlaky(t)
	run := func() {
		t.Helper()
		r, err := s.Begin(ctx, workspace.Start{Workspace: "w"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.SQL(ctx, host.Query{SQL: "INSERT INTO t VALUES (1)"}); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"a", "b", "c"} {
			if err := r.StateSet(ctx, key, []byte(`"`+strings.Repeat(key, 2_000_000)+`"`)); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 40 { // small contents that are too many for a redo record
			c := string(rune('α' + i))
			if err := write(ctx, r, "f/"+c, strings.Repeat(c, 8_000)); err != nil {
				t.Fatal(err)
			}
		}
		_, err = r.Commit(ctx, workspace.Finish{})
		if (err != nil) != faults.unreadable {
			t.Fatalf("commit: %v", err)
		}
	}
	faults.after, faults.unreadable = true, true
	run()
	*faults = flakyFaults{}
	r, err := s.Begin(ctx, workspace.Start{Workspace: "w"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Abort(ctx, workspace.Finish{})
	state, err := s.State(ctx, "w", "")
	if err != nil || len(state["c"]) != 2_000_002 {
		t.Errorf("state: %d bytes, %v", len(state["c"]), err)
	}
	files, err := s.Files(ctx, "w", "f/*")
	if err != nil || len(files) != 40 {
		t.Errorf("files: %d, %v", len(files), err)
	}
	for _, f := range files {
		o, err := s.Open(ctx, "w", f.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		o.Data.Close()
	}
}

func TestStartSweepsWhatACrashLeft(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	dbs := newAgentDBs(t, dir)
	s, err := workspace.Open(ctx, workspace.Config{Dir: dir, AgentDBs: dbs})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := insert(t, s, "CREATE TABLE t (n)", "kept"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	blobs := func() []string {
		found, err := filepath.Glob(filepath.Join(dir, "files", "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	before := blobs()
	orphan := filepath.Join(filepath.Dir(before[0]), strings.Repeat("0", 62))
	for _, path := range []string{orphan, filepath.Join(dir, "tmp", "stage")} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s = open(t, workspace.Config{Dir: dir, AgentDBs: dbs, Log: slog.New(slog.DiscardHandler)})
	if after := blobs(); len(after) != len(before) || after[0] != before[0] {
		t.Errorf("blobs: got %v, want %v", after, before)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "tmp")); len(left) > 0 {
		t.Errorf("tmp/ holds %v", left)
	}
	if got := whatIsThere(t, s); got != "kept" {
		t.Errorf("got %q", got)
	}

	// While the daemon lives, what a failed commit published goes with a collection.
	r, err := s.Begin(ctx, workspace.Start{Workspace: "w", OnConflict: workspace.ConflictFails})
	if err != nil {
		t.Fatal(err)
	}
	if err := write(ctx, r, "kept", strings.Repeat("y", 60_000)); err != nil {
		t.Fatal(err)
	}
	if _, err := insert(t, s, "INSERT INTO t VALUES (1)", "other"); err != nil {
		t.Fatal(err)
	}
	other, err := s.Begin(ctx, workspace.Start{Workspace: "w"})
	if err != nil {
		t.Fatal(err)
	}
	if err := write(ctx, other, "kept", "theirs"); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Commit(ctx, workspace.Finish{}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Commit(ctx, workspace.Finish{}); problem.CodeOf(err) != problem.Conflict {
		t.Fatalf("got %v", err)
	}
	published := len(blobs())
	if _, err := s.GC(ctx); err != nil {
		t.Fatal(err)
	}
	if left := len(blobs()); left != published-1 {
		t.Errorf("%d blobs before the collection, %d after", published, left)
	}
}

func TestARunThatEndedWithTheDaemon(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	s, err := workspace.Open(ctx, workspace.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Begin(ctx, workspace.Start{Workspace: "w"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Begin(ctx, workspace.Start{Workspace: "w"}); problem.CodeOf(err) != problem.Busy {
		t.Errorf("begin after the end: %v", err)
	}
	s = open(t, workspace.Config{Dir: dir})
	rec, err := s.RunByID(ctx, r.ID())
	if err != nil || rec.Status != workspace.StatusFailed || rec.Error.Code != problem.WorkerLost {
		t.Errorf("got %+v, %v", rec, err)
	}
}

// A worker of the database that was taken over writes the redo record that it likes: files
// in another workspace, or an old record once more. None of it is applied.
func TestAForgedRedoRecordIsNotApplied(t *testing.T) {
	ctx := context.Background()
	s, faults := openFlaky(t)
	faults.after, faults.unreadable = true, true
	id, err := insert(t, s, "INSERT INTO t VALUES (1)", "a")
	if err == nil {
		t.Fatal("a commit that nobody answered")
	}
	for name, forge := range map[string]func(workspace.Marker) workspace.Marker{
		"another workspace": func(m workspace.Marker) workspace.Marker {
			m.Redo = bytes.ReplaceAll(m.Redo, []byte(`"ws":"w"`), []byte(`"ws":"v"`))
			return m
		},
		"another run": func(m workspace.Marker) workspace.Marker {
			m.RunID = "01890000-0000-7000-8000-000000000000"
			return m
		},
		"another content": func(m workspace.Marker) workspace.Marker {
			m.Redo = bytes.ReplaceAll(m.Redo, []byte(`"name":"a"`), []byte(`"name":"b"`))
			return m
		},
		"no seal": func(m workspace.Marker) workspace.Marker {
			m.Redo = m.Redo[bytes.IndexByte(m.Redo, '{'):]
			return m
		},
		"nothing": func(m workspace.Marker) workspace.Marker {
			m.Redo = nil
			return m
		},
	} {
		*faults = flakyFaults{forge: forge}
		if _, err := s.Begin(ctx, workspace.Start{Workspace: "w"}); problem.CodeOf(err) != problem.Busy {
			t.Errorf("%s: %v", name, err)
		}
		for _, space := range []string{"v", "w"} {
			if files, err := s.Files(ctx, space, ""); err != nil || len(files) > 0 {
				t.Errorf("%s: in %s there is %v, %v", name, space, files, err)
			}
		}
	}
	*faults = flakyFaults{}
	if got := whatIsThere(t, s); got != "row a" || status(t, s, id) != workspace.StatusOK {
		t.Errorf("with the record as it was written: %q, %s", got, status(t, s, id))
	}
}

// Whether a run is committed is not the word of the database's worker.
func TestACommitThatTheWorkerOnlyClaims(t *testing.T) {
	s, faults := openFlaky(t)
	faults.lying = true
	id, err := insert(t, s, "INSERT INTO t VALUES (1)", "a")
	if err == nil || problem.From(err).Details["committed"] != nil {
		t.Fatalf("got %v", err)
	}
	*faults = flakyFaults{}
	if got := whatIsThere(t, s); got != "" || status(t, s, id) != workspace.StatusFailed {
		t.Errorf("got %q, %s", got, status(t, s, id))
	}
}
