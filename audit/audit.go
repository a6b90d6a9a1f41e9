// Package audit is the record of who did what: every run, tool call, upload, download,
// undo and change of access, with its outcome, and the source of every script by its hash.
//
// A record of something that changed the workspace is written in the same transaction as
// the change, so neither is there without the other, whatever ends the process. That is
// why its tables are the workspace's, and why this package holds only what a record is and
// how the caller comes to it. Records of what changed nothing, such as reads, downloads
// and runs that failed, wait up to 20 ms for company: an orderly stop writes them, a kill
// can lose those 20 ms.
//
// Imports access. Start reading at Record.
package audit

import (
	"context"

	"github.com/sandboxd/sandboxd/access"
)

// Actions beside the kinds of runs (script, tool, upload, delete, rename, restore, undo).
const (
	Download    = "download"
	Cancel      = "cancel"
	TokenCreate = "token_create"
	TokenRevoke = "token_revoke"
	Collect     = "gc"
	Backup      = "backup"
)

// Record is one thing that was done, or tried.
type Record struct {
	Seq        int64          `json:"seq"`  // rises in the order of commits, may have gaps
	Time       string         `json:"time"` // of its begin, ISO 8601 UTC
	Workspace  string         `json:"workspace"`
	SessionID  string         `json:"session_id"`
	Who        Who            `json:"who"`
	Action     string         `json:"action"`
	Name       string         `json:"name"`        // of the script, the tool, the file or the token
	RunID      string         `json:"run_id"`      // "" of what is no run
	ScriptHash string         `json:"script_hash"` // SHA-256 of its source
	Code       string         `json:"code"`        // "ok", or the code of its error
	Files      []File         `json:"files"`       // read and changed, at most MostFiles
	FilesMore  int            `json:"files_more"`  // how many more there were
	Calls      map[string]int `json:"calls"`       // by operation
	BytesIn    int64          `json:"bytes_in"`    // written to files
	BytesOut   int64          `json:"bytes_out"`   // read of files, or sent
	DurationMs float64        `json:"duration_ms"` // with the time in the queue
}

// OK is the Code of what succeeded.
const OK = "ok"

// File is a file that was read or changed.
type File struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Version int64  `json:"version"` // read, or made; 0 if deleted
	Action  string `json:"action"`  // read, created, modified, renamed, deleted or restored
}

// Read is the Action of a file that was read.
const Read = "read"

// MostFiles bounds the files that one record names.
const MostFiles = 100

// Who did it.
type Who struct {
	TokenID string `json:"token_id"` // "" is the operator's own token, or no token at all
	Name    string `json:"name"`     // of the token, or of the user at the command line
	Origin
}

// Origin is the way by which a request came.
type Origin struct {
	Via       string `json:"via"`        // http, mcp, cli or go
	Address   string `json:"address"`    // of the client, if it came over the network
	RequestID string `json:"request_id"` // as in the log
	User      string `json:"-"`          // at the command line
}

// Ways by which a request comes.
const (
	HTTP = "http"
	MCP  = "mcp"
	CLI  = "cli"
	Go   = "go" // a program that embeds the host
)

type originKey struct{}

// With remembers in a context where a request came from.
func With(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// From says who makes the request that a context belongs to.
func From(ctx context.Context) Who {
	o, ok := ctx.Value(originKey{}).(Origin)
	if !ok {
		o.Via = Go
	}
	w := Who{Name: o.User, Origin: o}
	if caller, ok := access.From(ctx); ok {
		w.TokenID, w.Name = caller.TokenID, caller.Name
	}
	return w
}

// Query chooses records. Zero fields let everything through.
type Query struct {
	Workspace string
	SessionID string
	Caller    string // a token's id, or the name of whoever did it
	Action    string
	Code      string // "ok", "failed" for all that did not succeed, or one code
	RunID     string
	File      string // id of a file that it read or changed
	Since     string // ISO 8601 UTC; those that began then or later
	Until     string // those that began before
	Before    int64  // only those with a lesser Seq: the way to page, newest first
	Oldest    bool   // first, instead of the newest
	After     int64  // only those with a greater Seq: the way to export, oldest first
	Limit     int    // Defaults to 100, at most 1,000.
}

// Failed as Query.Code is whatever did not succeed.
const Failed = "failed"
