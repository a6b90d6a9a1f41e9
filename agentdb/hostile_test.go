package agentdb

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// endless never ends by itself.
const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

func TestForbidden(t *testing.T) {
	db := open(t)
	begin(t, db)
	sql(t, db, "CREATE TABLE t (a)")
	outside := filepath.Join(t.TempDir(), "x.db")
	for _, test := range []struct{ sql, names string }{
		{"ATTACH '" + outside + "' AS x", "ATTACH"},
		{"ATTACH ':memory:' AS x", "ATTACH"},
		{"DETACH main", "DETACH"},
		{"VACUUM", "VACUUM"},
		{"VACUUM INTO '" + outside + "'", "VACUUM"},
		{"BEGIN", "BEGIN"}, {"COMMIT", "COMMIT"}, {"END", "COMMIT"}, {"ROLLBACK", "ROLLBACK"},
		{"SAVEPOINT a", "SAVEPOINT"}, {"RELEASE a", "RELEASE"}, {"ROLLBACK TO a", "ROLLBACK"},
		{"EXPLAIN COMMIT", "COMMIT"},
		{"SELECT load_extension('/tmp/x.so')", "the function load_extension"},
		{"SELECT LOAD_EXTENSION('/tmp/x.so')", "the function load_extension"},
		{"PRAGMA journal_mode = DELETE", "PRAGMA journal_mode with a value"},
		{"PRAGMA JOURNAL_MODE(OFF)", "PRAGMA journal_mode with a value"},
		{"PRAGMA main.synchronous = OFF", "PRAGMA synchronous"},
		{"PRAGMA writable_schema = ON", "PRAGMA writable_schema"},
		{"PRAGMA trusted_schema = ON", "PRAGMA trusted_schema"},
		{"PRAGMA temp_store_directory = '/tmp'", "PRAGMA temp_store_directory"},
		{"PRAGMA max_page_count = 1000000000", "PRAGMA max_page_count with a value"},
		{"PRAGMA hard_heap_limit = 1", "PRAGMA hard_heap_limit"},
		{"PRAGMA cache_size = 1000000000", "PRAGMA cache_size"},
		{"PRAGMA mmap_size = 1000000000", "PRAGMA mmap_size"},
		{"PRAGMA temp_store = 2", "PRAGMA temp_store"},
		{"PRAGMA threads = 8", "PRAGMA threads"},
		{"PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA wal_checkpoint"},
		{"PRAGMA wal_autocheckpoint = 0", "PRAGMA wal_autocheckpoint"},
		{"PRAGMA locking_mode = EXCLUSIVE", "PRAGMA locking_mode"},
		{"PRAGMA schema_version = 1", "PRAGMA schema_version with a value"},
		{"PRAGMA database_list", "PRAGMA database_list"}, // answers the file's path
		{"PRAGMA lock_status", "PRAGMA lock_status"},
		{"PRAGMA incremental_vacuum", "PRAGMA incremental_vacuum"},
		{"PRAGMA shrink_memory", "PRAGMA shrink_memory"},
		{"PRAGMA key = 'x'", "PRAGMA key"},
		{"SELECT * FROM pragma_database_list", "PRAGMA database_list"},
		{"SELECT * FROM pragma_table_info('_host_commit')", "the table _host_commit"},
		{"PRAGMA table_info(_host_commit)", "the table _host_commit"},
		{"SELECT * FROM _host_commit", "the table _host_commit"},
		{"SELECT count(*) FROM main._HOST_COMMIT", "the table _host_commit"},
		{"SELECT (SELECT 1 FROM _host_commit)", "the table _host_commit"},
		{"INSERT INTO _host_commit VALUES ('x', 'y')", "the table _host_commit"},
		{"REPLACE INTO _host_commit SELECT 1, 2", "the table _host_commit"},
		{"UPDATE _host_commit SET redo = 'x'", "the table _host_commit"},
		{"DELETE FROM _host_commit", "the table _host_commit"},
		{"DROP TABLE _host_commit", "the table _host_commit"},
		{"ALTER TABLE _host_commit RENAME TO x", "the table _host_commit"},
		{"ALTER TABLE _host_commit ADD COLUMN x", "the table _host_commit"},
		{"CREATE INDEX i ON _host_commit (run)", "the table _host_commit"},
		{"CREATE TRIGGER tr AFTER INSERT ON _host_commit BEGIN SELECT 1; END", "the table _host_commit"},
		{"CREATE TEMP TRIGGER tr AFTER INSERT ON main._host_commit BEGIN SELECT 1; END", "the table _host_commit"},
		{"CREATE TEMP TABLE _host_commit (run, redo)", "the table _host_commit"},
		{"CREATE TEMP VIEW _host_commit AS SELECT 1", "the table _host_commit"},
		{"SELECT * FROM sqlite_dbpage", "the table sqlite_dbpage"},
		{"SELECT * FROM dbstat", "the table dbstat"},
		{"CREATE VIRTUAL TABLE v USING dbstat(main)", "the virtual table module dbstat"},
		{"CREATE VIRTUAL TABLE v USING sqlite_dbpage", "the virtual table module sqlite_dbpage"},
	} {
		e := refused(t, db, problem.Forbidden, test.sql)
		if !strings.Contains(strings.ToLower(e.Message), strings.ToLower(test.names)+" ") || e.Hint == "" {
			t.Errorf("%s:\n message %s\n hint %s", test.sql, e.Message, e.Hint)
		}
	}
	// SQLite itself refuses these, defensive as it is here.
	for _, text := range []string{
		"UPDATE sqlite_schema SET sql = 'x'", "DELETE FROM sqlite_master", "INSERT INTO sqlite_schema VALUES (1,2,3,4,5)",
		"CREATE TABLE sqlite_x (a)", "ALTER TABLE t RENAME TO _host_commit", "ALTER TABLE t RENAME TO sqlite_y",
		"CREATE TABLE _host_commit (run)", "REINDEX _host_commit2", "SELECT readfile('/etc/passwd')", "SELECT edit('x')",
	} {
		_, err := db.Query(t.Context(), host.Query{SQL: text})
		if code := problem.CodeOf(err); code != problem.SQLError && code != problem.Forbidden {
			t.Errorf("%s: %v", text, err)
		}
	}
	// Views and triggers are no way around: what they name is checked when they are used.
	sql(t, db, "CREATE VIEW peek AS SELECT * FROM _host_commit")
	refused(t, db, problem.Forbidden, "SELECT * FROM peek")
	sql(t, db, "CREATE TRIGGER poke AFTER INSERT ON t BEGIN DELETE FROM _host_commit; END")
	refused(t, db, problem.Forbidden, "INSERT INTO t VALUES (1)")
	sql(t, db, "CREATE TEMP TRIGGER poke2 AFTER DELETE ON t BEGIN INSERT INTO main._host_commit VALUES (1, 2); END")
	refused(t, db, problem.Forbidden, "DELETE FROM t")
	if tables, err := db.Schema(t.Context()); err != nil || len(tables) != 2 || tables[0].Name != "peek" || tables[0].RowCount != -1 {
		t.Errorf("schema counts through the view: %v, %v", tables, err)
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("a file was made outside")
	}
}

// What agents use is there.
func TestAllowed(t *testing.T) {
	db := open(t)
	begin(t, db)
	for _, text := range []string{
		"CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT COLLATE NOCASE, j TEXT, CHECK (length(name) > 0))",
		"INSERT INTO t (name, j) VALUES ('a', '{\"x\": [1, 2]}'), ('b', '{}')",
		"CREATE INDEX byname ON t (lower(name)) WHERE name IS NOT NULL",
		"SELECT json_extract(j, '$.x[1]'), j ->> '$.x' FROM t",
		"SELECT value FROM t, json_each(t.j, '$.x')",
		"SELECT json_group_array(name) FROM t",
		"SELECT name, row_number() OVER (ORDER BY name), lag(id, 1) OVER w, sum(id) OVER (ROWS 1 PRECEDING) FROM t WINDOW w AS (PARTITION BY name ORDER BY id)",
		"WITH RECURSIVE d(x) AS (VALUES ('2025-01-01') UNION ALL SELECT date(x, '+1 day') FROM d WHERE x < '2025-01-05') SELECT * FROM d",
		"SELECT sqrt(2), pow(2, 10), round(1.005, 2), strftime('%Y', 'now'), printf('%05.2f', 3.14159), soundex('x'), iif(1, 2, 3)",
		"CREATE VIRTUAL TABLE docs USING fts5(title, body, tokenize = 'porter unicode61')",
		"INSERT INTO docs VALUES ('one', 'running quickly'), ('two', 'walks')",
		"SELECT title, snippet(docs, 1, '[', ']', '…', 5), bm25(docs) FROM docs WHERE docs MATCH 'run' ORDER BY rank",
		"INSERT INTO docs (docs) VALUES ('optimize')",
		"INSERT INTO docs (docs) VALUES ('integrity-check')",
		"UPDATE docs SET body = 'ran' WHERE rowid = 1",
		"CREATE VIRTUAL TABLE terms USING fts5vocab(docs, 'row')",
		"SELECT * FROM terms",
		"CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1, y0, y1)",
		"INSERT INTO boxes VALUES (1, 0, 1, 0, 1)",
		"SELECT * FROM boxes WHERE x0 >= 0",
		"DROP TABLE boxes",
		"DROP TABLE docs",
		"CREATE VIEW v AS SELECT * FROM t",
		"CREATE TABLE copy AS SELECT * FROM v",
		"INSERT INTO t (id, name) VALUES (1, 'z') ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING *",
		"CREATE TABLE s (a INT, b ANY) STRICT, WITHOUT ROWID",
	} {
		if strings.HasSuffix(text, "STRICT, WITHOUT ROWID") {
			text = "CREATE TABLE s (a INT PRIMARY KEY, b ANY) STRICT, WITHOUT ROWID"
		}
		sql(t, db, text)
	}
	for _, text := range []string{
		"ALTER TABLE copy RENAME COLUMN name TO title", "ALTER TABLE copy ADD COLUMN more", "ALTER TABLE copy DROP COLUMN more",
		"ANALYZE", "ANALYZE t", "REINDEX", "REINDEX byname", "SELECT * FROM sqlite_stat1",
		"PRAGMA table_info(t)", "PRAGMA table_xinfo('t')", "PRAGMA index_list(t)", "PRAGMA index_info(byname)", "PRAGMA foreign_key_list(t)",
		"PRAGMA foreign_keys = ON", "PRAGMA foreign_keys", "PRAGMA foreign_key_check", "PRAGMA integrity_check", "PRAGMA user_version = 3",
		"SELECT name FROM sqlite_master WHERE type = 'table'", "SELECT * FROM pragma_table_info('t')", "SELECT * FROM sqlite_sequence",
		"EXPLAIN QUERY PLAN SELECT * FROM t", "CREATE TEMP TABLE tmp AS SELECT * FROM t", "DROP TABLE tmp", "DROP INDEX byname", "DROP VIEW v", "DELETE FROM sqlite_sequence",
	} {
		sql(t, db, text)
	}
	commit(t, db, "one")
}

// Each of these ends within its time, in the error that it should, and the next statement
// works, in the same run or after a rollback.
func TestHostileStatements(t *testing.T) {
	heavy(t)
	const limit = 400 * time.Millisecond
	db := open(t, func(c *Config) {
		c.Limits.DBBytes = 16 * limits.MB
		c.TempBytes = 16 << 20
	})
	begin(t, db)
	sql(t, db, "CREATE TABLE t (a, b)")
	sql(t, db, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) INSERT INTO t SELECT i, hex(randomblob(50)) FROM n")
	sql(t, db, "CREATE TABLE again (a)")
	sql(t, db, "CREATE TRIGGER loop AFTER INSERT ON again BEGIN INSERT INTO again SELECT new.a + 1; END")
	commit(t, db, "one")

	deep := func(open, inner, close string, n int) string {
		return "SELECT " + strings.Repeat(open, n) + inner + strings.Repeat(close, n)
	}
	for _, test := range []struct {
		name, sql string
		codes     []problem.Code
	}{
		{"endless recursion", endless, []problem.Code{problem.Timeout}},
		{"endless rows", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) OVER () FROM n", []problem.Code{problem.Timeout, problem.TooComplex}},
		{"cross join", "SELECT count(*) FROM t, t AS u, t AS v WHERE t.b < u.b AND u.b < v.b", []problem.Code{problem.Timeout}},
		{"cross join sorted", "SELECT * FROM t, t AS u, t AS v ORDER BY t.b || u.b || v.b DESC", []problem.Code{problem.Timeout, problem.TooComplex}},
		{"distinct", "SELECT count(*) FROM (SELECT DISTINCT t.b || u.b FROM t, t AS u)", []problem.Code{problem.Timeout, problem.TooComplex}},
		{"materialized", "WITH m AS MATERIALIZED (SELECT t.b || u.b FROM t, t AS u) SELECT count(*) FROM m, m AS n", []problem.Code{problem.Timeout, problem.TooComplex}},
		{"temporary table", "CREATE TEMP TABLE big AS SELECT t.b, u.b AS c FROM t, t AS u", []problem.Code{problem.Timeout, problem.TooComplex, problem.DBFull}},
		{"insert forever", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) INSERT INTO t SELECT i, randomblob(1000) FROM n", []problem.Code{problem.Timeout, problem.DBFull}},
		{"index on much", "CREATE INDEX i ON t (b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b || b)", []problem.Code{problem.DBFull, problem.Timeout, problem.TooComplex}},
		{"huge blob", "SELECT randomblob(1000000000)", []problem.Code{problem.SQLError}},
		{"huge zeroes", "SELECT length(zeroblob(2000000000))", []problem.Code{problem.SQLError}},
		{"huge printf", "SELECT printf('%1000000000d', 1)", []problem.Code{problem.SQLError}},
		{"huge precision", "SELECT printf('%.1000000000f', 1.0)", []problem.Code{problem.SQLError, ""}},
		{"huge concatenation", "WITH RECURSIVE s(x) AS (SELECT 'x' UNION ALL SELECT x || x FROM s) SELECT max(length(x)) FROM s", []problem.Code{problem.SQLError}},
		{"group_concat", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT length(group_concat(i)) FROM n", []problem.Code{problem.SQLError, problem.Timeout}},
		{"replace", "SELECT length(replace(hex(zeroblob(1000000)), '0', hex(zeroblob(1000))))", []problem.Code{problem.SQLError}},
		{"long like pattern", "SELECT 'a' LIKE '" + strings.Repeat("%a", 400) + "'", []problem.Code{problem.SQLError}},
		{"like", "SELECT hex(zeroblob(2000)) LIKE '" + strings.Repeat("%0_0", 40) + "1'", []problem.Code{"", problem.Timeout}},
		{"deep parentheses", deep("(", "1", ")", 100_000), []problem.Code{problem.SQLError}},
		{"deep functions", deep("abs(", "1", ")", 50_000), []problem.Code{problem.SQLError}},
		{"deep not", deep("NOT ", "1", "", 200_000), []problem.Code{problem.SQLError}},
		{"deep selects", deep("(SELECT ", "1", ")", 50_000), []problem.Code{problem.SQLError}},
		{"deep and", "SELECT 1 " + strings.Repeat("AND 1 ", 100_000), []problem.Code{problem.SQLError}},
		{"deep concatenation", "SELECT 1 " + strings.Repeat("|| 1 ", 100_000), []problem.Code{problem.SQLError}},
		{"deep case", deep("CASE WHEN 1 THEN ", "1", " END", 20_000), []problem.Code{problem.SQLError}},
		{"deep JSON", "SELECT json('" + strings.Repeat("[", 300_000) + "')", []problem.Code{problem.SQLError}},
		{"nested JSON", "WITH RECURSIVE j(x) AS (SELECT '1' UNION ALL SELECT json_array(json(x), json(x)) FROM j) SELECT count(x) FROM j", []problem.Code{problem.SQLError, problem.Timeout}},
		{"JSON tree", "SELECT count(*) FROM t, json_tree('[" + strings.Repeat("[1,2],", 50_000) + "1]')", []problem.Code{problem.Timeout}},
		{"many columns", "SELECT " + strings.Repeat("1,", 5_000) + "1", []problem.Code{problem.SQLError}},
		{"many unions", "SELECT 1 " + strings.Repeat("UNION ALL SELECT 1 ", 5_000), []problem.Code{problem.SQLError}},
		{"many joins", "SELECT 1 FROM t " + strings.Repeat("JOIN t ", 100), []problem.Code{problem.SQLError}},
		{"many arguments", "SELECT max(" + strings.Repeat("1,", 5_000) + "1)", []problem.Code{problem.SQLError}},
		{"many parameters", "SELECT ?100000000", []problem.Code{problem.SQLError}},
		{"many values", "INSERT INTO t (a) VALUES (1)" + strings.Repeat(",(1)", 200_000), []problem.Code{"", problem.SQLError, problem.Timeout}},
		{"many CTEs", ctes(40), []problem.Code{problem.SQLError, problem.Timeout, problem.MemoryLimit}},
		{"views on views", "SELECT 1 FROM (SELECT * FROM t" + strings.Repeat(" UNION SELECT * FROM t", 600) + ")", []problem.Code{problem.SQLError}},
		{"trigger on itself", "INSERT INTO again VALUES (1)", []problem.Code{"", problem.SQLError}},
		{"integrity check", "SELECT count(*) FROM pragma_integrity_check, t, t AS u", []problem.Code{problem.Timeout}},
		{"full-text rubbish", "CREATE VIRTUAL TABLE f USING fts5(a, tokenize = 'trigram " + strings.Repeat("x ", 1000) + "')", []problem.Code{problem.SQLError}},
		{"bad UTF-8", "SELECT '\xff\xfe' || char(0x10ffff + 5) || x'00' || ''", []problem.Code{""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			begin(t, db)
			if slices.Contains(test.codes, problem.Timeout) { // else it has the time to end by itself
				db.run.limits.SQLTime = limit
			}
			start := time.Now()
			_, err := db.Query(t.Context(), host.Query{SQL: test.sql})
			took := time.Since(start)
			db.run.limits.SQLTime = ample
			code := problem.CodeOf(err)
			if err == nil {
				code = ""
			}
			if !slices.Contains(test.codes, code) {
				t.Errorf("got %v, want one of %q", err, test.codes)
			}
			// SQLite's own functions do not yield, and JSON of 10 MB takes the longest: 1 s.
			if took > limit+slack {
				t.Errorf("took %v", took)
			}
			if used := db.guard.spill.used; db.run.ended == nil && used > db.guard.spill.hard {
				t.Errorf("%d bytes of temporary files", used)
			}
			if db.run.ended != nil {
				db.Rollback(t.Context())
				begin(t, db)
			}
			if got := rows(t, db, "SELECT count(*) FROM t WHERE b IS NOT NULL"); got[0][0] != int64(5000) && code != "" {
				t.Errorf("afterwards: %v", got)
			}
			db.Rollback(t.Context())
			if left, _ := os.ReadDir(filepath.Join(db.dir, "tmp")); len(left) > 0 {
				t.Errorf("temporary files left: %v", left)
			}
			if used := db.guard.spill.used; used != 0 {
				t.Errorf("%d bytes of temporary files are still counted", used)
			}
		})
	}
}

// ctes selects from 2^n copies of one row.
func ctes(n int) string {
	text := "WITH c0 AS (SELECT 1 AS x)"
	for i := 1; i <= n; i++ {
		text += fmt.Sprintf(", c%d AS (SELECT a.x FROM c%d AS a, c%d AS b)", i, i-1, i-1)
	}
	return text + fmt.Sprintf(" SELECT count(*) FROM c%d", n)
}

// A sort that spills ends, whether it is caught while it runs or at the cap, and never has
// more on the disk than that.
func TestASortMayNotFillTheDisk(t *testing.T) {
	heavy(t)
	db := open(t, func(c *Config) { c.TempBytes = 24 << 20 })
	begin(t, db)
	e := refused(t, db, problem.TooComplex,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT randomblob(1000) AS r FROM n ORDER BY r")
	if !strings.Contains(e.Message, "24 MB") {
		t.Errorf("message: %s", e.Message)
	}
	// It only read: the run goes on.
	sql(t, db, "CREATE TABLE t (a)")

	// What writes at once beyond the hard cap fails at the write.
	db.guard.spill.max, db.guard.spill.hard = 1<<62, 20<<20
	_, err := db.Query(t.Context(), host.Query{SQL: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60000) SELECT randomblob(1000) AS r FROM n ORDER BY r"})
	if err == nil || db.guard.spill.used > db.guard.spill.hard {
		t.Errorf("got %v, %d bytes", err, db.guard.spill.used)
	}
}

func TestCancelIsQuick(t *testing.T) {
	db := open(t)
	begin(t, db)
	var slowest time.Duration
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		var at time.Time
		time.AfterFunc(5*time.Millisecond, func() { at = time.Now(); cancel() })
		_, err := db.Query(ctx, host.Query{SQL: endless})
		if problem.CodeOf(err) != problem.Canceled {
			t.Fatal(err)
		}
		slowest = max(slowest, time.Since(at))
	}
	t.Logf("slowest of 20: %v", slowest)
	if slowest > slack {
		t.Errorf("cancel took %v", slowest)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := db.Query(ctx, host.Query{SQL: endless}); problem.CodeOf(err) != problem.Timeout {
		t.Error(err)
	}
	sql(t, db, "SELECT 1") // a late timer stops nobody else
}

// The limit of a statement's time counts for each statement.
func TestStatementsHaveATimeLimit(t *testing.T) {
	db := open(t)
	begin(t, db)
	db.run.limits.SQLTime = 20 * time.Millisecond
	e := refused(t, db, problem.Timeout, endless)
	if !strings.Contains(e.Message, "20ms") {
		t.Errorf("message: %s", e.Message)
	}
	db.run.limits.SQLTime = ample
	sql(t, db, "CREATE TABLE t (a)")
	db.run.limits.SQLTime = 20 * time.Millisecond
	e = refused(t, db, problem.Timeout, strings.Replace(endless, ") SELECT", ") INSERT INTO t SELECT", 1))
	if db.run.ended != nil { // SQLite gives up the transaction of an interrupted write
		refused(t, db, problem.Timeout, "SELECT 1")
	}
}

func TestTheDatabaseIsCapped(t *testing.T) {
	db := open(t)
	begin(t, db)
	sql(t, db, "CREATE TABLE t (a)")
	for i := range 100 {
		if _, err := db.Query(t.Context(), host.Query{SQL: "INSERT INTO t VALUES (zeroblob(100000))"}); err != nil {
			if problem.CodeOf(err) != problem.DBFull || i < 30 {
				t.Errorf("after %d × 100 KB: %v", i, err)
			}
			return
		}
	}
	t.Error("10 MB fit into 4")
}
