package agentdb

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/sandboxd/sandboxd/limits"
)

func BenchmarkQuery(b *testing.B) {
	for _, bench := range []struct {
		name   string
		sql    string
		params []any
	}{
		{"select 1", "SELECT 1", nil},
		{"by key", "SELECT name, total FROM account WHERE id = ?", []any{int64(500)}},
		{"insert", "INSERT INTO entry (account, amount) VALUES (?, ?)", []any{int64(7), 1.5}},
		{"1000 rows", "SELECT * FROM account LIMIT 1000", nil},
		{"sum over 100k", "SELECT sum(i) FROM big", nil},
	} {
		b.Run(bench.name, func(b *testing.B) {
			db := open(b, func(c *Config) { c.Limits.DBBytes = limits.GB })
			begin(b, db)
			sql(b, db, "CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT, total REAL)")
			sql(b, db, "CREATE TABLE entry (id INTEGER PRIMARY KEY, account, amount)")
			sql(b, db, "CREATE TABLE big (i)")
			sql(b, db, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) INSERT INTO account SELECT i, 'name ' || i, i * 1.5 FROM n")
			sql(b, db, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) INSERT INTO big SELECT i FROM n")
			for b.Loop() {
				sql(b, db, bench.sql, bench.params...)
			}
		})
	}
}

// BenchmarkRun is a whole run: begin, one insert, prepare with its changeset, commit.
func BenchmarkRun(b *testing.B) {
	db := open(b, func(c *Config) { c.Limits.DBBytes = limits.GB })
	begin(b, db)
	sql(b, db, "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)")
	commit(b, db, "one")
	n := 0
	for b.Loop() {
		n++
		begin(b, db)
		sql(b, db, "INSERT INTO t (a, b) VALUES (?, ?)", int64(n), "some text")
		commit(b, db, strconv.Itoa(n))
	}
}

// BenchmarkRecording shows what the session costs: the same insert with and without it.
func BenchmarkRecording(b *testing.B) {
	for _, on := range []bool{true, false} {
		b.Run(fmt.Sprint(on), func(b *testing.B) {
			db := open(b, func(c *Config) { c.Limits.DBBytes = limits.GB })
			begin(b, db)
			sql(b, db, "CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
			if !on {
				db.guard.stopRecording()
			}
			for b.Loop() {
				sql(b, db, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000) INSERT INTO t (a) SELECT i FROM n")
				sql(b, db, "DELETE FROM t")
			}
		})
	}
}
