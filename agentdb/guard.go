package agentdb

import (
	"sync"
	"sync/atomic"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/sandboxd/sandboxd/problem"
)

// guard is what SQLite's callbacks know of a connection. Apart from stop's content it is
// used only by the goroutine that is inside SQLite.
type guard struct {
	id  uintptr // what C carries instead of a Go pointer
	c   *conn
	own bool // the package's own statement: everything is allowed

	refused string                     // what the authorizer last refused
	reading map[string]map[string]bool // of Ask: columns that the statement reads, by table; nil elsewhere
	stop    *atomic.Pointer[problem.Error]
	commit  bool // the host itself commits

	session     uintptr // 0 when nothing records
	sessionMax  int64   // bytes of memory
	sessionFull bool
	touched     map[string]bool // tables the session has seen change
	reshaped    map[string]bool // tables that a statement dropped or altered
	analyzed    bool            // statistics changed, which the session does not count

	collision collision // of the changeset being applied

	spill *spill
}

// guards finds a guard by the number that C carries: a callback has no receiver.
var (
	guards    sync.Map // of *guard, by id
	lastGuard atomic.Uintptr
)

func newGuard() *guard {
	g := &guard{id: lastGuard.Add(1), stop: new(atomic.Pointer[problem.Error]),
		sessionMax: 2 * maxUndo, reshaped: map[string]bool{}}
	guards.Store(g.id, g)
	return g
}

func (g *guard) forget() { guards.Delete(g.id) }

func guardOf(id uintptr) *guard {
	g, _ := guards.Load(id)
	return g.(*guard)
}

// progressSteps is how many of SQLite's instructions run between two looks at stop: some
// 20 µs, at no cost that can be measured.
const progressSteps = 1000

// watch puts the callbacks on a connection.
func (g *guard) watch(c *conn) {
	g.c = c
	sqlite3.Xsqlite3_set_authorizer(c.tls, c.db, callback(onAuthorize), g.id)
	sqlite3.Xsqlite3_progress_handler(c.tls, c.db, progressSteps, callback(onProgress), g.id)
	sqlite3.Xsqlite3_commit_hook(c.tls, c.db, callback(onCommit), g.id)
}

// trusted runs the package's own work with the authorizer off.
func (g *guard) trusted(work func() error) error {
	before := g.own
	g.own = true
	defer func() { g.own = before }()
	return work()
}

func onAuthorize(_ *libc.TLS, id uintptr, action int32, first, second, _, _ uintptr) int32 {
	g := guardOf(id)
	if g.own {
		return sqlite3.SQLITE_OK
	}
	name := libc.GoString(first)
	if g.reading != nil {
		return g.noteRead(action, name, libc.GoString(second))
	}
	refused := authorize(action, name, libc.GoString(second))
	switch action {
	case sqlite3.SQLITE_DROP_TABLE, sqlite3.SQLITE_DROP_VTABLE:
		g.reshaped[name] = true
	case sqlite3.SQLITE_ALTER_TABLE:
		g.reshaped[libc.GoString(second)] = true
	case sqlite3.SQLITE_ANALYZE:
		g.analyzed = true
	}
	switch {
	case refused == "":
		return sqlite3.SQLITE_OK
	case action == sqlite3.SQLITE_ANALYZE || action == sqlite3.SQLITE_REINDEX:
		return sqlite3.SQLITE_IGNORE // a bare ANALYZE passes over the host's table
	}
	g.refused = refused
	return sqlite3.SQLITE_DENY
}

func onProgress(tls *libc.TLS, id uintptr) int32 {
	g := guardOf(id)
	if g.session != 0 && !g.sessionFull && sqlite3.Xsqlite3session_memory_used(tls, g.session) > g.sessionMax {
		g.sessionFull = true
		sqlite3.Xsqlite3session_enable(tls, g.session, 0)
	}
	if g.spill != nil && g.spill.used > g.spill.max {
		g.stop.CompareAndSwap(nil, g.spill.problem())
	}
	return libc.Bool32(g.stop.Load() != nil)
}

// onCommit keeps a statement from committing by itself after it has ended the run's transaction.
func onCommit(_ *libc.TLS, id uintptr) int32 {
	g := guardOf(id)
	return libc.Bool32(!g.commit && !g.own)
}

// onSessionTable chooses the tables that the session records.
func onSessionTable(_ *libc.TLS, id uintptr, table uintptr) int32 {
	name := libc.GoString(table)
	if hostTables[name] {
		return 0
	}
	guardOf(id).touched[name] = true
	return 1
}

// noteRead is the authorizer of a statement that only reads, and notes what.
func (g *guard) noteRead(action int32, first, second string) int32 {
	if refused := onlyReads(action, second); refused != "" {
		g.refused = refused
		return sqlite3.SQLITE_DENY
	}
	if action == sqlite3.SQLITE_READ {
		columns := g.reading[first]
		if columns == nil {
			columns = map[string]bool{}
			g.reading[first] = columns
		}
		columns[second] = true
	}
	return sqlite3.SQLITE_OK
}
