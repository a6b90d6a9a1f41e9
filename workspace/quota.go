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

func errFull(total, max int64) error {
	return problem.New(problem.WorkspaceFull, "the workspace would have %s in files and their versions, the limit is %s", bytesText(total), bytesText(max)).
		With("size", total).With("limit", max)
}

func errStateFull(total, max int64) error {
	return problem.New(problem.WorkspaceFull, "the workspace's state would have %s, the limit is %s", bytesText(total), bytesText(max)).
		With("size", total).With("limit", max).WithHint("Delete keys that are no longer needed, or keep large data in files.")
}

func (r *Run) loadUsage(ctx context.Context) error {
	if r.usage != nil {
		return nil
	}
	usage, err := loadUsage(ctx, r.store.meta.read, r.row.Workspace)
	if err == nil {
		r.usage = usage
	}
	return err
}

func (s *Store) usage(ctx context.Context, workspace string) (*workspaceRow, error) {
	return loadUsage(ctx, s.meta.read, workspace)
}

// loadUsage reads what a workspace uses; zeros if it has nothing yet.
func loadUsage(ctx context.Context, db bun.IDB, workspace string) (*workspaceRow, error) {
	row := workspaceRow{}
	err := db.NewSelect().Model(&row).Where("w.workspace = ?", workspace).Scan(context.WithoutCancel(ctx))
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read the workspace's usage: %w", err)
	}
	row.Workspace = workspace
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
