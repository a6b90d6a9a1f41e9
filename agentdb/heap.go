package agentdb

import (
	"fmt"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// LimitHeap caps what SQLite may allocate in this whole process, in bytes; a statement that
// needs more fails with memory_limit. It must come before anything in the process opens a
// database, and is meant for a process that holds one and nothing else.
//
// A statement can hold hundreds of values of 10 MB at once. Where only an RLIMIT_DATA is in
// the way, one that ran into it leaves the process without room: the allocator rounds
// regions up to powers of two and keeps as many of them, once freed, as were ever in use,
// so that later statements fail for want of other sizes. A quarter of what the process may
// map leaves room for that: 128 MB under 768 were measured to be enough.
func LimitHeap(bytes int64) error {
	tls := libc.NewTLS()
	defer tls.Close()
	args := libc.Xmalloc(tls, 8)
	defer libc.Xfree(tls, args)
	if rc := sqlite3.Xsqlite3_config(tls, sqlite3.SQLITE_CONFIG_MEMSTATUS, libc.VaList(args, int32(1))); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("count SQLite's memory: result %d: it is in use already", rc)
	}
	sqlite3.Xsqlite3_hard_heap_limit64(tls, bytes)
	return nil
}
