package agentdb

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/sandboxd/sandboxd/problem"
)

// A run's changeset is what Undo needs: the rows as SQLite's session extension recorded
// them, which tables they are of, and what the run created. What a session does not record
// cannot be undone: tables dropped or altered, and virtual tables, whose content is SQLite's
// own affair.
//
// As bytes: the length of a JSON header (four bytes, big-endian), the header, the session's
// changeset.

// changeHeader is the part of a run's changeset that the session does not have.
type changeHeader struct {
	Tables  map[string]string `json:"tables"`            // definitions of the tables with changed rows
	Created []object          `json:"created,omitempty"` // what is dropped again
}

// prepared says what the open run did.
func (db *DB) prepared() (Prepared, error) {
	p := Prepared{Changes: db.conn.totalChanges() - db.run.changes}
	version, err := db.conn.number("PRAGMA user_version")
	if err != nil {
		return p, err
	}
	now, err := db.readSchema(db.run.before)
	if err != nil {
		return p, err
	}
	p.Dirty = p.Changes > 0 || now != db.run.before || version != db.run.userVersion || db.guard.analyzed
	if !p.Dirty {
		p.Undoable = true
		return p, nil
	}
	header, reason := db.describe(now)
	if version != db.run.userVersion {
		reason = "the run set user_version"
	}
	if reason != "" {
		p.Reason = reason
		return p, nil
	}
	rows, err := db.guard.changeset(maxUndo)
	var failure *sqliteError
	switch {
	case errors.As(err, &failure) && failure.primary() != sqlite3.SQLITE_NOMEM:
		p.Reason, err = "the run changed tables while it changed their rows", nil
	case err != nil:
		return p, err
	case rows == nil:
		p.Reason = fmt.Sprintf("the run changed more than the %d MB of rows that are kept for undo", maxUndo>>20)
	default:
		p.Changeset, err = encodeChangeset(header, rows)
		p.Undoable = err == nil
	}
	return p, err
}

// describe tells what the run did besides changing rows, or why that cannot be undone.
func (db *DB) describe(now *schema) (header changeHeader, reason string) {
	header.Tables = map[string]string{}
	before := db.run.before
	for name := range db.guard.reshaped {
		if _, ok := before.objects[name]; ok {
			return header, fmt.Sprintf("the run dropped or altered the table %q", name)
		}
	}
	for name, o := range before.objects {
		if now.objects[name] != o {
			return header, fmt.Sprintf("the run dropped or altered the %s %q", o.Kind, name)
		}
	}
	for name, o := range now.objects {
		if _, ok := before.objects[name]; ok {
			continue
		}
		if o.virtual() {
			return header, fmt.Sprintf("the run created the virtual table %q", name)
		}
		header.Created = append(header.Created, o)
	}
	for name := range db.guard.touched {
		if now.shadow[name] {
			return header, fmt.Sprintf("the run changed a virtual table, which keeps its rows in %q", name)
		}
		if o, ok := now.objects[name]; ok {
			header.Tables[name] = o.SQL
		}
	}
	// What stands on a table goes before it.
	order := map[string]int{"trigger": 0, "view": 1, "index": 2, "table": 3}
	sort.Slice(header.Created, func(i, j int) bool {
		a, b := header.Created[i], header.Created[j]
		if a.Kind != b.Kind {
			return order[a.Kind] < order[b.Kind]
		}
		return a.Name < b.Name
	})
	return header, ""
}

func encodeChangeset(header changeHeader, rows []byte) ([]byte, error) {
	text, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	data := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(text)+len(rows)), uint32(len(text)))
	return append(append(data, text...), rows...), nil
}

func decodeChangeset(data []byte) (header changeHeader, rows []byte, err error) {
	if len(data) < 4 {
		return header, nil, errors.New("a changeset without a header")
	}
	n, rest := int64(binary.BigEndian.Uint32(data)), data[4:]
	if n > int64(len(rest)) {
		return header, nil, errors.New("a changeset cut short")
	}
	return header, rest[n:], json.Unmarshal(rest[:n], &header)
}

// Undo takes back, in the open transaction, what a run did, from the Changeset of its
// Prepared. Where rows have changed since it answers conflict and does nothing.
func (db *DB) Undo(ctx context.Context, changeset []byte) error {
	return db.takeBack(ctx, changeset, false)
}

// UndoForced is Undo where rows that have changed since become all the same what they were
// before the run. It answers conflict only where that would leave the database broken.
func (db *DB) UndoForced(ctx context.Context, changeset []byte) error {
	return db.takeBack(ctx, changeset, true)
}

func (db *DB) takeBack(ctx context.Context, changeset []byte, force bool) error {
	leave, err := db.enter(ctx, false)
	if err != nil {
		return err
	}
	defer leave()
	if err := db.inRun(); err != nil {
		return err
	}
	header, rows, err := decodeChangeset(changeset)
	if err != nil {
		return problem.New(problem.Internal, "the record of the run's changes cannot be read").WithCause(err)
	}
	err = db.guard.trusted(func() (err error) {
		// What triggers did is in the changeset beside what set them off.
		if err := db.conn.configure(sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, false); err != nil {
			return err
		}
		defer func() {
			err = errors.Join(err, db.conn.configure(sqlite3.SQLITE_DBCONFIG_ENABLE_TRIGGER, true))
		}()
		if err := db.conn.exec("SAVEPOINT undo"); err != nil {
			return err
		}
		if err := db.undo(header, rows, force); err != nil {
			return errors.Join(err, db.conn.exec("ROLLBACK TO undo"), db.conn.exec("RELEASE undo"))
		}
		return db.conn.exec("RELEASE undo")
	})
	if err != nil {
		return db.settle(db.explain(err, ""))
	}
	return nil
}

func (db *DB) undo(header changeHeader, rows []byte, force bool) error {
	now, err := db.readSchema(nil)
	if err != nil {
		return err
	}
	// SQLite would pass over a table that is gone or has other columns, without a word.
	for name, sql := range header.Tables {
		if o, ok := now.objects[name]; !ok && !force {
			return changedSince("the table %q has been dropped since", name)
		} else if ok && o.SQL != sql {
			return changedSince("the table %q has been altered since", name).
				WithHint("The run's rows cannot be undone any more; change them with SQL.")
		}
	}
	if err := db.guard.applyInverse(rows, force); err != nil {
		return err
	}
	for _, o := range header.Created {
		current, ok := now.objects[o.Name]
		if !ok {
			continue
		}
		if current != o && !force {
			return changedSince("the %s %q has been altered since", o.Kind, o.Name)
		}
		if o.Kind == "table" && !force {
			if left, err := db.conn.query("SELECT 1 FROM main." + quote(o.Name) + " LIMIT 1"); err != nil {
				return err
			} else if len(left) > 0 {
				return changedSince("the table %q, which the run created, has got rows since", o.Name)
			}
		}
		err := db.conn.exec("DROP " + strings.ToUpper(current.Kind) + " IF EXISTS main." + quote(o.Name))
		var failure *sqliteError
		if errors.As(err, &failure) && failure.primary() == sqlite3.SQLITE_CONSTRAINT {
			return changedSince("rows of other tables refer to the table %q, which the run created", o.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func changedSince(format string, args ...any) *problem.Error {
	return problem.New(problem.Conflict, "the run cannot be undone: "+format, args...).
		WithHint("Undo the later runs first, or force it, which takes back what they did to the same rows.")
}

// collision is the first row that is not as the run left it.
type collision struct {
	force bool
	table string
	what  string
}

// applyInverse applies the opposite of a session's changeset to the open transaction.
func (g *guard) applyInverse(rows []byte, force bool) error {
	if len(rows) == 0 {
		return nil
	}
	c := g.c
	out, input := c.out(2), c.cBytes(string(rows))
	defer c.free(out)
	defer c.free(input)
	if rc := sqlite3.Xsqlite3changeset_invert(c.tls, int32(len(rows)), input, out, out+8); rc != sqlite3.SQLITE_OK {
		return &sqliteError{code: rc, message: "invert changeset", offset: -1}
	}
	size, inverse := *at[int32](out), *at[uintptr](out + 8)
	defer sqlite3.Xsqlite3_free(c.tls, inverse)
	g.collision = collision{force: force}
	rc := sqlite3.Xsqlite3changeset_apply_v2(c.tls, c.db, size, inverse, 0, callback(onConflict), g.id, 0, 0,
		sqlite3.SQLITE_CHANGESETAPPLY_FKNOACTION)
	switch {
	case rc == sqlite3.SQLITE_OK:
		return nil
	case rc == sqlite3.SQLITE_ABORT && g.collision.table != "":
		return changedSince("in the table %q %s", g.collision.table, g.collision.what)
	case g.collision.what != "": // a foreign key, which names no row
		return changedSince("%s", g.collision.what)
	}
	return c.failure(rc)
}

// onConflict decides about a row that is not as the changeset says.
func onConflict(tls *libc.TLS, id uintptr, kind int32, change uintptr) int32 {
	g := guardOf(id)
	if kind == sqlite3.SQLITE_CHANGESET_FOREIGN_KEY { // even when forced: it would leave the database broken
		g.collision.what = "rows that came later refer to rows of the run"
		return sqlite3.SQLITE_CHANGESET_ABORT
	}
	if g.collision.force {
		if kind == sqlite3.SQLITE_CHANGESET_DATA || kind == sqlite3.SQLITE_CHANGESET_CONFLICT {
			return sqlite3.SQLITE_CHANGESET_REPLACE
		}
		return sqlite3.SQLITE_CHANGESET_OMIT
	}
	c := g.c
	out := c.out(4)
	defer c.free(out)
	if sqlite3.Xsqlite3changeset_op(tls, change, out, out+8, out+16, out+24) == sqlite3.SQLITE_OK {
		g.collision.table = libc.GoString(*at[uintptr](out))
	}
	g.collision.what = map[int32]string{
		sqlite3.SQLITE_CHANGESET_DATA:       "a row has been changed since",
		sqlite3.SQLITE_CHANGESET_NOTFOUND:   "a row has been deleted since",
		sqlite3.SQLITE_CHANGESET_CONFLICT:   "a row has come since with the key of one that would come back",
		sqlite3.SQLITE_CHANGESET_CONSTRAINT: "a constraint forbids the rows as they were",
	}[kind]
	return sqlite3.SQLITE_CHANGESET_ABORT
}
