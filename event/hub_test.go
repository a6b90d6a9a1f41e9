package event_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sandboxd/sandboxd/event"
)

// ledger is a Source in memory that knows workspaces, and counts who reads it.
type ledger struct {
	mu      sync.Mutex
	events  []event.Event
	reads   atomic.Int64
	failing error
}

func (l *ledger) add(n *event.Notifier, workspace string, types ...string) {
	l.mu.Lock()
	for _, t := range types {
		l.events = append(l.events, event.Event{Seq: int64(len(l.events)*2 + 2), Workspace: workspace, SessionID: "s" + t[:1], Type: t})
	}
	l.mu.Unlock()
	n.Wake()
}

func (l *ledger) Events(ctx context.Context, f event.Filter, limit int) ([]event.Event, error) {
	l.reads.Add(1)
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []event.Event
	for _, e := range l.events {
		if e.Seq > f.After && e.Workspace == f.Workspace && (len(f.Types) == 0 || slices.Contains(f.Types, e.Type)) &&
			(f.SessionID == "" || f.SessionID == e.SessionID) && len(found) < limit {
			found = append(found, e)
		}
	}
	if l.failing != nil {
		return nil, l.failing
	}
	return found, ctx.Err()
}

func (l *ledger) LastEvent(context.Context) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(len(l.events) * 2), nil
}

func (l *ledger) Place(_ context.Context, seq int64) (event.Place, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return placeIn(l.events, int64(len(l.events)*2), seq), nil
}

func (l *ledger) fail(n *event.Notifier, err error) {
	l.mu.Lock()
	l.failing = err
	l.mu.Unlock()
	n.Wake()
}

func newHub(t *testing.T) (*ledger, *event.Notifier, *event.Hub) {
	l, n := &ledger{}, &event.Notifier{}
	h := event.NewHub(l, n)
	t.Cleanup(h.Close)
	return l, n, h
}

func follow(t *testing.T, h *event.Hub, f event.Filter) *event.Stream {
	t.Helper()
	s, err := h.Follow(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// take reads n events.
func take(t *testing.T, s *event.Stream, n int) (list []event.Event) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for len(list) < n {
		events, err := s.Next(ctx)
		if err != nil {
			t.Fatalf("after %d of %d: %v", len(list), n, err)
		}
		list = append(list, events...)
	}
	return list
}

func TestAStreamBeginsWhereItIsTold(t *testing.T) {
	l, n, h := newHub(t)
	l.add(n, "w", "a", "b")
	l.add(n, "other", "c")
	fromStart, fromA, live := follow(t, h, event.Filter{Workspace: "w"}), follow(t, h, event.Filter{Workspace: "w", After: 2}), follow(t, h, event.Filter{Workspace: "w", After: event.Live})
	l.add(n, "w", "d")
	for want, s := range map[string]*event.Stream{"a b d": fromStart, "b d": fromA, "d": live} {
		var got []string
		for _, e := range take(t, s, strings.Count(want, " ")+1) {
			got = append(got, e.Type)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
	if h.Followers() != 3 {
		t.Errorf("%d followers", h.Followers())
	}
	live.Close()
	live.Close()
	if h.Followers() != 2 {
		t.Errorf("%d followers after one left", h.Followers())
	}
	if _, err := h.Follow(t.Context(), event.Filter{}); err == nil {
		t.Error("all workspaces can be followed")
	}
}

func TestStreamsAreFiltered(t *testing.T) {
	l, n, h := newHub(t)
	late := func(f event.Filter) *event.Stream { f.Workspace = "w"; return follow(t, h, f) }
	bs, sc := late(event.Filter{Types: []string{"b1", "b2"}}), late(event.Filter{SessionID: "sc"})
	for i := range 3000 { // more than a window
		l.add(n, "w", "a", fmt.Sprint("b", i%3), "c")
	}
	if got := take(t, bs, 2000); got[1999].Seq != 3000*6-2 || got[0].Type != "b1" {
		t.Errorf("by type: %+v", got[1999])
	}
	if got := take(t, sc, 3000); got[2999].Type != "c" {
		t.Errorf("by session: %+v", got[2999])
	}
}

// Streams that come, go, wait and lag miss nothing, and the log is read by few.
func TestAThousandStreams(t *testing.T) {
	l, n, h := newHub(t)
	const total, followers = 2000, 1000
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var wg sync.WaitGroup
	var ready sync.WaitGroup
	ready.Add(followers)
	for i := range followers {
		wg.Go(func() {
			var last int64
			s, err := h.Follow(ctx, event.Filter{Workspace: "w"})
			ready.Done()
			for seen := 0; seen < total; {
				if err != nil {
					t.Error(err)
					return
				}
				var events []event.Event
				if events, err = s.Next(ctx); err != nil {
					continue
				}
				for _, e := range events {
					if e.Seq != last+2 {
						t.Errorf("%d comes after %d", e.Seq, last)
						s.Close()
						return
					}
					last = e.Seq
				}
				if seen += len(events); i%10 == 0 && seen%7 == 0 { // leaves and comes back
					s.Close()
					s, err = h.Follow(ctx, event.Filter{Workspace: "w", After: last})
				}
			}
			s.Close()
		})
	}
	ready.Wait()
	for range total {
		l.add(n, "w", "x")
	}
	wg.Wait()
	if reads := l.reads.Load(); reads > 20*total {
		t.Errorf("%d followers of %d events read the log %d times", followers, total, reads)
	}
	if h.Followers() != 0 {
		t.Errorf("%d followers are left", h.Followers())
	}
}

func TestABrokenLogEndsItsStreamsAndTheyCanComeBack(t *testing.T) {
	l, n, h := newHub(t)
	s := follow(t, h, event.Filter{Workspace: "w"})
	broken := errors.New("broken")
	l.fail(n, broken)
	if _, err := s.Next(t.Context()); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	s.Close()
	l.fail(n, nil)
	l.add(n, "w", "a")
	if got := take(t, follow(t, h, event.Filter{Workspace: "w"}), 1); got[0].Type != "a" {
		t.Errorf("got %v", got)
	}
}

func TestCloseEndsStreams(t *testing.T) {
	_, _, h := newHub(t)
	s := follow(t, h, event.Filter{Workspace: "w"})
	done := make(chan error)
	go func() {
		_, err := s.Next(context.Background())
		done <- err
	}()
	h.Close()
	if err := <-done; !errors.Is(err, event.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := h.Follow(t.Context(), event.Filter{Workspace: "w"}); !errors.Is(err, event.ErrClosed) {
		t.Errorf("got %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Next(ended); err == nil {
		t.Error("a stream of a closed hub goes on")
	}
}
