// Package access is who may do what: scopes, the caller of a request, and the form of
// tokens. Tokens are stored by workspace and checked by server; whatever is mounted into
// the server, such as MCP, finds the caller in its context.
//
// Imports problem. Start reading at Caller.
package access

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd/problem"
)

// Scope is something that a token lets its bearer do in its workspace.
type Scope string

// The scopes. Run is more than it looks: a script can read and change every file of the
// workspace.
const (
	FilesRead  Scope = "files:read"  // list and download files, read state, follow events of both
	FilesWrite Scope = "files:write" // upload, rename, restore and delete files
	Run        Scope = "run"         // run scripts, call operations, look at runs, undo them
	Send       Scope = "send"        // let runs send to channels
	Admin      Scope = "admin"       // make, list and revoke tokens, read metrics
)

var scopes = []Scope{FilesRead, FilesWrite, Run, Send, Admin}

// Scopes lists every scope.
func Scopes() []Scope { return slices.Clone(scopes) }

// ParseScopes reads scopes, given one by one or separated by commas or spaces. "all" is
// every one of them.
func ParseScopes(words ...string) ([]Scope, error) {
	var list []Scope
	for _, word := range words {
		for _, name := range strings.FieldsFunc(word, func(r rune) bool { return r == ',' || r == ' ' }) {
			switch scope := Scope(name); {
			case name == "all":
				list = append(list, scopes...)
			case slices.Contains(scopes, scope):
				list = append(list, scope)
			default:
				return nil, problem.New(problem.InvalidArgument, "scopes: there is no scope %.100q; expected some of %s, or all", name, names(scopes)).
					With("argument", "scopes")
			}
		}
	}
	if len(list) == 0 {
		return nil, problem.New(problem.InvalidArgument, "scopes: expected some of %s, or all; got none", names(scopes)).With("argument", "scopes")
	}
	slices.SortFunc(list, func(a, b Scope) int { return slices.Index(scopes, a) - slices.Index(scopes, b) })
	return slices.Compact(list), nil
}

func names(list []Scope) string {
	words := make([]string, len(list))
	for i, scope := range list {
		words[i] = string(scope)
	}
	return strings.Join(words, ", ")
}

// Everywhere is the workspace of a token that is good for all of them.
const Everywhere = "*"

// Caller is whoever makes a request.
type Caller struct {
	TokenID   string // "" is the operator's own token
	Name      string // of the token, for people
	Workspace string // Everywhere or one
	Scopes    []Scope
	Expires   time.Time // of the token; zero is never
}

// Operator is the caller with the server's own token: it may do everything.
func Operator() Caller {
	return Caller{Name: "operator", Workspace: Everywhere, Scopes: Scopes()}
}

// Can tells whether the caller has one of the scopes; none asked for is always had.
func (c Caller) Can(any ...Scope) bool {
	return len(any) == 0 || slices.ContainsFunc(any, func(s Scope) bool { return slices.Contains(c.Scopes, s) })
}

// Require answers forbidden unless the caller has one of the scopes.
func (c Caller) Require(any ...Scope) error {
	if c.Can(any...) {
		return nil
	}
	return problem.New(problem.Forbidden, "the token has not the scope %s", strings.ReplaceAll(names(any), ", ", " or ")).
		WithHint("Use a token that has it: sandboxd tokens create --scopes %s.", any[0]).With("scopes", any)
}

// In gives the workspace that a request of the caller is about: the one it asks for, or
// where that is empty the caller's own, or def. Other workspaces are not found.
func (c Caller) In(asked, def string) (string, error) {
	switch {
	case c.Workspace != Everywhere && (asked == "" || asked == c.Workspace):
		return c.Workspace, nil
	case c.Workspace == Everywhere && asked == "":
		return def, nil
	case c.Workspace == Everywhere:
		return asked, nil
	}
	return "", problem.New(problem.NotFound, "there is no workspace %.100q", asked).WithHint("Leave it out: the token says which workspace it is for.")
}

type callerKey struct{}

// With remembers the caller in a context.
func With(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// From gives the caller of the request that a context belongs to; false outside of one.
func From(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}
