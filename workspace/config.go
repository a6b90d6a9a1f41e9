package workspace

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"time"

	"github.com/sandboxd/sandboxd/audit"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// Config says where a Store lives and what it works with.
type Config struct {
	// Dir is the data folder; it is made if it is missing. It holds sandboxd.db, files/,
	// db/ (left to the agent's databases), tmp/ and lock.
	Dir string
	// Limits bound every run that does not bring its own. Defaults to limits.Default().
	Limits limits.Limits
	// AgentDBs opens the agent's databases. Defaults to none: db.* answers engine_missing.
	AgentDBs AgentDBs
	// Fetcher downloads for files.download. Defaults to none: it answers engine_missing.
	Fetcher Fetcher
	// Log takes what an operator should know. Defaults to slog.Default().
	Log *slog.Logger
	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
	// Faults is called at the named steps of a commit and of recovery; tests end the
	// process in it. Defaults to nothing.
	Faults func(point string)
}

func (c Config) withDefaults() Config {
	c.Limits = c.Limits.Or(limits.Default())
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Faults == nil {
		c.Faults = func(string) {}
	}
	return c
}

// Kinds of run. Others may be used; these are the ones that the product has.
const (
	KindScript = "script"
	KindTool   = "tool"
	KindUpload = "upload"
	KindUndo   = "undo"
)

// ConflictFails makes a run fail with conflict if a file or state key that it wrote was
// changed by another run since its first look. Otherwise the last writer wins.
const ConflictFails = "fail"

// Start describes a run that begins.
type Start struct {
	RunID      string // Defaults to a new UUID. One that exists is refused with exists.
	Workspace  string // see CheckWorkspace
	SessionID  string
	Kind       string // Defaults to KindScript.
	Name       string // for people: the script's file name, the tool's title
	Tool       string // of KindTool: the tool's name
	ScriptHash string
	Source     string // of the script that ScriptHash names; it is kept for the audit
	Who        audit.Who
	OnConflict string // "" or ConflictFails
	KeepResult bool   // with the run's record
	// Limits of this run; zero fields are the store's.
	Limits limits.Limits
	// Log takes console lines as they come. It must not block. Defaults to dropping them:
	// the answer of a run carries them all anyway.
	Log func(host.LogLine)

	undoes string // the run that this one undoes
}

// Finish is what is known about a run at its end. Commit and Abort complete the receipt:
// run id, bytes, files, state, database changes and conflicts are filled in by them.
type Finish struct {
	Receipt limits.Receipt
	Result  json.RawMessage // of Commit
	Error   *problem.Error  // of Abort: why
}

// Fetcher downloads public addresses.
type Fetcher interface {
	// Fetch writes what url gives to dst, at most max bytes (file_too_large), and tells
	// what the answer called it.
	Fetch(ctx context.Context, url string, dst io.Writer, max int64) (Fetched, error)
}

// Fetched is what a download said about itself.
type Fetched struct {
	Name     string // from the answer or the address; any text, it is made a valid name
	MimeType string // as declared; believed where the bytes do not say otherwise
}
