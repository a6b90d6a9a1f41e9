package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/problem"
)

// fence keeps everybody out of a workspace whose metadata may be behind its agent's
// database, until the markers there have been looked at.
type fence struct {
	cause error
}

func (s *Store) fence(sp *space, cause error) {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	sp.fenced = &fence{cause: cause}
	s.fences.Add(1)
	s.config.Log.Error("workspace fenced: its metadata may be behind its database", "workspace", sp.name, "error", cause)
}

// fault is nil unless the workspace is fenced.
func (sp *space) fault() error {
	sp.mu.Lock()
	defer sp.mu.Unlock()
	if sp.fenced == nil {
		return nil
	}
	return problem.New(problem.Busy, "the workspace %q is being recovered", sp.name).WithCause(sp.fenced.cause)
}

// heal brings a fenced workspace up to date; it does nothing for any other.
func (s *Store) heal(ctx context.Context, sp *space) error {
	if sp.fault() == nil {
		return nil
	}
	if err := sp.turn.take(ctx); err != nil {
		return problem.From(err)
	}
	defer sp.turn.give()
	sp.gate.Lock()
	defer sp.gate.Unlock()
	fault := sp.fault()
	if fault == nil {
		return nil
	}
	if err := s.recoverSpace(ctx, sp.name); err != nil {
		s.config.Log.Error("workspace cannot be recovered yet", "workspace", sp.name, "error", err)
		return fault
	}
	if err := s.closeInterrupted(ctx, sp.name); err != nil {
		return fault
	}
	sp.mu.Lock()
	sp.fenced = nil
	sp.mu.Unlock()
	s.fences.Add(-1)
	s.config.Log.Info("workspace recovered", "workspace", sp.name)
	return nil
}

// recover makes whole what a crash left: the metadata of runs that committed in the
// agent's database, the records of runs that did not, and the files that nobody knows.
func (s *Store) recover(ctx context.Context) error {
	var open []agentOpenRow
	if err := s.meta.read.NewSelect().Model(&open).Scan(ctx); err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	for _, row := range open {
		if err := s.recoverSpace(ctx, row.Workspace); err != nil {
			if ctx.Err() != nil {
				return err
			}
			s.fence(s.space(row.Workspace), err)
		}
	}
	if err := s.closeInterrupted(ctx, ""); err != nil {
		return err
	}
	known := func(hashes []string) (map[string]bool, error) { return s.filedHashes(ctx, hashes) }
	if s.fences.Load() > 0 {
		known = nil // a redo record that could not be read may name any blob
	}
	removed, err := s.folder.sweep(known)
	if err != nil {
		return err
	}
	if removed > 0 {
		s.config.Log.Info("orphaned blobs removed", "count", removed)
	}
	s.config.Faults("recover.swept")
	return nil
}

// recoverSpace applies the redo records of a workspace and clears its markers.
func (s *Store) recoverSpace(ctx context.Context, workspace string) error {
	if s.config.AgentDBs == nil {
		return errors.New("its database was in use, and none is configured now")
	}
	db, err := s.config.AgentDBs.AgentDB(ctx, workspace)
	if err != nil {
		return err
	}
	defer db.Close()
	markers, err := db.Markers(ctx)
	if err != nil {
		return fmt.Errorf("read markers: %w", err)
	}
	var ids []string
	for _, m := range markers {
		c, err := s.readRedo(workspace, m)
		if err != nil {
			return fmt.Errorf("read the redo record of run %s: %w", m.RunID, err)
		}
		if err := s.redo(c); err != nil {
			return err
		}
		ids = append(ids, m.RunID)
		s.config.Faults("recover.redone")
	}
	if len(ids) > 0 {
		if err := db.Clear(ctx, ids); err != nil {
			return fmt.Errorf("clear markers: %w", err)
		}
	}
	s.config.Faults("recover.cleared")
	return s.writer.do(nil, func(ctx context.Context, b *batch) error {
		_, err := b.tx.NewDelete().Model((*agentOpenRow)(nil)).Where("workspace = ?", workspace).Exec(ctx)
		return err
	})
}

// redo applies a change that is committed in the agent's database, unless it is applied.
func (s *Store) redo(c *change) error {
	return s.writer.do(nil, func(ctx context.Context, b *batch) error {
		var found []string
		err := b.tx.NewSelect().Model((*runRow)(nil)).Column("status").Where("r.id = ?", c.Run.ID).Scan(ctx, &found)
		if err != nil {
			return err
		}
		apply := *c
		if len(found) > 0 {
			if found[0] != StatusRunning {
				return nil
			}
			apply.Started = nil // written with the row
		}
		if slices.ContainsFunc(b.runs, func(row runRow) bool { return row.ID == c.Run.ID }) {
			apply.Started = nil // on its way in this very batch
		}
		if err := b.apply(ctx, &apply, historyShare*s.config.Limits.StateBytes); err != nil {
			return err
		}
		s.config.Faults("redo.applied")
		return nil
	})
}

// committed tells whether a run's marker is in the agent's database, after a commit that
// nobody answered.
func (s *Store) committed(ctx context.Context, sp *space, runID string) (bool, error) {
	db, err := s.config.AgentDBs.AgentDB(ctx, sp.name)
	if err != nil {
		return false, err
	}
	defer db.Close()
	markers, err := db.Markers(ctx)
	if err != nil {
		return false, err
	}
	for _, m := range markers {
		if m.RunID == runID {
			return true, nil
		}
	}
	return false, nil
}

// openAgent records, once per life of the daemon, that a workspace's database is in use,
// before anything is written there. Markers of an earlier life are applied, or this one
// would not have begun, and go. The workspace's turn is held.
func (s *Store) openAgent(ctx context.Context, sp *space, db AgentDB) error {
	if sp.opened {
		return nil
	}
	err := s.writer.do(nil, func(ctx context.Context, b *batch) error {
		row := agentOpenRow{Workspace: sp.name, OpenedOn: s.now()}
		_, err := b.tx.NewInsert().Model(&row).On("CONFLICT (workspace) DO NOTHING").Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("record the database's use: %w", err)
	}
	s.config.Faults("agent.opened")
	markers, err := db.Markers(ctx)
	if err != nil {
		return fmt.Errorf("read markers: %w", err)
	}
	if len(markers) > 0 {
		ids := make([]string, len(markers))
		for i, m := range markers {
			ids[i] = m.RunID
		}
		if err := db.Clear(ctx, ids); err != nil {
			return fmt.Errorf("clear markers: %w", err)
		}
	}
	sp.opened = true
	return nil
}

// settleAgents forgets, at an orderly end, that agents' databases were in use: their
// markers are all applied, except in fenced workspaces.
func (s *Store) settleAgents() error {
	var names []string
	s.mu.Lock()
	for name, sp := range s.spaces {
		if sp.fault() == nil {
			names = append(names, name)
		}
	}
	s.mu.Unlock()
	if len(names) == 0 {
		return nil
	}
	return s.writer.do(nil, func(ctx context.Context, b *batch) error {
		return inChunks(names, func(chunk []string) error {
			_, err := b.tx.NewDelete().Model((*agentOpenRow)(nil)).Where("workspace IN (?)", bun.List(chunk)).Exec(ctx)
			return err
		})
	})
}

// closeInterrupted records runs that ended with the daemon, except those of fenced
// workspaces, which may turn out to be committed. A workspace limits it to that one.
func (s *Store) closeInterrupted(ctx context.Context, workspace string) error {
	return s.writer.do(nil, func(ctx context.Context, b *batch) error {
		query := b.tx.NewSelect().Model((*runRow)(nil)).Where("r.status = ?", StatusRunning)
		if workspace != "" {
			query = query.Where("r.workspace = ?", workspace)
		}
		var rows []runRow
		if err := query.Scan(ctx, &rows); err != nil {
			return fmt.Errorf("look for interrupted runs: %w", err)
		}
		for _, row := range rows {
			if s.isActive(row.ID) || workspace == "" && s.space(row.Workspace).fault() != nil {
				continue
			}
			row.Status = StatusFailed
			fault := problem.New(problem.WorkerLost, "sandboxd ended while the run was going on; nothing of it was kept")
			row.ErrorCode, row.Error, row.FinishedOn = string(fault.Code), jsonText(fault), s.now()
			row.Seq = b.seq
			no := false
			b.runs = append(b.runs, row)
			b.audit = append(b.audit, row.audit())
			b.events = append(b.events, eventRow{Workspace: row.Workspace, SessionID: row.SessionID, RunID: row.ID, Type: event.RunFinished,
				Payload: jsonText(event.Run{ID: row.ID, Kind: row.Kind, Name: row.Name, OK: &no, Code: row.ErrorCode}), CreatedOn: s.now()})
		}
		return nil
	})
}

func (s *Store) isActive(runID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active[runID] != nil
}

// filedHashes tells which contents the metadata knows to be in files/.
func (s *Store) filedHashes(ctx context.Context, hashes []string) (map[string]bool, error) {
	filed := map[string]bool{}
	err := inChunks(hashes, func(chunk []string) error {
		var found []string
		err := s.meta.read.NewSelect().Model((*blobRow)(nil)).Column("hash").
			Where("b.data IS NULL AND b.hash IN (?)", bun.List(chunk)).Scan(ctx, &found)
		for _, hash := range found {
			filed[hash] = true
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for contents: %w", err)
	}
	return filed, nil
}
