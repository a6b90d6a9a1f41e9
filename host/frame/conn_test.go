package frame

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/problem"
)

// connected gives two ends that are closed, and waited for, at the test's end.
func connected(t testing.TB, serving Handler, served, calling Options) (server, client *Conn) {
	a, b := pair(t)
	server, client = New(a, serving, served), New(b, nil, calling)
	t.Cleanup(func() {
		client.Close()
		server.Close()
		client.Wait()
		server.Wait()
	})
	return server, client
}

// poller opens the descriptors with which Go waits for others; they stay.
var poller = sync.OnceFunc(func() {
	if r, w, err := os.Pipe(); err == nil {
		r.Close()
		w.Close()
	}
})

// openFDs counts this process's descriptors.
func openFDs(t testing.TB) int {
	poller()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("needs /proc to count descriptors")
	}
	return len(entries)
}

// settled waits until no more descriptors and goroutines are there than at first.
func settled(t testing.TB, fds, goroutines int) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for openFDs(t) > fds || runtime.NumGoroutine() > goroutines {
		if time.Now().After(deadline) {
			t.Fatalf("%d descriptors and %d goroutines, were %d and %d", openFDs(t), runtime.NumGoroutine(), fds, goroutines)
		}
		runtime.Gosched()
	}
}

func TestConcurrentCallsBothWays(t *testing.T) {
	a, b := pair(t)
	double := handlerFunc(func(_ context.Context, req Request) (Reply, error) {
		var n int
		if err := json.Unmarshal(req.Body, &n); err != nil {
			return Reply{}, err
		}
		return Reply{Body: 2 * n}, nil
	})
	x, y := New(a, double, Options{MaxInFlight: 8}), New(b, double, Options{MaxInFlight: 8})
	var all sync.WaitGroup
	for _, c := range []*Conn{x, y} {
		for i := range 200 {
			all.Go(func() {
				var got int
				if err := c.Call(t.Context(), "double", i, &got); err != nil || got != 2*i {
					t.Errorf("double %d: %d, %v", i, got, err)
				}
			})
		}
	}
	all.Wait()
	x.Close()
	x.Wait()
	y.Wait()
	if err := y.Err(); !errors.Is(err, io.EOF) {
		t.Errorf("the other end closed with %v", err)
	}
}

func TestLargeFramesAndFilesInOrder(t *testing.T) {
	fds, goroutines := openFDs(t), runtime.NumGoroutine()
	dir := t.TempDir()
	server, client := connected(t, handlerFunc(func(_ context.Context, req Request) (Reply, error) {
		var name string
		if err := json.Unmarshal(req.Body, &name); err != nil {
			return Reply{}, err
		}
		if strings.HasPrefix(name, "plain") {
			return Reply{Body: name}, nil
		}
		f, err := os.Create(filepath.Join(dir, name[:8]))
		if err != nil {
			return Reply{}, err
		}
		f.WriteString(name[:8])
		return Reply{Body: name, Files: []*os.File{f}}, nil
	}), Options{}, Options{MaxFiles: 1})
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			// Some answers span many reads, some share one; each must get its own file.
			name := fmt.Sprintf("file%04d", i) + strings.Repeat("x", (i%5)*60_000)
			if i%3 == 0 {
				name = "plain" + name
			}
			var got string
			files, err := client.CallFiles(t.Context(), "open", name, &got)
			if err != nil || got != name {
				t.Errorf("%.20s: %.20s, %v", name, got, err)
				return
			}
			if i%3 == 0 {
				if len(files) != 0 {
					t.Errorf("%.20s came with %d files", name, len(files))
				}
				return
			}
			content := make([]byte, 20)
			n, _ := files[0].ReadAt(content, 0)
			files[0].Close()
			if string(content[:n]) != name[:8] {
				t.Errorf("%.20s came with the file %q", name, content[:n])
			}
		})
	}
	all.Wait()
	client.Close()
	server.Close()
	client.Wait()
	server.Wait()
	settled(t, fds, goroutines)
}

func TestCancel(t *testing.T) {
	entered, left := make(chan struct{}), make(chan error, 1)
	_, client := connected(t, handlerFunc(func(ctx context.Context, req Request) (Reply, error) {
		if req.Method == "quick" {
			return Reply{}, nil
		}
		close(entered)
		<-ctx.Done()
		left <- ctx.Err()
		return Reply{}, ctx.Err()
	}), Options{MaxInFlight: 1}, Options{MaxInFlight: 1})
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() { result <- client.Call(ctx, "slow", nil, nil) }()
	<-entered
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("the call: %v", err)
	}
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("the handler: %v", err)
	}
	// The place of an abandoned call is free once its answer came: with one place in all,
	// this would be a violation any sooner.
	if err := client.Call(t.Context(), "quick", nil, nil); err != nil {
		t.Error(err)
	}
}

func TestTooLarge(t *testing.T) {
	_, client := connected(t, handlerFunc(func(_ context.Context, req Request) (Reply, error) {
		return Reply{Body: strings.Repeat("x", 2<<20)}, nil
	}), Options{MaxFrame: 1 << 20}, Options{MaxFrame: 1 << 20})
	if err := client.Call(t.Context(), "m", strings.Repeat("x", 2<<20), nil); problem.CodeOf(err) != problem.InvalidArgument {
		t.Errorf("a large request: %v", err)
	}
	if err := client.Call(t.Context(), "m", nil, nil); problem.CodeOf(err) != problem.ResultTooLarge {
		t.Errorf("a large answer: %v", err)
	}
}

func TestClosedWhileCalling(t *testing.T) {
	entered := make(chan struct{}, 10)
	server, client := connected(t, handlerFunc(func(ctx context.Context, _ Request) (Reply, error) {
		entered <- struct{}{}
		<-ctx.Done()
		return Reply{}, ctx.Err()
	}), Options{}, Options{})
	errs := make(chan error)
	for range 10 {
		go func() { errs <- client.Call(context.Background(), "m", nil, nil) }()
	}
	for range 10 {
		<-entered
	}
	server.Close()
	for range 10 {
		if err := <-errs; !errors.Is(err, ErrClosed) {
			t.Errorf("a call under way: %v", err)
		}
	}
	if err := client.Call(t.Context(), "m", nil, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("a call afterwards: %v", err)
	}
}

// TestHostilePeer: a worker that was taken over writes to the daemon's end whatever it likes.
func TestHostilePeer(t *testing.T) {
	flood := []byte{}
	for i := range 300 {
		flood = append(flood, framed(kindRequest, 0, uint32(i+1), "slow", "{}")...)
	}
	twice := append(framed(kindRequest, 0, 1, "slow", "{}"), framed(kindRequest, 0, 1, "slow", "{}")...)
	for name, c := range map[string]struct {
		bytes []byte
		file  bool
		want  string
	}{
		"a length of 4 GB":         {bytes: []byte{255, 255, 255, 255}, want: "longer"},
		"a length of 0":            {bytes: []byte{0, 0, 0, 0}, want: "shorter"},
		"an unknown kind":          {bytes: framed(42, 0, 1, "", ""), want: "kind"},
		"an answer to nothing":     {bytes: framed(kindAnswer, 0, 77, "", "{}"), want: "nobody made"},
		"a failure of nothing":     {bytes: framed(kindFailure, 0, 77, "", "{}"), want: "nobody made"},
		"a flood of requests":      {bytes: flood, want: "requests under way"},
		"one id twice":             {bytes: twice, want: "have the id"},
		"descriptors not there":    {bytes: framed(kindRequest, 3, 1, "slow", "{}"), want: "0 came"},
		"descriptors not expected": {bytes: framed(kindRequest, 1, 1, "slow", "{}"), file: true, want: "descriptors"},
		"descriptors not declared": {bytes: framed(kindRequest, 0, 1, "slow", "{}"), file: true, want: "descriptors"},
	} {
		t.Run(name, func(t *testing.T) {
			fds, goroutines := openFDs(t), runtime.NumGoroutine()
			a, b := pair(t)
			server := New(a, handlerFunc(func(ctx context.Context, req Request) (Reply, error) {
				<-ctx.Done()
				return Reply{}, ctx.Err()
			}), Options{})
			var rights []byte
			if c.file {
				rights = syscall.UnixRights(0)
			}
			if _, _, err := b.WriteMsgUnix(c.bytes, rights, nil); err != nil {
				t.Fatal(err)
			}
			<-server.Done()
			server.Wait()
			var v *Violation
			if err := server.Err(); !errors.As(err, &v) || !strings.Contains(v.What, c.want) {
				t.Errorf("closed with %v, want %q", err, c.want)
			}
			b.Close()
			settled(t, fds, goroutines)
		})
	}
}

// An end that takes descriptors takes no more of them than were promised.
func TestHostileDescriptors(t *testing.T) {
	for name, c := range map[string]struct {
		declared, sent int
		want           string
	}{
		"none declared":   {0, 1, "descriptors"},
		"too many":        {1, 9, "descriptors"},
		"fewer than said": {1, 0, "0 came"},
	} {
		t.Run(name, func(t *testing.T) {
			fds, goroutines := openFDs(t), runtime.NumGoroutine()
			a, b := pair(t)
			client := New(a, nil, Options{MaxFiles: 1})
			call, err := client.Begin(t.Context(), "open", nil)
			if err != nil {
				t.Fatal(err)
			}
			sent := make([]int, c.sent) // standard input, many times
			if _, _, err := b.WriteMsgUnix(framed(kindAnswer, c.declared, call.id, "", "{}"), syscall.UnixRights(sent...), nil); err != nil {
				t.Fatal(err)
			}
			<-client.Done()
			client.Wait()
			files, err := call.Result(nil)
			closeAll(files)
			var v *Violation
			if !errors.As(client.Err(), &v) || !strings.Contains(v.What, c.want) {
				t.Errorf("closed with %v, want %q (the call: %v)", client.Err(), c.want, err)
			}
			b.Close()
			settled(t, fds, goroutines)
		})
	}
}

func TestMalformedBodies(t *testing.T) {
	a, b := pair(t)
	client := New(a, nil, Options{})
	defer client.Wait()
	defer client.Close()
	call, err := client.Begin(t.Context(), "m", nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Write(framed(kindAnswer, 0, call.id, "", `{"a":`))
	var out struct{ A int }
	var v *Violation
	if _, err := call.Result(&out); !errors.As(err, &v) {
		t.Errorf("an answer that is no JSON: %v", err)
	}
	<-client.Done()
	b.Close()
}

func TestUnknownCodesBecomeInternal(t *testing.T) {
	a, b := pair(t)
	client := New(a, nil, Options{})
	defer client.Wait()
	defer client.Close()
	defer b.Close()
	call, err := client.Begin(t.Context(), "m", nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Write(framed(kindFailure, 0, call.id, "", `{"code":"made_up","message":"text of the worker's choice"}`))
	if _, err := call.Result(nil); problem.CodeOf(err) != problem.Internal {
		t.Errorf("an unknown code: %v", err)
	}
}

// A peer that does not read must not hold up whoever cancels or closes.
func TestPeerThatDoesNotRead(t *testing.T) {
	a, b := pair(t)
	client := New(a, nil, Options{})
	sending := make(chan error)
	go func() {
		for {
			if _, err := client.Begin(context.Background(), "m", strings.Repeat("x", 100_000)); err != nil {
				sending <- err
				return
			}
		}
	}()
	var call *Call
	for call == nil { // wait for one to be on its way
		client.mu.Lock()
		for _, call = range client.calls {
			break
		}
		client.mu.Unlock()
		runtime.Gosched()
	}
	call.Cancel()
	client.Close()
	if err := <-sending; !errors.Is(err, ErrClosed) {
		t.Errorf("sending: %v", err)
	}
	client.Wait()
	b.Close()
}

// FuzzConn: a connection that reads arbitrary bytes ends and leaves nothing behind.
func FuzzConn(f *testing.F) {
	f.Add(append(framed(kindRequest, 0, 1, "echo", `{}`), framed(kindCancel, 0, 1, "", "")...))
	f.Add(framed(kindFailure, 0, 1, "", `{}`))
	f.Add(framed(kindNotice, 0, 0, "log", `{"level":"log"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, b := pair(t)
		c := New(a, handlerFunc(func(_ context.Context, req Request) (Reply, error) {
			return Reply{Body: req.Body}, nil
		}), Options{MaxFrame: 1 << 12, MaxFiles: 1})
		go io.Copy(io.Discard, b)
		b.Write(data)
		b.CloseWrite()
		c.Wait()
		b.Close()
		if c.Err() == nil {
			t.Fatal("closed without a reason")
		}
	})
}

// A peer that asks and does not read the answers must not pile them up here.
func TestAnswersThatNobodyReadsHoldUpTheAskerAlone(t *testing.T) {
	const most, requests, size = 4, 100, 1 << 20
	a, b := pair(t)
	var handled atomic.Int64
	var sent atomic.Int64
	body := json.RawMessage(`"` + strings.Repeat("x", size) + `"`)
	server := New(a, handlerFunc(func(context.Context, Request) (Reply, error) {
		handled.Add(1)
		return Reply{Body: body, Sent: func() { sent.Add(1) }}, nil
	}), Options{MaxInFlight: most})
	go func() {
		for id := range uint32(requests) {
			b.Write(framed(kindRequest, 0, id+1, "big", "{}"))
			for handled.Load() <= int64(id) || server.Serving() >= most { // never more at once than is allowed
				if server.Err() != nil {
					return
				}
				runtime.Gosched()
			}
		}
	}()
	r := newReader(b, MaxFrame, 0)
	for read := range int64(requests) {
		for range 200 { // time to get ahead of the reader
			if n := handled.Load(); n > read+2*most+1 {
				t.Fatalf("%d requests were answered and %d answers read: the rest is in memory", n, read)
			}
			time.Sleep(50 * time.Microsecond)
		}
		if _, _, err := r.next(); err != nil {
			t.Fatal(err)
		}
	}
	server.Close()
	server.Wait()
	b.Close()
	if handled.Load() != requests || sent.Load() != requests {
		t.Errorf("%d were handled and %d told of being sent, of %d", handled.Load(), sent.Load(), requests)
	}
}

// A brief request is answered while a long one is under way, and brief ones keep their order.
func TestInline(t *testing.T) {
	release := make(chan struct{})
	var order []int // of the brief ones: appended to by one goroutine, the reading one
	server, client := connected(t, handlerFunc(func(ctx context.Context, req Request) (Reply, error) {
		if req.Method == "long" {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return Reply{Body: "long"}, nil
		}
		var n int
		if err := json.Unmarshal(req.Body, &n); err != nil {
			return Reply{}, err
		}
		order = append(order, n)
		return Reply{Body: n}, nil
	}), Options{Inline: func(method string) bool { return method == "brief" }}, Options{})

	long, err := client.Begin(t.Context(), "long", nil)
	if err != nil {
		t.Fatal(err)
	}
	var calls []*Call
	for i := range 100 {
		call, err := client.Begin(t.Context(), "brief", i)
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, call)
	}
	for i, call := range calls {
		var n int
		if _, err := call.Result(&n); err != nil || n != i {
			t.Fatalf("call %d: %d, %v", i, n, err)
		}
	}
	close(release)
	if _, err := long.Result(nil); err != nil {
		t.Fatal(err)
	}
	server.Close()
	server.Wait()
	for i, n := range order {
		if n != i {
			t.Fatalf("handled in the order %v", order)
		}
	}
}
