package workspacetest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

func lastWriterWins(t *testing.T, f *Fixture) {
	s := f.store(t, limits.Limits{})
	do(t, s, func(r *workspace.Run) { create(t, r, "a", "0") })
	r1, r2 := begin(t, s, workspace.Start{}), begin(t, s, workspace.Start{})
	equal(t, "first look", read(t, r2, "a"), "0")
	a := put(t, r1, "a", "1")
	commit(t, r1)
	equal(t, "a file stays as of the first look", read(t, r2, "a"), "0")
	put(t, r2, "a", "2")
	receipt := commit(t, r2)
	equal(t, "content", stored(t, s, "a", 0), "2")
	equal(t, "the other's version", stored(t, s, "a", 2), "1")
	if len(receipt.Conflicts) != 1 || receipt.Conflicts[0] != (limits.FileConflict{ID: a.ID, Name: "a", LosingRun: r1.ID(), LosingVersion: 2}) {
		t.Errorf("conflicts: got %+v", receipt.Conflicts)
	}
	equal(t, "version", receipt.Files[0].Version, 3)
}

func conflictsCanFail(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	do(t, s, func(r *workspace.Run) { create(t, r, "a", "0"); create(t, r, "b", "0"); setState(t, r, "k", "0") })
	strict := workspace.Start{OnConflict: workspace.ConflictFails}

	r := begin(t, s, strict)
	put(t, r, "a", "mine")
	create(t, r, "c", "mine")
	do(t, s, func(r *workspace.Run) { put(t, r, "a", "theirs") })
	_, err := r.Commit(ctx, workspace.Finish{})
	fails(t, "file", err, problem.Conflict)
	equal(t, "content", stored(t, s, "a", 0), "theirs")
	equal(t, "files", storedNames(t, s), "a b")

	r = begin(t, s, strict)
	setState(t, r, "k", "1")
	do(t, s, func(r *workspace.Run) { setState(t, r, "k", "2") })
	_, err = r.Commit(ctx, workspace.Finish{})
	fails(t, "state", err, problem.Conflict)
	equal(t, "state", state(t, s), `{"k":2}`)

	// What was only read, or is untouched, is no conflict.
	r = begin(t, s, strict)
	read(t, r, "a")
	put(t, r, "b", "mine")
	do(t, s, func(r *workspace.Run) { put(t, r, "a", "again") })
	commit(t, r)
	_, err = s.Begin(ctx, workspace.Start{Workspace: "w", OnConflict: "maybe"})
	fails(t, "a policy that is none", err, problem.InvalidArgument)
}

func deletedMeanwhile(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	do(t, s, func(r *workspace.Run) { create(t, r, "a", "0"); create(t, r, "b", "0") })
	r := begin(t, s, workspace.Start{})
	put(t, r, "a", "1")
	_, err := r.Delete(ctx, "b")
	failOn(t, err)
	do(t, s, func(r *workspace.Run) {
		for _, name := range []string{"a", "b"} {
			_, err := r.Delete(ctx, name)
			failOn(t, err)
		}
	})
	receipt := commit(t, r)
	equal(t, "files", storedNames(t, s), "a")
	equal(t, "content", stored(t, s, "a", 0), "1")
	equal(t, "files changed", len(receipt.Files), 1)
	equal(t, "conflicts", len(receipt.Conflicts), 1)
	equal(t, "versions", actions(t, s, "a"), "3:modified 2:deleted 1:created")
}

func nameTakenMeanwhile(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	r1, r2 := begin(t, s, workspace.Start{}), begin(t, s, workspace.Start{Kind: workspace.KindUpload})
	create(t, r1, "a", "mine")
	setState(t, r1, "k", "1")
	up, err := r2.Create(ctx, host.NewFile{Name: "a", Unique: true})
	failOn(t, err)
	equal(t, "name at first", up.Name, "a")
	do(t, s, func(r *workspace.Run) { create(t, r, "a", "theirs") })
	_, err = r1.Commit(ctx, workspace.Finish{})
	fails(t, "create", err, problem.Conflict)
	equal(t, "state", state(t, s), "{}")
	receipt := commit(t, r2)
	equal(t, "the upload's name", receipt.Files[0].Name, "a (2)")
	equal(t, "files", storedNames(t, s), "a a (2)")
}

// Many at once: every commit is whole, numbers of versions have no gaps, and what each
// receipt says is what is there.
func manyRunsAtOnce(t *testing.T, f *Fixture) {
	ctx := context.Background()
	s := f.store(t, limits.Limits{})
	do(t, s, func(r *workspace.Run) { create(t, r, "shared", "0"); setState(t, r, "n", "0") })
	const workers, each = 8, 12
	var wg sync.WaitGroup
	var mu sync.Mutex
	versions := map[int64]string{}
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				r, err := s.Begin(ctx, workspace.Start{Workspace: "w"})
				if err != nil {
					t.Error(err)
					return
				}
				text := fmt.Sprintf("%d-%d", w, i)
				if i%4 == 0 {
					text = strings.Repeat(text, 8000)
				}
				put(t, r, "shared", text)
				create(t, r, fmt.Sprintf("own/%d-%d", w, i), text)
				setState(t, r, fmt.Sprintf("own/%d-%d", w, i), "1")
				if i%3 == 2 {
					_, _ = r.Abort(ctx, workspace.Finish{})
					continue
				}
				receipt, err := r.Commit(ctx, workspace.Finish{})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, c := range receipt.Files {
					if c.Name == "shared" {
						versions[c.Version] = text
					}
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	const committed = workers * each * 2 / 3
	equal(t, "versions", len(versions), committed)
	for v := int64(2); v <= committed+1; v++ {
		if got := stored(t, s, "shared", v); got != versions[v] {
			t.Errorf("version %d is not what its run wrote", v)
		}
	}
	files, err := s.Files(ctx, "w", "own/*")
	failOn(t, err)
	equal(t, "files", len(files), committed)
	values, err := s.State(ctx, "w", "own/")
	failOn(t, err)
	equal(t, "state", len(values), committed)
	runs, err := s.Runs(ctx, "w", workspace.RunQuery{Limit: 1000})
	failOn(t, err)
	equal(t, "runs", len(runs), workers*each+1)
}
