package workspacetest

import (
	"context"
	"testing"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

func exec(t *testing.T, h host.Host, sql string, params ...any) *host.QueryResult {
	t.Helper()
	result, err := h.SQL(context.Background(), host.Query{SQL: sql, Params: params})
	failOn(t, err)
	return result
}

// rows checks how many rows the table t has.
func rows(t *testing.T, s *workspace.Store, when string, want int64) {
	t.Helper()
	do(t, s, func(r *workspace.Run) {
		equal(t, "rows "+when, exec(t, r, "SELECT count(*) FROM t").Rows[0][0], any(want))
	})
}

func sqlIsPartOfTheRun(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	do(t, s, func(r *workspace.Run) { exec(t, r, "CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT)") })
	receipt := do(t, s, func(r *workspace.Run) {
		exec(t, r, "INSERT INTO t VALUES (1, 'a'), (2, 'b')")
		create(t, r, "a", "1")
		create(t, r, "large", large)
		setState(t, r, "k", "1")
	})
	equal(t, "rows changed", receipt.DBChanges, 2)
	equal(t, "files changed", len(receipt.Files), 2)
	rows(t, s, "after the commit", 2)
	equal(t, "files", storedNames(t, s), "a large")
	equal(t, "content", stored(t, s, "large", 0), large)

	r := begin(t, s, workspace.Start{})
	exec(t, r, "DELETE FROM t")
	_, err := r.Delete(ctx, "a")
	failOn(t, err)
	_, err = r.Abort(ctx, workspace.Finish{})
	failOn(t, err)
	rows(t, s, "after an abort", 2)

	// The metadata's refusal takes the rows along.
	r = begin(t, s, workspace.Start{OnConflict: workspace.ConflictFails})
	put(t, r, "a", "mine")
	do(t, s, func(r *workspace.Run) { put(t, r, "a", "theirs") })
	exec(t, r, "INSERT INTO t VALUES (3, 'c')")
	_, err = r.Commit(ctx, workspace.Finish{})
	fails(t, "commit", err, problem.Conflict)
	rows(t, s, "after a conflict", 2)

	// And the database's refusal takes the files along.
	r = begin(t, s, workspace.Start{})
	create(t, r, "c", "1")
	exec(t, r, "PRAGMA defer_foreign_keys = ON")
	exec(t, r, "CREATE TABLE child (n REFERENCES t (n))")
	exec(t, r, "INSERT INTO child VALUES (99)")
	_, err = r.Commit(ctx, workspace.Finish{})
	fails(t, "commit", err, problem.SQLError)
	equal(t, "files", storedNames(t, s), "a large")
}

// A run that waits for another's transaction stops when its time is over, or it is ended.
func waitingForSQLEnds(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	holder, waiter := begin(t, s, workspace.Start{}), begin(t, s, workspace.Start{})
	exec(t, holder, "SELECT 1")
	soon, cancel := context.WithCancel(ctx)
	done := make(chan error)
	ask := func(ctx context.Context) {
		_, err := waiter.SQL(ctx, host.Query{SQL: "SELECT 1"})
		done <- err
	}
	go ask(soon)
	cancel()
	fails(t, "a call whose time is over", <-done, problem.Canceled)
	go ask(ctx)
	_, err := waiter.Abort(ctx, workspace.Finish{})
	failOn(t, err)
	fails(t, "a call of an ended run", <-done, problem.Canceled)
	commit(t, holder)
	do(t, s, func(r *workspace.Run) { exec(t, r, "SELECT 1") })
}

func undoTakesRowsBack(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	do(t, s, func(r *workspace.Run) { exec(t, r, "CREATE TABLE t (n INTEGER PRIMARY KEY, s TEXT)") })
	var run string
	do(t, s, func(r *workspace.Run) {
		run = r.ID()
		exec(t, r, "INSERT INTO t VALUES (1, 'a'), (2, 'b')")
		create(t, r, "a", "1")
	})
	undone, err := s.Undo(ctx, "w", run, workspace.Undo{})
	failOn(t, err)
	equal(t, "database", undone.DB, workspace.DBUndone)
	rows(t, s, "after undo", 0)
	equal(t, "files after undo", storedNames(t, s), "")
	_, err = s.Undo(ctx, "w", undone.RunID, workspace.Undo{})
	failOn(t, err)
	rows(t, s, "after undoing the undo", 2)

	// What SQLite does not record cannot be undone, and the answer says so.
	do(t, s, func(r *workspace.Run) {
		run = r.ID()
		exec(t, r, "ALTER TABLE t ADD COLUMN x")
		create(t, r, "b", "1")
	})
	undone, err = s.Undo(ctx, "w", run, workspace.Undo{})
	failOn(t, err)
	equal(t, "database", undone.DB, workspace.DBNotUndone)
	if undone.DBReason == "" {
		t.Error("no reason is given")
	}
	equal(t, "files", storedNames(t, s), "a")

	// Rows that a later run changed stand in the way, and nothing at all is undone.
	do(t, s, func(r *workspace.Run) {
		run = r.ID()
		exec(t, r, "UPDATE t SET s = 'mine' WHERE n = 1")
		create(t, r, "c", "1")
	})
	do(t, s, func(r *workspace.Run) { exec(t, r, "UPDATE t SET s = 'theirs' WHERE n = 1") })
	_, err = s.Undo(ctx, "w", run, workspace.Undo{})
	fails(t, "undo", err, problem.Conflict)
	equal(t, "files", storedNames(t, s), "a c")
	undone, err = s.Undo(ctx, "w", run, workspace.Undo{Force: true})
	failOn(t, err)
	equal(t, "database", undone.DB, workspace.DBUndone)
	equal(t, "files", storedNames(t, s), "a")
}
