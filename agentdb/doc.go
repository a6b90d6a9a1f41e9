// Package agentdb is the engine of the agent's database: one SQLite file per workspace,
// on which a run's SQL works inside one transaction that commits together with the rest of
// the run, or not at all.
//
// The text of the statements is hostile. It is held by an authorizer, by SQLite's own
// limits, by a progress handler that ends a statement within a millisecond of its deadline,
// by a cap on the database's pages, and by a file system shim that caps what a sort may
// spill. Functions inside SQLite do not yield, and memory is the process's: so a DB belongs
// in a process of its own that may be killed, which may write to Config.Dir and nowhere else.
//
// It speaks to modernc.org/sqlite/lib directly, because database/sql has no way to the
// authorizer, the progress handler, or sessions.
//
// Imports problem, limits and host. Start reading at DB; authorize.go says what a statement
// may touch, transaction.go how a run begins and ends, undo.go how one is taken back, and
// wire.go carries a DB's methods over a connection.
package agentdb
