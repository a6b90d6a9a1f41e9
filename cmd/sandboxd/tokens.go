package main

import (
	"fmt"
	"net/url"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/workspace"
)

type tokensCmd struct {
	Create tokensCreateCmd `cmd:"" help:"Make a token and print it, which cannot be done again."`
	Ls     tokensLsCmd     `cmd:"" help:"List tokens, the revoked ones too."`
	Revoke tokensRevokeCmd `cmd:"" help:"Revoke tokens, from now on."`
}

// tokensFlag is where tokens are kept: a data folder, or the server that has it.
type tokensFlag struct{ folderFlag }

// with works on the data folder, or asks the server that has it.
func (f tokensFlag) with(a *app, here func(sandboxd.Tokens) error, there func(*running) error) error {
	return f.folderFlag.with(a, func(h *sandboxd.Host) error { return here(h.Tokens()) }, there)
}

type tokensCreateCmd struct {
	Name      string        `arg:"" optional:"" help:"What it is for, for people."`
	Scopes    []string      `help:"What it opens: files:read, files:write, run, send, admin; or all." default:"files:read,files:write,run"`
	Workspace string        `help:"Which workspace it is good for; * is all." default:"default"`
	Expires   time.Duration `help:"How long it is good, such as 24h. Defaults to for ever."`
	JSON      bool          `help:"Print JSON: {id, token, name, workspace, scopes, expires_on}."`
	tokensFlag
}

// Help is shown below the summary.
func (tokensCreateCmd) Help() string {
	return `A script can read and change all files of its workspace, whatever other scopes its token has.

Examples:

  sandboxd tokens create ci --scopes run --expires 720h
  sandboxd tokens create dashboard --workspace team-1 --scopes files:read`
}

type tokenMade struct {
	ID        string         `json:"id"`
	Token     string         `json:"token"`
	Name      string         `json:"name"`
	Workspace string         `json:"workspace"`
	Scopes    []access.Scope `json:"scopes"`
	ExpiresOn string         `json:"expires_on"`
}

func (c *tokensCreateCmd) Run(a *app) error {
	scopes, err := access.ParseScopes(c.Scopes...)
	if err != nil {
		return err
	}
	var made tokenMade
	err = c.with(a, func(tokens sandboxd.Tokens) error {
		t, text, err := tokens.Create(a.ctx, workspace.NewToken{Name: c.Name, Workspace: c.Workspace, Scopes: scopes, For: c.Expires})
		made = tokenMade{t.ID, text, t.Name, t.Workspace, t.Scopes, t.ExpiresOn}
		return err
	}, func(server *running) error {
		return server.call("POST", "/api/tokens", map[string]any{"name": c.Name, "workspace": c.Workspace, "scopes": scopes,
			"expires_in": int64(c.Expires.Seconds())}, &made)
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(made)
	}
	_, err = fmt.Fprintln(a.out, made.Token)
	return err
}

type tokensLsCmd struct {
	JSON bool `help:"Print JSON: {tokens: [...]}."`
	tokensFlag
}

func (c *tokensLsCmd) Run(a *app) error {
	var list struct {
		Tokens []workspace.Token `json:"tokens"`
	}
	err := c.with(a, func(tokens sandboxd.Tokens) (err error) {
		list.Tokens, err = tokens.List(a.ctx, access.Everywhere)
		return err
	}, func(server *running) error { return server.call("GET", "/api/tokens", nil, &list) })
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(list)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, t := range list.Tokens {
		scopes := make([]string, len(t.Scopes))
		for i, scope := range t.Scopes {
			scopes[i] = string(scope)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", t.ID, t.Workspace, strings.Join(scopes, ","), standing(t), cell(t.Name))
	}
	return w.Flush()
}

// standing is whether a token is good, in a few words.
func standing(t workspace.Token) string {
	switch {
	case t.RevokedOn != "":
		return "revoked " + t.RevokedOn
	case t.ExpiresOn != "":
		return "until " + t.ExpiresOn
	}
	return "good"
}

type tokensRevokeCmd struct {
	ID []string `arg:"" name:"token" help:"Ids of tokens, from tokens ls."`
	tokensFlag
}

func (c *tokensRevokeCmd) Run(a *app) error {
	return c.with(a, func(tokens sandboxd.Tokens) error {
		for _, id := range c.ID {
			if _, err := tokens.Revoke(a.ctx, access.Everywhere, id); err != nil {
				return err
			}
		}
		return nil
	}, func(server *running) error {
		for _, id := range c.ID {
			if err := server.call("DELETE", "/api/tokens/"+url.PathEscape(id), nil, new(workspace.Token)); err != nil {
				return err
			}
		}
		return nil
	})
}
