package worker

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// hostile are scripts that try to hang the host, to eat it, or to bring it down. Many of
// them end a Go process that runs them, past any recover; none may end the daemon.
var hostile = []struct {
	name   string
	source string
	want   []problem.Code // "" is an answer
}{
	// Loops, which an interrupt stops.
	{"for ever", `for (;;) {}`, timeout},
	{"while with work", `let x = 0; while (true) x = (x * 31 + 7) % 1000003`, timeout},
	{"do nothing for ever", `await new Promise(() => {})`, []problem.Code{problem.Timeout, problem.ScriptError}},
	{"promises for ever", `const f = () => Promise.resolve().then(f); await f()`, timeout},
	{"timers for ever", `const f = () => setTimeout(f, 0); f(); await new Promise(() => {})`, timeout},
	{"microtasks for ever", `const f = () => queueMicrotask(f); f(); await new Promise(() => {})`, timeout},
	{"generator for ever", `function* g() { for (;;) yield 1 }; for (const x of g()) {}`, timeout},
	{"catch what cannot be caught", `for (;;) { try { for (;;) {} } catch (e) {} finally { } }`, timeout},
	{"getter for ever", `return { get a() { for (;;) {} } }`, timeout},
	{"toJSON for ever", `return { toJSON() { for (;;) {} } }`, timeout},
	{"toString for ever", `await test.stat({ toString() { for (;;) {} } })`, []problem.Code{problem.Timeout, problem.InvalidArgument}},
	{"proxy for ever", `return new Proxy({}, { ownKeys() { for (;;) {} } })`, timeout},
	{"then for ever", `return { then() { for (;;) {} } }`, timeout},
	{"sort for ever", `[3,2,1].sort(() => { for (;;) {} })`, timeout},
	{"waits for an operation that ignores its end", `await test.spin("")`, []problem.Code{problem.Timeout, problem.CPULimit}},
	{"waits for an operation that heeds its end", `await test.sleep("")`, timeout},

	// Natives, which it does not stop: the process is killed.
	{"fill", `Array(2**32-1).fill(0)`, killed},
	{"join", `Array(4e9).join("ab")`, killed},
	{"join sparse", `new Array(2**31).join()`, killed},
	{"sparse length", `Array.prototype.indexOf.call({length: 2**53-1}, 1)`, killed},
	{"sparse reverse", `Array.prototype.reverse.call({length: 2**53-1})`, killed},
	{"sparse forEach", `Array.prototype.forEach.call({length: 2**53-1}, () => {})`, killed},
	{"sparse slice", `Array.prototype.slice.call({length: 2**53-1}, 0, 2**52)`, killed},
	{"sparse sort", `Array.prototype.sort.call({length: 2**53-1})`, []problem.Code{problem.Internal, problem.MemoryLimit, problem.ScriptError}},
	{"sparse lastIndexOf", `Array.prototype.lastIndexOf.call({length: 2**53-1}, 1)`, killed},
	{"sparse splice", `Array.prototype.splice.call({length: 2**53-1}, 0, 2**52)`, killed},
	{"back reference", `/^(a+)+\1b$/.test("a".repeat(40))`, killed},
	{"look ahead", `/(?=(a+)+$)a*b/.test("a".repeat(50) + "!")`, killed},
	{"nested quantifiers", `/^(([a-z])+.)+[A-Z]([a-z])+$/.test("a".repeat(60))`, anything},
	{"replace with a back reference", `"a".repeat(100000).replace(/(a*)*\1c/g, "")`, killed},
	{"power of a bigint", `7n ** 30000000n`, killed},
	{"digits of a bigint", `BigInt("9".repeat(1e7))`, killed},
	{"digits to text", `(2n ** 40000000n).toString()`, killed},
	{"factorial", `let x = 1n; for (let i = 1n; ; i++) x *= i`, killed},
	{"split", `"a".repeat(2**26).split("")`, killed},
	{"JSON of a lot", `JSON.stringify(Array(3e7).fill({a: 1}))`, killed},
	{"string compare", `const a = "x".repeat(2**27); for (;;) a.localeCompare(a)`, killed},
	{"normalize", `const a = "\u0041\u030a".repeat(2**22); for (;;) a.normalize("NFC")`, killed},

	// Memory.
	{"array grows", `const a = []; for (;;) a.push(new Array(1000).fill(1.5))`, memory},
	{"string doubles", `let s = "x"; for (;;) s += s`, memory},
	{"objects grow", `const o = {}; for (let i = 0; ; i++) o["key" + i] = { i }`, memory},
	{"map grows", `const m = new Map(); for (let i = 0; ; i++) m.set(i, "value" + i)`, memory},
	{"closures grow", `let f = () => 0; for (;;) { const g = f; f = () => g }`, memory},
	{"repeat to a gigabyte", `"x".repeat(2**30) + "y".repeat(2**30)`, memory},
	{"repeat to a terabyte", `"x".repeat(2**40)`, memory},
	{"pad to a gigabyte", `"x".padStart(2**30)`, memory},
	{"pad to a terabyte", `"x".padStart(2**40)`, memory},
	{"array buffer of a terabyte", `new ArrayBuffer(2**40)`, memory},
	{"array buffer of a gigabyte", `const b = new Uint8Array(2**31); b.fill(1); return b.length`, memory},
	{"shift of a bigint", `1n << (2n ** 40n)`, memory},
	{"spread", `Math.max(...Array(1e8).fill(1))`, memory},
	{"apply", `Math.max.apply(null, {length: 1e9})`, memory},
	{"array from", `Array.from({length: 1e9})`, memory},
	{"concat", `let a = [1]; for (;;) a = a.concat(a)`, memory},
	{"replace grows", `"a".repeat(1e6).replace(/a/g, "b".repeat(1e5))`, memory},
	{"an operation that hoards", `await test.hoard(2**30)`, memory},
	{"console", `for (;;) console.log("x".repeat(1e6))`, []problem.Code{problem.Timeout, problem.MemoryLimit}},
	{"huge result", `return "x".repeat(5e6)`, []problem.Code{problem.ResultTooLarge}},
	{"huge sparse result", `return new Array(1e9)`, []problem.Code{problem.ResultTooLarge, problem.MemoryLimit, problem.Timeout}},
	{"promises pile up", `const a = []; for (;;) a.push(new Promise(() => {}))`, memory},
	{"timers pile up", `for (;;) setTimeout(() => {}, 1e6)`, memory},
	{"operations pile up", `const a = []; for (;;) a.push(test.sleep(""))`, []problem.Code{problem.CallLimit, problem.MemoryLimit, problem.Timeout}},

	// The stack.
	{"recursion", `const f = () => f() + 1; f()`, stack},
	{"mutual recursion", `const f = () => g(), g = () => f(); f()`, stack},
	{"recursion in a getter", `const o = { get a() { return this.a } }; o.a`, stack},
	{"recursion through sort", `const f = () => [2,1].sort(f); f()`, stackOrTime},
	{"recursion through replace", `const f = () => "a".replace(/a/, f); f()`, stackOrTime},
	{"recursion through toString", `const o = { toString() { return "" + o } }; "" + o`, stack},
	{"recursion through JSON", `const o = { toJSON() { return JSON.stringify(o) } }; JSON.stringify(o)`, stackOrTime},
	{"recursion through bind", `let f = () => 1; for (let i = 0; i < 1e6; i++) f = f.bind(null); f()`, stackOrTime},
	{"deep JSON", `JSON.parse("[".repeat(5e6) + "]".repeat(5e6))`, stackOrTime},
	{"deep object", `let o = {}; for (let i = 0; i < 1e6; i++) o = { o }; return o`, stackOrTime},
	{"deep eval", `eval("(".repeat(1e6))`, stackOrTime},
	{"deep source", strings.Repeat("(", 400_000), stackOrTime},
	{"deep arrays in source", strings.Repeat("[", 400_000), stackOrTime},
	{"deep function", `new Function("return " + "!".repeat(1e6) + "1")()`, stackOrTime},
	{"deep regexp", `new RegExp("(".repeat(1e5) + ")".repeat(1e5)).test("")`, stackOrTime},
	{"proxy as its own prototype", `const p = new Proxy({}, {}); Object.setPrototypeOf(p, Object.create(p)); p.x`, stackOrTime},
	{"prototype cycle of proxies", `const a = {}; const p = new Proxy(a, {}); a.__proto__ = p; a.x`, stackOrTime},
	{"flat cycle", `const a = []; a.push(a); a.flat(Infinity)`, stackOrTime},
	{"cyclic result", `const a = []; a.push(a); return a`, anything},
	{"nested proxies", `let p = {}; for (let i = 0; i < 1e6; i++) p = new Proxy(p, {}); return p.x`, stackOrTime},
	{"promise chain", `let p = Promise.resolve(); for (let i = 0; i < 1e5; i++) { const q = p; p = new Promise(r => r(q)) } await p; return 1`, anything},

	// What belongs to the host.
	{"constructor's way out", `return this.constructor.constructor("return process")()`, []problem.Code{problem.ScriptError}},
	{"require", `return require("fs")`, []problem.Code{problem.ScriptError}},
	{"import", `return await import("fs")`, []problem.Code{problem.SyntaxError, problem.ScriptError}},
	{"reads a file by its source map", "return 1\n//# sourceMappingURL=file:///etc/passwd", []problem.Code{""}},
	{"reads a file by eval's source map", "return eval('1\\n//# sourceMappingURL=file:///etc/passwd')", []problem.Code{""}},
	{"a library that panics", `await test.panic("x")`, []problem.Code{problem.Internal}},
	{"a library that panics elsewhere", `await test.panicElsewhere("x")`, []problem.Code{problem.WorkerLost}},
	{"too many calls", `for (;;) await test.stat("a").catch(() => {})`, []problem.Code{problem.CallLimit, problem.Timeout}},
	{"polluted prototypes", `Object.prototype.ref = "evil"; Array.prototype[0] = "evil"; Promise.prototype.then = () => {}; return 1`, anything},
}

var (
	timeout     = []problem.Code{problem.Timeout}
	killed      = []problem.Code{problem.Timeout, problem.MemoryLimit, problem.ScriptError, problem.CPULimit}
	memory      = []problem.Code{problem.MemoryLimit, problem.ScriptError}
	stack       = []problem.Code{problem.StackOverflow}
	stackOrTime = []problem.Code{problem.StackOverflow, problem.Timeout, problem.MemoryLimit, problem.ScriptError, problem.SyntaxError, problem.ResultTooLarge, ""}
	anything    = []problem.Code{problem.StackOverflow, problem.Timeout, problem.MemoryLimit, problem.ScriptError, problem.ResultTooLarge, problem.InvalidArgument, ""}
)

// TestHostile: each ends with the right code, soon after its deadline, and the next run of
// the same workspace works and sees nothing of it.
func TestHostile(t *testing.T) {
	l := limits.Limits{WallTime: 300 * time.Millisecond, Memory: 128 * limits.MB}
	// The code says that a run was ended at its deadline; a machine with other things to do
	// may come to that late. It takes 0.3 s here.
	const slack = 30 * time.Second
	if raceBuild {
		l.WallTime = 2 * time.Second
	}
	p := start(t, Config{Size: 4, Queue: 1000, Limits: l})
	for i, h := range hostile {
		if raceBuild && i%6 != 0 {
			continue // it takes ten times as long, and the daemon does the same for all
		}
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			job := script(t, h.source)
			job.Workspace = h.name
			if !slices.Contains(h.want, problem.Timeout) {
				job.Limits.WallTime = ample // it has the time to reach its own limit, however slow the machine
			}
			out := p.Run(t.Context(), job)
			code := problem.Code("")
			if out.Error != nil {
				code = out.Error.Code
			}
			t.Logf("%s in %v, %d MB, CPU %v: %.150v", code, out.Wall.Round(time.Millisecond), out.PeakMemory>>20, out.CPU.Round(time.Millisecond), out.Error)
			if !slices.Contains(h.want, code) {
				t.Errorf("got %q %v, want one of %q", code, out.Error, h.want)
			}
			if deadline := job.Limits.Or(l).WallTime; out.Wall > deadline+slack {
				t.Errorf("took %v with a limit of %v", out.Wall, deadline)
			}
			next := script(t, `return [typeof ref, [].length, 6 * 7]`)
			next.Workspace, next.Limits.WallTime = h.name, ample
			want(t, p.Run(t.Context(), next), `["undefined",0,42]`)
		})
	}
}
