package workspace_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/workspace"
)

// model is what must be so after any crash. Most of it is in the runs' ids; what was
// acknowledged comes from outside.
type model struct {
	acked map[string]bool
}

func newModel() *model { return &model{acked: map[string]bool{}} }

// checker collects what is wrong with a recovered folder.
type checker struct {
	t      *testing.T
	dir    string
	store  *workspace.Store
	dbs    *agentDBs
	db     *sql.DB
	faults []string
}

func (c *checker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// crashRun is a run's record.
type crashRun struct{ id, kind, workspace, status, undoneBy string }

func (r crashRun) inEffect() bool {
	return r.kind == workspace.KindScript && r.status == workspace.StatusOK && r.undoneBy == ""
}

// check opens the folder, which recovers it, and looks at everything.
func (m *model) check(t *testing.T, dir string) []string {
	t.Helper()
	c := &checker{t: t, dir: dir, dbs: newAgentDBs(nil, dir)}
	defer c.dbs.close()
	var err error
	c.store, err = workspace.Open(context.Background(), workspace.Config{Dir: dir, AgentDBs: c.dbs, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return []string{"the folder does not open: " + err.Error()}
	}
	defer c.store.Close()
	c.db, err = sql.Open("sqlite", "file:"+filepath.Join(dir, "sandboxd.db")+"?_pragma=query_only(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer c.db.Close()

	runs := map[string]crashRun{}
	c.each("SELECT id, kind, workspace, status, undone_by FROM runs", func(scan func(...any)) {
		var r crashRun
		scan(&r.id, &r.kind, &r.workspace, &r.status, &r.undoneBy)
		runs[r.id] = r
		if r.status == workspace.StatusRunning {
			c.fault("run %s is still running", r.id)
		}
	})
	for id := range m.acked {
		if runs[id].status != workspace.StatusOK && (partsOf(id).any() || runs[id].kind != workspace.KindScript) && !c.idle(id, runs[id]) {
			c.fault("run %s was acknowledged and is %q", id, runs[id].status)
		}
	}
	for _, w := range crashWorkspaces {
		c.checkParts(w, runs)
	}
	c.checkVersions(runs)
	c.checkDisk()
	c.checkUsage()
	c.checkEvents(runs)
	c.checkAudit(runs)
	return c.faults
}

// idle says that a run without any part may be missing: its record is written lazily.
func (c *checker) idle(id string, r crashRun) bool {
	return r.id == "" && !partsOf(id).any()
}

func (c *checker) each(query string, row func(scan func(...any))) {
	rows, err := c.db.Query(query)
	if err != nil {
		c.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		row(func(into ...any) {
			if err := rows.Scan(into...); err != nil {
				c.t.Fatal(err)
			}
		})
	}
	if err := rows.Err(); err != nil {
		c.t.Fatal(err)
	}
}

// checkParts compares what each run of a workspace left, in all three places, with its record.
func (c *checker) checkParts(w string, runs map[string]crashRun) {
	ctx := context.Background()
	found := map[string]bool{} // "kind/run"
	files, err := c.store.Files(ctx, w, "")
	if err != nil {
		c.fault("list %s: %v", w, err)
	}
	for _, f := range files {
		if kind, id, ok := strings.Cut(f.Name, "/"); ok && kind != "x" {
			found[f.Name] = true
			want := smallText(id)
			if kind == "l" {
				want = largeText(id)
			}
			if sum := sha256.Sum256([]byte(want)); f.Hash != hex.EncodeToString(sum[:]) {
				c.fault("file %s has other content than its run wrote", f.Name)
			}
		}
	}
	state, err := c.store.State(ctx, w, "r/")
	if err != nil {
		c.fault("state of %s: %v", w, err)
	}
	for key, value := range state {
		found[key] = true
		var id string
		if json.Unmarshal(value, &id) != nil || "r/"+id != key {
			c.fault("state %s is %s", key, value)
		}
	}
	ids, counter := c.agentRows(w)
	for _, id := range ids {
		found["db/"+id] = true
	}
	var counted int64
	for id, r := range runs {
		if r.workspace != w || !r.inEffect() {
			continue
		}
		p := partsOf(id)
		if p.counter {
			counted++
		}
		for part, wanted := range map[string]bool{"s/" + id: p.small, "l/" + id: p.large, "r/" + id: p.state, "db/" + id: p.row} {
			if wanted && !found[part] {
				c.fault("run %s is committed and its %s is missing", id, part)
			}
			delete(found, part)
		}
	}
	for part := range found {
		_, id, _ := strings.Cut(part, "/")
		c.fault("%s is there, and its run is %+v", part, runs[id])
	}
	if counter != counted {
		c.fault("the counter of %s is %d after %d runs", w, counter, counted)
	}
}

// agentRows reads the agent's database and makes sure that no marker is left.
func (c *checker) agentRows(w string) (ids []string, counter int64) {
	ctx := context.Background()
	if _, err := os.Stat(filepath.Join(c.dir, "db", w, "agent.db")); err != nil {
		return nil, 0 // killed before its first use
	}
	db, err := c.dbs.AgentDB(ctx, w)
	if err != nil {
		c.fault("open the database of %s: %v", w, err)
		return nil, 0
	}
	if markers, err := db.Markers(ctx); err != nil || len(markers) > 1 {
		c.fault("markers of %s: %d, %v", w, len(markers), err)
	}
	if err := db.BeginWithin(ctx, limits.Limits{}); err != nil {
		c.fault("begin in the database of %s: %v", w, err)
		return nil, 0
	}
	defer db.Rollback(ctx)
	for offset := 0; ; offset += 500 {
		result, err := db.Query(ctx, host.Query{SQL: fmt.Sprintf("SELECT id FROM runs ORDER BY id LIMIT 500 OFFSET %d", offset)})
		if err != nil || len(result.Rows) == 0 {
			break // no table: killed before the set-up was committed
		}
		for _, row := range result.Rows {
			ids = append(ids, row[0].(string))
		}
	}
	if result, err := db.Query(ctx, host.Query{SQL: "SELECT n FROM counter"}); err == nil && len(result.Rows) == 1 {
		counter = result.Rows[0][0].(int64)
	}
	return ids, counter
}

// checkVersions makes sure that versions belong to committed runs, are complete, have
// their content, and that each file is as its last version says.
func (c *checker) checkVersions(runs map[string]crashRun) {
	type last struct {
		version            int64
		name, hash, action string
	}
	newest := map[string]last{}
	c.each("SELECT file_id, version, workspace, name, size, hash, action, run_id FROM agent_file_versions ORDER BY file_id, version", func(scan func(...any)) {
		var id, w, run string
		var size int64
		var v last
		scan(&id, &v.version, &w, &v.name, &size, &v.hash, &v.action, &run)
		if runs[run].status != workspace.StatusOK {
			c.fault("version %d of %s is of run %s, which is %q", v.version, v.name, run, runs[run].status)
		}
		if v.version != newest[id].version+1 {
			c.fault("version %d of %s comes after %d", v.version, v.name, newest[id].version)
		}
		newest[id] = v
		if v.action == "deleted" {
			return
		}
		o, err := c.store.Open(context.Background(), w, id, v.version)
		if err != nil {
			c.fault("content of version %d of %s: %v", v.version, v.name, err)
			return
		}
		defer o.Data.Close()
		text, err := io.ReadAll(io.NewSectionReader(o.Data, 0, size+1))
		sum := sha256.Sum256(text)
		if err != nil || int64(len(text)) != size || hex.EncodeToString(sum[:]) != v.hash {
			c.fault("content of version %d of %s is damaged: %v", v.version, v.name, err)
		}
		if v.name == "shared" && (v.action == "created" || v.action == "modified") && string(text) != sharedText(run) {
			c.fault("version %d of %s is not what run %s wrote", v.version, v.name, run)
		}
	})
	c.each("SELECT _id, name, version, hash, deleted_on FROM agent_files", func(scan func(...any)) {
		var id, name, hash, deleted string
		var version int64
		scan(&id, &name, &version, &hash, &deleted)
		v := newest[id]
		delete(newest, id)
		if v.version != version || v.name != name || (v.action == "deleted") != (deleted != "") || deleted == "" && v.hash != hash {
			c.fault("file %s is at version %d, its last version is %+v", name, version, v)
		}
	})
	for id := range newest {
		c.fault("file %s has versions and is not there", id)
	}
}

// checkDisk compares files/ with the metadata: nothing missing, no orphan.
func (c *checker) checkDisk() {
	known := map[string]bool{}
	c.each("SELECT hash FROM blobs WHERE data IS NULL", func(scan func(...any)) {
		var hash string
		scan(&hash)
		known[hash] = true
	})
	paths, err := filepath.Glob(filepath.Join(c.dir, "files", "*", "*"))
	if err != nil {
		c.t.Fatal(err)
	}
	for _, path := range paths {
		hash := filepath.Base(filepath.Dir(path)) + filepath.Base(path)
		if !known[hash] {
			c.fault("the blob %s is an orphan", hash)
		}
		delete(known, hash)
	}
	for hash := range known {
		c.fault("the blob %s is missing", hash)
	}
	left, err := os.ReadDir(filepath.Join(c.dir, "tmp"))
	if err != nil || len(left) > 0 {
		c.fault("tmp/ holds %d entries, %v", len(left), err)
	}
	c.each(`SELECT hash FROM blobs AS b WHERE NOT EXISTS (SELECT 1 FROM agent_file_versions AS v WHERE v.hash = b.hash)
		AND NOT EXISTS (SELECT 1 FROM runs AS r WHERE r.db_changeset = b.hash)`, func(scan func(...any)) {
		var hash string
		scan(&hash)
		c.fault("the blob %s is in the metadata and of no use", hash)
	})
}

// checkUsage counts again what each workspace pays for.
func (c *checker) checkUsage() {
	c.each(`SELECT w.workspace, file_bytes, state_bytes, history_bytes,
		(SELECT COALESCE(SUM(size), 0) FROM (SELECT DISTINCT hash, size FROM agent_file_versions AS v WHERE v.workspace = w.workspace AND hash <> '')),
		(SELECT COALESCE(SUM(octet_length(key) + octet_length(value)), 0) FROM agent_state AS s WHERE s.workspace = w.workspace),
		(SELECT COALESCE(SUM(octet_length(key) + COALESCE(octet_length(before), 0) + COALESCE(octet_length(after), 0)), 0)
			FROM agent_state_changes AS h WHERE h.workspace = w.workspace),
		files, (SELECT COUNT(*) FROM agent_files AS f WHERE f.workspace = w.workspace AND f.deleted_on = ''),
		versions, (SELECT COUNT(*) FROM agent_file_versions AS v WHERE v.workspace = w.workspace)
		FROM workspaces AS w`, func(scan func(...any)) {
		var w string
		var have, want [5]int64
		scan(&w, &have[0], &have[1], &have[2], &want[0], &want[1], &want[2], &have[3], &want[3], &have[4], &want[4])
		if have != want {
			c.fault("the usage of %s is written as %v and is %v", w, have, want)
		}
	})
}

// checkAudit makes sure that each run has one audit record, which says how it ended, and
// that there are no others.
func (c *checker) checkAudit(runs map[string]crashRun) {
	records := map[string]int{}
	c.each("SELECT run_id, code, files FROM audit", func(scan func(...any)) {
		var run, code, files string
		scan(&run, &code, &files)
		records[run]++
		if r, known := runs[run]; !known || (code == "ok") != (r.status == workspace.StatusOK) || code != "ok" && files != "" && strings.Contains(files, "created") {
			c.fault("the audit says %q of run %s, which is %q", code, run, r.status)
		}
	})
	for id := range runs {
		if records[id] != 1 {
			c.fault("run %s has %d audit records", id, records[id])
		}
	}
}

// checkEvents makes sure that each run's events are there once, and no others.
func (c *checker) checkEvents(runs map[string]crashRun) {
	events := map[string]map[string]int{}
	c.each("SELECT run_id, type FROM events", func(scan func(...any)) {
		var run, kind string
		scan(&run, &kind)
		if events[run] == nil {
			events[run] = map[string]int{}
		}
		events[run][kind]++
	})
	versions := map[string]int{}
	c.each("SELECT run_id, COUNT(*) FROM agent_file_versions GROUP BY run_id", func(scan func(...any)) {
		var run string
		var n int
		scan(&run, &n)
		versions[run] = n
	})
	for id, r := range runs {
		e := events[id]
		delete(events, id)
		files := e["file:created"] + e["file:modified"] + e["file:deleted"]
		if e["run:started"] != 1 || e["run:finished"] != 1 || files != versions[id] {
			c.fault("run %+v with %d versions has the events %v", r, versions[id], e)
		}
	}
	for _, id := range slices.Collect(maps.Keys(events)) {
		c.fault("there are events of run %s, which is not there: %v", id, events[id])
	}
}
