package mcp_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/server"
	"github.com/sandboxd/sandboxd/server/mcp"
	"github.com/sandboxd/sandboxd/workspace"
)

func TestMain(m *testing.M) {
	sandboxd.Worker() // the tests' workers are this test binary
	code := m.Run()
	os.RemoveAll(programDir)
	os.Exit(code)
}

// patience is how long a test waits for what must come. It bounds a hang and nothing else: a
// machine may have little time for us.
const patience = 2 * time.Minute

// soundly is a script that goes on until it is cancelled. The lab lets its runs take that long.
const soundly = "await new Promise(r => setTimeout(r, 30 * 60_000))"

// lab is a host, its MCP server mounted in the HTTP server, and tokens by who has them.
type lab struct {
	*testing.T
	host   *sandboxd.Host
	mcp    *mcp.Server
	url    string
	tokens map[string]string
}

func newLab(t *testing.T, config mcp.Config) *lab {
	t.Helper()
	l := &lab{T: t, tokens: map[string]string{"operator": "the operator's token"}}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	var err error
	if l.host, err = sandboxd.Open(t.Context(), sandboxd.Config{Log: quiet, Concurrency: 2, Limits: limits.Limits{WallTime: time.Hour}}); err != nil {
		t.Fatal(err)
	}
	for who, token := range map[string]workspace.NewToken{
		"alice":  {Workspace: "alice", Scopes: access.Scopes()},
		"alice2": {Workspace: "alice", Scopes: access.Scopes()},
		"bob":    {Workspace: "bob", Scopes: access.Scopes()},
		"reader": {Workspace: "alice", Scopes: []access.Scope{access.FilesRead}},
	} {
		token.Name = who
		if _, l.tokens[who], err = l.host.Tokens().Create(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	config.Host, config.Log = l.host, quiet
	if config.Links == nil {
		config.Links = server.NewLinks(l.host, "")
	}
	l.mcp = mcp.New(config)
	web := httptest.NewServer(server.New(server.Config{Host: l.host, Token: l.tokens["operator"], MCP: l.mcp, Log: quiet}))
	t.Cleanup(func() {
		l.mcp.Close()
		web.CloseClientConnections()
		web.Close()
		if err := l.host.Close(); err != nil {
			t.Error(err)
		}
	})
	l.url = web.URL + "/mcp"
	return l
}

// put puts a text into a workspace.
func (l *lab) put(workspace, name, text string) string {
	l.Helper()
	file, err := l.host.Files(workspace).Put(l.Context(), sandboxd.Upload{Name: name, Replace: true, Body: strings.NewReader(text)})
	if err != nil {
		l.Fatal(err)
	}
	return file.ID
}

// bearer sends a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// The protocol's versions with and without sessions.
const (
	withSessions    = "2025-11-25"
	withoutSessions = "2026-07-28"
)

// connect connects the SDK's Go client over HTTP, in the name of a caller.
func (l *lab) connect(who, query string, options *sdk.ClientOptions) *sdk.ClientSession {
	l.Helper()
	return l.connectAt(withSessions, who, query, options)
}

func (l *lab) connectAt(version, who, query string, options *sdk.ClientOptions) *sdk.ClientSession {
	l.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options)
	session, err := client.Connect(l.Context(), &sdk.StreamableClientTransport{Endpoint: l.url + query,
		HTTPClient: &http.Client{Transport: bearer(l.tokens[who])}}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() { _ = session.Close() })
	return session
}

// call calls a tool with arguments given as JSON.
func (l *lab) call(session *sdk.ClientSession, tool, arguments string) *sdk.CallToolResult {
	l.Helper()
	r, err := session.CallTool(l.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		l.Fatal(err)
	}
	return r
}

// text is the first text of a result.
func text(r *sdk.CallToolResult) string {
	for _, content := range r.Content {
		if t, ok := content.(*sdk.TextContent); ok {
			return t.Text
		}
	}
	return ""
}

// structured decodes a result's structured content.
func structured[T any](t *testing.T, r *sdk.CallToolResult) (value T) {
	t.Helper()
	raw, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(raw, &value)
	}
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return value
}

// finished chooses the ends of a workspace's runs, from now on.
func finished(workspace string) event.Filter {
	return event.Filter{Workspace: workspace, After: event.Live, Types: []string{event.RunFinished}}
}

// until waits for what is no event.
func (l *lab) until(what string, is func() bool) {
	l.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			l.Fatal("it is not so that ", what)
		}
	}
}
