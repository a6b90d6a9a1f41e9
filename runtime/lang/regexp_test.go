package lang_test

import (
	_ "embed"
	"testing"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"

	"github.com/sandboxd/sandboxd/runtime/lang"
)

//go:embed testdata/regexp.cases
var regexpCases string

// Matches, splits and replacements of some ninety patterns in texts with line ends and
// letters of many kinds.
func TestRegExpAgrees(t *testing.T) { cases(t, regexpCases) }

// Literals go through RewriteRegexp, as the runtime does it; here the constructor.
func TestRegExp(t *testing.T) {
	cases(t, `
new RegExp("^\\p{L}+$", "u").test("Ünïcödé") → true
new RegExp("\\p{Lu}", "gu")[Symbol.replace]("aBcÉ", "_") → a_c_
"añb1".match(new RegExp("[\\p{L}\\d]+", "u"))[0] → añb1
"日本語 text".match(new RegExp("\\p{Script=Han}+", "u"))[0] → 日本語
"αβγ abc".match(new RegExp("\\p{sc=Grek}+", "u"))[0] → αβγ
"ーカ".match(new RegExp("^\\p{scx=Kana}+$", "u"))[0] → ーカ
"a😀b".match(new RegExp("\\p{Emoji_Presentation}", "u"))[0] → 😀
"a😀b".replace(new RegExp("\\p{Extended_Pictographic}", "gu"), "") → ab
"a b".match(new RegExp("\\P{L}", "u"))[0] === " " → true
"x-1".replace(new RegExp("[^\\p{L}\\p{N}]", "gu"), "_") → x_1
new RegExp("\\p{General_Category=Decimal_Number}", "u").test("٣") → true
new RegExp("\\p{White_Space}", "u").test("\u00a0") → true
new RegExp("\\p{Alphabetic}", "u").test("é") → true
new RegExp("\\p{Zork}", "u") → SyntaxError: Invalid regular expression: /\p{Zork}/: Invalid property name {Zork} (not a Unicode property, or one that this sandbox lacks)
new RegExp("\\p{L}").test("p{L}") → true
new RegExp("[\\p{L}--[a-z]]", "v").test("a") + "" + new RegExp("[\\p{L}--[a-z]]", "v").test("A") → falsetrue
new RegExp("[\\w&&[^\\d]]+", "v").exec("123abc")[0] → abc
new RegExp("[[a-c][x-z]]+", "v").exec("kbxz")[0] → bxz
new RegExp("a", "uv") → SyntaxError: Invalid regular expression flags 'uv': u and v exclude each other
"a\r\nb\r\nc".match(new RegExp("^.$", "gm")) → a,b,c
"a\nb".match(new RegExp("^b$", "m")).index → 2
"𠀀".match(new RegExp("^[^]$", "u")).index → 0
RegExp("a", "g").flags → g
RegExp(/a/i).flags + (r => RegExp(r) === r)(/a/) → itrue
new RegExp(/a/gi, "m").flags → m
new RegExp(/a/gi).flags → gi
/a/ instanceof RegExp && new RegExp("a") instanceof RegExp → true
(class R extends RegExp { hi() { return 1 } }, new (class R extends RegExp { hi() { return 1 } })("a")).hi() → 1
"a,b;c".split(new RegExp("[,;]")) → a,b,c
[..."a1b2".matchAll(new RegExp("\\d", "g"))].map(m => m[0]) → 1,2
RegExp.prototype === Object.getPrototypeOf(/a/) → true
RegExp.name + RegExp.length → RegExp2
RegExp.escape("1+1=2 (a)") → \x31\+1\x3d2\x20\(a\)
`)
}

func TestRewriteRegexp(t *testing.T) {
	for source, want := range map[string]bool{
		`/^\p{L}+$/u.test("é")`:                        true,
		`/^\p{Lu}\p{Ll}*$/u.test("Émile")`:             true,
		`/[\p{L}'-]+/u.exec("d'Été-x!")[0].length===7`: true,
		`/^b$/m.test("a\r\nb\r\n")`:                    true,
		`/\p{L}/.test("é")`:                            false,
		`/[\u{1F600}-\u{1F64F}]/u.test("😀")`:           true,
		`/a$/m.test("a\u2028b")`:                       true,
		`/[$^]/m.test("$")`:                            true,
		`/\$\^/m.test("$^")`:                           true,
	} {
		parsed, err := goja.Parse("", source)
		if err != nil {
			t.Fatal(err)
		}
		literals(parsed, func(re *ast.RegExpLiteral) {
			if err := lang.RewriteRegexp(re); err != nil {
				t.Fatalf("%s: %v", source, err)
			}
		})
		program, err := goja.CompileAST(parsed, true)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		v, err := fresh().RunProgram(program)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		if v.ToBoolean() != want {
			t.Errorf("%s is %v", source, v)
		}
	}
}

// literals finds the literals of the shapes that the tests use.
func literals(prog *ast.Program, visit func(*ast.RegExpLiteral)) {
	var walk func(e ast.Expression)
	walk = func(e ast.Expression) {
		switch e := e.(type) {
		case *ast.RegExpLiteral:
			visit(e)
		case *ast.CallExpression:
			walk(e.Callee)
		case *ast.DotExpression:
			walk(e.Left)
		case *ast.BracketExpression:
			walk(e.Left)
		case *ast.BinaryExpression:
			walk(e.Left)
		}
	}
	for _, s := range prog.Body {
		walk(s.(*ast.ExpressionStatement).Expression)
	}
}
