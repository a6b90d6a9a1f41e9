//go:build linux

package worker

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

func startWithDBs(t *testing.T, c Config) (*Pool, string) {
	root := t.TempDir()
	c.DBDir = func(workspace string) (string, error) { return filepath.Join(root, workspace, "db"), nil }
	return start(t, c), root
}

// sql runs statements in a transaction and gives the last one's answer.
func sql(t *testing.T, db *AgentDB, statements ...string) (result *host.QueryResult, err error) {
	t.Helper()
	if err := db.Begin(t.Context()); err != nil {
		return nil, err
	}
	for _, s := range statements {
		if result, err = db.Query(t.Context(), host.Query{SQL: s}); err != nil {
			return nil, err
		}
	}
	return result, db.Commit(t.Context(), t.Name(), nil)
}

func open(t *testing.T, p *Pool, workspace string) *AgentDB {
	t.Helper()
	db, err := p.AgentDB(t.Context(), workspace)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

func TestAgentDB(t *testing.T) {
	p, root := startWithDBs(t, Config{Size: 1})
	a := open(t, p, "a")
	result, err := sql(t, a, "create table t (n)", "insert into t values (1), (2.5), ('x')", "select n from t")
	if err != nil || !reflect.DeepEqual(result.Rows, [][]any{{int64(1)}, {2.5}, {"x"}}) {
		t.Fatalf("%+v, %v", result, err)
	}
	if _, err := os.Stat(filepath.Join(root, "a", "db", "agent.db")); err != nil {
		t.Error(err)
	}
	// Another user of the same workspace shares the process, another workspace does not.
	if same := open(t, p, "a"); same.owner != a.owner {
		t.Error("two processes for one database")
	}
	other := open(t, p, "b")
	if other.owner == a.owner {
		t.Error("one process for two databases")
	}
	if _, err := sql(t, other, "select n from t"); problem.CodeOf(err) != problem.SQLError {
		t.Errorf("another workspace's table: %v", err)
	}
}

// The process holds no more than its folder, and the SQL in it no more than its database.
func TestAgentDBIsConfined(t *testing.T) {
	p, root := startWithDBs(t, Config{Size: 1})
	if err := os.WriteFile(filepath.Join(root, "outside.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	db := open(t, p, "a")
	for _, s := range []string{"attach '" + root + "/outside.db' as o", "vacuum into '" + root + "/copy.db'"} {
		if _, err := sql(t, db, s); err == nil {
			t.Errorf("%s passed", s)
		}
		if err := db.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if abi, err := landlockABI(); err != nil {
		t.Skip("no landlock here:", err, abi)
	}
	// What the SQL is refused by SQLite, the process is refused by the kernel: the folder
	// above its own does not open, even for its own uid.
	target, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Skip(err)
	}
	on := newSpawner(pathRules(target, reach{dbDir: filepath.Join(root, "a", "db")}))
	defer on.stop()
	l, err := newLauncher("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	probe, err := l.launch(t.Context(), on, settings{Role: roleProbe, Limits: limits.Default(), NoSeccomp: true, Dir: root})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { probe.kill(""); <-probe.exited }()
	for _, attempt := range []string{"open a file", "list a folder", "create a file", "start a program"} {
		var answer tried
		if err := probe.conn.Call(t.Context(), methodTry, attempt, &answer); err != nil || answer.Error == "" {
			t.Errorf("%s: %q, %v", attempt, answer.Error, err)
		}
	}
}

func TestAgentDBDies(t *testing.T) {
	p, _ := startWithDBs(t, Config{Size: 1})
	db := open(t, p, "a")
	if _, err := sql(t, db, "create table t (n)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Query(t.Context(), host.Query{SQL: "insert into t values (1)"}); err != nil {
		t.Fatal(err)
	}
	killPid(t, db.owner.process.cmd.Process.Pid)
	if _, err := db.Query(t.Context(), host.Query{SQL: "select 1"}); err == nil {
		t.Error("a dead database answered")
	}
	if db.Alive() {
		t.Error("a dead database is alive")
	}
	again := open(t, p, "a")
	result, err := sql(t, again, "select count(*) from t")
	if err != nil || result.Rows[0][0] != int64(0) {
		t.Errorf("after its death: %+v, %v; the open transaction must be gone", result, err)
	}
}

func TestAgentDBLimits(t *testing.T) {
	hasty, _ := startWithDBs(t, Config{Size: 1, Limits: limits.Limits{SQLTime: 300 * time.Millisecond}})
	db := open(t, hasty, "a")
	const numbers = "with recursive n(i) as (select 1 union all select i+1 from n) "
	if _, err := sql(t, db, numbers+"select count(*) from n"); problem.CodeOf(err) != problem.Timeout {
		t.Errorf("a query for ever: %v", err)
	}
	// With a grace that a slow machine keeps: the process is not to be killed, but to heed.
	p, _ := startWithDBs(t, Config{Size: 1, Grace: time.Minute, Limits: limits.Limits{DBBytes: 8 * limits.MB}})
	db = open(t, p, "a")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := db.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if _, err := db.Query(ctx, host.Query{SQL: numbers + "select count(*) from n"}); err == nil || time.Since(began) > time.Minute {
		t.Errorf("a cancelled query: %v after %v", err, time.Since(began))
	}
	_ = db.Rollback(t.Context())
	if _, err := sql(t, db, "create table big (x)", numbers+"insert into big select randomblob(100000) from n limit 1000"); problem.CodeOf(err) != problem.DBFull {
		t.Errorf("a full database: %v", err)
	}
	_ = db.Rollback(t.Context())
	if _, err := sql(t, open(t, p, "a"), "select 1"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestAgentDBIdleIsEnded(t *testing.T) {
	p, _ := startWithDBs(t, Config{Size: 1, IdleTTL: 40 * time.Millisecond})
	db, err := p.AgentDB(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sql(t, db, "create table t (n)"); err != nil {
		t.Fatal(err)
	}
	process := db.owner.process
	db.Close()
	db.Close() // again is nothing
	waitFor(t, func() bool {
		select {
		case <-process.exited:
			return true
		default:
			return false
		}
	})
	if code := process.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("it was let go and ended with %d: %s", code, process.stderr)
	}
	if _, err := sql(t, open(t, p, "a"), "select * from t"); err != nil {
		t.Error(err)
	}
}

func TestAgentDBNeedsAFolder(t *testing.T) {
	p := start(t, Config{Size: 1})
	if _, err := p.AgentDB(t.Context(), "a"); problem.CodeOf(err) != problem.EngineMissing {
		t.Error(err)
	}
}
