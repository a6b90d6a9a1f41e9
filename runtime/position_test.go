package runtime

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// everySyntax has each kind of node that goja's parser makes.
const everySyntax = `
label: for (let i = 0, j; i < 3; i++) { if (i) continue label; else break label }
for (var k in { a: 1 }) ; for (const q of [1, , ...[2]]) { q } for (x of y) z; for (;;) { break }
for (i = 0; ;) { debugger; break }
while (0) do { } while (false)
switch (1) { case 1: { } case 2: x; break; default: y }
try { throw 1 } catch ({ message, ...rest }) { } finally { }
try { throw new Error('x') } catch { }
with (o) { p }
var a = 1, [b, , c = 2, ...d] = [], { e, f: g = 3, [h]: l, ...m } = {}
let n = function named(x, y = 1, ...z) { return arguments }, o = async function () {}
`

const moreSyntax = `
const p = (x) => x, q = async ({ a }, [b]) => { await a }, r = function* () { yield; yield* [] ; yield 1 }
class A extends B { static #s = 1; #f; ['computed'] = 2; constructor() { super(); super.x() } get v() { return this.#f } set v(x) { }
  static { this.y = #f in this } static async m() { new.target } *g() { } 'quoted'() { } 1() { } }
const t = class { }, u = { a, b: 1, 'c': 2, [d]: 3, get e() { return 1 }, set e(v) { }, async f() { }, *g() { }, ...h, __proto__: null }
const v = tag` + "`a${1}b${`c${2}`}`" + `, w = /re/g, x = a?.b?.[c]?.(d), y = a ? b : c, z = (1, 2), aa = -a + +b - typeof c, bb = a++ + --b
const cc = null ?? true, cd = false || false && undefined, dd = new Foo, ee = new Foo(1, ...a), ff = a[b][c].d.e(f)(g), gg = delete a.b, hh = void 0, ii = a ** 2
a += 1; a.b += 'x'; a = a + 'y'; [a, b] = [b, a]; ({ a, b = 2, c: d } = e); a ??= 1; a &&= 2; a.b ||= 3; 10n; 0x1F; 'str'; this; import_
if (a) function f() { }
function decl() { 'use strict'; return }
async function adecl() { for (const a of await b) { }; return await c }
`

func TestEveryPositionIsMovedOnce(t *testing.T) {
	const by = 1_000_000
	seen := map[string]bool{}
	for _, source := range []string{everySyntax, moreSyntax} {
		tree, err := parse(bodyHead + source + bodyTail)
		if err != nil {
			t.Fatal(err)
		}
		w := newRewriter(func(idx file.Idx) file.Idx { return idx + by })
		w.stmts(tree.Body)
		w.finish()
		visited := map[uintptr]bool{}
		var look func(path string, v reflect.Value)
		look = func(path string, v reflect.Value) {
			switch v.Kind() {
			case reflect.Pointer:
				if v.IsNil() || visited[v.Pointer()] {
					return
				}
				visited[v.Pointer()] = true
				look(path, v.Elem())
			case reflect.Interface:
				if !v.IsNil() {
					look(path, v.Elem())
				}
			case reflect.Slice:
				for i := range v.Len() {
					look(path, v.Index(i))
				}
			case reflect.Struct:
				if v.Type() == reflect.TypeFor[ast.VariableDeclaration]() || v.Type() == reflect.TypeFor[file.File]() {
					return // the scope's list of what the tree has elsewhere
				}
				seen[v.Type().Name()] = true
				for i := range v.NumField() {
					name := v.Type().Name() + "." + v.Type().Field(i).Name
					if v.Type().Field(i).Type == reflect.TypeFor[file.Idx]() {
						if at := v.Field(i).Int(); at != 0 && (at < by || at >= 2*by) {
							t.Errorf("%s is %d", name, at)
						}
						continue
					}
					if v.Type().Field(i).IsExported() {
						look(path+"."+name, v.Field(i))
					}
				}
			}
		}
		look("", reflect.ValueOf(tree.Body))
	}
	for _, node := range nodes() {
		if !seen[node] {
			t.Errorf("no %s in the sample", node)
		}
	}
}

// nodes are the kinds of node that a program which parses can have.
func nodes() []string {
	var names []string
	for _, node := range []any{
		ast.ArrayLiteral{}, ast.ArrayPattern{}, ast.ArrowFunctionLiteral{}, ast.AssignExpression{}, ast.AwaitExpression{},
		ast.BinaryExpression{}, ast.Binding{}, ast.BlockStatement{}, ast.BooleanLiteral{}, ast.BracketExpression{},
		ast.BranchStatement{}, ast.CallExpression{}, ast.CaseStatement{}, ast.CatchStatement{}, ast.ClassDeclaration{},
		ast.ClassLiteral{}, ast.ClassStaticBlock{}, ast.ConditionalExpression{}, ast.DebuggerStatement{}, ast.DoWhileStatement{},
		ast.DotExpression{}, ast.EmptyStatement{}, ast.ExpressionBody{}, ast.ExpressionStatement{}, ast.FieldDefinition{},
		ast.ForDeclaration{}, ast.ForInStatement{}, ast.ForIntoExpression{}, ast.ForIntoVar{}, ast.ForLoopInitializerExpression{},
		ast.ForLoopInitializerLexicalDecl{}, ast.ForOfStatement{}, ast.ForStatement{}, ast.FunctionDeclaration{},
		ast.FunctionLiteral{}, ast.Identifier{}, ast.IfStatement{}, ast.LabelledStatement{}, ast.LexicalDeclaration{},
		ast.MetaProperty{}, ast.MethodDefinition{}, ast.NewExpression{}, ast.NullLiteral{}, ast.NumberLiteral{}, ast.ObjectLiteral{},
		ast.ObjectPattern{}, ast.Optional{}, ast.OptionalChain{}, ast.ParameterList{}, ast.PrivateDotExpression{},
		ast.PrivateIdentifier{}, ast.PropertyKeyed{}, ast.PropertyShort{}, ast.RegExpLiteral{}, ast.ReturnStatement{},
		ast.SequenceExpression{}, ast.SpreadElement{}, ast.StringLiteral{}, ast.SuperExpression{}, ast.SwitchStatement{},
		ast.TemplateElement{}, ast.TemplateLiteral{}, ast.ThisExpression{}, ast.ThrowStatement{}, ast.TryStatement{},
		ast.UnaryExpression{}, ast.VariableStatement{}, ast.WhileStatement{}, ast.WithStatement{}, ast.YieldExpression{},
	} {
		names = append(names, reflect.TypeOf(node).Name())
	}
	return names
}

func TestColumnsCountUTF16Units(t *testing.T) {
	text := newText("a\r\né😀x\u2028y\n")
	for _, c := range []struct {
		offset       int
		line, column int
	}{{0, 1, 1}, {3, 2, 1}, {5, 2, 2}, {9, 2, 4}, {10, 2, 5}, {13, 3, 1}, {14, 3, 2}, {15, 4, 1}} {
		if line, column := text.place(text.unit(c.offset)); line != c.line || column != c.column {
			t.Errorf("byte %d is at %d:%d; want %d:%d", c.offset, line, column, c.line, c.column)
		}
	}
	for unit := range len(text.standIn) {
		if back := text.offset(text.place(unit)); back != unit {
			t.Errorf("unit %d comes back as %d", unit, back)
		}
	}
}

// An error stands at the same place whether the script is taken as it is or goes through esbuild.
func TestPlacesSurviveLowering(t *testing.T) {
	for _, statement := range []string{
		"null.x", "  missing()", "throw new Error('x')", "throw 'text'", "[1].map(v => v.a.b)",
		"const o = { f() { return o.none.x } }; o.f()", "(() => { (() => { undefined.deep })() })()",
		"await (async () => { await 1; null.y })()", "class A { m() { this.n.o } } new A().m()", "JSON.parse('{')",
		"`${(() => { throw new Error('in template') })()}`", "'é😀'; null.z",
	} {
		source := "const before = 1;\n\n" + statement + "\n"
		plain := run(t, source)
		lowered := run(t, source+"for await (const x of []) {}\n")
		typed := run(t, "const before: number = 1;\n\n"+statement+"\n")
		if plain.Error == nil || plain.Error.Line != 3 {
			t.Errorf("%s: %+v", statement, plain.Error)
			continue
		}
		want := fmt.Sprintf("%d:%d %s", plain.Error.Line, plain.Error.Column, plain.Error.Message)
		for how, out := range map[string]Outcome{"lowered": lowered, "TypeScript": typed} {
			if out.Error == nil {
				t.Errorf("%s: %s does not fail", statement, how)
			} else if got := fmt.Sprintf("%d:%d %s", out.Error.Line, out.Error.Column, out.Error.Message); got != want {
				t.Errorf("%s: %s fails with %s; want %s", statement, how, got, want)
			}
		}
	}
}
