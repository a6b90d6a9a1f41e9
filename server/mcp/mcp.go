// Package mcp is sandboxd as a Model Context Protocol server: the operations as tools, the
// files as resources that can be subscribed to, a prompt or two; over standard input and
// output, and as an http.Handler for streamable HTTP.
//
// The protocol is the official SDK's; here is what sandboxd has to say in it. Everything
// is derived: tools.go makes tools of the operation table, result.go makes results of a
// run's answer, resources.go makes resources of the files, follow.go makes notifications
// of the event log. conn.go puts these together for one client, http.go and stdio.go are
// the two ways in.
//
// Imports sandboxd and what lies below it; server mounts it. Start reading at New.
package mcp

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/bindings"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/op"
)

// Toolset says which tools a client is shown.
type Toolset string

// The toolsets.
const (
	Code Toolset = "code" // run_script and search_api: few tokens, and the model writes code
	All  Toolset = "all"  // these, and a tool for every operation
)

// Config is what a Server needs.
type Config struct {
	// Host runs the scripts and keeps the files. Required.
	Host *sandboxd.Host
	// Tools are shown to clients that do not ask for others with ?tools=. Defaults to Code.
	Tools Toolset
	// Links makes addresses for up- and downloads; with it there are file_upload_url and
	// file_download_url.
	Links access.Links
	// Stateless serves HTTP without sessions, as is needed behind a balancer that does not
	// keep a client with one server: there are no notifications outside of calls then.
	// Clients of protocol 2026-07-28 and later are always served so.
	Stateless bool
	// Sessions is how many HTTP sessions a token may have; the one that is idle longest
	// makes place for a new one. Defaults to 64. All together may have 16 times as many.
	Sessions int
	// Idle is when a session without any request ends. Defaults to 30 min.
	Idle time.Duration
	// Body is how many bytes a message may have. Defaults to 8 MB.
	Body int64
	// Resource is how many bytes a resource may have that is read as one; larger files
	// have operations and links. Defaults to 4 MB.
	Resource int64
	// Progress is how often a call that goes on says so to a client that wants to know:
	// clients give up on a call that is silent, by default after a minute. Defaults to 5 s.
	Progress time.Duration
	// Heartbeat is how often a stream without news says that it is there: proxies cut silent
	// connections, and a client that is gone shows. Defaults to 25 s.
	Heartbeat time.Duration
	// WritePause is how long a reader may take no byte of what is sent to it before its
	// connection ends. Defaults to 20 s.
	WritePause time.Duration
	// Version is told to clients. Defaults to "dev".
	Version string
	// Log gets what operators should know. Defaults to slog.Default().
	Log *slog.Logger

	// extend adds to what a client is offered; tests bring their fixtures in by it.
	extend func(*sdk.Server)
}

func (c Config) withDefaults() Config {
	if c.Tools == "" {
		c.Tools = Code
	}
	if c.Sessions <= 0 {
		c.Sessions = 64
	}
	if c.Idle <= 0 {
		c.Idle = 30 * time.Minute
	}
	if c.Body <= 0 {
		c.Body = 8 * limits.MB
	}
	if c.Resource <= 0 {
		c.Resource = 4 * limits.MB
	}
	if c.Progress <= 0 {
		c.Progress = 5 * time.Second
	}
	if c.Heartbeat <= 0 {
		c.Heartbeat = 25 * time.Second
	}
	if c.WritePause <= 0 {
		c.WritePause = 20 * time.Second
	}
	if c.Version == "" {
		c.Version = "dev"
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

// Server serves MCP. It is safe for concurrent use.
type Server struct {
	Config
	table op.Table
	tools []tool // all of them, in the order in which they are listed

	stateful, stateless http.Handler
	sessions            sessions
	replay              *replay
	shared              sharedConns

	streaming   context.Context // ends with Drain
	stopStreams context.CancelFunc

	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup // what goes on beside requests: followers, and waits for sessions' ends
}

// New makes a server. Close ends it.
func New(config Config) *Server {
	s := &Server{Config: config.withDefaults(), table: bindings.Table()}
	s.tools = s.toolList()
	s.streaming, s.stopStreams = context.WithCancel(context.Background())
	s.sessions = sessions{server: s, byID: map[string]*session{}}
	s.handlers()
	return s
}

// Drain ends the streams over which clients wait for news, so that what remains under way
// is calls, which end by themselves.
func (s *Server) Drain() { s.stopStreams() }

// Close ends all HTTP sessions and waits for what they left.
func (s *Server) Close() {
	s.Drain()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.sessions.close()
	s.work.Wait()
}

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// background does something that Close waits for; false if the server is closed.
func (s *Server) background(work func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.work.Go(work)
	}
	return !s.closed
}
