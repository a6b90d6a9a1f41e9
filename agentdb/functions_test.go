package agentdb

import (
	"reflect"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host"
)

// plainConn is SQLite without what this package does to it.
func plainConn(t testing.TB) *conn {
	t.Helper()
	c, err := openConn(t.TempDir()+"/plain.db", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.close)
	return c
}

// functionCases are arguments of instr and replace on which implementations differ.
var functionCases = []any{
	nil, "", "a", "aa", "aaa", "ab", "aba", "abab", "é", "ée", "xéy", "é\x80", "\x80", "\x80\x80", "\xc3", "😀a😀", "a\x00b", "\x00", "\x00a",
	[]byte{}, []byte("a"), []byte("aba"), []byte{0x80}, []byte{0xc3, 0xa9}, []byte{0, 1}, int64(121), int64(2), 1.5, "1.5", "21",
}

func TestFunctionsAnswerAsSQLitesDo(t *testing.T) {
	ours, theirs := open(t), plainConn(t)
	compare := func(sql string, args ...any) {
		t.Helper()
		want, err := theirs.query(sql, args...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ours.conn.query(sql, args...)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s %q: got %#v, want %#v", sql, args, got, want)
		}
	}
	for _, a := range functionCases {
		for _, b := range functionCases {
			compare("SELECT instr(?1, ?2), typeof(?1), typeof(?2)", a, b)
			for _, c := range []any{nil, "", "é", "long replacement", []byte{0xff}, int64(7)} {
				compare("SELECT replace(?1, ?2, ?3)", a, b, c)
			}
		}
	}
	// The column keeps its type beside the call.
	compare("WITH w(b) AS (SELECT x'6162') SELECT instr(b, 'b'), typeof(b), replace(b, 'a', 'c') FROM w")
}

func TestFunctionsAreLinear(t *testing.T) {
	heavy(t)
	db := open(t, func(c *Config) { c.Limits.DBBytes = 64 << 20 })
	begin(t, db)
	sql(t, db, "CREATE TABLE t (a)")
	sql(t, db, "INSERT INTO t VALUES (hex(zeroblob(4900000)))")
	sql(t, db, "CREATE INDEX i ON t (instr(a, 'x'), replace('a', 'b', 'c'))") // as SQLite's own, they may stand in a schema
	for _, text := range []string{
		"SELECT instr(a, substr(a, 1, 4900000) || '1') FROM t",
		"SELECT length(replace(a, substr(a, 1, 4900000) || '1', 'x')) FROM t",
		"SELECT length(replace(a, '0', '')) FROM t",
		"SELECT instr(CAST(replace(a, '0', CAST(x'80' AS TEXT)) AS TEXT), CAST(x'8080' AS TEXT)) FROM t",
	} {
		start := time.Now()
		if _, err := db.Query(t.Context(), host.Query{SQL: text}); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > slack {
			t.Errorf("%s took %v", text, took)
		}
	}
}

// FuzzFunctions compares the two on arbitrary bytes.
func FuzzFunctions(f *testing.F) {
	f.Add("aXbXc", "X", "é")
	f.Add("\x80\x80a", "\x80", "")
	ours, theirs := open(f), plainConn(f)
	f.Fuzz(func(t *testing.T, a, b, c string) {
		for _, sql := range []string{"SELECT instr(?1, ?2), replace(?1, ?2, ?3)", "SELECT instr(CAST(?1 AS BLOB), ?2), instr(CAST(?1 AS BLOB), CAST(?2 AS BLOB)), ?3"} {
			want, err := theirs.query(sql, a, b, c)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ours.conn.query(sql, a, b, c)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %#v, %v, want %#v", sql, got, err, want)
			}
		}
	})
}
