package event_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/event"
)

// patience is how long a test waits for what must come. It bounds a hang and nothing else: a
// machine may have little time for us.
const patience = 10 * time.Minute

// log is a Source in memory.
type log struct {
	mu      sync.Mutex
	events  []event.Event
	largest int // answer given so far
}

func (l *log) add(n *event.Notifier, types ...string) {
	l.mu.Lock()
	for _, t := range types {
		l.events = append(l.events, event.Event{Seq: int64(len(l.events) + 1), Type: t})
	}
	l.mu.Unlock()
	n.Wake()
}

func (l *log) Events(ctx context.Context, f event.Filter, limit int) ([]event.Event, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []event.Event
	for _, e := range l.events {
		if e.Seq > f.After && (len(f.Types) == 0 || slices.Contains(f.Types, e.Type)) && len(found) < limit {
			found = append(found, e)
		}
	}
	l.largest = max(l.largest, len(found))
	return found, ctx.Err()
}

func (l *log) LastEvent(context.Context) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(len(l.events)), nil
}

func (l *log) Place(_ context.Context, seq int64) (event.Place, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return placeIn(l.events, int64(len(l.events)), seq), nil
}

// placeIn is what a Source tells of a number.
func placeIn(events []event.Event, last, seq int64) event.Place {
	p := event.Place{Oldest: last + 1, Last: last}
	if len(events) > 0 {
		p.Oldest = events[0].Seq
	}
	p.Held = slices.ContainsFunc(events, func(e event.Event) bool { return e.Seq == seq || e.Seq == seq+1 })
	return p
}

func TestFollowGoesOnFromANumberAndWaitsAtTheEnd(t *testing.T) {
	var n event.Notifier
	l := &log{}
	l.add(&n, event.RunStarted, event.FileCreated, event.RunFinished)
	f := event.Follow(l, &n, event.Filter{After: 1})
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, want := range []int64{2, 3} {
		if e, err := f.Next(ctx); err != nil || e.Seq != want {
			t.Fatalf("got %v, %v, expected event %d", e, err, want)
		}
	}
	got := make(chan event.Event)
	go func() {
		e, _ := f.Next(ctx)
		got <- e
	}()
	l.add(&n, event.StateChange)
	if e := <-got; e.Seq != 4 {
		t.Fatalf("got %v, expected the event that came while waiting", e)
	}
}

func TestFollowEndsWithItsContext(t *testing.T) {
	var n event.Notifier
	ctx, cancel := context.WithCancel(context.Background())
	f := event.Follow(&log{}, &n, event.Filter{})
	done := make(chan error)
	go func() {
		_, err := f.Next(ctx)
		done <- err
	}()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, expected canceled", err)
	}
}

// Followers that come and go while events arrive miss none and hold little.
func TestFollowersMissNothing(t *testing.T) {
	var n event.Notifier
	l := &log{}
	const total = 3000
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			var last int64
			for last < total {
				f := event.Follow(l, &n, event.Filter{After: last})
				for range 700 {
					e, err := f.Next(ctx)
					if err != nil || e.Seq != last+1 {
						t.Errorf("got %v, %v after %d", e, err, last)
						return
					}
					if last = e.Seq; last == total {
						return
					}
				}
			}
		})
	}
	for range total {
		l.add(&n, event.StateChange)
	}
	wg.Wait()
	if l.largest > 256 {
		t.Fatalf("a follower asked for %d events at once", l.largest)
	}
}

// Who has an event that the log cannot go on after is told, and where to go on.
func TestALogThatCannotGoOnSaysSo(t *testing.T) {
	var n event.Notifier
	l := &log{}
	for range 10 {
		l.add(&n, event.StateChange)
	}
	l.events = append(l.events[4:7:7], event.Event{Seq: 10, Type: event.StateChange}) // 5, 6, 7 and 10 of 10
	h := event.NewHub(logOf{l, 10}, &n)
	defer h.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for after, resume := range map[int64]int64{0: 0, 4: 4, 7: 7, 9: 9, 10: 10, 1: 4, 3: 4, 8: 10, 11: 10, 1 << 60: 10} {
		_, herr := h.Follow(ctx, event.Filter{Workspace: "w", After: after})
		var ferr error
		if after != 10 { // it waits there
			_, ferr = event.Follow(logOf{l, 10}, &n, event.Filter{After: after}).Next(ctx)
		}
		for _, err := range []error{herr, ferr} {
			var lost *event.Lost
			switch is := errors.As(err, &lost); {
			case err == nil && after == resume || after == 10:
			case !is || lost.After != after || lost.Oldest != 5 || lost.Last != 10 || lost.Resume() != resume:
				t.Errorf("after %d: %v, to be resumed after %d", after, err, resume)
			}
		}
	}
}

// logOf is a log whose greatest number is not that of its events.
type logOf struct {
	*log
	last int64
}

func (l logOf) LastEvent(context.Context) (int64, error) { return l.last, nil }

func (l logOf) Place(_ context.Context, seq int64) (event.Place, error) {
	return placeIn(l.events, l.last, seq), nil
}

// A follower from which events are taken away while it reads does not pass them over.
func TestEventsThatAreRemovedUnderAFollowerAreTold(t *testing.T) {
	var n event.Notifier
	l := &log{}
	for range 600 {
		l.add(&n, event.StateChange)
	}
	f := event.Follow(l, &n, event.Filter{})
	for range 256 { // what it holds
		if _, err := f.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	l.events = l.events[500:]
	var lost *event.Lost
	if e, err := f.Next(t.Context()); !errors.As(err, &lost) || lost.After != 256 || lost.Resume() != 500 {
		t.Errorf("got %+v, %v", e, err)
	}
}
