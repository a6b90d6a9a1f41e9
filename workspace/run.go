package workspace

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/sandboxd/sandboxd/audit"
	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// Run is one run in one workspace: what it changes is in its overlay, seen by itself
// alone, until Commit. It is safe for concurrent use, and dead after Commit or Abort.
type Run struct {
	store  *Store
	space  *space
	start  Start
	limits limits.Limits
	began  time.Time
	row    runRow

	bytesRead    atomic.Int64
	bytesWritten atomic.Int64
	memory       atomic.Int64 // small contents held in memory

	mu       sync.Mutex
	ended    bool
	files    map[string]*entry // by id: every file that was looked at
	names    map[string]*entry // by name: those of them that are there
	formerly map[string]*entry // by names that the run took from them
	incoming int64             // bytes of blobs, each use counted
	state    map[string]*stateEntry
	setBytes int64 // keys and values written to state
	stages   map[int64]*stage
	staged   int64 // last stage's id
	read     []audit.File
	readMore int           // beyond audit.MostFiles
	copies   chan struct{} // places of contents that are being taken in
	usage    *workspaceRow

	log     runLog
	sql     agentTx
	life    context.Context // ends with Abort, and calls of the database with it
	cancel  context.CancelFunc
	started *records          // of the run's begin, once they are taken back
	undo    map[string]string // see change.Undone
}

var _ host.Host = (*Run)(nil)

// Begin starts a run. End it with Commit or Abort.
func (s *Store) Begin(ctx context.Context, start Start) (*Run, error) {
	if err := CheckWorkspace(start.Workspace); err != nil {
		return nil, err
	}
	if err := checkStart(&start); err != nil {
		return nil, err
	}
	sp := s.space(start.Workspace)
	if err := s.heal(ctx, sp); err != nil {
		return nil, err
	}
	if start.RunID != "" {
		if known, err := s.runKnown(ctx, start.RunID); err != nil {
			return nil, err
		} else if known {
			return nil, problem.New(problem.Exists, "there is a run %s already", start.RunID).With("run_id", start.RunID)
		}
	} else {
		id, err := uuid.NewV7() // ordered by time, which keeps the index small
		if err != nil {
			return nil, err
		}
		start.RunID = id.String()
	}
	r := s.newRun(sp, start)
	s.mu.Lock()
	switch {
	case s.closed:
		s.mu.Unlock()
		return nil, errClosed()
	case s.active[start.RunID] != nil:
		s.mu.Unlock()
		return nil, problem.New(problem.Exists, "there is a run %s already", start.RunID).With("run_id", start.RunID)
	}
	s.active[start.RunID] = r
	s.mu.Unlock()
	s.keepScript(start.ScriptHash, start.Source)
	s.writer.started(r.row.ID, records{runs: []runRow{r.row}, events: []eventRow{r.event(event.RunStarted, r.runPayload(nil))}})
	return r, nil
}

// view is a run that is never recorded, to look at a workspace from outside of runs.
func (s *Store) view(ctx context.Context, workspace string) (*Run, error) {
	if err := CheckWorkspace(workspace); err != nil {
		return nil, err
	}
	sp := s.space(workspace)
	_ = s.heal(ctx, sp) // if it cannot be healed now, what is there can still be read
	return s.newRun(sp, Start{Workspace: workspace}), nil
}

func (s *Store) newRun(sp *space, start Start) *Run {
	began := s.config.Now()
	life, cancel := context.WithCancel(context.Background())
	return &Run{store: s, life: life, cancel: cancel, space: sp, start: start, limits: start.Limits.Or(s.config.Limits), began: began,
		row: runRow{ID: start.RunID, Workspace: start.Workspace, SessionID: start.SessionID, Kind: start.Kind, Name: start.Name,
			Tool: start.Tool, ScriptHash: start.ScriptHash, Status: StatusRunning, StartedOn: began.UTC().Format(timeFormat), Undoes: start.undoes,
			TokenID: start.Who.TokenID, Caller: start.Who.Name, Via: start.Who.Via},
		files: map[string]*entry{}, names: map[string]*entry{}, formerly: map[string]*entry{}, state: map[string]*stateEntry{}, stages: map[int64]*stage{},
		copies: make(chan struct{}, copiesAtOnce)}
}

func checkStart(start *Start) error {
	if start.Kind == "" {
		start.Kind = KindScript
	}
	if start.OnConflict != "" && start.OnConflict != ConflictFails {
		return problem.New(problem.InvalidArgument, "onConflict: expected \"fail\" or nothing, got %q", cut(start.OnConflict, 100)).
			With("argument", "onConflict")
	}
	for name, text := range map[string]*string{"runId": &start.RunID, "session": &start.SessionID, "kind": &start.Kind, "name": &start.Name,
		"tool": &start.Tool, "scriptHash": &start.ScriptHash, "caller": &start.Who.Name, "address": &start.Who.Address, "requestId": &start.Who.RequestID} {
		if len(*text) > 1000 || strings.ContainsRune(*text, 0) {
			return problem.New(problem.InvalidArgument, "%s: expected at most 1000 bytes without NUL", name).With("argument", name)
		}
		*text = strings.ToValidUTF8(*text, "\uFFFD")
	}
	return nil
}

// ID is the run's id.
func (r *Run) ID() string { return r.row.ID }

// Workspace is the name of the run's workspace.
func (r *Run) Workspace() string { return r.row.Workspace }

// Limits are the limits that the run is under.
func (r *Run) Limits() limits.Limits { return r.limits }

// end closes the overlay to the worker, once. Calls that are under way have finished when
// it returns; later ones answer that the run has ended.
func (r *Run) end() error {
	r.closeLog() // before anybody takes back the event of the run's begin
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return errEnded()
	}
	r.ended = true
	return nil
}

func errEnded() error { return problem.New(problem.Canceled, "the run has ended") }

// lock takes the overlay for a call of the worker.
func (r *Run) lock(ctx context.Context) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, problem.From(err)
	}
	r.mu.Lock()
	// Others had the lock meanwhile: of hundreds of calls that waited, none begins to work
	// once the run is to end.
	switch err := ctx.Err(); {
	case r.ended:
		r.mu.Unlock()
		return nil, errEnded()
	case err != nil:
		r.mu.Unlock()
		return nil, problem.From(err)
	}
	return r.mu.Unlock, nil
}

// release lets go of all that the run holds outside of memory.
func (r *Run) release() {
	r.cancel()
	r.mu.Lock()
	for id, st := range r.stages {
		st.close()
		delete(r.stages, id)
	}
	for _, e := range r.files {
		e.blob.release()
		e.blob = nil
	}
	r.mu.Unlock()
	r.store.mu.Lock()
	delete(r.store.active, r.row.ID)
	r.store.mu.Unlock()
}

// Abort ends the run, changes nothing and records why.
func (r *Run) Abort(ctx context.Context, f Finish) (limits.Receipt, error) {
	if err := r.end(); err != nil {
		return f.Receipt, err
	}
	defer r.release()
	r.cancel() // whoever waits for the database stops waiting
	r.sql.abandon(context.WithoutCancel(ctx))
	return r.fail(f), nil
}

// fail records a run that changed nothing.
func (r *Run) fail(f Finish) limits.Receipt {
	if f.Error == nil {
		f.Error = problem.New(problem.Canceled, "the run was given up")
	}
	receipt := r.receipt(f)
	row := r.finished(f, receipt)
	r.recordQuietly(row, &receipt)
	return receipt
}

// recordQuietly records a run on which nothing depends, in company with others.
func (r *Run) recordQuietly(row runRow, receipt *limits.Receipt) {
	events := append(r.startEvents(), r.lastLines()...)
	r.store.writer.later(records{runs: []runRow{row}, events: append(events, r.event(event.RunFinished, r.runPayload(&row))),
		audit: []auditRow{r.audited(&row, receipt)}})
	r.store.keepScript(r.start.ScriptHash, r.start.Source)
}

// startEvents takes back the event of the run's begin if it is not written yet, so that it
// is written with the end. It answers the same every time.
func (r *Run) startEvents() []eventRow {
	if r.started == nil {
		taken := r.store.writer.takeStart(r.row.ID)
		r.started = &taken
	}
	return slices.Clone(r.started.events)
}

// receipt completes what the caller knows by what the store measured.
func (r *Run) receipt(f Finish) limits.Receipt {
	receipt := f.Receipt
	receipt.RunID = r.row.ID
	receipt.BytesRead = r.bytesRead.Load()
	receipt.BytesWritten = r.bytesWritten.Load()
	if receipt.WallTime == 0 {
		receipt.WallTime = r.store.since(r.began)
	}
	receipt.Files, receipt.State, receipt.Conflicts, receipt.DBChanges = []limits.FileChange{}, []string{}, []limits.FileConflict{}, 0
	if receipt.Calls == nil {
		receipt.Calls = map[string]int{}
	}
	return receipt
}

// finished is the run's row at its end.
func (r *Run) finished(f Finish, receipt limits.Receipt) runRow {
	row := r.row
	row.Status = StatusOK
	if f.Error != nil {
		row.Status, row.ErrorCode, row.Error = StatusFailed, string(f.Error.Code), jsonText(f.Error)
	}
	row.Receipt = jsonText(receipt)
	row.ResultBytes = int64(len(f.Result))
	if row.Status == StatusOK && r.start.KeepResult {
		row.Result = string(f.Result)
	}
	row.FinishedOn = r.store.now()
	return row
}

func (r *Run) event(kind string, payload any) eventRow {
	return eventRow{Workspace: r.row.Workspace, SessionID: r.row.SessionID, RunID: r.row.ID, Type: kind, Payload: jsonText(payload), CreatedOn: r.store.now()}
}

// runPayload is the payload of a run's events; ended is nil at its start.
func (r *Run) runPayload(ended *runRow) event.Run {
	p := event.Run{ID: r.row.ID, Kind: r.row.Kind, Name: r.row.Name}
	if ended != nil {
		ok := ended.Status == StatusOK
		p.OK, p.Code = &ok, ended.ErrorCode
	}
	return p
}

// jsonText encodes what is known to encode. Invalid UTF-8 becomes U+FFFD on the way.
func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("workspace: " + err.Error()) // only plain structs come here
	}
	return string(text)
}
