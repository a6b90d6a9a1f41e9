//go:build linux

package sandboxd_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/workspace"
)

// What a run leaves must not be seen by the next, which has the same process: each of these
// is run, and then looked for. look answers true if it sees something.
var leftovers = []struct {
	name, leave, look string
	fails             bool // the run that leaves it ends in an error
}{
	{name: "global", leave: `globalThis.left = 1; left2 = 2; var left3 = 3`, look: `typeof left !== "undefined" || typeof left2 !== "undefined" || typeof left3 !== "undefined"`},
	{name: "global function", leave: `globalThis.fetchAll = () => 1; globalThis.parseInt = () => 1`, look: `typeof fetchAll !== "undefined" || parseInt("7") !== 7`},
	{name: "frozen global", leave: `Object.freeze(globalThis)`, look: `(() => { try { globalThis.fresh = 1; return globalThis.fresh !== 1 } catch { return true } })()`},
	{name: "Object.prototype", leave: `Object.prototype.left = 1; Object.defineProperty(Object.prototype, "id", { get() { return "mine" }, set() {} })`, look: `({}).left !== undefined || ({}).id !== undefined`},
	{name: "Array.prototype", leave: `Array.prototype.map = () => "mine"; Array.prototype[Symbol.iterator] = function* () { yield "mine" }`, look: `[1].map(x => x)[0] !== 1 || [...[1]][0] !== 1`},
	{name: "String.prototype", leave: `String.prototype.trim = () => "mine"`, look: `" a ".trim() !== "a"`},
	{name: "Promise.prototype", leave: `Promise.prototype.then = function () { return "mine" }; Promise.all = () => "mine"`, look: `await (async () => (await Promise.all([1]))[0] !== 1)()`},
	{name: "JSON", leave: `JSON.stringify = () => "mine"; JSON.parse = () => "mine"`, look: `JSON.stringify({ a: 1 }) !== '{"a":1}' || JSON.parse("1") !== 1`},
	{name: "frozen prototypes", leave: `[Object, Array, Function, Promise, String].forEach(c => Object.freeze(c.prototype))`, look: `Object.isFrozen(Object.prototype) || Object.isFrozen(Array.prototype) || Object.isFrozen(Promise.prototype)`},
	{name: "prototype of a prototype", leave: `Object.setPrototypeOf(Array.prototype, { left: 1 })`, look: `[].left !== undefined`},
	{name: "operation", leave: `try { files.list = () => "mine" } catch {} try { db.sql = () => "mine" } catch {} try { state.get = () => "mine" } catch {} try { globalThis.files = "mine" } catch {}`,
		look: `typeof files !== "object" || !Array.isArray(await files.list()) || (await state.get("none")) !== null || (await db.sql("SELECT 1")).rows[0][0] !== 1`},
	{name: "operation's own properties", leave: `try { files.left = 1 } catch {} try { files.list.left = 1 } catch {} try { Object.setPrototypeOf(files, { left2: 1 }) } catch {}`,
		look: `Object.hasOwn(files, "left") || Object.hasOwn(files.list, "left") || files.left2 === 1`},
	{name: "help, resolve and args", leave: `try { globalThis.help = () => "mine" } catch {} try { globalThis.resolve = () => "mine" } catch {} try { args.left = 1 } catch {}`,
		look: `typeof help() === "string" && help() === "mine" || args.left !== undefined`},
	{name: "console", leave: `console.log = () => {}; console.left = 1; console.group("mine"); console.count("c"); console.count("c"); console.time("t")`,
		look: `(() => { console.log("seen"); console.count("c"); return console.left !== undefined })()`},
	{name: "timers", leave: `setTimeout(() => { globalThis.late = 1; console.log("late"); files.create("late-timeout").catch(() => {}) }, 20); setInterval(() => { globalThis.late = 1; console.log("late"); files.create("late-interval").catch(() => {}) }, 10); return 1`,
		look: `await new Promise(done => setTimeout(done, 80)).then(() => typeof late !== "undefined")`},
	{name: "replaced timers", leave: `globalThis.setTimeout = () => "mine"; globalThis.queueMicrotask = null`, look: `setTimeout(() => {}, 1e5) === "mine" || queueMicrotask === null`},
	{name: "promises", leave: `globalThis.kept = (async () => { for (;;) { await new Promise(done => setTimeout(done, 5)); console.log("late") } })(); return 1`, look: `await new Promise(done => setTimeout(done, 40)).then(() => false)`},
	{name: "symbols", leave: `globalThis[Symbol.for("left")] = 1; Symbol.left = 1; Symbol.prototype.left = 1`, look: `globalThis[Symbol.for("left")] !== undefined || Symbol.left !== undefined || Symbol("x").left !== undefined`},
	{name: "regular expressions", leave: `RegExp.prototype.exec = () => null; RegExp.prototype.test = () => "mine"; "abc".match(/(b)/)`, look: `/a/.test("a") !== true || /(a)/.exec("a")[1] !== "a" || (RegExp.$1 ?? "") !== ""`},
	{name: "dates and random numbers", leave: `Date.now = () => 0; globalThis.Date = class { }; Math.random = () => 4`, look: `Date.now() < 1e12 || isNaN(new Date(2020, 1, 1)) || Math.random() >= 1`},
	{name: "errors", leave: `Error.prototype.toString = () => "mine"; Error.stackTraceLimit = 0; Error.prepareStackTrace = () => "mine"`, look: `String(new Error("a")) !== "Error: a" || new Error("b").stack === "mine"`},
	{name: "crypto, URL and text", leave: `crypto.randomUUID = () => "mine"; URL.prototype.toString = () => "mine"; TextEncoder.prototype.encode = () => "mine"; globalThis.structuredClone = () => "mine"`,
		look: `crypto.randomUUID() === "mine" || String(new URL("http://a/")) !== "http://a/" || new TextEncoder().encode("a").length !== 1 || structuredClone(1) !== 1`},
	{name: "Intl", leave: `Intl.NumberFormat.prototype.format = () => "mine"; Number.prototype.toLocaleString = () => "mine"`, look: `(1234).toLocaleString("en-US") !== "1,234"`},

	// What the process keeps for the workspace, such as documents and the database's connection.
	{name: "text of a failed run", fails: true, leave: `await files.writeText("kept.txt", "mine"); await files.readText("kept.txt"); await files.lineCount("kept.txt"); throw new Error("on purpose")`,
		look: `(await files.readText("kept.txt")).content !== "one\ntwo\n" || (await files.lineCount("kept.txt")) !== 2`},
	{name: "lines of a failed run", fails: true, leave: `await files.readText("kept.txt"); await files.insertLines("kept.txt", 1, "mine"); await files.append("kept.txt", "mine"); throw new Error("on purpose")`,
		look: `(await files.readText("kept.txt")).totalLines !== 2`},
	{name: "name of a failed run", fails: true, leave: `await files.rename("kept.txt", "mine.txt"); await files.create("kept.txt", undefined, { content: "mine" }); await files.delete("mine.txt"); throw new Error("on purpose")`,
		look: `(await files.list()).length !== 1 || (await files.readText("kept.txt")).content !== "one\ntwo\n"`},
	{name: "state of a failed run", fails: true, leave: `await state.set("left", 1); throw new Error("on purpose")`, look: `(await state.get("left")) !== null || (await state.keys()).length > 0`},
	{name: "rows of a failed run", fails: true, leave: `await db.sql("CREATE TABLE left (n)"); await db.sql("INSERT INTO left VALUES (1)"); throw new Error("on purpose")`, look: `(await db.schema()).tables.length > 0`},
	{name: "temporary tables", leave: `await db.sql("CREATE TEMP TABLE left (n)"); await db.sql("CREATE TEMP VIEW left2 AS SELECT 1")`, look: `(await db.sql("SELECT count(*) FROM sqlite_temp_schema")).rows[0][0] > 0`},
	{name: "counters of the connection", fails: true, leave: `await db.sql("CREATE TABLE left (n)"); await db.sql("INSERT INTO left VALUES (1), (2), (3)"); throw new Error("on purpose")`,
		look: `(await db.sql("SELECT last_insert_rowid() + changes()")).rows[0][0] > 0`},
	{name: "settings of the connection", leave: `for (const p of ["case_sensitive_like = 1", "foreign_keys = 0", "recursive_triggers = 1", "defer_foreign_keys = 1", "reverse_unordered_selects = 1"]) await db.sql("PRAGMA " + p).catch(() => {})`,
		look: `(await db.sql("SELECT 'a' LIKE 'A'")).rows[0][0] !== 1`},
}

// TestNothingIsSeenByTheNextRun runs all of them in one process, one after the other.
func TestNothingIsSeenByTheNextRun(t *testing.T) {
	h := open(t, sandboxd.Config{Concurrency: 1})
	put(t, h, "kept.txt", []byte("one\ntwo\n"))
	run := func(script string) sandboxd.Answer {
		return h.Run(t.Context(), sandboxd.Run{Script: script, Args: json.RawMessage(`{}`)})
	}
	must(t, run(`await db.sql("SELECT 1")`)) // the database has its process
	settled := func() map[int]bool {         // one with the workspace, one spare, one with the database
		for range 6000 { // a minute
			if found := children(); len(found) == 3 {
				return found
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("the processes are %v, want 3", children())
		return nil
	}
	processes := settled()
	for _, l := range leftovers {
		if answer := run(l.leave); answer.OK == l.fails {
			t.Errorf("%s: the run that leaves it: %v", l.name, answer.Error)
		}
		answer := run(`return ` + l.look)
		if !answer.OK || string(answer.Result) != "false" {
			t.Errorf("%s: the next run sees it: %s, %v", l.name, answer.Result, answer.Error)
		}
		for _, line := range answer.Logs {
			if line.Text != "seen" && line.Text != "c: 1" {
				t.Errorf("%s: the next run's console has %q", l.name, line.Text)
			}
		}
		if want := 2 * strings.Count(l.look, `console.log("seen")`); len(answer.Logs) != want {
			t.Errorf("%s: the next run's console has %d lines, want %d", l.name, len(answer.Logs), want)
		}
		if now := settled(); !maps.Equal(now, processes) {
			t.Errorf("%s: the next run had another process: this shows nothing", l.name)
			processes = now
		}
	}
	files, err := h.Files("").List(t.Context(), "")
	if err != nil || len(files) != 1 {
		t.Errorf("the files are %+v, %v", files, err)
	}
}

// Workspaces share nothing: no file, state, row or process.
func TestWorkspacesShareNothing(t *testing.T) {
	h := open(t, sandboxd.Config{Concurrency: 1})
	must(t, h.Run(t.Context(), sandboxd.Run{Workspace: "one", Script: `globalThis.left = 1; await files.create("mine", undefined, { content: "mine" });
		await state.set("mine", 1); await db.sql("CREATE TABLE mine (n)"); await db.sql("CREATE TEMP TABLE temporary (n)")`}))
	files, err := h.Files("one").List(t.Context(), "")
	if err != nil || len(files) != 1 {
		t.Fatalf("%+v, %v", files, err)
	}
	args, _ := json.Marshal(files[0].ID)
	answer := must(t, h.Run(t.Context(), sandboxd.Run{Workspace: "two", Args: args, Script: `
		const denied = async call => { try { await call(); return "allowed" } catch (e) { return e.code } };
		return [(await files.list("**")).length, await state.keys(), (await db.schema()).tables.length, typeof left,
			(await db.sql("SELECT count(*) FROM sqlite_temp_schema")).rows[0][0],
			await denied(() => files.readText(args)), await denied(() => files.versions(args)), await denied(() => files.writeText(args, "x")),
			await denied(() => files.restore(args, 1)), (await files.delete(args)).deleted]`}))
	if want := `[0,[],0,"undefined",0,"not_found","not_found","not_found","not_found",false]`; string(answer.Result) != want {
		t.Errorf("the other workspace sees %s, want %s", answer.Result, want)
	}
	if _, err := h.Runs("two").Get(t.Context(), "none"); err == nil {
		t.Error("there is a run that never was")
	}
	runs, err := h.Runs("one").List(t.Context(), workspace.RunQuery{})
	if err != nil || len(runs) == 0 {
		t.Fatalf("%v, %v", runs, err)
	}
	if _, err := h.Runs("two").Get(t.Context(), runs[0].ID); err == nil {
		t.Error("a run of another workspace can be seen")
	}
	if _, err := h.Runs("two").Undo(t.Context(), runs[0].ID, true); err == nil {
		t.Error("a run of another workspace can be undone")
	}
}
