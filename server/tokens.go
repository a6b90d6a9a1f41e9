package server

import (
	"net/http"
	"time"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

type tokenRequest struct {
	Name      string         `json:"name,omitempty" jsonschema:"For people."`
	Workspace string         `json:"workspace,omitempty" jsonschema:"Which one it is good for; * is all of them. Defaults to that of the request."`
	Scopes    []access.Scope `json:"scopes" jsonschema:"Some of files:read, files:write, run, send, admin; or all."`
	ExpiresIn int64          `json:"expires_in,omitempty" jsonschema:"Seconds. Defaults to for ever, or as long as the token that makes it."`
}

type tokenMade struct {
	ID        string         `json:"id"`
	Token     string         `json:"token"` // what the bearer sends; it cannot be had again
	Name      string         `json:"name"`
	Workspace string         `json:"workspace"`
	Scopes    []access.Scope `json:"scopes"`
	ExpiresOn string         `json:"expires_on"` // "" is never
}

type tokenList struct {
	Tokens []workspace.Token `json:"tokens"`
}

func (s *server) tokenRoutes() []route {
	made := takesAndGives(route{method: "POST", path: "/api/tokens", id: "createToken", tag: "tokens", scopes: ruling,
		summary: "Make a token. Its text is in this answer and nowhere else."}, s.createToken)
	made.answers[0].doc = "The token."
	return []route{
		made,
		gives(route{method: "GET", path: "/api/tokens", id: "listTokens", tag: "tokens", scopes: ruling, summary: "List tokens, the revoked ones too."}, s.listTokens),
		gives(route{method: "DELETE", path: "/api/tokens/{id}", id: "revokeToken", tag: "tokens", scopes: ruling, summary: "Revoke a token, from now on."}, s.revokeToken),
	}
}

// createToken makes a token that can no more than the one that asks for it.
func (s *server) createToken(r *http.Request, in tokenRequest) (tokenMade, error) {
	a := askedOf(r)
	if in.Workspace == "" {
		in.Workspace = a.workspace
	}
	if a.caller.Workspace != access.Everywhere && in.Workspace != a.caller.Workspace {
		return tokenMade{}, problem.New(problem.Forbidden, "the token may make tokens for its own workspace only")
	}
	words := make([]string, len(in.Scopes))
	for i, scope := range in.Scopes {
		words[i] = string(scope)
	}
	scopes, err := access.ParseScopes(words...)
	if err != nil {
		return tokenMade{}, err
	}
	for _, scope := range scopes {
		if err := a.caller.Require(scope); err != nil {
			return tokenMade{}, err
		}
	}
	const forever = int64(100 * 365 * 24 * time.Hour / time.Second)
	if in.ExpiresIn < 0 || in.ExpiresIn > forever {
		return tokenMade{}, invalid("expires_in", "expected seconds from 1, got %d", in.ExpiresIn)
	}
	good := time.Duration(in.ExpiresIn) * time.Second
	if left := time.Until(a.caller.Expires); !a.caller.Expires.IsZero() && good == 0 {
		good = max(left, time.Millisecond)
	} else if !a.caller.Expires.IsZero() && good > left {
		return tokenMade{}, problem.New(problem.Forbidden, "a token cannot make one that outlives it; it has %d s left", int64(left/time.Second)).
			WithHint("Send a smaller expires_in, or none.")
	}
	t, text, err := s.Host.Tokens().Create(r.Context(), workspace.NewToken{Name: in.Name, Workspace: in.Workspace, Scopes: scopes, For: good})
	return tokenMade{t.ID, text, t.Name, t.Workspace, t.Scopes, t.ExpiresOn}, err
}

func (s *server) listTokens(r *http.Request) (tokenList, error) {
	tokens, err := s.Host.Tokens().List(r.Context(), askedOf(r).caller.Workspace)
	return tokenList{tokens}, err
}

func (s *server) revokeToken(r *http.Request) (workspace.Token, error) {
	return s.Host.Tokens().Revoke(r.Context(), askedOf(r).caller.Workspace, r.PathValue("id"))
}
