package worker

import (
	"context"
	"time"

	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// Trusted runs jobs in the calling process: no boundary stands between the script and the
// program. The wall time and what the isolate itself counts hold; memory and CPU time do
// not, and one line of a hostile script, or a hostile file, ends the whole program. It is
// for trusted scripts only: tests, and embedders who write their scripts themselves.
type Trusted struct {
	executor
	limits limits.Limits
}

// NewTrusted makes a runner of the operations in table, which use the engines.
func NewTrusted(table op.Table, engines *engine.Set, l limits.Limits) *Trusted {
	l = l.Or(limits.Default())
	return &Trusted{executor: newExecutor(table, engines, l), limits: l}
}

// Run runs a job as Pool.Run does, for trusted scripts only.
func (t *Trusted) Run(ctx context.Context, job Job) (out Outcome) {
	start := time.Now()
	l := job.Limits.Or(t.limits)
	ctx, cancel := context.WithTimeoutCause(ctx, l.WallTime, problem.New(problem.Timeout, "the run took longer than %s", l.WallTime))
	defer cancel()
	answer := t.execute(ctx, op.NewEnv(&lineLog{Host: job.Host, live: job.Log}, l, t.cache), runRequest{Script: job.Script, Call: job.Call})
	return Outcome{Result: answer.Result, Error: answer.Error, Logs: answer.Logs, Calls: answer.Calls, Wall: time.Since(start)}
}
