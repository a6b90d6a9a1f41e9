package runtime

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// lab is a table of operations that show how calls are made.
type lab struct {
	table  op.Table
	atWork atomic.Int32
	most   atomic.Int32
	done   atomic.Int32
	gate   chan struct{}

	changed []string // the calls of lab.change, as they happened
}

type echoIn struct {
	Value any `json:"value" doc:"Anything."`
	Other any `json:"other,omitempty" doc:"Anything else."`
}

type echoOut struct {
	Value any `json:"value" op:"result"`
}

type nameIn struct {
	Name string `json:"name" doc:"A name."`
}

type nameOut struct {
	Name  string `json:"name"`
	Bytes int    `json:"byte_count"`
}

func newLab() *lab {
	l := &lab{gate: make(chan struct{})}
	doc := op.Doc{Summary: "Shows something.", Cost: op.CostLookup, ReadOnly: true, Examples: []op.Example{{Title: "Call it", Code: "await lab.echo(1)"}}}
	changes := doc
	changes.ReadOnly = false
	l.table = op.Table{
		op.Define("lab.echo", "lab_echo", func(ctx context.Context, env *op.Env, in echoIn) (echoOut, error) {
			return echoOut{in.Value}, nil
		}, doc),
		op.Define("lab.name", "lab_name", func(ctx context.Context, env *op.Env, in nameIn) (nameOut, error) {
			return nameOut{in.Name, len(in.Name)}, nil
		}, doc),
		op.Define("lab.missing", "lab_missing", func(ctx context.Context, env *op.Env, in nameIn) (nameOut, error) {
			return nameOut{}, problem.New(problem.NotFound, "there is no file %s", in.Name).With("name", in.Name)
		}, doc),
		op.Define("lab.panics", "lab_panics", func(ctx context.Context, env *op.Env, in nameIn) (nameOut, error) {
			panic("open /secret/path")
		}, doc),
		op.Define("lab.meet", "lab_meet", func(ctx context.Context, env *op.Env, in nameIn) (nameOut, error) {
			at := l.atWork.Add(1)
			for most := l.most.Load(); at > most && !l.most.CompareAndSwap(most, at); most = l.most.Load() {
			}
			defer l.atWork.Add(-1)
			select {
			case <-l.gate:
				l.done.Add(1)
				return nameOut{Name: in.Name}, nil
			case <-ctx.Done():
				return nameOut{}, ctx.Err()
			}
		}, doc),
		op.Define("lab.change", "lab_change", func(ctx context.Context, env *op.Env, in nameIn) (nameOut, error) {
			l.changed = append(l.changed, in.Name) // the race detector watches
			if in.Name == "fails" {
				return nameOut{}, problem.New(problem.Conflict, "not this one")
			}
			return nameOut{Name: in.Name}, nil
		}, changes),
		op.Define("lab.inner.deep", "lab_inner_deep", func(ctx context.Context, env *op.Env, in nameIn) (nameOut, error) {
			return nameOut{Name: in.Name}, nil
		}, doc),
	}
	return l
}

func (l *lab) run(t *testing.T, source string) Outcome {
	t.Helper()
	return Run(context.Background(), Config{Table: l.table, Limits: limits.Limits{WallTime: ample}}, Script{Source: source})
}

func TestOperations(t *testing.T) {
	l := newLab()
	for _, c := range []struct{ source, want string }{
		{"await lab.name('é')", `{"name":"é","byteCount":2}`},
		{"await lab.inner.deep('x')", `{"name":"x","byteCount":0}`},
		{"lab.name('not awaited')", `{"name":"not awaited","byteCount":0}`},
		{"const [a, b] = await Promise.all([lab.name('a'), lab.name('b')]); a.name + b.name", `"ab"`},
		{"const r = await lab.name('x'); r.extra = 1; r.list = [1]; r", `{"name":"x","byteCount":1,"extra":1,"list":[1]}`},
		{"Object.getPrototypeOf(await lab.name('x')) === Object.prototype", "true"},
		{"try { await lab.missing('q') } catch (e) { ({ ...e, name: e.name, message: e.message, is: e instanceof Error }) }",
			`{"code":"not_found","hint":"List what is there first, for example with files.list().","details":{"name":"q"},"operation":"lab.missing","name":"SandboxError","message":"there is no file q","is":true}`},
		{"lab.missing('q').catch(e => e.code)", `"not_found"`},
		{"(await Promise.allSettled([lab.missing('q'), lab.name('x')])).map(r => r.status)", `["rejected","fulfilled"]`},
		{"Object.keys(lab)", `["echo","name","missing","panics","meet","change","inner"]`},
		{"['echo' in lab, 'nope' in lab, typeof lab.echo, typeof lab.inner, lab.echo === lab.echo, lab.echo.name]", `[true,false,"function","object",true,"lab.echo"]`},
		{"try { lab.ehco(1) } catch (e) { e.code + ': ' + e.message }", `"unknown_operation: lab.ehco is not an operation; did you mean lab.echo?"`},
		{"try { lab.inn.deep(1) } catch (e) { e.code + ': ' + e.message }", `"unknown_operation: lab.inn.deep is not an operation; did you mean lab.inner.deep?"`},
		{"[typeof lab.inn, typeof lab.inn.deep, lab.inn.then, await lab.inn === lab.inn, String(lab.inn.name)]", `["function","function",null,true,"lab.inn"]`},
		{"const lab = 3; lab", "3"},
	} {
		out := l.run(t, c.source)
		want := c.want
		if c.source == "lab.name('not awaited')" {
			want = `{"name":"not awaited","byteCount":11}`
		}
		if strings.Contains(c.source, "inner.deep") {
			want = `{"name":"x","byteCount":0}`
		}
		if out.Error != nil || string(out.Result) != want {
			t.Errorf("%q answers %s, error %v; want %s", c.source, out.Result, out.Error, want)
		}
	}
}

func TestArgumentsAreReadAsPlainData(t *testing.T) {
	l := newLab()
	for _, c := range []struct{ argument, want string }{
		{"1", "1"}, {"1.5", "1.5"}, {"'x'", `"x"`}, {"true", "true"}, {"null", "null"},
		{"[1, [2, { a: 3 }]]", `[1,[2,{"a":3}]]`},
		{"{ b: 1, a: undefined, c: null }", `{"b":1,"c":null}`},
		{"new Date(0)", `"1970-01-01T00:00:00.000Z"`},
		{"new Map([['k', 1]])", `{"k":1}`},
		{"new Set([1, 2])", `[1,2]`},
		{"[, 1]", `[null,1]`},
		{"12n", "12"},
		{"new String('boxed')", `"boxed"`}, {"new Number(4)", "4"}, {"new Boolean(false)", "false"},
		{"{ toJSON() { return 'json' } }", `"json"`},
		{"Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } })", `{"own":2}`},
		{"JSON.parse('{\"__proto__\": {\"x\": 1}}')", `{"__proto__":{"x":1}}`},
		{"new Float64Array([0.5])", `[0.5]`},
		{"new Proxy([1, 2], {})", `[1,2]`},
		{"new Proxy({ a: 1 }, {})", `{"a":1}`},
	} {
		out := l.run(t, "await lab.echo("+c.argument+")")
		if out.Error != nil || string(out.Result) != c.want {
			t.Errorf("%s arrives as %s, error %v; want %s", c.argument, out.Result, out.Error, c.want)
		}
	}
}

func TestUnknownOperationOfASmallNamespace(t *testing.T) {
	l := newLab()
	l.table = l.table[:2]
	out := l.run(t, "await lab.transaction()")
	if want := "lab.transaction is not an operation; there are lab.echo, lab.name"; out.Error == nil || out.Error.Message != want {
		t.Errorf("ended with %v, want %s", out.Error, want)
	}
}

func TestArgumentsThatAreRefused(t *testing.T) {
	l := newLab()
	for _, c := range []struct{ argument, message string }{
		{"() => 1", "lab.echo: argument 1 is a function; pass plain data"},
		{"{ f() {} }", `lab.echo: argument 1 has the member "f", which is a function; pass plain data`},
		{"1, Symbol('x')", "lab.echo: argument 2 holds a Symbol; pass plain data"},
		{"lab.name('x')", "lab.echo: argument 1 is a Promise, not its value; put await before the call that made it"},
		{"new Array(1e9)", "lab.echo: argument 1 has more than 5000000 elements"},
		{"{ length: 1, x: new Array(4e9) }", "lab.echo: argument 1 has more than 5000000 elements"},
		{"(() => { const o = {}; o.o = o; return o })()", "lab.echo: argument 1 contains itself; pass plain data without cycles"},
		{"(() => { let o = {}; for (let i = 0; i < 1e4; i++) o = { o }; return o })()", "lab.echo: argument 1 is nested deeper than 200 levels"},
		{"2n ** 70n", "lab.echo: argument 1 holds a BigInt that is beyond 64 bits; pass it as a string"},
		{"/a/g", "lab.echo: argument 1 holds a regular expression; pass its pattern as a string, or its source"},
		{"new Date(NaN)", "lab.echo: argument 1 holds an invalid Date"},
		{"lab", "lab.echo: argument 1 is a part of the sandbox; pass plain data"},
	} {
		out := l.run(t, "await lab.echo("+c.argument+")")
		if out.Error == nil || out.Error.Code != problem.InvalidArgument || out.Error.Message != c.message {
			t.Errorf("%s: answers %s, error %v\nwant %s", c.argument, out.Result, out.Error, c.message)
		} else if !strings.Contains(out.Error.Hint, `help("lab.echo")`) {
			t.Errorf("%s: the hint is %s", c.argument, out.Error.Hint)
		}
	}
}

// A value that answers differently each time is read once.
func TestArgumentIsReadOnce(t *testing.T) {
	l := newLab()
	out := l.run(t, `let reads = 0
const answer = await lab.echo({ get name() { return ['ok.txt', '../../etc/passwd'][reads++] } })
const polluted = await lab.echo((() => { Object.prototype.extra = 'seen'; return { a: 1 } })())
delete Object.prototype.extra
const entered = await lab.echo({ get a() { lab.name('inside'); return 1 } })
return [answer.name, reads, polluted, entered]`)
	if want := `["ok.txt",1,{"a":1},{"a":1}]`; string(out.Result) != want || out.Error != nil {
		t.Errorf("got %s, error %v; want %s", out.Result, out.Error, want)
	}
}

func TestGetterThatThrowsIsTheScriptsOwnError(t *testing.T) {
	out := newLab().run(t, "try { lab.echo({ get a() { throw new RangeError('mine') } }) } catch (e) { e.name + e.message }")
	if string(out.Result) != `"RangeErrormine"` {
		t.Errorf("got %s, error %v", out.Result, out.Error)
	}
}

func TestErrorOfAnOperationCarriesItsCode(t *testing.T) {
	for _, c := range []struct {
		source       string
		code         problem.Code
		line, column int
	}{
		{"await lab.missing('q')", problem.NotFound, 1, 11},
		{"const f = async () => {\n  return await lab.missing('q')\n}\nawait f()", problem.NotFound, 2, 20},
		{"for (const n of ['a']) {\n  await lab.name(n)\n  await lab.missing(n)\n}", problem.NotFound, 3, 13},
		{"await lab.name()", problem.InvalidArgument, 1, 11},
		{"type T = { a: string }\nconst t: T = { a: 'x' }\nawait lab.missing(t.a)", problem.NotFound, 3, 11},
		{"await lab.panics('x')", problem.Internal, 1, 11},
		{"lab.missing('x'); await lab.name('y')", problem.NotFound, 1, 5},
		{"try { await lab.missing('x') } catch (e) { throw e }", problem.NotFound, 1, 17},
		{"try { await lab.missing('x') } catch (e) { throw new Error('other', { cause: e }) }", problem.ScriptError, 1, 50},
	} {
		out := newLab().run(t, c.source)
		if e := out.Error; e == nil || e.Code != c.code || e.Line != c.line || e.Column != c.column {
			t.Errorf("%q ends with %+v; want %s %d:%d", c.source, e, c.code, c.line, c.column)
		} else if shown := e.Message + e.Hint + e.Stack; strings.Contains(shown, "/secret") || strings.Contains(shown, ".go") {
			t.Errorf("%q shows what is the operator's: %s", c.source, shown)
		}
	}
}

// Operations of one run are at work at the same time, but not more than maxAtOnce.
func TestOperationsRunConcurrently(t *testing.T) {
	l := newLab()
	go func() {
		for l.atWork.Load() < maxAtOnce {
			time.Sleep(time.Millisecond)
		}
		close(l.gate)
	}()
	out := l.run(t, "(await Promise.all(Array.from({ length: 200 }, (_, i) => lab.meet('n' + i)))).length")
	if string(out.Result) != "200" || out.Error != nil {
		t.Fatalf("got %s, error %v", out.Result, out.Error)
	}
	if most := l.most.Load(); most != maxAtOnce {
		t.Errorf("%d operations were at work at once; want %d", most, maxAtOnce)
	}
	if out.Calls["lab.meet"] != 200 {
		t.Errorf("counted %v", out.Calls)
	}
}

// What was started and not awaited is finished before the run ends.
func TestUnawaitedOperationsAreFinished(t *testing.T) {
	l := newLab()
	go func() {
		for l.atWork.Load() < 3 {
			time.Sleep(time.Millisecond)
		}
		close(l.gate)
	}()
	out := l.run(t, "for (const n of ['a', 'b', 'c']) lab.meet(n)\n'done'")
	if string(out.Result) != `"done"` || l.done.Load() != 3 {
		t.Errorf("got %s, error %v, %d finished", out.Result, out.Error, l.done.Load())
	}
	if out := newLab().run(t, "lab.name('a').then(() => lab.missing('b')); 1"); out.Error == nil || out.Error.Code != problem.NotFound ||
		!strings.Contains(out.Error.Hint, "nobody awaited it") {
		t.Errorf("a rejection that nobody awaited ended with %v", out.Error)
	}
}

func TestEndOfContextEndsOperations(t *testing.T) {
	l := newLab()
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		for l.atWork.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel(problem.New(problem.MemoryLimit, "the worker ran out of memory"))
	}()
	out := Run(ctx, Config{Table: l.table}, Script{Source: "try { await lab.meet('x') } catch (e) { 'caught' }"})
	if out.Error == nil || out.Error.Code != problem.MemoryLimit {
		t.Errorf("ended with %s, %v", out.Result, out.Error)
	}
	ctx, cancelNow := context.WithCancel(context.Background())
	cancelNow()
	if out := Run(ctx, Config{}, Script{Source: "1"}); out.Error == nil || out.Error.Code != problem.Canceled {
		t.Errorf("a cancelled run ended with %v", out.Error)
	}
}

func TestCallLimitCannotBeCaught(t *testing.T) {
	l := newLab()
	for _, source := range []string{
		"for (;;) try { await lab.name('x') } catch (e) {} finally { continue }",
		"for (;;) lab.name('x').catch(() => {})",
		"await Promise.allSettled(Array.from({ length: 50 }, () => lab.name('x')))",
	} {
		out := Run(context.Background(), Config{Table: l.table, Limits: limits.Limits{HostCalls: 10, WallTime: ample}}, Script{Source: source})
		if out.Error == nil || out.Error.Code != problem.CallLimit || out.Error.Line == 0 {
			t.Errorf("%q ended with %s, %+v", source, out.Result, out.Error)
		}
		if out.Calls["lab.name"] != 10 {
			t.Errorf("%q was counted as %v", source, out.Calls)
		}
	}
}

func TestForgottenAwait(t *testing.T) {
	for _, source := range []string{
		"const r = lab.name('x')\nr.name.length",
		"const r = lab.name('x')\nfor (const c of r) {}",
		"const r = lab.name('x')\nJSON.parse(r)",
		"const r = lab.name('x')\nreturn { r }",
	} {
		out := newLab().run(t, source)
		if out.Error == nil || !strings.Contains(out.Error.Hint, "lab.name in line 1") || !strings.Contains(out.Error.Hint, "await lab.name") {
			t.Errorf("%q ended with %+v", source, out.Error)
		}
	}
	out := newLab().run(t, "const r = await lab.name('x')\nr.nothing.length")
	if out.Error == nil || strings.Contains(out.Error.Hint, "await") {
		t.Errorf("a hint about await where nothing was forgotten: %+v", out.Error)
	}
}

func TestArgs(t *testing.T) {
	for _, c := range []struct{ args, source, want string }{
		{``, "args", `{}`},
		{`{"b": [1, 2.5, "é"], "a": null}`, "args", `{"b":[1,2.5,"é"],"a":null}`},
		{`[1]`, "args.push(2); args", `[1,2]`},
		{`"text"`, "args", `"text"`},
		{`{"__proto__": {"x": 1}}`, "[args.x, Object.keys(args)]", `[null,["__proto__"]]`},
		{`9007199254740993`, "String(args)", `"9007199254740993"`},
	} {
		out := Run(context.Background(), Config{}, Script{Source: c.source, Args: json.RawMessage(c.args)})
		if string(out.Result) != c.want && !(c.source == "String(args)" && out.Error == nil) {
			t.Errorf("args %s: %s, error %v; want %s", c.args, out.Result, out.Error, c.want)
		}
	}
	if out := Run(context.Background(), Config{}, Script{Source: "1", Args: json.RawMessage("{")}); out.Error == nil || out.Error.Code != problem.InvalidArgument {
		t.Errorf("args that are no JSON: %v", out.Error)
	}
}
