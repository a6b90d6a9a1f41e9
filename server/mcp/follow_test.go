package mcp_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/server/mcp"
	"github.com/sandboxd/sandboxd/workspace"
)

// heard collects what a client is told of files.
type heard chan string

func (h heard) options() *sdk.ClientOptions {
	return &sdk.ClientOptions{
		ResourceUpdatedHandler:     func(_ context.Context, n *sdk.ResourceUpdatedNotificationRequest) { h <- n.Params.URI },
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { h <- "list" },
	}
}

// next waits for what comes next.
func (h heard) next(t *testing.T) string {
	t.Helper()
	select {
	case what := <-h:
		return what
	case <-time.After(patience):
		t.Fatal("nothing was heard")
		return ""
	}
}

// Whoever subscribed to a file hears of it, by the address it used; the list's changes go
// to everybody in the workspace, and nothing to others. That an event does not come is
// shown by the next one that does: they come in order.
func TestSubscriptions(t *testing.T) {
	l := newLab(t, mcp.Config{})
	id := l.put("alice", "a file.txt", "1")
	byID, byName := "sandboxd://files/"+id, "sandboxd://files/a%20file.txt"
	alice, bob := make(heard, 100), make(heard, 100)
	session := l.connect("alice", "", alice.options())
	bobs := l.connect("bob", "", bob.options())
	subscribe := func(uri string) {
		t.Helper()
		if err := session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri}); err != nil {
			t.Fatal(err)
		}
	}
	subscribe(byID)

	l.put("alice", "a file.txt", "2")
	if got := alice.next(t); got != byID {
		t.Errorf("heard %s of a change", got)
	}
	run := func(script string) {
		t.Helper()
		if a := l.host.Run(t.Context(), sandboxd.Run{Workspace: "alice", Script: script}); !a.OK {
			t.Fatal(a.Error)
		}
	}
	run(`await files.create("b.txt")`)
	if got := alice.next(t); got != "list" {
		t.Errorf("heard %s of a new file", got)
	}
	run(`await files.rename("a file.txt", "other.txt")`)
	if got := alice.next(t) + " " + alice.next(t); got != byID+" list" {
		t.Errorf("heard %s of a rename", got)
	}
	run(`await files.rename("other.txt", "a file.txt")`)
	alice.next(t)
	alice.next(t)

	if err := session.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: byID}); err != nil {
		t.Fatal(err)
	}
	subscribe(byName)
	run(`await files.writeText("a file.txt", "3"); await files.writeText("b.txt", "3")`)
	if got := alice.next(t); got != byName {
		t.Errorf("heard %s of a change, by its name", got)
	}
	run(`await files.delete("a file.txt")`)
	if got := alice.next(t) + " " + alice.next(t); got != byName+" list" {
		t.Errorf("heard %s of a file's end", got)
	}
	run(`await files.create("a file.txt")`)
	if got := alice.next(t) + " " + alice.next(t); got != byName+" list" {
		t.Errorf("heard %s of a new file of that name", got)
	}

	for _, uri := range []string{"sandboxd://files/none", "sandboxd://runs/x", "file:///etc/passwd"} {
		if err := session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri}); err == nil {
			t.Errorf("could subscribe to %s", uri)
		}
	}
	if err := bobs.Subscribe(t.Context(), &sdk.SubscribeParams{URI: byName}); err == nil {
		t.Error("bob could subscribe to a file of alice's")
	}
	l.put("bob", "bobs.txt", "1")
	if got := bob.next(t); got != "list" || len(bob) > 0 {
		t.Errorf("bob heard %s, and %d more", got, len(bob))
	}
	if len(alice) > 0 {
		t.Errorf("alice heard %s of bob's file", <-alice)
	}
}

// Since 2026-07-28 a request listens for changes, and ends with the listening.
func TestListening(t *testing.T) {
	l := newLab(t, mcp.Config{})
	id := l.put("alice", "a.txt", "1")
	uri := "sandboxd://files/" + id
	alice := make(heard, 100)
	session := l.connectAt(withoutSessions, "alice", "", alice.options())
	if err := session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	// The client does not tell when the server listens for it: change the file until it does.
	got := map[string]bool{}
	for deadline := time.Now().Add(patience); !got[uri] || !got["list"]; {
		if time.Now().After(deadline) {
			t.Fatalf("heard only %v", got)
		}
		l.put("alice", "a.txt", "2")
		l.put("alice", rand.Text(), "2")
		select {
		case what := <-alice:
			got[what] = true
		case <-time.After(50 * time.Millisecond):
		}
	}
	if l.mcp.SessionCount() != 0 {
		t.Errorf("there are %d sessions", l.mcp.SessionCount())
	}
}

// What a script prints is told while it runs, by level, and as progress if asked for.
func TestConsoleOnTheWay(t *testing.T) {
	for _, version := range []string{withSessions, withoutSessions} {
		l := newLab(t, mcp.Config{Progress: time.Hour}) // no more progress than lines
		told := make(chan string, 100)
		session := l.connectAt(version, "alice", "", &sdk.ClientOptions{
			LoggingMessageHandler: func(_ context.Context, n *sdk.LoggingMessageRequest) {
				told <- string(n.Params.Level) + " " + n.Params.Data.(string)
			},
			ProgressNotificationHandler: func(_ context.Context, n *sdk.ProgressNotificationClientRequest) {
				if n.Params.ProgressToken == "p" && n.Params.Progress > 0 {
					told <- "progress " + n.Params.Message
				}
			},
		})
		params := &sdk.CallToolParams{Meta: sdk.Meta{"progressToken": "p"}, Name: "run_script", Arguments: json.RawMessage(`{"script": "console.debug('a'); console.log('b'); console.error('c')"}`)}
		if version == withoutSessions {
			params.Meta["io.modelcontextprotocol/logLevel"] = "info"
		} else if err := session.SetLoggingLevel(t.Context(), &sdk.SetLoggingLevelParams{Level: "info"}); err != nil {
			t.Fatal(err)
		}
		if _, err := session.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		var got []string
		for range 5 {
			select {
			case line := <-told:
				got = append(got, line)
			case <-time.After(patience):
				t.Fatalf("%s: heard only %q", version, got)
			}
		}
		if all := strings.Join(got, ", "); all != "progress a, info b, progress b, error c, progress c" {
			t.Errorf("%s: heard %s", version, all)
		}
	}
}

// A call that prints nothing says that it goes on, with numbers that rise.
func TestProgressOfASilentCall(t *testing.T) {
	l := newLab(t, mcp.Config{Progress: 20 * time.Millisecond})
	told := make(chan float64, 3)
	session := l.connect("alice", "", &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, n *sdk.ProgressNotificationClientRequest) {
			select {
			case told <- n.Params.Progress:
			default:
			}
		},
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = session.CallTool(ctx, &sdk.CallToolParams{Meta: sdk.Meta{"progressToken": 7}, Name: "run_script", Arguments: json.RawMessage(`{"script": "` + soundly + `"}`)})
	}()
	defer func() {
		cancel()
		<-ended
		l.until("the call has ended", func() bool { // before its session does, which would wait for it
			runs, err := l.host.Runs("alice").List(t.Context(), workspace.RunQuery{Limit: 1})
			return err == nil && len(runs) > 0 && runs[0].Status != workspace.StatusRunning
		})
	}()
	last := 0.0
	for range 3 {
		select {
		case p := <-told:
			if p <= last {
				t.Errorf("%v came after %v", p, last)
			}
			last = p
		case <-time.After(patience):
			t.Fatal("too little was told")
		}
	}
}

// A call that its client gives up ends as one that changed nothing.
func TestCancellation(t *testing.T) {
	for _, version := range []string{withSessions, withoutSessions} {
		l := newLab(t, mcp.Config{})
		printed := make(chan struct{}, 1)
		session := l.connectAt(version, "alice", "", &sdk.ClientOptions{
			ProgressNotificationHandler: func(context.Context, *sdk.ProgressNotificationClientRequest) {
				select {
				case printed <- struct{}{}:
				default:
				}
			},
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := session.CallTool(ctx, &sdk.CallToolParams{Meta: sdk.Meta{"progressToken": "p"}, Name: "run_script",
				Arguments: json.RawMessage(`{"script": "await files.create('half.txt'); console.log('now'); for (;;) {}"}`)})
			ended <- err
		}()
		<-printed
		changes, err := l.host.Events().Follow(t.Context(), finished("alice"))
		if err != nil {
			t.Fatal(err)
		}
		defer changes.Close()
		cancel()
		if err := <-ended; err == nil {
			t.Errorf("%s: the call was answered", version)
		}
		limit, stop := context.WithTimeout(t.Context(), patience)
		events, err := changes.Next(limit)
		stop()
		if err != nil || !strings.Contains(string(events[0].Payload), `"canceled"`) {
			t.Errorf("%s: the run ended with %v, %v", version, events, err)
		}
		if _, err := l.host.Files("alice").Stat(t.Context(), "half.txt"); err == nil {
			t.Errorf("%s: a cancelled run left a file", version)
		}
	}
}

// A subscription keeps its address, so that may not be as long as a message.
func TestLongAddress(t *testing.T) {
	l := newLab(t, mcp.Config{})
	id := l.put("alice", "a.txt", "1")
	session := l.connect("alice", "", nil)
	for zeros, fine := range map[int]bool{1000: true, 1 << 20: false} {
		err := session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "sandboxd://files/" + id + "?version=" + strings.Repeat("0", zeros) + "1"})
		if (err == nil) != fine {
			t.Errorf("an address of %d bytes: %.100v", zeros, err)
		}
	}
}
