// Package runtime is the isolate: it runs one script in a goja runtime of its own, with
// the operation table as functions, and answers with plain data.
//
// A script is the body of an async function. It is compiled (compile.go; TypeScript and
// syntax that goja lacks go through lower.go), run by the goroutine that called Run
// (isolate.go, loop.go), and its answer encoded (result.go). Operations run in goroutines
// of their own on Go values that were read once (bind.go, argument.go) and never touch
// the runtime. Whatever can be caught by Go is caught here; what cannot (memory, a
// native that does not end) is the business of the process around it.
//
// The isolate knows no process and no store. It imports op, host, limits, problem and
// runtime/lang. Start reading at Run.
package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/dop251/goja"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// Script is what is submitted.
type Script struct {
	// Name stands in stacks. Defaults to script.js, or script.ts for TypeScript. A name
	// that ends in .ts means TypeScript.
	Name string
	// Source is the text, UTF-8.
	Source string
	// Language is "js", "ts", or "" for what the name says.
	Language string
	// Args is the JSON value of the global args. Defaults to {}.
	Args json.RawMessage `json:",omitempty"`
}

// Config is what a run has at its disposal.
type Config struct {
	Table  op.Table           // the operations
	Env    *op.Env            // what they work on
	Limits limits.Limits      // WallTime, HostCalls, ConsoleBytes, ResultBytes and ScriptBytes are kept here
	Log    func(host.LogLine) // is given each console line as it is written; may be nil
	Now    func() time.Time   // the script's clock. Defaults to time.Now.
	// Counted is given each operation's JavaScript name as it is called, for those who
	// must know of a run that does not live to tell. May be nil.
	Counted func(name string)

	// Programs keeps compiled scripts between runs. Defaults to nil: none are kept.
	Programs *Programs
}

// Outcome is what a run came to.
type Outcome struct {
	Result json.RawMessage // null unless the script answered something
	Error  *problem.Error  // nil if it ended well
	Logs   []host.LogLine
	Calls  map[string]int // operations called, by JavaScript name
}

// Run runs a script to its end: its answer, an error nobody caught, a limit, or the end
// of ctx. An error that ctx carries as its cause is the run's error if it is a
// *problem.Error. Run answers within half a second of the end of ctx provided that the
// script is not inside a native that cannot be interrupted; operations that have not
// returned by then are left to themselves.
func Run(ctx context.Context, cfg Config, s Script) (out Outcome) {
	cfg.Limits = cfg.Limits.Or(limits.Default())
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	out.Calls = map[string]int{}
	if out.Error = tooLong(s, cfg.Limits); out.Error != nil {
		return out
	}
	prg, failure := cfg.Programs.get(s)
	if failure != nil {
		out.Error = failure
		return out
	}
	ctx, cancel := context.WithTimeoutCause(ctx, cfg.Limits.WallTime, problem.New(problem.Timeout,
		"the run did not end within %s", cfg.Limits.WallTime))
	defer cancel()

	i := newIsolate(ctx, cfg, s)
	defer i.close()
	out.Result, out.Error = i.run(prg)
	out.Logs, out.Calls = i.console.lines, i.calls
	return out
}

// Check compiles a script without running it: nil or a syntax_error.
func Check(s Script) *problem.Error {
	if failure := tooLong(s, limits.Default()); failure != nil {
		return failure
	}
	_, failure := compile(s)
	return failure
}

func tooLong(s Script, l limits.Limits) *problem.Error {
	if int64(len(s.Source)) <= l.ScriptBytes {
		return nil
	}
	return problem.New(problem.InvalidArgument, "the script is %d bytes long; at most %d are allowed",
		len(s.Source), l.ScriptBytes).WithHint("Put the data into a file and read it from the script.")
}

func (s Script) typescript() bool {
	if s.Language != "" {
		return s.Language == "ts" || s.Language == "typescript"
	}
	return len(s.Name) > 3 && s.Name[len(s.Name)-3:] == ".ts"
}

func (s Script) name() string {
	switch {
	case s.Name != "":
		return s.Name
	case s.typescript():
		return "script.ts"
	}
	return "script.js"
}

// endOf is the error of a context that has ended.
func endOf(ctx context.Context) *problem.Error {
	cause := context.Cause(ctx)
	if errors.Is(cause, context.DeadlineExceeded) {
		return problem.New(problem.Timeout, "the time limit of the run was reached").WithCause(cause)
	}
	return problem.From(cause)
}

// stopped is how an interrupt reaches the code that waits for the script: the value that
// goja carries through the stack, which no script can catch.
type stopped struct{ problem *problem.Error }

func (s stopped) Error() string { return s.problem.Error() }

// uncatchable gives the problem of an error that no script could catch: nil for exceptions.
func (i *isolate) uncatchable(err error) *problem.Error {
	var interrupted *goja.InterruptedError
	var overflow *goja.StackOverflowError
	switch {
	case errors.As(err, &interrupted):
		stop, ok := interrupted.Value().(stopped)
		if !ok {
			return problem.New(problem.Internal, "the run was interrupted").WithCause(err)
		}
		return i.placed(stop.problem, interrupted.Stack())
	case errors.As(err, &overflow):
		return i.placed(problem.New(problem.StackOverflow,
			"functions called each other more than %d deep", maxCallDepth), overflow.Stack())
	}
	return nil
}
