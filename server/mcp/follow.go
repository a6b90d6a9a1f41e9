package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/event"
)

// maxSubscriptions bounds what one client may subscribe to.
const maxSubscriptions = 1000

// subscription is one to a file, which may be named by a name that it has no more.
type subscription struct{ ref, id string }

// subscribe lets a client subscribe to a file that there is.
func (c *conn) subscribe(ctx context.Context, req *sdk.SubscribeRequest) error {
	if c.many {
		return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "subscriptions need a session, and this server has none"}
	}
	who := clientOf(ctx)
	if err := who.Require(access.FilesRead, access.Run); err != nil {
		return rpcError(err, req.Params.URI)
	}
	ref, _, ok := parseFileURI(req.Params.URI)
	if !ok {
		if c.extend != nil {
			return nil // a fixture
		}
		return sdk.ResourceNotFoundError(req.Params.URI)
	}
	file, err := c.Host.Files(who.workspace).Stat(ctx, ref)
	if err != nil {
		return rpcError(err, req.Params.URI)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.subscriptions) >= maxSubscriptions {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there are too many subscriptions; the list's own changes tell of all files"}
	}
	c.subscriptions[req.Params.URI] = &subscription{ref, file.ID}
	return nil
}

func (c *conn) unsubscribe(_ context.Context, req *sdk.UnsubscribeRequest) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.subscriptions, req.Params.URI)
	return nil
}

// changes follows the client's files from now on.
func (s *Server) changes(ctx context.Context) (*event.Stream, error) {
	return s.Host.Events().Follow(ctx, event.Filter{Workspace: clientOf(ctx).workspace, After: event.Live,
		Types: []string{event.FileCreated, event.FileModified, event.FileDeleted}})
}

// follow begins to turn events into notifications, once; ctx ends it, and end is called
// where the client's token is not good any more. The stream of events is there since before
// the client's first message, so nothing falls in between.
func (c *conn) follow(ctx context.Context, changes *event.Stream, end func()) {
	c.following.Do(func() {
		following := c.background(func() {
			defer changes.Close()
			token := c.watch(clientOf(ctx).Caller)
			for {
				events, err := changes.Next(ctx)
				if ctx.Err() != nil || errors.Is(err, event.ErrClosed) {
					return
				}
				if err != nil {
					c.Log.ErrorContext(ctx, "following events for an MCP client ended", "cause", err)
					return
				}
				if !token.good(ctx) {
					end()
					return
				}
				for _, e := range events {
					c.notify(ctx, e)
				}
			}
		})
		if !following {
			changes.Close()
		}
	})
}

// notify tells the client of what happened to a file.
func (c *conn) notify(ctx context.Context, e event.Event) {
	var file event.File
	switch e.Type {
	case event.FileCreated, event.FileModified, event.FileDeleted:
		if json.Unmarshal(e.Payload, &file) != nil {
			return
		}
	}
	for _, uri := range c.subscribed(e.Type, file) {
		_ = c.sdk.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri})
	}
	if e.Type != event.FileModified || c.renamed(ctx, e.RunID, file.ID) {
		c.announceList()
	}
}

// subscribed gives the addresses under which the client subscribed to a file. A name is
// that of whatever file has it next.
func (c *conn) subscribed(kind string, file event.File) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var uris []string
	for uri, s := range c.subscriptions {
		if kind == event.FileCreated && s.ref == file.Name {
			s.id = file.ID
		}
		if s.id == file.ID {
			uris = append(uris, uri)
		}
	}
	return uris
}

// renamed tells whether a run gave a file another name: that is an event of the kind that
// a new content is, but changes the list.
func (c *conn) renamed(ctx context.Context, runID, fileID string) bool {
	record, err := c.Host.Runs(clientOf(ctx).workspace).Get(ctx, runID)
	if err != nil || record.Receipt == nil {
		return false
	}
	for _, change := range record.Receipt.Files {
		if change.ID == fileID {
			return change.Action == "renamed" || change.Action == "restored"
		}
	}
	return false
}
