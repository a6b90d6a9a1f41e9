package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/server"
)

type serveCmd struct {
	Listen string        `help:"The address to listen on; port 0 takes a free one." default:"127.0.0.1:8420" env:"SANDBOXD_LISTEN"`
	Host   []string      `help:"A name that clients may use for this server beside localhost and IP addresses; may be repeated." placeholder:"NAME"`
	Token  string        `help:"The token that opens the API. Better in the environment: other users see a command line. Defaults to one that is made at the first start and kept in the data folder, in the file token." env:"SANDBOXD_TOKEN" placeholder:"TOKEN"`
	Drain  time.Duration `help:"How long requests under way may take to end at a stop; then they are cancelled." default:"30s"`
	Demo   bool          `help:"Run the bundled example through the server first, and print its result and receipt."`
	dataFlag
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
	dir, err := c.dir()
	if err != nil {
		return err
	}
	log := a.log(slog.LevelInfo)
	h, err := sandboxd.Open(a.ctx, sandboxd.Config{Dir: dir, Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	token, err := c.token(dir)
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
	go func() {
		served <- server.Serve(ctx, listener, server.Config{Host: h, Token: token, Hosts: c.Host, Drain: c.Drain, Log: log})
	}()
	address := "http://" + reachable(listener.Addr())
	if c.Demo {
		if err := demo(a, address, token); err != nil {
			stop()
			return errors.Join(err, <-served)
		}
	}
	c.greet(a, dir, address, token)
	context.AfterFunc(a.ctx, func() {
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
	fmt.Fprintf(a.out, "  Data folder     %s\n  Stop            Ctrl-C\n", dir)
	if host, _, err := net.SplitHostPort(strings.TrimPrefix(address, "http://")); err == nil {
		if ip := net.ParseIP(host); ip != nil && !ip.IsLoopback() || c.everywhere() {
			fmt.Fprintln(a.err, "Other machines can reach this address, and the token crosses the network unencrypted: put a proxy with TLS in front.")
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

// token gives the API's token: the one named, or the data folder's own.
func (c *serveCmd) token(dir string) (string, error) {
	if c.Token != "" {
		return c.Token, nil
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
