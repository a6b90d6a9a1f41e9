package agentdb

import (
	"fmt"
	"os"
	"path/filepath"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/sandboxd/sandboxd/problem"
)

// spill is a file system shim under one connection. SQLite itself puts no limit on what a
// sort, a temporary table or a statement journal writes beside the database (1.9 GB in 3 s
// were measured), nor lets each connection choose where. The shim passes everything on to
// SQLite's own file system, but opens temporary files in a folder of the database and
// counts what they hold.
//
// Beyond max the running statement is interrupted, which keeps the transaction if the
// statement only reads; beyond hard, writes fail.
type spill struct {
	max, hard int64 // bytes
	used      int64
	refused   bool // a write of this turn

	name     uintptr // of the shim, as C has it
	path     uintptr // of the next temporary file; the name is free again at once
	vfs      uintptr
	original uintptr // SQLite's own
	methods  uintptr // of temporary files, a tempMethods
	base     *sqlite3.Tsqlite3_io_methods
}

// tempMethods are what SQLite calls on a temporary file, and whose file it is.
type tempMethods struct {
	sqlite3.Tsqlite3_io_methods
	guard uintptr
}

// tempFile is the shim's own part of an open file, behind SQLite's.
type tempFile struct{ size int64 }

// newSpill registers a shim whose temporary files are in dir, which it empties.
func newSpill(c *libc.TLS, g *guard, dir string, max int64) (*spill, error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	original := sqlite3.Xsqlite3_vfs_find(c, 0)
	if original == 0 {
		return nil, fmt.Errorf("sqlite has no file system")
	}
	mem := &conn{tls: c}
	s := &spill{
		max: max, hard: max + max/16,
		name:     mem.cBytes(fmt.Sprintf("agentdb-%d", g.id)),
		path:     mem.cBytes(filepath.Join(dir, "spill") + "\x00\x00"),
		vfs:      libc.Xcalloc(c, 1, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_vfs{}))),
		methods:  libc.Xcalloc(c, 1, libc.Tsize_t(unsafe.Sizeof(tempMethods{}))),
		original: original,
	}
	vfs := at[sqlite3.Tsqlite3_vfs](s.vfs)
	*vfs = *at[sqlite3.Tsqlite3_vfs](original)
	vfs.FpNext, vfs.FzName, vfs.FpAppData = 0, s.name, g.id
	vfs.FszOsFile += int32(unsafe.Sizeof(tempFile{}))
	vfs.FxOpen = callback(onOpen)
	if rc := sqlite3.Xsqlite3_vfs_register(c, s.vfs, 0); rc != sqlite3.SQLITE_OK {
		return nil, fmt.Errorf("register file system: %d", rc)
	}
	return s, nil
}

// close takes the shim away; no file of it may be open any more.
func (s *spill) close(tls *libc.TLS) {
	sqlite3.Xsqlite3_vfs_unregister(tls, s.vfs)
	for _, p := range []uintptr{s.name, s.path, s.vfs, s.methods} {
		libc.Xfree(tls, p)
	}
}

func (s *spill) problem() *problem.Error {
	return problem.New(problem.TooComplex, "the statement needs more than the %d MB of temporary space there is", s.max>>20).
		WithHint("Sort, group or join fewer rows: filter first, or add an index on the columns that it orders by.")
}

// grow accounts for a file's end moving, and says whether it may.
func (s *spill) grow(f *tempFile, end int64) bool {
	if end <= f.size {
		return true
	}
	if s.used+end-f.size > s.hard {
		s.refused = true
		return false
	}
	s.used += end - f.size
	f.size = end
	return true
}

func (s *spill) shrink(f *tempFile, end int64) {
	if end < f.size {
		s.used -= f.size - end
		f.size = end
	}
}

func onOpen(tls *libc.TLS, vfs, name, file uintptr, flags int32, outFlags uintptr) int32 {
	g := guardOf(at[sqlite3.Tsqlite3_vfs](vfs).FpAppData)
	s := g.spill
	temporary := name == 0
	if temporary {
		name = s.path // created exclusively and unlinked while it is opened
	}
	original := at[sqlite3.Tsqlite3_vfs](s.original)
	open := *(*func(*libc.TLS, uintptr, uintptr, uintptr, int32, uintptr) int32)(unsafe.Pointer(&struct{ uintptr }{original.FxOpen}))
	rc := open(tls, s.original, name, file, flags, outFlags)
	if rc != sqlite3.SQLITE_OK || !temporary {
		return rc
	}
	opened := at[sqlite3.Tsqlite3_file](file)
	if s.base == nil {
		s.base = at[sqlite3.Tsqlite3_io_methods](opened.FpMethods)
		methods := at[tempMethods](s.methods)
		*methods = tempMethods{*s.base, g.id}
		methods.FiVersion = 1 // no mapping into memory, and no growing ahead of a write
		methods.FxWrite = callback(onTempWrite)
		methods.FxTruncate = callback(onTempTruncate)
		methods.FxClose = callback(onTempClose)
	}
	*at[tempFile](file + uintptr(original.FszOsFile)) = tempFile{}
	opened.FpMethods = s.methods
	return rc
}

// tempOf finds the shim of a temporary file, and its part of it.
func tempOf(file uintptr) (*spill, *tempFile) {
	s := guardOf(at[tempMethods](at[sqlite3.Tsqlite3_file](file).FpMethods).guard).spill
	return s, at[tempFile](file + uintptr(at[sqlite3.Tsqlite3_vfs](s.original).FszOsFile))
}

func onTempWrite(tls *libc.TLS, file, data uintptr, amount int32, offset int64) int32 {
	s, f := tempOf(file)
	if !s.grow(f, offset+int64(amount)) {
		return sqlite3.SQLITE_FULL
	}
	write := *(*func(*libc.TLS, uintptr, uintptr, int32, int64) int32)(unsafe.Pointer(&struct{ uintptr }{s.base.FxWrite}))
	return write(tls, file, data, amount, offset)
}

func onTempTruncate(tls *libc.TLS, file uintptr, size int64) int32 {
	s, f := tempOf(file)
	truncate := *(*func(*libc.TLS, uintptr, int64) int32)(unsafe.Pointer(&struct{ uintptr }{s.base.FxTruncate}))
	rc := truncate(tls, file, size)
	if rc == sqlite3.SQLITE_OK {
		s.shrink(f, size)
	}
	return rc
}

func onTempClose(tls *libc.TLS, file uintptr) int32 {
	s, f := tempOf(file)
	s.shrink(f, 0)
	closeFile := *(*func(*libc.TLS, uintptr) int32)(unsafe.Pointer(&struct{ uintptr }{s.base.FxClose}))
	return closeFile(tls, file)
}
