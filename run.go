package sandboxd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/sandboxd/sandboxd/audit"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/runtime"
	"github.com/sandboxd/sandboxd/worker"
	"github.com/sandboxd/sandboxd/workspace"
)

// Run is a script to be run.
type Run struct {
	ID         string             // a UUID of the caller's own; exists if it is taken. Defaults to a new one
	Script     string             // the body of an async function, JavaScript or TypeScript
	Name       string             // shown in errors; "….ts" means TypeScript. Defaults to script.js
	Language   string             // js or ts; "" goes by the name, then by what parses
	Args       json.RawMessage    // what the script finds in args. Defaults to {}
	Workspace  string             // Defaults to DefaultWorkspace
	Session    string             // provenance of what the run makes
	OnConflict string             // "" is last writer wins; "fail" fails with conflict
	Limits     limits.Limits      // at most the host's; zero fields mean the host's
	Log        func(host.LogLine) // gets console lines as they come; must not block
	Keep       bool               // keeps the result with the run's record
}

// Call is one operation to be called as a tool. It is a run of its own.
type Call struct {
	ID        string          // as of Run
	Tool      string          // such as file_read_text
	Args      json.RawMessage // a JSON object. Defaults to {}
	Workspace string          // Defaults to DefaultWorkspace
	Session   string
	Limits    limits.Limits
}

// Answer is what a run answers. Error is nil exactly when OK.
type Answer struct {
	OK      bool            `json:"ok"`
	Result  json.RawMessage `json:"result"` // null unless OK
	Logs    []host.LogLine  `json:"logs"`
	Error   *problem.Error  `json:"error,omitempty"`
	Receipt limits.Receipt  `json:"receipt"`
}

// Run runs a script. Everything that it changed is committed before Run returns, or, if
// the answer is not OK, nothing is.
func (h *Host) Run(ctx context.Context, r Run) Answer {
	start, job := h.script(ctx, r)
	return h.run(ctx, start, job)
}

// Start begins a run as Run does and answers its id, without waiting for its end: follow
// its events or look at its record, which keeps its result if r.Keep. The run goes on when
// ctx ends; Runs.Cancel ends it.
func (h *Host) Start(ctx context.Context, r Run) (string, error) {
	start, job := h.script(ctx, r)
	run, err := h.begin(context.WithoutCancel(ctx), start)
	if err != nil {
		return "", err
	}
	go h.finish(run, job) // Close waits for it
	return run.ID(), nil
}

// script is a run of a script, for the store and for the worker.
func (h *Host) script(ctx context.Context, r Run) (workspace.Start, worker.Job) {
	name := r.Name
	if name == "" {
		name = "script.js"
	}
	sum := sha256.Sum256([]byte(r.Script))
	start := workspace.Start{RunID: r.ID, Workspace: workspaceOr(r.Workspace), SessionID: r.Session, Kind: workspace.KindScript, Name: name,
		ScriptHash: hex.EncodeToString(sum[:]), Source: r.Script, Who: audit.From(ctx), OnConflict: r.OnConflict, KeepResult: r.Keep, Limits: r.Limits.Within(h.config.Limits)}
	return start, worker.Job{
		Limits: r.Limits.Within(h.config.Limits), Log: r.Log,
		Script: &runtime.Script{Name: name, Source: r.Script, Language: r.Language, Args: r.Args},
	}
}

// Call calls one operation by its tool name; the result is the tool's JSON.
func (h *Host) Call(ctx context.Context, c Call) Answer {
	args := c.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	start := workspace.Start{RunID: c.ID, Workspace: workspaceOr(c.Workspace), SessionID: c.Session, Kind: workspace.KindTool, Name: c.Tool, Tool: c.Tool,
		Who: audit.From(ctx), Limits: c.Limits.Within(h.config.Limits)}
	return h.run(ctx, start, worker.Job{
		Limits: c.Limits.Within(h.config.Limits),
		Call:   &worker.ToolCall{Tool: c.Tool, Args: args},
	})
}

// run takes a job through a worker, and what it did into the store.
func (h *Host) run(ctx context.Context, start workspace.Start, job worker.Job) Answer {
	run, err := h.begin(ctx, start)
	if err != nil {
		return Failed(err)
	}
	return h.finish(run, job)
}

// begun is a run that begin began and finish must end.
type begun struct {
	*workspace.Run
	ctx  context.Context // ends with whoever started it, or by Runs.Cancel
	span *span

	cancelled func() bool // decides what becomes of it: from then on it cannot be
	done      func()
}

func (h *Host) begin(ctx context.Context, start workspace.Start) (*begun, error) {
	if err := h.enter(); err != nil {
		return nil, err
	}
	ctx, span := h.trace(ctx, start)
	run, err := h.store.Begin(ctx, start)
	if err != nil {
		h.runs.Done()
		h.refused(start, err)
		span.end("", problem.From(err))
		return nil, err
	}
	ctx, decide, leave := h.cancels.add(ctx, run)
	return &begun{run, ctx, span, decide, func() { leave(); h.runs.Done() }}, nil
}

func (h *Host) finish(run *begun, job worker.Job) Answer {
	defer run.done()
	began := time.Now()
	job.RunID, job.Workspace, job.Host = run.ID(), run.Workspace(), run.Run
	outcome := h.runner.Run(run.ctx, job)
	ended := time.Now()
	run.span.part("queue", began, began.Add(outcome.Queued))
	run.span.part("work", began.Add(outcome.Queued), ended)
	if run.cancelled() && outcome.Error == nil {
		outcome.Error = problem.From(context.Canceled) // at the last moment
	}

	answer := Answer{Result: outcome.Result, Logs: outcome.Logs, Error: outcome.Error}
	finish := workspace.Finish{Error: outcome.Error, Result: outcome.Result, Receipt: limits.Receipt{
		Calls:      outcome.Calls,
		PeakMemory: outcome.PeakMemory,
		CPUTime:    milliseconds(outcome.CPU),
		QueueTime:  milliseconds(outcome.Queued),
		WallTime:   milliseconds(time.Since(began) - outcome.Queued),
	}}
	// The caller may be gone by now; what the run did is not half-committed for that.
	ctx := context.WithoutCancel(run.ctx)
	var err error
	if outcome.Error == nil {
		answer.Receipt, err = run.Commit(ctx, finish)
	} else {
		answer.Receipt, err = run.Abort(ctx, finish)
	}
	if err != nil && answer.Error == nil {
		answer.Error = problem.From(err)
	}
	if err != nil && answer.Error.Code == problem.Internal {
		h.config.Log.ErrorContext(ctx, "run", "run", run.ID(), "cause", err)
	}
	run.span.part("commit", ended, time.Now())
	run.span.end(run.ID(), answer.Error)
	return answer.settled()
}

// Failed is the answer of a run that could not begin; its receipt has no run id.
func Failed(err error) Answer {
	a := Answer{Error: problem.From(err)}
	return a.settled()
}

// settled makes the shapes that clients rely on: lists, not null; a result only when OK.
func (a Answer) settled() Answer {
	a.OK = a.Error == nil
	if !a.OK || len(a.Result) == 0 {
		a.Result = json.RawMessage("null")
	}
	if a.Logs == nil {
		a.Logs = []host.LogLine{}
	}
	r := &a.Receipt
	if r.Calls == nil {
		r.Calls = map[string]int{}
	}
	if r.Files == nil {
		r.Files = []limits.FileChange{}
	}
	if r.State == nil {
		r.State = []string{}
	}
	if r.Conflicts == nil {
		r.Conflicts = []limits.FileConflict{}
	}
	return a
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func workspaceOr(name string) string {
	if name == "" {
		return DefaultWorkspace
	}
	return name
}
