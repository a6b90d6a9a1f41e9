package runtime

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// writer writes random programs that join strings with whatever else there is.
type writer struct {
	r *rand.Rand
	b strings.Builder
}

func (w *writer) pick(choices ...string) string { return choices[w.r.IntN(len(choices))] }

func (w *writer) target() string {
	return w.pick("s", "s", "t", "u", "o.s", "o.s", "o.t", "a[0]", "a[i]", "this_.s", "k")
}

func (w *writer) value(depth int) string {
	if depth > 2 {
		return w.pick("1", "'x'", "s")
	}
	switch w.r.IntN(14) {
	case 0:
		return w.pick("1", "-0", "NaN", "2n", "1.5", "1e21")
	case 1:
		return w.pick("undefined", "null", "true", "false")
	case 2:
		return w.pick("'x'", "'é'", "'😀'", "'\\ud83d'", "'\\ude00'", "''", "'y'.repeat(700)", "'ü'.repeat(700)")
	case 3:
		return "`" + w.pick("", "q") + "${" + w.value(depth+1) + "}`"
	case 4:
		return w.pick("[1, 2]", "({ valueOf() { log('v'); return 3 } })", "({ toString() { log('t'); return 'T' } })", "Symbol('y')")
	case 5:
		return "(" + w.target() + " = " + w.value(depth+1) + ")"
	case 6:
		return "(" + w.target() + " += " + w.value(depth+1) + ")"
	case 7:
		return "call(() => " + w.value(depth+1) + ")"
	case 8:
		return "(" + w.value(depth+1) + " + " + w.value(depth+1) + ")"
	case 9:
		return "(log('e'), " + w.value(depth+1) + ")"
	case 10:
		return w.pick("s.length", "String(t).slice(1)", "String(s).substring(0, 600)", "String(u).charCodeAt(3)", "missing", "typeof s")
	}
	return w.target()
}

func (w *writer) statement(depth int) {
	switch w.r.IntN(12) {
	case 0:
		fmt.Fprintf(&w.b, "%s = %s\n", w.target(), w.value(0))
	case 1:
		name := w.pick("s", "t", "u", "k")
		fmt.Fprintf(&w.b, "%s = %s + %s + %s\n", name, name, w.value(1), w.value(1))
	case 2:
		if depth < 2 {
			fmt.Fprintf(&w.b, "for (let j = 0; j < %d; j++) {\n", 1+w.r.IntN(4))
			w.statement(depth + 1)
			w.statement(depth + 1)
			w.b.WriteString("}\n")
			return
		}
		fallthrough
	case 3:
		if depth < 2 {
			w.b.WriteString("try {\n")
			w.statement(depth + 1)
			w.b.WriteString("} catch (e) { log(String(e)) }\n")
			return
		}
		fallthrough
	case 4:
		fmt.Fprintf(&w.b, "keep.push(%s)\n", w.target())
	default:
		fmt.Fprintf(&w.b, "%s += %s\n", w.target(), w.value(0))
	}
}

// program ends with a digest of everything that could have been changed by accident.
func (w *writer) program() string {
	w.b.WriteString(`let s = '', t = 'x'.repeat(600), u = 5, i = 0
const k = 'const', o = { s: 'ö'.repeat(600), t: 1 }, a = ['', 'b'], this_ = { s: '' }, keep = [], said = []
const log = x => { if (said.length < 200) said.push(x) }, call = f => f()
const show = v => typeof v === 'string' ? v.length + ':' + v.slice(0, 40) + '…' + v.slice(-40) : typeof v === 'symbol' ? 'symbol' : String(v)
try {
`)
	for range 3 + w.r.IntN(8) {
		w.statement(0)
	}
	w.b.WriteString(`} catch (e) { log(String(e)) }
return [s, t, u, o.s, o.t, ...a, this_.s, ...keep].map(show).concat(said).join('|')`)
	return w.b.String()
}

// Random programs give the same with and without concat.
func TestConcatOnRandomPrograms(t *testing.T) {
	count := 4000
	if testing.Short() {
		count = 500
	}
	rewrote := 0
	for seed := range count {
		w := &writer{r: rand.New(rand.NewPCG(uint64(seed), 7))}
		source := w.program()
		plain, ok := evaluate(source, false, ample)
		if !ok {
			t.Fatalf("seed %d does not parse:\n%s", seed, source)
		}
		got, _ := evaluate(source, true, ample)
		if got != plain {
			t.Fatalf("seed %d:\n%s\ngives %.600s\n want %.600s", seed, source, got, plain)
		}
		if !strings.Contains(plain, "fulfilled") && !strings.HasPrefix(plain, "1 ") {
			t.Fatalf("seed %d did not run to its end: %s", seed, plain)
		}
		rewrote += strings.Count(source, "+=")
	}
	t.Logf("%d programs with %d appends", count, rewrote)
}
