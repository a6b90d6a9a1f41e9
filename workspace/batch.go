package workspace

import (
	"context"
	"fmt"
	"slices"

	"github.com/uptrace/bun"
)

// batch is a transaction under way, with what is written once at its end for all jobs:
// runs, events, the past of state, and what workspaces use.
type batch struct {
	tx         bun.Tx
	statements *commitStatements
	seq        int64 // the number of the commit at work
	records
	history []stateChangeRow
	used    map[string]*workspaceRow // by workspace
}

// transact makes one transaction of jobs and lazy records. It answers each job; err means
// that nothing at all was written.
func (w *writer) transact(jobs []*job, lazy records) (answers []error, err error) {
	ctx := context.Background() // what others wait for too does not end with one caller's context
	tx, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback()
		}
	}()
	b := &batch{tx: tx, statements: w.statements, records: lazy, used: map[string]*workspaceRow{}}
	var events, audits int64
	grow := int64(len(jobs) + len(lazy.runs))
	if err := tx.StmtContext(ctx, w.statements.takeNumbers).QueryRowContext(ctx, grow).Scan(&b.seq, &events, &audits); err != nil {
		return nil, fmt.Errorf("take numbers: %w", err)
	}
	b.seq -= grow
	for i := range b.runs {
		b.seq++
		if b.runs[i].Status != StatusRunning {
			b.runs[i].Seq = b.seq
		}
	}
	answers = make([]error, len(jobs))
	for i, j := range jobs {
		b.seq++
		if j.check != nil {
			if answers[i] = j.check(ctx, b); answers[i] != nil {
				continue
			}
		}
		if err = j.write(ctx, b); err != nil {
			return nil, err
		}
	}
	if err = b.finish(ctx, events, audits); err != nil {
		return nil, err
	}
	w.faults("meta.written")
	for i, j := range jobs {
		if answers[i] == nil && j.settle != nil {
			if err = j.settle(); err != nil {
				return nil, err
			}
		}
	}
	if err = tx.Commit(); err != nil {
		return nil, err
	}
	w.faults("meta.committed")
	return answers, nil
}

// usage is what a workspace uses, as of this point of the batch; changes of it are written
// at the end.
func (b *batch) usage(ctx context.Context, workspace string) (*workspaceRow, error) {
	if row, ok := b.used[workspace]; ok {
		return row, nil
	}
	row, err := loadUsage(ctx, b.tx.StmtContext(ctx, b.statements.usage), workspace)
	if err == nil {
		b.used[workspace] = row
	}
	return row, err
}

// planView is the metadata as of this point of the batch.
func (b *batch) planView(ctx context.Context) planView {
	return planView{db: b.tx, usage: b.usage, holder: b.tx.StmtContext(ctx, b.statements.holder)}
}

// finish writes what is written once for all, events and audit records numbered on from the last.
func (b *batch) finish(ctx context.Context, last, lastAudit int64) error {
	if err := b.writeRuns(ctx); err != nil {
		return err
	}
	if err := b.writeHistory(ctx); err != nil {
		return err
	}
	for _, row := range b.used {
		if err := b.statements.workspaces.write(ctx, b.tx, []workspaceRow{*row}); err != nil {
			return fmt.Errorf("write the workspace's usage: %w", err)
		}
	}
	for i := range b.events {
		last++
		b.events[i].Seq = last
	}
	if err := b.statements.events.write(ctx, b.tx, b.events); err != nil {
		return fmt.Errorf("record events: %w", err)
	}
	lastAudit, err := b.writeAudit(ctx, lastAudit)
	if err != nil {
		return err
	}
	if _, err := b.tx.StmtContext(ctx, b.statements.keepNumbers).ExecContext(ctx, last, lastAudit); err != nil {
		return fmt.Errorf("keep numbers: %w", err)
	}
	return nil
}

// writeRuns records the runs. One may be here twice, as begun and as ended: the later one holds.
func (b *batch) writeRuns(ctx context.Context) error {
	seen := map[string]bool{}
	var rows []runRow
	for _, row := range slices.Backward(b.runs) {
		if !seen[row.ID] {
			seen[row.ID] = true
			rows = append(rows, row)
		}
	}
	if err := b.statements.runs.write(ctx, b.tx, rows); err != nil {
		return fmt.Errorf("record runs: %w", err)
	}
	return nil
}

func (b *batch) writeHistory(ctx context.Context) error {
	err := inChunks(b.history, func(chunk []stateChangeRow) error {
		_, err := b.tx.NewInsert().Model(&chunk).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("write state changes: %w", err)
	}
	b.history = nil
	return nil
}
