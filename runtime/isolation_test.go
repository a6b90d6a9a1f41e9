package runtime

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// What a run leaves in globals, prototypes, intrinsics or the sandbox's own functions is
// not seen by the next, though both are the same compiled program of one cache.
func TestNothingIsLeftForTheNextRun(t *testing.T) {
	l := newLab()
	programs := NewPrograms()
	source := `
const seen = []
const mark = (name, object, key) => {
  if (Object.prototype.hasOwnProperty.call(object, key)) seen.push(name)
  try { object[key] = 'left behind' } catch (e) { }
}
mark('global', globalThis, 'leftover')
mark('Object.prototype', Object.prototype, 'leftover')
mark('Array.prototype', Array.prototype, 'leftover')
mark('Function.prototype', Function.prototype, 'leftover')
mark('String.prototype', String.prototype, 'leftover')
mark('Promise.prototype', Promise.prototype, 'leftover')
mark('Error.prototype', Error.prototype, 'leftover')
mark('RegExp.prototype', RegExp.prototype, 'leftover')
mark('Map.prototype', Map.prototype, 'leftover')
mark('generator', Object.getPrototypeOf(function* () {}), 'leftover')
mark('async function', Object.getPrototypeOf(async () => {}), 'leftover')
mark('iterator', Object.getPrototypeOf([][Symbol.iterator]()), 'leftover')
mark('JSON', JSON, 'leftover')
mark('Math', Math, 'leftover')
mark('Symbol', Symbol, 'leftover')
mark('console', console, 'leftover')
mark('help', help, 'leftover')
mark('setTimeout', setTimeout, 'leftover')
mark('resolve', resolve, 'leftover')
mark('operation', lab.echo, 'leftover')
mark('namespace member', lab.inner.deep, 'leftover')
mark('args', args, 'leftover')
mark('a regex literal', /x/g, 'leftover')
mark('a template object', (s => s)` + "`a${1}`" + `, 'leftover')
mark('Symbol.for', globalThis, Symbol.for('leftover'))
const lastIndex = /a/g; if (lastIndex.lastIndex !== 0) seen.push('lastIndex'); lastIndex.test('aaa')
JSON.stringify = () => 'mine'; Array.prototype.push = () => 'mine'; Promise.prototype.then = Promise.prototype.then
Object.defineProperty(Object.prototype, 'sneaky', { get() { return 'x' }, configurable: true })
console.log = () => {}
globalThis.setTimeout = null
return seen`
	var first string
	for round := range 3 {
		out := Run(context.Background(), Config{Table: l.table, Programs: programs}, Script{Source: source})
		if out.Error != nil {
			t.Fatalf("round %d: %+v", round, out.Error)
		}
		if round == 0 {
			first = string(out.Result)
		}
		if string(out.Result) != "[]" {
			t.Errorf("round %d saw what was left behind: %s (the first: %s)", round, out.Result, first)
		}
	}
	if out := Run(context.Background(), Config{Programs: programs}, Script{Source: "console.log('x'); [1].push(2)"}); len(out.Logs) != 1 || string(out.Result) != "2" {
		t.Errorf("console and push after all that: %+v", out)
	}
}

func TestScriptsCannotReachTheHelpersOfRewrittenCode(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"typeof arguments", `"undefined"`},
		{"(function () { return arguments.length })()", "0"},
		{"eval('typeof concat') + eval('typeof thrown')", `"undefinedundefined"`},
		{"Object.getOwnPropertyNames(globalThis).filter(n => n.startsWith('%') || n.startsWith('__')).length", "0"},
		{"for await (const x of []) {}\nObject.getOwnPropertyNames(globalThis).filter(n => n.startsWith('__')).length", "0"},
		{"const trap = new Proxy({}, { has: () => true, get: () => { throw new Error('reached') } }); let s = 'a'; try { with (trap) { s += 'b' } } catch (e) { return e.message } return s", `"reached"`},
		{"new Error('x').stack.includes('goja') || new Error('x').stack.includes('.go')", "false"},
		{"[1].map(() => new Error('x').stack)[0].includes('github')", "false"},
	} {
		if out := run(t, c.source); out.Error != nil || string(out.Result) != c.want {
			t.Errorf("%q answers %s, error %v; want %s", c.source, out.Result, out.Error, c.want)
		}
	}
}

// Parsing must not read the file that a source map comment names.
func TestSourceMapsAreNotRead(t *testing.T) {
	for _, source := range []string{
		"1\n//# sourceMappingURL=file:///nonexistent/map",
		"eval('1\\n//# sourceMappingURL=file:///nonexistent/map')",
		"(0, eval)('1\\n//# sourceMappingURL=file:///nonexistent/map')",
		"new Function('return 1\\n//# sourceMappingURL=file:///nonexistent/map')()",
		"const n: number = 1; n\n//# sourceMappingURL=file:///nonexistent/map",
	} {
		if out := run(t, source); out.Error != nil || string(out.Result) != "1" {
			t.Errorf("%q answers %s, error %v", source, out.Result, out.Error)
		}
	}
}

// hostile scripts that the isolate itself ends, each with its code. What only a dying
// process ends is the worker's.
func TestHostileScripts(t *testing.T) {
	for _, c := range []struct {
		source string
		code   problem.Code
	}{
		{"while (true) {}", problem.Timeout},
		{"for (;;) { try { null.x } catch (e) {} }", problem.Timeout},
		{"try { while (true) {} } catch (e) { } finally { while (true) {} }", problem.Timeout},
		{"for (;;) await 0", problem.Timeout},
		{"const f = async () => { await null; return f() }; await f()", problem.Timeout},
		{"const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})", problem.Timeout},
		{"const f = () => queueMicrotask(f); f(); await new Promise(() => {})", problem.Timeout},
		{"const f = () => setTimeout(f, 0); f(); await new Promise(() => {})", problem.Timeout},
		{"setInterval(() => {}, 1); await new Promise(() => {})", problem.Timeout},
		{"await new Promise(r => setTimeout(r, 1e9))", problem.Timeout},
		{"({ toJSON() { while (true) {} } })", problem.Timeout},
		{"({ get x() { while (true) {} } })", problem.Timeout},
		{"console.log({ get x() { while (true) {} } })", problem.Timeout},
		{"throw { get message() { while (true) {} } }", problem.Timeout},
		{"throw Object.defineProperty(new Error('x'), 'stack', { get() { while (true) {} } })", problem.Timeout},
		{"throw new Proxy(new Error('x'), { get() { while (true) {} } })", problem.ScriptError},
		{"lab.echo({ get x() { while (true) {} } })", problem.Timeout},
		{"lab.echo({ toJSON() { while (true) {} } })", problem.Timeout},
		{"[...(function* () { while (true) yield 1 })()]", problem.Timeout},
		{"Array.from({ length: 1e9 }, () => { })", problem.Timeout},
		{"[3, 1, 2].sort(() => { for (;;); })", problem.Timeout},
		{"const f = () => f(); f()", problem.StackOverflow},
		{"const f = async () => { await f() }; await f()", problem.StackOverflow},
		{"class A { get x() { return this.x } } new A().x", problem.StackOverflow},
		{"const o = { toJSON() { return JSON.stringify(o) } }; o", problem.StackOverflow},
		{"const p = new Proxy({}, { get(t, k, r) { return r[k] } }); p.x", problem.StackOverflow},
		{"for (;;) lab.name('x')", problem.CallLimit},
		{"new Array(1e9)", problem.ResultTooLarge},
		{"const a = []; a[4e9] = 1; a", problem.ResultTooLarge},
		{"new Uint8Array(1e7)", problem.ResultTooLarge},
		{"let o = []; for (let i = 0; i < 30; i++) o = [o, o]; o", problem.ResultTooLarge},
		{"let o = {}; for (let i = 0; i < 1e3; i++) o = { o }; o", problem.ScriptError},
		{"const o = {}; o.o = o; o", problem.ScriptError},
		{"new Proxy({}, { ownKeys() { throw new Error('no') } })", problem.ScriptError},
		{"const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); proxy", problem.ScriptError},
		{"throw Object.create(null)", problem.ScriptError},
		{"throw Object.create(Error.prototype, { message: { get() { throw 1 } } })", problem.ScriptError},
		{"Promise.reject(Object.create(null)); 1", problem.ScriptError},
		{"queueMicrotask(() => { throw new Error('in a microtask') })", problem.ScriptError},
		{"setTimeout(() => { throw new Error('in a timer') }); await new Promise(() => {})", problem.ScriptError},
		{"for (let i = 0; ; i++) setTimeout(() => {}, 1e6)", problem.ScriptError},
		{"Reflect.construct(Promise, [() => {}], class {}); await { then() { throw new Error('x') } }", problem.ScriptError},
	} {
		limit := 50 * time.Millisecond
		if c.code != problem.Timeout {
			limit = ample
		}
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		began := time.Now()
		out := Run(ctx, Config{Table: newLab().table, Limits: limits.Limits{HostCalls: 100, WallTime: ample}}, Script{Source: c.source})
		cancel()
		took := time.Since(began)
		switch {
		case out.Error == nil:
			t.Errorf("%q answers %.100s", c.source, out.Result)
		case out.Error.Code != c.code:
			t.Errorf("%q ended with %v; want %s", c.source, out.Error, c.code)
		case took > time.Minute:
			t.Errorf("%q took %v", c.source, took)
		}
		if out.Error != nil && strings.Contains(out.Error.Message+out.Error.Hint+out.Error.Stack, ".go:") {
			t.Errorf("%q shows Go's own: %+v", c.source, out.Error)
		}
	}
	if out := run(t, "1 + 1"); string(out.Result) != "2" {
		t.Errorf("afterwards 1 + 1 is %s, error %v", out.Result, out.Error)
	}
}
