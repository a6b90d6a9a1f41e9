package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/host/frame"
	"github.com/sandboxd/sandboxd/host/hosttest"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// connect serves h to a Client over a socketpair.
func connect(t testing.TB, h host.Host, l limits.Limits) *host.Client {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	ends := make([]*net.UnixConn, 2)
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "socketpair")
		conn, err := net.FileConn(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		ends[i] = conn.(*net.UnixConn)
	}
	daemon := frame.New(ends[0], host.Serve(h, l), frame.Options{})
	worker := frame.New(ends[1], nil, frame.Options{MaxFiles: 1})
	t.Cleanup(func() {
		worker.Close()
		daemon.Close()
		worker.Wait()
		daemon.Wait()
	})
	return host.NewClient(worker)
}

func TestEveryMethodCrosses(t *testing.T) {
	memory := hosttest.New(t)
	memory.Get = func(context.Context, string) (string, []byte, error) { return "got.txt", []byte("fetched"), nil }
	cells := []any{nil, int64(math.MaxInt64), 3.0, math.Inf(1), "text", true, host.Blob{Base64: "AAE="}}
	memory.Query = func(_ context.Context, q host.Query) (*host.QueryResult, error) {
		return &host.QueryResult{Columns: []string{"a"}, Rows: [][]any{q.Params}, Changes: 7, LastInsertID: 9}, nil
	}
	memory.Tables = func(context.Context) ([]host.Table, error) {
		return []host.Table{{Name: "t", Columns: []host.Column{{Name: "id", Type: "INTEGER", PK: true}}, RowCount: 4}}, nil
	}
	c, ctx := connect(t, memory, limits.Limits{}), t.Context()

	staged, err := c.Stage(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := staged.Data.WriteString("one two"); err != nil {
		t.Fatal(err)
	}
	created, err := c.Create(ctx, host.NewFile{Name: "a.txt", Stage: staged.ID})
	staged.Data.Close()
	if err != nil || created.Size != 7 {
		t.Fatalf("Create: %+v, %v", created, err)
	}
	opened, err := c.Open(ctx, "a.txt", 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(io.NewSectionReader(opened.Data, 0, opened.File.Size))
	if err != nil || string(text) != "one two" || !reflect.DeepEqual(opened.File, created) {
		t.Errorf("Open: %q, %+v, %v", text, opened.File, err)
	}
	if _, err := opened.Data.WriteAt([]byte("x"), 0); err == nil {
		t.Error("a file opened for reading could be written")
	}
	opened.Data.Close()

	staged, err = c.Stage(ctx)
	if err != nil {
		t.Fatal(err)
	}
	staged.Data.WriteString("new")
	if f, err := c.Put(ctx, created.ID, staged.ID); err != nil || f.Version != 2 || f.Size != 3 {
		t.Errorf("Put: %+v, %v", f, err)
	}
	staged.Data.Close()
	if f, err := c.Copy(ctx, "a.txt", "b.txt"); err != nil || f.Name != "b.txt" {
		t.Errorf("Copy: %+v, %v", f, err)
	}
	if f, err := c.Rename(ctx, "b.txt", "c.txt"); err != nil || f.Name != "c.txt" {
		t.Errorf("Rename: %+v, %v", f, err)
	}
	if f, err := c.Fetch(ctx, "https://example.com/got.txt", ""); err != nil || f.Name != "got.txt" || f.Size != 7 {
		t.Errorf("Fetch: %+v, %v", f, err)
	}
	if files, err := c.List(ctx, "*.txt"); err != nil || len(files) != 3 || files[0].Name != "a.txt" {
		t.Errorf("List: %+v, %v", files, err)
	}
	if f, err := c.Restore(ctx, "a.txt", 1); err != nil || f.Size != 7 {
		t.Errorf("Restore: %+v, %v", f, err)
	}
	if v, err := c.Versions(ctx, "a.txt"); err != nil || len(v) != 3 || v[0].Action != "restored" {
		t.Errorf("Versions: %+v, %v", v, err)
	}
	if f, err := c.Delete(ctx, "c.txt"); err != nil || f.Name != "c.txt" {
		t.Errorf("Delete: %+v, %v", f, err)
	}
	if _, err := c.Stat(ctx, "c.txt"); problem.CodeOf(err) != problem.NotFound {
		t.Errorf("Stat of a deleted file: %v", err)
	}

	for _, value := range []string{`null`, `{"a":[1,2.50,"<&>"]}`} {
		if err := c.StateSet(ctx, "k", json.RawMessage(value)); err != nil {
			t.Fatal(err)
		}
		if got, err := c.StateGet(ctx, "k"); err != nil || string(got) != value {
			t.Errorf("StateGet: %s, %v; want %s", got, err, value)
		}
	}
	if got, err := c.StateGet(ctx, "none"); err != nil || got != nil {
		t.Errorf("StateGet of no key: %s, %v", got, err)
	}
	if keys, err := c.StateKeys(ctx, ""); err != nil || !reflect.DeepEqual(keys, []string{"k"}) {
		t.Errorf("StateKeys: %v, %v", keys, err)
	}
	if was, err := c.StateDelete(ctx, "k"); err != nil || !was {
		t.Errorf("StateDelete: %v, %v", was, err)
	}

	result, err := c.SQL(ctx, host.Query{SQL: "select ?", Params: cells})
	if err != nil || !reflect.DeepEqual(result.Rows, [][]any{cells}) || result.Changes != 7 || result.LastInsertID != 9 {
		t.Errorf("SQL: %#v, %v; want %#v", result, err, cells)
	}
	if tables, err := c.Schema(ctx); err != nil || len(tables) != 1 || !tables[0].Columns[0].PK {
		t.Errorf("Schema: %+v, %v", tables, err)
	}
}

func TestLogIsCapped(t *testing.T) {
	memory := hosttest.New(t)
	c := connect(t, memory, limits.Limits{ConsoleBytes: 10_000})
	c.Log(host.LogLine{Level: "log", Text: "first", TimeMs: 1.5})
	c.Log(host.LogLine{Level: "shout", Text: "no such level"})
	for range 1_000 {
		c.Log(host.LogLine{Level: "warn", Text: strings.Repeat("x", 1_000)})
	}
	if _, err := c.List(t.Context(), ""); err != nil { // notices go before it
		t.Fatal(err)
	}
	logs := memory.Logs()
	if len(logs) < 10 || len(logs) > 40 || logs[0] != (host.LogLine{Level: "log", Text: "first", TimeMs: 1.5}) || logs[1].Level != "warn" {
		t.Errorf("%d lines got through, the first %+v", len(logs), logs[0])
	}
}

// handle makes one call of a server, and says that its answer is out.
func handle(t *testing.T, server *host.Server, method, body string) error {
	reply, err := server.Handle(t.Context(), frame.Request{Method: method, Body: json.RawMessage(body)})
	if reply.Sent != nil {
		reply.Sent()
	}
	return err
}

// A worker that a script has taken over may send anything.
func TestServerChecks(t *testing.T) {
	memory := hosttest.New(t)
	server := host.Serve(memory, limits.Limits{HostCalls: 10, StateBytes: 100})
	for _, c := range []struct {
		method, body string
		want         problem.Code
	}{
		{"open", `{"ref":"a","version":-1}`, problem.InvalidArgument},
		{"open", `{"ref":1}`, problem.InvalidArgument},
		{"open", ``, problem.InvalidArgument},
		{"stat", `{"ref":"` + strings.Repeat("x", 10_000) + `"}`, problem.InvalidArgument},
		{"put", `{"ref":"a","stage":0}`, problem.InvalidArgument},
		{"create", `{"name":"a","source":"upload"}`, problem.InvalidArgument},
		{"create", `{"name":"a","stage":-5}`, problem.InvalidArgument},
		{"state.set", `{"key":"a"}`, problem.InvalidArgument},
		{"state.set", `{"key":"a","value":"` + strings.Repeat("x", 100) + `"}`, problem.WorkspaceFull},
		{"sql", `{"sql":"select 1","params":[` + strings.Repeat("1,", 200_000) + `1]}`, problem.InvalidArgument},
		{"sql", `{"sql":"` + strings.Repeat(`,\",`, 200_000) + `"}`, problem.EngineMissing}, // commas in a string are fine
		{"nonsense", `{}`, problem.UnknownOperation},
	} {
		err := handle(t, server, c.method, c.body)
		if problem.CodeOf(err) != c.want {
			t.Errorf("%s %.60s: %v, want %s", c.method, c.body, err, c.want)
		}
	}
	var err error
	for range 200 {
		if err = handle(t, server, "list", `{}`); err != nil {
			break
		}
	}
	if problem.CodeOf(err) != problem.CallLimit {
		t.Errorf("a flood of calls: %v, want call_limit", err)
	}
}

// blocking is a host whose Stat waits for its context.
type blocking struct {
	host.Host
	entered chan struct{}
	left    sync.WaitGroup
}

func (b *blocking) Stat(ctx context.Context, ref string) (host.File, error) {
	defer b.left.Done()
	b.entered <- struct{}{}
	<-ctx.Done()
	return host.File{}, ctx.Err()
}

func TestCloseWaitsForTheDaemon(t *testing.T) {
	b := &blocking{entered: make(chan struct{})}
	c := connect(t, b, limits.Limits{})
	b.left.Add(2)
	errs := make(chan error, 2)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { _, err := c.Stat(ctx, "a"); errs <- err }()
	go func() { _, err := c.Stat(context.Background(), "b"); errs <- err }()
	<-b.entered
	<-b.entered
	cancel()
	if err := <-errs; problem.CodeOf(err) != problem.Canceled {
		t.Errorf("a cancelled call: %v", err)
	}
	c.Close()
	b.left.Wait() // would not return if a call were still under way in the daemon
	if err := <-errs; problem.CodeOf(err) != problem.Canceled {
		t.Errorf("a call at the end of the run: %v", err)
	}
	if _, err := c.List(t.Context(), ""); problem.CodeOf(err) != problem.Canceled {
		t.Errorf("a call after the end of the run: %v", err)
	}
}

func TestErrorsHideTheirCause(t *testing.T) {
	memory := hosttest.New(t)
	memory.Fail = func(method, ref string) error {
		if ref == "known" {
			return problem.New(problem.Exists, "the name is taken").With("id", "42").WithCause(errors.New("/var/lib/secret"))
		}
		return errors.New("open /var/lib/secret: permission denied")
	}
	c := connect(t, memory, limits.Limits{})
	_, err := c.Stat(t.Context(), "known")
	var p *problem.Error
	if !errors.As(err, &p) || p.Code != problem.Exists || p.Details["id"] != "42" || p.Cause != nil {
		t.Errorf("a known error: %#v", err)
	}
	_, err = c.Stat(t.Context(), "unknown")
	if problem.CodeOf(err) != problem.Internal || strings.Contains(err.Error(), "secret") {
		t.Errorf("an unknown error: %v", err)
	}
}

// hoarding is a Host whose values are large; it counts those that it gave out.
type hoarding struct {
	host.Host
	given atomic.Int64
}

func (h *hoarding) StateGet(context.Context, string) (json.RawMessage, error) {
	h.given.Add(1)
	return json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`), nil
}

// Large answers are made a few at a time, however many are asked for and however slowly
// they are read: a worker that reads nothing cannot fill the daemon's memory with them.
func TestLargeAnswersWaitToBeMade(t *testing.T) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "daemon"), os.NewFile(uintptr(fds[1]), "worker")
	conn, err := net.FileConn(ours)
	ours.Close()
	if err != nil {
		t.Fatal(err)
	}
	h := &hoarding{Host: hosttest.New(t)}
	daemon := frame.New(conn.(*net.UnixConn), host.Serve(h, limits.Limits{}), frame.Options{})
	defer daemon.Wait()
	defer daemon.Close()
	defer theirs.Close()
	for id := range byte(100) { // requests by hand, and nobody who reads
		body := `{"key":"k"}`
		request := append([]byte{byte(7 + 9 + len(body)), 0, 0, 0, 1, 0, 9, id, 0, 0, 0}, "state.get"+body...)
		if _, err := theirs.Write(request); err != nil {
			t.Fatal(err)
		}
	}
	for daemon.Serving() < 90 { // nearly all wait for a place
		if daemon.Err() != nil {
			t.Fatal(daemon.Err())
		}
		runtime.Gosched()
	}
	for h.given.Load() == 0 { // the first of them is made
		runtime.Gosched()
	}
	for range 100 {
		runtime.Gosched()
	}
	if n := h.given.Load(); n > 8 {
		t.Errorf("%d large answers are in memory", n)
	}
}
