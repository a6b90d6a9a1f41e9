package mcp

import (
	"context"
	"net/url"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/audit"
	"github.com/sandboxd/sandboxd/problem"
)

// client is who is at the other end, and what it works on.
type client struct {
	access.Caller
	workspace string
	session   string // provenance of what its runs make
	origin    audit.Origin
}

type clientKey struct{}

func withClient(ctx context.Context, c client) context.Context {
	return context.WithValue(audit.With(access.With(ctx, c.Caller), c.origin), clientKey{}, c)
}

// clientOf gives the client that a message came from. A context without one, which would
// be a mistake of this package, is of somebody who may do nothing.
func clientOf(ctx context.Context) client {
	c, _ := ctx.Value(clientKey{}).(client)
	return c
}

// conn is what one client is offered: an SDK server of its own, so that a client that
// reads slowly holds nobody up but itself, and subscriptions are nobody else's business.
type conn struct {
	*Server
	sdk   *sdk.Server
	tools Toolset
	many  bool // it serves many clients, and none of them from one request to the next

	mu            sync.Mutex
	subscriptions map[string]*subscription // by URI as subscribed
	following     sync.Once
}

// newConn makes what a client that may do this is offered. id names its session; "" makes none.
func (s *Server) newConn(who access.Caller, tools Toolset, id string) *conn {
	c := &conn{Server: s, tools: tools, subscriptions: map[string]*subscription{}}
	options := &sdk.ServerOptions{
		Instructions:       instructions,
		Logger:             quieter(s.Log),
		CompletionHandler:  c.complete,
		SubscribeHandler:   c.subscribe,
		UnsubscribeHandler: c.unsubscribe,
		GetSessionID:       func() string { return id },
		SetCacheable: func(_ context.Context, _ sdk.Request, cacheable *sdk.Cacheable) {
			cacheable.CacheScope = "private"
		},
		Capabilities: &sdk.ServerCapabilities{
			Logging:   &sdk.LoggingCapabilities{},
			Tools:     &sdk.ToolCapabilities{},
			Prompts:   &sdk.PromptCapabilities{},
			Resources: &sdk.ResourceCapabilities{ListChanged: true},
		},
	}
	c.sdk = sdk.NewServer(&sdk.Implementation{Name: "sandboxd", Title: "sandboxd", Version: s.Version}, options)
	for _, t := range s.tools {
		if (t.always || tools == All) && who.Can(t.scopes...) {
			c.sdk.AddTool(t.tool, t.handle)
		}
	}
	c.sdk.AddReceivingMiddleware(knownLevels)
	c.addResources()
	c.addPrompts()
	if s.extend != nil {
		s.extend(c.sdk)
	}
	return c
}

const instructions = `Files live in a workspace and have names and ids; wherever an id is taken, a name is too. ` +
	`Every change is a version that can be restored, and a script that fails changes nothing. ` +
	`Prefer one run_script that does the whole work and returns a summary over many calls.`

// toolset is the one that a client asks for in its address, or the server's own.
func (s *Server) toolset(query url.Values) (Toolset, error) {
	switch asked := Toolset(query.Get("tools")); asked {
	case "":
		return s.Tools, nil
	case Code, All:
		return asked, nil
	default:
		return "", problem.New(problem.InvalidArgument, "tools: expected %q or %q, got %.100q", Code, All, asked).With("argument", "tools")
	}
}

// sharedConns are those of clients without a session. They differ by what may be seen alone.
type sharedConns struct {
	mu   sync.Mutex
	made map[shape]*conn
}

// shape is what decides how a conn without a session looks.
type shape struct {
	tools            Toolset
	read, write, run bool
}

// share gives the conn of a client without a session: making one for each request would
// take longer than a call.
func (s *Server) share(who access.Caller, tools Toolset) *conn {
	looks := shape{tools, who.Can(access.FilesRead), who.Can(access.FilesWrite), who.Can(access.Run)}
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	c := s.shared.made[looks]
	if c == nil {
		c = s.newConn(who, tools, "")
		c.many = true
		if s.shared.made == nil {
			s.shared.made = map[shape]*conn{}
		}
		s.shared.made[looks] = c
	}
	return c
}
