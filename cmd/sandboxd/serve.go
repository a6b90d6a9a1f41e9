package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/server"
)

type serveCmd struct {
	Listen string   `help:"The address to listen on." default:"127.0.0.1:8420" env:"SANDBOXD_LISTEN" placeholder:"HOST:PORT"`
	Host   []string `help:"A name that clients may use for this server beside the loopback addresses; may be repeated." placeholder:"NAME"`
	Token  string   `help:"The token that opens the API. Defaults to one that is made at the first start and kept in the data folder." env:"SANDBOXD_TOKEN" placeholder:"TOKEN"`
	Demo   bool     `help:"Submit the bundled example to the running server and print its result and receipt."`
	dataFlag
}

// drain is how long requests in flight may take to end when the server stops.
const drain = 30 * time.Second

func (c *serveCmd) Run(a *app) (err error) {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(a.err, nil))
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
	httpServer := &http.Server{
		Handler:           server.New(server.Config{Host: h, Token: token, Hosts: c.Host, Log: log}),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() { served <- httpServer.Serve(listener) }()
	address := "http://" + listener.Addr().String()
	if c.Demo {
		if err := demo(a, address, token); err != nil {
			httpServer.Close()
			<-served
			return err
		}
	}
	fmt.Fprintf(a.out, "\nsandboxd is listening on %s\nLook at its files and runs: %s/?token=%s\n", address, address, token)
	select {
	case err = <-served:
		return err
	case <-a.ctx.Done():
	}
	log.Info("stopping; runs in flight may end", "within", drain)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(a.ctx), drain)
	defer cancel()
	err = httpServer.Shutdown(ctx)
	<-served
	return err
}

// token gives the API's token: the one named, or the data folder's own.
func (c *serveCmd) token(dir string) (string, error) {
	if c.Token != "" {
		return c.Token, nil
	}
	path := filepath.Join(dir, "token")
	if raw, err := os.ReadFile(path); err == nil {
		if token := strings.TrimSpace(string(raw)); token != "" {
			return token, nil
		}
	}
	token := rand.Text()
	return token, os.WriteFile(path, []byte(token+"\n"), 0o600)
}
