package lang_test

import "testing"

func TestGlobalObject(t *testing.T) {
	cases(t, `
typeof structuredClone → function
typeof nothingOfTheKind → undefined
nothingOfTheKind → ReferenceError: nothingOfTheKind is not defined
"TextEncoder" in globalThis → true
"nothing" in globalThis → false
Object.keys(globalThis) → 
globalThis.toString === Object.prototype.toString → true
globalThis === this → true
(0, eval)("this") === globalThis → true
"" + (0, eval)("var q = 1; q") + globalThis.q → 11
[].constructor === Array → true
({}).constructor === Object → true
RegExp === /a/.constructor → true
undefined === void 0 && (() => { "use strict"; try { undefined = 1 } catch (e) { return e.name } })() → TypeError
(() => { globalThis.Map = 5; return Map })() → 5
(() => { delete globalThis.Map; return typeof Map })() → function
Object.prototype.hasOwnProperty.call(globalThis, "atob") || typeof atob → function
JSON.stringify(Object.getOwnPropertyDescriptor((atob, globalThis), "atob"), (k, v) => typeof v === "function" ? "f" : v) → {"value":"f","writable":true,"enumerable":false,"configurable":true}
structuredClone.name + structuredClone.length + atob.name → structuredClone1atob
Object.groupBy.toString() → function groupBy() { [native code] }
Object.keys(Number.prototype).length + Object.keys(String.prototype).length + Object.keys(Array.prototype).length → 0
Number.prototype.toLocaleString.length + Number.prototype.toLocaleString.name → 0toLocaleString
`)
}

func TestStructuredClone(t *testing.T) {
	cases(t, `
JSON.stringify(structuredClone({ a: [1, , "x"], b: { c: null } })) → {"a":[1,null,"x"],"b":{"c":null}}
1 in structuredClone([1, , 2]) → false
structuredClone([1, , 2]).length → 3
[...structuredClone(new Map([[{ a: 1 }, new Set([1, 2])]]))].map(([k, v]) => k.a + ":" + [...v]) → 1:1,2
structuredClone(new Date(5)).getTime() → 5
structuredClone(new Date(NaN)).getTime() → NaN
String(structuredClone(/a+/gi)) → /a+/gi
new Uint8Array(structuredClone(new Uint8Array([1, 2, 3]).buffer)) → 1,2,3
structuredClone(new Float64Array([1.5, 2])) → 1.5,2
structuredClone(new Uint16Array([1, 2, 3]).subarray(1)) + "" → 2,3
structuredClone(new BigInt64Array([1n])) → 1
structuredClone(new DataView(new ArrayBuffer(8), 2, 4)).byteLength → 4
structuredClone(10n) → 10
structuredClone(new Error("hi", { cause: { a: 1 } })).cause.a → 1
(e => e.name + e.message + (e instanceof TypeError) + Object.keys(e))(structuredClone(new TypeError("hi"))) → TypeErrorhitrue
(e => e.constructor.name)(structuredClone(new (class A extends Error {})("hi"))) → Error
(a => { a.self = a; const b = structuredClone(a); return b.self === b && b !== a })({}) → true
(a => { const b = structuredClone([a, a]); return b[0] === b[1] })({}) → true
structuredClone(() => {}) → DataCloneError: () => {} could not be cloned.
(() => { try { structuredClone(() => {}) } catch (e) { return [e.code, e instanceof DOMException, e instanceof Error, e.constructor.name] } })() → 25,true,true,DOMException
structuredClone(Symbol("x")) → DataCloneError: Symbol(x) could not be cloned.
structuredClone(new WeakMap) → DataCloneError: #<WeakMap> could not be cloned.
structuredClone(Promise.resolve()) → DataCloneError: #<Promise> could not be cloned.
structuredClone({ f() {} }) → DataCloneError: f() {} could not be cloned.
structuredClone(new Proxy({}, {})) → DataCloneError: #<Object> could not be cloned.
structuredClone() → TypeError: The "value" argument must be specified
structuredClone(Object.create({ inherited: 1 })).inherited → undefined
structuredClone({ get a() { return 5 } }).a → 5
structuredClone(Object("abc")) instanceof String → true
(b => { structuredClone(b, { transfer: [b] }); return b.byteLength })(new ArrayBuffer(4)) → 0
(() => { Object.prototype.polluted = 1; return JSON.stringify(structuredClone({ a: 1 })) })() → {"a":1}
(() => { let deep = {}; for (let i = 0; i < 1e5; i++) deep = { deep }; return structuredClone(deep) })() → RangeError: Maximum call stack size exceeded: structuredClone copies at most 3000 levels
`)
}

func TestBase64(t *testing.T) {
	cases(t, `
btoa("hello") → aGVsbG8=
btoa("\xff\x00") → /wA=
btoa(null) → bnVsbA==
btoa("") → 
atob("aGVsbG8=") → hello
atob(" aGVs bG8 ") → hello
atob("/wA=").charCodeAt(0) → 255
atob("a") → InvalidCharacterError: The string to be decoded is not correctly encoded.
atob("aGVsbG8=!") → InvalidCharacterError: The string to be decoded is not correctly encoded.
atob("YQ=") → InvalidCharacterError: The string to be decoded is not correctly encoded.
atob("YR==") → a
(() => { try { btoa("€") } catch (e) { return [e.name, e.code] } })() → InvalidCharacterError,5
atob() → TypeError: The "input" argument must be specified
`)
}

func TestText(t *testing.T) {
	cases(t, `
new TextEncoder().encode("é€😀") → 195,169,226,130,172,240,159,152,128
new TextEncoder().encode() + "" → 
new TextEncoder().encode("a\ud800b") → 97,239,191,189,98
JSON.stringify(new TextEncoder().encodeInto("é😀", new Uint8Array(4))) → {"read":1,"written":2}
new TextDecoder().decode(new Uint8Array([195, 169, 226, 130, 172])) → é€
new TextDecoder().decode(new Uint8Array([0xEF, 0xBB, 0xBF, 65])).length → 1
new TextDecoder("utf-8", { ignoreBOM: true }).decode(new Uint8Array([0xEF, 0xBB, 0xBF, 65])).length → 2
new TextDecoder().decode(new Uint8Array([0xE2, 0x82, 65])) → �A
new TextDecoder().decode(new Uint8Array([0xF0, 0x9F, 0x41, 0xFF])) → �A�
new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([255])) → TypeError: The encoded data was not valid for encoding utf-8
new TextDecoder("utf-16").decode(new Uint8Array([0xFF, 0xFE, 65, 0, 0x3D, 0xD8, 0, 0xDE])) → A😀
new TextDecoder("utf-16be").decode(new Uint8Array([0, 65])) → A
new TextDecoder("latin1").encoding + new TextDecoder("latin1").decode(new Uint8Array([0x80, 0xE9])) → windows-1252€é
new TextDecoder("shift_jis").decode(new Uint8Array([0x83, 0x65, 0x83, 0x58])) → テス
new TextDecoder("zork") → RangeError: The "zork" encoding is not supported
new TextDecoder().decode(new Uint8Array([65, 66, 67]).buffer) → ABC
new TextDecoder().decode(new DataView(new Uint8Array([65, 66, 67]).buffer, 1, 1)) → B
new TextDecoder().decode("abc") → TypeError: TextDecoder.decode takes an ArrayBuffer, a typed array or a DataView, not "abc"
new TextDecoder().decode() + "|" → |
(d => d.decode(new Uint8Array([0xE2]), { stream: true }) + d.decode(new Uint8Array([0x82, 0xAC]), { stream: true }) + d.decode())(new TextDecoder()) → €
Object.prototype.toString.call(new TextEncoder()) → [object TextEncoder]
`)
}

func TestGrouping(t *testing.T) {
	cases(t, `
JSON.stringify(Object.groupBy([1, 2, 3], x => x % 2 ? "odd" : "even")) → {"odd":[1,3],"even":[2]}
Object.getPrototypeOf(Object.groupBy([], x => x)) → null
JSON.stringify([...Map.groupBy([1, 2, 3], x => x % 2 === 1)]) → [[true,[1,3]],[false,[2]]]
JSON.stringify(Object.groupBy("abca", x => x)) → {"a":["a","a"],"b":["b"],"c":["c"]}
Object.groupBy(null, x => x) → TypeError: null is not iterable
Object.groupBy([1]) → TypeError: undefined is not a function
Object.groupBy([1], () => { throw new Error("mine") }) → Error: mine
Object.keys(Object.groupBy([1, "1"], x => x)) → 1
Map.groupBy([1, "1"], x => x).size → 2
`)
}

func TestCrypto(t *testing.T) {
	cases(t, `
/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID()) → true
crypto.randomUUID() === crypto.randomUUID() → false
crypto.getRandomValues(new Uint8Array(64)).some(x => x > 0) → true
crypto.getRandomValues(new Float32Array(2)) → TypeMismatchError: The data argument must be an integer-type TypedArray
crypto.getRandomValues(new Uint8Array(70000)) → QuotaExceededError: The requested length exceeds 65,536 bytes
crypto.subtle.digest("SHA-256", new Uint8Array()) instanceof Promise → true
`)
}
