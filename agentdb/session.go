package agentdb

import (
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"
)

// record starts a session: SQLite's own recording of which rows change, from which a run's
// changeset is made.
func (g *guard) record() error {
	g.touched, g.sessionFull, g.analyzed, g.reshaped = map[string]bool{}, false, false, map[string]bool{}
	c := g.c
	out, main := c.out(1), c.cBytes("main")
	defer c.free(out)
	defer c.free(main)
	if rc := sqlite3.Xsqlite3session_create(c.tls, c.db, main, out); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("create session: %w", c.failure(rc))
	}
	g.session = *at[uintptr](out)
	for _, option := range []int32{sqlite3.SQLITE_SESSION_OBJCONFIG_SIZE, sqlite3.SQLITE_SESSION_OBJCONFIG_ROWID} {
		*at[int32](out) = 1
		if rc := sqlite3.Xsqlite3session_object_config(c.tls, g.session, option, out); rc != sqlite3.SQLITE_OK {
			return fmt.Errorf("configure session: %w", c.failure(rc))
		}
	}
	sqlite3.Xsqlite3session_table_filter(c.tls, g.session, callback(onSessionTable), g.id)
	if rc := sqlite3.Xsqlite3session_attach(c.tls, g.session, 0); rc != sqlite3.SQLITE_OK {
		return fmt.Errorf("attach session: %w", c.failure(rc))
	}
	return nil
}

func (g *guard) stopRecording() {
	if g.session != 0 {
		sqlite3.Xsqlite3session_delete(g.c.tls, g.session)
		g.session = 0
	}
}

// changeset is what the session has recorded, nil if it is more than max bytes.
func (g *guard) changeset(max int64) ([]byte, error) {
	c := g.c
	if g.sessionFull || sqlite3.Xsqlite3session_changeset_size(c.tls, g.session) > max {
		return nil, nil
	}
	out := c.out(2)
	defer c.free(out)
	if rc := sqlite3.Xsqlite3session_changeset(c.tls, g.session, out, out+8); rc != sqlite3.SQLITE_OK {
		return nil, &sqliteError{code: rc, message: "changeset", offset: -1}
	}
	p := *at[uintptr](out + 8)
	defer sqlite3.Xsqlite3_free(c.tls, p)
	data := bytesAt(p, int(*at[int32](out)))
	if data == nil {
		data = []byte{}
	}
	return data, nil
}
