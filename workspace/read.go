package workspace

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// Files lists a workspace's files outside of any run; see host.Host.List.
func (s *Store) Files(ctx context.Context, workspace, pattern string) ([]host.File, error) {
	r, err := s.view(ctx, workspace)
	if err != nil {
		return nil, err
	}
	return r.List(ctx, pattern)
}

// Stat gives a file outside of any run.
func (s *Store) Stat(ctx context.Context, workspace, ref string) (host.File, error) {
	r, err := s.view(ctx, workspace)
	if err != nil {
		return host.File{}, err
	}
	return r.Stat(ctx, ref)
}

// Open gives a file's bytes outside of any run; version 0 is the latest.
func (s *Store) Open(ctx context.Context, workspace, ref string, version int64) (*host.Opened, error) {
	r, err := s.view(ctx, workspace)
	if err != nil {
		return nil, err
	}
	return r.Open(ctx, ref, version)
}

// Versions lists a file's versions outside of any run, newest first; of deleted files too.
func (s *Store) Versions(ctx context.Context, workspace, ref string) ([]host.Version, error) {
	r, err := s.view(ctx, workspace)
	if err != nil {
		return nil, err
	}
	return r.Versions(ctx, ref)
}

// State gives a workspace's state: keys with a prefix and their JSON values.
func (s *Store) State(ctx context.Context, workspace, prefix string) (map[string]json.RawMessage, error) {
	if err := CheckWorkspace(workspace); err != nil {
		return nil, err
	}
	// In the order of bytes, so that those with the prefix are one behind the other.
	rows, err := s.meta.read.NewSelect().Model((*stateRow)(nil)).Column("key", "value").
		Where("s.workspace = ? AND s.key >= ?", workspace, prefix).Order("key").Rows(ctx)
	if err != nil {
		return nil, problem.From(fmt.Errorf("list state: %w", err))
	}
	defer rows.Close()
	state := map[string]json.RawMessage{}
	for rows.Next() {
		var key, value string
		if err := rows.Scan(&key, &value); err != nil {
			return nil, problem.From(fmt.Errorf("list state: %w", err))
		}
		if !strings.HasPrefix(key, prefix) {
			return state, nil
		}
		state[key] = json.RawMessage(value)
	}
	if err := rows.Err(); err != nil {
		return nil, problem.From(fmt.Errorf("list state: %w", err))
	}
	return state, nil
}

// StateValue gives the JSON value of one key of a workspace's state; null if there is none.
func (s *Store) StateValue(ctx context.Context, workspace, key string) (json.RawMessage, error) {
	if err := CheckWorkspace(workspace); err != nil {
		return nil, err
	}
	var value string
	err := s.meta.read.NewSelect().Model((*stateRow)(nil)).Column("value").Where("s.workspace = ? AND s.key = ?", workspace, key).Scan(ctx, &value)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return json.RawMessage("null"), nil
	case err != nil:
		return nil, problem.From(fmt.Errorf("read state: %w", err))
	}
	return json.RawMessage(value), nil
}

// Usage is what a workspace holds.
type Usage struct {
	Files int64 `json:"files"` // bytes of all versions, each content once
	State int64 `json:"state"`
	// How many, not bytes.
	FileCount    int64 `json:"file_count"`    // that are there
	VersionCount int64 `json:"version_count"` // of files, deleted ones too
}

// Usage tells what a workspace holds.
func (s *Store) Usage(ctx context.Context, workspace string) (Usage, error) {
	row, err := s.usage(ctx, workspace)
	if err != nil {
		return Usage{}, problem.From(err)
	}
	return Usage{Files: row.FileBytes, State: row.StateBytes, FileCount: row.Files, VersionCount: row.Versions}, nil
}

// Workspaces lists the workspaces that were used, ordered by name.
func (s *Store) Workspaces(ctx context.Context) ([]string, error) {
	if err := s.writer.flush(); err != nil {
		return nil, problem.From(err)
	}
	names := []string{}
	err := s.meta.read.NewRaw("SELECT workspace FROM runs UNION SELECT workspace FROM workspaces ORDER BY workspace").Scan(ctx, &names)
	if err != nil {
		return nil, problem.From(fmt.Errorf("list workspaces: %w", err))
	}
	return names, nil
}

// Record is what is kept of a run.
type Record struct {
	ID          string          `json:"id"`
	Workspace   string          `json:"workspace"`
	SessionID   string          `json:"session_id"`
	Kind        string          `json:"kind"`
	Name        string          `json:"name"`
	Tool        string          `json:"tool"`
	ScriptHash  string          `json:"script_hash"`
	Status      string          `json:"status"` // running, ok or failed
	Error       *problem.Error  `json:"error,omitempty"`
	Receipt     *limits.Receipt `json:"receipt,omitempty"` // nil while running, or if the daemon ended with it
	ResultBytes int64           `json:"result_bytes"`
	Result      json.RawMessage `json:"result,omitempty"` // only of one run, and only if it was kept
	StartedOn   string          `json:"started_on"`
	FinishedOn  string          `json:"finished_on"`
	Undoes      string          `json:"undoes"`    // the run that this one undid
	UndoneBy    string          `json:"undone_by"` // the run that undid this one
	// DB tells whether the run changed the agent's database and if that can be undone:
	// "unchanged", "undoable" or "not_undoable", with DBReason why not.
	DB       string `json:"db"`
	DBReason string `json:"db_reason,omitempty"`
}

func (row *runRow) record() Record {
	rec := Record{ID: row.ID, Workspace: row.Workspace, SessionID: row.SessionID, Kind: row.Kind, Name: row.Name, Tool: row.Tool,
		ScriptHash: row.ScriptHash, Status: row.Status, ResultBytes: row.ResultBytes, StartedOn: row.StartedOn, FinishedOn: row.FinishedOn,
		Undoes: row.Undoes, UndoneBy: row.UndoneBy, DB: "unchanged", DBReason: row.DBReason}
	if row.Error != "" {
		rec.Error = &problem.Error{}
		_ = json.Unmarshal([]byte(row.Error), rec.Error)
	}
	if row.Result != "" {
		rec.Result = json.RawMessage(row.Result)
	}
	if row.Receipt != "" {
		rec.Receipt = &limits.Receipt{}
		_ = json.Unmarshal([]byte(row.Receipt), rec.Receipt)
	}
	switch {
	case row.DBChangeset != "":
		rec.DB = "undoable"
	case row.DBChanged != 0:
		rec.DB = "not_undoable"
	}
	return rec
}

// RunByID gives the record of a run; not_found if there is none.
func (s *Store) RunByID(ctx context.Context, id string) (Record, error) {
	row, err := s.runRow(ctx, id)
	if err != nil {
		return Record{}, err
	}
	return row.record(), nil
}

func (s *Store) runRow(ctx context.Context, id string) (*runRow, error) {
	if err := s.writer.flush(); err != nil {
		return nil, problem.From(err)
	}
	var row runRow
	err := s.meta.read.NewSelect().Model(&row).Where("r.id = ?", id).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, noRun(id)
	}
	if err != nil {
		return nil, problem.From(fmt.Errorf("read a run: %w", err))
	}
	return &row, nil
}

func noRun(id string) error {
	return problem.New(problem.NotFound, "there is no run %q", cut(id, 100)).WithHint("The list of runs has their ids.")
}

func (s *Store) runKnown(ctx context.Context, id string) (bool, error) {
	known, err := s.meta.read.NewSelect().Model((*runRow)(nil)).Where("r.id = ?", id).Exists(ctx)
	if err != nil {
		return false, problem.From(fmt.Errorf("read a run: %w", err))
	}
	return known, nil
}

// RunQuery chooses runs.
type RunQuery struct {
	Limit  int    // Defaults to 100, at most 1,000.
	Before string // only runs that began before this one, by its id: the way to page
}

// Runs lists a workspace's runs, the newest first.
func (s *Store) Runs(ctx context.Context, workspace string, q RunQuery) ([]Record, error) {
	if err := CheckWorkspace(workspace); err != nil {
		return nil, err
	}
	if q.Limit <= 0 {
		q.Limit = 100
	}
	query := s.meta.read.NewSelect().Model((*runRow)(nil)).ExcludeColumn("result").Where("r.workspace = ?", workspace).
		Order("started_on DESC", "id DESC").Limit(int64(min(q.Limit, 1000)))
	if q.Before != "" {
		before, err := s.runRow(ctx, q.Before)
		if err == nil && before.Workspace != workspace {
			err = noRun(q.Before)
		}
		if err != nil {
			return nil, err
		}
		query = query.Where("(r.started_on, r.id) < (?, ?)", before.StartedOn, before.ID)
	} else if err := s.writer.flush(); err != nil {
		return nil, problem.From(err)
	}
	var rows []runRow
	if err := query.Scan(ctx, &rows); err != nil {
		return nil, problem.From(fmt.Errorf("list runs: %w", err))
	}
	records := make([]Record, len(rows))
	for i := range rows {
		records[i] = rows[i].record()
	}
	return records, nil
}

var _ event.Source = (*Store)(nil)

// Events implements event.Source. It does not wait for lazy records: their wake comes.
func (s *Store) Events(ctx context.Context, f event.Filter, limit int) ([]event.Event, error) {
	query := s.meta.read.NewSelect().Model((*eventRow)(nil)).Where("e.seq > ?", f.After).Order("seq").Limit(int64(max(1, min(limit, 1000))))
	if f.Workspace != "" {
		query = query.Where("e.workspace = ?", f.Workspace)
	}
	if f.SessionID != "" {
		query = query.Where("e.session_id = ?", f.SessionID)
	}
	if f.RunID != "" {
		query = query.Where("e.run_id = ?", f.RunID)
	}
	if len(f.Types) > 0 {
		query = query.Where("e.type IN (?)", bun.List(f.Types))
	}
	var rows []eventRow
	if err := query.Scan(ctx, &rows); err != nil {
		return nil, problem.From(fmt.Errorf("read events: %w", err))
	}
	events := make([]event.Event, len(rows))
	for i, row := range rows {
		events[i] = event.Event{Seq: row.Seq, Workspace: row.Workspace, SessionID: row.SessionID, RunID: row.RunID, Type: row.Type,
			Payload: json.RawMessage(row.Payload), Time: row.CreatedOn}
	}
	return events, nil
}

// LastEvent implements event.Source.
func (s *Store) LastEvent(ctx context.Context) (last int64, err error) {
	if err := s.meta.read.NewRaw("SELECT events FROM counters WHERE id = 1").Scan(ctx, &last); err != nil {
		return 0, problem.From(fmt.Errorf("read the last event: %w", err))
	}
	return last, nil
}

// Place implements event.Source.
func (s *Store) Place(ctx context.Context, seq int64) (p event.Place, err error) {
	err = s.meta.read.NewRaw("SELECT COALESCE((SELECT MIN(seq) FROM events), c.events + 1) AS oldest, c.events AS last, "+
		"EXISTS (SELECT 1 FROM events WHERE seq IN (?, ?)) AS held FROM counters AS c WHERE c.id = 1", seq, seq+1).Scan(ctx, &p)
	if err != nil {
		return p, problem.From(fmt.Errorf("find a place in the events: %w", err))
	}
	return p, nil
}

// Follow follows the log of events; see event.Follow.
func (s *Store) Follow(f event.Filter) *event.Follower {
	return event.Follow(s, &s.events, f)
}
