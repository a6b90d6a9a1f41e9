package agentdb

import (
	"context"
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

// remote is a Client whose every call goes through JSON both ways, errors too.
func remote(t *testing.T, db *DB) *Client {
	return &Client{Call: func(ctx context.Context, method string, in, out any) error {
		payload, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := Serve(ctx, db, method, payload)
		if err != nil {
			text, err := json.Marshal(problem.From(err))
			if err != nil {
				t.Fatal(err)
			}
			back := new(problem.Error)
			if err := json.Unmarshal(text, back); err != nil {
				t.Fatal(err)
			}
			return back
		}
		text, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		if out == nil {
			if string(text) != "null" {
				t.Errorf("%s answers %s, and nobody wants it", method, text)
			}
			return nil
		}
		return json.Unmarshal(text, out)
	}}
}

// A run over a connection is the same as one without.
func TestClient(t *testing.T) {
	ctx := t.Context()
	db := open(t)
	c := remote(t, db)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.Begin(ctx))
	_, err := c.Query(ctx, host.Query{SQL: "CREATE TABLE t (i, v)"})
	must(err)
	values := []any{nil, "", "a\x00b", int64(math.MaxInt64), int64(1)<<53 + 1, 3.0, -1e300, math.Inf(-1), host.Blob{Base64: "AAH/"}, host.Blob{}}
	for i, v := range values {
		result, err := c.Query(ctx, host.Query{SQL: "INSERT INTO t VALUES (:i, :v)", Named: map[string]any{"i": int64(i), "v": v}})
		must(err)
		if want := (host.QueryResult{Changes: 1, LastInsertID: int64(i) + 1}); !reflect.DeepEqual(*result, want) {
			t.Errorf("insert answers %+v", result)
		}
	}
	result, err := c.Query(ctx, host.Query{SQL: "SELECT v FROM t ORDER BY i"})
	must(err)
	for i, row := range result.Rows {
		if !reflect.DeepEqual(row, []any{values[i]}) {
			t.Errorf("sent %#v, got %#v", values[i], row)
		}
	}
	_, err = c.Query(ctx, host.Query{SQL: "SELECT * FROM tt"})
	want := problem.New(problem.SQLError, "no such table: tt").WithHint("Did you mean t? db.schema() lists tables and columns.")
	if e := problem.From(err); e.Code != want.Code || e.Message != want.Message || e.Hint != want.Hint {
		t.Errorf("got %+v", e)
	}
	_, err = c.Query(ctx, host.Query{SQL: "SELECT 1 FORM t"})
	if e := problem.From(err); e.Details["near"] != "t" {
		t.Errorf("got %+v", e)
	}
	tables, err := c.Schema(ctx)
	must(err)
	if len(tables) != 1 || tables[0].RowCount != int64(len(values)) {
		t.Errorf("schema %+v", tables)
	}
	prepared, err := c.Prepare(ctx)
	must(err)
	if !prepared.Dirty || !prepared.Undoable || prepared.Changes != int64(len(values)) || len(prepared.Changeset) == 0 {
		t.Errorf("prepared %+v", prepared)
	}
	must(c.Commit(ctx, "one", []byte{0, 1, 255}))
	list, err := c.Markers(ctx)
	must(err)
	if !reflect.DeepEqual(list, []Marker{{RunID: "one", Redo: []byte{0, 1, 255}}}) {
		t.Errorf("markers %+v", list)
	}
	must(c.Clear(ctx, []string{"one"}))
	must(c.Begin(ctx))
	_, err = c.Query(ctx, host.Query{SQL: "INSERT INTO t VALUES (100, 100)"})
	must(err)
	if err := c.Undo(ctx, prepared.Changeset); problem.CodeOf(err) != problem.Conflict {
		t.Errorf("undo: %v", err)
	}
	must(c.UndoForced(ctx, prepared.Changeset))
	must(c.Rollback(ctx))
	if err := c.Call(ctx, "drop", nil, nil); problem.CodeOf(err) != problem.Internal {
		t.Errorf("unknown method: %v", err)
	}
}

func TestServeRefusesWhatItCannotRead(t *testing.T) {
	db := open(t)
	for _, method := range []string{methodQuery, methodCommit, methodClear, methodUndo} {
		for _, payload := range []string{"", "[]", `{"redo":5,"runs":5,"changeset":5,"sql":5}`} {
			if _, err := Serve(t.Context(), db, method, json.RawMessage(payload)); problem.CodeOf(err) != problem.Internal {
				t.Errorf("%s %s: %v", method, payload, err)
			}
		}
	}
}
