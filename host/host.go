// Package host is the boundary between a worker, which parses and has no authority,
// and the daemon, which has authority and parses nothing.
//
// Host is the whole of it. The daemon implements it once (workspace's run overlay);
// Client speaks to that implementation over frames from inside the worker, and Serve
// answers such a client. File bytes cross as descriptors, never in frames.
//
// Imports problem and limits. Both sides import host; host imports neither.
package host

import (
	"context"
	"encoding/json"
	"os"
)

// Host is what a run may ask of the daemon. It is bound to one run in one workspace,
// answers from that run's overlay, and is safe for concurrent use. Errors are
// *problem.Error. Wherever a ref is taken, a file's id or its name will do.
type Host interface {
	// List gives the files whose name matches a doublestar pattern ("" is all), ordered by name.
	List(ctx context.Context, pattern string) ([]File, error)
	// Stat gives one file; not_found if there is none.
	Stat(ctx context.Context, ref string) (File, error)
	// Open gives a file's bytes to read; version 0 is the latest. The caller closes Data.
	Open(ctx context.Context, ref string, version int64) (*Opened, error)
	// Stage gives an empty temporary file to write and read back. It takes up to the file
	// size limit (file_too_large comes from Put or the write) and vanishes with the run
	// unless it is handed to Create or Put. The caller closes it after that.
	Stage(ctx context.Context) (*Staged, error)
	// Create makes a new file; exists if the name is taken.
	Create(ctx context.Context, file NewFile) (File, error)
	// Put makes staged bytes a file's new content.
	Put(ctx context.Context, ref string, stage int64) (File, error)
	// Delete removes a file; not_found if there is none.
	Delete(ctx context.Context, ref string) (File, error)
	// Rename changes a file's name; exists if it is taken.
	Rename(ctx context.Context, ref, name string) (File, error)
	// Copy makes a new file with the same content, at no cost in space.
	Copy(ctx context.Context, ref, name string) (File, error)
	// Versions lists a file's versions, newest first; of deleted files too.
	Versions(ctx context.Context, ref string) ([]Version, error)
	// Restore makes an old version the newest one, also of a deleted file.
	Restore(ctx context.Context, ref string, version int64) (File, error)
	// Fetch downloads a public http or https address into a new file. An empty name is
	// taken from the answer or the address; a taken name becomes "name (2).ext".
	Fetch(ctx context.Context, url, name string) (File, error)

	// StateGet gives a key's JSON value, or nil if there is none.
	StateGet(ctx context.Context, key string) (json.RawMessage, error)
	// StateSet sets a key to a JSON value.
	StateSet(ctx context.Context, key string, value json.RawMessage) error
	// StateDelete removes a key and tells whether it was there.
	StateDelete(ctx context.Context, key string) (bool, error)
	// StateKeys lists keys with a prefix, ordered.
	StateKeys(ctx context.Context, prefix string) ([]string, error)

	// SQL runs one statement in the run's transaction of the agent's database.
	SQL(ctx context.Context, query Query) (*QueryResult, error)
	// Schema lists the tables of the agent's database.
	Schema(ctx context.Context) ([]Table, error)

	// Log hands on a console line while the run goes on; it never fails and never blocks.
	Log(line LogLine)
}

// File is a file's metadata. Times are ISO 8601 UTC with milliseconds.
type File struct {
	ID              string `json:"id"`
	Name            string `json:"name"`
	Size            int64  `json:"size"`
	MimeType        string `json:"mime_type"`
	Source          string `json:"source"` // upload, created or derived
	SourceSessionID string `json:"source_session_id"`
	CreatedOn       string `json:"created_on"`
	ModifiedOn      string `json:"modified_on"`
	Version         int64  `json:"version"` // counts from 1
	Hash            string `json:"hash"`    // SHA-256 of the content, hex
}

// Version is one kept version of a file.
type Version struct {
	Version    int64  `json:"version"`
	Name       string `json:"name"`
	Size       int64  `json:"size"`
	MimeType   string `json:"mime_type"`
	Hash       string `json:"hash"`
	Action     string `json:"action"` // created, modified, renamed, deleted or restored
	RunID      string `json:"run_id"`
	ModifiedOn string `json:"modified_on"`
}

// Opened is a file open for reading at any offset.
type Opened struct {
	File File
	Data *os.File // read-only; its offset is not to be relied on, use ReadAt
}

// Staged is a temporary file on its way to becoming a file's content.
type Staged struct {
	ID   int64
	Data *os.File // readable and writable
}

// Sources of a file, as the agent_files table has them.
const (
	SourceUpload  = "upload"
	SourceCreated = "created"
	SourceDerived = "derived"
)

// NewFile is a file to be created.
type NewFile struct {
	Name     string `json:"name"`
	MimeType string `json:"mime_type,omitempty"` // "" is detected from the bytes and the name
	Source   string `json:"source,omitempty"`    // "" is created
	Stage    int64  `json:"stage,omitempty"`     // 0 is empty
	// Unique turns a taken name into "name (2).ext" instead of failing with exists.
	Unique bool `json:"unique,omitempty"`
}

// Query is one SQL statement with its parameters, plain JSON values: null, bool,
// json.Number or float64 or int64, string. Named parameters come in Named.
type Query struct {
	SQL    string         `json:"sql"`
	Params []any          `json:"params,omitempty"`
	Named  map[string]any `json:"named,omitempty"`
}

// QueryResult is what a statement answered. Columns is nil for one that returns no rows.
// Cells are nil, bool, int64, float64, string, or Blob.
type QueryResult struct {
	Columns      []string `json:"columns,omitempty"`
	Rows         [][]any  `json:"rows,omitempty"`
	Truncated    bool     `json:"truncated,omitempty"`
	Changes      int64    `json:"changes"`
	LastInsertID int64    `json:"last_insert_rowid"`
}

// Blob is a cell that holds bytes.
type Blob struct {
	Base64 string `json:"base64"`
}

// Table is a table or view of the agent's database.
type Table struct {
	Name     string   `json:"name"`
	Columns  []Column `json:"columns"`
	RowCount int64    `json:"row_count"`
}

// Column is a column of a Table.
type Column struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	NotNull bool   `json:"notnull"`
	PK      bool   `json:"pk"`
}

// LogLine is one line of console output.
type LogLine struct {
	Level  string  `json:"level"` // log, info, warn, error or debug
	Text   string  `json:"text"`
	TimeMs float64 `json:"time_ms"` // since the run began
}
