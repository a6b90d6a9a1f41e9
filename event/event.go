// Package event is the durable log of what changed: its entries, and how to follow it.
//
// The log lives with the workspace's metadata, so an event is there if and only if the
// change that it tells of is. Its numbers rise in the order of commits without a later
// entry ever appearing below an earlier one, so whoever remembers the last number that it
// saw can go on from there, after any interruption. A Follower does that; the Notifier
// only wakes it. A Hub lets thousands follow at the price of one.
//
// Imports nothing of this module. Start reading at Hub.Follow.
package event

import (
	"context"
	"encoding/json"
	"slices"
)

// Types of event.
const (
	FileCreated  = "file:created"  // File
	FileModified = "file:modified" // File; also of a rename
	FileDeleted  = "file:deleted"  // File, with its id alone
	StateChange  = "state:change"  // State
	RunStarted   = "run:started"   // Run
	RunLog       = "run:log"       // Log; while the run goes on, and whatever becomes of it
	RunFinished  = "run:finished"  // Run
)

// Types lists them.
func Types() []string {
	return []string{FileCreated, FileModified, FileDeleted, StateChange, RunStarted, RunLog, RunFinished}
}

// Event is one entry of the log.
type Event struct {
	Seq       int64           `json:"seq"` // counts from 1, and never again to the same number; may have gaps
	Workspace string          `json:"workspace"`
	SessionID string          `json:"session_id"` // of the run that caused it
	RunID     string          `json:"run_id"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
	Time      string          `json:"time"` // ISO 8601 UTC
}

// File is the payload of the file events; each type fills what it has to say.
type File struct {
	ID              string  `json:"id"`
	Name            string  `json:"name,omitempty"`
	Size            *int64  `json:"size,omitempty"`
	MimeType        string  `json:"mime_type,omitempty"`         // created
	SourceSessionID *string `json:"source_session_id,omitempty"` // created
	ModifiedOn      string  `json:"modified_on,omitempty"`       // modified
}

// State is the payload of state:change: the keys that one run changed.
type State struct {
	Set     []string `json:"set"`
	Deleted []string `json:"deleted"`
}

// Run is the payload of the run events.
type Run struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	Name string `json:"name"`
	OK   *bool  `json:"ok,omitempty"`   // finished
	Code string `json:"code,omitempty"` // finished: the error's code
}

// Log is the payload of run:log: what a run wrote to its console, in order.
type Log struct {
	ID    string `json:"id"` // of the run
	Lines []Line `json:"lines"`
}

// Line is one line of console output.
type Line struct {
	Level  string  `json:"level"`
	Text   string  `json:"text"`
	TimeMs float64 `json:"time_ms"` // since the run began
}

// Filter chooses events. Zero fields let everything through.
type Filter struct {
	After     int64 // only events with a greater number
	Types     []string
	Workspace string
	SessionID string
	RunID     string
}

// passes tells whether an event is one of those chosen.
func (f *Filter) passes(e *Event) bool {
	return e.Seq > f.After && (f.Workspace == "" || e.Workspace == f.Workspace) && (f.SessionID == "" || e.SessionID == f.SessionID) &&
		(f.RunID == "" || e.RunID == f.RunID) && (len(f.Types) == 0 || slices.Contains(f.Types, e.Type))
}

// Source is where the log can be read.
type Source interface {
	// Events gives up to limit events that pass the filter, in order.
	Events(ctx context.Context, filter Filter, limit int) ([]Event, error)
	// LastEvent gives the greatest number so far, of whatever workspace; 0 if there is none.
	LastEvent(ctx context.Context) (int64, error)
	// Place tells what the log has around a number.
	Place(ctx context.Context, seq int64) (Place, error)
}
