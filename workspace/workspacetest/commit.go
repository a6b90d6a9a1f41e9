package workspacetest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// large is content that does not fit into a row.
var large = strings.Repeat("0123456789abcdef", 4096)

func commitIsAtomic(t *testing.T, f *Fixture) {
	s := f.store(t, limits.Limits{})
	r := begin(t, s, workspace.Start{SessionID: "chat-1", Name: "clean.js"})
	small := create(t, r, "a.txt", "alpha")
	create(t, r, "b.bin", large)
	setState(t, r, "seen", `{"n": 1}`)

	equal(t, "files before the commit", storedNames(t, s), "")
	equal(t, "state before the commit", state(t, s), "{}")
	receipt := commit(t, r)
	equal(t, "files", storedNames(t, s), "a.txt b.bin")
	equal(t, "small content", stored(t, s, small.ID, 0), "alpha")
	equal(t, "large content", stored(t, s, "b.bin", 0), large)
	equal(t, "state", state(t, s), `{"seen":{"n":1}}`)

	equal(t, "receipt's files", len(receipt.Files), 2)
	equal(t, "first file", receipt.Files[0], limits.FileChange{ID: small.ID, Name: "a.txt", Version: 1, Action: "created", Size: 5})
	equal(t, "receipt's state", strings.Join(receipt.State, " "), "seen")
	equal(t, "bytes written", receipt.BytesWritten, int64(5+len(large)))
	rec, err := s.RunByID(context.Background(), r.ID())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "status", rec.Status, workspace.StatusOK)
	equal(t, "session", rec.SessionID, "chat-1")
	equal(t, "recorded receipt's files", len(rec.Receipt.Files), 2)

	if _, err := r.Commit(context.Background(), workspace.Finish{}); err == nil {
		t.Error("a run could be committed twice")
	}
	_, err = r.Stat(context.Background(), "a.txt")
	fails(t, "a call after the end", err, problem.Canceled)
}

func abortChangesNothing(t *testing.T, f *Fixture) {
	s := f.store(t, limits.Limits{})
	do(t, s, func(r *workspace.Run) { create(t, r, "a.txt", "alpha"); setState(t, r, "k", "1") })
	r := begin(t, s, workspace.Start{})
	put(t, r, "a.txt", large)
	create(t, r, "b.txt", "beta")
	setState(t, r, "k", "2")
	receipt, err := r.Abort(context.Background(), workspace.Finish{Error: problem.New(problem.Timeout, "the run took 30 s")})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "receipt's files", len(receipt.Files), 0)
	equal(t, "files", storedNames(t, s), "a.txt")
	equal(t, "content", stored(t, s, "a.txt", 0), "alpha")
	equal(t, "state", state(t, s), `{"k":1}`)
	rec, err := s.RunByID(context.Background(), r.ID())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "status", rec.Status, workspace.StatusFailed)
	equal(t, "code", rec.Error.Code, problem.Timeout)
}

func runReadsItself(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	do(t, s, func(r *workspace.Run) {
		create(t, r, "a.txt", "alpha")
		create(t, r, "b.txt", "beta")
		setState(t, r, "k1", "1")
	})
	do(t, s, func(r *workspace.Run) {
		put(t, r, "a.txt", "alpha 2")
		equal(t, "own content", read(t, r, "a.txt"), "alpha 2")
		if _, err := r.Rename(ctx, "b.txt", "c.txt"); err != nil {
			t.Fatal(err)
		}
		equal(t, "own names", names(t, r, ""), "a.txt c.txt")
		_, err := r.Stat(ctx, "b.txt")
		if p := fails(t, "the old name", err, problem.NotFound); !strings.Contains(p.Hint, `"c.txt"`) {
			t.Errorf("the hint does not say the new name: %s", p.Hint)
		}
		create(t, r, "b.txt", "new")
		if _, err := r.Copy(ctx, "a.txt", "d.txt"); err != nil {
			t.Fatal(err)
		}
		equal(t, "copy", read(t, r, "d.txt"), "alpha 2")
		if _, err := r.Delete(ctx, "a.txt"); err != nil {
			t.Fatal(err)
		}
		equal(t, "own names", names(t, r, "*.txt"), "b.txt c.txt d.txt")
		setState(t, r, "k2", `"two"`)
		if gone, err := r.StateDelete(ctx, "k1"); err != nil || !gone {
			t.Fatalf("delete state: %v, %v", gone, err)
		}
		keys, err := r.StateKeys(ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "own keys", strings.Join(keys, " "), "k2")
	})
	equal(t, "names", storedNames(t, s), "b.txt c.txt d.txt")
	equal(t, "content under the reused name", stored(t, s, "b.txt", 0), "new")
	equal(t, "content under the new name", stored(t, s, "c.txt", 0), "beta")
	equal(t, "copied content", stored(t, s, "d.txt", 0), "alpha 2")
	equal(t, "state", state(t, s), `{"k2":"two"}`)
}

// More than what a run may hold in memory.
func manySmallFiles(t *testing.T, f *Fixture) {
	s := f.store(t, limits.Limits{})
	text := func(i int) string { return strings.Repeat(fmt.Sprintf("%04d", i), 4000) }
	const n = 600
	do(t, s, func(r *workspace.Run) {
		for i := range n {
			create(t, r, fmt.Sprintf("%04d", i), text(i))
		}
		equal(t, "content in the run", read(t, r, "0599"), text(599))
	})
	for _, i := range []int{0, 300, 599} {
		equal(t, "content", stored(t, s, fmt.Sprintf("%04d", i), 0), text(i))
	}
	usage, err := s.Usage(context.Background(), "w")
	failOn(t, err)
	equal(t, "usage", usage.Files, n*16_000)
}

func heldStaysAsItIs(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	release, err := s.Hold(ctx, "w")
	failOn(t, err)
	r := begin(t, s, workspace.Start{})
	create(t, r, "a", "1")
	done := make(chan error)
	go func() {
		_, err := r.Commit(ctx, workspace.Finish{})
		done <- err
	}()
	other := begin(t, s, workspace.Start{Workspace: "other"})
	create(t, other, "a", "1")
	commit(t, other)
	select {
	case err := <-done:
		t.Fatalf("a run was committed: %v", err)
	default:
	}
	equal(t, "files", storedNames(t, s), "")
	release()
	failOn(t, <-done)
	equal(t, "files", storedNames(t, s), "a")
}
