package workspace_test

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

// The crash test. A child process, which is this test's binary, opens a store and makes
// random history on it until it is killed: at a named step of a commit or of recovery, or
// at any moment. The parent then opens the folder, which recovers it, and checks that each
// run is there whole or not at all (crashcheck_test.go), again and again on one folder.

const (
	crashDir  = "SANDBOXD_CRASH_DIR"    // makes the binary a child, working on this folder
	crashSeed = "SANDBOXD_CRASH_SEED"   // of the child's history
	crashAt   = "SANDBOXD_CRASH_AT"     // the step to die at, as "name:n-th time"; "" is never
	crashSkip = "SANDBOXD_CRASH_SKIP"   // a step to leave out, to see that the checker notices
	crashRuns = "SANDBOXD_CRASH_CYCLES" // how many kills the test makes. Defaults to 200.
)

// steps are where a child may be killed.
var steps = []string{
	"blob.written", "blob.renamed", "blob.folder-synced", "meta.applied", "meta.written", "meta.committed",
	"agent.opened", "agent.committing", "agent.committed", "redo.applied", "gc.forgotten",
}

// recoverySteps are where a child may be killed that recovers from the death of another.
var recoverySteps = []string{"redo.applied", "recover.redone", "recover.cleared", "recover.swept"}

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDir); dir != "" {
		crashChild(dir)
		return
	}
	os.Exit(m.Run())
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

// life is what the parent saw of one child.
type life struct {
	acked  map[string]bool // runs whose Commit was answered
	killed bool
	output string
}

// runChild lets a child work on dir until it dies, or is killed after a while.
func runChild(t *testing.T, dir string, seed uint64, at, skip string, after time.Duration) life {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute) // it lives for a second, but for each of its commits the disk is waited for
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0])
	child.Env = append(os.Environ(), crashDir+"="+dir, crashSeed+"="+strconv.FormatUint(seed, 10), crashAt+"="+at, crashSkip+"="+skip)
	var stderr strings.Builder
	child.Stderr = &stderr
	stdout, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if after > 0 {
		timer := time.AfterFunc(after, func() { _ = child.Process.Kill() })
		defer timer.Stop()
	}
	l := life{acked: map[string]bool{}}
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadString('\n')
		if id, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "committed "); ok && err == nil {
			l.acked[id] = true
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	err = child.Wait()
	if status, ok := child.ProcessState.Sys().(syscall.WaitStatus); ok {
		l.killed = status.Signaled() && status.Signal() == syscall.SIGKILL
	}
	l.output = stderr.String()
	if ctx.Err() != nil {
		t.Fatalf("the child hangs: %s", l.output)
	}
	if err != nil && !l.killed {
		t.Fatalf("the child failed: %v\n%s", err, l.output)
	}
	return l
}

// tally is what came of many lives.
type tally struct {
	mu    sync.Mutex
	kills map[string]int // by step; "" is at any moment
	runs  int            // acknowledged
	found []string
}

func (y *tally) total() (n int) {
	y.mu.Lock()
	defer y.mu.Unlock()
	for _, k := range y.kills {
		n += k
	}
	return n
}

func (y *tally) add(at string, l life) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if step, _, _ := strings.Cut(at, ":"); l.killed {
		y.kills[step]++
	}
	y.runs += len(l.acked)
}

// cycles kills children until n are dead or a check has found something; twenty work on
// one folder.
func (y *tally) cycles(t *testing.T, n int, seed uint64, skip string) {
	random := rand.New(rand.NewPCG(seed, 1))
	for y.total() < n {
		dir := t.TempDir()
		model := newModel()
		recovering := false // the child before was killed and nobody has looked since
		for range 20 {
			at, after := "", time.Duration(0)
			switch n := random.IntN(8); {
			case n < 2:
				after = time.Duration(20+random.IntN(150)) * time.Millisecond
			case n < 6 && recovering:
				at = recoverySteps[random.IntN(len(recoverySteps))] + ":1"
			default:
				at = fmt.Sprintf("%s:%d", steps[random.IntN(len(steps))], 1+random.IntN(6))
			}
			l := runChild(t, dir, random.Uint64(), at, skip, after)
			y.add(at, l)
			for id := range l.acked {
				model.acked[id] = true
			}
			// Every third time the next child is the one who recovers, and may die of it.
			if recovering = l.killed && random.IntN(3) == 0; recovering {
				continue
			}
			faults := model.check(t, dir)
			for _, fault := range faults {
				y.mu.Lock()
				y.found = append(y.found, fmt.Sprintf("after a kill at %q (or after %v): %s", at, after, fault))
				y.mu.Unlock()
			}
			if len(faults) > 0 {
				return
			}
			if y.total() >= n {
				break
			}
		}
		if err := os.RemoveAll(filepath.Join(dir, "files")); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCrashAnywhereLeavesEachRunWholeOrNotThere(t *testing.T) {
	n := 200
	if text := os.Getenv(crashRuns); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	} else if testing.Short() {
		n = 20
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	y := &tally{kills: map[string]int{}}
	t.Run("lanes", func(t *testing.T) {
		for lane := range uint64(2) {
			t.Run(strconv.FormatUint(lane, 10), func(t *testing.T) {
				t.Parallel()
				y.cycles(t, n, seed+lane, "")
			})
		}
	})
	for _, fault := range y.found {
		t.Error(fault)
	}
	t.Logf("%d kills %v, %d acknowledged runs", y.total(), y.kills, y.runs)
	if len(y.found) > 0 || n < 200 {
		return
	}
	if y.runs < n {
		t.Errorf("only %d runs came to their end before %d kills: the test tests nothing", y.runs, n)
	}
	for _, step := range slices.Concat(steps, recoverySteps) {
		if n >= 1000 && y.kills[step] == 0 {
			t.Errorf("no child was killed at %q: the step is never reached", step)
		}
	}
}

// The checker must notice when a step of the protocol is left out.
func TestTheCrashTestNotices(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	y := &tally{kills: map[string]int{}}
	y.cycles(t, 400, 7, "marker")
	if len(y.found) == 0 {
		t.Errorf("%d kills without the marker went unnoticed", y.total())
	} else {
		t.Logf("noticed after %d kills: %s", y.total(), y.found[0])
	}
}
