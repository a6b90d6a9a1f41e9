package workspacetest

import (
	"context"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// before makes a workspace and the run that the tests undo.
func before(t *testing.T, s *workspace.Store) (run string) {
	t.Helper()
	ctx := context.Background()
	do(t, s, func(r *workspace.Run) {
		create(t, r, "changed", "old")
		create(t, r, "renamed", "same")
		create(t, r, "deleted", large)
		setState(t, r, "set", "1")
		setState(t, r, "gone", `"x"`)
	})
	do(t, s, func(r *workspace.Run) {
		run = r.ID()
		put(t, r, "changed", "new")
		_, err := r.Rename(ctx, "renamed", "moved/renamed")
		failOn(t, err)
		_, err = r.Delete(ctx, "deleted")
		failOn(t, err)
		create(t, r, "created", "new")
		setState(t, r, "set", "2")
		_, err = r.StateDelete(ctx, "gone")
		failOn(t, err)
		setState(t, r, "added", "3")
	})
	return run
}

const (
	filesBefore = "changed deleted renamed"
	filesAfter  = "changed created moved/renamed"
	stateBefore = `{"gone":"x","set":1}`
	stateAfter  = `{"added":3,"set":2}`
)

func undoTakesBack(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	run := before(t, s)
	equal(t, "files", storedNames(t, s), filesAfter)
	undone, err := s.Undo(ctx, "w", run, workspace.Undo{SessionID: "chat"})
	failOn(t, err)
	equal(t, "files", storedNames(t, s), filesBefore)
	equal(t, "state", state(t, s), stateBefore)
	equal(t, "content", stored(t, s, "changed", 0), "old")
	equal(t, "content of the deleted", stored(t, s, "deleted", 0), large)
	equal(t, "database", undone.DB, workspace.DBUnchanged)
	equal(t, "files undone", len(undone.Files), 4)
	equal(t, "state undone", strings.Join(undone.State, " "), "added gone set")

	rec, err := s.RunByID(ctx, run)
	failOn(t, err)
	equal(t, "undone by", rec.UndoneBy, undone.RunID)
	rec, err = s.RunByID(ctx, undone.RunID)
	failOn(t, err)
	equal(t, "undoes", rec.Undoes, run)
	equal(t, "kind", rec.Kind, workspace.KindUndo)
	equal(t, "session", rec.SessionID, "chat")

	_, err = s.Undo(ctx, "w", run, workspace.Undo{})
	fails(t, "undo twice", err, problem.Conflict)
	_, err = s.Undo(ctx, "w", undone.RunID, workspace.Undo{})
	failOn(t, err)
	equal(t, "files after undoing the undo", storedNames(t, s), filesAfter)
	equal(t, "state after undoing the undo", state(t, s), stateAfter)
	_, err = s.Undo(ctx, "w", run, workspace.Undo{})
	failOn(t, err)
	equal(t, "files after all", storedNames(t, s), filesBefore)
	equal(t, "versions", actions(t, s, "changed"), "5:restored 4:restored 3:restored 2:modified 1:created")
}

func undoIsRefused(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	run := before(t, s)
	var later string
	do(t, s, func(r *workspace.Run) { later = r.ID(); put(t, r, "changed", "newer"); setState(t, r, "set", "9") })
	do(t, s, func(r *workspace.Run) { create(t, r, "renamed", "in the way") })
	_, err := s.Undo(ctx, "w", run, workspace.Undo{})
	p := fails(t, "undo", err, problem.Conflict)
	for _, want := range []string{`"changed"`, `"set"`, later} {
		if !strings.Contains(p.Message, want) {
			t.Errorf("the message does not name %s: %s", want, p.Message)
		}
	}
	equal(t, "files", storedNames(t, s), "changed created moved/renamed renamed")

	_, err = s.Undo(ctx, "w", run, workspace.Undo{Force: true})
	failOn(t, err)
	equal(t, "files", storedNames(t, s), "changed deleted renamed renamed (2)")
	equal(t, "content", stored(t, s, "changed", 0), "old")
	equal(t, "state", state(t, s), stateBefore)
	equal(t, "the later content is kept", stored(t, s, "changed", 3), "newer")

	_, err = s.Undo(ctx, "other", run, workspace.Undo{})
	fails(t, "from another workspace", err, problem.NotFound)
	_, err = s.Undo(ctx, "w", "no-such-run", workspace.Undo{})
	fails(t, "an unknown run", err, problem.NotFound)
	r := begin(t, s, workspace.Start{})
	_, err = s.Undo(ctx, "w", r.ID(), workspace.Undo{})
	fails(t, "a run that goes on", err, problem.Conflict)
	_, err = r.Abort(ctx, workspace.Finish{})
	failOn(t, err)
	_, err = s.Undo(ctx, "w", r.ID(), workspace.Undo{})
	fails(t, "a run that failed", err, problem.InvalidArgument)
}

// Only a taken name stands in the way.
func undoMeetsATakenName(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	run := before(t, s)
	do(t, s, func(r *workspace.Run) { create(t, r, "deleted", "in the way") })
	_, err := s.Undo(ctx, "w", run, workspace.Undo{})
	if p := fails(t, "undo", err, problem.Conflict); !strings.Contains(p.Message, `"deleted"`) {
		t.Errorf("the message does not name the file: %s", p.Message)
	}
	equal(t, "files", storedNames(t, s), "changed created deleted moved/renamed")
}

// Changes of later runs that were themselves undone do not stand in the way.
func undoInReverse(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	do(t, s, func(r *workspace.Run) { create(t, r, "a", "0") })
	var runs []string
	for _, text := range []string{"1", "2", "3"} {
		do(t, s, func(r *workspace.Run) { runs = append(runs, r.ID()); put(t, r, "a", text); setState(t, r, "k", text) })
	}
	for i := len(runs) - 1; i >= 0; i-- {
		_, err := s.Undo(ctx, "w", runs[i], workspace.Undo{})
		failOn(t, err)
	}
	equal(t, "content", stored(t, s, "a", 0), "0")
	equal(t, "state", state(t, s), "{}")
}
