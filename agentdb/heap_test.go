package agentdb

import (
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/problem"
)

// A statement may hold many long values at once, and the cap on memory ends it, not the process.
func TestMemoryIsCapped(t *testing.T) {
	heavy(t)
	db := open(t)
	begin(t, db)
	sql(t, db, "CREATE TABLE t (a)")
	values := strings.Repeat("zeroblob(9000000)||'',", 40)
	e := refused(t, db, problem.MemoryLimit, "SELECT "+values+"1")
	if !strings.Contains(e.Hint, "fewer") {
		t.Errorf("hint: %s", e.Hint)
	}
	if db.run.ended != nil {
		db.Rollback(t.Context())
		begin(t, db)
	}
	sql(t, db, "SELECT length(randomblob(9000000))") // the memory is free again
}

func TestLimitHeapComesFirst(t *testing.T) {
	open(t)
	if err := LimitHeap(1 << 30); err == nil {
		t.Error("it was taken after a database had been opened")
	}
}
