package agentdb

import (
	"context"
	"encoding/base64"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
)

// Query runs one statement in the run's transaction. A statement that has columns answers
// rows, at most Limits.SQLRows of them, and one that has none answers its changes; SQLite
// decides which it is, not the text. A statement that only reads and fails leaves the
// transaction as it was; whatever ends the transaction makes each later call of the run
// fail with the same error.
func (db *DB) Query(ctx context.Context, query host.Query) (*host.QueryResult, error) {
	leave, err := db.enter(ctx, true)
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := db.inRun(); err != nil {
		return nil, err
	}
	result, failure := db.query(query)
	if err := db.settle(failure); err != nil {
		return nil, err
	}
	return result, nil
}

func (db *DB) query(query host.Query) (*host.QueryResult, *problem.Error) {
	if err := checkText(query.SQL); err != nil {
		return nil, err
	}
	s, tail, err := db.conn.prepare(query.SQL)
	if err != nil {
		return nil, db.explain(err, query.SQL)
	}
	if s == nil {
		return nil, problem.New(problem.InvalidArgument, "sql is empty, expected a statement")
	}
	defer s.close()
	if err := db.onlyOne(query.SQL[tail:]); err != nil {
		return nil, err
	}
	if err := bindAll(s, query); err != nil {
		return nil, db.explain(err, query.SQL)
	}
	before := db.conn.totalChanges()
	result, err := db.collect(s)
	if err != nil {
		return nil, db.explain(err, query.SQL)
	}
	if result.Columns == nil {
		if db.conn.totalChanges() != before { // else SQLite still counts for an earlier statement
			result.Changes = db.conn.changes()
		}
		result.LastInsertID = db.conn.lastInsertID()
	}
	return result, nil
}

// checkText refuses what cannot be a statement's text.
func checkText(sql string) *problem.Error {
	if len(sql) > maxStatement {
		return problem.New(problem.InvalidArgument, "sql has %d bytes, the longest statement is %d", len(sql), maxStatement).
			WithHint("Pass data as parameters: db.sql(\"INSERT … VALUES (?, ?)\", [a, b]).")
	}
	if strings.ContainsRune(sql, 0) {
		return problem.New(problem.InvalidArgument, "sql contains a NUL character").
			WithHint("Pass such text as a parameter.")
	}
	return nil
}

// onlyOne refuses a second statement. Comments and semicolons may follow the first.
func (db *DB) onlyOne(rest string) *problem.Error {
	for strings.TrimSpace(rest) != "" {
		s, tail, err := db.conn.prepare(rest)
		if s != nil {
			s.close()
		}
		if s != nil || err != nil || tail == 0 {
			return problem.New(problem.InvalidArgument, "sql holds more than one statement, the second begins at %q", excerpt(strings.TrimSpace(rest), 0)).
				WithHint("Call db.sql once for each statement; they are all in the run's one transaction.")
		}
		rest = rest[tail:]
	}
	return nil
}

// collect runs a statement and gathers what it answers.
func (db *DB) collect(s *statement) (*host.QueryResult, error) {
	result := &host.QueryResult{Columns: s.columns()}
	if result.Columns != nil {
		result.Rows = [][]any{}
	}
	readOnly := s.readOnly()
	size := 0
	for {
		more, err := s.step()
		if err != nil {
			return nil, err
		}
		if !more {
			return result, nil
		}
		if result.Truncated {
			continue
		}
		if len(result.Rows) == db.bounds().SQLRows {
			result.Truncated = true
			if readOnly {
				return result, nil
			}
			continue // to its end: only there are its foreign keys checked
		}
		row := make([]any, len(result.Columns))
		for i := 0; i < len(row) && size <= maxAnswer; i++ {
			var n int
			row[i], n = s.cell(i, maxAnswer-size)
			size += 8 + n
		}
		if size <= maxAnswer {
			result.Rows = append(result.Rows, row)
			continue
		}
		if readOnly {
			return nil, problem.New(problem.ResultTooLarge, "the answer is larger than %d MB after %d rows", maxAnswer>>20, len(result.Rows)).
				WithHint("Select fewer columns, page with LIMIT and OFFSET, or aggregate in SQL.")
		}
		result.Truncated = true
	}
}

// cell is a value as host.QueryResult has it, and its length if it is text or bytes. A
// longer one than max is not copied.
func (s *statement) cell(column, max int) (value any, n int) {
	switch s.kind(column) {
	case sqlite3.SQLITE_INTEGER, sqlite3.SQLITE_FLOAT, sqlite3.SQLITE_NULL:
		return s.value(column), 0
	}
	if n = s.bytes(column); n > max {
		return nil, n
	}
	value = s.value(column)
	if data, ok := value.([]byte); ok {
		value = host.Blob{Base64: base64.StdEncoding.EncodeToString(data)}
	}
	return value, n
}
