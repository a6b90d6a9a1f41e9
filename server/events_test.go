package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/server"
	"github.com/sandboxd/sandboxd/workspace"
)

// sse is a stream of server-sent events as a browser would read it.
type sse struct {
	t      *testing.T
	lines  *bufio.Scanner
	close  func()
	header http.Header
	lastID string
}

type sseEvent struct{ id, kind, data string }

func (l *lab) follow(path string, headers ...string) *sse {
	l.Helper()
	ctx, cancel := context.WithTimeout(l.Context(), 5*patience)
	req, err := http.NewRequestWithContext(ctx, "GET", l.url+path, nil)
	if err != nil {
		l.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := plain.Do(req)
	if err != nil {
		l.Fatal(err)
	}
	s := &sse{t: l.T, lines: bufio.NewScanner(res.Body), header: res.Header, close: func() { cancel(); res.Body.Close() }}
	l.Cleanup(s.close)
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		text, _ := io.ReadAll(res.Body)
		l.Fatalf("%d %s: %s", res.StatusCode, res.Header.Get("Content-Type"), text)
	}
	return s
}

// next reads an event; false at the end of the stream.
func (s *sse) next() (e sseEvent, ok bool) {
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.kind = value
		case "data":
			e.data = value
		case "":
			if s.lines.Text() == "" && e.kind != "" {
				s.lastID = e.id
				return e, true
			}
		}
	}
	return e, false
}

// rest reads all events until the end of the stream, of which there must be one.
func (s *sse) rest() (events []sseEvent) {
	s.t.Helper()
	for e, ok := s.next(); ok; e, ok = s.next() {
		events = append(events, e)
	}
	if len(events) == 0 {
		s.t.Fatal("there is no event")
	}
	return events
}

// want reads events of these types.
func (s *sse) want(kinds ...string) (events []sseEvent) {
	s.t.Helper()
	for _, kind := range kinds {
		e, ok := s.next()
		if !ok || e.kind != kind {
			s.t.Fatalf("got %+v (%v), want %s", e, s.lines.Err(), kind)
		}
		events = append(events, e)
	}
	return events
}

func TestEvents(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	s := l.follow("/api/events")
	up := decode[uploadAnswer](t, l.upload("/api/files/upload?session_id=chat", part{"a.txt", "one"}))
	l.wantStatus(l.run("console.log('hello'); await files.writeText('a.txt', 'three'); await state.set('k', 1); await state.delete('no')"), 200)
	l.wantStatus(l.do("DELETE", "/api/files/a.txt", nil), 200)
	got := s.want("run:started", "file:created", "run:finished", "run:started", "run:log", "file:modified", "state:change", "run:finished",
		"run:started", "file:deleted", "run:finished")
	if want := fmt.Sprintf(`{"id":"%s","name":"a.txt","size":3,"mime_type":"text/plain","source_session_id":"chat"}`, up.ID); got[1].data != want {
		t.Errorf("file:created is %s", got[1].data)
	}
	if !strings.Contains(got[4].data, `"lines":[{"level":"log","text":"hello","time_ms":`) {
		t.Errorf("run:log is %s", got[4].data)
	}
	if want := fmt.Sprintf(`{"id":"%s","name":"a.txt","size":5,"modified_on":"`, up.ID); !strings.HasPrefix(got[5].data, want) {
		t.Errorf("file:modified is %s", got[5].data)
	}
	if got[6].data != `{"set":["k"],"deleted":[]}` || got[9].data != fmt.Sprintf(`{"id":"%s"}`, up.ID) {
		t.Errorf("state:change is %s, file:deleted is %s", got[6].data, got[9].data)
	}
	last := int64(0)
	for _, e := range got {
		seq, err := strconv.ParseInt(e.id, 10, 64)
		if err != nil || seq <= last {
			t.Errorf("event %s comes after %d", e.id, last)
		}
		last = seq
	}
	s.close()

	// Who comes back goes on where it was.
	back := l.follow("/api/events", "Last-Event-ID", got[8].id)
	back.want("file:deleted", "run:finished")
	l.follow("/api/events?after=0&types=file:created,file:deleted").want("file:created", "file:deleted")
	l.follow("/api/events?after=0&session_id=chat").want("run:started", "file:created", "run:finished")
	if got := back.header.Get("Cache-Control"); got != "no-cache, no-transform" {
		t.Errorf("Cache-Control is %q", got)
	}

	for path, says := range map[string]string{"?after=-1": "after", "?after=x": "after", "?types=file:moved": "file:moved", "?types=,": "type", "?after=99999999999999999999": "after"} {
		l.wantProblem(l.get("/api/events"+path), problem.InvalidArgument, says)
	}
	l.wantProblem(l.get("/api/events", "Last-Event-ID", "x"), problem.InvalidArgument, "Last-Event-ID")
}

// A token that may not run sees nothing of runs.
func TestEventsGoByScope(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	reader := l.token("default", access.FilesRead)
	s := l.follow("/api/events", "Authorization", reader)
	l.run("console.log('secret'); await files.create('a.txt')")
	l.run("await state.set('k', 1)")
	s.want("file:created", "state:change")
	l.wantProblem(l.get("/api/events?types=file:created,run:log", "Authorization", reader), problem.Forbidden, "run")
	l.wantProblem(l.get("/api/events", "Authorization", l.token("default", access.Send)), problem.Forbidden, "files:read")
}

func TestARunIsFollowed(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	submit := func(script string, headers ...string) string {
		a := l.do("POST", "/api/runs", strings.NewReader(encode(t, map[string]any{"script": script, "wait": false})), append(headers, "Content-Type", "application/json")...)
		l.wantStatus(a, 202)
		started := decode[struct{ ID, Status, URL, Logs string }](t, a)
		if started.Status != "running" || a.header.Get("Location") != "/api/runs/"+started.ID || started.URL != a.header.Get("Location") {
			t.Errorf("%s, Location %s", a.body, a.header.Get("Location"))
		}
		return started.ID
	}
	id := submit("for (let i = 0; i < 3; i++) { console.log('line ' + i); await new Promise(r => setTimeout(r, 120)) } return {n: 3}")
	if now := decode[record](t, l.get("/api/runs/"+id)); now.ID != id {
		t.Errorf("not there yet: %+v", now)
	}
	logs := l.follow("/api/runs/" + id + "/logs").rest()
	var told []string
	for _, e := range logs[:len(logs)-1] { // lines that come together may be told together
		var payload struct{ Lines []struct{ Text string } }
		if err := json.Unmarshal([]byte(e.data), &payload); e.kind != "run:log" || err != nil {
			t.Errorf("%+v, %v", e, err)
		}
		for _, line := range payload.Lines {
			told = append(told, line.Text)
		}
	}
	end := logs[len(logs)-1]
	if end.kind != "run:finished" || strings.Join(told, ", ") != "line 0, line 1, line 2" {
		t.Errorf("%q were told, and then %+v", told, end)
	}
	if got := decode[record](t, l.get("/api/runs/"+id)); got.Status != "ok" || string(got.Result) != `{"n":3}` {
		t.Errorf("%+v", got)
	}
	// Later it is all there at once, from where the client was; then there is no more.
	if again := l.follow("/api/runs/" + id + "/logs").rest(); !slices.Equal(again, logs) {
		t.Errorf("later it is %+v", again)
	}
	if again := l.follow("/api/runs/"+id+"/logs", "Last-Event-ID", logs[0].id).rest(); !slices.Equal(again, logs[1:]) {
		t.Errorf("after its first event it is %+v", again)
	}
	l.wantStatus(l.get("/api/runs/"+id+"/logs", "Last-Event-ID", end.id), 204)
	l.wantProblem(l.get("/api/runs/nope/logs"), problem.NotFound, "nope")

	// As RFC 7240 asks for it; what a run says is told while it goes on; and it can be cancelled.
	a := l.do("POST", "/api/runs", strings.NewReader(`{"script": "await files.create('x.txt'); console.log('up'); `+soundly+`"}`),
		"Content-Type", "application/json", "Prefer", "handling=strict, Respond-Async; wait=1")
	l.wantStatus(a, 202)
	id = decode[struct{ ID string }](t, a).ID
	s := l.follow("/api/runs/" + id + "/logs")
	s.want("run:log")
	l.wantProblem(l.do("POST", "/api/runs/"+id+"/undo", nil), problem.Conflict, "going on")
	l.wantStatus(l.do("POST", "/api/runs/"+id+"/cancel", nil), 200)
	if end := s.want("run:finished")[0]; !strings.Contains(end.data, `"ok":false,"code":"canceled"`) {
		t.Errorf("the end is %s", end.data)
	}
	if e, more := s.next(); more {
		t.Errorf("after the end comes %+v", e)
	}
	l.wantProblem(l.do("POST", "/api/runs/"+id+"/cancel", nil), problem.Conflict, "failed")
	l.wantProblem(l.do("POST", "/api/runs/nope/cancel", nil), problem.NotFound, "nope")
	if l.names() != "" {
		t.Errorf("kept: %s", l.names())
	}
}

func TestAStreamSaysThatItIsAlive(t *testing.T) {
	l := newLabOf(t, sandboxd.Config{}, server.Config{Heartbeat: 20 * time.Millisecond})
	s := l.follow("/api/events")
	for beats := 0; beats < 3; {
		if !s.lines.Scan() {
			t.Fatal(s.lines.Err())
		}
		if s.lines.Text() == ": alive" {
			beats++
		}
	}
}

// A client that stops reading is disconnected, and misses nothing when it comes back.
func TestASlowReaderIsDroppedAndGoesOn(t *testing.T) {
	l := newLabOf(t, sandboxd.Config{}, server.Config{ReadPause: 2 * time.Second})
	conn, err := net.Dial("tcp", strings.TrimPrefix(l.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /api/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", token)
	first := make([]byte, 1)
	if _, err := conn.Read(first); err != nil { // it follows now
		t.Fatal(err)
	}
	// Much more than the connection's buffers hold.
	const runs, lines = 250, 60
	for range runs {
		l.wantStatus(l.run(fmt.Sprintf("for (let i = 0; i < %d; i++) console.log('x'.repeat(1000))", lines)), 200)
	}
	l.until("a client that does not read is disconnected", func() bool { return l.host.Events().Followers() == 0 })
	metrics := l.get("/metrics")
	if !strings.Contains(metrics.body, "sandboxd_event_streams_dropped_total 1") {
		t.Error("the metrics do not count it")
	}
	// What did reach it, up to the last whole event.
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	text, _ := io.ReadAll(conn)
	last := "0"
	for _, block := range strings.Split(string(text), "\n\n") {
		if _, rest, ok := strings.Cut(block, "id: "); ok && strings.HasSuffix(block, "}") {
			last, _, _ = strings.Cut(rest, "\n")
		}
	}
	if last == "0" {
		t.Fatal("no event reached it")
	}
	// To a server with more patience, for this client might be slow, too.
	patient := httptest.NewServer(server.New(server.Config{Host: l.host, Token: token, Log: slog.New(slog.DiscardHandler)}))
	defer patient.Close()
	l.url = patient.URL
	back := l.follow("/api/events?types=run:log,run:finished", "Last-Event-ID", last)
	defer back.close()
	for run := range 5 {
		seen := 0
		for e, ok := back.next(); e.kind != "run:finished"; e, ok = back.next() {
			var payload struct{ Lines []json.RawMessage }
			if err := json.Unmarshal([]byte(e.data), &payload); !ok || err != nil {
				t.Fatal(e, err, back.lines.Err())
			}
			seen += len(payload.Lines)
		}
		if run > 0 && seen != lines { // of the first run a part may have reached it before
			t.Errorf("a run of %d lines told of %d", lines, seen)
		}
	}
}

// The log may not have what follows a client's last event: then the client is told, and
// neither waits for ever nor takes what comes for all that happened.
func TestAStreamThatCannotGoOnSaysSo(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	l.put("/api/files/a.txt", "a")
	seq := func(id string) int64 {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	first := l.follow("/api/events?after=0").want("run:started", "file:created", "run:finished")
	last := seq(first[2].id)

	// From a log that had more.
	ahead := l.follow("/api/events?types=file:created", "Last-Event-ID", fmt.Sprint(last+500))
	e := ahead.want("reset")[0]
	if e.data != fmt.Sprintf(`{"after":%d,"oldest":%s,"last":%d}`, last+500, first[0].id, last) || seq(e.id) != last {
		t.Errorf("%+v", e)
	}
	l.put("/api/files/b.txt", "b")
	ahead.want("file:created")

	// From before what is kept, which is nothing.
	short := newLab(t, sandboxd.Config{Retention: workspace.Retention{Events: time.Nanosecond}, CollectEvery: -1})
	for i := range 3 {
		short.put(fmt.Sprintf("/api/files/%d.txt", i), "x")
	}
	removed := int64(0)
	short.until("no event is kept", func() bool { // one of this very millisecond still is
		done, err := short.host.Collect(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		removed += int64(done.Events)
		return removed >= 9
	})
	behind := short.follow("/api/events", "Last-Event-ID", "4")
	if e := behind.want("reset")[0]; e.data != `{"after":4,"oldest":10,"last":9}` || e.id != "9" {
		t.Errorf("%+v", e)
	}
	short.put("/api/files/4.txt", "x")
	behind.want("run:started", "file:created", "run:finished")
	short.follow("/api/events", "Last-Event-ID", "9").want("run:started", "file:created", "run:finished") // it misses nothing

	// Of a run it begins anew.
	run := decode[runAnswer](t, l.run("console.log('hello')")).Receipt.RunID
	l.follow("/api/runs/"+run+"/logs", "Last-Event-ID", "99999").want("reset", "run:log", "run:finished")
}

// A client that left before its first event goes on from there.
func TestAStreamSaysWhereItIs(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	l.put("/api/files/a.txt", "a")
	s := l.follow("/api/events")
	id := ""
	for s.lines.Scan() && id == "" {
		id, _ = strings.CutPrefix(s.lines.Text(), "id: ")
		if !strings.HasPrefix(s.lines.Text(), "id: ") {
			id = ""
		}
	}
	s.close()
	l.put("/api/files/b.txt", "b")
	if e := l.follow("/api/events?types=file:created", "Last-Event-ID", id).want("file:created")[0]; !strings.Contains(e.data, "b.txt") {
		t.Errorf("%+v", e)
	}
}

// A connection whose client asked for the headers alone is free for the next request.
func TestHeadOfAStreamEnds(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	run := decode[runAnswer](t, l.run("console.log('hello')")).Receipt.RunID
	for _, path := range []string{"/api/events", "/api/runs/" + run + "/logs", "/api/audit/export"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(l.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(patience))
		fmt.Fprintf(conn, "HEAD %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path, token)
		got, err := io.ReadAll(conn)
		if err != nil || strings.Count(string(got), "HTTP/1.1 200 OK") != 2 || !strings.Contains(string(got), `{"ok":true}`) {
			t.Errorf("%s: %v %s", path, err, got)
		}
	}
}
