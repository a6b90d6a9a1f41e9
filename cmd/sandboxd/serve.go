package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/server"
	"github.com/sandboxd/sandboxd/server/mcp"
	"github.com/sandboxd/sandboxd/tracing"
)

type serveCmd struct {
	Demo bool `help:"Run the bundled example through the server first, and print its result and receipt."`
	serverSettings
}

// shutdown ends the host within what is left of the time to drain, and sends what is left
// of traces.
func (c *serveCmd) shutdown(h *sandboxd.Host, flush func(context.Context) error, stopped *atomic.Pointer[time.Time]) error {
	left := c.Drain
	if at := stopped.Load(); at != nil {
		left -= time.Since(*at)
	}
	draining, cancel := context.WithTimeout(context.Background(), max(left, 0))
	defer cancel()
	err := h.Shutdown(draining)
	flushing, done := context.WithTimeout(context.Background(), 5*time.Second)
	defer done()
	_ = flush(flushing) // a collector that has gone is not this program's failure
	return err
}

// Help is shown below the summary.
func (serveCmd) Help() string {
	return `Stops on Ctrl-C or SIGTERM, lets the requests under way end, and exits with 0; a second Ctrl-C
stops at once. Exits with 3 if the address or the data folder is in use.

Examples:

  sandboxd serve --demo
  curl -s localhost:8420/api/files -H "Authorization: Bearer $(cat ~/.local/share/sandboxd/token)"
  curl -s localhost:8420/api/files/upload -H "Authorization: Bearer $TOKEN" -F file=@data.csv`
}

func (c *serveCmd) Run(a *app) (err error) {
	dir, err := dataFlag{c.Data}.dir()
	if err != nil {
		return err
	}
	log := c.Log.logger(a.err)
	var stopped atomic.Pointer[time.Time]
	traces, flush, err := tracing.Start(a.ctx, version())
	if err != nil {
		return problem.New(problem.InvalidArgument, "%v", err)
	}
	config := c.host()
	config.Dir, config.Log, config.Tracing = dir, log, traces
	h, err := sandboxd.Open(a.ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.shutdown(h, flush, &stopped)) }()
	token, err := apiToken(string(c.Token), dir)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return problem.New(problem.Busy, "cannot listen on %s", c.Listen).
			WithHint("Another program may be using the port; choose one with --listen, port 0 takes a free one.").WithCause(err)
	}
	ctx, stop := context.WithCancel(a.ctx)
	defer stop()
	served := make(chan error, 1)
	links := server.NewLinks(h, c.URL)
	tools := mcp.New(mcp.Config{Host: h, Tools: mcp.Toolset(c.Tools), Links: links, Version: version(), Log: log})
	defer tools.Close()
	context.AfterFunc(ctx, tools.Drain)
	go func() {
		served <- server.Serve(ctx, listener, server.Config{Host: h, Token: token, Hosts: c.Host, Origins: c.Origin, MCP: tools, URL: c.URL, Links: links,
			CertFile: c.TLS.Cert, KeyFile: c.TLS.Key, Proxies: c.Proxy, Tracing: traces, Rate: c.Rate, Burst: c.Burst, Requests: c.Request, Streams: c.Streams, Drain: c.Drain, Log: log})
	}()
	address := "http://" + reachable(listener.Addr())
	if c.TLS.Cert != "" {
		address = "https://" + reachable(listener.Addr())
	}
	forget, err := announce(dir, address)
	if err != nil {
		stop()
		return errors.Join(err, <-served)
	}
	defer forget()
	if c.Demo {
		if err := demo(a, address, token); err != nil {
			stop()
			return errors.Join(err, <-served)
		}
	}
	c.greet(a, dir, address, token)
	context.AfterFunc(a.ctx, func() {
		now := time.Now()
		stopped.Store(&now)
		fmt.Fprintln(a.err, "Stopping. Requests under way may end; a second Ctrl-C stops at once.")
	})
	return <-served
}

// greet says where to go from here.
func (c *serveCmd) greet(a *app, dir, address, token string) {
	fmt.Fprintf(a.out, "sandboxd is listening on %s\n", address)
	if c.Token == "" {
		file := filepath.Join(dir, "token")
		fmt.Fprintf(a.out, "  Files and runs  %s/?token=%s\n  API             curl -H \"Authorization: Bearer $(cat '%s')\" %s/api/files\n", address, url.QueryEscape(token), file, address)
	} else { // whoever chose it knows it, and this may go to a log
		fmt.Fprintf(a.out, "  Files and runs  %s/?token=…\n  API             %[1]s/api/, with the token as given\n", address)
	}
	fmt.Fprintf(a.out, "  MCP             %s/mcp, with the same token\n", address)
	fmt.Fprintf(a.out, "  Data folder     %s\n  Stop            Ctrl-C\n", dir)
	if host, _, err := net.SplitHostPort(strings.TrimPrefix(address, "http://")); err == nil && c.TLS.Cert == "" {
		if ip := net.ParseIP(host); ip != nil && !ip.IsLoopback() || c.everywhere() {
			fmt.Fprintln(a.err, "Other machines can reach this address, and the token crosses the network unencrypted: use --tls-cert and --tls-key, or put a proxy with TLS in front.")
		}
	}
}

// everywhere is whether the address to listen on is all of this machine's.
func (c *serveCmd) everywhere() bool {
	host, _, err := net.SplitHostPort(c.Listen)
	return err == nil && (host == "" || net.ParseIP(host).IsUnspecified())
}

// reachable is an address that a client on this machine can use.
func reachable(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err == nil && net.ParseIP(host).IsUnspecified() {
		return net.JoinHostPort("localhost", port)
	}
	return addr.String()
}

// apiToken gives the API's token: the one given, or the data folder's own.
func apiToken(given, dir string) (string, error) {
	if given != "" {
		return given, nil
	}
	path := filepath.Join(dir, "token")
	raw, err := os.ReadFile(path)
	if token := strings.TrimSpace(string(raw)); token != "" {
		return token, nil
	}
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	token := rand.Text()
	return token, os.WriteFile(path, []byte(token+"\n"), 0o600)
}
