package workspace_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/backup"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/workspace"
)

// A backup that is taken while runs write files, state and databases, undo each other and
// collect, is restored with every run whole or not at all, and with all that were
// committed before it was begun.
func TestBackupWhileRunsGoOn(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	dbs := newAgentDBs(t, dir)
	s := open(t, workspace.Config{Dir: dir, AgentDBs: dbs})
	for _, w := range crashWorkspaces {
		r, err := s.Begin(ctx, workspace.Start{Workspace: w, Kind: "setup"})
		for _, sql := range []string{"CREATE TABLE IF NOT EXISTS runs (id TEXT PRIMARY KEY)", "CREATE TABLE IF NOT EXISTS counter (n INTEGER)", "INSERT INTO counter VALUES (0)"} {
			if err == nil {
				_, err = r.SQL(ctx, host.Query{SQL: sql})
			}
		}
		if err == nil {
			_, err = r.Commit(ctx, workspace.Finish{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var (
		lanes sync.WaitGroup
		mu    sync.Mutex
		acked = map[string]bool{}
	)
	writing, stop := context.WithCancel(ctx)
	for lane := range 3 {
		lanes.Go(func() {
			c := &crashRunner{store: s, random: rand.New(rand.NewPCG(7, uint64(lane))), told: func(id string) {
				mu.Lock()
				defer mu.Unlock()
				acked[id] = true
			}}
			for writing.Err() == nil {
				c.next(ctx)
			}
		})
	}
	defer lanes.Wait()
	defer stop()
	for round := range 6 {
		time.Sleep(50 * time.Millisecond) // for history; the writers do not wait for anything
		m := newModel()
		mu.Lock()
		for id := range acked {
			m.acked[id] = true
		}
		mu.Unlock()
		to := filepath.Join(t.TempDir(), "restored")
		var took time.Duration
		if round%2 == 0 {
			var stream bytes.Buffer
			w, err := backup.ToStream(&stream)
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			if _, err := backup.Take(ctx, s, w); err != nil {
				t.Fatal(err)
			}
			took = time.Since(began)
			if _, err := backup.Restore(ctx, backup.FromStream(&stream), to); err != nil {
				t.Fatal(err)
			}
		} else {
			kept := filepath.Join(t.TempDir(), "kept")
			w, err := backup.ToFolder(kept)
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			if _, err := backup.Take(ctx, s, w); err != nil {
				t.Fatal(err)
			}
			took = time.Since(began)
			if _, err := backup.Restore(ctx, backup.FromFolder(kept), to); err != nil {
				t.Fatal(err)
			}
		}
		for _, fault := range m.check(t, to) {
			t.Errorf("round %d: %s", round, fault)
		}
		t.Logf("round %d: %d runs were acknowledged, the backup took %v", round, len(m.acked), took)
	}
}

// A workspace whose database changes without end is held for the moment that the backup
// needs, and an open transaction of a database does not hold up a backup for longer than
// its run.
func TestBackupHoldsWhatNeverRests(t *testing.T) {
	ctx := t.Context()
	s := open(t, workspace.Config{})
	sql := func(statement string) {
		r, err := s.Begin(ctx, workspace.Start{Workspace: "w"})
		if err == nil {
			_, err = r.SQL(ctx, host.Query{SQL: statement})
		}
		if err == nil {
			_, err = r.Commit(ctx, workspace.Finish{})
		}
		if err != nil {
			t.Error(err)
		}
	}
	sql("CREATE TABLE t (n)")
	n := 0
	w, err := backup.ToFolder(filepath.Join(t.TempDir(), "b"))
	if err != nil {
		t.Fatal(err)
	}
	writing, stop := context.WithCancel(ctx)
	var lane sync.WaitGroup
	lane.Go(func() {
		for ; writing.Err() == nil; n++ {
			sql(fmt.Sprintf("INSERT INTO t VALUES (%d)", n))
		}
	})
	_, err = backup.Take(ctx, s, w)
	stop()
	lane.Wait()
	if err != nil {
		t.Fatal(err)
	}
	sql("INSERT INTO t VALUES (-1)") // nothing is held any more
}

// Nothing is left of a backup that failed, and contents can be collected again.
func TestABackupThatFails(t *testing.T) {
	ctx := t.Context()
	s := open(t, workspace.Config{})
	r, err := s.Begin(ctx, workspace.Start{Workspace: "w"})
	if err == nil {
		err = write(ctx, r, "a", largeOf(1))
	}
	if err == nil {
		_, err = r.Commit(ctx, workspace.Finish{})
	}
	if err != nil {
		t.Fatal(err)
	}
	full := fmt.Errorf("the disk is full")
	if err := s.Backup(ctx, func(workspace.BackupPart) error { return full }); err == nil {
		t.Fatal("it succeeded")
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.Backup(cancelled, func(workspace.BackupPart) error { return nil }); err == nil {
		t.Fatal("it succeeded")
	}
	if left, _ := os.ReadDir(filepath.Join(s.Dir(), "tmp")); len(left) != 0 {
		t.Errorf("in tmp/ there is %v", left)
	}
	if _, err := s.GC(ctx); err != nil {
		t.Fatal(err)
	}
}
