package op

import (
	"context"
	"fmt"
	"testing"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/host/hosttest"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

type counted struct {
	saves int
	fail  error
}

func (c *counted) Save(context.Context, host.Host) error { c.saves++; return c.fail }

func TestRelieve(t *testing.T) {
	ctx := context.Background()
	env := NewEnv(hosttest.New(t), limits.Limits{}, nil)
	docs := map[string]*counted{}
	for i := range 5 {
		id := fmt.Sprint(i)
		docs[id] = &counted{}
		env.Hold(id, docs[id])
	}
	if err := env.Relieve(ctx, "0", 5); err != nil || docs["1"].saves != 0 {
		t.Fatalf("5 of 5: %v, %d saves", err, docs["1"].saves)
	}
	unlock, err := env.Lock(ctx, "3") // an operation is at work on it
	if err != nil {
		t.Fatal(err)
	}
	docs["4"].fail = problem.New(problem.WorkspaceFull, "no room")
	if err := env.Relieve(ctx, "0", 4); problem.CodeOf(err) != problem.WorkspaceFull {
		t.Fatalf("a save that fails: %v", err)
	}
	docs["4"].fail = nil
	if err := env.Relieve(ctx, "0", 2); err != nil {
		t.Fatal(err)
	}
	unlock()
	for id, held := range map[string]bool{"0": true, "1": false, "2": false, "3": true, "4": false} {
		if got := env.HeldOf(id) != nil; got != held {
			t.Errorf("%s: held %v, want %v", id, got, held)
		}
		if saved := docs[id].saves > 0; saved == held {
			t.Errorf("%s: %d saves", id, docs[id].saves)
		}
	}
	if _, err := env.Lock(ctx, "1"); err != nil {
		t.Fatal(err)
	}
}
