package agentdb

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// FuzzQuery runs two arbitrary statements in a run. Whatever they are, the process lives,
// the host's marker is untouched, nothing is written outside the folder, nothing commits by
// itself, and a failure has a code that a script may see.
func FuzzQuery(f *testing.F) {
	for _, seed := range [][2]string{
		{"CREATE TABLE t (a)", "SELECT * FROM t"},
		{"CREATE VIRTUAL TABLE f USING fts5(a)", "INSERT INTO f (f) VALUES ('rebuild')"},
		{"CREATE TEMP TRIGGER x AFTER INSERT ON main.seed BEGIN DELETE FROM _host_commit; END", "INSERT INTO seed VALUES (1, 2)"},
		{"ALTER TABLE seed RENAME TO _host_commit", "DROP TABLE _host_commit"},
		{"CREATE VIEW v AS SELECT * FROM _host_commit", "SELECT * FROM v"},
		{"PRAGMA writable_schema = 1", "UPDATE sqlite_master SET sql = ''"},
		{"INSERT OR ROLLBACK INTO seed VALUES (1, 1)", "INSERT INTO seed VALUES (5, 5)"},
		{"ATTACH 'outside.db' AS x", "VACUUM INTO 'outside.db'"},
		{"SELECT json_extract('{\"a\":[1]}', '$.a[#-1]')", "SELECT printf('%.*g', 100, 1.0)"},
		{"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n", "COMMIT"},
		{"SELECT row_number() OVER (PARTITION BY a ORDER BY b ROWS 1 PRECEDING) FROM seed", "ROLLBACK; SELECT 1"},
		{"CREATE TABLE c (r REFERENCES _host_commit (run))", "DELETE FROM _host_commit WHERE 1"},
		{"EXPLAIN QUERY PLAN SELECT 1", "ANALYZE"},
		{"SELECT geopoly_area('[[0,0],[1,0],[1,1],[0,0]]')", "SELECT rtreecheck('seed')"},
		{"SELECT fts5(?1), sqlite_compileoption_get(0)", "SELECT * FROM pragma_function_list"},
	} {
		f.Add(seed[0], seed[1])
	}
	db := open(f, func(c *Config) {
		c.Limits = limits.Limits{DBBytes: 2 * limits.MB, SQLTime: ample, SQLRows: 50}
		c.TempBytes = 4 << 20
	})
	begin(f, db)
	sql(f, db, "CREATE TABLE seed (a UNIQUE, b)")
	sql(f, db, "INSERT INTO seed VALUES (1, 2), (3, 4)")
	commit(f, db, "seed")
	elsewhere := f.TempDir()
	f.Chdir(elsewhere)
	f.Fuzz(func(t *testing.T, first, second string) {
		if err := db.BeginWithin(t.Context(), limits.Limits{SQLTime: 50 * time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{first, second} {
			_, err := db.Query(t.Context(), host.Query{SQL: text})
			switch code := problem.CodeOf(err); code {
			case "", problem.SQLError, problem.Forbidden, problem.InvalidArgument, problem.Timeout, problem.TooComplex,
				problem.DBFull, problem.MemoryLimit, problem.ResultTooLarge, problem.Busy:
			default:
				t.Errorf("%q: %s: %v", text, code, err)
			}
		}
		if _, err := db.Prepare(t.Context()); err != nil {
			switch problem.CodeOf(err) {
			case problem.Internal, problem.Canceled:
				t.Errorf("%q; %q: prepare: %v", first, second, err)
			}
		}
		if err := db.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		list, err := db.Markers(t.Context())
		if err != nil || len(list) != 1 || list[0].RunID != "seed" || string(list[0].Redo) != "redo of seed" {
			t.Fatalf("%q; %q: markers %v, %v", first, second, list, err)
		}
		begin(t, db)
		if got := rows(t, db, "SELECT count(*), sum(a), sum(b), (SELECT count(*) FROM sqlite_schema) FROM seed"); got[0][0] != int64(2) || got[0][1] != int64(4) || got[0][2] != int64(6) || got[0][3] != int64(4) {
			t.Fatalf("%q; %q: left %v", first, second, got)
		}
		if err := db.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		for dir, want := range map[string]int{elsewhere: 0, filepath.Join(db.dir, "tmp"): 0, db.dir: 4} {
			if left, err := os.ReadDir(dir); err != nil || len(left) != want {
				t.Fatalf("%q; %q: in %s: %v, %v", first, second, dir, left, err)
			}
		}
	})
}
