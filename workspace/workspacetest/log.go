package workspacetest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

func changesAreEvents(t *testing.T, f *Fixture) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	s := f.store(t, limits.Limits{})
	follower := s.Follow(event.Filter{Workspace: "w"})
	next := func() event.Event {
		t.Helper()
		e, err := follower.Next(ctx)
		failOn(t, err)
		return e
	}
	r := begin(t, s, workspace.Start{SessionID: "chat"})
	file := create(t, r, "a.txt", "1")
	setState(t, r, "k", "1")
	commit(t, r)
	last := int64(0)
	for _, kind := range []string{event.RunStarted, event.FileCreated, event.StateChange, event.RunFinished} {
		e := next()
		equal(t, "type", e.Type, kind)
		equal(t, "session", e.SessionID, "chat")
		equal(t, "run", e.RunID, r.ID())
		if e.Seq <= last {
			t.Errorf("event %d comes after %d", e.Seq, last)
		}
		last = e.Seq
		switch kind {
		case event.FileCreated:
			equal(t, "payload", string(e.Payload),
				fmt.Sprintf(`{"id":"%s","name":"a.txt","size":1,"mime_type":"text/plain","source_session_id":"chat"}`, file.ID))
		case event.StateChange:
			equal(t, "payload", string(e.Payload), `{"set":["k"],"deleted":[]}`)
		}
	}
	do(t, s, func(r *workspace.Run) { put(t, r, "a.txt", "22") })
	do(t, s, func(r *workspace.Run) { _, err := r.Delete(ctx, "a.txt"); failOn(t, err) })
	r = begin(t, s, workspace.Start{})
	_, err := r.Abort(ctx, workspace.Finish{Error: problem.New(problem.Timeout, "too long")})
	failOn(t, err)
	var got []string
	for range 8 {
		e := next()
		var p struct {
			Code string
			Size *int64
		}
		failOn(t, json.Unmarshal(e.Payload, &p))
		switch {
		case e.Type == event.FileModified:
			equal(t, "size", *p.Size, 2)
		case e.Type == event.FileDeleted:
			equal(t, "payload", string(e.Payload), `{"id":"`+file.ID+`"}`)
		case p.Code != "":
			e.Type += "=" + p.Code
		}
		got = append(got, e.Type)
	}
	equal(t, "types", strings.Join(got, " "),
		"run:started file:modified run:finished run:started file:deleted run:finished run:started run:finished=timeout")

	do(t, s, func(r *workspace.Run) { create(t, r, "b.txt", "1") })
	for what, c := range map[string]struct {
		filter event.Filter
		limit  int
		want   int
	}{
		"after a number and by type":   {event.Filter{After: last, Types: []string{event.FileCreated}}, 100, 1},
		"of a session":                 {event.Filter{SessionID: "chat"}, 100, 4},
		"of a session, no more than 2": {event.Filter{SessionID: "chat"}, 2, 2},
		"of another workspace":         {event.Filter{Workspace: "other"}, 100, 0},
	} {
		events, err := s.Events(ctx, c.filter, c.limit)
		failOn(t, err)
		equal(t, "events "+what, len(events), c.want)
	}

	// Who keeps a list of files by the events sees a restored one come back.
	do(t, s, func(r *workspace.Run) { _, err := r.Delete(ctx, "b.txt"); failOn(t, err) })
	receipt := do(t, s, func(r *workspace.Run) { _, err := r.Restore(ctx, "b.txt", 1); failOn(t, err) })
	events, err := s.Events(ctx, event.Filter{After: last, Types: []string{event.FileCreated, event.FileDeleted, event.FileModified}}, 100)
	failOn(t, err)
	e := events[len(events)-1]
	equal(t, "the last event", e.Type+" "+e.RunID, event.FileCreated+" "+receipt.RunID)
}

// A run that goes on is seen as running before it ends.
func longRunsAreSeen(t *testing.T, f *Fixture) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	s := f.store(t, limits.Limits{})
	follower := s.Follow(event.Filter{})
	r := begin(t, s, workspace.Start{Name: "long.js"})
	e, err := follower.Next(ctx)
	failOn(t, err)
	equal(t, "event", e.Type, event.RunStarted)
	rec, err := s.RunByID(ctx, r.ID())
	failOn(t, err)
	equal(t, "status", rec.Status, workspace.StatusRunning)
	create(t, r, "a", "1")
	commit(t, r)
	rec, err = s.RunByID(ctx, r.ID())
	failOn(t, err)
	equal(t, "status", rec.Status, workspace.StatusOK)
	equal(t, "name", rec.Name, "long.js")
	var got []string
	for range 2 {
		e, err := follower.Next(ctx)
		failOn(t, err)
		got = append(got, e.Type)
	}
	equal(t, "events", strings.Join(got, " "), "file:created run:finished")
}

func runsAreListed(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	var ids []string
	for i := range 7 {
		r := begin(t, s, workspace.Start{Name: fmt.Sprint(i)})
		ids = append([]string{r.ID()}, ids...)
		commit(t, r)
	}
	commit(t, begin(t, s, workspace.Start{Workspace: "other"}))
	var got []string
	for before := ""; ; {
		page, err := s.Runs(ctx, "w", workspace.RunQuery{Limit: 3, Before: before})
		failOn(t, err)
		if len(page) == 0 {
			break
		}
		for _, rec := range page {
			got = append(got, rec.ID)
		}
		before = page[len(page)-1].ID
	}
	equal(t, "runs", strings.Join(got, " "), strings.Join(ids, " "))
	_, err := s.RunByID(ctx, "nobody")
	fails(t, "an unknown run", err, problem.NotFound)
	_, err = s.Begin(ctx, workspace.Start{Workspace: "w", RunID: ids[0]})
	fails(t, "an id twice", err, problem.Exists)
	_, err = s.Begin(ctx, workspace.Start{Workspace: "../w"})
	fails(t, "a workspace that is a path", err, problem.InvalidArgument)
	all, err := s.Workspaces(ctx)
	failOn(t, err)
	equal(t, "workspaces", strings.Join(all, " "), "other w")
}

func stateIsJSON(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	const value, odd = `"\u0000 ' ? %s"`, "it's ? fine \\"
	do(t, s, func(r *workspace.Run) {
		fails(t, "no JSON", r.StateSet(ctx, "k", json.RawMessage("{")), problem.InvalidArgument)
		fails(t, "no key", r.StateSet(ctx, "", json.RawMessage("1")), problem.InvalidArgument)
		fails(t, "a long key", r.StateSet(ctx, strings.Repeat("k", 513), json.RawMessage("1")), problem.InvalidArgument)
		fails(t, "NUL", r.StateSet(ctx, "a\x00b", json.RawMessage("1")), problem.InvalidArgument)
		for _, key := range []string{"a/1", "a/2", "b/1", "A/3", "100%", odd} {
			setState(t, r, key, value)
		}
		setState(t, r, "nothing", "null")
	})
	do(t, s, func(r *workspace.Run) {
		got, err := r.StateGet(ctx, odd)
		failOn(t, err)
		equal(t, "value", string(got), value)
		got, err = r.StateGet(ctx, "nobody")
		failOn(t, err)
		equal(t, "no value", got == nil, true)
		keys, err := r.StateKeys(ctx, "a/")
		failOn(t, err)
		equal(t, "keys", strings.Join(keys, " "), "a/1 a/2")
		gone, err := r.StateDelete(ctx, "nobody")
		failOn(t, err)
		equal(t, "deleted", gone, false)
	})
	usage, err := s.Usage(ctx, "w")
	failOn(t, err)
	equal(t, "usage", usage.State, int64(4*len("a/1")+len("100%")+len(odd)+6*len(value)+len("nothing")+len("null")))
}

// What undo needs of the past of state is bounded.
func stateHistoryIsBounded(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{StateBytes: 1000})
	var runs []string
	for i := range 40 {
		do(t, s, func(r *workspace.Run) {
			runs = append(runs, r.ID())
			setState(t, r, "k", fmt.Sprintf(`"%d%s"`, i, strings.Repeat("x", 200)))
		})
	}
	_, err := s.Undo(ctx, "w", runs[39], workspace.Undo{})
	failOn(t, err)
	_, err = s.Undo(ctx, "w", runs[0], workspace.Undo{Force: true})
	if p := fails(t, "undo of long ago", err, problem.Conflict); !strings.Contains(p.Message, "no longer kept") {
		t.Errorf("got %q", p.Message)
	}
}

func contentsAreCollected(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	do(t, s, func(r *workspace.Run) { create(t, r, "a", large); create(t, r, "b", "small") })
	// A run that fails at its commit has published its content already.
	r := begin(t, s, workspace.Start{OnConflict: workspace.ConflictFails})
	put(t, r, "a", large+"2")
	do(t, s, func(r *workspace.Run) { put(t, r, "a", "other") })
	_, err := r.Commit(ctx, workspace.Finish{})
	fails(t, "commit", err, problem.Conflict)
	_, err = s.GC(ctx)
	failOn(t, err)
	equal(t, "an old version", stored(t, s, "a", 1), large)
	equal(t, "small content", stored(t, s, "b", 0), "small")
	do(t, s, func(r *workspace.Run) { put(t, r, "a", large+"2") })
	equal(t, "content that was collected and came again", stored(t, s, "a", 0), large+"2")
}
