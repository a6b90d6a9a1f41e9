package mcp_test

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/server/mcp"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

// reply is an HTTP answer, read to its end.
type reply struct {
	status  int
	session string
	body    string
}

// raw sends what a client of somebody's own making might. Headers are pairs.
func (l *lab) raw(method, who, session string, body io.Reader, headers ...string) reply {
	l.Helper()
	req, err := http.NewRequestWithContext(l.Context(), method, l.url, body)
	if err != nil {
		l.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+l.tokens[who])
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
		req.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		l.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		l.Fatal(err)
	}
	return reply{res.StatusCode, res.Header.Get("Mcp-Session-Id"), string(text)}
}

// begin begins a session and gives its id.
func (l *lab) begin(who string) string {
	l.Helper()
	r := l.raw("POST", who, "", strings.NewReader(initialize))
	if r.status != 200 || r.session == "" {
		l.Fatalf("%+v", r)
	}
	return r.session
}

const ping = `{"jsonrpc":"2.0","id":2,"method":"ping"}`

func (l *lab) ping(who, session string) int {
	l.Helper()
	return l.raw("POST", who, session, strings.NewReader(ping)).status
}

// A session is its token's alone: to others, also of the same workspace, it does not exist.
func TestSessionsOfOthers(t *testing.T) {
	l := newLab(t, mcp.Config{})
	session := l.begin("alice")
	for _, who := range []string{"alice2", "bob", "operator", "reader"} {
		if got := l.ping(who, session); got != 404 {
			t.Errorf("%s got %d", who, got)
		}
		for _, method := range []string{"GET", "DELETE"} {
			if got := l.raw(method, who, session, nil).status; got != 404 {
				t.Errorf("%s %s got %d", method, who, got)
			}
		}
	}
	if got := l.ping("alice", session); got != 200 {
		t.Errorf("alice got %d", got)
	}
	if got := l.ping("alice", "made up"); got != 404 {
		t.Errorf("a made up session got %d", got)
	}
	if got := l.raw("DELETE", "alice", session, nil).status; got != 204 {
		t.Errorf("the end got %d", got)
	}
	if n := l.mcp.SessionCount(); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
	if got := l.ping("alice", session); got != 404 {
		t.Errorf("a session that is over got %d", got)
	}
	// The operator may choose a workspace, and a session stays in its own.
	if got := l.raw("POST", "bob", "", strings.NewReader(initialize)); got.status != 200 {
		t.Errorf("%+v", got)
	}
}

// Another workspace than the token's is not found, and a toolset that there is not refused.
func TestAddress(t *testing.T) {
	l := newLab(t, mcp.Config{})
	at := l.url
	for query, want := range map[string]int{"?workspace=alice": 200, "?workspace=bob": 404, "?tools=all": 200, "?tools=every": 400} {
		l.url = at + query
		if got := l.raw("POST", "alice", "", strings.NewReader(initialize)); got.status != want {
			t.Errorf("%s got %+v", query, got)
		}
	}
}

// A token has so many sessions and no more: the one idle longest makes place. Where all
// are in use, the next one is told to wait. Others do not feel it.
func TestManySessions(t *testing.T) {
	l := newLab(t, mcp.Config{Sessions: 3})
	bobs := l.begin("bob")
	var ids []string
	for range 10 {
		ids = append(ids, l.begin("alice"))
	}
	if n := l.mcp.SessionCount(); n != 4 {
		t.Errorf("there are %d sessions", n)
	}
	for i, id := range ids {
		want := 404
		if i >= 7 {
			want = 200
		}
		if got := l.ping("alice", id); got != want {
			t.Errorf("session %d got %d", i, got)
		}
	}
	if got := l.ping("bob", bobs); got != 200 {
		t.Errorf("bob's got %d", got)
	}
	// What begins nothing leaves nothing.
	for range 10 {
		if got := l.raw("POST", "bob", "", strings.NewReader(ping)); got.session != "" && got.status == 200 && l.mcp.SessionCount() > 5 {
			t.Errorf("%+v", got)
		}
	}
	if n := l.mcp.SessionCount(); n != 4 {
		t.Errorf("there are %d sessions", n)
	}
	for _, id := range ids[7:] {
		l.listen("alice", id)
	}
	if got := l.raw("POST", "alice", "", strings.NewReader(initialize)); got.status != 503 {
		t.Errorf("%+v", got)
	}
	if got := l.raw("POST", "bob", "", strings.NewReader(initialize)); got.status != 200 {
		t.Errorf("%+v", got)
	}
}

// listen opens a session's stream and waits until it stands. It is read no further.
func (l *lab) listen(who, session string) net.Conn {
	l.Helper()
	conn, status := l.tryToListen(who, session)
	if !strings.Contains(status, "200") {
		l.Fatalf("%q", status)
	}
	return conn
}

// tryToListen is listen, which may be refused.
func (l *lab) tryToListen(who, session string) (conn net.Conn, status string) {
	l.Helper()
	at, err := url.Parse(l.url)
	if err != nil {
		l.Fatal(err)
	}
	if conn, err = net.Dial("tcp", at.Host); err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() { conn.Close() })
	_ = conn.(*net.TCPConn).SetReadBuffer(4096)
	fmt.Fprintf(conn, "GET /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nMcp-Session-Id: %s\r\nAccept: text/event-stream\r\nConnection: close\r\n\r\n", at.Host, l.tokens[who], session)
	if status, err = bufio.NewReaderSize(conn, 16).ReadString('\n'); err != nil {
		l.Fatal(err)
	}
	return conn, status
}

// A session that nobody uses ends, one with a stream does not.
func TestIdleSessions(t *testing.T) {
	l := newLab(t, mcp.Config{Idle: 100 * time.Millisecond})
	var used string
	l.until("a session gets its stream", func() bool { // before it is idle for that long
		used = l.begin("alice")
		_, status := l.tryToListen("alice", used)
		return strings.Contains(status, "200")
	})
	idle := l.begin("alice")
	l.until("the idle session has ended", func() bool { return l.mcp.SessionCount() == 1 })
	if got := l.ping("alice", idle); got != 404 {
		t.Errorf("the idle session got %d", got)
	}
	if got := l.ping("alice", used); got != 200 {
		t.Errorf("the session in use got %d", got)
	}
}

// Nobody waits for a client that does not read its stream, and after a while it is cut off.
func TestSlowReader(t *testing.T) {
	// flood makes a session whose client does not read, and sends it more news than the
	// connection's buffers take: each names a file at great length.
	flood := func(l *lab) (slow string) {
		slow = l.begin("alice")
		l.listen("alice", slow)
		name := strings.Repeat("n", 200)
		id := l.put("alice", name, "0")
		for i := range 900 {
			subscribe := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":"sandboxd://files/%s?version=%s%d"}}`+"\n", i+10, id, strings.Repeat("0", 5000), i+1)
			if got := l.raw("POST", "alice", slow, strings.NewReader(subscribe)); got.status != 200 || strings.Contains(got.body, `"error"`) {
				l.Fatalf("%+v", got)
			}
		}
		l.put("alice", name, "1") // 4.5 MB
		return slow
	}
	t.Run("is not waited for", func(t *testing.T) {
		l := newLab(t, mcp.Config{WritePause: time.Hour})
		flood(l)
		other := make(heard, 100)
		l.connect("alice", "", other.options())
		l.put("alice", "fresh", "2")
		if got := other.next(t); got != "list" {
			t.Errorf("heard %s", got)
		}
	})
	t.Run("is cut off", func(t *testing.T) {
		l := newLab(t, mcp.Config{WritePause: 3 * time.Second})
		slow := flood(l)
		l.until("its place can be taken again", func() bool { return l.stream("alice", slow) == 200 })
	})
}

// stream tries to open a session's stream; 409 while there is one.
func (l *lab) stream(who, session string) int {
	l.Helper()
	req, err := http.NewRequestWithContext(l.Context(), "GET", l.url, nil)
	if err != nil {
		l.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+l.tokens[who])
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Mcp-Session-Id", session)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		l.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

// Who has a stream open when its token is revoked hears nothing more: the stream ends with
// the next news, or the next sign of life.
func TestRevokedWhileListening(t *testing.T) {
	for name, heartbeat := range map[string]time.Duration{"at news": time.Minute, "in silence": 20 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, mcp.Config{Heartbeat: heartbeat})
			session := l.begin("alice")
			conn := l.listen("alice", session)
			l.connectAt(withoutSessions, "alice", "", make(heard, 100).options()) // which listens at once
			l.listen("alice2", l.begin("alice2"))
			l.until("all listen", func() bool { return l.host.Events().Followers() == 3 })
			tokens, err := l.host.Tokens().List(t.Context(), "alice")
			if err != nil {
				t.Fatal(err)
			}
			for _, token := range tokens {
				if token.Name == "alice" {
					if _, err := l.host.Tokens().Revoke(t.Context(), "alice", token.ID); err != nil {
						t.Fatal(err)
					}
				}
			}
			ended := make(chan error, 1)
			go func() {
				_ = conn.SetReadDeadline(time.Now().Add(patience))
				_, err := io.ReadAll(conn)
				ended <- err
			}()
			l.until("only the other token's streams go on", func() bool {
				if heartbeat > time.Second {
					l.put("alice", "a.txt", rand.Text())
				}
				followers := l.host.Events().Followers()
				if heartbeat > time.Second {
					return followers == 1
				}
				return followers == 2 // the session is there until it is idle for long
			})
			if err := <-ended; err != nil {
				t.Errorf("the stream goes on: %v", err)
			}
		})
	}
}

// A stream without news says that it is there.
func TestHeartbeat(t *testing.T) {
	l := newLab(t, mcp.Config{Heartbeat: 20 * time.Millisecond})
	conn := l.listen("alice", l.begin("alice"))
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	lines := bufio.NewReader(conn)
	for beats := 0; beats < 3; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(line, ": still here") {
			beats++
		}
	}
}

// Drain ends the streams that wait for news, in both eras, and lets calls end.
func TestDrain(t *testing.T) {
	l := newLab(t, mcp.Config{})
	session := l.begin("alice")
	conn := l.listen("alice", session)
	news := make(heard, 100)
	l.connectAt(withoutSessions, "alice", "", news.options()) // which listens at once
	l.until("the client listens", func() bool { return l.host.Events().Followers() == 2 })
	answered := make(chan string, 1)
	changes, err := l.host.Events().Follow(t.Context(), event.Filter{Workspace: "alice", After: event.Live, Types: []string{event.FileCreated, event.RunStarted}})
	if err != nil {
		t.Fatal(err)
	}
	defer changes.Close()
	go func() {
		answered <- l.raw("POST", "alice", session, strings.NewReader(
			`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"run_script","arguments":{"script":"await new Promise(r => setTimeout(r, 300)); return 'ended'"}}}`)).body
	}()
	if _, err := changes.Next(t.Context()); err != nil { // the run has begun
		t.Fatal(err)
	}
	l.mcp.Drain()
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	if _, err := io.ReadAll(conn); err != nil {
		t.Errorf("the stream goes on: %v", err)
	}
	if got := <-answered; !strings.Contains(got, "ended") {
		t.Errorf("the call was answered %s", got)
	}
	l.until("only the session's own follower and this test's are left", func() bool { return l.host.Events().Followers() == 2 })
}

// More calls at once than there is place for are told so, one by one.
func TestManyCalls(t *testing.T) {
	l := newLab(t, mcp.Config{})
	session := l.connect("alice", "", nil)
	var wg sync.WaitGroup
	var done, busy atomic.Int32
	for range 300 {
		wg.Go(func() {
			r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "run_script", Arguments: map[string]any{"script": "return 1"}})
			switch {
			case err != nil:
				t.Error(err)
			case !r.IsError:
				done.Add(1)
			case strings.HasPrefix(text(r), "busy: "):
				busy.Add(1)
			default:
				t.Error(text(r))
			}
		})
	}
	wg.Wait()
	t.Logf("%d calls were made, %d were told that the host is busy", done.Load(), busy.Load())
	if done.Load() < 100 {
		t.Error("too few calls were made")
	}
}

// Close ends sessions, streams and followers, with clients still there.
func TestClose(t *testing.T) {
	l := newLab(t, mcp.Config{})
	for range 3 {
		l.listen("alice", l.begin("alice"))
	}
	before := l.host.Events().Followers()
	closed := make(chan struct{})
	go func() {
		l.mcp.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(patience):
		t.Fatal("Close does not end")
	}
	if before != 3 || l.host.Events().Followers() != 0 {
		t.Errorf("%d followed before, %d after", before, l.host.Events().Followers())
	}
	if got := l.raw("POST", "alice", "", strings.NewReader(initialize)); got.status != 503 {
		t.Errorf("%+v", got)
	}
}

// Close also ends a session that begins meanwhile.
func TestCloseWhileASessionBegins(t *testing.T) {
	l := newLab(t, mcp.Config{})
	for range 20 {
		s := mcp.New(mcp.Config{Host: l.host, Log: slog.New(slog.DiscardHandler)})
		r := httptest.NewRequestWithContext(access.With(t.Context(), access.Operator()), "POST", "/mcp", strings.NewReader(initialize))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		begun, closed := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(begun)
			s.ServeHTTP(httptest.NewRecorder(), r)
		}()
		l.until("there is a session", func() bool { return s.SessionCount() == 1 })
		go func() {
			defer close(closed)
			s.Close()
		}()
		for _, end := range []chan struct{}{begun, closed} {
			select {
			case <-end:
			case <-time.After(patience):
				t.Fatal("it does not end")
			}
		}
		if n := s.SessionCount(); n != 0 {
			t.Errorf("%d sessions are left", n)
		}
	}
}

// Behind a balancer there are no sessions, and everything that answers a request is there.
func TestStateless(t *testing.T) {
	l := newLab(t, mcp.Config{Stateless: true})
	l.put("alice", "a.txt", "hello")
	for _, version := range []string{withSessions, withoutSessions} {
		session := l.connectAt(version, "alice", "?tools=all", nil)
		if r := l.call(session, "file_read_text", `{"id": "a.txt"}`); r.IsError || !strings.Contains(text(r), "hello") {
			t.Errorf("%s: %s", version, text(r))
		}
		bob := l.connectAt(version, "bob", "?tools=all", nil)
		if r := l.call(bob, "file_read_text", `{"id": "a.txt"}`); !r.IsError {
			t.Errorf("%s: bob read a file of alice's: %s", version, text(r))
		}
		reader := l.connectAt(version, "reader", "?tools=all", nil)
		if tools, _ := listed(t, reader); len(tools) != 2 {
			t.Errorf("%s: a reader is shown %d tools", version, len(tools))
		}
		if list, err := session.ListResources(t.Context(), &sdk.ListResourcesParams{}); err != nil || len(list.Resources) != 1 {
			t.Errorf("%s: %v, %v", version, list, err)
		}
	}
	if n := l.mcp.SessionCount(); n != 0 {
		t.Errorf("there are %d sessions", n)
	}
}
