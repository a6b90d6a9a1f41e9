package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/unistring"

	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/runtime/lang"
)

const (
	// maxCallDepth bounds the JavaScript call stack. 2,000 also ends the recursion of
	// natives (a nested toString or JSON) well before Go's own stack is full.
	maxCallDepth = 2000
	// drainTime is how long the end of a run waits for operations that ignore its end.
	drainTime = 400 * time.Millisecond
)

// helperParams are the parameters of the function that a script is compiled to.
var helperParams = [...]unistring.String{concatParam, thrownParam}

// isolate is one run.
type isolate struct {
	ctx     context.Context
	cfg     Config
	script  Script
	program *program
	source  *text // of the script; see place
	vm      *goja.Runtime
	loop    *loop
	console *console
	concat  concatenator

	calls     map[string]int
	callCount int
	slots     chan struct{}              // operations at work
	changes   map[string]<-chan struct{} // by namespace, the end of the latest change; see inOrder
	recent    recentCalls

	soon goja.Callable // calls a function in a microtask; made when first needed

	answered bool // resolve was called
	answer   goja.Value

	failures   map[*goja.Object]*problem.Error // errors that operations answered, as the script sees them
	rejected   map[*goja.Promise]int           // rejected, and nobody has looked; in which order
	rejections int
	thrown     thrown // the last value thrown that is no Error
}

// newIsolate makes a runtime with nothing in it that another has ever seen.
func newIsolate(ctx context.Context, cfg Config, s Script) *isolate {
	vm := goja.New()
	i := &isolate{
		ctx: ctx, cfg: cfg, script: s, vm: vm,
		loop:     newLoop(ctx),
		concat:   concatenator{vm: vm},
		calls:    map[string]int{},
		rejected: map[*goja.Promise]int{},
		slots:    make(chan struct{}, maxAtOnce),
	}
	i.loop.report = i.problemOf
	i.console = newConsole(i)
	vm.SetMaxCallStackSize(maxCallDepth)
	vm.SetParserOptions(parser.WithDisableSourceMaps) // eval and Function parse too
	vm.SetTimeSource(cfg.Now)
	vm.SetPromiseRejectionTracker(i.trackRejection)
	lang.Install(vm, lang.Options{Now: cfg.Now, Throw: i.errorValue, Source: s.Source})
	return i
}

// close waits for what the run has started, within reason.
func (i *isolate) close() { i.loop.drain(drainTime) }

// run runs a compiled script to its end.
func (i *isolate) run(prg *program) (result json.RawMessage, failure *problem.Error) {
	stop := context.AfterFunc(i.ctx, func() { i.vm.Interrupt(stopped{endOf(i.ctx)}) })
	defer stop()
	defer func() {
		if x := recover(); x != nil {
			result, failure = nil, i.recovered(x)
		}
		if i.loop.fatal != nil { // whatever came of it later
			result, failure = nil, i.loop.fatal
		}
	}()
	i.program = prg
	if failure := i.installGlobals(); failure != nil {
		return nil, failure
	}
	main, failure := i.start(prg)
	if failure != nil {
		return nil, failure
	}
	value, failure := i.await(main)
	if failure != nil {
		return nil, failure
	}
	if failure := i.settle(); failure != nil {
		return nil, failure
	}
	result, failure = i.encode(value)
	if failure != nil {
		return nil, failure
	}
	failure = i.settle() // a toJSON may have started something
	if failure == nil {
		i.warnUnread()
	}
	return result, failure
}

// start calls the script's function and gives the promise of its end.
func (i *isolate) start(prg *program) (*goja.Promise, *problem.Error) {
	value, err := i.vm.RunProgram(prg.prg)
	if err != nil {
		return nil, i.problemOf(err)
	}
	body, ok := goja.AssertFunction(value)
	if !ok {
		return nil, problem.New(problem.Internal, "the script was not compiled to a function")
	}
	helpers := [len(helperParams)]goja.Value{
		i.function("+=", i.concat.call),
		i.function("throw", i.noteThrown),
	}
	promise, err := body(goja.Undefined(), helpers[:]...)
	if err != nil {
		return nil, i.problemOf(err)
	}
	return promise.Export().(*goja.Promise), nil
}

// await turns the loop until the script has answered: its body ended, or it called
// resolve and no operation is at work.
func (i *isolate) await(main *goja.Promise) (goja.Value, *problem.Error) {
	failure := i.loop.runUntil(func() bool {
		return main.State() != goja.PromiseStatePending || i.answered && i.loop.inFlight == 0
	}, true)
	switch {
	case failure != nil:
		return nil, failure
	case main.State() == goja.PromiseStateRejected:
		i.looked(main)
		return nil, i.failure(main.Result())
	case i.answered:
		return i.settled(i.answer)
	case main.State() == goja.PromiseStatePending:
		return nil, problem.New(problem.ScriptError, "the script waits for a promise that nothing will ever settle").
			WithHint("Look for a new Promise whose resolve is never called.")
	}
	return main.Result(), nil
}

// settled waits for a value that may be a promise.
func (i *isolate) settled(value goja.Value) (goja.Value, *problem.Error) {
	promise, ok := value.Export().(*goja.Promise)
	if !ok {
		return value, nil
	}
	failure := i.loop.runUntil(func() bool { return promise.State() != goja.PromiseStatePending }, true)
	switch {
	case failure != nil:
		return nil, failure
	case promise.State() == goja.PromiseStateRejected:
		i.looked(promise)
		return nil, i.failure(promise.Result())
	case promise.State() == goja.PromiseStatePending:
		return nil, problem.New(problem.ScriptError, "resolve was given a promise that nothing will ever settle")
	}
	return promise.Result(), nil
}

// settle waits for operations that nobody awaited, so that no write is lost half-way, and
// fails if one of them, or any other promise, was rejected and nobody looked. Timers that
// are still pending are dropped.
func (i *isolate) settle() *problem.Error {
	if failure := i.loop.runUntil(func() bool { return i.loop.inFlight == 0 }, false); failure != nil {
		return failure
	}
	if len(i.rejected) == 0 {
		return nil
	}
	var oldest *goja.Promise
	for p, order := range i.rejected {
		if oldest == nil || order < i.rejected[oldest] {
			oldest = p
		}
	}
	failure := i.failure(oldest.Result())
	return failure.WithHint("A promise was rejected and nobody awaited it: put await before the call. %s", failure.Hint)
}

func (i *isolate) trackRejection(p *goja.Promise, operation goja.PromiseRejectionOperation) {
	if operation == goja.PromiseRejectionReject {
		i.rejections++
		i.rejected[p] = i.rejections
		return
	}
	i.looked(p)
}

func (i *isolate) looked(p *goja.Promise) { delete(i.rejected, p) }

// recovered turns a panic on the loop's goroutine into the run's error. goja lets Go
// run-time panics of natives through, and its own bugs are panics too.
func (i *isolate) recovered(x any) *problem.Error {
	switch x := x.(type) {
	case error:
		if p := i.uncatchable(x); p != nil {
			return p
		}
		if exception, ok := x.(*goja.Exception); ok {
			return i.problemOf(exception)
		}
	case goja.Value:
		return i.failure(x)
	}
	return problem.New(problem.Internal, "the JavaScript engine failed on this script").
		WithHint("Write the last steps of the script in another way.").
		WithCause(fmt.Errorf("panic in the isolate: %v\n%s", x, debug.Stack()))
}

// function makes a native function. Its name is what stacks show.
func (i *isolate) function(name string, fn func(goja.FunctionCall) goja.Value) *goja.Object {
	f := i.vm.ToValue(fn).(*goja.Object)
	f.DefineDataProperty("name", i.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return f
}
