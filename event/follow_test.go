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

func TestFollowGoesOnFromANumberAndWaitsAtTheEnd(t *testing.T) {
	var n event.Notifier
	l := &log{}
	l.add(&n, event.RunStarted, event.FileCreated, event.RunFinished)
	f := event.Follow(l, &n, event.Filter{After: 1})
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
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
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
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
