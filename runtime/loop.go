package runtime

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"github.com/dop251/goja"

	"github.com/sandboxd/sandboxd/problem"
)

// loop is the event loop of one isolate. Everything that touches the goja runtime happens
// on the goroutine that called Run; others only post.
type loop struct {
	ctx context.Context
	now func() time.Time

	mu     sync.Mutex
	posted []func()
	wake   chan struct{} // holds one token when posted has something

	// Owned by the goroutine of Run.
	inFlight int // operations that have not posted their answer
	timers   timers
	lastID   int64
	cleared  int64                      // the timer cleared last
	report   func(error) *problem.Error // gives the run's error for what a timer threw
	fatal    *problem.Error             // ends the run at once
}

func newLoop(ctx context.Context) *loop {
	return &loop{ctx: ctx, now: time.Now, wake: make(chan struct{}, 1)}
}

// post hands a function to the loop's goroutine. It never blocks.
func (l *loop) post(fn func()) {
	l.mu.Lock()
	l.posted = append(l.posted, fn)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// start runs work in a goroutine and then finish on the loop; the loop counts it as
// pending until finish has run.
func (l *loop) start(work func(), finish func()) {
	l.inFlight++
	go func() {
		work()
		l.post(func() {
			l.inFlight--
			finish()
		})
	}()
}

// turn runs what was posted and the timers that are due, and tells whether there was anything.
func (l *loop) turn(withTimers bool) bool {
	l.mu.Lock()
	posted := l.posted
	l.posted = nil
	l.mu.Unlock()
	for _, fn := range posted {
		fn()
		if l.fatal != nil {
			return true
		}
	}
	ran := len(posted) > 0
	if !withTimers {
		return ran
	}
	for now := l.now(); len(l.timers) > 0 && !l.timers[0].due.After(now); ran = true {
		l.fire(heap.Pop(&l.timers).(*timer))
		if l.fatal != nil {
			return true
		}
	}
	return ran
}

// runUntil turns the loop until done says so (nil), the run ends (its error), or nothing
// is left that could make done true (also nil). Without timers, pending ones stay as they are.
func (l *loop) runUntil(done func() bool, withTimers bool) *problem.Error {
	for {
		switch {
		case l.fatal != nil:
			return l.fatal
		case l.ctx.Err() != nil:
			return endOf(l.ctx)
		case done():
			return nil
		case l.turn(withTimers):
			continue
		}
		if !l.wait(withTimers) {
			return nil
		}
	}
}

// wait sleeps until there may be something to do, and tells whether there can be.
func (l *loop) wait(withTimers bool) bool {
	var due <-chan time.Time
	if withTimers && len(l.timers) > 0 {
		alarm := time.NewTimer(l.timers[0].due.Sub(l.now()))
		defer alarm.Stop()
		due = alarm.C
	} else if l.inFlight == 0 {
		return false
	}
	select {
	case <-l.wake:
	case <-due:
	case <-l.ctx.Done():
	}
	return true
}

// drain waits, for a moment at most, for operations that are still at work after the end.
func (l *loop) drain(grace time.Duration) {
	if l.inFlight == 0 {
		return
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	for {
		l.mu.Lock()
		posted := len(l.posted)
		l.mu.Unlock()
		if posted >= l.inFlight {
			return
		}
		select {
		case <-l.wake:
		case <-late.C:
			return
		}
	}
}

// timer is a pending setTimeout or setInterval.
type timer struct {
	id    int64
	due   time.Time
	every time.Duration // 0 for setTimeout
	fn    goja.Callable
	args  []goja.Value
	index int // in the heap; -1 when out of it
}

// timers is a heap by due time, then by age.
type timers []*timer

func (t timers) Len() int { return len(t) }
func (t timers) Less(a, b int) bool {
	if !t[a].due.Equal(t[b].due) {
		return t[a].due.Before(t[b].due)
	}
	return t[a].id < t[b].id
}
func (t timers) Swap(a, b int) {
	t[a], t[b] = t[b], t[a]
	t[a].index, t[b].index = a, b
}
func (t *timers) Push(x any) {
	x.(*timer).index = len(*t)
	*t = append(*t, x.(*timer))
}
func (t *timers) Pop() any {
	old := *t
	last := old[len(old)-1]
	old[len(old)-1] = nil
	last.index = -1
	*t = old[:len(old)-1]
	return last
}
