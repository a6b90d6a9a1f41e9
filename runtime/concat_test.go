package runtime

import (
	"fmt"
	"regexp"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/file"
)

// evaluate runs a program outside of an isolate, with or without concat, and gives its
// answer and its error as text.
func evaluate(source string, rewritten bool, within time.Duration) (answer string, parsed bool) {
	tree, err := parse(bodyHead + source + bodyTail)
	if err != nil || bodyOf(tree) == nil {
		return "", false
	}
	vm := goja.New()
	vm.SetMaxCallStackSize(500)
	text := newText(source)
	move := func(idx file.Idx) file.Idx { return file.Idx(text.unit(int(idx)-1-len(bodyHead)) + 1) }
	c := concatenator{vm: vm}
	w := newRewriter(move)
	w.noConcat = !rewritten
	prg, err := linkWith(w, Script{Source: source}, tree, text)
	if err != nil {
		return "", false
	}
	timer := time.AfterFunc(within, func() { vm.Interrupt("too slow") })
	defer timer.Stop()
	value, err := vm.RunProgram(prg.prg)
	if err != nil {
		return err.Error(), true
	}
	body, _ := goja.AssertFunction(value)
	promise, err := body(goja.Undefined(), vm.ToValue(c.call), vm.ToValue(func(call goja.FunctionCall) goja.Value { return call.Argument(0) }))
	if err != nil {
		return err.Error(), true
	}
	p := promise.Export().(*goja.Promise)
	text2 := "nothing"
	if p.Result() != nil {
		vm.Try(func() { text2 = fmt.Sprintf("%v %T", p.Result().Export(), p.Result().Export()) })
		if o, ok := p.Result().(*goja.Object); ok && o.ClassName() == "Error" {
			text2 = o.String()
			for line := range strings.SplitSeq(o.Get("stack").String(), "\n") {
				if strings.Contains(line, "script.js:") { // natives differ, places must not
					text2 += "\n" + line[:strings.LastIndex(line, "(")]
					break
				}
			}
		}
	}
	return fmt.Sprint(p.State(), " ", text2), true
}

// appendCases are programs in which concat must not be noticed.
var appendCases = []string{
	"let s = ''; for (let i = 0; i < 2000; i++) s += 'ab'; return s",
	"let s = ''; for (let i = 0; i < 2000; i++) s += i; return s",
	"let s = ''; for (let i = 0; i < 2000; i++) s += 'é😀'[i % 3]; return s",
	"let s = 'x'.repeat(1000); const t = s; s += 'a'; let u = t; u += 'b'; return s + u + t",
	"let s = 'x'.repeat(1000); s += 'a'; let t = s; s += 'b'; t += 'c'; s += 'd'; return s + '|' + t",
	"let s = 'x'.repeat(1000); s += s; s += s; return s",
	"let s = 'é'.repeat(1000); s += 'a'; let t = s; s += 'b'; t += 'ç'; return s + '|' + t",
	"let s = 'x'.repeat(600); s += 'y'; const cut = s.substring(0, 601); let t = cut; t += 'z'; return s + t",
	"let s = 'x'.repeat(600); s += '\\ud800'; s += '\\udc00'; return s.length + s.codePointAt(600)",
	"let s = ''; s += undefined; s += null; s += true; s += 1n; s += 1.5; s += -0; s += NaN; return s",
	"let s = ''; s += { valueOf() { return 7 }, toString() { return 'no' } }; return s",
	"let s = ''; s += { [Symbol.toPrimitive](h) { return h } }; return s",
	"let s = ''; s += [1, 2]; s += new Date(0).getTime(); return s",
	"let s = ''; try { s += Symbol('x') } catch (e) { return e.message + s }",
	"let s = ''; s = 5; s += 'x'; s += 1; return s",
	"let s = ''; s = 5; s += 1; return s",
	"let s = ''; s = 5n; s += 1n; return s",
	"let s = ''; s = 5n; try { s += 1 } catch (e) { return String(e) }",
	"let s = ''; s = null; s += 1; return s",
	"const s = ''; try { s += 'x' } catch (e) { return String(e) + s }",
	"try { s += 'x'; let s = '' } catch (e) { return String(e) }",
	"try { missing += 'x' } catch (e) { return String(e) }",
	"let s = 'a'; s += (s = 'b', 'c'); return s",
	"let s = 'a'; const f = () => { s = 'q'; return 'w' }; s += f(); return s",
	"const o = { s: '' }; for (let i = 0; i < 2000; i++) o.s += 'ab'; return o.s",
	"let log = ''; const o = { get s() { log += 'g'; return 'v' }, set s(v) { log += 's' + v } }; o.s += 'x'; return log",
	"let o = { s: 'a' }; const p = o; o.s += (o = { s: 'z' }, 'c'); return p.s + o.s",
	"class A { s = ''; add(x) { this.s += x; return this } }; const a = new A(); for (let i = 0; i < 900; i++) a.add('q'); return a.s",
	"const o = null; try { o.s += 'x' } catch (e) { return String(e) }",
	"let n = 0, calls = 0; const o = () => (calls++, { s: 'a' }); o().s += 'x'; return calls",
	"const a = ['x']; let i = 0; a[i++] += 'y'; return a[0] + i",
	"let s = ''; s = s + 'a' + 1 + 2; s = s + 1; return s",
	"let s = 1; s = s + 2 + 'x'; return s",
	"let s = 1; s = s + 2; s += 'x' + 1; return s",
	"let s = 'a'; s = s + (s = 'b') + s; return s",
	"var s = 'a'; with ({ s: 'in' }) { s += 'x' } return s",
	"let s = 'a'; const r = (s += 'b'); return r + s",
	"function f(s = '') { arguments[0] += 'x'; s += 'y'; return s } return f('a')",
	"let s = ''; for (const k of ['a', 'b']) { const fn = () => { s += k }; fn() } return s",
	"let s = ''; const g = function* () { s += yield 1; s += yield 2 }; const it = g(); it.next(); it.next('a'); it.next('b'); return s",
	"let s = 'a'; const f = async () => { s += await Promise.resolve('b') }; await f(); return s",
	"let s = ''; s += `${s}x`; s += 'y' + (() => { throw new Error('in') })(); return s",
	"'use strict'; let s = ''; const o = Object.freeze({ s: 'a' }); try { o.s += 'x' } catch (e) { return String(e) }",
	"let f = ''; f += function () {}; return f.length > 0",
	"Object.prototype.s = 'proto'; const o = {}; o.s += 'x'; delete Object.prototype.s; return o.s",
	"let eval_ = ''; eval('eval_ += \"x\"'); eval_ += 'y'; return eval_",
}

func TestConcatIsNotNoticed(t *testing.T) {
	for _, source := range appendCases {
		plain, ok := evaluate(source, false, ample)
		if !ok {
			t.Errorf("%q does not parse", source)
			continue
		}
		if got, _ := evaluate(source, true, ample); got != plain {
			t.Errorf("%q\ngives %.300s\n want %.300s", source, got, plain)
		}
	}
}

func TestConcatIsUsed(t *testing.T) {
	for _, source := range []string{
		"let s = ''; s += x",
		"let s; s = 'a'; s += x",
		"let n; n += 'text' + x",
		"let n; n = n + x + '\\n'",
		"this.out += `${x}`",
		"const o = { text: '' }; o.text += x",
	} {
		tree, err := parse(bodyHead + source + bodyTail)
		if err != nil {
			t.Fatal(err)
		}
		w := newRewriter(func(idx file.Idx) file.Idx { return idx })
		w.stmts(tree.Body)
		if w.finish() == 0 {
			t.Errorf("%q is left as it is", source)
		}
	}
	tree, _ := parse(bodyHead + "let n = 0; for (const x of [1]) n += x; o.n += 1; a[i] += b" + bodyTail)
	w := newRewriter(func(idx file.Idx) file.Idx { return idx })
	w.stmts(tree.Body)
	if n := w.finish(); n != 0 {
		t.Errorf("%d sums of numbers are made slower", n)
	}
}

// Appending does not copy what is there already.
func TestAppendingIsLinear(t *testing.T) {
	for _, source := range []string{
		"let s = ''; for (let i = 0; i < 3e5; i++) s += 'x'; s.length",
		"const o = { s: '' }; for (let i = 0; i < 3e5; i++) o.s += 'é'; o.s.length",
		"let a = '', b = '', c = ''; for (let i = 0; i < 1e5; i++) { a += 'x'; b = b + i % 10 + 'é'; c += `${i % 7}` } a.length + b.length + c.length",
	} {
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		out := run(t, source)
		goruntime.ReadMemStats(&after)
		if out.Error != nil {
			t.Errorf("%q: %v", source, out.Error)
		}
		// It takes 20 MB, and tens of gigabytes where each append copies the text.
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<30 {
			t.Errorf("%q took %d MB", source, took>>20)
		}
	}
}

// wild is what can take all memory in one step, or differ from run to run.
var wild = regexp.MustCompile(`\d{5}|\de\d|\*\*|<<|Date|random|now`)

func FuzzConcat(f *testing.F) {
	for _, source := range appendCases {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if wild.MatchString(source) {
			t.Skip("may not end, or not end alike")
		}
		plain, ok := evaluate(source, false, 2*time.Second)
		if !ok || strings.Contains(plain, "too slow") {
			return
		}
		if got, _ := evaluate(source, true, 2*time.Second); got != plain && !strings.Contains(got, "too slow") {
			t.Errorf("%q\ngives %.500s\n want %.500s", source, got, plain)
		}
	})
}
