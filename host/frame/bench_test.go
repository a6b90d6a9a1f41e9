package frame

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"syscall"
	"testing"
)

// pair gives the two ends of a connected stream socketpair.
func pair(t testing.TB) (a, b *net.UnixConn) {
	t.Helper()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	conns := make([]*net.UnixConn, 2)
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "socketpair")
		conn, err := net.FileConn(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		conns[i] = conn.(*net.UnixConn)
	}
	return conns[0], conns[1]
}

type handlerFunc func(ctx context.Context, req Request) (Reply, error)

func (f handlerFunc) Handle(ctx context.Context, req Request) (Reply, error) { return f(ctx, req) }
func (handlerFunc) Notice(string, json.RawMessage)                           {}

func BenchmarkCall(b *testing.B) {
	x, y := pair(b)
	server := New(x, handlerFunc(func(ctx context.Context, req Request) (Reply, error) {
		return Reply{Body: req.Body}, nil
	}), Options{})
	client := New(y, nil, Options{})
	b.Cleanup(func() { client.Close(); server.Close(); client.Wait(); server.Wait() })
	in := struct {
		Ref string `json:"ref"`
	}{"budget.xlsx"}
	b.ReportAllocs()
	for b.Loop() {
		out := in
		if err := client.Call(b.Context(), "stat", in, &out); err != nil {
			b.Fatal(err)
		}
	}
}
