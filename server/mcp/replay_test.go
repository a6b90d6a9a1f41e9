package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
)

// messages collects what is replayed.
func messages(r *replay, stream string, index int) (list []string, err error) {
	for m, e := range r.After(context.Background(), "s", stream, index) {
		if e != nil {
			return list, e
		}
		list = append(list, string(m))
	}
	return list, nil
}

// A stream is replayed from where its client was, or not at all: nothing is left out in between.
func TestReplay(t *testing.T) {
	ctx := context.Background()
	r := newReplay()
	for i := range 5 {
		if err := r.Append(ctx, "s", "a", fmt.Append(nil, i)); err != nil {
			t.Fatal(err)
		}
	}
	for index, want := range map[int]string{-1: "[0 1 2 3 4]", 2: "[3 4]", 4: "[]"} {
		if got, err := messages(r, "a", index); err != nil || fmt.Sprint(got) != want {
			t.Errorf("after %d: %v, %v", index, got, err)
		}
	}
	if got, err := messages(r, "a", 5); !errors.Is(err, errGone) {
		t.Errorf("after what never was: %v, %v", got, err)
	}

	// Others' bytes push the oldest out.
	half := bytes.Repeat([]byte("x"), int(replayBytes)/2+1)
	_ = r.Append(ctx, "s", "b", half)
	_ = r.Append(ctx, "s", "b", half)
	if got, err := messages(r, "a", 1); !errors.Is(err, errGone) {
		t.Errorf("after what is gone: %v, %v", got, err)
	}
	if got, err := messages(r, "b", 0); err != nil || len(got) != 1 {
		t.Errorf("the latest: %d, %v", len(got), err)
	}
	if got, err := messages(r, "b", -1); err != nil || len(got) != 1 {
		t.Errorf("a stream opened anew: %d, %v", len(got), err)
	}
	if bytes := r.sessions["s"].bytes; bytes > int(replayBytes) {
		t.Errorf("%d bytes are kept", bytes)
	}

	// And so do streams by their number, however small.
	for i := range 10_000 {
		_ = r.Append(ctx, "s", fmt.Sprint(i), []byte("m"))
	}
	if n := len(r.sessions["s"].streams); n != replayStreams {
		t.Errorf("%d streams are kept", n)
	}
	if bytes := r.sessions["s"].bytes; bytes != replayStreams {
		t.Errorf("%d bytes are kept", bytes)
	}

	// All sessions together have a bound, and the one with most gives.
	whole := bytes.Repeat([]byte("x"), int(replayBytes))
	for i := range 2 * replayTotal / replayBytes {
		_ = r.Append(ctx, fmt.Sprint("session ", i), "a", whole)
	}
	if r.bytes > int(replayTotal) || r.sessions["s"].bytes != replayStreams {
		t.Errorf("%d bytes are kept, %d of a session that has little", r.bytes, r.sessions["s"].bytes)
	}
	for session := range r.sessions {
		_ = r.SessionClosed(ctx, session)
	}
	if len(r.sessions) != 0 || r.bytes != 0 {
		t.Errorf("of sessions that ended %d are kept, with %d bytes", len(r.sessions), r.bytes)
	}
}
