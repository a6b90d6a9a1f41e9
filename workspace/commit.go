package workspace

import (
	"context"
	"errors"
	"fmt"

	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// How a run commits.
//
// Without writes to the agent's database there is one store: large contents are published
// to files/, where nobody looks for them yet, and one transaction of the metadata makes
// everything visible: files, versions, state, events and the run's record. It is committed
// when the contents are durable, for which the disk has the time that its statements take.
//
// With them there are two stores, and no commit spans two SQLite files (one COMMIT over
// ATTACH in WAL mode tore in 92 of 250 kills). So the metadata's part is planned to the
// last row, under a gate that keeps other commits of the workspace out, and is stored as a
// redo record in the agent's own transaction. That transaction's COMMIT is the commit
// point: before it, nothing happened; after it, the redo record is applied, now or at the
// next start, where applying it twice is noticed by the run's record.

// maxInlineRedo bounds the contents that ride in a redo record; the rest become files.
const maxInlineRedo = 256 << 10

// historyShare is how much of the past of state is kept, in shares of its limit.
const historyShare = 4

// Commit ends the run and makes all its changes visible at once, or none: an error means
// that nothing was committed and that the run is recorded as failed with that error,
// unless the error's detail "committed" says otherwise. The receipt is complete either way.
func (r *Run) Commit(ctx context.Context, f Finish) (limits.Receipt, error) {
	if err := r.end(); err != nil {
		return f.Receipt, err
	}
	defer r.release()
	// From here the run ends by itself; who started it may go away.
	ctx = context.WithoutCancel(ctx)
	f.Error = nil
	receipt, err := r.commit(ctx, f)
	if err == nil {
		r.store.keepScript(r.start.ScriptHash, r.start.Source)
		return receipt, nil
	}
	r.release() // before the turn goes on: who heals the workspace must find this run ended
	r.sql.abandon(ctx)
	f.Error = problem.From(err)
	var open *undecided
	if errors.As(err, &open) {
		return receipt, f.Error // recovery writes the record
	}
	if f.Error.Details["committed"] != nil { // the word of the database's worker, which is not to say so
		f.Error = problem.New(f.Error.Code, "%s", f.Error.Message).WithCause(err)
	}
	return r.fail(f), f.Error
}

// undecided is an error of a commit that was made, or may have been.
type undecided struct{ problem *problem.Error }

func (u *undecided) Error() string { return u.problem.Error() }
func (u *undecided) Unwrap() error { return u.problem }

func (r *Run) commit(ctx context.Context, f Finish) (limits.Receipt, error) {
	receipt := r.receipt(f)
	prepared, err := r.sql.prepare(ctx)
	if err != nil {
		return receipt, err
	}
	if !prepared.Dirty {
		r.sql.abandon(ctx)
		if !r.changed() {
			r.recordQuietly(r.finished(f, receipt), &receipt)
			return receipt, nil
		}
		return r.commitMetadata(ctx, f)
	}
	return r.commitBoth(ctx, f, prepared)
}

// changed says whether the overlay holds anything to commit.
func (r *Run) changed() bool {
	for _, e := range r.files {
		if e.dirty() {
			return true
		}
	}
	for _, e := range r.state {
		if e.written {
			return true
		}
	}
	return r.undo != nil
}

// commitMetadata commits a run that left the agent's database alone.
func (r *Run) commitMetadata(ctx context.Context, f Finish) (limits.Receipt, error) {
	r.space.gate.RLock()
	defer r.space.gate.RUnlock()
	r.store.publishing.RLock()
	defer r.store.publishing.RUnlock()

	receipt := r.receipt(f)
	if err := r.space.fault(); err != nil {
		return receipt, err
	}
	if r.store.isClosed() {
		return receipt, errClosed()
	}
	started := r.startEvents()
	blobs, settle, err := r.publish(ctx, 0)
	if err == nil {
		var c *change
		err = r.store.writer.doOnce(settle, func(ctx context.Context, b *batch) (err error) {
			receipt = r.receipt(f)
			c, err = r.plan(ctx, b.planView(ctx), &receipt)
			return err
		}, func(ctx context.Context, b *batch) error {
			r.complete(c, f, receipt)
			c.Started = started
			if err := b.apply(ctx, c, historyShare*r.limits.StateBytes); err != nil {
				return err
			}
			r.store.config.Faults("meta.applied")
			return nil
		})
		_ = settle() // also when it was not waited for because the commit was refused
	}
	if err != nil {
		r.store.blobs.abandon(blobs)
	}
	return receipt, err
}

// complete writes the run's end into its change.
func (r *Run) complete(c *change, f Finish, receipt limits.Receipt) {
	c.Run = r.finished(f, receipt)
	c.Audit = []auditRow{r.audited(&c.Run, &receipt)}
	c.Undone = r.undo
	c.Events = append(append(r.lastLines(), c.Events...), r.event(event.RunFinished, r.runPayload(&c.Run)))
}

// publish makes the contents that the run brings durable, which settle waits for. Small
// ones stay in memory for the metadata, as long as they have no more than inline bytes
// together (0: no bound).
func (r *Run) publish(ctx context.Context, inline int64) (fresh []*blob, settle func() error, err error) {
	var large []*blob
	seen := map[string]bool{}
	var small int64
	for _, e := range r.files {
		b := e.blob
		if b == nil || e.deleted {
			continue
		}
		if b.path == "" && inline > 0 {
			if small += b.size; small > inline {
				if err := b.spill(r.store.tmpName()); err != nil {
					return nil, nil, err
				}
			}
		}
		if b.path != "" && !seen[b.hash] {
			seen[b.hash] = true
			large = append(large, b)
		}
	}
	// What is stored already, by whatever workspace, need not be written again. It cannot be
	// collected before this run's commit, which holds the lock that collecting takes.
	fresh = large[:0]
	for _, b := range large {
		var stored bool
		if err := r.store.meta.reads.filed.QueryRowContext(ctx, b.hash).Scan(&stored); err != nil {
			return nil, nil, fmt.Errorf("look for contents: %w", err)
		}
		if !stored {
			fresh = append(fresh, b)
		}
	}
	settle, err = r.store.blobs.publish(fresh)
	return fresh, settle, err
}

// commitBoth commits a run that wrote to the agent's database. It holds the workspace's
// turn since its first use of it.
func (r *Run) commitBoth(ctx context.Context, f Finish, prepared Prepared) (limits.Receipt, error) {
	r.space.gate.Lock()
	defer r.space.gate.Unlock()
	r.store.publishing.RLock()
	defer r.store.publishing.RUnlock()

	receipt := r.receipt(f)
	if r.store.isClosed() {
		return receipt, errClosed()
	}
	receipt.DBChanges = prepared.Changes
	blobs, settle, err := r.publish(ctx, maxInlineRedo)
	var c *change
	var redo []byte
	if err == nil {
		err = settle()
	}
	if err == nil {
		c, err = r.plan(ctx, r.store.planView(), &receipt)
	}
	if err == nil {
		var kept *blob
		if kept, err = r.keepChangeset(c, prepared); kept != nil {
			blobs = append(blobs, kept)
		}
	}
	if err == nil {
		r.complete(c, f, receipt)
		r.startEvents() // nobody else writes it from here on
		c.Started = []eventRow{r.event(event.RunStarted, r.runPayload(nil))}
		c.Started[0].CreatedOn = r.row.StartedOn
		var moved *blob
		if redo, moved, err = r.store.writeRedo(c); moved != nil {
			blobs = append(blobs, moved)
			defer r.store.blobs.abandon([]*blob{moved}) // of no use after this commit
		}
	}
	if err != nil {
		r.store.blobs.abandon(blobs)
		return receipt, err
	}
	r.space.commits.Add(1)
	r.store.config.Faults("agent.committing")
	if err := r.sql.db.Commit(ctx, r.row.ID, redo); err != nil {
		r.sql.lost()
		committed, cerr := r.store.committed(ctx, r.space, r.row.ID)
		if cerr != nil {
			r.store.fence(r.space, cerr)
			// Recovery takes it from here: it finds the marker, or a run that came to no end.
			r.store.writer.later(records{runs: []runRow{r.row}, events: c.Started})
			return receipt, errUnknown(r.row.ID, cerr)
		}
		if !committed {
			r.store.blobs.abandon(blobs)
			return receipt, fmt.Errorf("commit the agent's database: %w", err)
		}
	}
	r.store.config.Faults("agent.committed")
	if err := r.store.redo(c); err != nil {
		r.store.fence(r.space, err)
		return receipt, errBehind(r.row.ID, err)
	}
	r.sql.committed()
	return receipt, nil
}

// errUnknown is for a commit of which nobody can tell for now what became of it.
func errUnknown(runID string, cause error) error {
	return &undecided{problem.New(problem.Internal, "the connection to the database was lost during the commit of run %s; whether it was kept is not known yet", runID).
		WithHint("Look the run up in a moment, before you run it again.").With("committed", "unknown").WithCause(cause)}
}

// errBehind is for a run that is committed but cannot be seen yet.
func errBehind(runID string, cause error) error {
	return &undecided{problem.New(problem.Internal, "run %s is committed, but its changes could not be made visible yet", runID).
		WithHint("Do not run it again; its changes appear when the workspace is next used.").With("committed", "yes").WithCause(cause)}
}
