package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/server/mcp"
)

// What no client should send is answered as a fault of the protocol, quickly, and harms
// neither the session nor anybody else.
func TestHostileMessages(t *testing.T) {
	l := newLab(t, mcp.Config{Body: 1 << 20})
	session := l.begin("alice")
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":` + params + `}`
	}
	for name, c := range map[string]struct {
		body   string
		status int
		says   string
	}{
		"too large":             {call(`{"name":"run_script","arguments":{"script":"` + strings.Repeat("x", 1<<20) + `"}}`), 413, ""},
		"too deep":              {strings.Repeat("[", 500_000), 400, ""},
		"too deep and whole":    {call(`{"name":"run_script","arguments":` + strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000) + `}`), 400, ""},
		"deep below the limit":  {call(`{"name":"run_script","arguments":{"script":"return 1","args":{"a":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}}}`), 200, ""},
		"no JSON":               {`{"jsonrpc":`, 400, ""},
		"nothing":               {``, 400, ""},
		"a number":              {`7`, 400, ""},
		"an answer to nothing":  {`{"jsonrpc":"2.0","id":3}`, 202, ""},
		"another version":       {`{"jsonrpc":"1.0","id":3,"method":"ping"}`, 400, ""},
		"an unknown method":     {`{"jsonrpc":"2.0","id":3,"method":"files/steal"}`, 400, ""},
		"an unknown tool":       {call(`{"name":"shell","arguments":{}}`), 200, `-32602`},
		"a tool that is hidden": {call(`{"name":"file_delete","arguments":{"id":"a"}}`), 200, `-32602`},
		"no tool":               {call(`{}`), 200, `-32602`},
		"arguments of no kind":  {call(`{"name":"run_script","arguments":"rm -rf"}`), 200, `invalid_argument`},
		"null arguments":        {call(`{"name":"run_script","arguments":null}`), 200, `invalid_argument`},
		"a name of 100 kB":      {call(`{"name":"` + strings.Repeat("n", 100_000) + `"}`), 200, `-32602`},
		"an unknown prompt":     {`{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"none"}}`, 200, `-32602`},
		"an unknown level":      {`{"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"loud"}}`, 200, `-32602`},
		"a batch":               {`[` + ping + `,` + ping + `]`, 400, ""},
	} {
		got := l.raw("POST", "alice", session, strings.NewReader(c.body))
		if got.status != c.status || !strings.Contains(got.body, c.says) {
			t.Errorf("%s: %d %.300s", name, got.status, got.body)
		}
		if strings.Contains(got.body, "goroutine") || strings.Contains(got.body, "/tmp/") {
			t.Errorf("%s: tells too much: %.300s", name, got.body)
		}
	}
	for name, headers := range map[string][]string{
		"another type":                          {"Content-Type", "text/plain"},
		"no events":                             {"Accept", "text/html"},
		"an unknown protocol":                   {"Mcp-Protocol-Version", "1999-01-01"},
		"a modern protocol without its headers": {"Mcp-Protocol-Version", "2030-01-01"},
		"a foreign page":                        {"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"},
	} {
		if got := l.raw("POST", "alice", session, strings.NewReader(ping), headers...); got.status < 400 || got.status >= 500 {
			t.Errorf("%s: %d %.300s", name, got.status, got.body)
		}
	}
	if got := l.ping("alice", session); got != 200 {
		t.Errorf("the session ended with %d", got)
	}
	var ids []string
	for i := range 200 { // calls of one id, and of ids of every kind
		ids = append(ids, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i%3))
	}
	for _, id := range append(ids, `{"jsonrpc":"2.0","id":"`+strings.Repeat("i", 10_000)+`","method":"ping"}`) {
		if got := l.raw("POST", "alice", session, strings.NewReader(id)); got.status != 200 {
			t.Fatalf("%d %.300s", got.status, got.body)
		}
	}
}
