package worker

import (
	"context"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/problem"
)

// line up n callers of a workspace, in order; each sends its name when its turn comes.
func lineUp(t *testing.T, q *queue, ctx context.Context, turns chan<- string, names ...string) {
	t.Helper()
	for _, name := range names {
		q.mu.Lock()
		before := q.waiting
		q.mu.Unlock()
		go func() {
			if err := q.acquire(ctx, name[:1]); err != nil {
				turns <- name + " " + string(problem.CodeOf(err))
				return
			}
			turns <- name
		}()
		waitFor(t, func() bool { q.mu.Lock(); defer q.mu.Unlock(); return q.waiting > before })
	}
}

func waitFor(t testing.TB, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen within a minute")
		}
	}
}

func TestQueueIsFair(t *testing.T) {
	q := newQueue(1, 100)
	if err := q.acquire(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	turns := make(chan string)
	// One workspace sends four runs before two others send any.
	lineUp(t, q, t.Context(), turns, "a1", "a2", "a3", "a4", "b1", "c1", "b2")
	var got []string
	for range 7 {
		q.release()
		got = append(got, <-turns)
	}
	if want := []string{"a1", "b1", "c1", "a2", "b2", "a3", "a4"}; !reflect.DeepEqual(got, want) {
		t.Errorf("turns %v, want %v", got, want)
	}
}

func TestQueueIsBounded(t *testing.T) {
	q := newQueue(1, 2)
	turns := make(chan string)
	if err := q.acquire(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	lineUp(t, q, t.Context(), turns, "a1", "a2")
	if err := q.acquire(t.Context(), "b"); problem.CodeOf(err) != problem.Busy {
		t.Errorf("a third in a queue of two: %v", err)
	}
	q.release()
	<-turns
	q.release()
	<-turns
	q.release()
	if q.running != 0 || q.waiting != 0 || len(q.lines) != 0 || len(q.ring) != 0 {
		t.Errorf("left over: %+v", q)
	}
}

func TestQueueLetsGo(t *testing.T) {
	q := newQueue(1, 10)
	turns := make(chan string)
	if err := q.acquire(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	lineUp(t, q, ctx, turns, "a1")
	lineUp(t, q, t.Context(), turns, "b1")
	cancel()
	if got := <-turns; got != "a1 canceled" {
		t.Errorf("the one that left: %s", got)
	}
	q.release()
	if got := <-turns; got != "b1" {
		t.Errorf("the one that stayed: %s", got)
	}
	lineUp(t, q, t.Context(), turns, "c1")
	idle := q.stop()
	if got := <-turns; got != "c1 busy" {
		t.Errorf("one that waits when the queue stops: %s", got)
	}
	select {
	case <-idle:
		t.Error("idle while one runs")
	default:
	}
	q.release()
	<-idle
	if err := q.acquire(t.Context(), "d"); problem.CodeOf(err) != problem.Busy {
		t.Errorf("after stop: %v", err)
	}
}

// A turn that comes at the same moment as the caller leaves must not be lost.
func TestQueueLosesNoPlace(t *testing.T) {
	q := newQueue(2, 1000)
	done := make(chan struct{})
	for range 500 {
		go func() {
			defer func() { done <- struct{}{} }()
			ctx, cancel := context.WithTimeout(context.Background(), time.Microsecond*50)
			defer cancel()
			if q.acquire(ctx, "a") == nil {
				runtime.Gosched()
				q.release()
			}
		}()
	}
	for range 500 {
		<-done
	}
	if q.running != 0 || q.waiting != 0 {
		t.Errorf("%d run and %d wait", q.running, q.waiting)
	}
}
