package workspace

import (
	"context"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
)

// AgentDBs gives the agent's database of a workspace. It makes the database if there is
// none, and answers a live one again after the previous one was lost.
type AgentDBs interface {
	AgentDB(ctx context.Context, workspace string) (AgentDB, error)
}

// AgentDB is the second store of a run: the agent's SQL database of one workspace, with
// a hidden table of markers. The store calls it under the workspace's turn, so one
// caller at a time. Errors that a script may see are *problem.Error.
type AgentDB interface {
	// BeginWithin starts the run's transaction (immediately, so that it cannot fail later for
	// another writer) and the recording of its changes. What l says of SQL holds for the run.
	BeginWithin(ctx context.Context, l limits.Limits) error
	// Query runs one statement in the transaction.
	Query(ctx context.Context, query host.Query) (*host.QueryResult, error)
	// Schema lists the tables, the hidden one left out.
	Schema(ctx context.Context) ([]host.Table, error)
	// Prepare says what the transaction changed. Nothing can be changed after it.
	Prepare(ctx context.Context) (Prepared, error)
	// Commit deletes all older markers, writes the marker of runID with redo, and commits:
	// this is a run's commit point. When it answers an error, either the transaction is
	// rolled back or the process that held it has ended and been waited for, so that the
	// markers tell for good whether it was committed.
	Commit(ctx context.Context, runID string, redo []byte) error
	// Rollback ends the transaction, if one is open, without a trace.
	Rollback(ctx context.Context) error
	// Markers lists the markers; no transaction is open.
	Markers(ctx context.Context) ([]Marker, error)
	// Clear deletes markers in a transaction of its own.
	Clear(ctx context.Context, runIDs []string) error
	// Undo applies the inverse of a changeset inside the open transaction; conflict if rows
	// have changed since, and then the transaction is as it was.
	Undo(ctx context.Context, changeset []byte) error
	// UndoForced is Undo that lays the old rows over what has changed since.
	UndoForced(ctx context.Context, changeset []byte) error
	// Close says that this user is done. An open transaction is rolled back before.
	Close()
}

// Prepared is what a transaction is about to commit.
type Prepared struct {
	Dirty     bool   // something was written
	Changes   int64  // rows inserted, updated or deleted
	Changeset []byte // SQLite session changeset of the rows
	Undoable  bool   // Changeset holds all that was changed
	Reason    string // why it is not undoable, for people
}

// Marker is the proof in the agent's database that a run committed, with all that is
// needed to write the run into the metadata again.
type Marker struct {
	RunID string
	Redo  []byte
}
