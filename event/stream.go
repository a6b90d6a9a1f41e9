package event

import (
	"context"
	"sort"
	"sync"
)

// Stream is one follower of a hub. Use it from one goroutine.
type Stream struct {
	hub    *Hub
	topic  *topic
	filter Filter
	once   sync.Once
}

// After is where the stream is: all that it gives from now on comes after it.
func (s *Stream) After() int64 { return s.filter.After }

// Next gives the next events, in order, waiting for the first of them if need be. It ends
// with ctx; *Lost says that the log has removed what would come next; any other error is the
// log's, and who then follows again after the last event that it got misses none.
func (s *Stream) Next(ctx context.Context) ([]Event, error) {
	for {
		events, wait, err := s.inWindow()
		if len(events) > 0 || err != nil {
			return events, err
		}
		if wait == nil {
			if events, err = s.inLog(ctx); len(events) > 0 || err != nil {
				return events, err
			}
			continue
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// inWindow gives what the window has, or a channel that is closed when it has more. The
// channel is nil if the follower is behind the window.
func (s *Stream) inWindow() ([]Event, <-chan struct{}, error) {
	t := s.topic
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return nil, nil, t.err
	}
	if s.filter.After < t.from {
		return nil, nil, nil
	}
	var found []Event
	at := sort.Search(len(t.window), func(i int) bool { return t.window[i].Seq > s.filter.After })
	for ; at < len(t.window) && len(found) < batch; at++ {
		if e := t.window[at]; s.filter.passes(&e) {
			found = append(found, e)
		}
	}
	if at > 0 {
		s.filter.After = max(s.filter.After, t.window[at-1].Seq)
	}
	return found, t.grown, nil
}

// inLog reads the log itself, until the follower has what is not in the window any more.
func (s *Stream) inLog(ctx context.Context) ([]Event, error) {
	select {
	case s.hub.behind <- struct{}{}:
		defer func() { <-s.hub.behind }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.topic.mu.Lock()
	from := s.topic.from // all that the log has up to here is there to be read
	s.topic.mu.Unlock()
	events, err := s.hub.source.Events(ctx, s.filter, batch)
	if err == nil {
		err = removed(ctx, s.hub.source, s.filter.After)
	}
	if err != nil {
		return nil, err
	}
	if len(events) > 0 {
		s.filter.After = events[len(events)-1].Seq
	}
	if len(events) < batch {
		s.filter.After = max(s.filter.After, from)
	}
	return events, nil
}

// Close lets go of the hub.
func (s *Stream) Close() { s.once.Do(func() { s.hub.leave(s.topic) }) }
