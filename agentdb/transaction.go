package agentdb

import (
	"context"
	"errors"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// A run's statements share one transaction, and its COMMIT is the moment at which the whole
// run counts as done: with it a row of markerTable becomes durable, which carries what the
// host must still do in its own store. After a crash the host finds the markers, does what
// they say once more, and clears them.

// run is the transaction of one run.
type run struct {
	limits      limits.Limits
	changes     int64   // totalChanges when it began
	userVersion int64   // then
	before      *schema // then
	ended       *problem.Error
}

// Prepared says what a run did to the database, before it is committed.
type Prepared struct {
	// Dirty is false when there is nothing to commit.
	Dirty bool `json:"dirty"`
	// Changes counts rows inserted, updated and deleted, by triggers and foreign keys too.
	Changes int64 `json:"changes"`
	// Changeset is what Undo takes. It is nil if the run is not Undoable, for a Reason.
	Changeset []byte `json:"changeset,omitempty"`
	Undoable  bool   `json:"undoable"`
	Reason    string `json:"reason,omitempty"`
}

// Marker is the host's record of a run whose database work is committed.
type Marker struct {
	RunID string `json:"run_id"`
	Redo  []byte `json:"redo"`
}

// Begin starts a run's transaction, which is the only one: it waits up to five seconds if
// another process still has the database, then fails with busy.
func (db *DB) Begin(ctx context.Context) error { return db.BeginWithin(ctx, limits.Limits{}) }

// BeginWithin is Begin for a run with limits of its own, which are at most the database's:
// SQLRows, SQLTime and DBBytes are used, and zero fields are the database's.
func (db *DB) BeginWithin(ctx context.Context, l limits.Limits) error {
	leave, err := db.enter(ctx, false)
	if err != nil {
		return err
	}
	defer leave()
	if db.run != nil {
		return problem.New(problem.Busy, "another run's transaction is open in this database")
	}
	err = db.guard.trusted(func() error {
		// Always immediate: one that read first and wants to write after another's commit
		// fails at once, whatever the timeout.
		if err := db.conn.exec("BEGIN IMMEDIATE"); err != nil {
			return err
		}
		db.run = &run{limits: l.Within(db.limits), changes: db.conn.totalChanges()}
		if err := db.conn.maxPages(db.run.limits.DBBytes); err != nil {
			return err
		}
		// What last_insert_rowid() and changes() tell is of this run, not of an earlier one.
		sqlite3.Xsqlite3_set_last_insert_rowid(db.conn.tls, db.conn.db, 0)
		if err := db.conn.exec("DELETE FROM main." + markerTable + " WHERE 0"); err != nil {
			return err
		}
		if db.run.before, err = db.readSchema(db.lastSchema); err != nil {
			return err
		}
		db.lastSchema = db.run.before
		if db.run.userVersion, err = db.conn.number("PRAGMA user_version"); err != nil {
			return err
		}
		return db.guard.record()
	})
	if err != nil {
		db.abandon()
		return db.explain(err, "")
	}
	return nil
}

// inRun is the reason why no statement may run now, or nil.
func (db *DB) inRun() error {
	if db.run == nil {
		return problem.New(problem.Internal, "the database has no open transaction")
	}
	if db.run.ended != nil {
		return db.run.ended
	}
	return nil
}

// settle notices, after a statement, that SQLite has silently ended the transaction. It
// does so when the disk or the database is full, on an interrupted write, on OR ROLLBACK
// and on RAISE(ROLLBACK); every later statement would commit by itself.
func (db *DB) settle(failure *problem.Error) error {
	if !db.conn.inTransaction() {
		if failure == nil {
			failure = problem.New(problem.Internal, "the transaction ended by itself")
		}
		db.run.ended = failure
	}
	if failure == nil {
		return nil
	}
	return failure
}

// Prepare checks that the run can be committed and says what it did.
func (db *DB) Prepare(ctx context.Context) (Prepared, error) {
	leave, err := db.enter(ctx, false)
	if err != nil {
		return Prepared{}, err
	}
	defer leave()
	if err := db.inRun(); err != nil {
		return Prepared{}, err
	}
	if db.conn.deferredForeignKeys() {
		return Prepared{}, problem.New(problem.SQLError, "FOREIGN KEY constraint failed: at the end of the run a row refers to one that is not there").
			WithHint("PRAGMA foreign_key_check lists such rows.")
	}
	var prepared Prepared
	err = db.guard.trusted(func() (err error) {
		prepared, err = db.prepared()
		return err
	})
	if err != nil {
		return Prepared{}, db.settle(db.explain(err, ""))
	}
	return prepared, nil
}

// Commit makes the run durable together with a marker for the host, which takes the place
// of all older ones, and ends the transaction. When it fails, the transaction is rolled back.
func (db *DB) Commit(ctx context.Context, runID string, redo []byte) error {
	leave, err := db.enter(ctx, false)
	if err != nil {
		return err
	}
	defer leave()
	if err := db.inRun(); err != nil {
		return err
	}
	err = db.hostWork(func() error {
		if redo == nil {
			redo = []byte{}
		}
		if err := db.conn.exec("DELETE FROM main." + markerTable); err != nil {
			return err
		}
		return db.conn.exec("INSERT INTO main."+markerTable+" (run, redo) VALUES (?, ?)", runID, redo)
	})
	if err == nil {
		db.guard.stopRecording()
		db.guard.commit = true
		err = db.guard.trusted(func() error { return db.conn.exec("COMMIT") })
		db.guard.commit = false
	}
	if err != nil {
		failure := db.explain(err, "")
		db.abandon()
		return failure
	}
	db.endRun()
	db.clearTemporary()
	return nil
}

// Rollback ends the transaction and undoes the run; without one it does nothing.
func (db *DB) Rollback(ctx context.Context) error {
	leave, err := db.enter(context.WithoutCancel(ctx), false)
	if err != nil {
		return err
	}
	defer leave()
	db.abandon()
	db.clearTemporary()
	return nil
}

// abandon rolls back whatever is open.
func (db *DB) abandon() {
	db.endRun()
	if !db.conn.inTransaction() {
		return
	}
	if err := db.guard.trusted(func() error { return db.conn.exec("ROLLBACK") }); err != nil {
		db.reconnect()
	}
}

func (db *DB) endRun() {
	db.guard.stopRecording()
	db.run = nil
}

// bounds are the limits of what is going on.
func (db *DB) bounds() limits.Limits {
	if db.run != nil {
		return db.run.limits
	}
	return db.limits
}

// clearTemporary keeps a run's TEMP tables from the next run.
func (db *DB) clearTemporary() {
	if db.conn == nil {
		return
	}
	var left int64
	err := db.guard.trusted(func() (err error) {
		left, err = db.conn.number("SELECT count(*) FROM temp.sqlite_schema")
		return err
	})
	if err != nil || left > 0 {
		db.reconnect()
	}
}

// reconnect opens a connection that knows nothing of the last run. When it fails, the DB
// is as if closed.
func (db *DB) reconnect() {
	db.disconnect()
	_ = db.connect()
}

// Markers lists the runs that are committed and not yet cleared, oldest first. While a
// process whose daemon was killed is not quite dead, it may still commit: nobody can while
// this looks, and whoever is about to is waited for.
func (db *DB) Markers(ctx context.Context) ([]Marker, error) {
	leave, err := db.enter(ctx, false)
	if err != nil {
		return nil, err
	}
	defer leave()
	markers := []Marker{}
	err = db.hostWork(func() (err error) {
		if db.run == nil {
			if err := db.conn.exec("BEGIN IMMEDIATE"); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, db.conn.exec("ROLLBACK")) }()
		}
		rows, err := db.conn.query("SELECT run, redo FROM main." + markerTable + " ORDER BY rowid")
		for _, row := range rows {
			run, _ := row[0].(string)
			redo, _ := row[1].([]byte)
			markers = append(markers, Marker{RunID: run, Redo: redo})
		}
		return err
	})
	if err != nil {
		return nil, db.explain(err, "")
	}
	return markers, nil
}

// Clear removes the markers of these runs: with the open transaction if there is one, and
// otherwise at once.
func (db *DB) Clear(ctx context.Context, runIDs []string) error {
	leave, err := db.enter(ctx, false)
	if err != nil {
		return err
	}
	defer leave()
	if db.run != nil && db.run.ended != nil {
		return db.run.ended
	}
	err = db.hostWork(func() error {
		alone := db.run == nil
		if alone {
			if err := db.conn.exec("BEGIN IMMEDIATE"); err != nil {
				return err
			}
		}
		before := db.conn.totalChanges()
		for _, id := range runIDs {
			if err := db.conn.exec("DELETE FROM main."+markerTable+" WHERE run = ?", id); err != nil {
				return err
			}
		}
		if alone {
			return db.conn.exec("COMMIT")
		}
		db.run.changes += db.conn.totalChanges() - before // not the run's own
		return nil
	})
	if err == nil {
		return nil
	}
	failure := db.explain(err, "")
	if db.run == nil {
		db.abandon()
		return failure
	}
	return db.settle(failure)
}

// hostWork does something to the host's own table: past the agent's size limits, and
// without the foreign keys that an agent may have pointed at it.
func (db *DB) hostWork(work func() error) error {
	c := db.conn
	return db.guard.trusted(func() (err error) {
		c.limit(sqlite3.SQLITE_LIMIT_LENGTH, 1_000_000_000)
		defer c.limit(sqlite3.SQLITE_LIMIT_LENGTH, maxValue)
		if err := c.configure(sqlite3.SQLITE_DBCONFIG_ENABLE_FKEY, false); err != nil {
			return err
		}
		if err := c.maxPages(db.bounds().DBBytes + markerRoom); err != nil {
			return err
		}
		defer func() {
			err = errors.Join(err, c.maxPages(db.bounds().DBBytes), c.configure(sqlite3.SQLITE_DBCONFIG_ENABLE_FKEY, true))
		}()
		return work()
	})
}
