package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sandboxd/sandboxd/audit"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// Undo says how a run is to be undone.
type Undo struct {
	// Force undoes it although later runs changed the same things; what they made of them
	// stays as versions.
	Force     bool
	SessionID string
	Who       audit.Who
}

// UndoResult says what was undone. Undoing is a run itself: it can be undone.
type UndoResult struct {
	RunID    string              `json:"run_id"` // of the undoing
	Files    []limits.FileChange `json:"files"`
	State    []string            `json:"state"`
	DB       string              `json:"db"`                  // "undone", "unchanged" or "not_undone"
	DBReason string              `json:"db_reason,omitempty"` // of not_undone
	Receipt  limits.Receipt      `json:"receipt"`
}

// What became of the agent's database in an undo.
const (
	DBUndone    = "undone"
	DBUnchanged = "unchanged"
	DBNotUndone = "not_undone"
)

// undoing is an undo at work.
type undoing struct {
	run      *Run
	of       *runRow
	force    bool
	inTheWay []string // what later runs changed, for people
	files    []string // the same: file ids
	keys     []string // the same: state keys
	result   UndoResult
}

// Undo takes back what a run changed, as a new run: files that it created are deleted, and
// those that it changed, renamed or deleted become what they were, as new versions; state
// keys get their old values; the agent's database gets its rows back where SQLite recorded
// them, else the result says why not. It is all or nothing: where a later run changed the
// same thing, the answer is conflict and names it, unless Force.
func (s *Store) Undo(ctx context.Context, workspace, runID string, how Undo) (UndoResult, error) {
	of, err := s.runRow(ctx, runID)
	if err != nil {
		return UndoResult{}, err
	}
	switch {
	case of.Workspace != workspace:
		return UndoResult{}, problem.New(problem.NotFound, "there is no run %q in this workspace", cut(runID, 100)).
			WithHint("The list of runs has their ids.")
	case of.Status == StatusRunning:
		return UndoResult{}, problem.New(problem.Conflict, "run %s is still going on", of.ID).WithHint("Wait for its end, or cancel it.")
	case of.Status == StatusFailed:
		return UndoResult{}, problem.New(problem.InvalidArgument, "run %s failed and changed nothing, so there is nothing to undo", of.ID).
			With("argument", "run")
	case of.UndoneBy != "" && !how.Force:
		return UndoResult{}, problem.New(problem.Conflict, "run %s was undone already, by run %s", of.ID, of.UndoneBy).
			WithHint("To have its changes back, undo run %s.", of.UndoneBy).With("undone_by", of.UndoneBy)
	}
	start := Start{Workspace: workspace, SessionID: how.SessionID, Kind: KindUndo, Name: "undo " + of.ID, Who: how.Who, undoes: of.ID}
	if !how.Force {
		start.OnConflict = ConflictFails
	}
	run, err := s.Begin(ctx, start)
	if err != nil {
		return UndoResult{}, err
	}
	u := &undoing{run: run, of: of, force: how.Force, result: UndoResult{RunID: run.ID(), DB: DBUnchanged}}
	if err := u.prepare(ctx); err != nil {
		fault := problem.From(err)
		_, _ = run.Abort(ctx, Finish{Error: fault})
		return UndoResult{}, fault
	}
	if run.undo, err = s.undoLinks(ctx, run.ID(), of); err != nil {
		_, _ = run.Abort(ctx, Finish{Error: problem.From(err)})
		return UndoResult{}, err
	}
	if u.result.Receipt, err = run.Commit(ctx, Finish{}); err != nil {
		return UndoResult{}, err
	}
	u.result.Files, u.result.State = u.result.Receipt.Files, u.result.Receipt.State
	return u.result, nil
}

// undoLinks says by which runs of, and those that it undid in its turn, are undone once by
// has undone it: what an undone undo had undone is in effect again.
func (s *Store) undoLinks(ctx context.Context, by string, of *runRow) (map[string]string, error) {
	links := map[string]string{of.ID: by}
	for inEffect := true; of.Undoes != ""; inEffect = !inEffect {
		before := of
		var err error
		if of, err = s.runRow(ctx, before.Undoes); err != nil {
			return nil, err
		}
		links[of.ID] = ""
		if !inEffect {
			links[of.ID] = before.ID
		}
	}
	return links, nil
}

// prepare puts the way back into the run's overlay, in the order in which it can be refused.
func (u *undoing) prepare(ctx context.Context) error {
	unlock, err := u.run.lock(ctx)
	if err != nil {
		return err
	}
	err = u.undoFiles(ctx)
	if err == nil {
		err = u.undoState(ctx)
	}
	unlock()
	if err != nil {
		return err
	}
	if len(u.inTheWay) > 0 && !u.force {
		return problem.New(problem.Conflict, "run %s cannot be undone, because later runs changed the same things: %s", u.of.ID, list(u.inTheWay)).
			WithHint("Undo the later runs first, or force it: what they made of files stays as versions.").
			With("files", u.files).With("state", u.keys)
	}
	return u.undoDB(ctx)
}

// list joins what is to be told, but not all of a hundred.
func list(items []string) string {
	const most = 10
	if len(items) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(items[:most], ", "), len(items)-most)
	}
	return strings.Join(items, ", ")
}

// errForgotten is for a file that was deleted so long ago that it has gone for good, in the
// moment in which somebody wanted it back.
func errForgotten(name string) error {
	return problem.New(problem.Conflict, "the file %q was deleted long ago and is no longer kept", name)
}

func (u *undoing) blocked(what, byRun string) {
	if byRun != "" {
		what += " (run " + byRun + ")"
	}
	u.inTheWay = append(u.inTheWay, what)
}

// undoFiles gives each file that the run changed the shape that it had before. First all
// of them let go of their names, because a run may have passed names round.
func (u *undoing) undoFiles(ctx context.Context) error {
	s := u.run.store
	var versions []versionRow
	err := s.meta.read.NewSelect().Model(&versions).Where("v.run_id = ? AND v.workspace = ?", u.of.ID, u.of.Workspace).Order("name", "file_id").Scan(ctx)
	if err != nil {
		return fmt.Errorf("read the run's versions: %w", err)
	}
	if rec := u.of.record(); rec.Receipt != nil && len(versions) < len(rec.Receipt.Files) {
		return problem.New(problem.Conflict, "run %s cannot be undone: versions that it made of files are no longer kept", u.of.ID).
			WithHint("Restore what is left of its files one by one with files.restore.")
	}
	type step struct {
		e      *entry
		before *versionRow // nil: there was no file
	}
	var steps []step
	for i := range versions {
		v := &versions[i]
		e, err := u.run.byID(ctx, v.FileID)
		if err != nil {
			return err
		}
		if e == nil {
			return errForgotten(v.Name)
		}
		if changedSince(e, v) {
			later, err := s.versionRow(ctx, v.FileID, e.base.Version)
			if err != nil {
				return err
			}
			u.files = append(u.files, v.FileID)
			u.blocked(fmt.Sprintf("the file %q", e.file.Name), later.RunID)
		}
		before, err := s.versionRow(ctx, v.FileID, v.Version-1)
		if err != nil {
			return err
		}
		if before == nil && v.Version > 1 {
			return problem.New(problem.Conflict, "run %s cannot be undone: the version of %q before it is no longer kept", u.of.ID, v.Name)
		}
		steps = append(steps, step{e, before})
	}
	if len(u.inTheWay) > 0 && !u.force {
		return nil // nothing will come of it, but all reasons are to be told
	}
	for _, st := range steps {
		if !st.e.deleted {
			u.run.remove(st.e)
		}
	}
	for _, st := range steps {
		if st.before == nil || st.before.Action == actionDeleted {
			continue
		}
		if err := u.run.restore(ctx, st.e, st.before, st.before.Name, u.force); err != nil {
			if fault := problem.From(err); fault.Code == problem.Exists {
				u.files = append(u.files, st.e.file.ID)
				u.blocked(fmt.Sprintf("the name %q is taken by another file", st.before.Name), "")
				continue
			}
			return err
		}
	}
	return nil
}

// changedSince says whether a file is no longer what a version made of it. That later runs
// changed it and changed it back is no reason not to undo.
func changedSince(e *entry, v *versionRow) bool {
	if v.Action == actionDeleted || e.base.DeletedOn != "" {
		return (v.Action == actionDeleted) != (e.base.DeletedOn != "")
	}
	return e.base.Hash != v.Hash || e.base.Name != v.Name
}

// undoState gives each key that the run changed the value that it had before.
func (u *undoing) undoState(ctx context.Context) error {
	s := u.run.store
	var changes []stateChangeRow
	if err := s.meta.read.NewSelect().Model(&changes).Where("c.run_id = ?", u.of.ID).Order("key").Scan(ctx); err != nil {
		return fmt.Errorf("read the run's state changes: %w", err)
	}
	if err := u.checkHistory(ctx, len(changes)); err != nil {
		return err
	}
	for _, c := range changes {
		e, err := u.run.stateOf(ctx, c.Key)
		if err != nil {
			return err
		}
		if e.there != (c.After != nil) || e.there && e.value != *c.After {
			later, err := u.lastChange(ctx, c.Key)
			if err != nil {
				return err
			}
			u.keys = append(u.keys, c.Key)
			u.blocked(fmt.Sprintf("the state %q", c.Key), later)
			continue
		}
		u.setBack(e, c)
	}
	if u.force {
		for _, c := range changes {
			if slices.Contains(u.keys, c.Key) {
				u.setBack(u.run.state[c.Key], c)
			}
		}
	}
	return nil
}

func (u *undoing) setBack(e *stateEntry, c stateChangeRow) {
	e.written, e.there, e.value = true, c.Before != nil, ""
	if c.Before != nil {
		e.value = *c.Before
	}
}

// checkHistory notices that the run changed state so long ago that this is forgotten.
func (u *undoing) checkHistory(ctx context.Context, kept int) error {
	if kept > 0 {
		return nil
	}
	rec := u.of.record()
	if rec.Receipt == nil || len(rec.Receipt.State) == 0 {
		return nil
	}
	return problem.New(problem.Conflict, "run %s cannot be undone: what it did to the state %s is no longer kept", u.of.ID, list(rec.Receipt.State)).
		WithHint("Restore its files one by one with files.restore.")
}

func (u *undoing) lastChange(ctx context.Context, key string) (runID string, err error) {
	var ids []string
	err = u.run.store.meta.read.NewSelect().Model((*stateChangeRow)(nil)).Column("run_id").
		Where("c.workspace = ? AND c.key = ?", u.of.Workspace, key).Order("seq DESC").Limit(1).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return "", err
	}
	return ids[0], nil
}

// undoDB applies the inverse of the run's changeset in the undoing run's own transaction.
func (u *undoing) undoDB(ctx context.Context) error {
	if u.of.DBChanged == 0 {
		return nil
	}
	u.result.DB = DBNotUndone
	if u.of.DBChangeset == "" {
		if u.result.DBReason = u.of.DBReason; u.result.DBReason == "" {
			u.result.DBReason = "the run's changes of the database were not recorded"
		}
		return nil
	}
	changeset, err := u.run.store.readBlob(ctx, u.of.DBChangeset)
	if err != nil {
		return err
	}
	err = u.run.withDB(ctx, func(db AgentDB) error {
		if u.force {
			return db.UndoForced(ctx, changeset)
		}
		return db.Undo(ctx, changeset)
	})
	switch {
	case err == nil:
		u.result.DB = DBUndone
	case problem.CodeOf(err) == problem.Conflict && u.force:
		u.result.DBReason = problem.From(err).Message
	default:
		return err
	}
	return nil
}

// readBlob reads a content whole.
func (s *Store) readBlob(ctx context.Context, hash string) ([]byte, error) {
	var rows []blobRow
	if err := s.meta.read.NewSelect().Model(&rows).Where("b.hash = ?", hash).Scan(ctx); err != nil {
		return nil, fmt.Errorf("read content %s: %w", hash, err)
	}
	if len(rows) == 0 {
		return nil, errors.New("content " + hash + " is missing")
	}
	if rows[0].Data != nil {
		return rows[0].Data, nil
	}
	file, err := s.openContent(ctx, hash, rows[0].Size)
	if err != nil {
		return nil, fmt.Errorf("read content %s: %w", hash, err)
	}
	defer file.Close()
	data := make([]byte, rows[0].Size)
	if _, err := io.ReadFull(file, data); err != nil {
		return nil, fmt.Errorf("read content %s: %w", hash, err)
	}
	return data, nil
}
