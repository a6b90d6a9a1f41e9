package workspace

import (
	"context"
	"sync"
)

// turn is a lock that is handed over first in, first out, within microseconds; waiting for
// it ends with a context. SQLite's own busy handler is neither fair nor cancellable.
type turn struct {
	mu    sync.Mutex
	held  bool
	queue []chan struct{}
}

func (t *turn) take(ctx context.Context) error {
	t.mu.Lock()
	if !t.held {
		t.held = true
		t.mu.Unlock()
		return nil
	}
	mine := make(chan struct{})
	t.queue = append(t.queue, mine)
	t.mu.Unlock()
	select {
	case <-mine:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	for i, c := range t.queue {
		if c == mine {
			t.queue = append(t.queue[:i], t.queue[i+1:]...)
			t.mu.Unlock()
			return ctx.Err()
		}
	}
	t.mu.Unlock()
	t.give() // it was handed to us meanwhile
	return ctx.Err()
}

func (t *turn) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.queue) == 0 {
		t.held = false
		return
	}
	close(t.queue[0])
	t.queue = t.queue[1:]
}
