package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd/server"
	"github.com/sandboxd/sandboxd/server/mcp"
)

// Calls over MCP: a client of the SDK and the server, with HTTP, tokens and everything
// between them, on a worker that is warm.
var mcpCases = []benchmark{
	{
		name: "tool call over MCP, `file_read_text` of two lines",
		goal: goal{text: "< 3 ms", ms: 3},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.overMCP(ctx, "2025-11-25", 100, "file_read_text", `{"id": "big.log", "start_line": 10, "end_line": 11}`)
		},
	},
	{
		name: "tool call over MCP without sessions (2026-07-28)",
		goal: goal{text: "< 3 ms", ms: 3},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.overMCP(ctx, "2026-07-28", 100, "file_read_text", `{"id": "big.log", "start_line": 10, "end_line": 11}`)
		},
	},
	{
		name: "`run_script` over MCP, `1+1`",
		goal: goal{text: "< 3 ms", ms: 3},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.overMCP(ctx, "2025-11-25", 100, "run_script", `{"script": "1+1"}`)
		},
	},
}

// overMCP calls a tool n times, one after the other.
func (l *lab) overMCP(ctx context.Context, version string, n int, tool, arguments string) ([]time.Duration, error) {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	m := mcp.New(mcp.Config{Host: l.host, Tools: mcp.All, Log: quiet})
	defer m.Close()
	web := httptest.NewServer(server.New(server.Config{Host: l.host, Token: "bench", MCP: m, Log: quiet}))
	defer web.Close()
	client := sdk.NewClient(&sdk.Implementation{Name: "bench"}, nil)
	session, err := client.Connect(ctx, &sdk.StreamableClientTransport{Endpoint: web.URL + "/mcp", HTTPClient: &http.Client{Transport: authorized{}}},
		&sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return nil, err
	}
	defer session.Close()
	var times []time.Duration
	for range n {
		start := time.Now()
		r, err := session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
		if err != nil {
			return nil, err
		}
		if r.IsError {
			return nil, errors.New(tool + " failed")
		}
		times = append(times, time.Since(start))
	}
	return times, nil
}

// authorized sends the bench's token.
type authorized struct{}

func (authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer bench")
	return http.DefaultTransport.RoundTrip(r)
}
