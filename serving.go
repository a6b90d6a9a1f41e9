package sandboxd

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/audit"
	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/workspace"
)

// What servers need beside files and runs.

// State gives a workspace's state: the keys with a prefix and their JSON values.
func (h *Host) State(ctx context.Context, workspace, prefix string) (map[string]json.RawMessage, error) {
	return h.store.State(ctx, workspaceOr(workspace), prefix)
}

// StateValue gives the JSON value of one key of a workspace's state; null if there is none.
func (h *Host) StateValue(ctx context.Context, workspace, key string) (json.RawMessage, error) {
	return h.store.StateValue(ctx, workspaceOr(workspace), key)
}

// Usage tells what a workspace holds, in bytes.
func (h *Host) Usage(ctx context.Context, workspace string) (workspace.Usage, error) {
	return h.store.Usage(ctx, workspaceOr(workspace))
}

// Events is where the log of events is followed, by thousands if need be.
func (h *Host) Events() *event.Hub { return h.events }

// Secret gives a key of 32 random bytes that the data folder has under a name.
func (h *Host) Secret(ctx context.Context, name string) ([]byte, error) {
	return h.store.Secret(ctx, name)
}

// Dir is the data folder.
func (h *Host) Dir() string { return h.store.Dir() }

// Ready tells why the host cannot take work, or nil.
func (h *Host) Ready(ctx context.Context) error {
	h.mu.Lock()
	closing := h.closing
	h.mu.Unlock()
	if closing {
		return errClosing
	}
	_, err := h.store.LastEvent(ctx)
	return err
}

// Tokens is who may use a server of this host.
type Tokens struct {
	host  *Host
	store *workspace.Store
}

// Tokens gives the tokens.
func (h *Host) Tokens() Tokens { return Tokens{h, h.store} }

// Create makes a token and answers it with its text, which cannot be had again.
func (t Tokens) Create(ctx context.Context, n workspace.NewToken) (workspace.Token, string, error) {
	began := time.Now()
	token, text, err := t.store.CreateToken(ctx, n)
	t.host.audit(ctx, began, audit.Record{Action: audit.TokenCreate, Workspace: n.Workspace, Name: cmp.Or(token.ID, n.Name)}, err)
	return token, text, err
}

// List lists the tokens of a workspace, or with access.Everywhere all, revoked ones too.
func (t Tokens) List(ctx context.Context, workspace string) ([]workspace.Token, error) {
	return t.store.Tokens(ctx, workspace)
}

// Revoke ends a token of a workspace, or with access.Everywhere any; not_found if there is none.
func (t Tokens) Revoke(ctx context.Context, workspace, id string) (workspace.Token, error) {
	began := time.Now()
	token, err := t.store.RevokeToken(ctx, workspace, id)
	t.host.audit(ctx, began, audit.Record{Action: audit.TokenRevoke, Workspace: cmp.Or(token.Workspace, workspace), Name: id}, err)
	return token, err
}

// Check gives the caller that a token's text stands for; unauthorized if it is not good.
func (t Tokens) Check(ctx context.Context, text string) (access.Caller, error) {
	return caller(t.store.CheckToken(ctx, text))
}

// CheckSession gives the caller that a browser's session stands for.
func (t Tokens) CheckSession(ctx context.Context, id, session string) (access.Caller, error) {
	return caller(t.store.CheckSession(ctx, id, session))
}

// ByID gives the caller of a token, for what was signed in its name.
func (t Tokens) ByID(ctx context.Context, id string) (access.Caller, error) {
	return caller(t.store.TokenByID(ctx, id))
}

func caller(t workspace.Token, err error) (access.Caller, error) {
	expires, _ := time.Parse(time.RFC3339, t.ExpiresOn) // "" is never
	return access.Caller{TokenID: t.ID, Name: t.Name, Workspace: t.Workspace, Scopes: t.Scopes, Expires: expires}, err
}
