package server_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/server"
)

// A client that sends nothing does not hold its connection for ever, with a token or without.
func TestASlowBodyIsGivenUp(t *testing.T) {
	l := newLabOf(t, sandboxd.Config{}, server.Config{BodyPause: 500 * time.Millisecond})
	for _, c := range []struct{ path, auth, status string }{
		{"/api/runs", token, " 400 "},
		{"/api/files/upload", token, " 400 "},
		{"/api/runs", "wrong", " 401 "},
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(l.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		kind := "application/json"
		if strings.HasSuffix(c.path, "upload") {
			kind = handmade
		}
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nContent-Length: 1000\r\n\r\n{\"script\"", c.path, c.auth, kind)
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		text, err := io.ReadAll(conn) // until the server closes it
		conn.Close()
		line, _, _ := strings.Cut(string(text), "\r\n")
		if err != nil || !strings.Contains(line, c.status) {
			t.Errorf("%+v: %q, %v", c, line, err)
		}
	}
}

// The pause is for the body alone: a run may take longer than that.
func TestALongRunOutlivesThePause(t *testing.T) {
	l := newLabOf(t, sandboxd.Config{}, server.Config{BodyPause: 500 * time.Millisecond})
	a := l.run("await new Promise(r => setTimeout(r, 1500)); return 'done'")
	l.wantStatus(a, 200)
	if !strings.Contains(a.body, `"done"`) {
		t.Errorf("answer: %s", a.body)
	}
}
