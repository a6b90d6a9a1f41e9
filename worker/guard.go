package worker

import (
	"context"
	"os"
	"runtime/metrics"
	"time"

	"github.com/sandboxd/sandboxd/problem"
)

// guard is the child's own watch on its memory. It sees what Go took within 2 ms, while
// the daemon's watchdog, which sees all memory, looks less often.
type guard struct{ samples []metrics.Sample }

func newGuard() *guard {
	return &guard{samples: []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}}
}

const (
	guardEvery = 2 * time.Millisecond
	// guardGrace is how long an interrupted script has to end before the process does:
	// natives do not heed an interrupt.
	guardGrace = 100 * time.Millisecond
)

func (g *guard) used() int64 {
	metrics.Read(g.samples)
	return int64(g.samples[0].Value.Uint64() - g.samples[1].Value.Uint64())
}

// watch looks until stop is called. Over budget bytes it cancels the run with
// memory_limit, and soon after ends the process with exit code 97.
func (g *guard) watch(budget int64, cancel context.CancelCauseFunc) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(guardEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if g.used() <= budget {
				continue
			}
			cancel(deathProblem(problem.MemoryLimit, budget))
			select {
			case <-done:
			case <-time.After(guardGrace):
				os.Exit(exitMemory)
			}
			return
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}
