package agentdb

import (
	"context"
	"encoding/base64"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

const (
	// ample is more time than any statement takes that ends, also on a machine that others use.
	ample = 5 * time.Minute
	// slack is what such a machine may add to a time limit.
	slack = time.Minute
)

// open opens a database in a folder of its own, with small limits and ample time.
func open(t testing.TB, change ...func(*Config)) *DB {
	t.Helper()
	config := Config{Dir: filepath.Join(t.TempDir(), "db"), Limits: limits.Limits{DBBytes: 4 * limits.MB, SQLTime: ample}}
	for _, f := range change {
		f(&config)
	}
	db, err := Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func begin(t testing.TB, db *DB) {
	t.Helper()
	if err := db.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// sql runs a statement that must succeed.
func sql(t testing.TB, db *DB, text string, params ...any) *host.QueryResult {
	t.Helper()
	result, err := db.Query(t.Context(), host.Query{SQL: text, Params: params})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return result
}

// refused runs a statement that must fail with code, and gives the error.
func refused(t testing.TB, db *DB, code problem.Code, text string, params ...any) *problem.Error {
	t.Helper()
	result, err := db.Query(t.Context(), host.Query{SQL: text, Params: params})
	if err == nil {
		t.Fatalf("%.200s: want %s, got %v", text, code, result)
	}
	e := problem.From(err)
	if e.Code != code {
		t.Fatalf("%.200s: want %s, got %v", text, code, e)
	}
	if strings.Contains(e.Message+e.Hint, db.dir) {
		t.Errorf("%.200s: the message names the folder: %s", text, e.Message)
	}
	return e
}

func commit(t testing.TB, db *DB, run string) Prepared {
	t.Helper()
	prepared, err := db.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Commit(t.Context(), run, []byte("redo of "+run)); err != nil {
		t.Fatal(err)
	}
	return prepared
}

func rows(t testing.TB, db *DB, text string) [][]any {
	t.Helper()
	return sql(t, db, text).Rows
}

func TestQueryAnswers(t *testing.T) {
	db := open(t)
	begin(t, db)
	tests := []struct {
		sql    string
		params []any
		want   host.QueryResult
	}{
		{"CREATE TABLE a (id INTEGER PRIMARY KEY, v)", nil, host.QueryResult{}},
		{"INSERT INTO a (v) VALUES (?), (?)", []any{"x", nil}, host.QueryResult{Changes: 2, LastInsertID: 2}},
		{"UPDATE a SET v = 'y' WHERE id = 7", nil, host.QueryResult{LastInsertID: 2}},
		{"SELECT id, v FROM a ORDER BY id", nil, host.QueryResult{Columns: []string{"id", "v"}, Rows: [][]any{{int64(1), "x"}, {int64(2), nil}}}},
		{"SELECT 1 WHERE 0", nil, host.QueryResult{Columns: []string{"1"}, Rows: [][]any{}}},
		{"INSERT INTO a VALUES (9, 1) RETURNING id", nil, host.QueryResult{Columns: []string{"id"}, Rows: [][]any{{int64(9)}}}},
		{"WITH w AS (SELECT 1) INSERT INTO a (v) SELECT * FROM w; -- done", nil, host.QueryResult{Changes: 1, LastInsertID: 10}},
		{"DELETE FROM a", nil, host.QueryResult{Changes: 4, LastInsertID: 10}},
		{"CREATE TABLE IF NOT EXISTS a (x)", nil, host.QueryResult{LastInsertID: 10}},
	}
	for _, test := range tests {
		if got := sql(t, db, test.sql, test.params...); !reflect.DeepEqual(*got, test.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", test.sql, *got, test.want)
		}
	}
}

func TestValuesKeepTheirType(t *testing.T) {
	db := open(t)
	begin(t, db)
	for _, value := range []any{
		nil, int64(0), int64(math.MaxInt64), int64(math.MinInt64), 3.0, -0.5, 5e-324, math.MaxFloat64, math.Inf(1),
		"", "a\x00b", "😀", host.Blob{}, host.Blob{Base64: base64.StdEncoding.EncodeToString([]byte{0, 255})},
	} {
		if got := sql(t, db, "SELECT ?", value).Rows[0][0]; !reflect.DeepEqual(got, value) {
			t.Errorf("sent %#v, got %#v", value, got)
		}
	}
	for sent, want := range map[any]any{true: int64(1), false: int64(0), 7: int64(7)} {
		if got := sql(t, db, "SELECT ?", sent).Rows[0][0]; got != want {
			t.Errorf("sent %#v, got %#v, want %#v", sent, got, want)
		}
	}
	if got := sql(t, db, "SELECT ?", math.NaN()).Rows[0][0]; got != nil {
		t.Errorf("NaN came back as %#v", got)
	}
	if got := sql(t, db, "SELECT typeof(?)", 3.0).Rows[0][0]; got != "real" {
		t.Errorf("3.0 is %v", got)
	}
}

func TestParameters(t *testing.T) {
	db := open(t)
	begin(t, db)
	query := func(text string, named map[string]any, params ...any) (any, error) {
		result, err := db.Query(t.Context(), host.Query{SQL: text, Params: params, Named: named})
		if err != nil {
			return nil, err
		}
		return result.Rows[0][0], nil
	}
	for _, named := range []map[string]any{{":a": int64(1), "@b": int64(2), "$c": int64(3)}, {"a": int64(1), "b": int64(2), "c": int64(3), "more": "x"}} {
		if got, err := query("SELECT :a + @b * $c", named); err != nil || got != int64(7) {
			t.Errorf("%v: %v, %v", named, got, err)
		}
	}
	if got, err := query("SELECT :a || :a", nil, "x"); err != nil || got != "xx" {
		t.Errorf("by position: %v, %v", got, err)
	}
	for _, wrong := range []struct {
		sql     string
		named   map[string]any
		params  []any
		message string
	}{
		{"SELECT ?, ?", nil, []any{int64(1)}, "params has 1 value, the statement has 2 parameters"},
		{"SELECT 1", nil, []any{int64(1)}, "params has 1 value, the statement has no parameters"},
		{"SELECT :name", map[string]any{"nmae": "x"}, nil, "params has no name, which the statement names as :name"},
		{"SELECT ?", map[string]any{"a": 1}, nil, "parameter 1 of the statement is a ?"},
		{"SELECT 1", map[string]any{"as": "objects"}, nil, "params has 1 named value, the statement has no parameters"},
		{"SELECT ?", nil, []any{[]any{1}}, "params[0] must be null, a boolean, a number, a string or {base64}, but is an array"},
		{"SELECT :o", map[string]any{"o": map[string]any{}}, nil, "params.o must be null, a boolean, a number, a string or {base64}, but is an object"},
		{"SELECT ?", nil, []any{host.Blob{Base64: "!"}}, "not valid base64"},
		{"", nil, nil, "sql is empty"},
		{" -- nothing\n", nil, nil, "sql is empty"},
		{"SELECT 1; SELECT 2", nil, nil, `the second begins at "SELECT 2"`},
		{"SELECT 1; /* x */ DROP TABLE a", nil, nil, "more than one statement"},
		{"SELECT 1\x00", nil, nil, "NUL"},
		{"SELECT '" + strings.Repeat("x", maxStatement) + "'", nil, nil, "the longest statement is"},
	} {
		_, err := query(wrong.sql, wrong.named, wrong.params...)
		if e := problem.From(err); err == nil || e.Code != problem.InvalidArgument || !strings.Contains(e.Message, wrong.message) {
			t.Errorf("%.40q: got %v, want invalid_argument with %q", wrong.sql, err, wrong.message)
		}
	}
	if _, err := query("SELECT 1 ; ; -- the end\n /* of it */ ;", nil); err != nil {
		t.Error(err)
	}
}

func TestMistakesAreExplained(t *testing.T) {
	db := open(t)
	begin(t, db)
	if e := refused(t, db, problem.SQLError, "SELECT * FROM people"); !strings.Contains(e.Hint, "no tables yet") {
		t.Errorf("hint: %s", e.Hint)
	}
	sql(t, db, "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
	sql(t, db, "INSERT INTO customers (name) VALUES ('Ada')")
	for _, test := range []struct{ sql, message, hint string }{
		{"SELECT * FROM customer", "no such table: customer", "Did you mean customers?"},
		{"SELECT * FROM zzz", "no such table: zzz", "The tables are: customers."},
		{"SELECT nmae FROM customers", "no such column: nmae", "Did you mean name?"},
		{`SELECT * FROM customers WHERE name = "Bob"`, "no such column", "single quotes"},
		{"INSERT INTO customers (nme) VALUES (1)", "table customers has no column named nme", "Did you mean name?"},
		{"SELECT regexp_replace('a', 'b', 'c')", "no such function: regexp_replace", "JavaScript"},
		{"INSERT INTO customers (name) VALUES ('Ada')", "UNIQUE constraint failed: customers.name", "ON CONFLICT"},
		{"INSERT INTO customers (name) VALUES (NULL)", "NOT NULL constraint failed: customers.name", ""},
		{"CREATE TABLE customers (x)", "already exists", "IF NOT EXISTS"},
		{"SELEC 1", `near "SELEC": syntax error`, ""},
	} {
		e := refused(t, db, problem.SQLError, test.sql)
		if !strings.Contains(e.Message, test.message) || !strings.Contains(e.Hint, test.hint) {
			t.Errorf("%s:\n message %s\n hint %s", test.sql, e.Message, e.Hint)
		}
	}
	// None of these ended the transaction.
	if got := rows(t, db, "SELECT name FROM customers"); !reflect.DeepEqual(got, [][]any{{"Ada"}}) {
		t.Errorf("got %v", got)
	}
}

func TestRowsAndAnswerAreCapped(t *testing.T) {
	db := open(t, func(c *Config) { c.Limits.SQLRows = 10 })
	begin(t, db)
	const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT %d) "
	for n, truncated := range map[string]bool{"9": false, "10": false, "11": true, "100000000": true} {
		got := sql(t, db, strings.Replace(numbers, "%d", n, 1)+"SELECT i FROM n")
		if got.Truncated != truncated || len(got.Rows) > 10 {
			t.Errorf("%s rows: %d, truncated %v", n, len(got.Rows), got.Truncated)
		}
	}
	refused(t, db, problem.ResultTooLarge, "SELECT zeroblob(5000000) UNION ALL SELECT zeroblob(5000000)")

	// What RETURNING leaves out has happened all the same.
	sql(t, db, "CREATE TABLE t (i)")
	got := sql(t, db, strings.Replace(numbers, "%d", "25", 1)+"INSERT INTO t SELECT i FROM n RETURNING i")
	if len(got.Rows) != 10 || !got.Truncated {
		t.Errorf("%d rows, truncated %v", len(got.Rows), got.Truncated)
	}
	if got := rows(t, db, "SELECT count(*) FROM t"); got[0][0] != int64(25) {
		t.Errorf("%v rows were inserted", got)
	}
}

func TestSchema(t *testing.T) {
	db := open(t)
	begin(t, db)
	sql(t, db, `CREATE TABLE "odd ""name" (id INTEGER PRIMARY KEY, amount REAL NOT NULL, twice AS (amount * 2))`)
	sql(t, db, `INSERT INTO "odd ""name" (amount) VALUES (1), (2)`)
	sql(t, db, `CREATE TABLE pairs (a TEXT, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID`)
	sql(t, db, `CREATE VIRTUAL TABLE notes USING fts5(body)`)
	sql(t, db, `CREATE VIEW big AS SELECT * FROM pairs`)
	sql(t, db, `CREATE VIEW broken AS SELECT * FROM gone`)
	got, err := db.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []host.Table{
		{Name: "big", Columns: []host.Column{{Name: "a", Type: "TEXT"}, {Name: "b", Type: "TEXT"}}},
		{Name: "broken", Columns: []host.Column{}, RowCount: -1},
		{Name: "notes", Columns: []host.Column{{Name: "body"}}},
		{Name: `odd "name`, RowCount: 2, Columns: []host.Column{
			{Name: "id", Type: "INTEGER", PK: true}, {Name: "amount", Type: "REAL", NotNull: true}, {Name: "twice"}}},
		{Name: "pairs", Columns: []host.Column{{Name: "a", Type: "TEXT", NotNull: true, PK: true}, {Name: "b", Type: "TEXT", NotNull: true, PK: true}}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestCallsOutsideATransaction(t *testing.T) {
	db := open(t)
	if _, err := db.Query(t.Context(), host.Query{SQL: "SELECT 1"}); problem.CodeOf(err) != problem.Internal {
		t.Errorf("query: %v", err)
	}
	if err := db.Commit(t.Context(), "run", nil); problem.CodeOf(err) != problem.Internal {
		t.Errorf("commit: %v", err)
	}
	if err := db.Rollback(t.Context()); err != nil {
		t.Errorf("rollback: %v", err)
	}
	begin(t, db)
	if err := db.Begin(t.Context()); problem.CodeOf(err) != problem.Busy {
		t.Errorf("second begin: %v", err)
	}
	db.Close()
	if err := db.Begin(t.Context()); problem.CodeOf(err) != problem.Internal {
		t.Errorf("after close: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(ctx, Config{Dir: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Errorf("open: %v", err)
	}
}
