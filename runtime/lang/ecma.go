package lang

import (
	"time"

	"github.com/dop251/goja"
)

var (
	promiseShell  = shell("promise")
	iteratorShell = shell("iterator")
	weakShell     = shell("weak")
	abortShell    = shell("abort")
)

// amendPromise adds withResolvers and try, amendArray fromAsync.
func amendPromise(r *realm, class *goja.Object) goja.Value { return r.amendStatics("Promise", class) }
func amendArray(r *realm, class *goja.Object) goja.Value   { return r.amendStatics("Array", class) }

func (r *realm) amendStatics(name string, class *goja.Object) goja.Value {
	statics := r.once("promise", name, func() *goja.Object { return r.run(promiseShell()) }).(*goja.Object)
	for _, name := range statics.Keys() {
		if class.Get(name) == nil {
			r.define(class, name, statics.Get(name))
		}
	}
	return class
}

// amendError adds captureStackTrace, which puts the stack of here on an object as V8 does.
func amendError(r *realm, class *goja.Object) goja.Value {
	r.method(class, "captureStackTrace", 2, func(call goja.FunctionCall) goja.Value {
		object, ok := call.Argument(0).(*goja.Object)
		if !ok {
			panic(r.typeError("Invalid argument: Error.captureStackTrace takes an object, not %s", r.show(call.Argument(0))))
		}
		if object.ClassName() != "Error" || object.Get("stack") == nil { // an error has its stack
			r.define(object, "stack", r.construct(class).Get("stack"))
		}
		return goja.Undefined()
	})
	return class
}

// amendSymbol adds what lowered async iteration looks for.
func amendSymbol(r *realm, class *goja.Object) goja.Value {
	for _, name := range []string{"asyncIterator", "dispose", "asyncDispose"} {
		if class.Get(name) == nil {
			class.DefineDataProperty(name, goja.NewSymbol("Symbol."+name), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
		}
	}
	return class
}

func makeWeak(member string) maker {
	return func(r *realm) goja.Value {
		return r.once("weak", member, func() *goja.Object { return r.run(weakShell()) })
	}
}

func makeAbort(member string) maker {
	return func(r *realm) goja.Value {
		return r.once("abort", member, func() *goja.Object {
			// The timer is looked up when it is needed: it is the runtime's, not ours.
			timer := r.vm.ToValue(func(goja.FunctionCall) goja.Value { return r.global.Get("setTimeout") })
			return r.run(abortShell(), makeDOMException(r), timer)
		})
	}
}

// makePerformance gives now and timeOrigin, in milliseconds.
func makePerformance(r *realm) goja.Value {
	performance := r.vm.NewObject()
	r.method(performance, "now", 0, func(goja.FunctionCall) goja.Value {
		return r.vm.ToValue(float64(r.opt.Now().Sub(r.start)) / float64(time.Millisecond))
	})
	r.define(performance, "timeOrigin", r.vm.ToValue(float64(r.start.UnixMicro())/1000))
	return performance
}

// iteratorPrototype is what array iterators and generators inherit from. There is no other
// way to it than through an iterator.
func (r *realm) iteratorPrototype() *goja.Object {
	list := r.vm.NewArray()
	iterator := r.call(list.GetSymbol(goja.SymIterator), list).(*goja.Object)
	return iterator.Prototype().Prototype()
}

// watchIterators puts the helpers behind %IteratorPrototype% without making them yet, if
// the script can get hold of an iterator at all.
func (r *realm) watchIterators() {
	if !r.mentions("alues", "eys", "ntries", "atchAll", "terator", "*", "egment") {
		return
	}
	proto := r.iteratorPrototype()
	lazy := r.vm.NewDynamicObject(&lazyHelpers{r, proto})
	lazy.SetPrototype(r.objectProto)
	proto.SetPrototype(lazy)
}

// lazyHelpers stands between %IteratorPrototype% and Object.prototype until a helper is
// first looked for.
type lazyHelpers struct {
	realm *realm
	proto *goja.Object
}

var _ goja.DynamicObject = (*lazyHelpers)(nil)

func (l *lazyHelpers) Has(name string) bool {
	switch name {
	case "map", "filter", "take", "drop", "flatMap", "reduce", "toArray", "forEach", "some", "every", "find", "constructor":
		return true
	}
	return false
}

func (l *lazyHelpers) Get(name string) goja.Value {
	if !l.Has(name) {
		return nil
	}
	makeIterator(l.realm)
	return l.proto.Get(name)
}

func (l *lazyHelpers) Set(string, goja.Value) bool { return false }
func (l *lazyHelpers) Delete(string) bool          { return false }
func (l *lazyHelpers) Keys() []string              { return nil }

func makeIterator(r *realm) goja.Value {
	made, ok := r.made["iterator"]
	if !ok {
		proto := r.iteratorPrototype()
		proto.SetPrototype(r.objectProto)
		object := r.intrinsic("Object")
		made = r.run(iteratorShell(), proto, object.Get("defineProperty"))
		r.made["iterator"] = made
	}
	return made
}
