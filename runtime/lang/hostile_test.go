package lang_test

import (
	"errors"
	"testing"

	"github.com/dop251/goja"
)

// A script that changes the built-in prototypes before it first names a global harms
// itself at most.
func TestTampering(t *testing.T) {
	vm := fresh()
	if _, err := vm.RunString(`
		Object.prototype.get = Object.prototype.value = Object.prototype.writable = Object.prototype.enumerable = "polluted";
		Object.prototype.timeZone = "Foo/Bar"; delete Object.prototype.timeZone;
		Object.prototype.set = function () { throw new Error("setter") };
		Array.prototype.map = Array.prototype.push = Array.prototype.join = () => { throw new Error("replaced") };
		Map.prototype.get = Map.prototype.forEach; Set = Map = undefined; TypeError = undefined;
		String.prototype.replace = String.prototype.split = undefined;
		Object.keys = JSON.stringify = undefined;
	`); err != nil {
		t.Fatal(err)
	}
	for expression, want := range map[string]string{
		`new URL("http://a/?b=1").searchParams.get("b")`:               "1",
		`new TextDecoder().decode(new TextEncoder().encode("é"))`:      "é",
		`(1234.5).toLocaleString("de")`:                                "1.234,5",
		`new Date(0).toLocaleDateString("en-GB", { timeZone: "UTC" })`: "01/01/1970",
		`[1, 2].values().filter(x => x > 1).toArray()[0]`:              "2",
		`structuredClone({ a: [1] }).a[0]`:                             "1",
		`new RegExp("^\\p{L}+$", "u").test("é")`:                       "true",
		`parseCSV("a,b\n1,2")[0].b`:                                    "2",
		`atob(btoa("x"))`:                                              "x",
		`new AbortController().signal.aborted`:                         "false",
		`Object.groupBy([1, 2, 3], x => x % 2).__proto__`:              "undefined",
	} {
		if got := evaluate(t, vm, expression); got != want {
			t.Errorf("%s\n got %s\nwant %s", expression, got, want)
		}
	}
}

// Inputs that would cost a gigabyte or the process's stack.
func TestHostileInput(t *testing.T) {
	cases(t, `
new Intl.NumberFormat("en").format("1e999999999") → ∞
new Intl.NumberFormat("en").format("1e-999999999") → 0
(() => { try { new RegExp("[".repeat(1e6), "v") } catch (e) { return e.name } })() → SyntaxError
(() => { try { new RegExp("(".repeat(1e6)) } catch (e) { return e.name } })() → SyntaxError
structuredClone(Object.assign([], { length: 4294967295 })).length → 4294967295
(() => { try { new Date(0).toLocaleString("en", { timeZone: "../../etc/passwd" }) } catch (e) { return e.name } })() → RangeError
(() => { for (let i = 0; i < 2; i++) try { new Date(0).toLocaleString("en", { timeZone: "Foo/Bar" }) } catch (e) { if (i) return e.message } })() → Invalid time zone specified: Foo/Bar
new TextDecoder().decode(structuredClone(new Uint8Array([65]).buffer)) → A
(b => { structuredClone(b, { transfer: [b] }); return new TextDecoder().decode(new Uint8Array(b)).length })(new ArrayBuffer(4)) → TypeError: ArrayBuffer is detached
(() => { const u = new Uint8Array(4); structuredClone(u.buffer, { transfer: [u.buffer] }); return new TextDecoder().decode(u).length })() → 0
(() => { const u = new Uint8Array(4); structuredClone(u.buffer, { transfer: [u.buffer] }); return new TextEncoder().encodeInto("a", u).written })() → 0
(() => { const u = new Uint8Array(4); structuredClone(u.buffer, { transfer: [u.buffer] }); return crypto.getRandomValues(u) === u })() → true
parseCSV("a", { limit: new Array(1e9) }) → Error: parseCSV: options.limit must be a whole number from 0, but #<Array> came
`)
}

// A getter that clones its own object ends as any endless recursion does.
func TestEndlessClone(t *testing.T) {
	_, err := fresh().RunString("structuredClone({ get a() { return structuredClone(this) } })")
	var overflow *goja.StackOverflowError
	if !errors.As(err, &overflow) {
		t.Fatalf("got %v", err)
	}
}
