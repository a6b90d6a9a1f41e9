package event

import (
	"context"
	"sync"
)

// batch bounds what a follower holds in memory, however far behind it is.
const batch = 256

// Notifier wakes followers after a commit. Its zero value is ready.
type Notifier struct {
	mu   sync.Mutex
	next chan struct{}
}

// Wake tells everybody who waits that there may be something new.
func (n *Notifier) Wake() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.next != nil {
		close(n.next)
		n.next = nil
	}
}

// Wait gives a channel that the next Wake closes. Take it before looking at the log, so
// that nothing falls between the look and the wait.
func (n *Notifier) Wait() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.next == nil {
		n.next = make(chan struct{})
	}
	return n.next
}

// Follower reads the log from a number on, and waits at its end. It holds no more than one
// batch, so a slow reader costs nothing but its own delay. Use it from one goroutine.
type Follower struct {
	source   Source
	notifier *Notifier
	filter   Filter
	ready    []Event
	begun    bool
}

// Follow follows the events of source that pass the filter, beginning after filter.After.
func Follow(source Source, notifier *Notifier, filter Filter) *Follower {
	return &Follower{source: source, notifier: notifier, filter: filter}
}

// Next gives the next event, waiting for it if need be. It ends with ctx; *Lost says that
// the log cannot go on after the event before.
func (f *Follower) Next(ctx context.Context) (Event, error) {
	check := removed
	if !f.begun {
		check = lost
	}
	for len(f.ready) == 0 {
		woken := f.notifier.Wait()
		events, err := f.source.Events(ctx, f.filter, batch)
		if err == nil {
			err = check(ctx, f.source, f.filter.After)
		}
		if err != nil {
			return Event{}, err
		}
		f.begun, check = true, removed
		if f.ready = events; len(events) > 0 {
			break
		}
		select {
		case <-woken:
		case <-ctx.Done():
			return Event{}, ctx.Err()
		}
	}
	e := f.ready[0]
	f.ready = f.ready[1:]
	f.filter.After = e.Seq
	return e, nil
}
