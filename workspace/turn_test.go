package workspace

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestTurnGoesRoundInOrder(t *testing.T) {
	var turn turn
	ctx := context.Background()
	if err := turn.take(ctx); err != nil {
		t.Fatal(err)
	}
	order := make(chan int, 10)
	for i := range 10 {
		go func() {
			if turn.take(ctx) == nil {
				order <- i
				turn.give()
			}
		}()
		waitQueue(t, &turn, i+1)
	}
	turn.give()
	for want := range 10 {
		if got := <-order; got != want {
			t.Fatalf("got %d, want %d", got, want)
		}
	}
}

func TestTurnIsNotLostOnWhoeverGaveUp(t *testing.T) {
	var turn turn
	_ = turn.take(context.Background())
	for range 200 {
		ctx, cancel := context.WithCancel(context.Background())
		gone := make(chan error)
		go func() {
			err := turn.take(ctx)
			if err == nil {
				turn.give()
			}
			gone <- err
		}()
		waitQueue(t, &turn, 1)
		go cancel() // at once with the hand-over
		turn.give()
		if err := <-gone; err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		soon, stop := context.WithTimeout(context.Background(), time.Minute)
		if err := turn.take(soon); err != nil {
			t.Fatal("the turn was lost")
		}
		stop()
	}
}

// waitQueue waits until n are in the queue.
func waitQueue(t *testing.T, turn *turn, n int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Microsecond) {
		turn.mu.Lock()
		l := len(turn.queue)
		turn.mu.Unlock()
		if l == n {
			return
		}
	}
	t.Fatalf("nobody came to wait")
}
