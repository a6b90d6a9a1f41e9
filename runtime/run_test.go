package runtime

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // as a worker does
	os.Exit(m.Run())
}

// ample is more time than anything takes that does not hang, also on a machine that others use.
const ample = 2 * time.Minute

// run runs a script without operations.
func run(t *testing.T, source string) Outcome {
	t.Helper()
	return Run(context.Background(), Config{Limits: limits.Limits{WallTime: ample}}, Script{Source: source})
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"1+1", "2"},
		{"return 5", "5"},
		{"await 7", "7"},
		{"resolve({a: 1}); 3", `{"a":1}`},
		{"resolve(1); resolve(2)", "1"},
		{"resolve(Promise.resolve('later'))", `"later"`},
		{"setTimeout(() => resolve('late'), 5); await new Promise(() => {})", `"late"`},
		{"const x = 1", "null"},
		{"", "null"},
		{"if (1 > 2) { 'a' } else 'b'", `"b"`},
		{"try { await 1; 'ok' } catch (e) { 'no' }", `"ok"`},
		{"try { null.x } catch (e) { 'caught' } finally { 2 }", `"caught"`},
		{"async function main() { return 9 }\nmain()", "9"},
		{"(async () => 8)()", "8"},
		{"1 // comment", "1"},
		{"const n: number = 3; n * 2", "6"},
		{"enum A { B = 4 }\nimport type { X } from 'x'\nA.B", "4"},
		{"export default 5", "5"},
		{"export const q = 6\nq", "6"},
		{"let out = []\nfor await (const x of [1, Promise.resolve(2)]) out.push(x)\nout", "[1,2]"},
		{"async function* g() { yield 1; yield 2 }\nlet s = 0\nfor await (const x of g()) s += x\ns", "3"},
		{"typeof arguments", `"undefined"`},
		{"const order = []; queueMicrotask(() => order.push(2)); order.push(1); await null; await null; order", "[1,2]"},
		{"Promise.prototype.then = 5; const seen = []; queueMicrotask(() => seen.push(1)); await null; await null; seen", "[1]"},
		{"const order = []; const at = (ms, n) => new Promise(r => setTimeout(() => { order.push(n); r() }, ms)); at(100000, 4); await Promise.all([at(1, 1), at(3, 2), at(6, 3)]); order", "[1,2,3]"},
		{"let n = 0; const t = setInterval(() => { if (++n === 3) { clearInterval(t); resolve(n) } }, 1); await new Promise(() => {})", "3"},
		{"const t = setTimeout(() => resolve('no'), 1); clearTimeout(t); await new Promise(r => setTimeout(r, 5)); 'cleared'", `"cleared"`},
		{"setTimeout((a, b) => resolve(a + b), 1, 'x', 'y'); await new Promise(() => {})", `"xy"`},
		{"setTimeout(() => { throw new Error('dropped') }, 100000); 'ended'", `"ended"`},
		{"args = 4; args", "4"},
		{"var console = 2; console", "2"},
		{"help = 1; typeof help", `"number"`},
		{"'setTimeout' in globalThis && 'args' in globalThis && !('nothing' in globalThis)", "true"},
		{"let x = 'a'; if (x) { x = 'b'; x }", `"b"`},
		{"#!/usr/bin/env sandboxd\n3", "3"},
		{"new Date(2020, 0, 1).toISOString()", `"2020-01-01T00:00:00.000Z"`},
		{"[undefined, () => 1, Symbol('x'), NaN, -0, new Date(0), /x/g, new Uint8Array([1, 2]), new Set([1]), new Map([[1, 2]]), 1e21, 1e-7, [, 1]]",
			`[null,null,null,null,0,"1970-01-01T00:00:00.000Z","/x/g","AQI=",[1],{"1":2},1e+21,1e-7,[null,1]]`},
		{"({ a: undefined, b: () => 1, c: { toJSON(k) { return k } }, d: new Error('e'), [Symbol('s')]: 1 })", `{"c":"c","d":{"name":"Error","message":"e"}}`},
		{"new Date(NaN)", "null"}, {"() => 1", "null"}, {"Symbol('x')", "null"}, {"Object.create({ inherited: 1 })", "{}"},
		{"'\\u2028\\ud800\\n\\u0001\"é'", "\"\u2028\ufffd\\n\\u0001\\\"é\""},
	} {
		out := run(t, c.source)
		if out.Error != nil || string(out.Result) != c.want {
			t.Errorf("%q answers %s, error %v; want %s", c.source, out.Result, out.Error, c.want)
		}
	}
}

func TestErrorsAndTheirPlaces(t *testing.T) {
	for _, c := range []struct {
		source       string
		code         problem.Code
		line, column int
		message      string
	}{
		{"throw new Error('x')", problem.ScriptError, 1, 7, "Error: x"},
		{"const f = () => {\n  null.x\n}\nf()", problem.ScriptError, 2, 8, "TypeError: Cannot read property 'x' of undefined or null"},
		{"throw { a: 1 }", problem.ScriptError, 1, 1, "the script threw { a: 1 }"},
		{"const a = {\n b: 1,\n c 2\n}", problem.SyntaxError, 3, 4, `Expected "}" but found "2"`},
		{"1\n}); evil(); (async () => {", problem.SyntaxError, 2, 1, `Unexpected "}"`},
		{"import.meta", problem.SyntaxError, 1, 1, "import is not available: a script is not a module"},
		{"1;\nimport fs from 'fs'", problem.SyntaxError, 2, 8, "import is not available: a script is not a module"},
		{"/(/", problem.SyntaxError, 1, 1, "Unterminated group"},
		{"throw new TypeError('a', { cause: new Error('b', { cause: 'c' }) })", problem.ScriptError, 1, 7, "TypeError: a; cause: Error: b; cause: 'c'"},
		{"throw null", problem.ScriptError, 1, 1, "the script threw null"},
		{"class Mine extends Error { constructor(m) { super(m); this.name = 'Mine' } }\nthrow new Mine('m')", problem.ScriptError, 2, 7, "Mine: m"},
		{"const e = new Error('x'); e.stack = 'lies\\n\\tat script.js:99:99(1)'; throw e", problem.ScriptError, 0, 0, "Error: x"},
		{"setTimeout(() => { throw new Error('t') }, 1); await new Promise(() => {})", problem.ScriptError, 1, 26, "Error: t"},
		{"queueMicrotask(() => { throw new Error('m') })", problem.ScriptError, 1, 30, "Error: m"},
		{"eval('1 +')", problem.ScriptError, 1, 1, "SyntaxError: SyntaxError: <eval>: Line 1:4 Unexpected end of input"},
		{"const files = 1; const a = () => { throw a.b }; a()", problem.ScriptError, 1, 36, "the script threw undefined"},
		{"let x = 1\nlet x = 2", problem.SyntaxError, 2, 5, `The symbol "x" has already been declared`},
		{"const é = '😀'; null.x", problem.ScriptError, 1, 22, "TypeError: Cannot read property 'x' of undefined or null"},
		{"for await (const x of []) {}\n  missing()", problem.ScriptError, 2, 3, "ReferenceError: missing is not defined"},
		{"interface P { a: number }\nconst p: P = { a: 1 };\n(p as any).b.c", problem.ScriptError, 3, 14, "TypeError: Cannot read property 'c' of undefined or null"},
		{"function f() { f() }\nf()", problem.StackOverflow, 1, 16, "functions called each other more than 2000 deep"},
		{"await new Promise(() => {})", problem.ScriptError, 0, 0, "the script waits for a promise that nothing will ever settle"},
		{"Promise.reject(new Error('lost')); 1", problem.ScriptError, 1, 16, "Error: lost"},
		{"return { a: Promise.resolve(1) }", problem.ScriptError, 0, 0, "result.a is a Promise, not its value"},
		{"const o = {}; o.o = o; o", problem.ScriptError, 0, 0, "result.o contains itself"},
		{"'x'.repeat(2e6)", problem.ResultTooLarge, 0, 0, "the result is larger than 1 MB of JSON"},
		{"new Array(1e9)", problem.ResultTooLarge, 0, 0, "the result is larger than 1 MB of JSON"},
	} {
		out := run(t, c.source)
		switch e := out.Error; {
		case e == nil:
			t.Errorf("%q answers %s", c.source, out.Result)
		case e.Code != c.code || e.Line != c.line || e.Column != c.column || e.Message != c.message:
			t.Errorf("%q fails with %s %d:%d %q\nwant %s %d:%d %q\n%s", c.source,
				e.Code, e.Line, e.Column, e.Message, c.code, c.line, c.column, c.message, e.Stack)
		}
	}
}

func TestDeadlineEndsTheRun(t *testing.T) {
	for _, source := range []string{"while (true) {}", "for (;;) await 0", "await new Promise(r => setTimeout(r, 60000))",
		"try { while (true) {} } finally { while (true) {} }"} {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		began := time.Now()
		out := Run(ctx, Config{}, Script{Source: source})
		cancel()
		if out.Error == nil || out.Error.Code != problem.Timeout {
			t.Errorf("%q ended with %v", source, out.Error)
		}
		if took := time.Since(began); took > 30*time.Second { // 50 ms on a quiet machine
			t.Errorf("%q took %v to end", source, took)
		}
	}
}

func TestLongMessagesAreCut(t *testing.T) {
	out := run(t, "throw new Error('x'.repeat(1e6))")
	if out.Error == nil || len(out.Error.Message) > maxMessage+10 || len(out.Error.Stack) > 2*maxMessage {
		t.Errorf("a message of %d bytes", len(out.Error.Message))
	}
}

// The number of goroutines after many runs of all kinds is what it was.
func TestNoGoroutineIsLeft(t *testing.T) {
	l := newLab()
	before := runtime.NumGoroutine()
	for _, source := range []string{"1", "await lab.name('x')", "lab.name('x')", "setTimeout(() => {}, 1e6)", "throw 1", "lab.meet('never')", "while (true) {}"} {
		for range 20 {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
			Run(ctx, Config{Table: l.table}, Script{Source: source})
			cancel()
		}
	}
	for deadline := time.Now().Add(ample); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
	}
}
