package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/host/frame"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/runtime"
)

// executor runs a job's script or tool call.
type executor struct {
	table    op.Table
	cache    *op.Cache // documents, shared by the runs of the one workspace
	engines  *engine.Set
	programs *runtime.Programs
	counts   *tally // of the run's operations; nil in the calling process
}

// scripts is the role that runs scripts and tool calls, one at a time, in the child.
type scripts struct {
	silent
	executor
	limits limits.Limits // of the process
	guard  *guard

	attached chan struct{}
	conn     *frame.Conn
	busy     sync.Mutex
}

var _ role = (*scripts)(nil)

// cacheShare of the process's memory may hold documents that are not in use.
const cacheShare = 4

func newExecutor(table op.Table, engines *engine.Set, l limits.Limits) executor {
	return executor{table: table, cache: op.NewCache(l.Memory / cacheShare), engines: engines, programs: runtime.NewPrograms()}
}

func newScripts(table op.Table, engines *engine.Set, l limits.Limits, counts *tally) *scripts {
	s := &scripts{
		executor: newExecutor(table, engines, l),
		limits:   l,
		guard:    newGuard(),
		attached: make(chan struct{}),
	}
	s.counts = counts
	return s
}

func (s *scripts) attach(c *frame.Conn) {
	s.conn = c
	close(s.attached)
}

// Handle runs one job.
func (s *scripts) Handle(ctx context.Context, req frame.Request) (frame.Reply, error) {
	<-s.attached
	switch req.Method {
	case methodEngines:
		return frame.Reply{Body: s.engines.Status()}, nil
	case methodRun:
	default:
		return frame.Reply{}, unknownMethod(req.Method)
	}
	var job runRequest
	if err := json.Unmarshal(req.Body, &job); err != nil {
		return frame.Reply{}, err
	}
	s.busy.Lock()
	defer s.busy.Unlock()
	answer := s.run(ctx, job)
	if p := answer.Error; p != nil && p.Code == problem.Internal && p.Cause != nil {
		// Causes do not cross. The daemon logs what such a process wrote when it replaces it.
		fmt.Fprintln(os.Stderr, p.Cause)
	}
	return frame.Reply{Body: answer}, nil
}

// run runs a job under the memory guard, with a host that dies with it.
func (s *scripts) run(ctx context.Context, job runRequest) runAnswer {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.counts.reset()
	l := s.limits
	if job.Limits != nil {
		l = job.Limits.Or(l)
	}
	budget := min(l.Memory, s.limits.Memory)
	s.makeRoom(budget)
	stop := s.guard.watch(budget, cancel)

	client := host.NewClient(s.conn)
	defer client.Close()
	env := op.NewEnv(client, l, s.cache)
	answer := s.execute(ctx, env, job)
	stop()
	answer.Spent = env.Abandoned() || s.guard.outgrown(s.limits.Memory)
	return answer
}

// makeRoom gives memory back that earlier runs left, if this one's budget is smaller than
// theirs was.
func (s *scripts) makeRoom(budget int64) {
	if s.guard.left(budget) >= 0 {
		return
	}
	s.cache = op.NewCache(s.limits.Memory / cacheShare)
	debug.FreeOSMemory()
}

// execute runs the one or the other that the job has.
func (e *executor) execute(ctx context.Context, env *op.Env, job runRequest) runAnswer {
	env.Engines = e.engines
	switch {
	case job.Script != nil:
		return e.script(ctx, env, job)
	case job.Call != nil:
		return e.call(ctx, env, job)
	}
	return runAnswer{Error: problem.New(problem.InvalidArgument, "the job has neither a script nor a call")}
}

func (e *executor) script(ctx context.Context, env *op.Env, job runRequest) runAnswer {
	out := runtime.Run(ctx, runtime.Config{
		Table:    e.table,
		Env:      env,
		Limits:   env.Limits,
		Log:      env.Direct.Log,
		Programs: e.programs,
		Counted:  e.counts.add,
	}, *job.Script)
	answer := runAnswer{Result: out.Result, Error: out.Error, Logs: out.Logs, Calls: out.Calls}
	if answer.Error == nil {
		answer.Error = settle(ctx, env)
	}
	if answer.Error != nil {
		answer.Result = nil
	}
	return answer
}

// call makes one tool call.
func (e *executor) call(ctx context.Context, env *op.Env, job runRequest) runAnswer {
	ctx, cancel := context.WithTimeout(ctx, env.Limits.WallTime)
	defer cancel()
	o, ok := e.table.LookupTool(job.Call.Tool)
	if !ok {
		return runAnswer{Error: e.unknownTool(job.Call.Tool)}
	}
	answer := runAnswer{Calls: map[string]int{o.Name: 1}}
	e.counts.add(o.Name)
	in, wrong := o.BindTool(job.Call.Args)
	if wrong != nil {
		answer.Error = wrong
		return answer
	}
	out, err := calling(ctx, env, o, in)
	if err == nil {
		err = env.Settle(ctx, "")
	}
	var result json.RawMessage
	if err == nil {
		result, err = o.ResultTool(out)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		answer.Error = problem.From(context.Cause(ctx))
	case err != nil:
		answer.Error = problem.From(err)
	case int64(len(result)) > env.Limits.ResultBytes:
		answer.Error = tooLarge(int64(len(result)), env.Limits.ResultBytes)
	default:
		answer.Result = result
	}
	return answer
}

func (e *executor) unknownTool(name string) *problem.Error {
	meant := ""
	if near := e.table.NearestTools(name, 2); len(near) > 0 {
		meant = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return problem.New(problem.UnknownOperation, "there is no tool %q%s", name, meant).WithHint("List the tools first.")
}

func tooLarge(size, limit int64) *problem.Error {
	return problem.New(problem.ResultTooLarge, "the result is %d bytes of JSON; at most %d are allowed", size, limit)
}

// settle writes what operations hold back to the files. What they say is the run's own error.
func settle(ctx context.Context, env *op.Env) *problem.Error {
	return problem.From(env.Settle(ctx, ""))
}

// calling makes a panic an error, after which the daemon replaces the process.
func calling(ctx context.Context, env *op.Env, o *op.Operation, in op.Input) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = problem.New(problem.Internal, "%s failed unexpectedly", o.Name).
				WithHint("The file may be damaged, or hit a fault of its parser; the operator's log has the cause.").
				WithCause(fmt.Errorf("panic in %s: %v\n%s", o.Name, p, debug.Stack()))
		}
	}()
	return o.Call(ctx, env, in)
}
