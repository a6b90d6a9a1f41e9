package workspace

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/sandboxd/sandboxd/problem"
)

// room refuses content that cannot fit into the workspace. It is a first look, so that a
// run learns early; the commit counts exactly. The run's lock is held.
func (r *Run) room(ctx context.Context, into *entry, b *blob) error {
	if err := r.loadUsage(ctx); err != nil {
		return err
	}
	if r.usage.FileBytes+r.incoming+b.size <= r.limits.WorkspaceSize {
		return nil
	}
	// Close to the limit it is worth counting each content once.
	incoming := map[string]int64{b.hash: b.size}
	for _, e := range r.files {
		if e != into && e.blob != nil && !e.deleted {
			incoming[e.blob.hash] = e.blob.size
		}
	}
	total := r.usage.FileBytes
	for _, size := range incoming {
		total += size
	}
	hashes := make([]string, 0, len(incoming))
	for hash := range incoming {
		hashes = append(hashes, hash)
	}
	stored, err := storedHashes(ctx, r.store.meta.read, r.row.Workspace, hashes)
	if err != nil {
		return err
	}
	for hash := range stored {
		total -= incoming[hash]
	}
	if total > r.limits.WorkspaceSize {
		return errFull(total, r.limits.WorkspaceSize)
	}
	return nil
}

// quotas counts exactly what the workspace will have.
func (p *planner) quotas(ctx context.Context) error {
	if len(p.change.Versions) == 0 && len(p.change.State) == 0 {
		return nil
	}
	usage, err := p.usage(ctx, p.run.row.Workspace)
	if err != nil {
		return err
	}
	if n, max := usage.Files+p.change.Grown, int64(p.run.limits.Files); p.change.Grown > 0 && n > max {
		return errManyFiles(n, max)
	}
	if n, max := usage.Versions+int64(len(p.change.Versions)), int64(p.run.limits.Versions); len(p.change.Versions) > 0 && n > max {
		return errManyVersions(n, max)
	}
	var state int64
	for _, c := range p.change.State {
		state += c.delta()
	}
	if max := p.run.limits.StateBytes; state > 0 && usage.StateBytes+state > max {
		return errStateFull(usage.StateBytes+state, max)
	}
	var files int64
	hashes := make([]string, len(p.change.Blobs))
	for i, b := range p.change.Blobs {
		hashes[i] = b.Hash
		files += b.Size
	}
	max := p.run.limits.WorkspaceSize
	if usage.FileBytes+files <= max {
		return nil
	}
	// Close to the limit it is worth looking which of them the workspace has already.
	stored, err := storedHashes(ctx, p.db, p.run.row.Workspace, hashes)
	if err != nil {
		return err
	}
	for _, b := range p.change.Blobs {
		if stored[b.Hash] {
			files -= b.Size
		}
	}
	if files > 0 && usage.FileBytes+files > max {
		return errFull(usage.FileBytes+files, max)
	}
	return nil
}

func errFull(total, max int64) error {
	return problem.New(problem.WorkspaceFull, "the workspace would have %s in files and their versions, the limit is %s", bytesText(total), bytesText(max)).
		With("size", total).With("limit", max)
}

func errManyFiles(n, max int64) error {
	return problem.New(problem.WorkspaceFull, "the workspace would have %d files, the limit is %d", n, max).
		With("files", n).With("limit", max).WithHint("Delete files that are no longer needed, or put many small ones into one, such as a table of the database.")
}

func errManyVersions(n, max int64) error {
	return problem.New(problem.WorkspaceFull, "the workspace would have %d versions of files, the limit is %d", n, max).
		With("versions", n).With("limit", max).WithHint("Old versions go with time; the operator can let them go sooner.")
}

// roomForOne refuses a file that would be one too many: a first look, as that of room. The
// run's lock is held.
func (r *Run) roomForOne(ctx context.Context) error {
	if err := r.loadUsage(ctx); err != nil {
		return err
	}
	n, max := r.usage.Files+1, int64(r.limits.Files)
	if n+int64(len(r.files)) <= max {
		return nil
	}
	for _, e := range r.files { // close to the limit it is worth counting
		switch was := e.base != nil && e.base.DeletedOn == ""; {
		case !e.deleted && !was:
			n++
		case e.deleted && was:
			n--
		}
	}
	if n > max {
		return errManyFiles(n, max)
	}
	return nil
}

func errStateFull(total, max int64) error {
	return problem.New(problem.WorkspaceFull, "the workspace's state would have %s, the limit is %s", bytesText(total), bytesText(max)).
		With("size", total).With("limit", max).WithHint("Delete keys that are no longer needed, or keep large data in files.")
}

func (r *Run) loadUsage(ctx context.Context) error {
	if r.usage != nil {
		return nil
	}
	usage, err := r.store.usage(ctx, r.row.Workspace)
	if err == nil {
		r.usage = usage
	}
	return err
}

func (s *Store) usage(ctx context.Context, workspace string) (*workspaceRow, error) {
	return loadUsage(ctx, s.meta.reads.usage, workspace)
}

// planView is the metadata outside of a transaction.
func (s *Store) planView() planView {
	return planView{db: s.meta.read, usage: s.usage, holder: s.meta.reads.holder}
}

// loadUsage reads what a workspace uses; zeros if it has nothing yet. The statement has usageText.
func loadUsage(ctx context.Context, stmt *sql.Stmt, workspace string) (*workspaceRow, error) {
	row := workspaceRow{Workspace: workspace}
	err := stmt.QueryRowContext(context.WithoutCancel(ctx), workspace).
		Scan(&row.FileBytes, &row.StateBytes, &row.HistoryBytes, &row.HistoryFrom, &row.Files, &row.Versions)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read the workspace's usage: %w", err)
	}
	return &row, nil
}

// storedHashes tells which contents a workspace has.
func storedHashes(ctx context.Context, db bun.IDB, workspace string, hashes []string) (map[string]bool, error) {
	stored := map[string]bool{}
	err := inChunks(hashes, func(chunk []string) error {
		var found []string
		err := db.NewSelect().Model((*workspaceBlobRow)(nil)).Column("hash").
			Where("wb.workspace = ? AND wb.hash IN (?)", workspace, bun.List(chunk)).Scan(context.WithoutCancel(ctx), &found)
		for _, hash := range found {
			stored[hash] = true
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the workspace's contents: %w", err)
	}
	return stored, nil
}

// inChunks calls do with parts of a list that are short enough for one statement.
func inChunks[T any](list []T, do func(chunk []T) error) error {
	const most = 500
	for len(list) > 0 {
		n := min(most, len(list))
		if err := do(list[:n]); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}
