package lang_test

import (
	"testing"

	"github.com/dop251/goja"
)

func TestIteratorHelpers(t *testing.T) {
	cases(t, `
[1, 2, 3].values().map(x => x * 2).toArray() → 2,4,6
[1, 2, 3].values().map((x, i) => i).toArray() → 0,1,2
new Set([1, 2, 3]).values().filter(x => x % 2).toArray() → 1,3
[..."abcdef"][Symbol.iterator]().drop(1).take(2).toArray() → b,c
(function* () { let i = 0; for (;;) yield i++ })().filter(x => x % 3 === 0).map(x => x * x).take(3).toArray() → 0,9,36
new Map([["a", 1]]).entries().flatMap(x => x).toArray() → a,1
[1, 2, 3].values().reduce((a, b) => a + b) → 6
[1, 2, 3].values().reduce((a, b) => a + b, 10) → 16
[].values().reduce((a, b) => a) → TypeError: Reduce of a done iterator with no initial value
[[1, 2, 3].values().some(x => x > 2), [1, 2].values().every(x => x > 1), [5, 6].values().find(x => x > 5)] → true,false,6
(a => { [1, 2].values().forEach((x, i) => a.push(x + i)); return a })([]) → 1,3
[1].values().take(-1) → RangeError: -1 must be positive
[1].values().take(NaN) → RangeError: NaN must be positive
[1].values().map(5) → TypeError: 5 is not a function
Iterator.from({ next() { return { done: this.n > 2, value: this.n++ } }, n: 0 }).toArray() → 0,1,2
Iterator.from("ab").toArray() → a,b
Iterator.concat([1], [2, 3]).toArray() → 1,2,3
(log => { const it = { next: () => ({ done: false, value: 1 }), return() { log.push("closed"); return {} }, __proto__: Iterator.prototype }; it.take(1).toArray(); return log })([]) → closed
[].values() instanceof Iterator → true
new Iterator() → TypeError: Abstract class Iterator not directly constructable
new (class extends Iterator { next() { return { done: true } } })().toArray().length → 0
Object.prototype.toString.call([].values().map(x => x)) → [object Iterator Helper]
[..."ab"].entries().map(([i, c]) => i + c).toArray() → 0a,1b
"map" in [].values() → true
"nope" in [].values() → false
[].values().nope → undefined
Object.keys(Iterator.prototype) → 
Iterator.prototype.map.name + Iterator.prototype.map.length + Iterator.prototype.reduce.length → map11
(() => { const out = []; for (const x of [1, 2, 3].values().map(x => x + 1)) out.push(x); return out })() → 2,3,4
`)
}

func TestAmendments(t *testing.T) {
	cases(t, `
Object.keys(Promise.withResolvers()) → promise,resolve,reject
Promise.try(() => 1) instanceof Promise → true
Promise.try.length + Promise.withResolvers.length + Array.fromAsync.length → 2
typeof Symbol.asyncIterator → symbol
Symbol.asyncIterator.toString() → Symbol(Symbol.asyncIterator)
(o => { Error.captureStackTrace(o); return typeof o.stack })({}) → string
(e => { Error.captureStackTrace(e); return e.stack.includes("mine") })(new Error("mine")) → true
new WeakRef({ a: 1 }).deref().a → 1
new WeakRef(1) → TypeError: 1 cannot be held weakly
new FinalizationRegistry(() => {}).register({}, 1) → undefined
(c => { const s = c.signal; let n = 0; s.addEventListener("abort", e => { n += e.type === "abort" && e.target === s }); c.abort(); c.abort(); return [n, s.aborted, s.reason.name, s.reason.code] })(new AbortController()) → 1,true,AbortError,20
AbortSignal.abort("why").reason → why
AbortSignal.abort().throwIfAborted() → AbortError: This operation was aborted
(c => { const s = AbortSignal.any([c.signal]); c.abort(5); return s.reason })(new AbortController()) → 5
new AbortSignal() → TypeError: Illegal constructor
(t => { let n = 0; t.addEventListener("x", () => n++, { once: true }); t.dispatchEvent(new Event("x")); t.dispatchEvent(new Event("x")); return n })(new EventTarget()) → 1
performance.now() >= 0 && performance.now() < 60000 → true
performance.timeOrigin > 1.6e12 → true
"a\ud800".isWellFormed() + "" + "a\ud800".toWellFormed().charCodeAt(1) + "ab".isWellFormed() → false65533true
`)
}

// Promise.try, withResolvers and fromAsync settle once the microtasks have run.
func TestAmendmentsSettle(t *testing.T) {
	for source, want := range map[string]string{
		"Promise.try((a, b) => a + b, 1, 2)":                                                                                      "3",
		"Promise.try(() => { throw 5 }).catch(e => e + 1)":                                                                        "6",
		"(({ promise, resolve }) => (resolve(7), promise))(Promise.withResolvers())":                                              "7",
		"Array.fromAsync([1, Promise.resolve(2)], x => x * 2)":                                                                    "2,4",
		"Array.fromAsync(new Set([3, 4]))":                                                                                        "3,4",
		"Array.fromAsync({ length: 2, 0: 'a', 1: Promise.resolve('b') })":                                                         "a,b",
		"Array.fromAsync({ [Symbol.asyncIterator]() { let n = 0; return { next: async () => ({ done: n > 1, value: n++ }) } } })": "0,1",
		"crypto.subtle.digest('SHA-256', new TextEncoder().encode('abc')).then(b => new Uint8Array(b).toHex())":                   "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	} {
		v, err := fresh().RunString(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		p := v.Export().(*goja.Promise)
		if got := p.Result().String(); p.State() != goja.PromiseStateFulfilled || got != want {
			t.Errorf("%s\n got %v %s\nwant %s", source, p.State(), got, want)
		}
	}
}
