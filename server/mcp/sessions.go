package mcp

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/problem"
)

// crowd is how many times more sessions all tokens together may have than one.
const crowd = 16

// sessions are the HTTP sessions that there are: whose each is, and when it was last used.
// The SDK has a table of its own; this one bounds it and keeps strangers out.
type sessions struct {
	server *Server

	mu   sync.Mutex
	byID map[string]*session
}

// session is one client's, over many requests.
type session struct {
	*conn
	id     string
	client client
	ctx    context.Context // ends with the session
	cancel context.CancelFunc

	changes *event.Stream // from before the client's first message on
	begun   chan struct{} // closed when sdk is set, or never will be

	// Guarded by sessions.mu.
	requests int // under way
	used     time.Time
	idle     *time.Timer
	sdk      *sdk.ServerSession // set when begun; nil if it came to nothing
}

// open serves a request that begins a session.
func (t *sessions) open(w http.ResponseWriter, r *http.Request, who client, tools Toolset) {
	id := rand.Text()
	// Files say which session made them; the id itself opens the session, and stays secret.
	who.session = "mcp-" + strings.ToLower(rand.Text()[:10])
	ctx, cancel := context.WithCancel(withClient(context.WithoutCancel(r.Context()), who))
	n := &session{id: id, client: who, ctx: ctx, cancel: cancel, begun: make(chan struct{}), requests: 1, used: time.Now()}
	if err := t.admit(n); err != nil {
		cancel()
		refuse(w, err)
		return
	}
	defer func() {
		if n.sdk == nil { // it came to nothing
			t.forget(n)
		}
		close(n.begun)
	}()
	var err error
	if n.changes, err = t.server.changes(ctx); err != nil {
		refuse(w, err)
		return
	}
	n.conn = t.server.newConn(who.Caller, tools, id)
	t.server.stateful.ServeHTTP(w, r.WithContext(context.WithValue(withClient(r.Context(), who), connKey{}, n.conn)))

	// A request that was no initialize has left no session behind.
	for begun := range n.conn.sdk.Sessions() {
		t.begin(n, begun)
	}
}

// begin keeps a session until its end, whoever brings it about.
func (t *sessions) begin(n *session, begun *sdk.ServerSession) {
	t.become(n, begun) // before Close waits for it, so that Close ends it
	waits := t.server.background(func() {
		_ = begun.Wait()
		t.forget(n)
	})
	if !waits { // everything ends
		_ = begun.Close()
		t.become(n, nil)
		return
	}
	t.leave(n)
}

func (t *sessions) become(n *session, begun *sdk.ServerSession) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n.sdk = begun
}

// serve serves a request of a session that there is. One of another token is not found.
func (t *sessions) serve(w *sink, r *http.Request, who client, id string) {
	n := t.enter(r.Context(), who, id)
	if n == nil && id != "" {
		http.Error(w, "session not found", http.StatusNotFound)
		return
	}
	if n == nil { // a GET or DELETE of nothing; the SDK says what is wrong with it
		t.server.stateful.ServeHTTP(w, r)
		return
	}
	defer t.leave(n)
	n.version(r)
	if r.Method == http.MethodGet {
		n.conn.follow(n.ctx, n.changes, func() { t.end(n) })
		w.keepAlive(r.Context(), t.server.Heartbeat, t.server.watch(who.Caller))
	}
	t.server.stateful.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), connKey{}, n.conn)))
	if r.Method == http.MethodDelete && !slices.Contains(slices.Collect(n.conn.sdk.Sessions()), n.sdk) {
		t.drop(n) // before the client is told
	}
}

// version makes the request one of the protocol that its session agreed on. There are
// clients that go on to send the oldest version, and would get the oldest features.
func (n *session) version(r *http.Request) {
	known := sdk.SupportedProtocolVersions()
	if begun := n.sdk.InitializeParams(); begun != nil && slices.Contains(known, begun.ProtocolVersion) && slices.Contains(known, r.Header.Get(versionHeader)) {
		r.Header.Set(versionHeader, begun.ProtocolVersion)
	}
}

// admit takes a session in. Where a token has as many as it may, its session that has been
// idle longest ends: clients that were not closed in order leave theirs behind.
func (t *sessions) admit(n *session) error {
	t.mu.Lock()
	if t.server.isClosed() {
		t.mu.Unlock()
		return problem.New(problem.Busy, "sandboxd is shutting down")
	}
	var own int
	var oldest *session
	for _, other := range t.byID {
		if !sameCaller(other.client, n.client) {
			continue
		}
		own++
		if other.requests == 0 && (oldest == nil || other.used.Before(oldest.used)) {
			oldest = other
		}
	}
	full := len(t.byID) >= crowd*t.server.Sessions
	if own >= t.server.Sessions || full {
		if oldest == nil {
			t.mu.Unlock()
			return problem.New(problem.Busy, "there are too many MCP sessions").WithHint("Close some of them, or try again in a moment.")
		}
		delete(t.byID, oldest.id) // its end follows
	}
	t.byID[n.id] = n
	t.mu.Unlock()
	if oldest != nil && (own >= t.server.Sessions || full) {
		t.end(oldest)
	}
	return nil
}

// enter counts a request of a session in; nil if it is not the caller's, or over.
func (t *sessions) enter(ctx context.Context, who client, id string) *session {
	t.mu.Lock()
	n := t.byID[id]
	if n == nil || !sameCaller(n.client, who) {
		t.mu.Unlock()
		return nil
	}
	n.requests++
	if n.idle != nil {
		n.idle.Stop()
	}
	t.mu.Unlock()
	// The client may have read the answer to its first request before that has ended here.
	select {
	case <-n.begun:
	case <-ctx.Done():
	}
	t.mu.Lock()
	usable := n.sdk != nil
	t.mu.Unlock()
	if !usable {
		t.leave(n)
		return nil
	}
	return n
}

// leave counts it out, and from the last one on the session is idle.
func (t *sessions) leave(n *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n.requests--
	n.used = time.Now()
	if n.requests == 0 && t.byID[n.id] == n {
		n.idle = time.AfterFunc(t.server.Idle, func() { t.expire(n) })
	}
}

// expire ends a session that nobody has used since its timer was set.
func (t *sessions) expire(n *session) {
	t.mu.Lock()
	idle := n.requests == 0 && t.byID[n.id] == n
	if idle {
		delete(t.byID, n.id)
	}
	t.mu.Unlock()
	if idle {
		t.end(n)
	}
}

// end closes a session; what remembers it goes after that, in forget.
func (t *sessions) end(n *session) {
	n.cancel()
	t.mu.Lock()
	begun := n.sdk
	t.mu.Unlock()
	if begun != nil {
		_ = begun.Close()
	}
}

// forget drops what there was of a session.
func (t *sessions) forget(n *session) {
	n.cancel()
	if n.changes != nil {
		n.changes.Close()
	}
	// A call that was ending meanwhile may have left its answer behind.
	_ = t.server.replay.SessionClosed(context.Background(), n.id)
	t.drop(n)
}

// drop makes place for another session.
func (t *sessions) drop(n *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n.idle != nil {
		n.idle.Stop()
	}
	if t.byID[n.id] == n {
		delete(t.byID, n.id)
	}
}

// close ends all sessions and admits no more.
func (t *sessions) close() {
	t.mu.Lock()
	var all []*session
	for _, n := range t.byID {
		all = append(all, n)
	}
	t.mu.Unlock()
	for _, n := range all {
		t.end(n)
	}
}

// sameCaller tells whether two clients are of one token, working on one workspace.
func sameCaller(a, b client) bool {
	return a.TokenID == b.TokenID && a.workspace == b.workspace
}
