package agentdb

import (
	"fmt"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

const countTo = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT %s FROM n"

// A run may have less than the database, never more, and the next run is not bound by it.
func TestARunHasLimitsOfItsOwn(t *testing.T) {
	heavy(t)
	db, err := Open(t.Context(), Config{Dir: t.TempDir(), Limits: limits.Limits{SQLRows: 20, SQLTime: ample, DBBytes: 4 * limits.MB}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i, c := range []struct {
		limits limits.Limits
		rows   int
		full   problem.Code // of 2 MB
	}{
		{limits.Limits{SQLRows: 5}, 5, ""},
		{limits.Limits{SQLTime: 50 * time.Millisecond}, 0, ""},
		{limits.Limits{DBBytes: limits.MB}, 20, problem.DBFull},
		{limits.Limits{SQLRows: 1000}, 20, ""},
		{limits.Limits{}, 20, ""},
	} {
		if err := db.BeginWithin(t.Context(), c.limits); err != nil {
			t.Fatal(err)
		}
		if c.limits.SQLTime > 0 { // the least statement may take longer where others want to run
			if _, err := db.Query(t.Context(), host.Query{SQL: endless}); problem.CodeOf(err) != problem.Timeout {
				t.Errorf("%d: counting without end: %v", i, err)
			}
			if err := db.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
			continue
		}
		result, err := db.Query(t.Context(), host.Query{SQL: fmt.Sprintf(countTo, 30, "i")})
		if err != nil || len(result.Rows) != c.rows || !result.Truncated {
			t.Errorf("%d: %+v, %v; want %d rows", i, result, err, c.rows)
		}
		if _, err = db.Query(t.Context(), host.Query{SQL: fmt.Sprintf(countTo, 500_000, "count(*)")}); err != nil {
			t.Errorf("%d: counting far: %v", i, err)
		}
		for _, sql := range []string{"CREATE TABLE t (b BLOB)", "INSERT INTO t VALUES (randomblob(2000000))"} {
			_, err = db.Query(t.Context(), host.Query{SQL: sql})
		}
		if problem.CodeOf(err) != c.full {
			t.Errorf("%d: 2 MB: %v, want %q", i, err, c.full)
		}
		if err := db.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
