package agentdb

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
)

// killDir is set for the process that TestKill kills.
const killDir = "AGENTDB_KILL_DIR"

// keepCommitting commits runs 1, 2, 3, … after from, saying each before and after, until it
// is killed. Run n sets the one row of counter to n, and leaves a row in done.
func keepCommitting(dir string) error {
	ctx := context.Background()
	db, err := Open(ctx, Config{Dir: dir, Limits: limits.Limits{DBBytes: 64 * limits.MB}})
	if err != nil {
		return err
	}
	n, err := lastRun(ctx, db)
	if err != nil {
		return err
	}
	for {
		n++
		if err := db.Begin(ctx); err != nil {
			return err
		}
		for _, query := range []host.Query{
			{SQL: "UPDATE counter SET n = ?", Params: []any{n}},
			{SQL: "INSERT INTO done VALUES (?, randomblob(?))", Params: []any{n, n % 20_000}},
			{SQL: "DELETE FROM done WHERE n < ?", Params: []any{n - 50}},
		} {
			if _, err := db.Query(ctx, query); err != nil {
				return err
			}
		}
		if _, err := db.Prepare(ctx); err != nil {
			return err
		}
		if n%3 == 0 { // this run is not to be
			if err := db.Rollback(ctx); err != nil {
				return err
			}
			continue
		}
		fmt.Println("commit", n)
		if err := db.Commit(ctx, strconv.FormatInt(n, 10), []byte("redo")); err != nil {
			return err
		}
		fmt.Println("committed", n)
	}
}

func lastRun(ctx context.Context, db *DB) (int64, error) {
	if err := db.Begin(ctx); err != nil {
		return 0, err
	}
	defer db.Rollback(ctx)
	result, err := db.Query(ctx, host.Query{SQL: "SELECT n FROM counter"})
	if err != nil {
		return 0, err
	}
	return result.Rows[0][0].(int64), nil
}

// A process that is killed at any moment leaves the last run that it committed, whole and
// with its marker, or the one that it was about to commit, and nothing of any other.
func TestKill(t *testing.T) {
	heavy(t)
	kills := 40
	if testing.Short() {
		kills = 5
	}
	dir := t.TempDir()
	db, err := Open(t.Context(), Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	runSQL(t, db, "0", "CREATE TABLE counter (n)", "INSERT INTO counter VALUES (0)", "CREATE TABLE done (n INTEGER PRIMARY KEY, b)")
	db.Close()
	between := 0 // killed while a commit was under way
	last := int64(0)
	for range kills {
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env = append(os.Environ(), killDir+"="+dir)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		began, committed := last, last
		some := rand.IntN(6) // what it does first: a slow one would be dead before its first commit
		for heard := 0; lines.Scan(); heard++ {
			if heard == some {
				time.AfterFunc(time.Duration(rand.IntN(50_000))*time.Microsecond, func() { child.Process.Kill() })
			}
			what, number, _ := strings.Cut(lines.Text(), " ")
			n, err := strconv.ParseInt(number, 10, 64)
			if err != nil {
				t.Fatalf("the process says %q", lines.Text())
			}
			if began = n; what == "committed" {
				committed = n
			}
		}
		child.Wait()
		if began != committed {
			between++
		}
		db, err := Open(t.Context(), Config{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		list, err := db.Markers(t.Context())
		if err != nil || len(list) != 1 {
			t.Fatalf("markers %v, %v", list, err)
		}
		begin(t, db)
		n := rows(t, db, "SELECT n FROM counter")[0][0].(int64)
		if n != committed && n != began {
			t.Errorf("run %d is there; %d was committed, %d begun", n, committed, began)
		}
		if list[0].RunID != strconv.FormatInt(n, 10) {
			t.Errorf("run %d is there with the marker of %s", n, list[0].RunID)
		}
		if got := rows(t, db, "SELECT max(n), count(*) FILTER (WHERE n % 3 = 0) FROM done")[0]; n > 0 && (got[0] != n || got[1] != int64(0)) {
			t.Errorf("run %d left the rows %v", n, got)
		}
		if got := rows(t, db, "PRAGMA integrity_check"); got[0][0] != "ok" {
			t.Errorf("integrity: %v", got)
		}
		db.Close()
		last = n
	}
	t.Logf("%d kills, %d of them in a commit, %d runs", kills, between, last)
	if last == 0 {
		t.Error("nothing was ever committed")
	}
}
