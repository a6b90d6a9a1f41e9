package worker

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host/hosttest"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/runtime"
)

// TestSoak is a hundred callers with good and hostile scripts at once: each gets its
// answer, the good ones the right one, and nothing piles up. It lasts 4 s, or as long as
// SANDBOXD_SOAK says ("1m").
func TestSoak(t *testing.T) {
	lasts := 4 * time.Second
	if text := os.Getenv("SANDBOXD_SOAK"); text != "" {
		var err error
		if lasts, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	p := start(t, Config{Size: 4, Queue: 200, Limits: limits.Limits{WallTime: time.Second, Memory: 128 * limits.MB}})
	memory := hosttest.New(t)
	memory.Add(t, "a", []byte("x"))
	bad := []struct {
		source string
		wall   time.Duration
	}{
		{"for (;;) {}", 50 * time.Millisecond}, {"Array(2**32-1).fill(0)", 50 * time.Millisecond},
		{"'x'.repeat(2**40)", 0}, {"await test.panicElsewhere('')", 0}, {"await test.attempt('open a socket')", 0},
		{"throw new Error('x')", 0}, {"const f = () => f() + 1; f()", 0}, {"const a = []; a.push(a); a.flat(Infinity)", 0},
		{"await test.sleep('')", 20 * time.Millisecond},
	}
	var good, failed atomic.Int64
	var callers sync.WaitGroup
	peaks := make(chan [3]int, 1)
	end := time.Now().Add(lasts)
	half := time.AfterFunc(lasts/2, func() { peaks <- usage(t) })
	defer half.Stop()
	for i := range 100 {
		callers.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 7))
			for n := 0; time.Now().Before(end); n++ {
				job := Job{RunID: fmt.Sprint(i, "-", n), Workspace: fmt.Sprint(i % 5), Host: memory}
				if random.IntN(4) > 0 {
					job.Script = &runtime.Script{Source: fmt.Sprintf("const s = await test.stat('a'); return s + %d", n)}
					// A crowded machine may take long, and must not take for ever.
					job.Limits.WallTime = ample
					out := p.Run(context.Background(), job)
					if out.Error != nil || string(out.Result) != fmt.Sprintf(`"a%d"`, n) {
						t.Errorf("a good run: %s, %v", out.Result, out.Error)
					}
					good.Add(1)
					continue
				}
				b := bad[random.IntN(len(bad))]
				job.Script, job.Limits.WallTime = &runtime.Script{Source: b.source}, b.wall
				out := p.Run(context.Background(), job)
				switch {
				case out.Error == nil:
					t.Errorf("%s answered %s", b.source, out.Result)
				case out.Error.Code == problem.Busy:
					t.Errorf("busy with 100 callers and a queue of 200")
				}
				failed.Add(1)
			}
		})
	}
	callers.Wait()
	middle := <-peaks
	// 4 busy, 8 idle and 4 spare processes; those that are dying go in a moment.
	waitFor(t, func() bool { return children(t) <= 4+8+4 })
	last := usage(t)
	t.Logf("%d good, %d hostile; descriptors, goroutines and bytes half way %v, at the end %v", good.Load(), failed.Load(), middle, last)
	if good.Load() == 0 || failed.Load() == 0 {
		t.Error("nothing ran")
	}
	if last[2] > 2*middle[2]+20<<20 {
		t.Errorf("%d MB in use at the end, %d half way", last[2]>>20, middle[2]>>20)
	}
	// A process takes 6 descriptors, and 5 goroutines.
	if last[0] > 300 || last[1] > 400 {
		t.Errorf("%d descriptors and %d goroutines", last[0], last[1])
	}
}

// usage counts descriptors, goroutines, and bytes of the daemon's heap.
func usage(t *testing.T) [3]int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return [3]int{}
	}
	goruntime.GC()
	var memory goruntime.MemStats
	goruntime.ReadMemStats(&memory)
	return [3]int{len(entries), goruntime.NumGoroutine(), int(memory.HeapAlloc)}
}
