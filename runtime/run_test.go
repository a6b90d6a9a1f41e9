package runtime

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/problem"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // as a worker does
	os.Exit(m.Run())
}

// run runs a script without operations, for at most two seconds.
func run(t *testing.T, source string) Outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return Run(ctx, Config{}, Script{Source: source})
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
		{"const f = () => {\n  null.x\n}\nf()", problem.ScriptError, 2, 8, "TypeError: Cannot read property 'x' of undefined"},
		{"throw { a: 1 }", problem.ScriptError, 1, 1, "the script threw { a: 1 }"},
		{"const a = {\n b: 1,\n c 2\n}", problem.SyntaxError, 3, 4, `Expected "}" but found "2"`},
		{"1\n}); evil(); (async () => {", problem.SyntaxError, 2, 1, `Unexpected "}"`},
		{"let x = 1\nlet x = 2", problem.SyntaxError, 2, 5, `The symbol "x" has already been declared`},
		{"const é = '😀'; null.x", problem.ScriptError, 1, 22, "TypeError: Cannot read property 'x' of undefined"},
		{"for await (const x of []) {}\n  missing()", problem.ScriptError, 2, 3, "ReferenceError: missing is not defined"},
		{"interface P { a: number }\nconst p: P = { a: 1 };\n(p as any).b.c", problem.ScriptError, 3, 14, "TypeError: Cannot read property 'c' of undefined"},
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
		if took := time.Since(began); took > time.Second {
			t.Errorf("%q took %v to end", source, took)
		}
	}
}
