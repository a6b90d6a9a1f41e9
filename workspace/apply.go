package workspace

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"
)

// apply writes a planned change. It decides nothing: a redo record goes the same way.
func (b *batch) apply(ctx context.Context, c *change, historyMax int64) error {
	for _, step := range []func(context.Context, *change) error{b.blobs, b.files, b.undone} {
		if err := step(ctx, c); err != nil {
			return err
		}
	}
	if err := b.state(ctx, c, historyMax); err != nil {
		return err
	}
	run := c.Run
	run.Seq = b.seq
	b.runs = append(b.runs, run)
	b.events = append(b.events, c.Started...)
	b.events = append(b.events, c.Events...)
	b.audit = append(b.audit, c.Audit...)
	return nil
}

// blobs writes the contents and what the workspace pays for them.
func (b *batch) blobs(ctx context.Context, c *change) error {
	if err := b.statements.blobs.write(ctx, b.tx, c.Blobs); err != nil {
		return fmt.Errorf("write contents: %w", err)
	}
	// A changeset is among the contents but is nobody's file: only versions are paid for.
	var paid []workspaceBlobRow
	seen := map[string]bool{"": true}
	for _, v := range c.Versions {
		if !seen[v.Hash] {
			seen[v.Hash] = true
			paid = append(paid, workspaceBlobRow{Workspace: c.Run.Workspace, Hash: v.Hash, Size: v.Size})
		}
	}
	if len(paid) == 0 {
		return nil
	}
	fresh, err := b.statements.workspaceBlobs.rows(ctx, b.tx, paid)
	if err != nil {
		return fmt.Errorf("write the workspace's contents: %w", err)
	}
	usage, err := b.usage(ctx, c.Run.Workspace)
	if err != nil {
		return err
	}
	for i := range paid {
		if fresh[i] {
			usage.FileBytes += paid[i].Size
		}
	}
	return nil
}

func (b *batch) files(ctx context.Context, c *change) error {
	if len(c.Files) == 0 {
		return nil
	}
	if c.Moved {
		// Names change hands. The unique index looks at every single row, so all let go first.
		ids := make([]string, len(c.Files))
		for i, f := range c.Files {
			ids[i] = f.ID
		}
		err := inChunks(ids, func(chunk []string) error {
			_, err := b.tx.NewUpdate().Model((*fileRow)(nil)).Set("name = '/' || _id").Where("_id IN (?)", bun.List(chunk)).Exec(ctx)
			return err
		})
		if err != nil {
			return fmt.Errorf("free names: %w", err)
		}
	}
	usage, err := b.usage(ctx, c.Run.Workspace)
	if err != nil {
		return err
	}
	usage.Files += c.Grown
	usage.Versions += int64(len(c.Versions))
	if err := b.statements.files.write(ctx, b.tx, c.Files); err != nil {
		return fmt.Errorf("write files: %w", err)
	}
	if err := b.statements.versions.write(ctx, b.tx, c.Versions); err != nil {
		return fmt.Errorf("write versions: %w", err)
	}
	return nil
}

func (b *batch) state(ctx context.Context, c *change, historyMax int64) error {
	if len(c.State) == 0 {
		return nil
	}
	var set []stateRow
	var deleted []string
	usage, err := b.usage(ctx, c.Run.Workspace)
	if err != nil {
		return err
	}
	for _, s := range c.State {
		if s.After != nil {
			set = append(set, stateRow{Workspace: c.Run.Workspace, Key: s.Key, Value: *s.After, Seq: b.seq, ModifiedOn: c.Run.FinishedOn})
		} else {
			deleted = append(deleted, s.Key)
		}
		b.history = append(b.history, stateChangeRow{Workspace: c.Run.Workspace, Seq: b.seq, Key: s.Key, RunID: c.Run.ID, Before: s.Before, After: s.After})
		usage.StateBytes += s.delta()
		usage.HistoryBytes += s.history()
	}
	err = inChunks(set, func(chunk []stateRow) error {
		_, err := b.tx.NewInsert().Model(&chunk).On("CONFLICT (workspace, key) DO UPDATE").
			Set("value = EXCLUDED.value").Set("seq = EXCLUDED.seq").Set("modified_on = EXCLUDED.modified_on").Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	err = inChunks(deleted, func(chunk []string) error {
		_, err := b.tx.NewDelete().Model((*stateRow)(nil)).Where("workspace = ? AND key IN (?)", c.Run.Workspace, bun.List(chunk)).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("delete state: %w", err)
	}
	if usage.HistoryBytes <= historyMax {
		return nil
	}
	return b.trimHistory(ctx, usage, historyMax)
}

// trimHistory keeps what undo needs of state within bounds: when there is too much, the
// older half goes, and runs as old as that can no longer have their state undone.
func (b *batch) trimHistory(ctx context.Context, usage *workspaceRow, most int64) error {
	if err := b.writeHistory(ctx); err != nil {
		return err
	}
	var rows []struct {
		Seq   int64
		Bytes int64
	}
	err := b.tx.NewSelect().Model((*stateChangeRow)(nil)).Column("seq").
		ColumnExpr("SUM(OCTET_LENGTH(key) + COALESCE(OCTET_LENGTH(before), 0) + COALESCE(OCTET_LENGTH(after), 0)) AS bytes").
		Where("c.workspace = ?", usage.Workspace).Group("seq").Order("seq").Scan(ctx, &rows)
	if err != nil {
		return fmt.Errorf("measure state changes: %w", err)
	}
	for _, row := range rows {
		if usage.HistoryBytes <= most/2 || row.Seq == b.seq {
			break
		}
		usage.HistoryBytes -= row.Bytes
		usage.HistoryFrom = row.Seq + 1
	}
	_, err = b.tx.NewDelete().Model((*stateChangeRow)(nil)).Where("workspace = ? AND seq < ?", usage.Workspace, usage.HistoryFrom).Exec(ctx)
	if err != nil {
		return fmt.Errorf("trim state changes: %w", err)
	}
	return nil
}

// undone keeps the links between runs and those that undid them.
func (b *batch) undone(ctx context.Context, c *change) error {
	for id, by := range c.Undone {
		if _, err := b.tx.NewUpdate().Model((*runRow)(nil)).Set("undone_by = ?", by).Where("id = ?", id).Exec(ctx); err != nil {
			return fmt.Errorf("mark the undone run: %w", err)
		}
	}
	return nil
}
