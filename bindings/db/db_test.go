package db_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/agentdb"
	"github.com/sandboxd/sandboxd/bindings/db"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/host/hosttest"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

var table = db.Operations()

// newEnv is a run with a real database behind it, which queries reach as JSON.
func newEnv(t *testing.T) *op.Env {
	t.Helper()
	engine, err := agentdb.Open(t.Context(), agentdb.Config{Dir: t.TempDir(), Limits: limits.Limits{SQLRows: 5}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close() })
	if err := engine.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	memory := hosttest.New(t)
	memory.Query = func(ctx context.Context, query host.Query) (*host.QueryResult, error) {
		text, err := json.Marshal(query)
		if err != nil {
			return nil, err
		}
		answer, err := agentdb.Serve(ctx, engine, "query", text)
		if err != nil {
			return nil, err
		}
		if text, err = json.Marshal(answer); err != nil {
			return nil, err
		}
		result := new(host.QueryResult)
		return result, json.Unmarshal(text, result)
	}
	memory.Tables = engine.Schema
	return op.NewEnv(memory, limits.Limits{}, nil)
}

func js(t *testing.T, env *op.Env, name string, args ...any) (any, error) {
	t.Helper()
	o, ok := table.Lookup(name)
	if !ok {
		t.Fatalf("there is no %s", name)
	}
	in, failure := o.BindJS(args)
	if failure != nil {
		return nil, failure
	}
	out, err := o.Call(t.Context(), env, in)
	if err != nil {
		return nil, err
	}
	return o.ResultJS(out), nil
}

// asJSON is how the answer looks to a reader.
func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := op.AppendJSON(nil, value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestSQL(t *testing.T) {
	env := newEnv(t)
	objects := op.Object{{Name: "as", Value: "objects"}}
	for _, step := range []struct {
		args []any
		want string
	}{
		{[]any{"CREATE TABLE t (id INTEGER PRIMARY KEY, v)"}, `{"changes":0,"last_insert_rowid":0}`},
		{[]any{"SELECT * FROM t"}, `{"columns":["id","v"],"rows":[],"row_count":0,"truncated":false}`},
		{[]any{"INSERT INTO t (v) VALUES (?), (?)", []any{1.5, []byte{1, 2}}}, `{"changes":2,"last_insert_rowid":2}`},
		{[]any{"INSERT INTO t (v) VALUES (:v)", op.Object{{Name: "v", Value: true}}}, `{"changes":1,"last_insert_rowid":3}`},
		{[]any{"INSERT INTO t (v) VALUES (?) RETURNING id", []string{"text"}}, `{"columns":["id"],"rows":[[4]],"row_count":1,"truncated":false}`},
		{[]any{"SELECT v FROM t"}, `{"columns":["v"],"rows":[[1.5],[{"base64":"AQI="}],[1],["text"]],"row_count":4,"truncated":false}`},
		{[]any{"SELECT v FROM t WHERE v = ?", []any{op.Object{{Name: "base64", Value: "AQI="}}}}, `{"columns":["v"],"rows":[[{"base64":"AQI="}]],"row_count":1,"truncated":false}`},
		{[]any{"SELECT a.id, b.id FROM t AS a JOIN t AS b USING (id) WHERE a.id = 1", nil, objects}, `{"columns":["id","id:1"],"rows":[{"id":1,"id:1":1}],"row_count":1,"truncated":false}`},
		{[]any{"SELECT value FROM json_each('[1,2,3,4,5,6]')", []any{}, objects},
			`{"columns":["value"],"rows":[{"value":1},{"value":2},{"value":3},{"value":4},{"value":5}],"row_count":5,"truncated":true}`},
		{[]any{"SELECT 9007199254740991, -9007199254740992, 9223372036854775807"},
			`{"columns":["9007199254740991","-9007199254740992","9223372036854775807"],"rows":[[9007199254740991,"-9007199254740992","9223372036854775807"]],"row_count":1,"truncated":false}`},
	} {
		got, err := js(t, env, "db.sql", step.args...)
		if err != nil {
			t.Fatalf("%v: %v", step.args, err)
		}
		if text := asJSON(t, got); text != step.want {
			t.Errorf("%v:\n got %s\nwant %s", step.args, text, step.want)
		}
	}
	got, err := js(t, env, "db.schema")
	want := `{"tables":[{"name":"t","columns":[{"name":"id","type":"INTEGER","notnull":false,"pk":true},{"name":"v","type":"","notnull":false,"pk":false}],"row_count":4}]}`
	if err != nil || asJSON(t, got) != want {
		t.Errorf("schema:\n got %s, %v\nwant %s", asJSON(t, got), err, want)
	}
}

func TestWrongArguments(t *testing.T) {
	env := newEnv(t)
	for _, test := range []struct {
		args    []any
		message string
	}{
		{nil, "sql"},
		{[]any{"SELECT ?", "x"}, "params must be an array of values or an object of named values, but is a string"},
		{[]any{"SELECT ?", int64(1)}, "but is a number"},
		{[]any{"SELECT ?", []any{[]any{}}}, "params[0] must be null, a boolean, a number, a string, bytes or {base64}, but is an array"},
		{[]any{"SELECT :o", op.Object{{Name: "o", Value: op.Object{}}}}, "params.o must be null"},
		{[]any{"SELECT 1", nil, op.Object{{Name: "as", Value: "maps"}}}, "as"},
	} {
		_, err := js(t, env, "db.sql", test.args...)
		if e := problem.From(err); err == nil || e.Code != problem.InvalidArgument || !strings.Contains(e.Message, test.message) {
			t.Errorf("%v: got %v, want invalid_argument with %q", test.args, err, test.message)
		}
	}
}

func TestTools(t *testing.T) {
	env := newEnv(t)
	for _, step := range []struct{ tool, args, want string }{
		{"db_sql", `{"sql":"CREATE TABLE t (a)"}`, `{"changes":0,"last_insert_rowid":0}`},
		{"db_sql", `{"sql":"INSERT INTO t VALUES (:a)","params":{"a":null}}`, `{"changes":1,"last_insert_rowid":1}`},
		{"db_sql", `{"sql":"SELECT * FROM t","as":"objects"}`, `{"columns":["a"],"rows":[{"a":null}],"row_count":1,"truncated":false}`},
		{"db_schema", `{}`, `{"tables":[{"name":"t","columns":[{"name":"a","type":"","notnull":false,"pk":false}],"row_count":1}]}`},
	} {
		o, ok := table.LookupTool(step.tool)
		if !ok {
			t.Fatalf("there is no %s", step.tool)
		}
		in, failure := o.BindTool(json.RawMessage(step.args))
		if failure != nil {
			t.Fatal(failure)
		}
		out, err := o.Call(t.Context(), env, in)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := o.ResultTool(out); err != nil || !reflect.DeepEqual(string(got), step.want) {
			t.Errorf("%s %s:\n got %s, %v\nwant %s", step.tool, step.args, got, err, step.want)
		}
	}
}

// The examples of the reference run as they stand there, with JavaScript's part done here.
func TestExamplesAreSQL(t *testing.T) {
	env := newEnv(t)
	for _, args := range [][]any{
		{"CREATE TABLE IF NOT EXISTS ledger (id INTEGER PRIMARY KEY, day TEXT, amount REAL, note TEXT)"},
		{"INSERT INTO ledger (day, amount, note) VALUES (?, ?, ?)", []any{"2025-05-01", 12.5, "coffee"}},
		{"SELECT substr(day, 1, 7) AS month, sum(amount) AS total FROM ledger WHERE amount > :min GROUP BY month", op.Object{{Name: "min", Value: int64(0)}}},
		{"CREATE TABLE stock (sku PRIMARY KEY, n)"},
		{"INSERT INTO stock (sku, n) VALUES (?, ?) ON CONFLICT (sku) DO UPDATE SET n = n + excluded.n", []any{"A-1", int64(5)}},
	} {
		if _, err := js(t, env, "db.sql", args...); err != nil {
			t.Errorf("%v: %v", args[0], err)
		}
	}
}
