package sandboxd_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// until reads the events of a run up to its end.
func until(t *testing.T, h *sandboxd.Host, runID string) (events []event.Event) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	s, err := h.Events().Follow(ctx, event.Filter{Workspace: sandboxd.DefaultWorkspace, RunID: runID})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for {
		more, err := s.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, more...)
		if events[len(events)-1].Type == event.RunFinished {
			return events
		}
	}
}

func TestARunThatIsFollowedKeepsItsResultAndItsLog(t *testing.T) {
	h := open(t, sandboxd.Config{Concurrency: 1})
	gone, leave := context.WithCancel(t.Context())
	id, err := h.Start(gone, sandboxd.Run{Keep: true, Script: `
		console.log('one');
		await new Promise(r => setTimeout(r, 150));
		console.warn('two');
		await files.create('a.txt', 'text/plain', {content: 'a'});
		return {answer: 42}`})
	if err != nil {
		t.Fatal(err)
	}
	leave() // the run is its own from the start
	var types, lines []string
	for _, e := range until(t, h, id) {
		if len(types) == 0 || e.Type != event.RunLog || types[len(types)-1] != e.Type { // lines may come together
			types = append(types, e.Type)
		}
		if e.Type == event.RunLog {
			var log event.Log
			if err := json.Unmarshal(e.Payload, &log); err != nil || log.ID != id {
				t.Errorf("%s, %v", e.Payload, err)
			}
			for _, line := range log.Lines {
				lines = append(lines, line.Level+" "+line.Text)
			}
		}
	}
	if got := strings.Join(types, " "); got != "run:started run:log file:created run:finished" {
		t.Errorf("events: %s", got)
	}
	if got := strings.Join(lines, ", "); got != "log one, warn two" {
		t.Errorf("lines: %s", got)
	}
	run, err := h.Runs("").Get(t.Context(), id)
	if err != nil || string(run.Result) != `{"answer":42}` || run.Status != workspace.StatusOK {
		t.Errorf("%+v, %v", run, err)
	}
	if list, err := h.Runs("").List(t.Context(), workspace.RunQuery{}); err != nil || list[0].Result != nil {
		t.Errorf("the list carries results: %+v, %v", list, err)
	}
	answer := h.Run(t.Context(), sandboxd.Run{Script: "1"})
	if run, err := h.Runs("").Get(t.Context(), answer.Receipt.RunID); err != nil || run.Result != nil {
		t.Errorf("a result is kept that nobody wanted kept: %+v, %v", run, err)
	}
}

// What a run that failed wrote is what tells why.
func TestTheLogOfAFailedRunIsKept(t *testing.T) {
	h := open(t, sandboxd.Config{Concurrency: 1})
	answer := h.Run(t.Context(), sandboxd.Run{Script: "console.log('before'); throw new Error('no')"})
	var types []string
	for _, e := range until(t, h, answer.Receipt.RunID) {
		types = append(types, e.Type)
	}
	if got := strings.Join(types, " "); got != "run:started run:log run:finished" {
		t.Errorf("events: %s", got)
	}
}

func TestARunCanBeCancelled(t *testing.T) {
	h := open(t, sandboxd.Config{Concurrency: 1})
	id, err := h.Start(t.Context(), sandboxd.Run{Script: "await files.create('x.txt'); await new Promise(r => setTimeout(r, 250000))"})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Runs("other").Cancel(t.Context(), id); problem.CodeOf(err) != problem.NotFound {
		t.Errorf("from another workspace: %v", err)
	}
	if err := h.Runs("").Cancel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	until(t, h, id)
	run, err := h.Runs("").Get(t.Context(), id)
	if err != nil || run.Error == nil || run.Error.Code != problem.Canceled {
		t.Errorf("%+v, %v", run, err)
	}
	if err := h.Runs("").Cancel(t.Context(), id); problem.CodeOf(err) != problem.Conflict {
		t.Errorf("again: %v", err)
	}
	if err := h.Runs("").Cancel(t.Context(), "nope"); problem.CodeOf(err) != problem.NotFound {
		t.Errorf("of no run: %v", err)
	}
	if files, err := h.Files("").List(t.Context(), ""); err != nil || len(files) != 0 {
		t.Errorf("kept: %+v, %v", files, err)
	}
}

// Whoever is told that a run is cancelled can rely on it; while it is being committed it
// cannot be, and its end is what is told then.
func TestARunThatIsBeingCommittedIsNotCancelled(t *testing.T) {
	committing, goOn := make(chan struct{}), make(chan struct{})
	h := open(t, sandboxd.WithFaults(sandboxd.Config{Concurrency: 1}, func(step string) {
		if step == "blob.written" {
			close(committing)
			<-goOn
		}
	}))
	id, err := h.Start(t.Context(), sandboxd.Run{Script: `await files.create("large", undefined, { content: "x".repeat(100_000) })`})
	if err != nil {
		t.Fatal(err)
	}
	<-committing
	told := make(chan error, 1)
	go func() { told <- h.Runs("").Cancel(t.Context(), id) }()
	impatient, leave := context.WithCancel(t.Context())
	leave()
	if err := h.Runs("").Cancel(impatient, id); err == nil {
		t.Error("the run was cancelled while it was committed")
	}
	close(goOn)
	if err := <-told; problem.CodeOf(err) != problem.Conflict || !strings.Contains(err.Error(), "it is ok") {
		t.Errorf("cancelling what is being committed: %v", err)
	}
	if run, err := h.Runs("").Get(t.Context(), id); err != nil || run.Status != workspace.StatusOK {
		t.Errorf("%+v, %v", run, err)
	}
}

func TestTokensAreKeptAsHashes(t *testing.T) {
	dir := t.TempDir()
	h := open(t, sandboxd.Config{Dir: dir, Concurrency: 1})
	ctx := t.Context()
	made, text, err := h.Tokens().Create(ctx, workspace.NewToken{Name: "ci", Workspace: "team", Scopes: []access.Scope{access.Run, access.FilesRead}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := h.Tokens().Check(ctx, text)
	if err != nil || got.TokenID != made.ID || got.Workspace != "team" || !got.Can(access.Run) || got.Can(access.FilesWrite) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := h.Tokens().CheckSession(ctx, made.ID, access.Session(text)); err != nil || got.TokenID != made.ID {
		t.Errorf("by its session: %+v, %v", got, err)
	}
	if _, err := h.Tokens().ByID(ctx, made.ID); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{"", text + "x", text[:len(text)-1], strings.Replace(text, made.ID, "000000000000", 1), access.Session(text), access.Hash(text)} {
		if _, err := h.Tokens().Check(ctx, wrong); problem.CodeOf(err) != problem.Unauthorized {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if _, err := h.Tokens().CheckSession(ctx, made.ID, text); problem.CodeOf(err) != problem.Unauthorized {
		t.Errorf("the token as a session: %v", err)
	}

	soon, short, err := h.Tokens().Create(ctx, workspace.NewToken{Workspace: access.Everywhere, Scopes: access.Scopes(), For: time.Millisecond})
	if err != nil || soon.ExpiresOn == "" {
		t.Fatal(soon, err)
	}
	time.Sleep(5 * time.Millisecond) // the clock is what is awaited
	if _, err := h.Tokens().Check(ctx, short); problem.CodeOf(err) != problem.Unauthorized {
		t.Errorf("expired: %v", err)
	}

	if list, err := h.Tokens().List(ctx, "team"); err != nil || len(list) != 1 || list[0].ID != made.ID {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := h.Tokens().List(ctx, access.Everywhere); err != nil || len(list) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := h.Tokens().Revoke(ctx, "other", made.ID); problem.CodeOf(err) != problem.NotFound {
		t.Errorf("from another workspace: %v", err)
	}
	if gone, err := h.Tokens().Revoke(ctx, "team", made.ID); err != nil || gone.RevokedOn == "" {
		t.Errorf("%+v, %v", gone, err)
	}
	for _, check := range []func() (access.Caller, error){
		func() (access.Caller, error) { return h.Tokens().Check(ctx, text) },
		func() (access.Caller, error) { return h.Tokens().CheckSession(ctx, made.ID, access.Session(text)) },
		func() (access.Caller, error) { return h.Tokens().ByID(ctx, made.ID) },
	} {
		if _, err := check(); problem.CodeOf(err) != problem.Unauthorized {
			t.Errorf("revoked: %v", err)
		}
	}
	for _, wrong := range []workspace.NewToken{{Workspace: "../x", Scopes: access.Scopes()}, {Workspace: "w"}, {Workspace: "w", Scopes: []access.Scope{"root"}},
		{Workspace: "w", Scopes: access.Scopes(), For: -1}, {Workspace: "w", Scopes: access.Scopes(), Name: strings.Repeat("n", 300)}} {
		if _, _, err := h.Tokens().Create(ctx, wrong); problem.CodeOf(err) != problem.InvalidArgument {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}
