package workspace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/workspace"
)

// What a run of the child does follows from its id, so that the parent can tell from the
// id alone what must be there if the run is.
type parts struct{ small, large, state, row, shared, counter bool }

func partsOf(runID string) parts {
	h := fnv.New32a()
	_, _ = io.WriteString(h, runID)
	bits := h.Sum32()
	bit := func(n int) bool { return bits>>n&1 == 1 }
	p := parts{small: bit(0), large: bit(1) && bit(2), state: bit(3), row: bit(4) && bit(5), shared: bit(6), counter: bit(7) && bit(8)}
	return p
}

func (p parts) any() bool { return p != parts{} }

func smallText(id string) string  { return "small " + id }
func largeText(id string) string  { return strings.Repeat("large "+id+"\n", 500) }
func sharedText(id string) string { return "shared " + id }

var crashWorkspaces = []string{"w0", "w1"}

// crashChild is the whole life of a child.
func crashChild(dir string) {
	seed, _ := strconv.ParseUint(os.Getenv(crashSeed), 10, 64)
	dbs := newAgentDBs(nil, dir)
	dbs.wrap = func(db workspace.AgentDB) workspace.AgentDB {
		switch os.Getenv(crashSkip) {
		case "marker":
			return withoutMarker{db}
		}
		return db
	}
	ctx := context.Background()
	s, err := workspace.Open(ctx, workspace.Config{Dir: dir, AgentDBs: dbs, Faults: dieAt(os.Getenv(crashAt)),
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	must(err)
	for _, w := range crashWorkspaces {
		r, err := s.Begin(ctx, workspace.Start{Workspace: w, Kind: "setup"})
		must(err)
		for _, sql := range []string{"CREATE TABLE IF NOT EXISTS runs (id TEXT PRIMARY KEY)", "CREATE TABLE IF NOT EXISTS counter (n INTEGER)",
			"INSERT INTO counter SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM counter)"} {
			_, err := r.SQL(ctx, host.Query{SQL: sql})
			must(err)
		}
		_, err = r.Commit(ctx, workspace.Finish{})
		must(err)
	}
	var wg sync.WaitGroup
	for lane := range 3 {
		wg.Go(func() {
			c := &crashRunner{store: s, random: rand.New(rand.NewPCG(seed, uint64(lane)))}
			for range 25 {
				c.next(ctx)
			}
		})
	}
	wg.Wait()
	must(s.Close())
	dbs.close()
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
}

// withoutMarker leaves the marker out: the agent's transaction commits without it.
type withoutMarker struct{ workspace.AgentDB }

func (w withoutMarker) Commit(ctx context.Context, runID string, redo []byte) error {
	if err := w.AgentDB.Commit(ctx, runID, redo); err != nil {
		return err
	}
	return w.AgentDB.Clear(ctx, []string{runID})
}

// crashRunner makes random history.
type crashRunner struct {
	store  *workspace.Store
	random *rand.Rand
	done   []string        // committed runs, as "workspace id"
	told   func(id string) // of each that was committed; nil tells the parent process
}

func (c *crashRunner) next(ctx context.Context) {
	switch n := c.random.IntN(20); {
	case n < 3 && len(c.done) > 0:
		w, id, _ := strings.Cut(c.done[c.random.IntN(len(c.done))], " ")
		// Refused where a later run changed the same, and that is right.
		if undone, err := c.store.Undo(ctx, w, id, workspace.Undo{}); err == nil {
			c.committed(w, undone.RunID)
		}
	case n == 3:
		_, err := c.store.GC(ctx)
		must(err)
	default:
		c.run(ctx, n == 4)
	}
}

func (c *crashRunner) run(ctx context.Context, abort bool) {
	w := crashWorkspaces[c.random.IntN(len(crashWorkspaces))]
	start := workspace.Start{Workspace: w}
	if c.random.IntN(3) == 0 {
		start.OnConflict = workspace.ConflictFails
	}
	r, err := c.store.Begin(ctx, start)
	must(err)
	if err := c.work(ctx, r); err != nil || abort {
		_, _ = r.Abort(ctx, workspace.Finish{})
		return
	}
	if _, err := r.Commit(ctx, workspace.Finish{}); err == nil {
		c.committed(w, r.ID())
	}
}

// committed tells the parent, who remembers.
func (c *crashRunner) committed(w, id string) {
	c.done = append(c.done, w+" "+id)
	if c.told != nil {
		c.told(id)
		return
	}
	fmt.Println("committed " + id)
}

func (c *crashRunner) work(ctx context.Context, r *workspace.Run) error {
	id := r.ID()
	p := partsOf(id)
	if p.small {
		if err := write(ctx, r, "s/"+id, smallText(id)); err != nil {
			return err
		}
	}
	if p.large {
		if err := write(ctx, r, "l/"+id, largeText(id)); err != nil {
			return err
		}
	}
	if p.state {
		if err := r.StateSet(ctx, "r/"+id, json.RawMessage(strconv.Quote(id))); err != nil {
			return err
		}
	}
	for _, sql := range []struct {
		do   bool
		text string
	}{{p.row, "INSERT INTO runs VALUES ('" + id + "')"}, {p.counter, "UPDATE counter SET n = n + 1"}} {
		if sql.do {
			if _, err := r.SQL(ctx, host.Query{SQL: sql.text}); err != nil {
				return err
			}
		}
	}
	if p.shared {
		if err := write(ctx, r, "shared", sharedText(id)); err != nil {
			return err
		}
	}
	return c.shuffle(ctx, r)
}

// shuffle moves, deletes and restores files that no run owns.
func (c *crashRunner) shuffle(ctx context.Context, r *workspace.Run) error {
	a, b := fmt.Sprintf("x/%d", c.random.IntN(4)), fmt.Sprintf("x/%d", c.random.IntN(4))
	switch c.random.IntN(8) {
	case 0:
		return write(ctx, r, a, strings.Repeat(r.ID(), 1+c.random.IntN(800)))
	case 1:
		_, _ = r.Rename(ctx, a, b)
	case 2:
		_, _ = r.Delete(ctx, a)
	case 3:
		_, _ = r.Restore(ctx, a, 1)
	case 4:
		_, _ = r.Copy(ctx, a, b)
	}
	return nil
}

// write makes text a file's content, or a file of it.
func write(ctx context.Context, r *workspace.Run, name, text string) error {
	stage, err := r.Receive(ctx, strings.NewReader(text))
	if err != nil {
		return err
	}
	if _, err := r.Put(ctx, name, stage); err == nil {
		return nil
	}
	_, err = r.Create(ctx, host.NewFile{Name: name, Stage: stage})
	return err
}
