package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/server"
	"github.com/sandboxd/sandboxd/server/mcp"
)

type mcpCmd struct {
	Tools     string   `help:"The tools to offer: code is run_script and search_api, which cost a model few tokens; all has one for every operation as well." enum:"code,all" default:"code" env:"SANDBOXD_MCP_TOOLS"`
	File      []string `help:"Put a file into the workspace first, as a new version if one of its name is there; may be repeated." placeholder:"PATH"`
	Workspace string   `help:"The workspace to work in." default:"default"`
	Listen    string   `help:"Serve HTTP at this address meanwhile, so that there are file_upload_url and file_download_url, and others can use the data folder; port 0 takes a free one. Defaults to not doing so." placeholder:"ADDRESS"`
	folderFlag
}

// Help is shown below the summary.
func (mcpCmd) Help() string {
	return `Speaks the Model Context Protocol over standard input and output, for clients that start their
servers themselves. Logs go to standard error. Ends when the client closes its side.

A data folder belongs to one process. While sandboxd serve, or another sandboxd mcp with --listen,
has it, messages are passed on to that one.

Examples:

  claude mcp add sandboxd -- sandboxd mcp --data ~/sandboxd --listen 127.0.0.1:0
  npx @modelcontextprotocol/inspector --cli sandboxd mcp --tools=all --method tools/list`
}

// Validate is called by kong.
func (c *mcpCmd) Validate() error {
	if slices.Contains(c.File, "-") {
		return errors.New("--file: standard input is the client's")
	}
	return checkInFiles("--file", c.File...)
}

func (c *mcpCmd) Run(a *app) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	config, err := c.config(a)
	if err != nil {
		return err
	}
	config.Log = a.log(slog.LevelWarn)
	h, err := sandboxd.Open(a.ctx, config)
	if inUse(err) {
		return c.relay(a, dir, err)
	}
	if err != nil {
		return err
	}
	return errors.Join(c.serve(a, dir, h), h.Close())
}

// serve serves the client on the data folder.
func (c *mcpCmd) serve(a *app, dir string, h *sandboxd.Host) (err error) {
	if len(c.File) > 0 {
		if _, err := putFiles(a, h.Files(c.Workspace), c.File, "", true); err != nil {
			return err
		}
	}
	config := mcp.Config{Host: h, Tools: mcp.Toolset(c.Tools), Version: version(), Log: a.log(slog.LevelWarn)}
	if c.Listen == "" {
		return c.talk(a, mcp.New(config))
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return problem.New(problem.Busy, "cannot listen on %s", c.Listen).WithHint("Choose another port with --listen; port 0 takes a free one.").WithCause(err)
	}
	address := "http://" + reachable(listener.Addr())
	links := server.NewLinks(h, address)
	config.Links = links
	s := mcp.New(config)
	token, err := apiToken(c.Token, dir)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	forget, err := announce(dir, address)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer forget()
	ctx, stop := context.WithCancel(a.ctx)
	context.AfterFunc(ctx, s.Drain)
	served := make(chan error, 1)
	go func() {
		served <- server.Serve(ctx, listener, server.Config{Host: h, Token: token, MCP: s, URL: address, Links: links, Log: config.Log})
	}()
	err = c.talk(a, s)
	stop()
	return errors.Join(err, <-served)
}

// talk serves standard input and output until the client has gone.
func (c *mcpCmd) talk(a *app, s *mcp.Server) error {
	defer s.Close()
	return s.Serve(a.ctx, io.NopCloser(a.in), unclosed{a.out}, access.Operator(), c.Workspace)
}

// relay passes the client's messages on to the server that has the data folder.
func (c *mcpCmd) relay(a *app, dir string, locked error) error {
	there, err := runningIn(a.ctx, dir, c.Token, locked)
	if err != nil {
		return err
	}
	if len(c.File) > 0 {
		return problem.New(problem.Conflict, "--file needs the data folder, which a server has").WithHint("Send the file to the server, and leave --file out.")
	}
	there.client.Transport = bearer{there.client.Transport, there.token}
	query := url.Values{"tools": {c.Tools}, "workspace": {c.Workspace}}
	return mcp.Relay(a.ctx, io.NopCloser(a.in), unclosed{a.out}, there.address+"/mcp?"+query.Encode(), there.client)
}

// unclosed is a stream that is not ours to close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// bearer sends a token with every request.
type bearer struct {
	http.RoundTripper
	token string
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.RoundTripper.RoundTrip(r)
}
