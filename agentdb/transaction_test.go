package agentdb

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

func markers(t *testing.T, db *DB) []string {
	t.Helper()
	list, err := db.Markers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	runs := []string{}
	for _, m := range list {
		if string(m.Redo) != "redo of "+m.RunID {
			t.Errorf("the redo record of %s is %q", m.RunID, m.Redo)
		}
		runs = append(runs, m.RunID)
	}
	return runs
}

func reopen(t *testing.T, db *DB) *DB {
	t.Helper()
	db.Close()
	again, err := Open(t.Context(), Config{Dir: db.dir, Limits: db.limits})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close() })
	return again
}

func TestCommitLeavesRowsAndAMarker(t *testing.T) {
	db := open(t)
	begin(t, db)
	sql(t, db, "CREATE TABLE t (a)")
	sql(t, db, "INSERT INTO t VALUES (1), (2)")
	if p := commit(t, db, "one"); !p.Dirty || p.Changes != 2 {
		t.Errorf("prepared %+v", p)
	}
	db = reopen(t, db)
	if got := markers(t, db); !reflect.DeepEqual(got, []string{"one"}) {
		t.Errorf("markers %v", got)
	}
	begin(t, db)
	sql(t, db, "UPDATE t SET a = a + 1")
	commit(t, db, "two")
	if got := markers(t, db); !reflect.DeepEqual(got, []string{"two"}) {
		t.Errorf("the new marker does not take the place of the old one: %v", got)
	}
	if err := db.Clear(t.Context(), []string{"none", "two"}); err != nil {
		t.Fatal(err)
	}
	if got := markers(t, reopen(t, db)); len(got) != 0 {
		t.Errorf("markers after clear: %v", got)
	}
}

func TestRollbackLeavesNothing(t *testing.T) {
	db := open(t)
	begin(t, db)
	sql(t, db, "CREATE TABLE t (a)")
	commit(t, db, "one")
	begin(t, db)
	sql(t, db, "INSERT INTO t VALUES (1)")
	sql(t, db, "CREATE TABLE u (a)")
	sql(t, db, "PRAGMA user_version = 7")
	if err := db.Clear(t.Context(), []string{"one"}); err != nil {
		t.Fatal(err)
	}
	if err := db.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	begin(t, db)
	if got := rows(t, db, "SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM sqlite_schema WHERE name = 'u'), user_version FROM pragma_user_version"); !reflect.DeepEqual(got, [][]any{{int64(0), int64(0), int64(0)}}) {
		t.Errorf("after rollback: %v", got)
	}
	if err := db.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := markers(t, db); !reflect.DeepEqual(got, []string{"one"}) {
		t.Errorf("markers %v", got)
	}
}

// A run that was not committed when its process ended is gone with it.
func TestAnOpenTransactionIsGoneAfterClose(t *testing.T) {
	db := open(t)
	begin(t, db)
	sql(t, db, "CREATE TABLE t (a)")
	db = reopen(t, db)
	begin(t, db)
	refused(t, db, problem.SQLError, "SELECT * FROM t")
}

func TestDirty(t *testing.T) {
	db := open(t)
	begin(t, db)
	sql(t, db, "CREATE TABLE t (a PRIMARY KEY)")
	sql(t, db, "CREATE TABLE log (a)")
	sql(t, db, "CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END")
	commit(t, db, "one")
	for _, test := range []struct {
		sql     string
		dirty   bool
		changes int64
	}{
		{"SELECT * FROM t", false, 0},
		{"CREATE TABLE IF NOT EXISTS t (a)", false, 0},
		{"UPDATE t SET a = 1 WHERE a = 2", false, 0},
		{"DROP TABLE IF EXISTS none", false, 0},
		{"CREATE TEMP TABLE x (a)", false, 0},
		{"PRAGMA user_version", false, 0},
		{"INSERT INTO t VALUES (1)", true, 2},
		{"CREATE TABLE u (a)", true, 0},
		{"PRAGMA user_version = 3", true, 0},
		{"ANALYZE", true, 0},
	} {
		begin(t, db)
		sql(t, db, test.sql)
		p, err := db.Prepare(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if p.Dirty != test.dirty || p.Changes != test.changes {
			t.Errorf("%s: dirty %v, %d changes; want %v, %d", test.sql, p.Dirty, p.Changes, test.dirty, test.changes)
		}
		if err := db.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// What ends the transaction silently ends the run: no later statement may commit by itself.
func TestATransactionThatEndsByItselfEndsTheRun(t *testing.T) {
	for name, test := range map[string]struct {
		sql     string
		code    problem.Code
		message string
	}{
		"or rollback":     {"INSERT OR ROLLBACK INTO t VALUES (1)", problem.SQLError, "UNIQUE constraint failed"},
		"raise rollback":  {"DELETE FROM t", problem.SQLError, "no deletes"},
		"unique rollback": {"INSERT INTO r VALUES (1)", problem.SQLError, "UNIQUE constraint failed"},
		"full":            {"INSERT INTO plain VALUES (zeroblob(6000000))", problem.DBFull, "4 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			begin(t, db)
			sql(t, db, "CREATE TABLE t (a UNIQUE)")
			sql(t, db, "CREATE TABLE r (a UNIQUE ON CONFLICT ROLLBACK)")
			sql(t, db, "CREATE TABLE plain (a)")
			sql(t, db, "INSERT INTO t VALUES (1)")
			sql(t, db, "INSERT INTO r VALUES (1)")
			sql(t, db, "CREATE TRIGGER tr BEFORE DELETE ON t BEGIN SELECT RAISE(ROLLBACK, 'no deletes'); END")
			commit(t, db, "one")

			begin(t, db)
			sql(t, db, "UPDATE r SET a = 2")
			sql(t, db, "INSERT INTO r VALUES (1)") // taken again, so that the next one collides
			e := refused(t, db, test.code, test.sql)
			if !strings.Contains(e.Message, test.message) {
				t.Errorf("message: %s", e.Message)
			}
			for range 2 {
				again := refused(t, db, test.code, "INSERT INTO t VALUES (99)")
				if again.Message != e.Message {
					t.Errorf("later: %s", again.Message)
				}
			}
			if _, err := db.Prepare(t.Context()); problem.CodeOf(err) != test.code {
				t.Errorf("prepare: %v", err)
			}
			if _, err := db.Schema(t.Context()); problem.CodeOf(err) != test.code {
				t.Errorf("schema: %v", err)
			}
			if err := db.Clear(t.Context(), []string{"one"}); problem.CodeOf(err) != test.code {
				t.Errorf("clear: %v", err)
			}
			if err := db.Commit(t.Context(), "two", nil); problem.CodeOf(err) != test.code {
				t.Errorf("commit: %v", err)
			}
			if err := db.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
			db = reopen(t, db)
			if got := markers(t, db); !reflect.DeepEqual(got, []string{"one"}) {
				t.Errorf("markers %v", got)
			}
			begin(t, db)
			if got := rows(t, db, "SELECT (SELECT group_concat(a) FROM t), (SELECT group_concat(a) FROM r)"); !reflect.DeepEqual(got, [][]any{{"1", "1"}}) {
				t.Errorf("the database has %v", got)
			}
		})
	}
}

// The commit hook is the second lock on the same door: a statement that runs after its
// transaction has ended, past the check for that, cannot commit.
func TestNothingCommitsByItself(t *testing.T) {
	db := open(t)
	begin(t, db)
	sql(t, db, "CREATE TABLE t (a)")
	commit(t, db, "one")
	if err := db.conn.exec("INSERT INTO t VALUES (1)"); err == nil {
		t.Error("a statement outside a transaction committed")
	}
	begin(t, db)
	if got := rows(t, db, "SELECT * FROM t"); len(got) != 0 {
		t.Errorf("rows %v", got)
	}
}

func TestForeignKeys(t *testing.T) {
	db := open(t)
	begin(t, db)
	sql(t, db, "CREATE TABLE parent (id INTEGER PRIMARY KEY)")
	sql(t, db, "CREATE TABLE child (p REFERENCES parent ON DELETE CASCADE)")
	sql(t, db, "CREATE TABLE late (p REFERENCES parent DEFERRABLE INITIALLY DEFERRED)")
	refused(t, db, problem.SQLError, "INSERT INTO child VALUES (1)")
	// With RETURNING, too, where the rows are cut off before the statement's end.
	db.limits.SQLRows = 1
	refused(t, db, problem.SQLError, "INSERT INTO child VALUES (1), (2), (3) RETURNING p")
	sql(t, db, "INSERT INTO late VALUES (1)")
	if _, err := db.Prepare(t.Context()); problem.CodeOf(err) != problem.SQLError || !strings.Contains(err.Error(), "FOREIGN KEY") {
		t.Errorf("prepare: %v", err)
	}
	sql(t, db, "INSERT INTO parent VALUES (1)")
	sql(t, db, "INSERT INTO child VALUES (1)")
	sql(t, db, "DELETE FROM late")
	sql(t, db, "DELETE FROM parent")
	if got := rows(t, db, "SELECT count(*) FROM child"); got[0][0] != int64(0) {
		t.Errorf("%v children left", got)
	}
	commit(t, db, "one")
}

// An agent's foreign key on the host's table holds up neither a marker nor its clearing,
// and is no way to look at it.
func TestForeignKeysOnTheMarkersHoldNothingUp(t *testing.T) {
	db := open(t)
	begin(t, db)
	sql(t, db, "CREATE TABLE c (run DEFAULT NULL REFERENCES _host_commit(run) ON DELETE SET DEFAULT)")
	sql(t, db, "CREATE TABLE d (run UNIQUE REFERENCES _host_commit(run) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED)")
	commit(t, db, "one")
	begin(t, db)
	refused(t, db, problem.Forbidden, "INSERT INTO c VALUES ('one')")
	refused(t, db, problem.Forbidden, "INSERT INTO d VALUES (NULL)")
	sql(t, db, "SELECT * FROM c, d")
	commit(t, db, "two")
	if err := db.Clear(t.Context(), []string{"two"}); err != nil {
		t.Fatal(err)
	}
	begin(t, db)
	sql(t, db, "CREATE TABLE p (id INTEGER PRIMARY KEY)")
	sql(t, db, "CREATE TABLE e (p REFERENCES p)")
	refused(t, db, problem.SQLError, "INSERT INTO e VALUES (1)") // foreign keys are on again
}

// The marker gets through when the agent has filled the database to its last page, however
// large the redo record.
func TestAFullDatabaseStillCommits(t *testing.T) {
	heavy(t)
	db := open(t)
	begin(t, db)
	sql(t, db, "CREATE TABLE t (a)")
	commit(t, db, "one")
	begin(t, db)
	size := 1_000_000
	for size > 100 {
		if _, err := db.Query(t.Context(), host.Query{SQL: "INSERT INTO t VALUES (zeroblob(?))", Params: []any{int64(size)}}); err != nil {
			if db.run.ended != nil { // the last attempt took the whole run with it
				db.Rollback(t.Context())
				begin(t, db)
			}
			size /= 4
			continue
		}
		commit(t, db, "fill")
		begin(t, db)
	}
	sql(t, db, "UPDATE t SET a = a WHERE rowid = 1")
	if _, err := db.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	redo := []byte(strings.Repeat("r", 12_000_000)) // more than an agent's value may have
	if err := db.Commit(t.Context(), "large", redo); err != nil {
		t.Fatal(err)
	}
	list, err := db.Markers(t.Context())
	if err != nil || len(list) != 1 || len(list[0].Redo) != len(redo) {
		t.Fatalf("%d markers, %v", len(list), err)
	}
	begin(t, db)
	sql(t, db, "SELECT 1")
	if e := refused(t, db, problem.DBFull, "INSERT INTO t VALUES (zeroblob(100000))"); !strings.Contains(e.Message, "4 MB") {
		t.Errorf("message: %s", e.Message)
	}
}

func TestTemporaryTablesEndWithTheRun(t *testing.T) {
	db := open(t)
	for _, end := range []func() error{
		func() error { return db.Rollback(t.Context()) },
		func() error { return db.Commit(t.Context(), "one", nil) },
	} {
		begin(t, db)
		sql(t, db, "CREATE TEMP TABLE x (a)")
		sql(t, db, "INSERT INTO x VALUES (1)")
		if err := end(); err != nil {
			t.Fatal(err)
		}
		begin(t, db)
		refused(t, db, problem.SQLError, "SELECT * FROM x")
		db.Rollback(t.Context())
	}
}

// A database that is damaged says so, and opening it harms nothing.
func TestADamagedDatabaseSaysSo(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte(strings.Repeat("not a database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Config{Dir: dir})
	if problem.CodeOf(err) != problem.DamagedFile {
		t.Errorf("got %v", err)
	}
}

func TestContextEndsTheWaitForATurn(t *testing.T) {
	db := open(t)
	db.turn <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"begin":   func() error { return db.Begin(ctx) },
		"commit":  func() error { return db.Commit(ctx, "x", nil) },
		"markers": func() error { _, err := db.Markers(ctx); return err },
		"clear":   func() error { return db.Clear(ctx, nil) },
		"schema":  func() error { _, err := db.Schema(ctx); return err },
		"undo":    func() error { return db.Undo(ctx, nil) },
	} {
		if err := call(); problem.CodeOf(err) != problem.Canceled {
			t.Errorf("%s: %v", name, err)
		}
	}
	<-db.turn
}

// Callers that come at once take turns, whatever they call and whenever they give up.
func TestConcurrentCallers(t *testing.T) {
	db := open(t, func(c *Config) { c.Limits.DBBytes = 64 << 20 })
	begin(t, db)
	sql(t, db, "CREATE TABLE t (a)")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 25 {
				if _, err := db.Query(t.Context(), host.Query{SQL: "INSERT INTO t VALUES (?)", Params: []any{int64(i*100 + j)}}); err != nil {
					t.Error(err)
				}
				if _, err := db.Schema(t.Context()); err != nil {
					t.Error(err)
				}
				if err := db.Begin(t.Context()); problem.CodeOf(err) != problem.Busy {
					t.Errorf("begin: %v", err)
				}
			}
		})
	}
	all.Wait()
	if p := commit(t, db, "one"); p.Changes != 200 {
		t.Errorf("%d changes", p.Changes)
	}
}
