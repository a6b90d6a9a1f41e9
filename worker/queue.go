package worker

import (
	"context"
	"sync"

	"github.com/sandboxd/sandboxd/problem"
)

// queue hands out the places of concurrent runs: at most size at once, at most max
// waiting, first in first out within a workspace, and one workspace after the other.
type queue struct {
	size int
	max  int

	mu      sync.Mutex
	stopped bool
	running int
	waiting int
	lines   map[string]*line
	ring    []*line // those with somebody waiting, in the order of their turns
	idle    chan struct{}
}

// line is those of one workspace who wait.
type line struct {
	workspace string
	turns     []*turn
}

type turn struct {
	granted chan struct{} // closed when it is this one's turn
	err     error         // set before that if there will be none
}

func newQueue(size, max int) *queue {
	return &queue{size: size, max: max, lines: map[string]*line{}, idle: make(chan struct{}, 1)}
}

// acquire waits for a place. Errors: busy if too many wait already, or the context's.
func (q *queue) acquire(ctx context.Context, workspace string) error {
	if err := ctx.Err(); err != nil {
		return problem.From(err)
	}
	q.mu.Lock()
	switch {
	case q.stopped:
		q.mu.Unlock()
		return problem.New(problem.Busy, "the host is shutting down").WithCause(errStopped)
	case q.running < q.size && q.waiting == 0:
		q.running++
		q.mu.Unlock()
		return nil
	case q.waiting >= q.max:
		q.mu.Unlock()
		return problem.New(problem.Busy, "%d runs are under way and %d wait", q.size, q.max)
	}
	t := &turn{granted: make(chan struct{})}
	l := q.lines[workspace]
	if l == nil {
		l = &line{workspace: workspace}
		q.lines[workspace] = l
		q.ring = append(q.ring, l)
	}
	l.turns = append(l.turns, t)
	q.waiting++
	q.mu.Unlock()

	select {
	case <-t.granted:
		return t.err
	case <-ctx.Done():
	}
	q.mu.Lock()
	select {
	case <-t.granted: // at the same moment
		q.mu.Unlock()
		if t.err == nil {
			q.release()
		}
	default:
		q.leave(l, t)
		q.mu.Unlock()
	}
	return problem.From(ctx.Err())
}

// release gives a place back, to whoever's turn it is.
func (q *queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	for q.running < q.size && len(q.ring) > 0 {
		l := q.ring[0]
		t := l.turns[0]
		l.turns[0] = nil
		l.turns = l.turns[1:]
		q.ring = q.ring[1:]
		if len(l.turns) > 0 {
			q.ring = append(q.ring, l)
		} else {
			delete(q.lines, l.workspace)
		}
		q.waiting--
		q.running++
		close(t.granted)
	}
	if q.stopped && q.running == 0 {
		q.tell()
	}
}

// leave takes out somebody who no longer waits.
func (q *queue) leave(l *line, t *turn) {
	for i, other := range l.turns {
		if other == t {
			l.turns = append(l.turns[:i:i], l.turns[i+1:]...)
			q.waiting--
			break
		}
	}
	if len(l.turns) > 0 {
		return
	}
	delete(q.lines, l.workspace)
	for i, other := range q.ring {
		if other == l {
			q.ring = append(q.ring[:i:i], q.ring[i+1:]...)
			break
		}
	}
}

// stop refuses whoever waits and whoever comes. The channel tells when nothing runs.
func (q *queue) stop() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = true
	for _, l := range q.ring {
		for _, t := range l.turns {
			t.err = problem.New(problem.Busy, "the host is shutting down").WithCause(errStopped)
			close(t.granted)
		}
	}
	q.ring, q.lines, q.waiting = nil, map[string]*line{}, 0
	if q.running == 0 {
		q.tell()
	}
	return q.idle
}

func (q *queue) tell() {
	select {
	case q.idle <- struct{}{}:
	default:
	}
}
