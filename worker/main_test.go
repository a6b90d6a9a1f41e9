package worker

import (
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host/hosttest"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/runtime"
)

// The test binary is its own worker.
func TestMain(m *testing.M) {
	Child(testTable())
	os.Exit(m.Run())
}

// start gives a running pool that is stopped, and checked to be gone, at the test's end.
func start(t testing.TB, c Config) *Pool {
	t.Helper()
	if testing.Verbose() && c.Log == nil {
		c.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	p, err := NewPool(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := p.Stop(ctx); err != nil {
			t.Errorf("Stop: %v", err)
		}
	})
	return p
}

// script is a job that runs source in a workspace of its own kind.
func script(t testing.TB, source string) Job {
	return Job{RunID: t.Name(), Workspace: "w", Host: hosttest.New(t), Script: &runtime.Script{Source: source}}
}

func want(t testing.TB, out Outcome, result string) {
	t.Helper()
	if out.Error != nil || string(out.Result) != result {
		t.Fatalf("got %s, %+v; want %s", out.Result, out.Error, result)
	}
}

func wantCode(t testing.TB, out Outcome, code problem.Code) {
	t.Helper()
	if out.Error == nil || out.Error.Code != code {
		t.Fatalf("got %s, %v; want %s", out.Result, out.Error, code)
	}
}
