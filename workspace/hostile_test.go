package workspace

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// endsMeanwhile is a context that ends while a call waits for the run's lock.
type endsMeanwhile struct {
	context.Context
	looks atomic.Int64
}

func (c *endsMeanwhile) Err() error {
	if c.looks.Add(1) > 1 {
		return context.Canceled
	}
	return nil
}

// A call that waited for the lock until the run was to end does not begin to work.
func TestCallsThatWaitedTooLongDoNotBegin(t *testing.T) {
	r := &Run{}
	if _, err := r.lock(&endsMeanwhile{Context: context.Background()}); problem.CodeOf(err) != problem.Canceled {
		t.Fatalf("got %v", err)
	}
	if !r.mu.TryLock() {
		t.Error("the lock is still held")
	}
}

// A run that hands in far more at once than its workspace may hold does not fill the disk
// with copies before it is told so.
func TestCopiesOfRefusedContentsDoNotFillTheDisk(t *testing.T) {
	const size, calls = 1 << 20, 100
	ctx := context.Background()
	dir := t.TempDir()
	s, err := Open(ctx, Config{Dir: dir, Limits: limits.Limits{WorkspaceSize: 2 * size, FileBytes: size}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Begin(ctx, Start{Workspace: "w"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Abort(ctx, Finish{})
	stages := make([]int64, calls)
	for i := range stages {
		staged, err := r.Stage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		// A hole takes nothing of the disk until it is copied.
		if _, err := staged.Data.WriteAt([]byte{byte(i)}, 0); err != nil {
			t.Fatal(err)
		}
		stages[i] = staged.ID
		defer staged.Data.Close()
		if i == calls-1 { // all of them at once, after the last look at what they hold
			for id := range r.stages {
				if err := r.stages[id].file.Truncate(size); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	var all sync.WaitGroup
	var refused atomic.Int64
	finished := make(chan struct{})
	for i, id := range stages {
		all.Go(func() {
			_, err := r.Create(ctx, host.NewFile{Name: string(rune('α' + i)), Stage: id})
			if problem.CodeOf(err) == problem.WorkspaceFull {
				refused.Add(1)
			}
		})
	}
	go func() {
		all.Wait()
		close(finished)
	}()
	most := 0
	for done := false; !done; {
		select {
		case <-finished:
			done = true
		default:
		}
		entries, err := os.ReadDir(filepath.Join(dir, "tmp"))
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, len(entries))
	}
	if most > 2+copiesAtOnce {
		t.Errorf("%d copies at once were on the disk of a workspace for 2", most)
	}
	if refused.Load() != calls-2 {
		t.Errorf("%d of %d were refused", refused.Load(), calls)
	}
}
