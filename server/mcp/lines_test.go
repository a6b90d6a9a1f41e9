package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/server/mcp"
)

// sink collects what is written, and closes seen at the first write with these words.
type sink struct {
	strings.Builder
	words string
	seen  chan struct{}
}

func (s *sink) Write(data []byte) (int, error) {
	if s.words != "" && bytes.Contains(data, []byte(s.words)) {
		s.words = ""
		close(s.seen)
	}
	return s.Builder.Write(data)
}

func (*sink) Close() error { return nil }

// said sends lines to a server, closes its input, and gives what it answered, by id; what
// has none is under "null".
func (l *lab) said(lines ...string) map[string]string {
	l.Helper()
	return l.talk(append([]string{initialize, `{"jsonrpc":"2.0","method":"notifications/initialized"}`}, lines...)...)
}

// talk is said without an initialize before.
func (l *lab) talk(lines ...string) map[string]string {
	l.Helper()
	return l.exchange(strings.NewReader(strings.Join(lines, "\n")), &sink{})
}

// exchange has a server read from in until its end, and gives what it wrote, by id.
func (l *lab) exchange(in io.Reader, out *sink) map[string]string {
	l.Helper()
	ended := make(chan error, 1)
	go func() { ended <- l.mcp.Serve(l.Context(), io.NopCloser(in), out, access.Operator(), "alice") }()
	select {
	case err := <-ended:
		if err != nil {
			l.Fatal(err)
		}
	case <-time.After(patience):
		l.Fatal("the server does not end with its input")
	}
	answers := map[string]string{}
	for line := range strings.Lines(out.String()) {
		var m struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			l.Fatalf("%v: %s", err, line)
		}
		answers[string(m.ID)] += line
	}
	return answers
}

// A client that is gone without a word ends the server, also while it listens for news.
func TestLinesEndWhileListening(t *testing.T) {
	l := newLab(t, mcp.Config{})
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"}}`
	in, client := io.Pipe()
	out := &sink{words: "acknowledged", seen: make(chan struct{})}
	go func() {
		fmt.Fprintln(client, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{`+meta+`,"notifications":{"resourcesListChanged":true}}}`)
		<-out.seen
		fmt.Fprintln(client, `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{`+meta+`}}`)
		client.Close()
	}()
	if got := l.exchange(in, out); !strings.Contains(got["2"], "run_script") {
		t.Errorf("%v", got)
	}
}

// A call that was cancelled is not answered, however it ended.
func TestLinesOfACancelledCall(t *testing.T) {
	l := newLab(t, mcp.Config{})
	in, client := io.Pipe()
	out := &sink{words: "begun", seen: make(chan struct{})}
	go func() {
		fmt.Fprintln(client, initialize)
		fmt.Fprintln(client, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		fmt.Fprintln(client, `{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"_meta":{"progressToken":"p"},"name":"run_script","arguments":{"script":"console.log('beg' + 'un'); for (;;) {}"}}}`)
		<-out.seen
		fmt.Fprintln(client, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":13}}`)
		fmt.Fprintln(client, `{"jsonrpc":"2.0","id":14,"method":"tools/call","params":{"name":"run_script","arguments":{"script":"await new Promise(r => setTimeout(r, 1000)); return 'late'"}}}`)
		client.Close()
	}()
	if got := l.exchange(in, out); got["13"] != "" || !strings.Contains(got["14"], `\"late\"`) {
		t.Errorf("answered %q and %q", got["13"], got["14"])
	}
}

// Everything that was asked before the client closed its side is answered, however long it
// takes; what is no message is told so and skipped.
func TestLines(t *testing.T) {
	l := newLab(t, mcp.Config{Body: 10_000})
	long := `{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"run_script","arguments":{"script":"await new Promise(r => setTimeout(r, 300)); return 'late'"}}}`
	got := l.said(
		"", "   ", "\t",
		long,
		"garbage",
		strings.Repeat("[", 9_000),
		strings.Repeat("x", 30_000),
		`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"run_script","arguments":{"script":"`+strings.Repeat("x", 10_000)+`"}}}`,
		`[`+ping+`]`,
		`"text"`, `null`, `7`,
		`{"jsonrpc":"2.0","id":12,"method":"files/steal"}`,
		`{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":"run_script","arguments":{"script":"for (;;) {}"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":13}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`,
		`{"jsonrpc":"2.0","id":99,"result":{}}`,
		ping,
	)
	for id, want := range map[string]string{"1": "sandboxd", "2": `"result"`, "10": `\"late\"`, "12": "-32601", "null": "-32700"} {
		if !strings.Contains(got[id], want) {
			t.Errorf("%s is answered %q", id, got[id])
		}
	}
	if n := strings.Count(got["null"], "\n"); n != 8 {
		t.Errorf("%d lines were told that they are no messages:\n%s", n, got["null"])
	}
	if got["11"] != "" || strings.Contains(got["13"], `"result"`) {
		t.Errorf("answered %q and %q", got["11"], got["13"])
	}
}
