package runtime

import (
	"fmt"
	"slices"
	"time"

	"github.com/dop251/goja"

	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// What one call may pass.
const (
	maxArgDepth = 200
	maxArgItems = 5_000_000        // elements and members together
	maxArgBytes = int64(256) << 20 // of text and bytes
)

// reader makes plain Go values of a call's arguments. Each value is read once, so that a
// getter or a toString cannot answer one thing to the check and another to the use.
type reader struct {
	i     *isolate
	path  []*goja.Object // objects that are being read, to find cycles
	items int
	bytes int64
}

// refusal is panicked by reader when an argument is refused, and recovered by arguments.
type refusal string

// arguments reads the arguments of a call. The error is invalid_argument. What a getter
// throws goes through to the script as it is.
func (i *isolate) arguments(name string, values []goja.Value) (args []any, failure *problem.Error) {
	r := reader{i: i}
	position := 0
	defer func() {
		switch x := recover().(type) {
		case nil:
		case refusal:
			args, failure = nil, problem.New(problem.InvalidArgument, "%s: argument %d %s", name, position+1, string(x)).
				WithHint("Look at the expected type or value, or call help(%q).", name)
		default:
			panic(x)
		}
	}()
	args = make([]any, len(values))
	for at, value := range values {
		position = at
		args[at] = r.read(value)
	}
	return args, nil
}

func (r *reader) refuse(format string, args ...any) { panic(refusal(fmt.Sprintf(format, args...))) }

func (r *reader) took(items int64, bytes int) {
	if items > maxArgItems || r.items+int(items) > maxArgItems {
		r.refuse("has more than %d elements", maxArgItems)
	}
	r.items += int(items)
	if r.bytes += int64(bytes); r.bytes > maxArgBytes {
		r.refuse("is larger than %d MB", maxArgBytes>>20)
	}
}

func (r *reader) read(v goja.Value) any {
	switch kindOf(v) {
	case kindUndefined, kindNull:
		return nil
	case kindBool:
		return v.ToBoolean()
	case kindNumber:
		return number(v)
	case kindString:
		text := v.String()
		r.took(0, len(text))
		return text
	case kindBigInt:
		if whole, ok := exactInt(v); ok {
			return whole
		}
		r.refuse("holds a BigInt that is beyond 64 bits; pass it as a string")
	case kindSymbol:
		r.refuse("holds a Symbol; pass plain data")
	}
	return r.object(v.(*goja.Object))
}

func (r *reader) object(o *goja.Object) any {
	if slices.Contains(r.path, o) {
		r.refuse("contains itself; pass plain data without cycles")
	}
	if len(r.path) >= maxArgDepth {
		r.refuse("is nested deeper than %d levels", maxArgDepth)
	}
	r.path = append(r.path, o)
	defer func() { r.path = r.path[:len(r.path)-1] }()

	switch kindOfObject(o) {
	case kindArray:
		return r.array(o)
	case kindDate:
		t, ok := o.Export().(time.Time)
		if !ok {
			r.refuse("holds an invalid Date")
		}
		return isoTime(t)
	case kindBytes:
		bytes := bytesOf(o)
		r.took(0, len(bytes))
		return slices.Clone(bytes)
	case kindBoxed:
		return r.read(r.i.unboxed(o))
	case kindSet:
		var items []any
		r.i.vm.ForOf(o, func(v goja.Value) bool {
			r.took(1, 0)
			items = append(items, r.read(v))
			return true
		})
		return append([]any{}, items...)
	case kindMap:
		members := op.Object{}
		r.i.vm.ForOf(o, func(entry goja.Value) bool {
			pair := entry.(*goja.Object)
			key := pair.Get("0").String()
			r.took(1, len(key))
			members = append(members, op.Member{Name: key, Value: r.read(pair.Get("1"))})
			return true
		})
		return members
	case kindNumbers:
		return r.array(o)
	case kindPromise:
		r.refuse("is a Promise, not its value; put await before the call that made it")
	case kindRegExp: // as JSON it would be {}, and nobody would know
		r.refuse("holds a regular expression; pass its pattern as a string, or its source")
	case kindFunction:
		r.refuse("is a function; pass plain data")
	case kindNamespace:
		r.refuse("is a part of the sandbox; pass plain data")
	case kindError:
		return o.String()
	}
	return r.members(o)
}

func (r *reader) array(o *goja.Object) any {
	length := lengthOf(o)
	r.took(length, 0)
	items := make([]any, length)
	for index := range items {
		items[index] = r.read(at(o, int64(index)))
	}
	return items
}

func (r *reader) members(o *goja.Object) any {
	if toJSON, ok := goja.AssertFunction(o.Get("toJSON")); ok {
		value, err := toJSON(o, r.i.vm.ToValue(""))
		if err != nil {
			panic(err)
		}
		return r.read(value)
	}
	keys := o.Keys()
	r.took(int64(len(keys)), 0)
	members := make(op.Object, 0, len(keys))
	for _, key := range keys {
		value := o.Get(key)
		switch kindOf(value) {
		case kindUndefined:
			continue // as if it were not there
		case kindFunction:
			r.refuse("has the member %q, which is a function; pass plain data", key)
		}
		r.took(0, len(key))
		members = append(members, op.Member{Name: key, Value: r.read(value)})
	}
	return members
}

// unboxed is the primitive in a String, Number or Boolean object.
func (i *isolate) unboxed(o *goja.Object) goja.Value {
	switch o.ClassName() {
	case "Number":
		return o.ToNumber()
	case "Boolean":
		return i.vm.ToValue(o.Export() == true)
	}
	return o.ToString()
}

// isoTime is a time as Date.prototype.toISOString writes it.
func isoTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
