package agentdb

import (
	"cmp"
	"errors"
	"fmt"
	"sort"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/sandboxd/sandboxd/problem"
)

// explain gives an agent's statement's failure as the model should read it. SQLite's own
// messages name what the statement named and no path.
func (db *DB) explain(err error, sql string) *problem.Error {
	var known *problem.Error
	if errors.As(err, &known) {
		return known
	}
	var failure *sqliteError
	if !errors.As(err, &failure) {
		return problem.From(err)
	}
	switch failure.primary() {
	case sqlite3.SQLITE_AUTH:
		return forbidden(cmp.Or(db.guard.refused, "this statement"), err)
	case sqlite3.SQLITE_INTERRUPT:
		if why := db.guard.stop.Load(); why != nil {
			return why.WithCause(err)
		}
		return problem.New(problem.Canceled, "the statement was interrupted").WithCause(err)
	case sqlite3.SQLITE_FULL:
		if db.guard.spill != nil && db.guard.spill.refused {
			return db.guard.spill.problem().WithCause(err)
		}
		return problem.New(problem.DBFull, "the database would grow beyond its %d MB", db.bounds().DBBytes>>20).WithCause(err)
	case sqlite3.SQLITE_NOMEM:
		return problem.New(problem.MemoryLimit, "the statement needs more memory than there is").
			WithHint("Select fewer rows or columns, or shorter values.").WithCause(err)
	case sqlite3.SQLITE_TOOBIG:
		return problem.New(problem.SQLError, "%s", failure.message).
			WithHint("A value or a row may have at most %d MB, a statement 1 MB.", maxValue>>20).WithCause(err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return problem.New(problem.Busy, "the database is in use: %s", failure.message).WithCause(err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return problem.New(problem.DamagedFile, "the workspace's database is damaged: %s", failure.message).
			WithHint("Ask the operator to restore the workspace's database from a backup.").WithCause(err)
	case sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_RANGE,
		sqlite3.SQLITE_SCHEMA, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_ABORT:
		return db.sqlError(failure, sql)
	}
	return problem.New(problem.Internal, "the database could not be read or written").WithCause(err)
}

func forbidden(what string, cause error) *problem.Error {
	return problem.New(problem.Forbidden, "%s is not allowed in the agent's database", what).
		WithHint("%s", instead(what)).WithCause(cause)
}

// sqlError is a mistake in the statement, with what would help to put it right.
func (db *DB) sqlError(failure *sqliteError, sql string) *problem.Error {
	message := failure.message
	switch {
	case strings.HasPrefix(message, "cannot VACUUM"):
		return forbidden("VACUUM", failure)
	case strings.HasPrefix(message, "not authorized") && db.guard.refused != "": // a function
		return forbidden(db.guard.refused, failure)
	}
	e := problem.New(problem.SQLError, "%s", message).WithCause(failure)
	if at := failure.offset; at >= 0 && at <= len(sql) {
		e = e.With("offset", at).With("near", excerpt(sql, at))
	}
	if hint := db.hint(message); hint != "" {
		e = e.WithHint("%s", hint)
	}
	return e
}

// hint turns SQLite's message into advice, from what the database holds.
func (db *DB) hint(message string) string {
	before, name, found := strings.Cut(message, ": ")
	if found {
		switch {
		case strings.HasSuffix(before, "no such table"):
			tables := db.tableNames()
			if len(tables) == 0 {
				return "The database has no tables yet; create one with CREATE TABLE IF NOT EXISTS …."
			}
			return nearest(name, tables, "The tables are: ", "db.schema() lists tables and columns.")
		case before == "no such column":
			return nearest(name, db.columnNames(), "", "db.schema() lists tables and columns. A text value stands in single quotes.")
		case before == "no such function":
			return "SQLite's own functions are there, JSON, math and FTS5 included; do the rest in JavaScript."
		}
	}
	switch {
	case strings.HasSuffix(message, "has no column named "+lastWord(message)):
		return nearest(lastWord(message), db.columnNames(), "", "db.schema() lists tables and columns.")
	case strings.Contains(message, "already exists"):
		return "Write CREATE … IF NOT EXISTS to use what is there."
	case strings.HasPrefix(message, "UNIQUE constraint failed"):
		return "A row with this key is there already; write INSERT … ON CONFLICT DO UPDATE, or INSERT OR IGNORE."
	case strings.HasPrefix(message, "FOREIGN KEY constraint failed"):
		return "A row refers to one that is not there; insert the parent row first, or delete the children first."
	}
	return ""
}

// tableNames are the agent's tables and views; none if they cannot be read now.
func (db *DB) tableNames() []string {
	return db.names(`SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view')
		AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name <> '` + markerTable + `' ORDER BY name LIMIT 100`)
}

// columnNames are those of tables alone: a view's would take compiling it.
func (db *DB) columnNames() []string {
	return db.names(`SELECT DISTINCT c.name FROM main.sqlite_schema AS s, pragma_table_xinfo(s.name) AS c
		WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND s.name <> '` + markerTable + `' LIMIT 1000`)
}

func (db *DB) names(sql string) []string {
	var names []string
	_ = db.guard.trusted(func() error { // a hint that cannot be had is no error
		rows, err := db.conn.query(sql)
		for _, row := range rows {
			if name, ok := row[0].(string); ok {
				names = append(names, name)
			}
		}
		return err
	})
	return names
}

// nearest says which of names was probably meant, or else lists some after intro.
func nearest(name string, names []string, intro, otherwise string) string {
	name = name[strings.LastIndexByte(name, '.')+1:]
	var near []string
	for _, candidate := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(candidate)); d <= 1+len(name)/4 {
			near = append(near, candidate)
		}
	}
	sort.SliceStable(near, func(i, j int) bool {
		return distance(strings.ToLower(name), strings.ToLower(near[i])) < distance(strings.ToLower(name), strings.ToLower(near[j]))
	})
	switch {
	case len(near) > 0:
		return fmt.Sprintf("Did you mean %s? %s", strings.Join(near[:min(3, len(near))], ", "), otherwise)
	case intro != "" && len(names) > 0:
		return intro + strings.Join(names[:min(20, len(names))], ", ") + "."
	}
	return otherwise
}

// distance is Levenshtein's, in bytes, for names up to 64 bytes.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return max(len(a), len(b))
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		previous := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := previous
			if a[i-1] != b[j-1] {
				cost++
			}
			previous = row[j]
			row[j] = min(row[j]+1, row[j-1]+1, cost)
		}
	}
	return row[len(b)]
}

func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

// excerpt is the statement's text from the token at fault, a line's length of it.
func excerpt(sql string, at int) string {
	text := sql[at:]
	if len(text) > 60 {
		text = text[:60]
	}
	return strings.ToValidUTF8(text, "")
}
