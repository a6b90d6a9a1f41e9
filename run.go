package sandboxd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/runtime"
	"github.com/sandboxd/sandboxd/worker"
	"github.com/sandboxd/sandboxd/workspace"
)

// Run is a script to be run.
type Run struct {
	Script     string             // the body of an async function, JavaScript or TypeScript
	Name       string             // shown in errors; "….ts" means TypeScript. Defaults to script.js
	Language   string             // js or ts; "" goes by the name, then by what parses
	Args       json.RawMessage    // what the script finds in args. Defaults to {}
	Workspace  string             // Defaults to DefaultWorkspace
	Session    string             // provenance of what the run makes
	OnConflict string             // "" is last writer wins; "fail" fails with conflict
	Limits     limits.Limits      // at most the host's; zero fields mean the host's
	Log        func(host.LogLine) // gets console lines as they come; must not block
}

// Call is one operation to be called as a tool. It is a run of its own.
type Call struct {
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
	name := r.Name
	if name == "" {
		name = "script.js"
	}
	sum := sha256.Sum256([]byte(r.Script))
	start := workspace.Start{Workspace: workspaceOr(r.Workspace), SessionID: r.Session, Kind: workspace.KindScript, Name: name,
		ScriptHash: hex.EncodeToString(sum[:]), OnConflict: r.OnConflict, Limits: r.Limits.Within(h.config.Limits)}
	return h.run(ctx, start, worker.Job{
		Limits: r.Limits.Within(h.config.Limits), Log: r.Log,
		Script: &runtime.Script{Name: name, Source: r.Script, Language: r.Language, Args: r.Args},
	})
}

// Call calls one operation by its tool name; the result is the tool's JSON.
func (h *Host) Call(ctx context.Context, c Call) Answer {
	args := c.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	start := workspace.Start{Workspace: workspaceOr(c.Workspace), SessionID: c.Session, Kind: workspace.KindTool, Name: c.Tool, Tool: c.Tool,
		Limits: c.Limits.Within(h.config.Limits)}
	return h.run(ctx, start, worker.Job{
		Limits: c.Limits.Within(h.config.Limits),
		Call:   &worker.ToolCall{Tool: c.Tool, Args: args},
	})
}

// run takes a job through a worker, and what it did into the store.
func (h *Host) run(ctx context.Context, start workspace.Start, job worker.Job) Answer {
	if err := h.enter(); err != nil {
		return Failed(err)
	}
	defer h.runs.Done()
	began := time.Now()
	run, err := h.store.Begin(ctx, start)
	if err != nil {
		return Failed(err)
	}
	job.RunID, job.Workspace, job.Host = run.ID(), start.Workspace, run
	outcome := h.runner.Run(ctx, job)

	answer := Answer{Result: outcome.Result, Logs: outcome.Logs, Error: outcome.Error}
	finish := workspace.Finish{Error: outcome.Error, ResultBytes: int64(len(outcome.Result)), Receipt: limits.Receipt{
		Calls:      outcome.Calls,
		PeakMemory: outcome.PeakMemory,
		CPUTime:    milliseconds(outcome.CPU),
		QueueTime:  milliseconds(outcome.Queued),
		WallTime:   milliseconds(time.Since(began) - outcome.Queued),
	}}
	// The caller may be gone by now; what the run did is not half-committed for that.
	ctx = context.WithoutCancel(ctx)
	if outcome.Error == nil {
		answer.Receipt, err = run.Commit(ctx, finish)
	} else {
		answer.Receipt, err = run.Abort(ctx, finish)
	}
	if err != nil && answer.Error == nil {
		answer.Error = problem.From(err)
	}
	if err != nil && answer.Error.Code == problem.Internal {
		h.config.Log.Error("run", "run", run.ID(), "cause", err)
	}
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
