//go:build linux

package sandboxd_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/workspace"
)

// crashModel is what must be so after any crash: all that was answered, and for each run
// all of it or nothing.
type crashModel struct {
	acked map[string]bool // a run's name, "undo ID" or "upload WORKSPACE NAME"
}

// crashChecker collects what is wrong with a recovered folder.
type crashChecker struct {
	ctx    context.Context
	dir    string
	host   *sandboxd.Host
	db     *sql.DB
	faults []string
}

func (c *crashChecker) fault(format string, args ...any) {
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

// crashRun is a run's record.
type crashRun struct{ id, kind, name, workspace, status, code, undoneBy string }

func (r crashRun) inEffect() bool {
	return r.kind == workspace.KindScript && r.status == workspace.StatusOK && r.undoneBy == ""
}

// check opens the folder, which recovers it, and looks at everything. It tells how many
// runs were committed whose answer nobody got, and how many are recorded as cut off.
func (m *crashModel) check(dir string) (silent, cut int, faults []string) {
	c := &crashChecker{ctx: context.Background(), dir: dir}
	var err error
	c.host, err = sandboxd.Open(c.ctx, sandboxd.Config{Dir: dir, Concurrency: 1, Limits: unhurried, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return 0, 0, []string{"the folder does not open: " + err.Error()}
	}
	defer c.host.Close()
	c.db, err = sql.Open("sqlite", "file:"+filepath.Join(dir, "sandboxd.db")+"?_pragma=query_only(1)")
	if err != nil {
		return 0, 0, []string{err.Error()}
	}
	defer c.db.Close()

	c.checkDisk() // before anything else runs
	runs, byName := map[string]crashRun{}, map[string]crashRun{}
	c.each("SELECT id, kind, name, workspace, status, error_code, undone_by FROM runs", func(scan func(...any)) {
		var r crashRun
		scan(&r.id, &r.kind, &r.name, &r.workspace, &r.status, &r.code, &r.undoneBy)
		runs[r.id], byName[r.name] = r, r
		switch {
		case r.status == workspace.StatusRunning:
			c.fault("run %s is still running", r.id)
		case r.code == "worker_lost":
			cut++
		case r.kind == workspace.KindScript && r.status == workspace.StatusOK && strings.Contains(r.name, "-") && !m.acked[r.name]:
			silent++
			m.acked[r.name] = true // it is there, and must stay
		}
	})
	for name := range m.acked {
		kind, rest, _ := strings.Cut(name, " ")
		switch kind {
		case "undo":
			if runs[rest].status != workspace.StatusOK {
				c.fault("the undo %s was answered and is %+v", rest, runs[rest])
			}
		case "upload":
			w, file, _ := strings.Cut(rest, " ")
			if f, err := c.host.Files(w).Stat(c.ctx, file); err != nil || f.Size != int64(len(crashLarge(file))) {
				c.fault("the upload %s of %s was answered and is gone: %v", file, w, err)
			}
		default:
			if byName[name].status != workspace.StatusOK && !(byName[name].id == "" && crashIdle(name)) {
				c.fault("run %s was answered and is %+v", name, byName[name])
			}
		}
	}
	for _, w := range crashSpaces {
		c.checkParts(w, byName)
		c.checkNext(w)
	}
	c.checkVersions(runs)
	return silent, cut, c.faults
}

// crashIdle says that a run that was to change nothing may be missing: its record is written lazily.
func crashIdle(name string) bool { return crashPartsOf(name) == crashParts{} }

func (c *crashChecker) each(query string, row func(scan func(...any))) {
	rows, err := c.db.Query(query)
	if err != nil {
		c.fault("%v", err)
		return
	}
	defer rows.Close()
	for rows.Next() {
		row(func(into ...any) {
			if err := rows.Scan(into...); err != nil {
				c.fault("%v", err)
			}
		})
	}
	if err := rows.Err(); err != nil {
		c.fault("%v", err)
	}
}

// checkParts compares what each run of a workspace left, in all three places, with its record.
func (c *crashChecker) checkParts(w string, runs map[string]crashRun) {
	answer := c.host.Run(c.ctx, sandboxd.Run{Workspace: w, Name: "look", Script: `
		const all = async sql => { const rows = []; for (let at = 0; ; at += 1000) {
			const r = await db.sql(sql + " LIMIT 1000 OFFSET " + at); rows.push(...r.rows); if (r.rows.length < 1000) return rows; } };
		const made = (await db.schema()).tables.map(t => t.name);
		const states = {}; for (const key of await state.keys("r/")) states[key] = await state.get(key);
		return {
			files: (await files.list("**")).map(f => f.name), states,
			rows: made.includes("runs") ? (await all("SELECT id FROM runs ORDER BY id")).map(r => r[0]) : [],
			many: made.includes("many") ? await all("SELECT id, count(*), max(i) FROM many GROUP BY id ORDER BY id") : [],
			counter: made.includes("counter") ? (await all("SELECT n FROM counter"))[0]?.[0] ?? 0 : 0,
			sound: (await db.sql("SELECT * FROM pragma_foreign_key_check")).rows.length === 0,
		}`})
	var have struct {
		Files   []string
		States  map[string]string
		Rows    []string
		Many    [][3]any
		Counter int
	}
	if !answer.OK {
		c.fault("looking at %s: %v", w, answer.Error)
		return
	}
	if err := json.Unmarshal(answer.Result, &have); err != nil {
		c.fault("%v", err)
		return
	}
	found := map[string]bool{} // "kind/run"
	for _, name := range have.Files {
		switch kind, run, _ := strings.Cut(name, "/"); kind {
		case "s", "l", "m":
			found[name] = true
			want := map[string]string{"s": "small " + run, "l": crashLarge(run), "m": "moved " + run}[kind]
			if got, err := c.content(w, name, 0); err != nil || got != want {
				c.fault("file %s of %s has other content than its run wrote: %v", name, w, err)
			}
		case "x", "up", "shared", "next":
		default:
			c.fault("%s has the file %s, which no run leaves", w, name)
		}
	}
	for key, value := range have.States {
		found[key] = true
		if "r/"+value != key {
			c.fault("state %s is %s", key, value)
		}
	}
	for _, id := range have.Rows {
		found["db/"+id] = true
	}
	for _, row := range have.Many {
		id, _ := row[0].(string)
		found["many/"+id] = true
		if row[1] != 500.0 || row[2] != 500.0 {
			c.fault("run %s has left %v of its 500 rows", id, row[1])
		}
	}
	counted := 0
	for name, r := range runs {
		if r.workspace != w || !r.inEffect() || !strings.Contains(name, "-") {
			continue
		}
		p := crashPartsOf(name)
		if p.Counter {
			counted++
		}
		for part, wanted := range map[string]bool{"s/" + name: p.Small, "l/" + name: p.Large, "m/" + name: p.Moved, "r/" + name: p.State,
			"db/" + name: p.Row, "many/" + name: p.Rows} {
			if wanted && !found[part] {
				c.fault("run %s is committed and its %s is missing", name, part)
			}
			delete(found, part)
		}
	}
	for part := range found {
		_, name, _ := strings.Cut(part, "/")
		c.fault("%s is there, and its run is %+v", part, runs[name])
	}
	if have.Counter != counted {
		c.fault("the counter of %s is %d after %d runs", w, have.Counter, counted)
	}
}

func (c *crashChecker) content(w, ref string, version int64) (string, error) {
	o, err := c.host.Files(w).Open(c.ctx, ref, version)
	if err != nil {
		return "", err
	}
	defer o.Data.Close()
	text, err := io.ReadAll(o.Data)
	return string(text), err
}

// checkNext makes sure that the workspace takes runs as if nothing had been.
func (c *crashChecker) checkNext(w string) {
	answer := c.host.Run(c.ctx, sandboxd.Run{Workspace: w, Name: "next", Script: `
		const old = await files.list("next"); if (old.length) await files.delete("next");
		await files.create("next", undefined, { content: "next ".repeat(5000) }); await state.set("next", 1);
		await db.sql("CREATE TABLE IF NOT EXISTS next (n)"); await db.sql("INSERT INTO next VALUES (1)");
		return (await db.sql("SELECT count(*) > 0 FROM next")).rows[0][0]`})
	if !answer.OK || string(answer.Result) != "1" {
		c.fault("the next run of %s: %s, %v", w, answer.Result, answer.Error)
	}
}

// checkVersions makes sure that versions belong to committed runs, follow one another, have
// their content, and that each file is as its last version says.
func (c *crashChecker) checkVersions(runs map[string]crashRun) {
	c.each("SELECT id, name, status FROM runs WHERE name = 'next'", func(scan func(...any)) {
		var r crashRun
		scan(&r.id, &r.name, &r.status)
		runs[r.id] = r
	})
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
			c.fault("version %d of %s is of run %s, which is %+v", v.version, v.name, run, runs[run])
		}
		if v.version != newest[id].version+1 {
			c.fault("version %d of %s comes after %d", v.version, v.name, newest[id].version)
		}
		newest[id] = v
		if v.action == "deleted" {
			return
		}
		text, err := c.content(w, id, v.version)
		sum := sha256.Sum256([]byte(text))
		if err != nil || int64(len(text)) != size || hex.EncodeToString(sum[:]) != v.hash {
			c.fault("the content of version %d of %s is damaged: %v", v.version, v.name, err)
		}
		if v.name == "shared" && (v.action == "created" || v.action == "modified") && text != "shared "+runs[run].name && runs[run].kind == workspace.KindScript {
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

// checkDisk compares files/ with the metadata: nothing missing, no orphan, nothing in tmp/.
func (c *crashChecker) checkDisk() {
	known := map[string]bool{}
	c.each("SELECT hash FROM blobs WHERE data IS NULL", func(scan func(...any)) {
		var hash string
		scan(&hash)
		known[hash] = true
	})
	paths, _ := filepath.Glob(filepath.Join(c.dir, "files", "*", "*"))
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
	if left, err := os.ReadDir(filepath.Join(c.dir, "tmp")); err != nil || len(left) > 0 {
		c.fault("tmp/ holds %d entries, %v", len(left), err)
	}
	c.each(`SELECT hash FROM blobs AS b WHERE NOT EXISTS (SELECT 1 FROM agent_file_versions AS v WHERE v.hash = b.hash)
		AND NOT EXISTS (SELECT 1 FROM runs AS r WHERE r.db_changeset = b.hash)`, func(scan func(...any)) {
		var hash string
		scan(&hash)
		c.fault("the blob %s is in the metadata and of no use", hash)
	})
}
