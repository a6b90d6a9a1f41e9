package sandboxd

import (
	"context"
	"sync"
	"time"

	"github.com/sandboxd/sandboxd/audit"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// Runs is the record of a workspace's runs.
type Runs struct {
	host      *Host
	workspace string
}

// Runs gives the record of a workspace; "" is DefaultWorkspace.
func (h *Host) Runs(workspace string) *Runs { return &Runs{h, workspaceOr(workspace)} }

// List gives runs, latest first.
func (r *Runs) List(ctx context.Context, query workspace.RunQuery) ([]workspace.Record, error) {
	return r.host.store.Runs(ctx, r.workspace, query)
}

// Get gives one run; not_found if there is none.
func (r *Runs) Get(ctx context.Context, id string) (workspace.Record, error) {
	record, err := r.host.store.RunByID(ctx, id)
	if err == nil && record.Workspace != r.workspace {
		return workspace.Record{}, problem.New(problem.NotFound, "there is no run %q", id).
			WithHint("The list of runs has their ids.")
	}
	return record, err
}

// Cancel ends a run that is under way, as if its caller had left: it changes nothing, and
// its record says canceled. It answers conflict if the run has ended already, also where
// what it did is just being committed.
func (r *Runs) Cancel(ctx context.Context, id string) error {
	if r.host.cancels.cancel(ctx, r.workspace, id) {
		r.host.audit(ctx, time.Now(), audit.Record{Action: audit.Cancel, Workspace: r.workspace, RunID: id}, nil)
		return nil
	}
	record, err := r.Get(ctx, id)
	if err != nil {
		return err
	}
	return problem.New(problem.Conflict, "run %s is not under way any more; it is %s", record.ID, record.Status).
		WithHint("To take back what it did, undo it.")
}

// cancels knows how to end the runs that are under way.
type cancels struct {
	mu   sync.Mutex
	over bool                    // no run may go on
	runs map[string]*cancellable // by id
}

// cancellable is a run that can be cancelled until it is decided what becomes of it: whoever
// is told that it is cancelled can rely on that, and whoever comes later is told how it ended.
type cancellable struct {
	workspace string
	end       context.CancelFunc
	cancelled bool
	decided   bool
	gone      chan struct{} // closed when its record says how it ended
}

// add gives the context that a run is to work in, decide, which tells whether it was
// cancelled, and from then on it is not, and leave, which forgets it.
func (c *cancels) add(ctx context.Context, run *workspace.Run) (_ context.Context, decide func() bool, leave func()) {
	ctx, end := context.WithCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs == nil {
		c.runs = map[string]*cancellable{}
	}
	r := &cancellable{workspace: run.Workspace(), end: end, gone: make(chan struct{})}
	c.runs[run.ID()] = r
	if c.over {
		r.cancel()
	}
	decide = func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		r.decided = true
		return r.cancelled
	}
	leave = func() {
		c.mu.Lock()
		if c.runs[run.ID()] == r {
			delete(c.runs, run.ID())
		}
		c.mu.Unlock()
		close(r.gone)
		end()
	}
	return ctx, decide, leave
}

// all ends all runs, also those that are just beginning.
func (c *cancels) all() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for _, run := range c.runs {
		run.cancel()
	}
}

// cancel ends a run. If it is not under way any more, it answers false once the record says so.
func (c *cancels) cancel(ctx context.Context, workspace, id string) bool {
	c.mu.Lock()
	run, ok := c.runs[id]
	if !ok || run.workspace != workspace {
		c.mu.Unlock()
		return false
	}
	run.cancel()
	cancelled := run.cancelled
	c.mu.Unlock()
	if !cancelled {
		select {
		case <-run.gone:
		case <-ctx.Done():
		}
	}
	return cancelled
}

// cancel ends the run if it can still be ended. The list is locked.
func (r *cancellable) cancel() {
	if !r.decided {
		r.cancelled = true
		r.end()
	}
}

// Undo takes back what a run did, as a run of its own. It answers conflict, naming what
// stands in the way, when a later run changed the same file or state; force overrides.
func (r *Runs) Undo(ctx context.Context, id string, force bool) (workspace.UndoResult, error) {
	if err := r.host.enter(); err != nil {
		return workspace.UndoResult{}, err
	}
	defer r.host.runs.Done()
	return r.host.store.Undo(ctx, r.workspace, id, workspace.Undo{Force: force, Who: audit.From(ctx)})
}
