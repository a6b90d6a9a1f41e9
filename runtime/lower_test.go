package runtime

import (
	"context"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

func TestTypeScript(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"interface A { b?: string }\nconst a: A = { b: 'x' }\na.b!", `"x"`},
		{"type T<K extends string> = { [P in K]: number }\nconst t: T<'a'> = { a: 1 }\nt", `{"a":1}`},
		{"enum E { A, B = 5, C }\n[E.A, E.C, E[5]]", `[0,6,"B"]`},
		{"const enum E { A = 'x' }\nE.A", `"x"`},
		{"declare const z: number\n1", "1"},
		{"abstract class B { constructor(private x: number, readonly y = 2) {} get() { return this.x + this.y } }\nnew (class extends B {})(4).get()", "6"},
		{"const x = <number>5; x", "5"},
		{"let x!: number; x = 4; x as unknown as number", "4"},
		{"const x = { a: 1 } satisfies object; x", `{"a":1}`},
		{"function f<T,>(this: void, a: T, ...r: T[]): a is T { return r.length > 0 }\nf(1, 2)", "true"},
		{"import type { X } from './x'\nimport type Y from \"y\";\nlet x: X = 3; x", "3"},
		{"export interface Q {}\nexport default async function main(): Promise<number> { return 1 }\nawait main()", "1"},
		{"export async function run() { return 2 }\nreturn await run()", "2"},
		{"const f = async (x: number): Promise<number> => x * 2\nreturn f(2)", "4"},
		{"@tag class X {}; function tag(c: any) { c.tagged = true }; (X as any).tagged", "true"},
		{"{ using x = { [Symbol.dispose]() { console.log('gone') } } as any }\n5", "5"},
		{"class Q { accessor n = 3 }; new Q().n", "3"},
		{"class A { p(): number { return 1 } static q() { return 2 } #n = 3; n() { return this.#n } }\n" +
			"class B extends A { y = super.p(); static z = super.q(); f = () => super.n(); #h = super.n() + 1; h() { return this.#h } }\n" +
			"[new B().y, B.z, new B().f(), new B().h(), Object.keys(new B())]", `[1,2,3,4,["y","f"]]`},
		{"let s: string = ''; for (let i = 0; i < 3; i++) s += i; s", `"012"`},
		{"const o: any = null; o?.a ?? 'none'", `"none"`},
		{"'only a string'", `"only a string"`},
		{"let x: number = 1; if (x) { x + 1 } else { x }", "2"},
		{"const it = { async *[Symbol.asyncIterator]() { yield 1; yield 2 } }; let s: number[] = []; for await (const x of it) s.push(x); s", "[1,2]"},
	} {
		for _, language := range []string{"ts", ""} {
			out := Run(context.Background(), Config{Limits: limits.Limits{WallTime: ample}}, Script{Source: c.source, Language: language})
			if out.Error != nil || string(out.Result) != c.want {
				t.Errorf("%q (%s) answers %s, error %+v; want %s", c.source, language, out.Result, out.Error, c.want)
			}
		}
	}
}

func TestNameMeansTypeScript(t *testing.T) {
	out := Run(context.Background(), Config{}, Script{Name: "report.ts", Source: "const a = <any>{}\n\nthrow new Error('x')"})
	if out.Error == nil || !strings.Contains(out.Error.Stack, "report.ts:3:7") {
		t.Errorf("ended with %+v", out.Error)
	}
	if failure := Check(Script{Language: "js", Source: "const a = <any>{}.b"}); failure != nil {
		t.Errorf("JavaScript that is TypeScript is forgiven, but: %v", failure)
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		language, source string
		line, column     int
		message          string
	}{
		{"js", "const x = ;", 1, 11, `Unexpected ";"`},
		{"js", "if (a {\n}", 1, 7, `Expected ")" but found "{"`},
		{"js", "\n\nfoo(", 3, 5, "Unexpected end of the script"},
		{"ts", "const x: = 3", 1, 10, `Unexpected "="`},
		{"ts", "let é = '😀' ~", 1, 14, `Expected ";" but found "~"`},
		{"js", "return { a: 1", 1, 14, "Unexpected end of the script"},
		{"js", "await = 1", 1, 7, `Unexpected "="`},
		{"js", "export { a } from 'b'", 1, 1, "export is not available: a script is not a module"},
		{"ts", "namespace N { export const q = 1 }\nN.q", 1, 11, "namespace is not available in a script"},
		{"js", "'unterminated", 1, 14, "Unterminated string literal"},
		{"js", "break", 1, 1, `Cannot use "break" here:`},
	} {
		failure := Check(Script{Source: c.source, Language: c.language})
		if failure == nil {
			out := Run(context.Background(), Config{}, Script{Source: c.source, Language: c.language})
			t.Errorf("%q compiles, and gives %s %v", c.source, out.Result, out.Error)
			continue
		}
		if failure.Code != problem.SyntaxError || failure.Line != c.line || failure.Column != c.column || failure.Message != c.message {
			t.Errorf("%q: %s %d:%d %q\nwant %d:%d %q", c.source, failure.Code, failure.Line, failure.Column, failure.Message, c.line, c.column, c.message)
		}
		if strings.Contains(failure.Hint, "goja") || strings.Contains(failure.Message, "anonymous") {
			t.Errorf("%q: %+v", c.source, failure)
		}
	}
}

// Whatever the text is, compiling ends in a program or in a syntax_error whose place is
// in the text.
func FuzzCheck(f *testing.F) {
	for _, source := range []string{
		"1+1", everySyntax, moreSyntax, "const x: number = 1", "}); a; (async () => {", "export default 1", "import a from 'b'",
		"#!x", "/[/v", "/\\p{L}/u", "`${", "\u2028é😀 = ;", "a?.b", "@x class {}", "enum E { A }", "\r\n\r'", "//# sourceMappingURL=x", "\x00", "\xff",
	} {
		f.Add(source, true)
		f.Add(source, false)
	}
	f.Fuzz(func(t *testing.T, source string, typescript bool) {
		language := "js"
		if typescript {
			language = "ts"
		}
		failure := Check(Script{Source: source, Language: language})
		if failure == nil {
			return
		}
		text := newText(source)
		switch {
		case failure.Code != problem.SyntaxError:
			t.Errorf("%q: %v", source, failure)
		case failure.Line < 0 || failure.Line > len(text.starts)+1 || failure.Line > 0 && failure.Column < 1:
			t.Errorf("%q: at %d:%d", source, failure.Line, failure.Column)
		}
	})
}
