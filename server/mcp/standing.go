package mcp

import (
	"context"
	"time"

	"github.com/sandboxd/sandboxd/access"
)

// recheckAfter is how long a stream relies on its token before it looks again whether that
// was revoked or has expired.
const recheckAfter = time.Second

// standing is the token that something long was begun with. It is one goroutine's.
type standing struct {
	server  *Server
	token   string // "" is the operator's, which cannot be revoked
	checked time.Time
}

// watch relies on a caller that has just been let in.
func (s *Server) watch(who access.Caller) *standing {
	return &standing{server: s, token: who.TokenID, checked: time.Now()}
}

// good tells whether the token is still good.
func (t *standing) good(ctx context.Context) bool {
	if t.token == "" || time.Since(t.checked) < min(recheckAfter, t.server.Heartbeat/2) {
		return true
	}
	t.checked = time.Now()
	_, err := t.server.Host.Tokens().ByID(ctx, t.token)
	return err == nil
}
