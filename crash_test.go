//go:build linux

package sandboxd_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// The crash test of the whole daemon. A child process, which is this test's binary, is a
// daemon with real workers: it makes random history until it is killed, at a named step of
// a commit or of recovery, or at any moment. Then another one opens the folder, which
// recovers it, and each run must be there whole or not at all (crashcheck_test.go). What a
// child does is in crashchild_test.go.

const (
	crashDir   = "SANDBOXD_CRASH_DIR"    // makes TestCrashChild a daemon on this folder
	crashSeed  = "SANDBOXD_CRASH_SEED"   // of the child's history
	crashAt    = "SANDBOXD_CRASH_AT"     // the step to die at, as "name:n-th time"; "" is never
	crashKills = "SANDBOXD_CRASH_CYCLES" // how many kills TestCrash makes. Defaults to what 12 s allow, but some.
)

// crashSteps are where a child may be killed.
var crashSteps = []string{
	"blob.written", "blob.renamed", "blob.folder-synced", "meta.applied", "meta.written", "meta.committed",
	"agent.opened", "agent.committing", "agent.committed", "redo.applied",
}

// crashRecoverySteps are where a child may be killed that recovers from the death of another.
var crashRecoverySteps = []string{"redo.applied", "recover.redone", "recover.cleared", "recover.swept"}

func TestCrash(t *testing.T) {
	kills, until := 1<<30, time.Now().Add(12*time.Second)
	if text := os.Getenv(crashKills); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
		until = time.Now().Add(24 * time.Hour)
	} else if testing.Short() {
		t.Skip("a process that is killed has nothing to tell the race detector")
	}
	before := resources(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	c := &crashes{kills: map[string]int{}}
	var lanes sync.WaitGroup
	for lane := range uint64(2) {
		lanes.Go(func() { c.lane(t, seed+lane, kills, until) })
	}
	lanes.Wait()
	for _, fault := range c.faults {
		t.Error(fault)
	}
	t.Logf("%d kills %v, %d acknowledged runs, %d committed and %d cut off without an answer", c.total(), c.kills, c.acked, c.silent, c.cut)
	if !c.some() {
		t.Errorf("%d kills and %d acknowledged runs: the test tests nothing", c.total(), c.acked)
	}
	for _, step := range slices.Concat(crashSteps, crashRecoverySteps) {
		if c.total() >= 1000 && c.kills[step] == 0 {
			t.Errorf("no child was killed at %q: the step is never reached", step)
		}
	}
	checkResources(t, before)
}

// crashes is what came of many lives.
type crashes struct {
	mu     sync.Mutex
	kills  map[string]int // by step; "" is at any moment
	acked  int            // runs that were answered
	silent int            // runs that were committed, but whose answer nobody got
	cut    int            // runs that are recorded as cut off
	faults []string
}

func (c *crashes) total() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.kills {
		n += k
	}
	return n
}

func (c *crashes) done(kills int, until time.Time) bool {
	c.mu.Lock()
	failed := len(c.faults) > 0
	c.mu.Unlock()
	now := time.Now()
	return failed || c.total() >= kills || now.After(until) && (c.some() || now.After(until.Add(5*time.Minute)))
}

// some tells whether there were enough kills, and of children that were at work.
func (c *crashes) some() bool {
	n := c.total()
	c.mu.Lock()
	defer c.mu.Unlock()
	return n >= 5 && c.acked >= n
}

// lane kills children, up to a dozen on one folder.
func (c *crashes) lane(t *testing.T, seed uint64, kills int, until time.Time) {
	random := rand.New(rand.NewPCG(seed, 1))
	for !c.done(kills, until) {
		dir, err := os.MkdirTemp("", "sandboxd-crash-")
		if err != nil {
			t.Error(err)
			return
		}
		model := &crashModel{acked: map[string]bool{}}
		recovering := false // the child before was killed and nobody has looked since
		for range 12 {
			at, after := "", time.Duration(0)
			switch n := random.IntN(8); {
			case n < 2:
				after = time.Duration(100+random.IntN(900)) * time.Millisecond
			case n < 6 && recovering:
				at = crashRecoverySteps[random.IntN(len(crashRecoverySteps))] + ":1"
			default:
				at = fmt.Sprintf("%s:%d", crashSteps[random.IntN(len(crashSteps))], 1+random.IntN(6))
			}
			l, err := live(dir, random.Uint64(), at, after)
			if err != nil {
				c.fault("a child to be killed at %q, after %v: %v", at, after, err)
				return
			}
			for name := range l.acked {
				model.acked[name] = true
			}
			c.mu.Lock()
			if step, _, _ := strings.Cut(at, ":"); l.killed {
				c.kills[step]++
			}
			c.acked += len(l.acked)
			c.mu.Unlock()
			// Every third time the next child is the one who recovers, and may die of it.
			if recovering = l.killed && random.IntN(3) == 0; recovering && !c.done(kills, until) {
				continue
			}
			silent, cut, faults := model.check(dir)
			c.mu.Lock()
			c.silent += silent
			c.cut += cut
			c.mu.Unlock()
			for _, fault := range faults {
				c.fault("%s, after a kill at %q (or after %v): %s", dir, at, after, fault)
			}
			if len(faults) > 0 {
				return // the folder stays, to be looked at
			}
			if c.done(kills, until) {
				break
			}
		}
		_ = os.RemoveAll(dir)
	}
}

func (c *crashes) fault(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// life is what was seen of one child.
type life struct {
	acked  map[string]bool // names of runs that were answered with OK
	killed bool
}

// live lets a child work on dir until it dies, or is killed after a while.
func live(dir string, seed uint64, at string, after time.Duration) (life, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestCrashChild$", "-test.count=1")
	child.Env = append(os.Environ(), crashDir+"="+dir, crashSeed+"="+strconv.FormatUint(seed, 10), crashAt+"="+at)
	var stderr strings.Builder
	child.Stderr = &stderr
	stdout, err := child.StdoutPipe()
	if err != nil {
		return life{}, err
	}
	if err := child.Start(); err != nil {
		return life{}, err
	}
	l := life{acked: map[string]bool{}}
	lines := bufio.NewReader(stdout)
	var said strings.Builder
	for {
		line, err := lines.ReadString('\n')
		line = strings.TrimSuffix(line, "\n")
		switch name, ok := strings.CutPrefix(line, "committed "); {
		case ok && err == nil:
			l.acked[name] = true
		case line == "open" && after > 0:
			// The clock runs from here: to start takes longer than the rest.
			timer := time.AfterFunc(after, func() { _ = child.Process.Kill() })
			defer timer.Stop()
		default:
			said.WriteString(line + "\n")
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return l, err
		}
	}
	err = child.Wait()
	if status, ok := child.ProcessState.Sys().(syscall.WaitStatus); ok {
		l.killed = status.Signaled() && status.Signal() == syscall.SIGKILL
	}
	switch {
	case ctx.Err() != nil:
		return l, fmt.Errorf("the child hangs: %s %s", said.String(), stderr.String())
	case err != nil && !l.killed:
		return l, fmt.Errorf("the child failed: %v\n%s\n%s", err, said.String(), stderr.String())
	}
	return l, nil
}

// dieAt ends the process without a word when a step is reached for the n-th time.
func dieAt(spec string) func(string) {
	name, nth, _ := strings.Cut(spec, ":")
	n, _ := strconv.ParseInt(nth, 10, 64)
	var left atomic.Int64
	left.Store(n)
	return func(step string) {
		if step == name && left.Add(-1) == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

// The checker must notice when something is not as the runs left it.
func TestCrashCheckNotices(t *testing.T) {
	dir := t.TempDir()
	model := &crashModel{acked: map[string]bool{}}
	l, err := live(dir, 1, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	model.acked = l.acked
	if _, _, faults := model.check(dir); len(faults) > 0 {
		t.Fatalf("after an orderly end: %q", faults)
	}
	var some string
	for name := range l.acked {
		if crashPartsOf(name).Large {
			some = name
			break
		}
	}
	blobs, _ := filepath.Glob(filepath.Join(dir, "files", "*", "*"))
	if some == "" || len(blobs) == 0 {
		t.Fatalf("no run of %d wrote a large file", len(l.acked))
	}
	orphan := filepath.Join(filepath.Dir(blobs[0]), strings.Repeat("0", 62))
	for what, break_ := range map[string]func() (mend func(), err error){
		"a blob is missing": func() (func(), error) {
			return func() { _ = os.Rename(blobs[0]+"~", blobs[0]) }, os.Rename(blobs[0], blobs[0]+"~")
		},
		"a run is lost": func() (func(), error) {
			model.acked["w0 never there"] = true
			return func() { delete(model.acked, "w0 never there") }, nil
		},
	} {
		mend, err := break_()
		if err != nil {
			t.Fatal(err)
		}
		if _, _, faults := model.check(dir); len(faults) == 0 {
			t.Errorf("%s: not noticed", what)
		}
		mend()
	}
	// What nobody knows is swept away when the folder is opened.
	if err := os.WriteFile(orphan, []byte("orphan"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, _ = model.check(dir)
	if _, err := os.Stat(orphan); err == nil {
		t.Error("an orphan stays")
	}
}
