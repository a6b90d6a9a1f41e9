package mcp

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd/limits"
)

// What of a session's messages is kept, for clients whose connection broke.
const (
	replayBytes   = 1 * limits.MB
	replayStreams = 64
	replayTotal   = 64 * limits.MB // of all sessions; who has most of it gives
)

// replay keeps the latest messages of each session's streams, so that a client that lost
// its connection gets the rest of an answer. The SDK's own store keeps a record of every
// stream that a session ever had; here the oldest go, by bytes and by number.
type replay struct {
	mu       sync.Mutex
	sessions map[string]*kept
	bytes    int // of all of them
}

// kept is what is kept of one session.
type kept struct {
	streams []*keptStream // the one that was used longest ago first
	bytes   int
}

type keptStream struct {
	id    string
	first int // index of messages[0] in the stream
	// messages were sent in this order.
	messages [][]byte
}

var _ sdk.EventStore = (*replay)(nil)

func newReplay() *replay { return &replay{sessions: map[string]*kept{}} }

var errGone = errors.New("what was sent on this stream is not kept any more")

// Open implements sdk.EventStore.
func (r *replay) Open(_ context.Context, session, stream string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stream(session, stream)
	return nil
}

// Append implements sdk.EventStore.
func (r *replay) Append(_ context.Context, session, stream string, data []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.stream(session, stream)
	s.messages = append(s.messages, data)
	k := r.sessions[session]
	k.bytes, r.bytes = k.bytes+len(data), r.bytes+len(data)
	for k.bytes > int(replayBytes) && r.dropOldest(k) {
	}
	for r.bytes > int(replayTotal) {
		var most *kept
		for _, k := range r.sessions {
			if most == nil || k.bytes > most.bytes {
				most = k
			}
		}
		if !r.dropOldest(most) {
			break
		}
	}
	return nil
}

// After implements sdk.EventStore.
func (r *replay) After(_ context.Context, session, stream string, index int) iter.Seq2[[]byte, error] {
	r.mu.Lock()
	defer r.mu.Unlock()
	var messages [][]byte
	err := errGone
	if k := r.sessions[session]; k != nil {
		for _, s := range k.streams {
			if s.id == stream && index < 0 {
				// Somebody opens the stream anew, having lost it: what is left is its beginning.
				// The SDK would not let it be opened at all.
				s.first = 0
			}
			if s.id == stream && index+1 >= s.first && index+1 <= s.first+len(s.messages) {
				messages, err = slices.Clone(s.messages[index+1-s.first:]), nil
			}
		}
	}
	return func(yield func([]byte, error) bool) {
		if err != nil {
			yield(nil, err)
			return
		}
		for _, m := range messages {
			if !yield(m, nil) {
				return
			}
		}
	}
}

// SessionClosed implements sdk.EventStore.
func (r *replay) SessionClosed(_ context.Context, session string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k := r.sessions[session]; k != nil {
		r.bytes -= k.bytes
	}
	delete(r.sessions, session)
	return nil
}

// stream finds or makes a stream, and makes it the latest.
func (r *replay) stream(session, id string) *keptStream {
	k := r.sessions[session]
	if k == nil {
		k = &kept{}
		r.sessions[session] = k
	}
	for i, s := range k.streams {
		if s.id == id {
			k.streams = append(slices.Delete(k.streams, i, i+1), s)
			return s
		}
	}
	if len(k.streams) == replayStreams {
		for _, m := range k.streams[0].messages {
			k.bytes, r.bytes = k.bytes-len(m), r.bytes-len(m)
		}
		k.streams = slices.Delete(k.streams, 0, 1)
	}
	s := &keptStream{id: id}
	k.streams = append(k.streams, s)
	return s
}

// dropOldest drops a session's oldest message of the stream used longest ago; false if none is left.
func (r *replay) dropOldest(k *kept) bool {
	for _, s := range k.streams {
		if len(s.messages) > 0 {
			k.bytes, r.bytes = k.bytes-len(s.messages[0]), r.bytes-len(s.messages[0])
			s.messages[0] = nil
			s.messages, s.first = s.messages[1:], s.first+1
			return true
		}
	}
	return false
}
