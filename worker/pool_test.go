package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/host/hosttest"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

func TestRun(t *testing.T) {
	p := start(t, Config{})
	want(t, p.Run(t.Context(), script(t, "1+1")), "2")
	wantCode(t, p.Run(t.Context(), script(t, "throw new Error('no')")), problem.ScriptError)
	wantCode(t, p.Run(t.Context(), script(t, "await test.stat('none')")), problem.NotFound)
	job := script(t, "return args.n * 2")
	job.Script.Args = json.RawMessage(`{"n":21}`)
	want(t, p.Run(t.Context(), job), "42")
}

func TestOutcome(t *testing.T) {
	p := start(t, Config{Size: 1})
	var live []string
	job := script(t, `console.log("one"); console.warn("two"); await test.stat("a"); await test.stat("a"); let x = 0; for (let i = 0; i < 1e6; i++) x += i; return x`)
	memory := hosttest.New(t)
	memory.Add(t, "a", nil)
	job.Host = memory
	job.Log = func(line host.LogLine) { live = append(live, line.Level+" "+line.Text) }
	out := p.Run(t.Context(), job)
	want(t, out, "499999500000")
	if !slices.Equal(live, []string{"log one", "warn two"}) || len(out.Logs) != 2 || out.Logs[1].Text != "two" || len(memory.Logs()) != 2 {
		t.Errorf("live %q, logs %+v", live, out.Logs)
	}
	if out.Calls["test.stat"] != 2 {
		t.Errorf("calls %v", out.Calls)
	}
	if out.CPU < 10*time.Millisecond || out.CPU > 20*time.Second || out.Wall < out.CPU/4 || out.PeakMemory < 5<<20 || out.PeakMemory > 500<<20 {
		t.Errorf("CPU %v, wall %v, peak %d", out.CPU, out.Wall, out.PeakMemory)
	}
	// The next run's are its own.
	next := p.Run(t.Context(), script(t, "1"))
	if next.CPU > out.CPU || len(next.Calls) != 0 || len(next.Logs) != 0 {
		t.Errorf("the next run: CPU %v, %v, %v", next.CPU, next.Calls, next.Logs)
	}
}

func TestToolCall(t *testing.T) {
	p := start(t, Config{Size: 1})
	memory := hosttest.New(t)
	memory.Add(t, "a.txt", []byte("x"))
	call := func(tool, args string) Outcome {
		return p.Run(t.Context(), Job{Workspace: "w", Host: memory, Call: &ToolCall{Tool: tool, Args: json.RawMessage(args)}})
	}
	out := call("test_stat", `{"ref":"a.txt"}`)
	want(t, out, `{"text":"a.txt"}`)
	if out.Calls["test.stat"] != 1 {
		t.Errorf("calls %v", out.Calls)
	}
	wantCode(t, call("test_stat", `{"ref":"b.txt"}`), problem.NotFound)
	wantCode(t, call("test_stat", `{"ref":1}`), problem.InvalidArgument)
	wantCode(t, call("test_stat", `not json`), problem.InvalidArgument)
	wantCode(t, call("no_such_tool", `{}`), problem.UnknownOperation)
	wantCode(t, call("test_panic", `{"ref":"x"}`), problem.Internal)
	want(t, call("test_stat", `{"ref":"a.txt"}`), `{"text":"a.txt"}`)
}

// pids gives the processes that ran n scripts, told apart by what they leave behind.
func (p *Pool) idlePids() map[string][]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := map[string][]int{}
	for _, w := range p.idle {
		all[w.workspace] = append(all[w.workspace], w.cmd.Process.Pid)
	}
	return all
}

func TestPinnedAndReused(t *testing.T) {
	p := start(t, Config{Size: 2, Keep: 4})
	run := func(workspace, source string) Outcome {
		job := script(t, source)
		job.Workspace = workspace
		return p.Run(t.Context(), job)
	}
	for range 5 {
		want(t, run("a", "globalThis.left = 1; 1"), "1")
		want(t, run("b", "typeof left"), `"undefined"`)
		want(t, run("a", "typeof left"), `"undefined"`) // the same process, a fresh isolate
	}
	first := p.idlePids()
	if len(first["a"]) != 1 || len(first["b"]) != 1 || first["a"][0] == first["b"][0] {
		t.Fatalf("processes %v", first)
	}
	// A script's own error does it no harm; an interrupt does.
	wantCode(t, run("a", "throw 1"), problem.ScriptError)
	if now := p.idlePids(); !slices.Equal(now["a"], first["a"]) {
		t.Errorf("replaced after a script's error: %v, was %v", now, first)
	}
	job := script(t, "for (;;) {}")
	job.Workspace, job.Limits.WallTime = "a", 50*time.Millisecond
	wantCode(t, p.Run(t.Context(), job), problem.Timeout)
	want(t, run("a", "1"), "1")
	if now := p.idlePids(); slices.Equal(now["a"], first["a"]) || !slices.Equal(now["b"], first["b"]) {
		t.Errorf("after an interrupt in a: %v, was %v", now, first)
	}
}

func TestReplacedAfterMaxRuns(t *testing.T) {
	p := start(t, Config{Size: 1, MaxRuns: 3})
	seen := map[int]bool{}
	for range 7 {
		want(t, p.Run(t.Context(), script(t, "1")), "1")
		for _, pid := range p.idlePids()["w"] {
			seen[pid] = true
		}
	}
	if len(seen) != 3 { // 3 + 3 + 1 runs
		t.Errorf("%d processes for 7 runs of at most 3", len(seen))
	}
}

func TestLeastRecentlyUsedIsRetired(t *testing.T) {
	p := start(t, Config{Size: 1, Keep: 2})
	for _, workspace := range []string{"a", "b", "a", "c"} {
		job := script(t, "1")
		job.Workspace = workspace
		want(t, p.Run(t.Context(), job), "1")
	}
	if left := p.idlePids(); len(left["a"]) != 1 || len(left["b"]) != 0 || len(left["c"]) != 1 {
		t.Errorf("kept %v, want those of a and c", left)
	}
}

func TestIdleIsRetired(t *testing.T) {
	p := start(t, Config{Size: 1, IdleTTL: 40 * time.Millisecond})
	want(t, p.Run(t.Context(), script(t, "1")), "1")
	waitFor(t, func() bool { return len(p.idlePids()) == 0 })
	want(t, p.Run(t.Context(), script(t, "2")), "2")
}

// A process that dies while nobody uses it is not noticed by the next run.
func TestDiesIdle(t *testing.T) {
	p := start(t, Config{Size: 1})
	for range 10 {
		want(t, p.Run(t.Context(), script(t, "1")), "1")
		p.mu.Lock()
		idle := p.idle[0]
		p.mu.Unlock()
		killPid(t, idle.cmd.Process.Pid)
		waitFor(t, func() bool { return !idle.alive() })
	}
}

func killPid(t *testing.T, pid int) {
	process, err := os.FindProcess(pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestBusyAndCanceled(t *testing.T) {
	p := start(t, Config{Size: 1, Queue: 1})
	ctx, cancel := context.WithCancel(t.Context())
	outs := make(chan Outcome, 2)
	for range 2 {
		go func() { outs <- p.Run(ctx, script(t, "await test.sleep('')")) }()
	}
	waitFor(t, func() bool { p.queue.mu.Lock(); defer p.queue.mu.Unlock(); return p.queue.waiting == 1 })
	wantCode(t, p.Run(t.Context(), script(t, "1")), problem.Busy)
	began := time.Now()
	cancel()
	for range 2 {
		wantCode(t, <-outs, problem.Canceled)
	}
	if took := time.Since(began); took > time.Minute { // the time limit is far more
		t.Errorf("cancelling took %v", took)
	}
	want(t, p.Run(t.Context(), script(t, "1")), "1")
}

// The canaries: each fails if the limit does nothing.
func TestLimits(t *testing.T) {
	p := start(t, Config{Size: 1, Limits: limits.Limits{Memory: 256 * limits.MB, FileBytes: 4 * limits.MB}})
	for _, c := range []struct {
		name   string
		source string
		limits limits.Limits
		want   problem.Code
	}{
		{"wall time", "for (;;) {}", limits.Limits{WallTime: 100 * time.Millisecond}, problem.Timeout},
		{"wall time of an operation", "await test.spin('')", limits.Limits{WallTime: 100 * time.Millisecond}, problem.Timeout},
		{"CPU time", "for (;;) {}", limits.Limits{CPUTime: 100 * time.Millisecond}, problem.CPULimit},
		{"CPU time of an operation", "await test.spin('')", limits.Limits{CPUTime: 100 * time.Millisecond}, problem.CPULimit},
		{"memory", "const a = []; for (;;) a.push(new Array(1000).fill(1.5))", limits.Limits{}, problem.MemoryLimit},
		{"memory of an operation", "await test.hoard(2**30)", limits.Limits{}, problem.MemoryLimit},
		{"memory of this run", "await test.hoard(100 * 2**20)", limits.Limits{Memory: 64 * limits.MB}, problem.MemoryLimit},
		{"less memory than that", "await test.hoard(100 * 2**20)", limits.Limits{}, ""},
		{"stack", "const f = () => f() + 1; f()", limits.Limits{}, problem.StackOverflow},
		{"result", "return 'x'.repeat(2000)", limits.Limits{ResultBytes: 1000}, problem.ResultTooLarge},
		{"calls", "for (let i = 0; i < 11; i++) await test.stat('a').catch(() => 0)", limits.Limits{HostCalls: 10}, problem.CallLimit},
		{"fewer calls than that", "for (let i = 0; i < 10; i++) await test.stat('a').catch(() => 0)", limits.Limits{HostCalls: 10}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if raceBuild && strings.Contains(c.name, "less memory") {
				t.Skip("a race build takes several times the memory")
			}
			job := script(t, c.source)
			job.Limits = c.limits
			out := p.Run(t.Context(), job)
			if problem.CodeOf(asError(out.Error)) != c.want {
				t.Errorf("got %v, want %q", out.Error, c.want)
			}
		})
	}
	t.Run("a file", func(t *testing.T) {
		want(t, p.Run(t.Context(), script(t, "return await test.write(3 * 2**20)")), fmt.Sprintf(`"%d"`, 3<<20))
		want(t, p.Run(t.Context(), script(t, "return await test.write(9 * 2**20)")), fmt.Sprintf(`"%d true"`, 4<<20))
	})
}

func asError(p *problem.Error) error {
	if p == nil {
		return nil
	}
	return p
}

// A run that is killed still answers with what it said.
func TestLogsOfTheKilled(t *testing.T) {
	p := start(t, Config{Size: 1})
	out := runAndKill(t, p, `await Promise.resolve(); `+thenHang)
	if len(out.Logs) != 1 || out.Logs[0].Text != "about to" {
		t.Errorf("logs %+v", out.Logs)
	}
}

// thenHang says so and ends in a native that nothing but the end of the process ends.
const thenHang = `console.log("about to"); /^(a+)+\1b$/.test("a".repeat(40))`

// runAndKill runs a script that ends with thenHang, and cancels it when it is there: a
// deadline might come before the script does.
func runAndKill(t *testing.T, p *Pool, source string) Outcome {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	job := script(t, source)
	job.Log = func(host.LogLine) { cancel() }
	out := p.Run(ctx, job)
	wantCode(t, out, problem.Canceled)
	return out
}

// The receipt of a run that is killed tells what it called, and not what a run before it
// in the same process did.
func TestCallsOfTheKilled(t *testing.T) {
	p := start(t, Config{Size: 1, Limits: limits.Limits{Memory: 256 * limits.MB}})
	if sheet := newTallySheet(); sheet == nil {
		t.Skip("this system has no memory to share")
	} else {
		sheet.close()
	}
	want(t, p.Run(t.Context(), script(t, "for (let i = 0; i < 5; i++) await test.stat('a').catch(() => 0); return 1")), "1")
	out := runAndKill(t, p, "await test.stat('a').catch(() => 0); await test.stat('b').catch(() => 0); "+thenHang)
	if len(out.Calls) != 1 || out.Calls["test.stat"] != 2 {
		t.Errorf("calls %v", out.Calls)
	}
	job := script(t, "")
	job.Script, job.Call = nil, &ToolCall{Tool: "test_hoard", Args: []byte(`{"bytes": 1073741824}`)}
	out = p.Run(t.Context(), job)
	wantCode(t, out, problem.MemoryLimit)
	if len(out.Calls) != 1 || out.Calls["test.hoard"] != 1 {
		t.Errorf("calls %v", out.Calls)
	}
}

// children counts the live processes whose parent is this one.
func children(t testing.TB) int {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Skip("needs /proc")
	}
	n := 0
	for _, task := range tasks {
		data, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		n += len(strings.Fields(string(data)))
	}
	return n
}

func TestStopLeavesNothing(t *testing.T) {
	fds := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("needs /proc")
		}
		return len(entries)
	}
	// Go's own first uses of exec and the poller stay open.
	warm, err := NewPool(Config{Size: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := warm.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := warm.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	beforeFDs, beforeGo := fds(), runtime.NumGoroutine()

	p, err := NewPool(Config{Size: 2, Queue: 100, DBDir: func(w string) (string, error) { return t.TempDir(), nil }})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i, source := range []string{"1", "for (;;) {}", "'x'.repeat(2**40)", "await test.sleep('')", "throw 1", "await test.panicElsewhere('')"} {
		all.Go(func() {
			job := script(t, source)
			job.Workspace = fmt.Sprint(i % 3)
			job.Limits.WallTime = 200 * time.Millisecond
			p.Run(context.Background(), job)
		})
	}
	all.Wait()
	db, err := p.AgentDB(t.Context(), "w")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Schema(t.Context()); err != nil {
		t.Fatal(err)
	}
	db.Close()
	// One is under way when the pool stops, and does not want to end.
	outs := make(chan Outcome)
	go func() { outs <- p.Run(context.Background(), script(t, "await test.spin('')")) }()
	waitFor(t, func() bool { p.queue.mu.Lock(); defer p.queue.mu.Unlock(); return p.queue.running == 1 })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	go func() { outs <- Outcome{Error: problem.From(p.Stop(ctx))} }()
	codes := []problem.Code{(<-outs).Error.Code, (<-outs).Error.Code}
	slices.Sort(codes)
	if !slices.Equal(codes, []problem.Code{problem.Canceled, problem.Timeout}) {
		t.Errorf("codes %v: the run is cancelled, and Stop says that it had to", codes)
	}
	if n := children(t); n != 0 {
		t.Errorf("%d processes are left", n)
	}
	wantCode(t, p.Run(t.Context(), script(t, "1")), problem.Busy)
	waitFor(t, func() bool { return fds() <= beforeFDs && runtime.NumGoroutine() <= beforeGo+1 })
}
