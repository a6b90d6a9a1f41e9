package workspace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/audit"
	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// aging is a store whose clock the test moves.
type aging struct {
	*testing.T
	*workspace.Store
	mu  sync.Mutex
	now time.Time
}

func newAging(t *testing.T, config workspace.Config) *aging {
	a := &aging{T: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	config.Now = func() time.Time {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.now
	}
	a.Store = open(t, config)
	return a
}

func (a *aging) pass(days int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now = a.now.AddDate(0, 0, days)
}

// do is one run that must be committed; it gives its id.
func (a *aging) do(work func(r *workspace.Run) error) string {
	a.Helper()
	r, err := a.Begin(a.Context(), workspace.Start{Workspace: "w", Source: "work()", ScriptHash: strings.Repeat("ab", 32)})
	if err == nil {
		err = work(r)
	}
	if err == nil {
		_, err = r.Commit(a.Context(), workspace.Finish{})
	}
	if err != nil {
		a.Fatal(err)
	}
	return r.ID()
}

func (a *aging) put(name, text string) string {
	a.Helper()
	return a.do(func(r *workspace.Run) error { return write(a.Context(), r, name, text) })
}

// versions of a file, newest first, as "3 2 1"; those listed can be read.
func (a *aging) versions(ref string) string {
	a.Helper()
	list, err := a.Store.Versions(a.Context(), "w", ref)
	if problem.CodeOf(err) == problem.NotFound {
		return "none"
	}
	if err != nil {
		a.Fatal(err)
	}
	var numbers []string
	for _, v := range list {
		numbers = append(numbers, fmt.Sprint(v.Version))
		if v.Hash == "" {
			continue
		}
		o, err := a.Open(a.Context(), "w", ref, v.Version)
		if err != nil {
			a.Fatalf("version %d of %s: %v", v.Version, ref, err)
		}
		if text, err := io.ReadAll(o.Data); err != nil || int64(len(text)) != v.Size {
			a.Errorf("version %d of %s has %d bytes, %v", v.Version, ref, len(text), err)
		}
		o.Data.Close()
	}
	return strings.Join(numbers, " ")
}

// collect collects, after it was told right what that would remove.
func (a *aging) collect(r workspace.Retention) workspace.Collected {
	a.Helper()
	would, err := a.Collect(a.Context(), r, true)
	if err != nil {
		a.Fatal(err)
	}
	did, err := a.Collect(a.Context(), r, false)
	if err != nil {
		a.Fatal(err)
	}
	if would.Scripts = did.Scripts; would != did {
		a.Errorf("it would remove\n%+v and removed\n%+v", would, did)
	}
	return did
}

func (a *aging) usage() workspace.Usage {
	a.Helper()
	u, err := a.Usage(a.Context(), "w")
	if err != nil {
		a.Fatal(err)
	}
	return u
}

const largeSize = 40_000

func largeOf(n int) string { return fmt.Sprint(n%10) + strings.Repeat("x", largeSize-1) }

// A version goes when it was superseded long ago, never while it is the current one, and
// with it goes what the workspace pays for it.
func TestOldVersionsGo(t *testing.T) {
	a := newAging(t, workspace.Config{})
	a.put("a", largeOf(1)) // day 0
	a.put("same", largeOf(5))
	a.pass(50)
	a.put("a", largeOf(2)) // day 50
	a.pass(30)
	a.put("a", largeOf(3)) // day 80
	if done := a.collect(workspace.Retention{Events: -1}); done.Any() {
		t.Errorf("too early, %+v went", done)
	}
	a.pass(61) // 141: version 1 was superseded 91 days ago, version 2 61 days ago
	if done := a.collect(workspace.Retention{Runs: -1, Events: -1}); done != (workspace.Collected{Versions: 1, Blobs: 1, Bytes: largeSize}) {
		t.Errorf("%+v went", done)
	}
	if got := a.versions("a"); got != "3 2" {
		t.Errorf("there are versions %s", got)
	}
	if u := a.usage(); u.Files != 3*largeSize || u.VersionCount != 3 || u.FileCount != 2 {
		t.Errorf("the workspace has %+v", u)
	}
	a.pass(1000)
	a.collect(workspace.Retention{})
	if a.versions("a") != "3" || a.versions("same") != "1" {
		t.Errorf("there are versions %s and %s", a.versions("a"), a.versions("same"))
	}
	files, _ := filepath.Glob(filepath.Join(a.Dir(), "files", "*", "*"))
	if len(files) != 2 {
		t.Errorf("there are contents %v", files)
	}
}

// However few versions are to be kept, what an undo needs is kept until its time is over.
func TestUndoIsKeptPossible(t *testing.T) {
	a := newAging(t, workspace.Config{})
	few := workspace.Retention{Kept: 2, Undo: 48 * time.Hour, Runs: time.Hour, Versions: time.Hour}
	for i := range 5 {
		a.put("a", largeOf(i))
	}
	last := a.put("a", largeOf(6))
	a.pass(1)
	a.collect(few)
	if got := a.versions("a"); got != "6 5 4 3 2 1" {
		t.Errorf("there are versions %s", got)
	}
	if _, err := a.Undo(a.Context(), "w", last, workspace.Undo{}); err != nil {
		t.Fatal(err)
	}
	a.pass(2)
	few.Versions = 90 * 24 * time.Hour
	if done := a.collect(few); done.Versions != 5 {
		t.Errorf("%+v went", done)
	}
	if got := a.versions("a"); got != "7 6" {
		t.Errorf("there are versions %s", got)
	}
}

// An undo whose versions have gone is refused whole: it neither does half of it nor nothing
// in silence.
func TestUndoOfWhatIsNoLongerKept(t *testing.T) {
	a := newAging(t, workspace.Config{})
	a.put("a", "1")
	both := a.do(func(r *workspace.Run) error {
		if err := write(a.Context(), r, "b", "1"); err != nil {
			return err
		}
		return write(a.Context(), r, "a", "2")
	})
	changed := a.put("a", "3")
	a.put("a", "4")
	deleted := a.do(func(r *workspace.Run) error { _, err := r.Delete(a.Context(), "b"); return err })
	a.pass(100)
	done := a.collect(workspace.Retention{Runs: -1})
	if done.Versions != 5 || done.Files != 1 { // a: 1 to 3; b: both
		t.Errorf("%+v went", done)
	}
	for what, id := range map[string]string{"both": both, "changed": changed, "deleted": deleted} {
		for _, force := range []bool{false, true} {
			if _, err := a.Undo(a.Context(), "w", id, workspace.Undo{Force: force}); problem.CodeOf(err) != problem.Conflict || !strings.Contains(err.Error(), "kept") {
				t.Errorf("undo of %s, force %v: %v", what, force, err)
			}
		}
	}
	if got := a.versions("a"); got != "4" {
		t.Errorf("there are versions %s", got)
	}
}

func TestDeletedFilesGo(t *testing.T) {
	a := newAging(t, workspace.Config{})
	a.put("a", largeOf(1))
	a.put("back", largeOf(2))
	for _, name := range []string{"a", "back"} {
		a.do(func(r *workspace.Run) error { _, err := r.Delete(a.Context(), name); return err })
	}
	a.pass(89)
	a.collect(workspace.Retention{})
	if got := a.versions("a"); got != "2 1" {
		t.Errorf("there are versions %s", got)
	}
	a.do(func(r *workspace.Run) error { _, err := r.Restore(a.Context(), "back", 1); return err })
	a.pass(2)
	if done := a.collect(workspace.Retention{Runs: -1, Events: -1}); done.Files != 1 || done.Versions != 3 { // with the first of back
		t.Errorf("%+v went", done)
	}
	if a.versions("a") != "none" || a.versions("back") != "3 2" {
		t.Errorf("there are versions %s and %s", a.versions("a"), a.versions("back"))
	}
	if u := a.usage(); u.Files != largeSize || u.FileCount != 1 || u.VersionCount != 2 {
		t.Errorf("the workspace has %+v", u)
	}
	a.put("a", "a new one of the same name")
}

// Records go by their own age, and of runs never the one without which a crash would redo
// what is done.
func TestRecordsGo(t *testing.T) {
	a := newAging(t, workspace.Config{})
	ctx := t.Context()
	for i := range 3 {
		a.do(func(r *workspace.Run) error {
			if err := r.StateSet(ctx, "k", json.RawMessage(fmt.Sprint(i))); err != nil {
				return err
			}
			_, err := r.SQL(ctx, host.Query{SQL: []string{"CREATE TABLE t (n)", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)"}[i]})
			return err
		})
	}
	a.put("a", "1")
	a.pass(31)
	if done := a.collect(workspace.Retention{}); done.Events == 0 || done.Runs != 0 || done.Audit != 0 {
		t.Errorf("after a month %+v went", done)
	}
	late := a.put("b", "2")
	a.pass(60)
	done := a.collect(workspace.Retention{})
	if done.Runs != 3 || done.Blobs == 0 {
		t.Errorf("after three months %+v went", done)
	}
	runs, err := a.Runs(ctx, "w", workspace.RunQuery{})
	if err != nil || len(runs) != 2 || runs[0].ID != late || runs[1].DB == "unchanged" {
		t.Errorf("there are runs %+v, %v", runs, err)
	}
	if events, err := a.Events(ctx, event.Filter{}, 100); err != nil || len(events) != 0 {
		t.Errorf("there are events %+v, %v", events, err)
	}
	if records, err := a.AuditRecords(ctx, audit.Query{}); err != nil || len(records) != 5 {
		t.Errorf("there are records %+v, %v", records, err)
	}
	a.pass(366)
	if done := a.collect(workspace.Retention{}); done.Audit != 5 || done.Scripts != 1 {
		t.Errorf("after a year %+v went", done)
	}
	a.put("c", "3") // the source is there again
	if source, err := a.AuditScript(ctx, "w", strings.Repeat("ab", 32)); err != nil || source != "work()" {
		t.Errorf("the script is %q, %v", source, err)
	}
	if names, err := a.Workspaces(ctx); err != nil || !slices.Equal(names, []string{"w"}) {
		t.Errorf("there are workspaces %v, %v", names, err)
	}
	o, err := a.Open(ctx, "w", "a", 0)
	if err != nil {
		t.Fatal(err)
	}
	o.Data.Close()
}

// Negative ages are for ever.
func TestForEver(t *testing.T) {
	a := newAging(t, workspace.Config{})
	a.put("a", "1")
	a.put("a", "2")
	a.pass(10_000)
	if done := a.collect(workspace.Retention{Versions: -1, Undo: -1, Runs: -1, Events: -1, Audit: -1}); done.Any() {
		t.Errorf("%+v went", done)
	}
}

// Collections, runs, reads and undos get along: nothing current is ever missing.
func TestCollectWhileRunsGoOn(t *testing.T) {
	var later atomic.Int64 // by which the clock is put on
	s := open(t, workspace.Config{Now: func() time.Time { return time.Now().Add(time.Duration(later.Load())) }})
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
	defer stop()
	var lanes sync.WaitGroup
	for lane := range 4 {
		lanes.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				r, err := s.Begin(t.Context(), workspace.Start{Workspace: "w"})
				if err == nil {
					err = write(t.Context(), r, fmt.Sprintf("%d/%d", lane, n%3), largeOf(n))
				}
				if err == nil && n%7 == 6 {
					_, err = r.Delete(t.Context(), fmt.Sprintf("%d/%d", lane, n%3))
				}
				if err == nil {
					_, err = r.Commit(t.Context(), workspace.Finish{})
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for ctx.Err() == nil {
		if _, err := s.Collect(t.Context(), workspace.Retention{Versions: time.Nanosecond, Undo: time.Nanosecond, Runs: time.Nanosecond, Events: time.Nanosecond}, false); err != nil {
			t.Error(err)
		}
	}
	lanes.Wait()
	later.Store(int64(time.Second)) // what was superseded in this very millisecond is old by then
	if _, err := s.Collect(t.Context(), workspace.Retention{Versions: time.Nanosecond, Undo: time.Nanosecond}, false); err != nil {
		t.Fatal(err)
	}
	files, err := s.Files(t.Context(), "w", "")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	contents := map[string]bool{}
	for _, f := range files {
		o, err := s.Open(t.Context(), "w", f.ID, 0)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if text, err := io.ReadAll(o.Data); err != nil || len(text) != largeSize {
			t.Errorf("%s has %d bytes, %v", f.Name, len(text), err)
		}
		o.Data.Close()
		contents[f.Hash] = true
	}
	if u, err := s.Usage(t.Context(), "w"); err != nil || u.Files != int64(len(contents)*largeSize) || u.VersionCount != int64(len(files)) || u.FileCount != int64(len(files)) {
		t.Errorf("%d files with %d contents: the workspace has %+v, %v", len(files), len(contents), u, err)
	}
	left, _ := filepath.Glob(filepath.Join(s.Dir(), "files", "*", "*"))
	if len(left) != len(contents) {
		t.Errorf("%d contents are stored, %d are needed", len(left), len(contents))
	}
}

// The canaries of the limits on the number of files and of versions.
func TestTooManyFilesAndVersions(t *testing.T) {
	s := open(t, workspace.Config{Limits: limits.Limits{Files: 3, Versions: 6}})
	ctx := t.Context()
	run := func(work func(r *workspace.Run) error) error {
		r, err := s.Begin(ctx, workspace.Start{Workspace: "w"})
		if err == nil {
			err = work(r)
		}
		if err != nil {
			_, _ = r.Abort(ctx, workspace.Finish{})
			return err
		}
		_, err = r.Commit(ctx, workspace.Finish{})
		return err
	}
	put := func(names ...string) error {
		return run(func(r *workspace.Run) error {
			for _, name := range names {
				if err := write(ctx, r, name, name+fmt.Sprint(time.Now().UnixNano())); err != nil {
					return err
				}
			}
			return nil
		})
	}
	full := func(what string, err error, says string) {
		t.Helper()
		if problem.CodeOf(err) != problem.WorkspaceFull || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := put("a", "b", "c"); err != nil {
		t.Fatal(err)
	}
	full("a fourth file", put("d"), "4 files, the limit is 3")
	full("copies", run(func(r *workspace.Run) error { _, err := r.Copy(ctx, "a", "d"); return err }), "4 files")
	// One goes, one comes.
	if err := run(func(r *workspace.Run) error {
		if _, err := r.Delete(ctx, "a"); err != nil {
			return err
		}
		return write(ctx, r, "d", "d")
	}); err != nil {
		t.Fatal(err)
	}
	// The commit counts what others did meanwhile.
	full("a file that came back", run(func(r *workspace.Run) error { _, err := r.Restore(ctx, "a", 1); return err }), "4 files")
	if err := put("b"); err != nil { // the sixth version
		t.Fatal(err)
	}
	full("a seventh version", put("b"), "7 versions of files, the limit is 6")
	if u, err := s.Usage(ctx, "w"); err != nil || u.FileCount != 3 || u.VersionCount != 6 {
		t.Errorf("%+v, %v", u, err)
	}
	if _, err := s.Collect(ctx, workspace.Retention{Versions: time.Nanosecond, Undo: time.Nanosecond}, false); err != nil {
		t.Fatal(err)
	}
	if err := put("b"); err != nil {
		t.Errorf("after a collection: %v", err)
	}
}
