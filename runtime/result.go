package runtime

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/sandboxd/sandboxd/problem"
)

// maxResultDepth is how deep a result may nest; readers of JSON refuse much more.
const maxResultDepth = 500

// encoder writes a result as JSON.stringify would, and stops as soon as it is too large,
// before something like new Array(1e9) is built anywhere. Beyond JSON.stringify, a Map
// becomes an object, a Set an array, an Error its name, message and code, and bytes base64.
type encoder struct {
	i    *isolate
	out  []byte
	max  int64
	path []*goja.Object
	at   []step // from the result to what is being written
}

// step is a member or an element on the way to a value.
type step struct {
	key   string
	index int64 // -1 if key counts
}

// where names what is being written, as its reader would: result.rows[3].
func (e *encoder) where() string {
	path := "result"
	for _, s := range e.at {
		switch {
		case s.index >= 0:
			path += fmt.Sprintf("[%d]", s.index)
		case plainKey.MatchString(s.key):
			path += "." + s.key
		default:
			path += "[" + quoted(s.key) + "]"
		}
	}
	return path
}

// encode gives a result's JSON. The error is result_too_large, or script_error for what
// has no JSON.
func (i *isolate) encode(value goja.Value) (result json.RawMessage, failure *problem.Error) {
	e := &encoder{i: i, max: i.cfg.Limits.ResultBytes}
	defer func() {
		switch x := recover().(type) {
		case nil:
		case *problem.Error:
			result, failure = nil, x
		default:
			panic(x)
		}
	}()
	if exception := i.vm.Try(func() {
		if !e.value(value, "") {
			e.write("null")
		}
	}); exception != nil {
		return nil, i.problemOf(exception)
	}
	return e.out, nil
}

func (e *encoder) write(s string) {
	e.out = append(e.out, s...)
	e.check()
}

func (e *encoder) check() {
	if int64(len(e.out)) > e.max {
		e.tooLarge()
	}
}

func (e *encoder) tooLarge() {
	panic(problem.New(problem.ResultTooLarge, "the result is larger than %s of JSON", sizeText(e.max)).
		WithHint("Return a part of it, such as rows.slice(0, 100), or a summary; or write all of it to a file " +
			"with files.create(name, {content}) and return the file's id."))
}

func (e *encoder) refuse(format string, args ...any) {
	panic(problem.New(problem.ScriptError, "%s %s", e.where(), fmt.Sprintf(format, args...)).
		WithHint("Return plain data: null, booleans, numbers, strings, arrays and objects."))
}

// value writes v and tells whether it has a JSON form: undefined, functions and symbols
// have none, as for JSON.stringify. key is what toJSON is given.
func (e *encoder) value(v goja.Value, key string) bool {
	if o, ok := v.(*goja.Object); ok {
		if kindOfObject(o) == kindPromise {
			e.promise()
		}
		if toJSON, ok := goja.AssertFunction(o.Get("toJSON")); ok {
			answer, err := toJSON(o, e.i.vm.ToValue(key))
			if err != nil {
				panic(err)
			}
			v = answer
		}
	}
	switch kindOf(v) {
	case kindUndefined, kindFunction, kindSymbol:
		return false
	case kindNull:
		e.write("null")
	case kindBool:
		e.write(v.String())
	case kindNumber:
		if goja.IsNaN(v) || goja.IsInfinity(v) {
			e.write("null")
			return true
		}
		e.write(v.String())
	case kindString:
		e.text(v.(goja.String))
	case kindBigInt:
		e.refuse("is a BigInt, which JSON does not have; return String(value) or Number(value)")
	default:
		e.object(v.(*goja.Object))
	}
	return true
}

func (e *encoder) promise() {
	p := problem.New(problem.ScriptError, "%s is a Promise, not its value", e.where())
	p = p.WithHint("Did you forget await? Put await before the call that made it.")
	if call := e.i.recent.forgotten(); call != nil {
		place := call.site.Position()
		p = p.WithHint("Did you forget await? %s in line %d gives a Promise: write await %s(…).",
			call.operation, place.Line, call.operation)
		p.Line, p.Column = place.Line, place.Column
	}
	panic(p)
}

func (e *encoder) object(o *goja.Object) {
	if slices.Contains(e.path, o) {
		e.refuse("contains itself")
	}
	if len(e.path) >= maxResultDepth {
		e.refuse("is nested deeper than %d levels", maxResultDepth)
	}
	e.path = append(e.path, o)
	defer func() { e.path = e.path[:len(e.path)-1] }()

	switch kindOfObject(o) {
	case kindArray, kindNumbers:
		e.array(o)
	case kindBoxed:
		e.value(e.i.unboxed(o), "")
	case kindDate:
		if t, ok := o.Export().(time.Time); ok { // its toJSON was removed
			e.write(`"` + isoTime(t) + `"`)
		} else {
			e.write("null")
		}
	case kindMap:
		e.mapping(o)
	case kindSet:
		e.set(o)
	case kindBytes:
		e.bytes(bytesOf(o))
	case kindError:
		e.error(o)
	case kindRegExp:
		e.text(o.ToString().(goja.String))
	default:
		e.members(o)
	}
}

func (e *encoder) array(o *goja.Object) {
	length := lengthOf(o)
	if length*2 > e.max { // each element takes two bytes at least
		e.tooLarge()
	}
	e.write("[")
	for index := range length {
		if index > 0 {
			e.write(",")
		}
		e.at = append(e.at, step{index: index})
		if !e.value(at(o, index), "") {
			e.write("null")
		}
		e.at = e.at[:len(e.at)-1]
	}
	e.write("]")
}

func (e *encoder) members(o *goja.Object) {
	e.write("{")
	first := true
	for _, key := range o.Keys() {
		e.member(&first, key, o.Get(key))
	}
	e.write("}")
}

func (e *encoder) member(first *bool, key string, value goja.Value) {
	mark := len(e.out)
	if !*first {
		e.write(",")
	}
	e.quote(key)
	e.write(":")
	e.at = append(e.at, step{key: key, index: -1})
	if e.value(value, key) {
		*first = false
	} else {
		e.out = e.out[:mark]
	}
	e.at = e.at[:len(e.at)-1]
}

func (e *encoder) mapping(o *goja.Object) {
	e.write("{")
	first := true
	e.i.vm.ForOf(o, func(entry goja.Value) bool {
		pair := entry.(*goja.Object)
		e.member(&first, pair.Get("0").String(), pair.Get("1"))
		return true
	})
	e.write("}")
}

func (e *encoder) set(o *goja.Object) {
	e.write("[")
	first := true
	e.i.vm.ForOf(o, func(item goja.Value) bool {
		if !first {
			e.write(",")
		}
		first = false
		if !e.value(item, "") {
			e.write("null")
		}
		return true
	})
	e.write("]")
}

func (e *encoder) error(o *goja.Object) {
	e.write("{")
	first := true
	for _, key := range []string{"name", "message", "code", "hint"} {
		if value := o.Get(key); kindOf(value) == kindString {
			e.member(&first, key, value)
		}
	}
	e.write("}")
}

func (e *encoder) bytes(b []byte) {
	if int64(base64.StdEncoding.EncodedLen(len(b))) > e.max {
		e.tooLarge()
	}
	e.write(`"` + base64.StdEncoding.EncodeToString(b) + `"`)
}

func (e *encoder) text(s goja.String) {
	if int64(s.Length()) > e.max {
		e.tooLarge()
	}
	e.quote(s.String())
}

const hexDigits = "0123456789abcdef"

// quote writes a JSON string. Text stays readable: only what JSON demands is escaped.
func (e *encoder) quote(s string) {
	e.out = append(e.out, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				e.out = append(append(e.out, s[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		e.out = append(e.out, s[from:i]...)
		switch c {
		case '"', '\\':
			e.out = append(e.out, '\\', c)
		case '\n':
			e.out = append(e.out, '\\', 'n')
		case '\r':
			e.out = append(e.out, '\\', 'r')
		case '\t':
			e.out = append(e.out, '\\', 't')
		case '\b':
			e.out = append(e.out, '\\', 'b')
		case '\f':
			e.out = append(e.out, '\\', 'f')
		default:
			e.out = append(e.out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		from = i
	}
	e.out = append(append(e.out, s[from:]...), '"')
	e.check()
}

func sizeText(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
