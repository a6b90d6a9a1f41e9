package agentdb

import (
	"fmt"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// conn is one SQLite connection: SQLite's C interface with Go's types, and nothing more.
// It is used by one goroutine at a time.
type conn struct {
	tls *libc.TLS
	db  uintptr
}

// sqliteError is a result code with SQLite's message. It stays inside the package.
type sqliteError struct {
	code    int32 // extended
	message string
	offset  int // of the token at fault in the statement's text, -1 if unknown
}

func (e *sqliteError) Error() string { return fmt.Sprintf("sqlite %d: %s", e.code, e.message) }

// primary is the result code without its extension.
func (e *sqliteError) primary() int32 { return e.code & 0xff }

// at gives C memory its Go type. The address is from C's heap, which Go neither moves nor frees.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// callback gives a top-level function's address as C sees it. Closures do not work.
func callback[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f})) }

// bytesAt copies n bytes of C memory.
func bytesAt(address uintptr, n int) []byte {
	if address == 0 || n <= 0 {
		return nil
	}
	return append([]byte(nil), unsafe.Slice(at[byte](address), n)...)
}

// cBytes copies data to C's heap, with a zero after it. free it.
func (c *conn) cBytes(data string) uintptr {
	p := libc.Xmalloc(c.tls, libc.Tsize_t(len(data)+1))
	if p == 0 {
		return 0
	}
	memory := unsafe.Slice(at[byte](p), len(data)+1)
	copy(memory, data)
	memory[len(data)] = 0
	return p
}

func (c *conn) free(p uintptr) {
	if p != 0 {
		libc.Xfree(c.tls, p)
	}
}

// out is room for n results of eight bytes that C writes through pointers.
func (c *conn) out(n int) uintptr { return libc.Xcalloc(c.tls, libc.Tsize_t(n), 8) }

// openConn opens path through the named file system shim ("" is SQLite's own).
func openConn(path, vfs string) (*conn, error) {
	c := &conn{tls: libc.NewTLS()}
	name, out := c.cBytes(path), c.out(1)
	var shim uintptr
	if vfs != "" {
		shim = c.cBytes(vfs)
	}
	rc := sqlite3.Xsqlite3_open_v2(c.tls, name, out,
		sqlite3.SQLITE_OPEN_READWRITE|sqlite3.SQLITE_OPEN_CREATE|sqlite3.SQLITE_OPEN_NOFOLLOW|sqlite3.SQLITE_OPEN_EXRESCODE, shim)
	c.db = *at[uintptr](out)
	c.free(out)
	c.free(name)
	c.free(shim)
	if rc != sqlite3.SQLITE_OK {
		err := c.failure(rc)
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *conn) close() {
	if c.db != 0 {
		sqlite3.Xsqlite3_close_v2(c.tls, c.db)
		c.db = 0
	}
	c.tls.Close()
}

// failure is the connection's last error.
func (c *conn) failure(rc int32) error {
	if c.db == 0 {
		return &sqliteError{code: rc, message: "cannot open", offset: -1}
	}
	return &sqliteError{
		code:    rc,
		message: libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.db)),
		offset:  int(sqlite3.Xsqlite3_error_offset(c.tls, c.db)),
	}
}

// configure sets one of the connection's switches, SQLITE_DBCONFIG_….
func (c *conn) configure(option int32, on bool) error {
	args := c.out(2)
	defer c.free(args)
	if rc := sqlite3.Xsqlite3_db_config(c.tls, c.db, option, libc.VaList(args, libc.Bool32(on), uintptr(0))); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("db_config %d: %w", option, c.failure(rc))
	}
	return nil
}

// limit sets one of the connection's limits, SQLITE_LIMIT_….
func (c *conn) limit(id, value int32) { sqlite3.Xsqlite3_limit(c.tls, c.db, id, value) }

// inTransaction is false as soon as a transaction has ended, silently or not.
func (c *conn) inTransaction() bool { return sqlite3.Xsqlite3_get_autocommit(c.tls, c.db) == 0 }

// totalChanges counts rows changed since the connection was opened, by triggers and
// foreign keys too.
func (c *conn) totalChanges() int64 { return sqlite3.Xsqlite3_total_changes64(c.tls, c.db) }

// changes counts rows that the last INSERT, UPDATE or DELETE itself changed.
func (c *conn) changes() int64 { return sqlite3.Xsqlite3_changes64(c.tls, c.db) }

func (c *conn) lastInsertID() int64 { return sqlite3.Xsqlite3_last_insert_rowid(c.tls, c.db) }

// deferredForeignKeys tells whether rows are still missing that deferred constraints want.
func (c *conn) deferredForeignKeys() bool {
	out := c.out(2)
	defer c.free(out)
	sqlite3.Xsqlite3_db_status(c.tls, c.db, sqlite3.SQLITE_DBSTATUS_DEFERRED_FKS, out, out+8, 0)
	return *at[int32](out) != 0
}

// maxPages caps the database at about this many bytes. The cap lasts as long as the
// connection; a database that is larger already keeps what it has.
func (c *conn) maxPages(bytes int64) error {
	return c.exec(fmt.Sprintf("PRAGMA max_page_count = %d", max(bytes/pageSize, 1)))
}

// statement is a prepared statement and the memory bound to it.
type statement struct {
	c     *conn
	p     uintptr
	bound []uintptr
}

// prepare compiles the first statement of sql; tail is where the text after it begins. It
// gives nil if there is nothing but comments and space.
func (c *conn) prepare(sql string) (s *statement, tail int, err error) {
	text := c.cBytes(sql)
	if text == 0 {
		return nil, 0, &sqliteError{code: sqlite3.SQLITE_NOMEM, message: "out of memory", offset: -1}
	}
	defer c.free(text)
	out := c.out(2)
	defer c.free(out)
	rc := sqlite3.Xsqlite3_prepare_v3(c.tls, c.db, text, int32(len(sql)+1), 0, out, out+8)
	if rc != sqlite3.SQLITE_OK {
		return nil, 0, c.failure(rc)
	}
	p := *at[uintptr](out)
	tail = int(*at[uintptr](out + 8) - text)
	if p == 0 {
		return nil, tail, nil
	}
	return &statement{c: c, p: p}, tail, nil
}

func (s *statement) close() {
	sqlite3.Xsqlite3_finalize(s.c.tls, s.p)
	for _, p := range s.bound {
		s.c.free(p)
	}
}

// step runs to the next row; false is the end.
func (s *statement) step() (bool, error) {
	switch rc := sqlite3.Xsqlite3_step(s.c.tls, s.p); rc {
	case sqlite3.SQLITE_ROW:
		return true, nil
	case sqlite3.SQLITE_DONE:
		return false, nil
	default:
		return false, s.c.failure(rc)
	}
}

func (s *statement) readOnly() bool { return sqlite3.Xsqlite3_stmt_readonly(s.c.tls, s.p) != 0 }

// columns are the names of what the statement answers; nil if it returns no rows.
func (s *statement) columns() []string {
	n := sqlite3.Xsqlite3_column_count(s.c.tls, s.p)
	if n == 0 {
		return nil
	}
	names := make([]string, n)
	for i := range names {
		names[i] = libc.GoString(sqlite3.Xsqlite3_column_name(s.c.tls, s.p, int32(i)))
	}
	return names
}

// value is a cell of the current row: nil, int64, float64, string or []byte.
func (s *statement) value(column int) any {
	i := int32(column)
	switch s.kind(column) {
	case sqlite3.SQLITE_INTEGER:
		return int64(sqlite3.Xsqlite3_column_int64(s.c.tls, s.p, i))
	case sqlite3.SQLITE_FLOAT:
		return sqlite3.Xsqlite3_column_double(s.c.tls, s.p, i)
	case sqlite3.SQLITE_TEXT:
		text := sqlite3.Xsqlite3_column_text(s.c.tls, s.p, i)
		return string(bytesAt(text, s.bytes(column)))
	case sqlite3.SQLITE_BLOB:
		blob := sqlite3.Xsqlite3_column_blob(s.c.tls, s.p, i)
		return bytesAt(blob, s.bytes(column))
	}
	return nil
}

// kind is SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB or SQLITE_NULL.
func (s *statement) kind(column int) int32 {
	return sqlite3.Xsqlite3_column_type(s.c.tls, s.p, int32(column))
}

// bytes is the length of a text or blob cell.
func (s *statement) bytes(column int) int {
	return int(sqlite3.Xsqlite3_column_bytes(s.c.tls, s.p, int32(column)))
}

// parameters are the names of the statement's parameters, "" for a plain ?.
func (s *statement) parameters() []string {
	names := make([]string, sqlite3.Xsqlite3_bind_parameter_count(s.c.tls, s.p))
	for i := range names {
		if name := sqlite3.Xsqlite3_bind_parameter_name(s.c.tls, s.p, int32(i+1)); name != 0 {
			names[i] = libc.GoString(name)
		}
	}
	return names
}

// bind sets the parameter at i, which counts from 1, to nil, int64, float64, string or []byte.
func (s *statement) bind(i int, value any) error {
	var rc int32
	switch v := value.(type) {
	case nil:
		rc = sqlite3.Xsqlite3_bind_null(s.c.tls, s.p, int32(i))
	case int64:
		rc = sqlite3.Xsqlite3_bind_int64(s.c.tls, s.p, int32(i), v)
	case float64:
		rc = sqlite3.Xsqlite3_bind_double(s.c.tls, s.p, int32(i), v)
	case string:
		rc = sqlite3.Xsqlite3_bind_text(s.c.tls, s.p, int32(i), s.keep(v), int32(len(v)), 0)
	case []byte:
		if len(v) == 0 { // a null pointer would bind NULL
			rc = sqlite3.Xsqlite3_bind_zeroblob(s.c.tls, s.p, int32(i), 0)
			break
		}
		rc = sqlite3.Xsqlite3_bind_blob(s.c.tls, s.p, int32(i), s.keep(string(v)), int32(len(v)), 0)
	default:
		return fmt.Errorf("bind %T", value)
	}
	if rc != sqlite3.SQLITE_OK {
		return s.c.failure(rc)
	}
	return nil
}

// keep copies data to C's heap until the statement is closed.
func (s *statement) keep(data string) uintptr {
	p := s.c.cBytes(data)
	s.bound = append(s.bound, p)
	return p
}

// query runs one of the package's own statements and gives all its rows.
func (c *conn) query(sql string, args ...any) ([][]any, error) {
	s, _, err := c.prepare(sql)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sql, err)
	}
	defer s.close()
	for i, arg := range args {
		if err := s.bind(i+1, arg); err != nil {
			return nil, fmt.Errorf("%s: %w", sql, err)
		}
	}
	var rows [][]any
	columns := len(s.columns())
	for {
		more, err := s.step()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sql, err)
		}
		if !more {
			return rows, nil
		}
		row := make([]any, columns)
		for i := range row {
			row[i] = s.value(i)
		}
		rows = append(rows, row)
	}
}

// exec runs one of the package's own statements.
func (c *conn) exec(sql string, args ...any) error {
	_, err := c.query(sql, args...)
	return err
}

// number runs one of the package's own statements that answers one integer.
func (c *conn) number(sql string) (int64, error) {
	rows, err := c.query(sql)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	n, _ := rows[0][0].(int64)
	return n, nil
}
