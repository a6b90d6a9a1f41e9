package agentdb

import (
	"context"
	"encoding/json"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// The methods of a DB as they cross a connection: the name, and JSON both ways.
const (
	methodBegin    = "begin"
	methodQuery    = "query"
	methodSchema   = "schema"
	methodPrepare  = "prepare"
	methodCommit   = "commit"
	methodRollback = "rollback"
	methodMarkers  = "markers"
	methodClear    = "clear"
	methodUndo     = "undo"
)

type commitRequest struct {
	Run  string `json:"run"`
	Redo []byte `json:"redo"`
}

type clearRequest struct {
	Runs []string `json:"runs"`
}

type undoRequest struct {
	Changeset []byte `json:"changeset"`
	Force     bool   `json:"force,omitempty"`
}

// Serve calls the named method of db with its JSON request and gives what is to be sent
// back as JSON, nil for a method that answers nothing. It is the other end of a Client.
// Requests may come concurrently; the database takes them in turn.
func Serve(ctx context.Context, db *DB, method string, payload json.RawMessage) (any, error) {
	switch method {
	case methodBegin:
		l, err := decode[limits.Limits](payload)
		if err != nil {
			return nil, err
		}
		return nil, db.BeginWithin(ctx, l)
	case methodQuery:
		query, err := decode[host.Query](payload)
		if err != nil {
			return nil, err
		}
		return answer(db.Query(ctx, query))
	case methodSchema:
		return answer(db.Schema(ctx))
	case methodPrepare:
		return answer(db.Prepare(ctx))
	case methodCommit:
		request, err := decode[commitRequest](payload)
		if err != nil {
			return nil, err
		}
		return nil, db.Commit(ctx, request.Run, request.Redo)
	case methodRollback:
		return nil, db.Rollback(ctx)
	case methodMarkers:
		return answer(db.Markers(ctx))
	case methodClear:
		request, err := decode[clearRequest](payload)
		if err != nil {
			return nil, err
		}
		return nil, db.Clear(ctx, request.Runs)
	case methodUndo:
		request, err := decode[undoRequest](payload)
		if err != nil {
			return nil, err
		}
		return nil, db.takeBack(ctx, request.Changeset, request.Force)
	}
	return nil, problem.New(problem.Internal, "the database knows no method %q", method)
}

func decode[T any](payload json.RawMessage) (T, error) {
	var request T
	if err := json.Unmarshal(payload, &request); err != nil {
		return request, problem.New(problem.Internal, "the database got a request it cannot read").WithCause(err)
	}
	return request, nil
}

// answer keeps a typed nil from becoming a non-nil answer beside an error.
func answer[T any](value T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return value, nil
}

// Client has a DB's methods, for a DB that Serve answers for elsewhere.
type Client struct {
	// Call sends a method with in as JSON (nil is no payload) and decodes the answer into
	// out (nil for none). What comes back as an error should be the *problem.Error that
	// Serve gave. Ending ctx should cancel the context that Serve got.
	Call func(ctx context.Context, method string, in, out any) error
}

// Begin is DB.Begin.
func (c *Client) Begin(ctx context.Context) error { return c.BeginWithin(ctx, limits.Limits{}) }

// BeginWithin is DB.BeginWithin.
func (c *Client) BeginWithin(ctx context.Context, l limits.Limits) error {
	return c.Call(ctx, methodBegin, l, nil)
}

// Query is DB.Query.
func (c *Client) Query(ctx context.Context, query host.Query) (*host.QueryResult, error) {
	result := new(host.QueryResult)
	if err := c.Call(ctx, methodQuery, query, result); err != nil {
		return nil, err
	}
	return result, nil
}

// Schema is DB.Schema.
func (c *Client) Schema(ctx context.Context) (tables []host.Table, err error) {
	err = c.Call(ctx, methodSchema, nil, &tables)
	return tables, err
}

// Prepare is DB.Prepare.
func (c *Client) Prepare(ctx context.Context) (prepared Prepared, err error) {
	err = c.Call(ctx, methodPrepare, nil, &prepared)
	return prepared, err
}

// Commit is DB.Commit.
func (c *Client) Commit(ctx context.Context, runID string, redo []byte) error {
	return c.Call(ctx, methodCommit, commitRequest{Run: runID, Redo: redo}, nil)
}

// Rollback is DB.Rollback.
func (c *Client) Rollback(ctx context.Context) error { return c.Call(ctx, methodRollback, nil, nil) }

// Markers is DB.Markers.
func (c *Client) Markers(ctx context.Context) (markers []Marker, err error) {
	err = c.Call(ctx, methodMarkers, nil, &markers)
	return markers, err
}

// Clear is DB.Clear.
func (c *Client) Clear(ctx context.Context, runIDs []string) error {
	return c.Call(ctx, methodClear, clearRequest{Runs: runIDs}, nil)
}

// Undo is DB.Undo.
func (c *Client) Undo(ctx context.Context, changeset []byte) error {
	return c.Call(ctx, methodUndo, undoRequest{Changeset: changeset}, nil)
}

// UndoForced is DB.UndoForced.
func (c *Client) UndoForced(ctx context.Context, changeset []byte) error {
	return c.Call(ctx, methodUndo, undoRequest{Changeset: changeset, Force: true}, nil)
}
