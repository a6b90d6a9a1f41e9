package mcp

import (
	"context"
	"encoding/json"
	"net"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/audit"
	"github.com/sandboxd/sandboxd/problem"
)

// modern is the first version of the protocol that has no sessions.
const modern = "2026-07-28"

// sessionless is the provenance of what clients without a session make.
const sessionless = "mcp"

// Headers of the transport.
const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
	methodHeader  = "Mcp-Method"
)

type connKey struct{}

// handlers makes the SDK's two handlers. Which conn a request belongs to is decided
// before, so all they do is to ask the request's context.
func (s *Server) handlers() {
	chosen := func(r *http.Request) *sdk.Server {
		if c, ok := r.Context().Value(connKey{}).(*conn); ok {
			return c.sdk
		}
		return nil
	}
	// Host and Origin are checked in front, by names that the SDK does not know.
	options := sdk.StreamableHTTPOptions{Logger: quieter(s.Log), MaxRequestBodyBytes: s.Body, DisableLocalhostProtection: true}
	stateful, stateless := options, options
	s.replay = newReplay()
	stateful.EventStore = s.replay
	stateless.Stateless, stateless.PropagateRequestCancellation = true, true
	s.stateful = sdk.NewStreamableHTTPHandler(chosen, &stateful)
	s.stateless = sdk.NewStreamableHTTPHandler(chosen, &stateless)
}

// ServeHTTP serves streamable HTTP. The caller must be in the request's context: whoever
// mounts it authenticates, and checks Host and Origin. ?tools= chooses the toolset,
// ?workspace= the workspace of callers that have more than one.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	who, tools, err := s.clientFor(r)
	if err != nil {
		refuse(w, err)
		return
	}
	ctx, cancel := context.WithCancel(withClient(r.Context(), who))
	defer cancel()
	r = r.WithContext(ctx)
	sink := newSink(w, s.WritePause, cancel)
	defer sink.end()

	if r.Method == http.MethodGet || listens(r) {
		defer context.AfterFunc(s.streaming, cancel)()
	}
	id := r.Header.Get(sessionHeader)
	switch {
	case s.Stateless || r.Header.Get(versionHeader) >= modern:
		s.serveStateless(sink, r, who, tools)
	case id == "" && r.Method == http.MethodPost:
		s.sessions.open(sink, r, who, tools)
	default:
		s.sessions.serve(sink, r, who, id)
	}
}

// clientFor says who asks for what.
func (s *Server) clientFor(r *http.Request) (client, Toolset, error) {
	caller, ok := access.From(r.Context())
	if !ok {
		return client{}, "", problem.New(problem.Unauthorized, "this needs a token")
	}
	query := r.URL.Query()
	workspace, err := caller.In(query.Get("workspace"), sandboxd.DefaultWorkspace)
	if err != nil {
		return client{}, "", err
	}
	tools, err := s.toolset(query)
	return client{Caller: caller, workspace: workspace, session: sessionless, origin: originOf(r)}, tools, err
}

// listens tells whether a request of the protocol without sessions waits for news.
func listens(r *http.Request) bool { return r.Header.Get(methodHeader) == "subscriptions/listen" }

// originOf is where a request came from, for the record of who did what.
func originOf(r *http.Request) audit.Origin {
	o := audit.From(r.Context()).Origin
	o.Via = audit.MCP
	if o.Address == "" {
		o.Address, _, _ = net.SplitHostPort(r.RemoteAddr)
	}
	return o
}

// serveStateless serves a request that stands for itself. One that listens for changes
// gets a conn of its own, since a follower feeds it.
func (s *Server) serveStateless(w *sink, r *http.Request, who client, tools Toolset) {
	ctx := r.Context()
	if !listens(r) {
		s.stateless.ServeHTTP(w, r.WithContext(context.WithValue(ctx, connKey{}, s.share(who.Caller, tools))))
		return
	}
	changes, err := s.changes(ctx)
	if err != nil {
		refuse(w, err)
		return
	}
	c := s.newConn(who.Caller, tools, "")
	c.follow(ctx, changes, w.cancel) // ends with the request
	w.keepAlive(ctx, s.Heartbeat, s.watch(who.Caller))
	s.stateless.ServeHTTP(w, r.WithContext(context.WithValue(ctx, connKey{}, c)))
}

// refuse answers a request that does not get as far as the protocol.
func refuse(w http.ResponseWriter, err error) {
	p := problem.From(err)
	entry, ok := problem.Lookup(p.Code)
	if !ok {
		entry, _ = problem.Lookup(problem.Internal)
	}
	if p.Code == problem.Busy {
		w.Header().Set("Retry-After", "1")
	}
	if entry.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="sandboxd"`)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(entry.Status)
	json.NewEncoder(w).Encode(map[string]any{"type": entry.Anchor(), "title": entry.Title, "status": entry.Status,
		"detail": p.Message, "code": p.Code, "hint": p.Hint})
}
