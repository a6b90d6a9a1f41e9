package runtime

import (
	"container/heap"
	"math"
	"regexp"
	"time"

	"github.com/dop251/goja"

	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// installGlobals puts what the sandbox offers within reach of scripts. Nothing is made
// before a script names it: most scripts name little, and each function costs a microsecond.
func (i *isolate) installGlobals() *problem.Error {
	args, err := i.plainArgs()
	if err != nil {
		return problem.New(problem.InvalidArgument, "args is not valid JSON").WithCause(err)
	}
	make := map[string]func() goja.Value{
		"args":    func() goja.Value { return i.global("args", i.valueOf(args)) },
		"console": func() goja.Value { return i.global("console", i.console.object()) },
	}
	for name, fn := range map[string]func(goja.FunctionCall) goja.Value{
		"resolve":        i.resolve,
		"help":           i.help,
		"queueMicrotask": i.queueMicrotask,
		"setTimeout":     i.setTimeout,
		"setInterval":    i.setInterval,
		"setImmediate":   i.setImmediate,
		"clearTimeout":   i.clearTimer,
		"clearInterval":  i.clearTimer,
		"clearImmediate": i.clearTimer,
	} {
		make[name] = func() goja.Value { return i.global(name, i.function(name, fn)) }
	}
	i.addNamespaces(make)

	object := i.vm.GlobalObject()
	lazy := i.vm.NewDynamicObject(&globals{i: i, make: make})
	lazy.SetPrototype(object.Prototype())
	object.SetPrototype(lazy)
	if namesSymbols.MatchString(i.script.Source) {
		i.addSymbols()
	}
	return nil
}

var namesSymbols = regexp.MustCompile(`\b(?:asyncIterator|asyncDispose|dispose)\b`)

// addSymbols adds the well-known symbols by which lowered syntax finds its methods and
// which goja does not have.
func (i *isolate) addSymbols() {
	object, ok := i.vm.GlobalObject().Get("Symbol").(*goja.Object)
	if !ok {
		return
	}
	for _, name := range []string{"asyncIterator", "asyncDispose", "dispose"} {
		if object.Get(name) == nil {
			symbol := goja.NewSymbol("Symbol." + name)
			object.DefineDataProperty(name, symbol, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
		}
	}
}

func (i *isolate) global(name string, value goja.Value) goja.Value {
	i.define(i.vm.GlobalObject(), name, value, goja.FLAG_FALSE)
	return value
}

// globals stands behind the global object: a name that is looked up for the first time is
// not there yet and so ends here. It is made, and put on the global object as a property
// like any other.
type globals struct {
	i    *isolate
	make map[string]func() goja.Value
}

var _ goja.DynamicObject = (*globals)(nil)

// Get makes a global and puts it in its place; nil if there is none of the name.
func (g *globals) Get(name string) goja.Value {
	make, ok := g.make[name]
	if !ok {
		return nil
	}
	delete(g.make, name) // once: what a script deletes stays away
	return make()
}

// Has tells whether there is a global that was not looked up yet.
func (g *globals) Has(name string) bool { _, ok := g.make[name]; return ok }

// Set and Delete are not reached: an assignment to a global lands in front of this object.
func (g *globals) Set(string, goja.Value) bool { return false }
func (g *globals) Delete(string) bool          { return true }
func (g *globals) Keys() []string              { return nil }

// plainArgs is the value of the global args.
func (i *isolate) plainArgs() (any, error) {
	if len(i.script.Args) == 0 {
		return op.Object{}, nil
	}
	return op.DecodeJSON(i.script.Args)
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
	if _, ok := goja.AssertFunction(call.Argument(0)); !ok {
		panic(i.vm.NewTypeError("queueMicrotask takes a function, not %s", i.describe(call.Argument(0))))
	}
	if i.soon == nil {
		made, err := i.vm.RunProgram(soonProgram)
		if err != nil {
			panic(err)
		}
		i.soon, _ = goja.AssertFunction(made)
	}
	if _, err := i.soon(goja.Undefined(), call.Argument(0)); err != nil {
		panic(err)
	}
	return goja.Undefined()
}

// soonProgram calls a function in a microtask. What it throws is a rejection that nobody
// awaits, and so ends the run. It needs no method that a script could have replaced.
var soonProgram = goja.MustCompile("", "async fn => { await undefined; fn() }", true)
