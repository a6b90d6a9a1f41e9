package worker

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/sandboxd/sandboxd/problem"
)

// guard is the child's own watch on its memory. Near the limit it sees what Go took within
// 2 ms, while the daemon's watchdog, which sees all memory, looks less often.
type guard struct {
	samples []metrics.Sample
	budget  int64 // of the last run
}

func newGuard() *guard {
	return &guard{samples: []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/gc/heap/live:bytes"},
	}}
}

const (
	// guardEvery is how soon it looks, and how often near the limit. Looking always that
	// often took 5% of the CPU time of runs that do nothing but wait for libvips.
	guardEvery = 2 * time.Millisecond
	// guardPace is how much must be left for each guardEvery until the next look: 16 GB/s,
	// which is more than two cores can clear. After guardLongest of them it looks anyway.
	guardPace    = 32 << 20
	guardLongest = 12
	// guardGrace is how long an interrupted script has to end before the process does:
	// natives do not heed an interrupt.
	guardGrace = 100 * time.Millisecond
)

// left is how many bytes there are until the process is beyond budget, or so near to it that
// the collector would do nothing but collect from then on: what survived the last collection
// nearly fills what softLimit leaves. Without the second, a growing heap took 3 s of CPU time
// for the last tenth of 128 MB.
func (g *guard) left(budget int64) int64 {
	metrics.Read(g.samples)
	used := int64(g.samples[0].Value.Uint64() - g.samples[1].Value.Uint64())
	live := int64(g.samples[2].Value.Uint64())
	soft := softLimit(budget)
	return min(budget-used, soft-soft/16-live)
}

// outgrown tells whether Go has once taken more than limit, be it for a moment that no look
// saw, or never touched. Such address space is not given back and counts towards
// RLIMIT_DATA: after a run that asked for 640 MB no PDF could be opened any more.
func (g *guard) outgrown(limit int64) bool {
	metrics.Read(g.samples[:1])
	return int64(g.samples[0].Value.Uint64()) > limit
}

// softLimit is where the collector begins to work against a budget.
func softLimit(budget int64) int64 { return budget - budget/8 }

// watch looks until stop is called, with the collector set to the budget of the run. Over
// budget bytes it cancels the run with memory_limit, and soon after ends the process with
// exit code 97. A run that is over before the first look costs it a microsecond.
func (g *guard) watch(budget int64, cancel context.CancelCauseFunc) (stop func()) {
	if budget != g.budget {
		debug.SetMemoryLimit(softLimit(budget))
		g.budget = budget
	}
	var (
		mu    sync.Mutex
		done  bool
		timer *time.Timer
	)
	look := func() {
		mu.Lock()
		defer mu.Unlock()
		if done {
			return
		}
		switch left := g.left(budget); {
		case left >= 0:
			timer.Reset(guardEvery * time.Duration(1+min(left/guardPace, guardLongest-1)))
		default:
			cancel(deathProblem(problem.MemoryLimit, budget))
			time.AfterFunc(guardGrace, func() {
				mu.Lock()
				defer mu.Unlock()
				if !done {
					os.Exit(exitMemory)
				}
			})
		}
	}
	mu.Lock()
	timer = time.AfterFunc(guardEvery, look)
	mu.Unlock()
	return func() {
		mu.Lock()
		done = true
		mu.Unlock()
		timer.Stop()
	}
}
