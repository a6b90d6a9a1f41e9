package mcp_test

import (
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/server/mcp"
)

// What a client did it can take back, step by step, also where no answer told it a run's id;
// what others did only by the run's id.
func TestUndo(t *testing.T) {
	l := newLab(t, mcp.Config{Tools: mcp.All})
	l.put("alice", "a.txt", "one")
	session := l.connect("alice", "", nil)
	content := func() string {
		r := l.call(session, "file_read_text", `{"id": "a.txt"}`)
		return structured[struct{ Content string }](t, r).Content
	}
	refused := func(arguments string, code problem.Code) {
		t.Helper()
		r := l.call(session, "undo_run", arguments)
		if e := structured[struct{ Error problem.Error }](t, r).Error; !r.IsError || e.Code != code || e.Hint == "" {
			t.Errorf("undo_run %s: %s", arguments, text(r))
		}
	}
	refused(`{}`, problem.NotFound) // the upload was not this session's

	l.call(session, "db_sql", `{"sql": "create table t (n)"}`)
	l.call(session, "state_set", `{"key": "k", "value": 1}`)
	l.call(session, "file_write_text", `{"id": "a.txt", "content": "two"}`)
	l.call(session, "file_write_text", `{"id": "a.txt", "content": "three"}`)
	tools, _ := listed(t, session)
	type answer struct {
		RunID, Undone, DB string
		Files             []struct{ Name string }
		State             []string
	}
	undo := func(arguments string) answer {
		t.Helper()
		r := l.call(session, "undo_run", arguments)
		if r.IsError {
			t.Fatalf("undo_run %s: %s", arguments, text(r))
		}
		if err := resolved(t, tools["undo_run"].OutputSchema).Validate(r.StructuredContent); err != nil {
			t.Error(err)
		}
		return structured[answer](t, r)
	}
	for _, want := range []string{"two", "one"} {
		if u := undo(`{}`); len(u.Files) != 1 || u.Files[0].Name != "a.txt" || content() != want {
			t.Errorf("undone %+v, the file has %q", u, content())
		}
	}
	if u := undo(`{}`); len(u.State) != 1 {
		t.Errorf("of the state it undid %+v", u)
	}
	r := l.call(session, "undo_run", `{}`)
	if !strings.Contains(text(r), `"db":`) {
		t.Errorf("of the database it undid %s", text(r))
	}

	versions := structured[struct {
		Versions []struct {
			RunID string `json:"run_id"`
		}
	}](t, l.call(session, "file_versions", `{"id": "a.txt"}`)).Versions
	refused(`{"run_id": "`+versions[3].RunID+`"}`, problem.Conflict)
	refused(`{"run_id": "none"}`, problem.NotFound)
	refused(`{"run": "x"}`, problem.InvalidArgument)
	if undo(`{"run_id": "` + versions[len(versions)-1].RunID + `", "force": true}`); !l.call(session, "file_info", `{"id": "a.txt"}`).IsError {
		t.Error("the upload was not undone")
	}

	// Without a session there is no latest change that would be this client's.
	session = l.connectAt(withoutSessions, "alice", "", nil)
	l.call(session, "file_create", `{"name": "b.txt"}`)
	refused(`{}`, problem.InvalidArgument)
}
