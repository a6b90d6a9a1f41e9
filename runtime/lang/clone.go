package lang

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/dop251/goja"
)

// maxCloneDepth bounds the nesting of what structuredClone copies, calls from getters
// included: it recurses in Go, where an overflow of the stack ends the process.
const maxCloneDepth = 3_000

// structuredClone is https://html.spec.whatwg.org/#structured-cloning.
func structuredClone(r *realm, call goja.FunctionCall) goja.Value {
	if len(call.Arguments) == 0 {
		panic(r.missing("value"))
	}
	transfer := r.transferList(call.Argument(1))
	c := cloner{realm: r, seen: map[*goja.Object]goja.Value{}}
	value := c.clone(call.Arguments[0])
	for _, buffer := range transfer {
		buffer.Detach()
	}
	return value
}

func (r *realm) transferList(options goja.Value) (list []goja.ArrayBuffer) {
	object, ok := options.(*goja.Object)
	if !ok {
		return nil
	}
	transfer := object.Get("transfer")
	if transfer == nil || goja.IsUndefined(transfer) {
		return nil
	}
	r.vm.ForOf(transfer, func(v goja.Value) bool {
		object, _ := v.(*goja.Object)
		if object == nil {
			panic(r.domError("DataCloneError", "Value not transferable"))
		}
		buffer, ok := r.arrayBuffer(object)
		if !ok {
			panic(r.domError("DataCloneError", "Value not transferable"))
		}
		list = append(list, buffer)
		return true
	})
	return list
}

type cloner struct {
	*realm
	seen map[*goja.Object]goja.Value
}

func (c *cloner) clone(v goja.Value) goja.Value {
	object, ok := v.(*goja.Object)
	if !ok {
		if symbol, ok := v.(*goja.Symbol); ok {
			panic(c.domError("DataCloneError", "Symbol(%s) could not be cloned.", symbol.String()))
		}
		return v
	}
	if done, ok := c.seen[object]; ok {
		return done
	}
	c.cloneDepth++
	defer func() { c.cloneDepth-- }()
	if c.cloneDepth > maxCloneDepth {
		panic(c.rangeError("Maximum call stack size exceeded: structuredClone copies at most %d levels", maxCloneDepth))
	}
	return c.cloneObject(object)
}

func (c *cloner) cloneObject(object *goja.Object) goja.Value {
	if _, ok := goja.AssertFunction(object); ok {
		panic(c.domError("DataCloneError", "%s could not be cloned.", object.String()))
	}
	if buffer, ok := c.arrayBuffer(object); ok {
		return c.keep(object, c.vm.ToValue(c.vm.NewArrayBuffer(slices.Clone(buffer.Bytes()))))
	}
	if isTypedArray(object) {
		return c.cloneView(object, "length")
	}
	switch class := c.class(object); class {
	case "Array":
		copied := c.vm.NewArray()
		c.keep(object, copied)
		copied.Set("length", object.Get("length"))
		return c.cloneMembers(object, copied)
	case "Map":
		copied := c.construct(c.intrinsic("Map"))
		c.keep(object, copied)
		set := c.member("Map", "set")
		for _, entry := range c.entries("Map", object) {
			c.call(set, copied, c.clone(entry[0]), c.clone(entry[1]))
		}
		return copied
	case "Set":
		copied := c.construct(c.intrinsic("Set"))
		c.keep(object, copied)
		add := c.member("Set", "add")
		for _, entry := range c.entries("Set", object) {
			c.call(add, copied, c.clone(entry[0]))
		}
		return copied
	case "Date":
		ms := goja.NaN()
		if at, ok := object.Export().(time.Time); ok {
			ms = c.vm.ToValue(at.UnixMilli())
		}
		return c.keep(object, c.construct(c.intrinsic("Date"), ms))
	case "RegExp":
		return c.keep(object, c.construct(c.intrinsic("RegExp"), object.Get("source"), object.Get("flags")))
	case "Error":
		return c.cloneError(object)
	case "Number", "String", "Boolean", "BigInt":
		primitive := c.call(c.member(class, "valueOf"), object)
		return c.keep(object, primitive.ToObject(c.vm))
	case "DataView":
		return c.cloneView(object, "byteLength")
	case "Object", "Arguments":
		copied := c.vm.NewObject()
		c.keep(object, copied)
		return c.cloneMembers(object, copied)
	default:
		panic(c.domError("DataCloneError", "#<%s> could not be cloned.", strings.TrimSpace(class)))
	}
}

// What goja exports objects as tells their kinds apart where the class name does not.
var (
	plainType   = reflect.TypeFor[map[string]any]()
	mapType     = reflect.TypeFor[[][2]any]()
	setType     = reflect.TypeFor[[]any]()
	promiseType = reflect.TypeFor[*goja.Promise]()
)

// class names the kind of object that the standard copies in its own way; anything that
// is not known to be copied, a Go value in disguise for one, has a name of its own.
func (c *cloner) class(object *goja.Object) string {
	class := object.ClassName()
	if class != "Object" {
		return class
	}
	switch object.ExportType() {
	case plainType:
	case mapType:
		return "Map"
	case setType:
		return "Set"
	case promiseType:
		return "Promise"
	default:
		return "Object "
	}
	for proto := object.Prototype(); proto != nil && proto != c.objectProto; proto = proto.Prototype() {
		for _, name := range []string{"WeakMap", "WeakSet", "DataView"} {
			if proto == c.intrinsic(name).Get("prototype") {
				return name
			}
		}
	}
	return class
}

func (c *cloner) keep(from *goja.Object, to goja.Value) goja.Value {
	c.seen[from] = to
	return to
}

func (c *cloner) cloneMembers(from, to *goja.Object) goja.Value {
	for _, name := range from.Keys() {
		to.DefineDataProperty(name, c.clone(from.Get(name)), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	return to
}

// member is a method of one of goja's prototypes.
func (r *realm) member(class, name string) goja.Value {
	return r.intrinsic(class).Get("prototype").(*goja.Object).Get(name)
}

// entries lists a Map's or a Set's content as it is now.
func (c *cloner) entries(class string, object *goja.Object) (list [][2]goja.Value) {
	c.call(c.member(class, "forEach"), object, c.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		list = append(list, [2]goja.Value{call.Argument(1), call.Argument(0)})
		return goja.Undefined()
	}))
	return list
}

// cloneView copies a typed array or DataView together with the buffer that it shares.
func (c *cloner) cloneView(view *goja.Object, length string) goja.Value {
	constructor := c.viewClass(view)
	buffer := c.clone(view.Get("buffer"))
	return c.keep(view, c.construct(constructor, buffer, view.Get("byteOffset"), view.Get(length)))
}

// viewClass is goja's constructor for a view, whatever class of the script it may be of.
func (c *cloner) viewClass(view *goja.Object) *goja.Object {
	name := "DataView"
	if tag := view.GetSymbol(goja.SymToStringTag); tag != nil && goja.IsString(tag) && isTypedArray(view) {
		name = tag.String()
	}
	constructor, ok := c.native.Get(name).(*goja.Object)
	if !ok {
		panic(c.domError("DataCloneError", "#<Object> could not be cloned."))
	}
	return constructor
}

// cloneError keeps what the standard and the engines keep: name, message, stack and cause.
func (c *cloner) cloneError(object *goja.Object) goja.Value {
	name := "Error"
	if v := object.Get("name"); v != nil {
		switch n := v.String(); n {
		case "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError":
			name = n
		}
	}
	copied := c.construct(c.intrinsic(name))
	c.keep(object, copied)
	for _, member := range []string{"message", "stack", "cause"} {
		if slices.Contains(object.GetOwnPropertyNames(), member) {
			c.define(copied, member, c.clone(object.Get(member)))
		}
	}
	return copied
}
