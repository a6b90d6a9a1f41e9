package server_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/server"
)

// serving is a Serve that can be stopped, with one run under way in it.
func serving(t *testing.T, drain time.Duration, script string) (stop context.CancelFunc, answered chan answer, served chan error) {
	t.Helper()
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	h, err := sandboxd.Open(t.Context(), sandboxd.Config{Log: quiet, Concurrency: 1, Limits: limits.Limits{WallTime: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	begun, err := h.Events().Follow(t.Context(), event.Filter{Workspace: sandboxd.DefaultWorkspace, After: event.Live, Types: []string{event.RunStarted}})
	if err != nil {
		t.Fatal(err)
	}
	defer begun.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served = make(chan error, 1)
	go func() {
		served <- server.Serve(ctx, listener, server.Config{Host: h, Token: token, Drain: drain, Log: quiet})
	}()
	l := &lab{t, h, "http://" + listener.Addr().String()}
	body := encode(t, map[string]string{"script": script})
	answered = make(chan answer, 1)
	go func() {
		req, err := http.NewRequest("POST", l.url+"/api/runs", strings.NewReader(body))
		if err != nil {
			answered <- answer{body: err.Error()}
			return
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		res, err := plain.Do(req)
		if err != nil {
			answered <- answer{body: err.Error()}
			return
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		answered <- answer{res.StatusCode, res.Header, string(text)}
	}()
	if _, err := begun.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return stop, answered, served
}

func TestServeLetsRunsEndWhenItStops(t *testing.T) {
	stop, answered, served := serving(t, time.Hour, "await new Promise(r => setTimeout(r, 300)); return 'done'")
	stop()
	if a := <-answered; a.status != 200 || !strings.Contains(a.body, `"done"`) {
		t.Errorf("the run under way answered %d %s", a.status, a.body)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestServeDoesNotWaitForEver(t *testing.T) {
	stop, answered, served := serving(t, 50*time.Millisecond, soundly)
	start := time.Now()
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > patience {
		t.Errorf("stopping took %s", took)
	}
	<-answered
}

// Idle connections do not take the place of everybody: the one that is idle longest goes, and
// who is over the number of those that are not waits for one to end.
func TestConnectionsAreBounded(t *testing.T) {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	h, err := sandboxd.Open(t.Context(), sandboxd.Config{Log: quiet, Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- server.Serve(ctx, listener, server.Config{Host: h, Token: token, Connections: 2, Log: quiet})
	}()
	ask := func(conn net.Conn, path string, within time.Duration) error {
		_ = conn.SetDeadline(time.Now().Add(within))
		if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+token+"\r\n\r\n"); err != nil {
			return err
		}
		_, err := conn.Read(make([]byte, 1024))
		return err
	}
	connect := func() net.Conn {
		conn, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	first, second := connect(), connect()
	for range 3 { // nobody needs their places
		if err := errors.Join(ask(first, "/healthz", patience), ask(second, "/healthz", patience)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 5 { // each comes in the place of one that is idle
		if err := ask(connect(), "/healthz", patience); err != nil {
			t.Fatalf("connection %d more: %v", i+1, err)
		}
	}
	var streams []net.Conn
	for range 2 {
		streams = append(streams, connect())
		if err := ask(streams[len(streams)-1], "/api/events", patience); err != nil {
			t.Fatal(err)
		}
	}
	third := connect()
	if err := ask(third, "/healthz", 100*time.Millisecond); err == nil {
		t.Error("a third connection is served beside the two that there may be")
	}
	streams[0].Close()
	if err := ask(third, "/healthz", patience); err != nil {
		t.Errorf("after one left: %v", err)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
