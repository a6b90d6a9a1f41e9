package access_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/problem"
)

func TestScopes(t *testing.T) {
	got, err := access.ParseScopes("run, files:read", "run")
	if err != nil || !slices.Equal(got, []access.Scope{access.FilesRead, access.Run}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := access.ParseScopes("all"); err != nil || len(got) != len(access.Scopes()) {
		t.Errorf("all is %v, %v", got, err)
	}
	for _, wrong := range []string{"", "files", "RUN", "run;admin"} {
		if got, err := access.ParseScopes(wrong); problem.CodeOf(err) != problem.InvalidArgument {
			t.Errorf("%q is %v, %v", wrong, got, err)
		}
	}
}

func TestACallerStaysInItsWorkspace(t *testing.T) {
	mine := access.Caller{Workspace: "mine", Scopes: []access.Scope{access.FilesRead}}
	for _, c := range []struct {
		caller      access.Caller
		asked, want string
		code        problem.Code
	}{
		{mine, "", "mine", ""},
		{mine, "mine", "mine", ""},
		{mine, "other", "", problem.NotFound},
		{mine, "*", "", problem.NotFound},
		{access.Operator(), "", "default", ""},
		{access.Operator(), "other", "other", ""},
	} {
		if got, err := c.caller.In(c.asked, "default"); got != c.want || problem.CodeOf(err) != c.code {
			t.Errorf("%s asks for %q: %q, %v", c.caller.Workspace, c.asked, got, err)
		}
	}
	if err := mine.Require(access.FilesWrite, access.Run); problem.CodeOf(err) != problem.Forbidden || !strings.Contains(err.Error(), "files:write or run") {
		t.Error(err)
	}
	if err := mine.Require(access.Run, access.FilesRead); err != nil {
		t.Error(err)
	}
	if !mine.Can() || (access.Caller{}).Can(access.FilesRead) {
		t.Error("a caller can what it should not, or cannot what it may")
	}
	if c, ok := access.From(access.With(context.Background(), mine)); !ok || c.Workspace != "mine" {
		t.Errorf("%+v", c)
	}
	if _, ok := access.From(context.Background()); ok {
		t.Error("there is a caller where none was set")
	}
}

func TestTokens(t *testing.T) {
	id, token := access.NewToken()
	other, second := access.NewToken()
	if id == other || token == second {
		t.Error("two tokens are one")
	}
	if got, ok := access.TokenID(token); !ok || got != id {
		t.Errorf("the id of %s is %q", token, got)
	}
	for _, text := range []string{"", "sbx_", "sbx_x", "sbx__y", "sbx_x_", "other_x_y"} {
		if got, ok := access.TokenID(text); ok {
			t.Errorf("%q has the id %q", text, got)
		}
	}
	hash := access.Hash(token)
	if !access.Matches(token, hash) || access.Matches(second, hash) || access.Matches(hash, hash) || access.Matches(token, "") || strings.Contains(hash, token) {
		t.Error("a hash matches what it should not")
	}
	if s := access.Session(token); s == access.Session(second) || access.Matches(s, hash) {
		t.Error("a session opens what a token does")
	}
}
