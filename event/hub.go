package event

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// What a hub holds in memory of each workspace that is followed: the latest events, which
// every follower at the end of the log reads. Who is further behind reads the log itself.
const (
	windowEvents = 1024
	windowBytes  = 4 << 20
)

// catchingUp is how many followers read the log at a time, however many come back at once.
const catchingUp = 4

// Hub lets many follow the log at the price of one: for each workspace that is followed
// there is one reader, and a window of the latest events that all followers share. A
// follower has a place in the log and nothing else, so that a slow one holds up nobody and
// costs no memory. It is safe for concurrent use.
type Hub struct {
	source   Source
	notifier *Notifier
	behind   chan struct{} // places of those who read the log

	mu     sync.Mutex
	closed bool
	topics map[string]*topic
	work   sync.WaitGroup
}

// NewHub makes a hub over a log. Close it when nobody follows any more.
func NewHub(source Source, notifier *Notifier) *Hub {
	return &Hub{source: source, notifier: notifier, behind: make(chan struct{}, catchingUp), topics: map[string]*topic{}}
}

// topic is one workspace that is followed.
type topic struct {
	name   string
	stop   context.CancelFunc
	ready  chan struct{} // closed when the reader knows where it begins
	number int           // of followers; guarded by the hub

	mu     sync.Mutex
	window []Event // every event of the workspace after from, in order
	from   int64
	bytes  int
	grown  chan struct{} // closed when the window grows, or the reader fails
	err    error
}

// ErrClosed says that the hub was closed.
var ErrClosed = errors.New("the event hub is closed")

// Close ends all followers with ErrClosed and waits for the readers.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	for _, t := range h.topics {
		t.fail(ErrClosed)
		t.stop()
	}
	h.mu.Unlock()
	h.work.Wait()
}

// Followers is how many follow now.
func (h *Hub) Followers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, t := range h.topics {
		n += t.number
	}
	return n
}

// Past gives up to limit events that are there already, in order.
func (h *Hub) Past(ctx context.Context, filter Filter, limit int) ([]Event, error) {
	return h.source.Events(ctx, filter, limit)
}

// Live as Filter.After is the end of the log: only what comes from now on.
const Live = int64(-1)

// Check answers *Lost if the log cannot go on after an event.
func (h *Hub) Check(ctx context.Context, after int64) error { return lost(ctx, h.source, after) }

// Follow follows the events of one workspace that pass the filter, beginning after
// filter.After, which may be Live; *Lost if the log cannot. Close the stream after use.
func (h *Hub) Follow(ctx context.Context, filter Filter) (*Stream, error) {
	if filter.Workspace == "" {
		return nil, errors.New("event: Filter.Workspace is empty")
	}
	if err := h.Check(ctx, filter.After); err != nil {
		return nil, err
	}
	t, err := h.join(filter.Workspace)
	if err != nil {
		return nil, err
	}
	s := &Stream{hub: h, topic: t, filter: filter}
	select {
	case <-t.ready:
	case <-ctx.Done():
		s.Close()
		return nil, ctx.Err()
	}
	if filter.After == Live {
		if s.filter.After, err = h.source.LastEvent(ctx); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// join finds the workspace's topic, or begins it.
func (h *Hub) join(name string) (*topic, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	t := h.topics[name]
	if t == nil {
		ctx, stop := context.WithCancel(context.Background())
		t = &topic{name: name, stop: stop, ready: make(chan struct{}), grown: make(chan struct{})}
		h.topics[name] = t
		h.work.Go(func() {
			defer stop()
			if err := h.read(ctx, t); err != nil {
				t.fail(err)
				h.mu.Lock()
				defer h.mu.Unlock()
				if h.topics[name] == t {
					delete(h.topics, name) // whoever follows from now on begins anew
				}
			}
		})
	}
	t.number++
	return t, nil
}

func (h *Hub) leave(t *topic) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t.number--; t.number == 0 {
		t.stop()
		if h.topics[t.name] == t {
			delete(h.topics, t.name)
		}
	}
}

// read is a topic's reader: it keeps the window up with the log.
func (h *Hub) read(ctx context.Context, t *topic) error {
	filter := Filter{Workspace: t.name}
	last, err := h.source.LastEvent(ctx)
	filter.After = last
	t.mu.Lock()
	t.from = last
	t.mu.Unlock()
	if err != nil {
		t.fail(err) // before anybody looks
	}
	close(t.ready)
	for err == nil {
		woken := h.notifier.Wait()
		var events []Event
		if events, err = h.source.Events(ctx, filter, batch); err != nil {
			break
		}
		if len(events) > 0 {
			filter.After = events[len(events)-1].Seq
			t.add(events)
			continue
		}
		select {
		case <-woken:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

func (t *topic) add(events []Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range events {
		t.bytes += len(events[i].Payload)
	}
	t.window = append(t.window, events...)
	drop := 0
	for len(t.window)-drop > windowEvents || t.bytes > windowBytes {
		t.from = t.window[drop].Seq
		t.bytes -= len(t.window[drop].Payload)
		drop++
	}
	t.window = slices.Delete(t.window, 0, drop)
	close(t.grown)
	t.grown = make(chan struct{})
}

func (t *topic) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
		close(t.grown)
		t.grown = make(chan struct{})
	}
}
