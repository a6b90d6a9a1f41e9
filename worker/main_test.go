package worker

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/host/hosttest"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/runtime"
)

// The test binary is its own worker, under the race detector too.
func TestMain(m *testing.M) {
	os.Unsetenv("SANDBOXD_PLAIN_WORKER")
	Child(testTable(), testEngines()...)
	if os.Getenv(envTestDaemon) != "" {
		testDaemon()
	}
	os.Exit(m.Run())
}

const envTestDaemon = "SANDBOXD_TEST_DAEMON"

// testDaemon is a daemon for TestKilledDaemon: it starts a pool, has a worker busy, says
// which processes it started, and waits to be killed.
func testDaemon() {
	p, err := NewPool(Config{Size: 1, Spare: 2})
	if err == nil {
		err = p.Start(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	log := func(host.LogLine) {
		var data []byte
		for _, task := range tasks() {
			more, _ := os.ReadFile("/proc/self/task/" + task + "/children")
			data = append(data, more...)
		}
		fmt.Println(strings.TrimSpace(string(data)))
	}
	p.Run(context.Background(), Job{Workspace: "w", Host: noHost{}, Log: log,
		Script: &runtime.Script{Source: "console.log('busy'); await test.spin('')"}})
}

// noHost has only Log.
type noHost struct{ host.Host }

func (noHost) Log(host.LogLine) {}

func tasks() (names []string) {
	entries, _ := os.ReadDir("/proc/self/task")
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// ample is more time than anything takes that does not hang, also on a machine that others use.
const ample = 5 * time.Minute

// start gives a running pool that is stopped, and checked to be gone, at the test's end. Its
// limits of time are ample unless the test says otherwise.
func start(t testing.TB, c Config) *Pool {
	t.Helper()
	c.Limits = c.Limits.Or(limits.Limits{WallTime: ample, CPUTime: ample, SQLTime: ample})
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
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
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
