package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd/server/mcp"
)

// relayed connects a client over a relay to the lab's server.
func (l *lab) relayed(version, who string, options *sdk.ClientOptions) (*sdk.ClientSession, <-chan error) {
	l.Helper()
	fromClient, toRelay := io.Pipe()
	fromRelay, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- mcp.Relay(l.Context(), fromClient, toClient, l.url, &http.Client{Transport: bearer(l.tokens[who])})
	}()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options).
		Connect(l.Context(), &sdk.IOTransport{Reader: fromRelay, Writer: toRelay}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() { _ = session.Close() })
	return session, ended
}

// A method that there is not is what a program's own server says it is: clients ask whether
// there is one, and go by the code.
func TestARelayedMethodThatThereIsNot(t *testing.T) {
	l := newLab(t, mcp.Config{})
	fromClient, toRelay := io.Pipe()
	fromRelay, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- mcp.Relay(l.Context(), fromClient, toClient, l.url, &http.Client{Transport: bearer(l.tokens["alice"])})
	}()
	answers := bufio.NewReader(fromRelay)
	ask := func(message string) string {
		if _, err := io.WriteString(toRelay, message+"\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	ask(initialize)
	if got := ask(`{"jsonrpc":"2.0","id":7,"method":"files/steal","params":{}}`); !strings.Contains(got, "-32601") || !strings.Contains(got, `"id":7`) {
		t.Errorf("answered %s", got)
	}
	if got := ask(`{"jsonrpc":"2.0","id":8,"method":"ping"}`); !strings.Contains(got, `"result"`) {
		t.Errorf("and then %s", got)
	}
	toRelay.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Over a relay everything is as it is without: calls side by side, notifications,
// cancellation, and an end that leaves nothing behind.
func TestRelay(t *testing.T) {
	for _, version := range []string{withSessions, withoutSessions} {
		t.Run(version, func(t *testing.T) {
			l := newLab(t, mcp.Config{})
			id := l.put("alice", "a.txt", "1")
			uri := "sandboxd://files/" + id
			news := make(heard, 100)
			options := news.options()
			printed := make(chan struct{}, 1)
			options.ProgressNotificationHandler = func(context.Context, *sdk.ProgressNotificationClientRequest) {
				select {
				case printed <- struct{}{}:
				default:
				}
			}
			session, ended := l.relayed(version, "alice", options)

			slow := make(chan *sdk.CallToolResult, 1)
			go func() {
				r, _ := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "run_script", Arguments: json.RawMessage(
					`{"script": "await new Promise(r => setTimeout(r, 500)); return 'late'"}`)})
				slow <- r
			}()
			if r := l.call(session, "run_script", `{"script": "return 6 * 7"}`); !strings.Contains(text(r), "42") {
				t.Errorf("%s", text(r))
			}
			if r := <-slow; r == nil || !strings.Contains(text(r), "late") {
				t.Errorf("%+v", r)
			}
			if r, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err != nil || r.Contents[0].Text != "1" {
				t.Errorf("%+v, %v", r, err)
			}
			if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "none"}); code(err) != -32602 {
				t.Errorf("an unknown tool: %v", err)
			}

			if err := session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri}); err != nil {
				t.Fatal(err)
			}
			// Other content each time: the same would be no change, and the first may come before
			// the server listens for a client without a session.
			deadline := time.Now().Add(patience)
			for n := 2; ; n++ {
				l.put("alice", "a.txt", strconv.Itoa(n))
				select {
				case what := <-news:
					if what != uri {
						continue
					}
				case <-time.After(50 * time.Millisecond):
					if time.Now().After(deadline) {
						t.Fatal("nothing was heard")
					}
					continue
				}
				break
			}

			ctx, cancel := context.WithCancel(t.Context())
			changes, err := l.host.Events().Follow(t.Context(), finished("alice"))
			if err != nil {
				t.Fatal(err)
			}
			defer changes.Close()
			go func() {
				<-printed
				cancel()
			}()
			if _, err := session.CallTool(ctx, &sdk.CallToolParams{Meta: sdk.Meta{"progressToken": "p"}, Name: "run_script",
				Arguments: json.RawMessage(`{"script": "console.log('now'); for (;;) {}"}`)}); err == nil {
				t.Error("a cancelled call was answered")
			}
			limit, stop := context.WithTimeout(t.Context(), patience)
			defer stop()
			for canceled := false; !canceled; {
				events, err := changes.Next(limit)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range events {
					canceled = canceled || strings.Contains(string(e.Payload), `"canceled"`)
				}
			}

			_ = session.Close()
			select {
			case err := <-ended:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(patience):
				t.Fatal("the relay does not end")
			}
			l.until("no session is left", func() bool { return l.mcp.SessionCount() == 0 })
		})
	}
}

// A server that is gone, or wants another token, is told as the answer of a call.
func TestRelayToNobody(t *testing.T) {
	l := newLab(t, mcp.Config{})
	for name, at := range map[string]struct{ url, token, says string }{
		"gone":        {"http://127.0.0.1:1/mcp", "alice", "cannot be reached"},
		"wrong token": {l.url, "nobody", "401"},
	} {
		var out sink
		in := io.NopCloser(strings.NewReader(initialize + "\n"))
		if err := mcp.Relay(t.Context(), in, &out, at.url, &http.Client{Transport: bearer(l.tokens[at.token])}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(out.String(), at.says) || !strings.Contains(out.String(), `"id":1`) {
			t.Errorf("%s: %s", name, out.String())
		}
	}
}

// A server that was started again has forgotten all sessions. A client behind a relay does
// not notice: it goes on, with what it subscribed to and how much it wants to be told.
func TestRelayOutlivesItsServer(t *testing.T) {
	l := newLab(t, mcp.Config{})
	uri := "sandboxd://files/" + l.put("alice", "a.txt", "1")
	left := "sandboxd://files/" + l.put("alice", "b.txt", "1")
	news := make(heard, 100)
	options := news.options()
	lines := make(chan any, 100)
	options.LoggingMessageHandler = func(_ context.Context, req *sdk.LoggingMessageRequest) { lines <- req.Params.Data }
	session, _ := l.relayed(withSessions, "alice", options)
	for _, each := range []string{uri, left} {
		if err := session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: each}); err != nil {
			t.Fatal(err)
		}
	}
	if err := session.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: left}); err != nil {
		t.Fatal(err)
	}
	if err := session.SetLoggingLevel(t.Context(), &sdk.SetLoggingLevelParams{Level: "info"}); err != nil {
		t.Fatal(err)
	}
	l.until("the relay listens", func() bool { return l.host.Events().Followers() == 1 })

	l.mcp.ForgetSessions()
	if r := l.call(session, "run_script", `{"script": "console.log('again'); return 6 * 7"}`); !strings.Contains(text(r), "42") {
		t.Errorf("%s", text(r))
	}
	if got := <-lines; got != "again" {
		t.Errorf("logged %v", got)
	}
	l.until("the relay listens again", func() bool { return l.host.Events().Followers() == 1 })
	l.put("alice", "b.txt", "2")
	l.put("alice", "a.txt", "2")
	if got := news.next(t); got != uri {
		t.Errorf("told of %s", got)
	}
	if n := l.mcp.SessionCount(); n != 1 {
		t.Errorf("there are %d sessions", n)
	}
}

// A call that a server dies with is answered, for the client would wait for ever.
func TestRelayOfACallThatIsCutOff(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "id: 1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{}}\n\n")
	}))
	defer web.Close()
	var out sink
	in := io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"run_script"}}` + "\n"))
	if err := mcp.Relay(t.Context(), in, &out, web.URL, http.DefaultClient); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), `"id":7,"error"`) || !strings.Contains(out.String(), "before it answered") {
		t.Errorf("%s", out.String())
	}
}
