// Package workspace keeps what runs work on: files with their versions, blobs, state,
// the record of every run and the log of events. It makes runs atomic.
//
// A Store is one data folder. A Run is one run in one workspace of it: it implements
// host.Host over an overlay that nobody else sees, and ends in Commit, which makes
// everything visible at once, or in Abort, which changes nothing. A run that also
// writes to the agent's database has two stores to commit; how that is made one step
// is told in commit.go.
//
// The model and the migrations are plain SQL that SQLite and Postgres both take; what
// only SQLite needs is in sqlite.go. workspacetest.Exercise is what a store must do.
//
// Imports host, problem, limits and event, and never a format library or an engine.
// Start reading at Open, then Run, then Commit.
package workspace
