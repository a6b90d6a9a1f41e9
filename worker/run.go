package worker

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/host/frame"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/runtime"
)

// Job is one script or one tool call of a workspace.
type Job struct {
	RunID     string // for the log
	Workspace string // processes are never shared between workspaces
	Host      host.Host
	// Limits of this run. Zero fields are the pool's; Memory and FileBytes, which are
	// the process's, cannot be more than the pool's.
	Limits limits.Limits
	// Script or Call is set.
	Script *runtime.Script
	Call   *ToolCall
	// Log is given console lines while the run goes on, before Outcome has them all.
	// It must not block. Optional.
	Log func(host.LogLine)
}

// ToolCall is the call of one operation by its tool name.
type ToolCall struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"` // the tool's snake_case JSON object
}

// check says what is wrong with a job before it costs a process anything.
func (j Job) check() *problem.Error {
	switch {
	case (j.Script == nil) == (j.Call == nil):
		return problem.New(problem.InvalidArgument, "expected either a script or a tool call")
	case j.Script != nil && len(j.Script.Args) > 0 && !json.Valid(j.Script.Args),
		j.Call != nil && len(j.Call.Args) > 0 && !json.Valid(j.Call.Args):
		return problem.New(problem.InvalidArgument, "args: expected JSON, got text that is not")
	}
	return nil
}

// Outcome is what became of a Job. The daemon measured what can be measured from outside.
type Outcome struct {
	Result     json.RawMessage // a script's answer, or a tool's JSON; nil with an Error
	Error      *problem.Error
	Logs       []host.LogLine
	Calls      map[string]int // operations by JavaScript name, as the process counted them, also if it was killed
	PeakMemory int64          // bytes that the process had of its own at most during the run
	CPU        time.Duration
	Wall       time.Duration // without Queued
	Queued     time.Duration // waited for a place and for a process
}

// watchEvery is how soon the daemon looks at what a run uses, and how often while the run
// is near a limit. A look costs 120 µs with its wake-up, 2.5% of a core at this pace.
const watchEvery = 5 * time.Millisecond

// watchAgain is when to look again, if that much memory and CPU time are left of the
// limits: 5 ms for every 64 MB, which is more than a core can clear in that time, and for
// every 10 ms, of which two cores use no more. The default limits make it 35 ms at first.
func watchAgain(memory int64, cpu time.Duration) time.Duration {
	looks := min(memory/(64<<20), int64(cpu/(2*watchEvery)), 10)
	return max(1, time.Duration(looks)) * watchEvery
}

// errNotStarted says that the process did not see the job: it was gone, or unfit for it.
var errNotStarted = errors.New("worker: the process could not take the job")

// run runs a job in the process and sees to it that it ends. healthy tells whether the
// process may be used again. errNotStarted means that another process can be tried.
func (p *process) run(ctx context.Context, job Job, l limits.Limits, grace time.Duration) (out Outcome, healthy bool, err error) {
	lines := &lineLog{Host: job.Host, live: job.Log}
	p.handler.serve(host.Serve(lines, l))
	defer p.handler.serve(nil)

	if _, private := p.gauge.memory(); p.runs > 0 && l.Memory < p.settings.Limits.Memory && private > l.Memory/2 {
		return out, false, errNotStarted // what earlier runs left in it is not this one's
	}
	p.mu.Lock()
	p.peak, p.limit = 0, l.Memory
	p.mu.Unlock()
	p.gauge.resetPeak()
	p.tally.reset()
	cpu, start := p.gauge.cpu(), time.Now()
	request := runRequest{Script: job.Script, Call: job.Call}
	if l != p.settings.Limits {
		request.Limits = &l
	}
	call, err := p.conn.Begin(ctx, methodRun, request)
	if err != nil {
		if errors.Is(err, frame.ErrClosed) {
			return out, false, errNotStarted
		}
		return Outcome{Error: problem.From(err)}, false, nil
	}
	stopped := p.supervise(ctx, call, l, grace, start, cpu)

	var wire wireAnswer
	_, failed := call.Result(&wire)
	if failed == nil {
		p.see(p.highest(time.Since(start)))
		out.CPU = p.gauge.cpu() - cpu
		answer := wire.accept(l)
		out.Result, out.Error, out.Logs, out.Calls = answer.Result, answer.Error, answer.Logs, answer.Calls
		// Else it answered while it still wants something, or does something.
		healthy = p.conn.Serving() == 0 && !answer.Spent
	} else {
		p.lost(grace)
		d := p.death()
		out.CPU = max(0, d.cpu()-cpu)
		out.Error, out.Logs, out.Calls = d.problem(), lines.all(), p.counted
	}
	out.Wall = time.Since(start)
	p.mu.Lock()
	out.PeakMemory = p.peak
	p.mu.Unlock()
	if failed != nil {
		out.PeakMemory = max(out.PeakMemory, p.death().peak)
	}

	switch {
	case stopped != nil && failed == nil:
		// The daemon's reason counts; the place in the script is the process's to know.
		if out.Error != nil {
			stopped.Line, stopped.Column, stopped.Stack = out.Error.Line, out.Error.Column, out.Error.Stack
		}
		out.Error = stopped
	case stopped != nil && out.Error.Code != problem.MemoryLimit && out.Error.Code != problem.StackOverflow:
		out.Error = stopped.WithCause(out.Error)
	}
	if out.Error != nil {
		out.Result = nil
		healthy = healthy && stopped == nil && harmless(out.Error.Code)
	}
	return out, healthy, nil
}

// highest is the most that the process had of its own in a run that took this long. The
// kernel's mark costs 10 µs more to read than what it has now, which in a run too short for
// anything to be given back is the same.
func (p *process) highest(took time.Duration) int64 {
	if took >= watchEvery {
		return p.gauge.peak()
	}
	_, private := p.gauge.memory()
	return private
}

// harmless are the failures after which the process is as good as before: not those that
// interrupted something, and not those that nobody expected.
func harmless(code problem.Code) bool {
	switch code {
	case problem.Timeout, problem.CPULimit, problem.MemoryLimit, problem.StackOverflow, problem.CallLimit,
		problem.Canceled, problem.WorkerLost, problem.Internal:
		return false
	}
	return true
}

// supervise waits until the call is answered or the process is dead, and makes that
// happen: at a limit or when ctx ends it tells the run to stop, and after grace it kills.
// It gives the reason if there was one.
func (p *process) supervise(ctx context.Context, call *frame.Call, l limits.Limits, grace time.Duration, start time.Time, cpu time.Duration) *problem.Error {
	var (
		stopped  *problem.Error
		tick     = time.NewTimer(watchEvery)
		deadline = time.NewTimer(l.WallTime)
		kill     <-chan time.Time
		ended    = ctx.Done()
	)
	defer tick.Stop()
	defer deadline.Stop()
	stop := func(why *problem.Error, within time.Duration) {
		if stopped != nil {
			return
		}
		stopped, ended = why, nil
		call.Cancel()
		kill = time.After(within)
	}
	for {
		select {
		case <-call.Done():
			return stopped
		case <-ended:
			stop(problem.From(context.Cause(ctx)), grace)
		case <-deadline.C:
			stop(problem.New(problem.Timeout, "the run took longer than %s", l.WallTime), grace)
		case <-kill:
			p.kill(stopped.Code)
			<-p.exited
			<-call.Done()
			return stopped
		case <-tick.C:
			_, private := p.gauge.memory()
			used := p.gauge.cpu() - cpu
			tick.Reset(watchAgain(l.Memory-private, l.CPUTime-used))
			p.see(private)
			if private > allowed(l.Memory) {
				// It must not grow meanwhile: no grace.
				stop(deathProblem(problem.MemoryLimit, l.Memory), 0)
			}
			if used > l.CPUTime {
				stop(problem.New(problem.CPULimit, "the run used more than %s of CPU time", l.CPUTime), grace)
			}
		}
	}
}

// allowed is where the daemon's watchdog bites: a little above the limit, so that the
// child's own, which ends a run in a better way, comes first.
func allowed(memory int64) int64 {
	if raceBuild {
		return 8 * memory // the race detector's shadow is resident too
	}
	return memory + memory/8
}

// lineLog keeps console lines as they come, for runs whose process does not live to tell.
type lineLog struct {
	host.Host
	live func(host.LogLine)

	mu    sync.Mutex
	lines []host.LogLine
}

func (l *lineLog) Log(line host.LogLine) {
	l.mu.Lock()
	l.lines = append(l.lines, line)
	l.mu.Unlock()
	if l.live != nil {
		l.live(line)
	}
	l.Host.Log(line)
}

func (l *lineLog) all() []host.LogLine {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines
}
