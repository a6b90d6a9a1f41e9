package sandboxd

import (
	"context"

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

// Undo takes back what a run did, as a run of its own. It answers conflict, naming what
// stands in the way, when a later run changed the same file or state; force overrides.
func (r *Runs) Undo(ctx context.Context, id string, force bool) (workspace.UndoResult, error) {
	if err := r.host.enter(); err != nil {
		return workspace.UndoResult{}, err
	}
	defer r.host.runs.Done()
	return r.host.store.Undo(ctx, r.workspace, id, workspace.Undo{Force: force})
}
