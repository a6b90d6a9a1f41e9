package agentdb

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// numbered is a source of n rows: the row's number, its text, and what nobody should read.
func numbered(t testing.TB, n int) Source {
	return Source{Name: "sheet", Columns: []string{"n", "text", "secret"},
		Rows: func(ctx context.Context, wanted []int, add *Adder) error {
			for row := 1; row <= n; row++ {
				for at, column := range wanted {
					switch column {
					case 0:
						add.Int(at, int64(row))
					case 1:
						add.Text(at, fmt.Sprint("row ", row))
					default:
						t.Error("a column was read that the statement does not name")
					}
				}
				if err := add.Row(int64(row)); err != nil {
					return err
				}
			}
			return nil
		}}
}

func ask(t testing.TB, l limits.Limits, sql string, params ...any) (*host.QueryResult, error) {
	return Ask(t.Context(), l, []Source{numbered(t, 1000)}, host.Query{SQL: sql, Params: params})
}

func TestAsk(t *testing.T) {
	for _, test := range []struct {
		sql  string
		want [][]any
	}{
		{"SELECT count(*) FROM sheet", [][]any{{int64(1000)}}},
		{"SELECT n, text FROM sheet WHERE n > 998", [][]any{{int64(999), "row 999"}, {int64(1000), "row 1000"}}},
		{"SELECT rowid FROM sheet WHERE text = 'row 7'", [][]any{{int64(7)}}},
		{"WITH big AS (SELECT n FROM sheet WHERE n > 500) SELECT sum(a.n = b.n) FROM big a JOIN sheet b ON a.n = b.n", [][]any{{int64(500)}}},
		{"SELECT 1", [][]any{{int64(1)}}},
	} {
		got, err := ask(t, limits.Limits{}, test.sql)
		if err != nil || !reflect.DeepEqual(got.Rows, test.want) {
			t.Errorf("%s: %v, %v", test.sql, got, err)
		}
	}
	got, err := ask(t, limits.Limits{SQLRows: 3}, "SELECT n FROM sheet")
	if err != nil || len(got.Rows) != 3 || !got.Truncated {
		t.Errorf("of a thousand rows three were asked for: %v, %v", got, err)
	}
}

func TestAskOnlyReads(t *testing.T) {
	for _, sql := range []string{
		"INSERT INTO sheet (n) VALUES (1)", "UPDATE sheet SET n = 0", "DELETE FROM sheet", "DROP TABLE sheet",
		"CREATE TABLE t (a)", "CREATE TEMP TABLE t (a)", "CREATE VIEW v AS SELECT 1", "CREATE VIRTUAL TABLE f USING fts5(a)",
		"ATTACH ':memory:' AS m", "ATTACH '/tmp/other.db' AS m", "VACUUM INTO '/tmp/copy.db'", "PRAGMA writable_schema = 1",
		"BEGIN", "COMMIT", "SAVEPOINT s", "ANALYZE", "REINDEX", "SELECT load_extension('x')", "SELECT * FROM pragma_database_list",
	} {
		if _, err := ask(t, limits.Limits{}, sql); err == nil || problem.CodeOf(err) != problem.Forbidden && problem.CodeOf(err) != problem.SQLError {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// A statement without an end, one that holds too much, and one that is not waited for.
func TestAskIsBounded(t *testing.T) {
	const endless = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r"
	start := time.Now()
	if _, err := ask(t, limits.Limits{SQLTime: 50 * time.Millisecond}, endless); problem.CodeOf(err) != problem.Timeout {
		t.Errorf("endless: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Ask(ctx, limits.Limits{}, []Source{numbered(t, 10)}, host.Query{SQL: endless}); problem.CodeOf(err) != problem.Timeout {
		t.Errorf("endless, with a context that ends: %v", err)
	}
	if took := time.Since(start); took > slack {
		t.Errorf("it took %v", took)
	}
	big := Source{Name: "sheet", Columns: []string{"a"}, Rows: func(ctx context.Context, wanted []int, add *Adder) error {
		text := strings.Repeat("x", 1<<20)
		for row := range int64(1000) {
			add.Text(0, text)
			if err := add.Row(row + 1); err != nil {
				return err
			}
		}
		return errors.New("a gigabyte fits into 4 MB")
	}}
	if _, err := Ask(t.Context(), limits.Limits{Memory: 16 << 20}, []Source{big}, host.Query{SQL: "SELECT a FROM sheet"}); problem.CodeOf(err) != problem.TooComplex {
		t.Errorf("a large source: %v", err)
	}
	// The whole process has 256 MB for SQLite in these tests.
	if _, err := ask(t, limits.Limits{}, "SELECT zeroblob(9000000) AS z FROM sheet ORDER BY length(z) * random()"); err == nil {
		t.Error("nine gigabytes were sorted in memory")
	}
	if _, err := ask(t, limits.Limits{}, "SELECT n FROM sheet"); err != nil {
		t.Errorf("after them: %v", err)
	}
}

func BenchmarkAsk100kx20(b *testing.B) {
	columns := make([]string, 20)
	for i := range columns {
		columns[i] = fmt.Sprintf("c%d", i)
	}
	source := Source{Name: "sheet", Columns: columns, Rows: func(ctx context.Context, wanted []int, add *Adder) error {
		for row := range int64(100_000) {
			for n, column := range wanted {
				if column%2 == 0 {
					add.Float(n, float64(row)*1.5)
				} else {
					add.Text(n, "some text")
				}
			}
			if err := add.Row(row + 1); err != nil {
				return err
			}
		}
		return nil
	}}
	for name, sql := range map[string]string{"all": "SELECT * FROM sheet ORDER BY c19, c0 DESC LIMIT 5", "two": "SELECT c1, sum(c2) FROM sheet GROUP BY c1"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Ask(b.Context(), limits.Limits{}, []Source{source}, host.Query{SQL: sql}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
