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
	tx  bun.Tx
	seq int64 // the number of the commit at work
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
	b := &batch{tx: tx, records: lazy, used: map[string]*workspaceRow{}}
	var events int64
	grow := int64(len(jobs) + len(lazy.runs))
	if err := tx.NewRaw("UPDATE counters SET runs = runs + ? WHERE id = 1 RETURNING runs, events", grow).Scan(ctx, &b.seq, &events); err != nil {
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
	if err = b.finish(ctx, events); err != nil {
		return nil, err
	}
	w.faults("meta.written")
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
	row, err := loadUsage(ctx, b.tx, workspace)
	if err == nil {
		b.used[workspace] = row
	}
	return row, err
}

// finish writes what is written once for all, the events numbered on from last.
func (b *batch) finish(ctx context.Context, last int64) error {
	if err := b.writeRuns(ctx); err != nil {
		return err
	}
	if err := b.writeHistory(ctx); err != nil {
		return err
	}
	for _, row := range b.used {
		_, err := b.tx.NewInsert().Model(row).On("CONFLICT (workspace) DO UPDATE").
			Set("file_bytes = EXCLUDED.file_bytes").Set("state_bytes = EXCLUDED.state_bytes").
			Set("history_bytes = EXCLUDED.history_bytes").Set("history_from = EXCLUDED.history_from").Exec(ctx)
		if err != nil {
			return fmt.Errorf("write the workspace's usage: %w", err)
		}
	}
	for i := range b.events {
		last++
		b.events[i].Seq = last
	}
	err := inChunks(b.events, func(chunk []eventRow) error {
		_, err := b.tx.NewInsert().Model(&chunk).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("record events: %w", err)
	}
	if _, err := b.tx.NewRaw("UPDATE counters SET events = ? WHERE id = 1", last).Exec(ctx); err != nil {
		return fmt.Errorf("keep numbers: %w", err)
	}
	return nil
}

// writeRuns records the runs. One may be here twice, as begun and as ended, and one
// statement cannot write a row twice: the later one holds.
func (b *batch) writeRuns(ctx context.Context) error {
	seen := map[string]bool{}
	var rows []runRow
	for _, row := range slices.Backward(b.runs) {
		if !seen[row.ID] {
			seen[row.ID] = true
			rows = append(rows, row)
		}
	}
	err := inChunks(rows, func(chunk []runRow) error {
		_, err := b.tx.NewInsert().Model(&chunk).On("CONFLICT (id) DO UPDATE").
			Set("status = EXCLUDED.status").Set("error_code = EXCLUDED.error_code").Set("error = EXCLUDED.error").
			Set("receipt = EXCLUDED.receipt").Set("result_bytes = EXCLUDED.result_bytes").Set("finished_on = EXCLUDED.finished_on").
			Set("seq = EXCLUDED.seq").Set("db_changed = EXCLUDED.db_changed").Set("db_changeset = EXCLUDED.db_changeset").
			Set("db_reason = EXCLUDED.db_reason").Exec(ctx)
		return err
	})
	if err != nil {
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
