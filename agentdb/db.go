package agentdb

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// FileName is the database's file in Config.Dir. SQLite keeps agent.db-wal and agent.db-shm
// beside it.
const FileName = "agent.db"

// What one statement may use, besides what limits.Limits says.
const (
	maxValue     = 10_000_000 // bytes of a value or of a row
	maxStatement = 1 << 20    // bytes of a statement's text
	maxAnswer    = 8 << 20    // bytes of all cells of an answer
	maxUndo      = 8 << 20    // bytes of a run's changeset; more cannot be undone
	markerRoom   = 64 << 20   // bytes that the host may add beyond DBBytes to commit
	pageSize     = 4096
)

// Config says where the database is and what it may use.
type Config struct {
	// Dir is the workspace's database folder. It holds agent.db and, in tmp, temporary files.
	Dir string
	// Limits: SQLRows, SQLTime and DBBytes are used. Defaults to limits.Default.
	Limits limits.Limits
	// TempBytes is what a statement may keep in temporary files. Defaults to twice DBBytes.
	TempBytes int64
}

// DB is the agent's database of one workspace. Its methods may be called concurrently;
// they take turns. Errors are *problem.Error.
type DB struct {
	dir       string
	limits    limits.Limits
	tempBytes int64

	turn  chan struct{} // held by whoever is inside SQLite
	conn  *conn         // nil after Close
	guard *guard
	run   *run // nil outside a transaction

	lastSchema *schema // of the last run's beginning
}

// Open opens the database, which it creates if there is none, and rolls back what a killed
// process left behind. Only one DB may have a folder open at a time.
func Open(ctx context.Context, config Config) (*DB, error) {
	db := &DB{
		dir:       config.Dir,
		limits:    config.Limits.Or(limits.Default()),
		tempBytes: config.TempBytes,
		turn:      make(chan struct{}, 1),
	}
	if db.tempBytes <= 0 {
		db.tempBytes = 2 * db.limits.DBBytes
	}
	if err := ctx.Err(); err != nil {
		return nil, problem.From(err)
	}
	if err := os.MkdirAll(db.dir, 0o700); err != nil {
		return nil, cannotOpen(err)
	}
	if err := db.connect(); err != nil {
		return nil, err
	}
	return db, nil
}

func cannotOpen(err error) *problem.Error {
	return problem.New(problem.Internal, "the workspace's database could not be opened").WithCause(err)
}

// connect opens the connection and sets what every connection needs.
func (db *DB) connect() (err error) {
	db.guard = newGuard()
	defer func() {
		if err != nil {
			err = db.explainOpen(err)
			db.disconnect()
		}
	}()
	tls := libc.NewTLS()
	db.guard.spill, err = newSpill(tls, db.guard, filepath.Join(db.dir, "tmp"), db.tempBytes)
	tls.Close()
	if err != nil {
		return err
	}
	c, err := openConn(filepath.Join(db.dir, FileName), fmt.Sprintf("agentdb-%d", db.guard.id))
	if err != nil {
		return err
	}
	db.conn = c
	db.guard.own = true
	if err := db.prepareConnection(c); err != nil {
		return err
	}
	db.guard.watch(c)
	db.guard.own = false
	// The new file's name must outlast a power cut before the first commit is promised.
	return syncFolder(db.dir)
}

// prepareConnection makes the connection safe for hostile statements on a hostile schema.
func (db *DB) prepareConnection(c *conn) error {
	sqlite3.Xsqlite3_busy_timeout(c.tls, c.db, int32(5*time.Second/time.Millisecond))
	for option, on := range map[int32]bool{
		sqlite3.SQLITE_DBCONFIG_DEFENSIVE:             true,
		sqlite3.SQLITE_DBCONFIG_TRUSTED_SCHEMA:        false,
		sqlite3.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION: false,
		sqlite3.SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE:  false,
		sqlite3.SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE:   false,
		sqlite3.SQLITE_DBCONFIG_ENABLE_FKEY:           true,
		sqlite3.SQLITE_DBCONFIG_DQS_DDL:               false,
		sqlite3.SQLITE_DBCONFIG_DQS_DML:               false,
	} {
		if err := c.configure(option, on); err != nil {
			return err
		}
	}
	for _, pragma := range []string{
		fmt.Sprintf("page_size = %d", pageSize),
		"journal_mode = WAL",
		"synchronous = FULL",
		"journal_size_limit = 16777216", // the log's file shrinks to this after a checkpoint
		"cache_size = -16384",           // 16 MB, also what a sort keeps in memory
		"temp_store = FILE",             // beyond the cache; memory has no other bound
		"mmap_size = 0",
	} {
		if err := c.exec("PRAGMA " + pragma); err != nil {
			return err
		}
	}
	if err := c.maxPages(db.limits.DBBytes); err != nil {
		return err
	}
	if err := c.exec(`CREATE TABLE IF NOT EXISTS main.` + markerTable + ` (run TEXT NOT NULL PRIMARY KEY, redo BLOB NOT NULL)`); err != nil {
		return err
	}
	if err := replaceFunctions(c); err != nil {
		return err
	}
	limitStatements(c)
	return nil
}

// limitStatements sets SQLite's own limits on what a statement may be.
func limitStatements(c *conn) {
	for id, value := range map[int32]int32{
		sqlite3.SQLITE_LIMIT_LENGTH:              maxValue,
		sqlite3.SQLITE_LIMIT_SQL_LENGTH:          maxStatement,
		sqlite3.SQLITE_LIMIT_COLUMN:              1000,
		sqlite3.SQLITE_LIMIT_EXPR_DEPTH:          1000,
		sqlite3.SQLITE_LIMIT_COMPOUND_SELECT:     500,
		sqlite3.SQLITE_LIMIT_VDBE_OP:             1_000_000,
		sqlite3.SQLITE_LIMIT_FUNCTION_ARG:        200,
		sqlite3.SQLITE_LIMIT_ATTACHED:            0,
		sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 200, // on 10 MB, a second of what does not yield
		sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH:       100,
		sqlite3.SQLITE_LIMIT_WORKER_THREADS:      0,
	} {
		c.limit(id, value)
	}
}

func (db *DB) explainOpen(err error) *problem.Error {
	if e := db.explain(err, ""); e.Code != problem.Internal && e.Code != problem.SQLError {
		return e
	}
	return cannotOpen(err)
}

// disconnect closes the connection; an open transaction is rolled back.
func (db *DB) disconnect() {
	db.endRun()
	if db.conn != nil {
		db.guard.own = true
		db.conn.close()
		db.conn = nil
	}
	if db.guard.spill != nil {
		tls := libc.NewTLS()
		db.guard.spill.close(tls)
		tls.Close()
	}
	db.guard.forget()
}

// Close rolls back what is not committed and closes the database.
func (db *DB) Close() error {
	db.turn <- struct{}{}
	defer func() { <-db.turn }()
	if db.conn != nil {
		db.disconnect()
	}
	return nil
}

// enter waits for the caller's turn and makes SQLite end its work when ctx does, or after
// the time of a statement if it is timed.
func (db *DB) enter(ctx context.Context, timed bool) (leave func(), err error) {
	select {
	case db.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, problem.From(ctx.Err())
	}
	if db.conn == nil {
		<-db.turn
		return nil, problem.New(problem.Internal, "the database is closed")
	}
	if err := ctx.Err(); err != nil {
		<-db.turn
		return nil, problem.From(err)
	}
	// Each turn has its own place for the reason to stop, so that a timer that fires late
	// cannot stop whoever comes next.
	stop := new(atomic.Pointer[problem.Error])
	db.guard.stop = stop
	db.guard.refused, db.guard.spill.refused = "", false
	unwatch := context.AfterFunc(ctx, func() { stop.CompareAndSwap(nil, problem.From(ctx.Err())) })
	var timer *time.Timer
	if limit := db.bounds().SQLTime; timed {
		timer = time.AfterFunc(limit, func() {
			stop.CompareAndSwap(nil, problem.New(problem.Timeout, "the statement ran longer than %v", limit).
				WithHint("Add an index, or work on fewer rows at a time."))
		})
	}
	return func() {
		unwatch()
		if timer != nil {
			timer.Stop()
		}
		<-db.turn
	}, nil
}

func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
