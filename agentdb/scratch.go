package agentdb

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// Source is a table that a query may read and that is not in the agent's database, such
// as a sheet of a workbook.
type Source struct {
	Name    string
	Columns []string // different from each other, whatever the case of their letters
	// Rows hands all rows to add, one after the other. wanted are the columns, as indexes
	// of Columns and in ascending order, that the query reads; the others need not be added.
	Rows func(ctx context.Context, wanted []int, add *Adder) error
}

// MaxSourceColumns is how many columns a Source may have.
const MaxSourceColumns = 900

// Ask answers one statement that only reads, from sources that are put into a database in
// memory for it: no file is opened, no other database can be named, and nothing remains.
// The statement is held by the same limits and the same list of functions as an agent's
// own, by Limits.SQLRows and SQLTime, and what is read of the sources by a quarter of
// Limits.Memory. Only columns that the statement names are read.
func Ask(ctx context.Context, l limits.Limits, sources []Source, query host.Query) (*host.QueryResult, error) {
	l = l.Or(limits.Default())
	s := &scratch{DB: DB{limits: l, guard: newGuard()}, sources: sources}
	defer s.guard.forget()
	s.guard.own = true
	if err := s.open(); err != nil {
		return nil, problem.New(problem.Internal, "a database in memory could not be made").WithCause(err)
	}
	defer s.conn.close()
	unwatch := context.AfterFunc(ctx, func() { s.guard.stop.CompareAndSwap(nil, problem.From(context.Cause(ctx))) })
	defer unwatch()
	timer := time.AfterFunc(l.SQLTime, func() {
		s.guard.stop.CompareAndSwap(nil, problem.New(problem.Timeout, "the statement ran longer than %v", l.SQLTime).
			WithHint("Read fewer rows: filter first, and join on less."))
	})
	defer timer.Stop()
	result, err := s.ask(ctx, query)
	if err != nil {
		return nil, s.explained(err, query.SQL)
	}
	return result, nil
}

// scratch is a DB without a file, a transaction or a session.
type scratch struct {
	DB
	sources []Source
}

func (s *scratch) open() (err error) {
	if s.conn, err = openConn(":memory:", ""); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			s.conn.close()
		}
	}()
	c := s.conn
	for option, on := range map[int32]bool{
		sqlite3.SQLITE_DBCONFIG_DEFENSIVE:             true,
		sqlite3.SQLITE_DBCONFIG_TRUSTED_SCHEMA:        false,
		sqlite3.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION: false,
		sqlite3.SQLITE_DBCONFIG_DQS_DML:               false,
	} {
		if err := c.configure(option, on); err != nil {
			return err
		}
	}
	for _, pragma := range []string{"journal_mode = OFF", "temp_store = MEMORY"} {
		if err := c.exec("PRAGMA " + pragma); err != nil {
			return err
		}
	}
	if err := c.maxPages(s.room()); err != nil {
		return err
	}
	if err := replaceFunctions(c); err != nil {
		return err
	}
	limitStatements(c)
	for _, source := range s.sources {
		// Without types: values stay what they are.
		columns := make([]string, len(source.Columns))
		for i, name := range source.Columns {
			columns[i] = quoteName(name)
		}
		if err := c.exec("CREATE TABLE " + quoteName(source.Name) + " (" + strings.Join(columns, ", ") + ")"); err != nil {
			return err
		}
	}
	s.guard.watch(c)
	return nil
}

func (s *scratch) room() int64 { return s.limits.Memory / 4 }

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// ask compiles the statement, which tells what it reads, fills the tables with that, and
// runs it.
func (s *scratch) ask(ctx context.Context, query host.Query) (*host.QueryResult, error) {
	if err := checkText(query.SQL); err != nil {
		return nil, err
	}
	s.guard.own, s.guard.reading = false, map[string]map[string]bool{}
	statement, tail, err := s.conn.prepare(query.SQL)
	if err != nil {
		return nil, err
	}
	if statement == nil {
		return nil, problem.New(problem.InvalidArgument, "sql is empty, expected a statement")
	}
	defer statement.close()
	if !statement.readOnly() || statement.columns() == nil {
		return nil, forbidden("this statement", nil)
	}
	if err := s.onlyOne(query.SQL[tail:]); err != nil {
		return nil, err
	}
	if err := bindAll(statement, query); err != nil {
		return nil, err
	}
	read := s.guard.reading
	for _, source := range s.sources {
		columns, ok := read[source.Name]
		if !ok {
			continue
		}
		if err := s.guard.trusted(func() error { return s.fill(ctx, source, columns) }); err != nil {
			return nil, err
		}
	}
	return s.collect(statement)
}

func (s *scratch) fill(ctx context.Context, source Source, columns map[string]bool) error {
	var wanted []int
	names, marks := []string{"rowid"}, []string{"?"}
	for i, name := range source.Columns {
		if columns[name] {
			wanted = append(wanted, i)
			names, marks = append(names, quoteName(name)), append(marks, "?")
		}
	}
	if err := s.conn.exec("BEGIN"); err != nil {
		return err
	}
	insert, _, err := s.conn.prepare("INSERT INTO " + quoteName(source.Name) + " (" + strings.Join(names, ", ") + ") VALUES (" + strings.Join(marks, ", ") + ")")
	if err != nil {
		return err
	}
	defer insert.close()
	add := &Adder{s: insert, stop: s.guard}
	defer func() { s.conn.free(add.text) }()
	if err := source.Rows(ctx, wanted, add); err != nil {
		return err
	}
	return s.conn.exec("COMMIT")
}

// Adder takes the rows of a Source: the values of a row, and then Row. What gets no value
// is NULL.
type Adder struct {
	s     *statement
	stop  *guard
	texts []textValue // of the row, bound when all of them are known
	buf   []byte
	text  uintptr // C memory for buf
	room  int
	none  uintptr
}

type textValue struct{ parameter, begin, end int }

// Int gives the row's value of the nth wanted column.
func (a *Adder) Int(n int, v int64) { sqlite3.Xsqlite3_bind_int64(a.s.c.tls, a.s.p, int32(n+2), v) }

// Float gives the row's value of the nth wanted column.
func (a *Adder) Float(n int, v float64) {
	sqlite3.Xsqlite3_bind_double(a.s.c.tls, a.s.p, int32(n+2), v)
}

// Text gives the row's value of the nth wanted column.
func (a *Adder) Text(n int, v string) {
	begin := len(a.buf)
	a.buf = append(a.buf, v...)
	a.texts = append(a.texts, textValue{n + 2, begin, len(a.buf)})
}

// empty is the address of an empty text.
func (a *Adder) empty() uintptr {
	if a.none == 0 {
		a.none = a.s.keep("")
	}
	return a.none
}

// Row adds the row with its id, which must be greater than the one before.
func (a *Adder) Row(id int64) error {
	c := a.s.c
	if len(a.buf) > a.room {
		c.free(a.text)
		a.room = 2 * len(a.buf)
		if a.text = libc.Xmalloc(c.tls, libc.Tsize_t(a.room)); a.text == 0 {
			a.room = 0
			return &sqliteError{code: sqlite3.SQLITE_NOMEM, message: "out of memory", offset: -1}
		}
	}
	if len(a.buf) > 0 {
		copy(unsafe.Slice(at[byte](a.text), len(a.buf)), a.buf)
	}
	for _, t := range a.texts {
		if t.begin == t.end { // an empty text needs an address as well
			sqlite3.Xsqlite3_bind_text(c.tls, a.s.p, int32(t.parameter), a.empty(), 0, 0)
			continue
		}
		sqlite3.Xsqlite3_bind_text(c.tls, a.s.p, int32(t.parameter), a.text+uintptr(t.begin), int32(t.end-t.begin), 0)
	}
	sqlite3.Xsqlite3_bind_int64(c.tls, a.s.p, 1, id)
	_, err := a.s.step()
	sqlite3.Xsqlite3_reset(c.tls, a.s.p)
	sqlite3.Xsqlite3_clear_bindings(c.tls, a.s.p)
	a.texts, a.buf = a.texts[:0], a.buf[:0]
	if why := a.stop.stop.Load(); why != nil && err == nil {
		return why
	}
	return err
}

// explained is explain in words that fit what is asked here.
func (s *scratch) explained(err error, sql string) *problem.Error {
	e := s.explain(err, sql)
	switch e.Code {
	case problem.InvalidArgument:
		if strings.Contains(e.Message, "more than one statement") {
			return e.WithHint("Ask once for each statement.")
		}
		if strings.Contains(e.Hint, "db.sql") {
			return e.WithHint("Write :name in the statement. Options come behind params: query(fileId, sheet, sql, [], { as: \"objects\" }).")
		}
	case problem.Forbidden:
		return problem.New(problem.Forbidden, "%s is not possible: this only reads", cmp.Or(s.guard.refused, "this statement")).
			WithHint("Write one SELECT. Keep results with writeRange, or in the agent's database with db.sql.").WithCause(err)
	case problem.DBFull:
		return problem.New(problem.TooComplex, "what the statement reads takes more than %d MB of memory", s.room()>>20).
			WithHint("Read fewer columns or sheets, or go through the rows by pages.").WithCause(err)
	case problem.SQLError:
		before, name, found := strings.Cut(e.Message, ": ")
		switch {
		case found && strings.HasSuffix(before, "no such table"):
			var names []string
			for _, source := range s.sources {
				names = append(names, quoteName(source.Name))
			}
			return e.WithHint("The tables are: %s.", strings.Join(names, ", "))
		case found && strings.HasPrefix(before, "no such column"):
			var names []string
			for _, source := range s.sources[:min(len(s.sources), 1)] {
				for _, column := range source.Columns {
					names = append(names, quoteName(column))
				}
			}
			const rule = "A column's name with spaces or signs stands in double quotes, a text in single ones."
			hint := strings.TrimSpace(nearest(`"`+name+`"`, names, "The columns are: ", ""))
			return e.WithHint("%s", strings.TrimSpace(hint+" "+rule))
		case strings.Contains(e.Hint, "db.schema()"): // which knows the agent's database
			return e.WithHint("Fix the statement; SELECT * FROM sheet LIMIT 1 shows the columns.")
		}
	}
	return e
}

// onlyReads decides about one action of a statement of Ask.
func onlyReads(action int32, second string) string {
	switch action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_READ:
		return ""
	case sqlite3.SQLITE_FUNCTION:
		if !forbiddenFunctions[strings.ToLower(second)] {
			return ""
		}
		return fmt.Sprintf("the function %s", second)
	case sqlite3.SQLITE_PRAGMA:
		return "PRAGMA"
	case sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE:
		return "a change"
	}
	return "this statement"
}
