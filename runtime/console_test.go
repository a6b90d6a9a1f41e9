package runtime

import (
	"context"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
)

func TestConsole(t *testing.T) {
	for _, c := range []struct{ call, want string }{
		{"console.log()", "log "},
		{"console.log('a', 1, true, null, undefined)", "log a 1 true null undefined"},
		{"console.info('i'); console.warn('w'); console.error('e'); console.debug('d')", "info i|warn w|error e|debug d"},
		{"console.log({ a: 1, b: 'x', 'c d': [1, 2] })", "log { a: 1, b: 'x', 'c d': [ 1, 2 ] }"},
		{"console.log([], {}, [[]], 'it\\'s', [\"it's\"])", `log [] {} [ [] ] it's [ "it's" ]`},
		{"console.log(new Map([['a', { b: 1 }]]), new Set([1]))", "log Map(1) { 'a' => { b: 1 } } Set(1) { 1 }"},
		{"console.log(new Date(0), /x/g, 10n, Symbol('s'), -0)", "log 1970-01-01T00:00:00.000Z /x/g 10n Symbol(s) -0"},
		{"console.log(() => {}, function f() {}, class A {}, async () => {})", "log [Function (anonymous)] [Function: f] [class A] [AsyncFunction (anonymous)]"},
		{"class P { x = 1 }; console.log(new P(), Object.create(null))", "log P { x: 1 } [Object: null prototype] {}"},
		{"const o = { n: {} }; o.n.o = o; console.log(o)", "log { n: { o: [Circular] } }"},
		{"console.log({ a: { b: { c: { d: { e: { f: 1 } } } } } })", "log { a: { b: { c: { d: { e: [Object] } } } } }"},
		{"console.log(new Array(103).fill(7).length, new Uint8Array([1, 2]))", "log 103 Uint8Array(2) [ 1, 2 ]"},
		{"console.log('%s is %d years and %i, %f, %j %o %%, %c!', 'Al', 42.5, 42.9, '1.5', { a: 1 }, [1], 'css')", "log Al is 42.5 years and 42, 1.5, {\"a\":1} [ 1 ] %, !"},
		{"console.log('100%', 'x', '%s')", "log 100% x %s"},
		{"console.log(Promise.resolve(3), new Promise(() => {}))", "log Promise { 3 } Promise { <pending> }"},
		{"console.log({ get a() { throw 1 } })", "log [a value that cannot be shown]"},
		{"console.log('x'.repeat(3) + '\\n' + 'y')", "log xxx\ny"},
		{"console.group('g'); console.log('in\\nside'); console.groupEnd(); console.log('out')", "log g|log   in\n  side|log out"},
		{"console.count(); console.count('a'); console.count(); console.countReset(); console.count()", "log default: 1|log a: 1|log default: 2|log default: 1"},
		{"console.assert(true, 'no'); console.assert(false, 'yes', 1); console.assert(false)", "error Assertion failed: yes 1|error Assertion failed"},
		{"console.dir({ a: 1 })", "log { a: 1 }"},
		{"function f() { console.trace('here') }\nf()", "debug Trace: here\n    at trace (native)\n    at f (script.js:1:24)\n    at script.js:2:1"},
		{"console.table([{ a: 1 }, { b: 'x' }])", "log ┌─────────┬───┬─────┐\n│ (index) │ a │ b   │\n├─────────┼───┼─────┤\n│ 0       │ 1 │     │\n│ 1       │   │ 'x' │\n└─────────┴───┴─────┘"},
		{"console.log(new RangeError('bad'))", "log RangeError: bad\n    at script.js:1:13"},
		{"console.log({ e: new Error('x') })", "log { e: [Error: x] }"},
		{"const { log } = console; log('unbound')", "log unbound"},
	} {
		out := run(t, c.call)
		var lines []string
		for _, line := range out.Logs {
			lines = append(lines, line.Level+" "+line.Text)
		}
		got := strings.Join(lines, "|")
		want := strings.ReplaceAll(c.want, "\n    at trace (native)", "")
		if got != want || out.Error != nil {
			t.Errorf("%s\nwrites %q, error %v\n  want %q", c.call, got, out.Error, want)
		}
	}
}

// Empty lines were free, and a loop of them filled the daemon's memory.
func TestEmptyConsoleLinesCount(t *testing.T) {
	out := Run(context.Background(), Config{Limits: limits.Limits{ConsoleBytes: 1000, WallTime: ample}},
		Script{Source: "for (let i = 0; i < 1e5; i++) console.log('')"})
	if out.Error != nil || len(out.Logs) > 1001 {
		t.Errorf("%d lines, %v", len(out.Logs), out.Error)
	}
}

func TestConsoleIsLiveAndCut(t *testing.T) {
	var live []host.LogLine
	out := Run(context.Background(), Config{Limits: limits.Limits{ConsoleBytes: 1000, WallTime: ample}, Log: func(line host.LogLine) { live = append(live, line) }},
		Script{Source: "for (let i = 0; i < 1e4; i++) console.log('line é ' + i)\nconsole.error('last')\nconsole.log('x'.repeat(1e8))\n'still answered'"})
	if out.Error != nil || string(out.Result) != `"still answered"` {
		t.Fatalf("%s, %v", out.Result, out.Error)
	}
	size := 0
	for _, line := range out.Logs {
		size += len(line.Text)
	}
	last := out.Logs[len(out.Logs)-1]
	if size > 1000+len(last.Text) || last.Text != "… console output was cut here: more than 1000 bytes" {
		t.Errorf("%d bytes of output, ending in %q", size, last.Text)
	}
	if len(live) != len(out.Logs) {
		t.Errorf("%d lines were sent live of %d", len(live), len(out.Logs))
	}
	for i := 1; i < len(out.Logs); i++ {
		if out.Logs[i].TimeMs < out.Logs[i-1].TimeMs {
			t.Errorf("line %d is earlier than the one before", i)
		}
	}
}
