package runtime

import (
	"container/heap"
	"math"
	"time"

	"github.com/dop251/goja"

	"github.com/sandboxd/sandboxd/problem"
)

// installGlobals puts what the sandbox offers on the global object. What is not needed by
// most scripts is made when it is first named.
func (i *isolate) installGlobals() *problem.Error {
	args, failure := i.args()
	if failure != nil {
		return failure
	}
	i.global("args", args)
	i.global("resolve", i.function("resolve", i.resolve))
	i.lazyGlobal("console", i.console.object)
	i.lazyGlobal("help", func() goja.Value { return i.function("help", i.help) })
	i.lazyGlobal("setTimeout", func() goja.Value { return i.function("setTimeout", i.setTimeout) })
	i.lazyGlobal("setInterval", func() goja.Value { return i.function("setInterval", i.setInterval) })
	i.lazyGlobal("setImmediate", func() goja.Value { return i.function("setImmediate", i.setImmediate) })
	for _, name := range []string{"clearTimeout", "clearInterval", "clearImmediate"} {
		i.lazyGlobal(name, func() goja.Value { return i.function(name, i.clearTimer) })
	}
	i.lazyGlobal("queueMicrotask", func() goja.Value { return i.function("queueMicrotask", i.queueMicrotask) })
	i.installNamespaces()
	return nil
}

func (i *isolate) global(name string, value goja.Value) {
	i.vm.GlobalObject().DefineDataProperty(name, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

// lazyGlobal makes a global on its first use. From then on it is an ordinary property,
// and so it is once it has been assigned to.
func (i *isolate) lazyGlobal(name string, make func() goja.Value) {
	get := i.vm.ToValue(func(goja.FunctionCall) goja.Value {
		value := make()
		i.global(name, value)
		return value
	})
	set := i.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		i.global(name, call.Argument(0))
		return goja.Undefined()
	})
	i.vm.GlobalObject().DefineAccessorProperty(name, get, set, goja.FLAG_TRUE, goja.FLAG_TRUE)
}

// args is the value of the global args.
func (i *isolate) args() (goja.Value, *problem.Error) {
	if len(i.script.Args) == 0 {
		return i.vm.NewObject(), nil
	}
	plain, err := decodeJSON(i.script.Args)
	if err != nil {
		return nil, problem.New(problem.InvalidArgument, "args is not valid JSON").WithCause(err)
	}
	return i.valueOf(plain), nil
}

// resolve answers the run; the first call counts.
func (i *isolate) resolve(call goja.FunctionCall) goja.Value {
	if !i.answered {
		i.answered, i.answer = true, call.Argument(0)
	}
	return goja.Undefined()
}

func (i *isolate) setTimeout(call goja.FunctionCall) goja.Value { return i.addTimer(call, false) }

func (i *isolate) setInterval(call goja.FunctionCall) goja.Value { return i.addTimer(call, true) }

func (i *isolate) setImmediate(call goja.FunctionCall) goja.Value {
	arguments := append([]goja.Value{call.Argument(0), i.vm.ToValue(0)}, call.Arguments[min(1, len(call.Arguments)):]...)
	return i.addTimer(goja.FunctionCall{Arguments: arguments}, false)
}

const maxTimers = 10_000

func (i *isolate) addTimer(call goja.FunctionCall, repeat bool) goja.Value {
	fn, ok := goja.AssertFunction(call.Argument(0))
	if !ok {
		panic(i.vm.NewTypeError("a timer takes a function, not %s", i.describe(call.Argument(0))))
	}
	if len(i.loop.timers) >= maxTimers {
		panic(i.vm.NewTypeError("more than %d timers are pending", maxTimers))
	}
	ms := call.Argument(1).ToFloat()
	if !(ms >= 1) { // NaN too
		ms = 1
	}
	delay := time.Duration(math.Min(ms, float64(24*time.Hour/time.Millisecond))) * time.Millisecond
	i.loop.lastID++
	t := &timer{id: i.loop.lastID, due: i.loop.now().Add(delay), fn: fn}
	if len(call.Arguments) > 2 {
		t.args = append(t.args, call.Arguments[2:]...)
	}
	if repeat {
		t.every = delay
	}
	heap.Push(&i.loop.timers, t)
	return i.vm.ToValue(t.id)
}

func (i *isolate) clearTimer(call goja.FunctionCall) goja.Value {
	id := call.Argument(0)
	if !goja.IsNumber(id) {
		return goja.Undefined()
	}
	for _, t := range i.loop.timers {
		if t.id == id.ToInteger() {
			heap.Remove(&i.loop.timers, t.index)
			break
		}
	}
	i.loop.cleared = id.ToInteger()
	return goja.Undefined()
}

// fire runs a timer that is due. An interval is put back unless its own callback cleared it.
func (l *loop) fire(t *timer) {
	l.cleared = 0
	if _, err := t.fn(goja.Undefined(), t.args...); err != nil {
		l.fatal = l.report(err)
		return
	}
	if t.every > 0 && l.cleared != t.id {
		t.due = l.now().Add(t.every)
		heap.Push(&l.timers, t)
	}
}

// queueMicrotask runs a function before the loop turns.
func (i *isolate) queueMicrotask(call goja.FunctionCall) goja.Value {
	fn, ok := goja.AssertFunction(call.Argument(0))
	if !ok {
		panic(i.vm.NewTypeError("queueMicrotask takes a function, not %s", i.describe(call.Argument(0))))
	}
	promise, resolve, _ := i.vm.NewPromise()
	object := i.vm.ToValue(promise).(*goja.Object)
	if i.then == nil {
		i.then, _ = goja.AssertFunction(object.Get("then"))
	}
	run := i.vm.ToValue(func(goja.FunctionCall) goja.Value {
		if _, err := fn(goja.Undefined()); err != nil {
			panic(err)
		}
		return goja.Undefined()
	})
	if _, err := i.then(object, run); err != nil {
		panic(err)
	}
	if err := resolve(goja.Undefined()); err != nil {
		panic(err)
	}
	return goja.Undefined()
}
