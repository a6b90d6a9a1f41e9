package agentdb

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/problem"
)

// runSQL commits a run of these statements.
func runSQL(t *testing.T, db *DB, name string, statements ...string) Prepared {
	t.Helper()
	begin(t, db)
	for _, s := range statements {
		sql(t, db, s)
	}
	return commit(t, db, name)
}

// dump is all that the database holds, as an agent can see it.
func dump(t *testing.T, db *DB) map[string][][]any {
	t.Helper()
	if db.run == nil {
		begin(t, db)
		defer db.Rollback(t.Context())
	}
	all := map[string][][]any{}
	for _, row := range rows(t, db, "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' ORDER BY name") {
		all[fmt.Sprint(row...)] = nil
		if row[0] == "table" && row[1] != markerTable {
			table := quote(row[1].(string))
			all[fmt.Sprint(row...)] = rows(t, db, "SELECT * FROM "+table+" ORDER BY 1")
		}
	}
	return all
}

var ledger = []string{
	"CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT UNIQUE, total REAL DEFAULT 0)",
	"CREATE TABLE entry (id INTEGER PRIMARY KEY AUTOINCREMENT, account REFERENCES account ON DELETE CASCADE, amount REAL)",
	"CREATE TRIGGER sum AFTER INSERT ON entry BEGIN UPDATE account SET total = total + new.amount WHERE id = new.account; END",
	"CREATE TABLE keyless (a, b)",
	"CREATE TABLE pair (a TEXT, b BLOB, PRIMARY KEY (a, b)) WITHOUT ROWID",
	"INSERT INTO account (id, name) VALUES (1, 'cash'), (2, 'bank'), (3, 'spare')",
	"INSERT INTO entry (account, amount) VALUES (1, 10), (2, 20.5)",
	"INSERT INTO keyless VALUES (1, 'one'), (1, 'one'), (NULL, NULL)",
	"INSERT INTO pair VALUES ('x', x'00ff'), ('y', x'')",
}

func TestUndoTakesBackWhatARunDid(t *testing.T) {
	for name, statements := range map[string][]string{
		"nothing":              {"SELECT 1"},
		"insert":               {"INSERT INTO account (name) VALUES ('new')"},
		"insert with trigger":  {"INSERT INTO entry (account, amount) VALUES (1, 5)"},
		"update":               {"UPDATE account SET name = name || '!', total = NULL"},
		"update of a key":      {"UPDATE account SET id = 7 WHERE id = 3"},
		"delete with cascade":  {"DELETE FROM account WHERE id = 1"},
		"delete all":           {"DELETE FROM keyless", "DELETE FROM pair"},
		"table without a key":  {"INSERT INTO keyless VALUES (2, 'two')", "UPDATE keyless SET b = 'x' WHERE rowid = 1", "DELETE FROM keyless WHERE rowid = 2"},
		"table without rowid":  {"UPDATE pair SET b = x'01' WHERE a = 'x'", "REPLACE INTO pair VALUES ('y', x'')", "DELETE FROM pair WHERE a = 'y'"},
		"there and back":       {"INSERT INTO keyless VALUES (9, 9)", "DELETE FROM keyless WHERE a = 9"},
		"swap of unique names": {"UPDATE account SET name = 'tmp' WHERE id = 1", "UPDATE account SET name = 'cash' WHERE id = 2", "UPDATE account SET name = 'bank' WHERE id = 1"},
		"create":               {"CREATE TABLE more (a UNIQUE, b AS (a * 2))", "INSERT INTO more VALUES (1)", "CREATE INDEX at ON account (total)", "CREATE VIEW v AS SELECT * FROM more", "CREATE TRIGGER tr AFTER INSERT ON more BEGIN DELETE FROM keyless; END"},
		"create and alter it":  {"CREATE TABLE more (a)", "ALTER TABLE more ADD COLUMN b", "ALTER TABLE more RENAME TO other", "INSERT INTO other VALUES (1, 2)"},
		"child of a new table": {"CREATE TABLE parent (id INTEGER PRIMARY KEY)", "CREATE TABLE son (p REFERENCES parent)", "INSERT INTO parent VALUES (1)", "INSERT INTO son VALUES (1)"},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			runSQL(t, db, "one", ledger...)
			before := dump(t, db)
			p := runSQL(t, db, "two", statements...)
			if !p.Undoable || p.Reason != "" || p.Dirty != (p.Changeset != nil) {
				t.Fatalf("not undoable: %+v", p)
			}
			if !p.Dirty {
				return
			}
			begin(t, db)
			if err := db.Undo(t.Context(), p.Changeset); err != nil {
				t.Fatal(err)
			}
			commit(t, db, "undo")
			if after := dump(t, db); !reflect.DeepEqual(before, after) {
				t.Errorf("before %v\n after %v", before, after)
			}
			begin(t, db)
			if got := rows(t, db, "SELECT * FROM pragma_foreign_key_check"); len(got) > 0 {
				t.Errorf("foreign keys: %v", got)
			}
			if got := rows(t, db, "PRAGMA integrity_check"); got[0][0] != "ok" {
				t.Errorf("integrity: %v", got)
			}
		})
	}
}

// An undo is a run like another: it can itself be undone.
func TestUndoOfAnUndo(t *testing.T) {
	db := open(t)
	runSQL(t, db, "one", ledger...)
	p := runSQL(t, db, "two", "UPDATE account SET total = 99", "DELETE FROM keyless")
	after := dump(t, db)
	begin(t, db)
	if err := db.Undo(t.Context(), p.Changeset); err != nil {
		t.Fatal(err)
	}
	p = commit(t, db, "undo")
	if !p.Undoable || p.Changes == 0 {
		t.Fatalf("the undo: %+v", p)
	}
	begin(t, db)
	if err := db.Undo(t.Context(), p.Changeset); err != nil {
		t.Fatal(err)
	}
	commit(t, db, "redo")
	if got := dump(t, db); !reflect.DeepEqual(after, got) {
		t.Errorf("after the run %v\n after undo and undo %v", after, got)
	}
}

func TestUndoOfWhatHasChangedSince(t *testing.T) {
	for name, test := range map[string]struct {
		run, later, message string
		forced              string // query of what force leaves, "" if it is refused as well
		want                any
	}{
		"row changed":        {"UPDATE account SET total = 1 WHERE id = 1", "UPDATE account SET total = 2 WHERE id = 1", "a row has been changed since", "SELECT total FROM account WHERE id = 1", 10.0},
		"row deleted":        {"UPDATE keyless SET b = 'x' WHERE rowid = 1", "DELETE FROM keyless WHERE rowid = 1", "a row has been deleted since", "SELECT count(*) FROM keyless", int64(2)},
		"key taken":          {"DELETE FROM pair WHERE a = 'y'", "INSERT INTO pair VALUES ('y', x'')", "key of one that would come back", "SELECT count(*) FROM pair", int64(2)},
		"unique taken":       {"DELETE FROM account WHERE id = 3", "INSERT INTO account VALUES (4, 'spare', 0)", "a constraint forbids", "SELECT count(*) FROM account WHERE name = 'spare'", int64(1)},
		"referred to":        {"INSERT INTO account VALUES (5, 'five', 0)", "INSERT INTO entry (account, amount) VALUES (5, 0)", "rows that came later refer", "", nil},
		"table altered":      {"UPDATE keyless SET b = 'x' WHERE rowid = 1", "ALTER TABLE keyless ADD COLUMN c", `"keyless" has been altered`, "", nil},
		"table dropped":      {"UPDATE keyless SET b = 'x' WHERE rowid = 1", "DROP TABLE keyless", `"keyless" has been dropped`, "SELECT count(*) FROM sqlite_schema WHERE name = 'keyless'", int64(0)},
		"rows in a new one":  {"CREATE TABLE fresh (a)", "INSERT INTO fresh VALUES (1)", "has got rows since", "SELECT count(*) FROM sqlite_schema WHERE name = 'fresh'", int64(0)},
		"new one altered":    {"CREATE TABLE fresh (a)", "ALTER TABLE fresh ADD COLUMN b", `"fresh" has been altered`, "SELECT count(*) FROM sqlite_schema WHERE name = 'fresh'", int64(0)},
		"new one referenced": {"CREATE TABLE fresh (a INTEGER PRIMARY KEY)", "CREATE TABLE ref (f REFERENCES fresh DEFERRABLE INITIALLY DEFERRED)", "", "SELECT count(*) FROM sqlite_schema WHERE name = 'fresh'", int64(0)},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			runSQL(t, db, "one", ledger...)
			p := runSQL(t, db, "two", test.run)
			runSQL(t, db, "three", test.later)
			before := dump(t, db)
			begin(t, db)
			err := db.Undo(t.Context(), p.Changeset)
			if test.message != "" {
				if problem.CodeOf(err) != problem.Conflict || !strings.Contains(err.Error(), test.message) {
					t.Fatalf("got %v, want conflict with %q", err, test.message)
				}
				if got := dump(t, db); !reflect.DeepEqual(before, got) {
					t.Errorf("before %v\n after the refusal %v", before, got)
				}
			}
			err = db.UndoForced(t.Context(), p.Changeset)
			if test.forced == "" {
				if problem.CodeOf(err) != problem.Conflict {
					t.Errorf("forced: got %v, want conflict", err)
				}
				return
			}
			if err != nil {
				t.Fatalf("forced: %v", err)
			}
			if got := rows(t, db, test.forced)[0][0]; got != test.want {
				t.Errorf("%s gives %v, want %v", test.forced, got, test.want)
			}
			commit(t, db, "forced")
		})
	}
}

func TestWhatCannotBeUndoneSaysWhy(t *testing.T) {
	for name, test := range map[string]struct {
		statements []string
		reason     string
	}{
		"drop":              {[]string{"DROP TABLE keyless"}, `dropped or altered the table "keyless"`},
		"drop and same":     {[]string{"DROP TABLE keyless", "CREATE TABLE keyless (a, b)"}, `dropped or altered the table "keyless"`},
		"drop of an index":  {[]string{"DROP TRIGGER sum"}, `dropped or altered the trigger "sum"`},
		"alter":             {[]string{"ALTER TABLE keyless ADD COLUMN c"}, `dropped or altered the table "keyless"`},
		"alter there, back": {[]string{"ALTER TABLE keyless DROP COLUMN b", "ALTER TABLE keyless ADD COLUMN b"}, `dropped or altered the table "keyless"`},
		"rename":            {[]string{"ALTER TABLE keyless RENAME TO k"}, `dropped or altered the table "keyless"`},
		"drop of its own":   {[]string{"CREATE TABLE own (a PRIMARY KEY)", "INSERT INTO own VALUES (1)", "DROP TABLE own"}, "changed tables while it changed their rows"},
		"own, made anew":    {[]string{"CREATE TABLE own (a PRIMARY KEY)", "INSERT INTO own VALUES (1)", "DROP TABLE own", "CREATE TABLE own (b, c PRIMARY KEY)", "INSERT INTO own VALUES (1, 2)"}, "changed tables while it changed their rows"},
		"own, renamed":      {[]string{"CREATE TABLE own (a PRIMARY KEY)", "INSERT INTO own VALUES (1)", "ALTER TABLE own RENAME TO other"}, "changed tables while it changed their rows"},
		"virtual":           {[]string{"CREATE VIRTUAL TABLE f USING fts5(a)"}, `created the virtual table "f"`},
		"virtual rows":      {[]string{"INSERT INTO old VALUES ('text')"}, "changed a virtual table"},
		"version":           {[]string{"PRAGMA user_version = 4"}, "user_version"},
		"large":             {[]string{"INSERT INTO keyless SELECT 1, zeroblob(900000) FROM json_each('[1,2,3,4,5,6,7,8,9,10]')"}, "more than the 8 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t, func(c *Config) { c.Limits.DBBytes = 32 << 20 })
			runSQL(t, db, "one", append(ledger, "CREATE VIRTUAL TABLE old USING fts5(a)")...)
			p := runSQL(t, db, "two", test.statements...)
			if p.Undoable || p.Changeset != nil || !p.Dirty || !strings.Contains(p.Reason, test.reason) {
				p.Changeset = nil
				t.Errorf("got %+v, want the reason %q", p, test.reason)
			}
		})
	}
}

// The session's own memory is bounded: a run that changes very many rows loses its undo,
// not its process.
func TestRecordingIsBounded(t *testing.T) {
	heavy(t)
	db := open(t, func(c *Config) { c.Limits.DBBytes = 64 << 20 })
	runSQL(t, db, "one", "CREATE TABLE t (a INTEGER PRIMARY KEY, b)",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 30000) INSERT INTO t SELECT i, randomblob(1000) FROM n")
	begin(t, db)
	sql(t, db, "UPDATE t SET b = randomblob(1000)")
	if !db.guard.sessionFull {
		t.Error("the session records on")
	}
	p := commit(t, db, "two")
	if p.Undoable || p.Changes != 30000 || !strings.Contains(p.Reason, "8 MB") {
		t.Errorf("prepared %+v", p)
	}
	if p := runSQL(t, db, "three", "UPDATE t SET b = 1 WHERE a = 1"); !p.Undoable {
		t.Errorf("the next run: %+v", p)
	}
}

func TestUndoOfWhatIsNoChangeset(t *testing.T) {
	db := open(t)
	begin(t, db)
	for _, data := range [][]byte{nil, {1, 2, 3}, {0, 0, 0, 9, 1}, []byte("\x00\x00\x00\x02{}garbage"), []byte("\x00\x00\x00\x02[]")} {
		if err := db.Undo(t.Context(), data); problem.CodeOf(err) == "" {
			t.Errorf("%q was taken", data)
		}
		if !db.conn.inTransaction() {
			t.Fatalf("%q ended the transaction", data)
		}
	}
}
