package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// Pool runs jobs in child processes. Start and Stop it once.
type Pool struct {
	config   Config
	queue    *queue
	launcher *launcher
	spawner  *spawner
	ctx      context.Context // ends with Stop
	cancel   context.CancelFunc
	tidying  sync.WaitGroup
	reaping  sync.WaitGroup // one for each process that was retired
	wanted   chan struct{}  // a spare may be missing

	mu      sync.Mutex
	started bool
	stopped bool
	spares  []*process
	idle    []*process // pinned, least recently used first

	databases databases
}

// NewPool makes a pool; nothing runs before Start.
func NewPool(c Config) (*Pool, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	p := &Pool{config: c, queue: newQueue(c.Size, c.Queue), wanted: make(chan struct{}, 1)}
	p.databases.byWorkspace = map[string]*database{}
	return p, nil
}

// Start begins to keep processes ready. It fails if not even one can be started.
func (p *Pool) Start(ctx context.Context) error {
	p.mu.Lock()
	if p.started {
		p.mu.Unlock()
		return errors.New("worker: the pool was started before")
	}
	p.started = true
	p.mu.Unlock()
	var err error
	if p.launcher, err = newLauncher(p.config.Executable); err != nil {
		return err
	}
	p.warmEngines(ctx)
	p.spawner = newSpawner(pathRules(p.config.Executable, reach{engines: p.config.Engines}))
	p.ctx, p.cancel = context.WithCancel(context.Background())
	first, err := p.launch(ctx)
	if err != nil {
		p.cancel()
		p.spawner.stop()
		p.launcher.close()
		return err
	}
	for _, l := range append(append([]Layer{}, p.spawner.layers...), append(first.layers, p.spawner.namespaces())...) {
		if l.State != On {
			p.config.Log.Warn("a layer of hardening is missing", "layer", l.Name, "state", l.State, "why", l.Why)
		}
	}
	p.mu.Lock()
	p.spares = append(p.spares, first)
	p.mu.Unlock()
	p.tidying.Go(p.keepSpares)
	p.tidying.Go(p.retireIdle)
	return nil
}

// Refuse refuses new jobs and those that wait (busy), as Stop does, and stops nothing: what
// a run did can still be committed to its database.
func (p *Pool) Refuse() { p.queue.stop() }

// Stop refuses new jobs and those that wait (busy), lets those under way end until ctx
// does, and kills what is left. When it returns no process and no goroutine is left.
func (p *Pool) Stop(ctx context.Context) error {
	p.mu.Lock()
	if !p.started || p.stopped {
		p.mu.Unlock()
		return nil
	}
	p.stopped = true
	p.mu.Unlock()
	var late error
	idle := p.queue.stop()
	select {
	case <-idle:
	case <-ctx.Done():
		late = ctx.Err()
		p.cancel() // ends the runs under way
		<-idle
	}
	p.cancel()
	p.tidying.Wait()
	p.mu.Lock()
	left := append(p.spares, p.idle...)
	p.spares, p.idle = nil, nil
	p.mu.Unlock()
	for _, w := range left {
		p.retire(w)
	}
	p.databases.stop()
	p.reaping.Wait()
	p.spawner.stop()
	p.launcher.close()
	return late
}

// Run runs one job and answers when it has ended, for whatever reason, at most the wall
// time and the grace after it got its place. What it changed through job.Host is
// the caller's to commit, or to drop if Outcome.Error is set.
func (p *Pool) Run(ctx context.Context, job Job) Outcome {
	began := time.Now()
	if wrong := job.check(); wrong != nil {
		return Outcome{Error: wrong}
	}
	if err := p.queue.acquire(ctx, job.Workspace); err != nil {
		return Outcome{Error: problem.From(err), Queued: time.Since(began)}
	}
	defer p.queue.release()

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.ctx, func() { cancel(problem.New(problem.Canceled, "the host is shutting down")) })()

	l := p.bound(job.Limits)
	for try := 0; ; try++ {
		w, err := p.take(ctx, job.Workspace)
		if err != nil {
			p.config.Log.Error("no worker could be started", "run", job.RunID, "error", err)
			return Outcome{Error: startProblem(ctx, err), Queued: time.Since(began)}
		}
		queued := time.Since(began)
		out, healthy, err := w.run(ctx, job, l, p.config.Grace)
		p.give(w, healthy, job.RunID)
		if err != nil && try < 3 {
			continue // it died idle, such as by the kernel's OOM killer
		}
		if err != nil {
			out.Error = problem.New(problem.WorkerLost, "no process lived long enough to take the run").WithCause(err)
		}
		out.Queued = queued
		return out
	}
}

func startProblem(ctx context.Context, err error) *problem.Error {
	if ctx.Err() != nil {
		return problem.From(context.Cause(ctx))
	}
	return problem.New(problem.WorkerLost, "no process could be started for the run").WithCause(err)
}

// bound fills a job's limits in and keeps them within the process's.
func (p *Pool) bound(l limits.Limits) limits.Limits {
	l = l.Or(p.config.Limits)
	l.Memory = max(min(l.Memory, p.config.Limits.Memory), minMemory)
	l.FileBytes = min(l.FileBytes, p.config.Limits.FileBytes)
	return l
}

// take finds a process for a workspace: its own, a spare one, or a new one.
func (p *Pool) take(ctx context.Context, workspace string) (*process, error) {
	p.mu.Lock()
	for i := len(p.idle) - 1; i >= 0; i-- {
		w := p.idle[i]
		if w.workspace != workspace {
			continue
		}
		p.idle = append(p.idle[:i], p.idle[i+1:]...)
		if w.alive() {
			p.mu.Unlock()
			return w, nil
		}
		p.retire(w)
	}
	for len(p.spares) > 0 {
		w := p.spares[0]
		p.spares = p.spares[1:]
		if w.alive() {
			w.workspace = workspace
			p.mu.Unlock()
			p.want()
			return w, nil
		}
		p.retire(w)
	}
	p.mu.Unlock()
	p.want()
	w, err := p.launch(ctx)
	if err != nil {
		return nil, err
	}
	w.workspace = workspace
	return w, nil
}

// give takes a process back, to keep it for its workspace or to end it.
func (p *Pool) give(w *process, healthy bool, runID string) {
	w.runs++
	if !healthy || w.runs >= p.config.MaxRuns || !w.alive() {
		p.logDeath(w, runID)
		p.mu.Lock()
		p.retire(w)
		p.mu.Unlock()
		p.want()
		return
	}
	w.used = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, w)
	for len(p.idle) > p.config.Keep {
		oldest := p.idle[0]
		p.idle = p.idle[1:]
		p.retire(oldest)
	}
}

// logDeath tells the operator of a process that ended by itself, or wrote something.
func (p *Pool) logDeath(w *process, runID string) {
	select {
	case <-w.exited:
		d := w.death()
		code, why := classify(d.wait(), d)
		p.config.Log.Warn("a worker ended", "run", runID, "workspace", w.workspace, "code", code, "why", why,
			"connection", w.conn.Err(), "stderr", tail(d.stderr))
	default:
		if text := w.stderr.String(); text != "" {
			p.config.Log.Warn("a worker is replaced", "run", runID, "workspace", w.workspace, "stderr", tail(text))
		}
	}
}

// retire ends a process that holds nothing worth keeping, and has it waited for.
func (p *Pool) retire(w *process) {
	w.kill("")
	p.reaping.Go(func() { <-w.exited })
}

func (p *Pool) launch(ctx context.Context) (*process, error) {
	return p.launcher.launch(ctx, p.spawner, settings{Role: roleScript, Limits: p.config.Limits, Engines: p.config.Engines})
}

func (p *Pool) want() {
	select {
	case p.wanted <- struct{}{}:
	default:
	}
}

// keepSpares starts processes ahead of need.
func (p *Pool) keepSpares() {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		p.mu.Lock()
		missing := p.config.Spare - len(p.spares)
		p.mu.Unlock()
		var again <-chan time.Time
		if missing > 0 {
			w, err := p.launch(p.ctx)
			if err == nil {
				p.mu.Lock()
				p.spares = append(p.spares, w)
				p.mu.Unlock()
				continue
			}
			if p.ctx.Err() != nil {
				return
			}
			p.config.Log.Error("no spare worker could be started", "error", err)
			pause.Reset(time.Second)
			again = pause.C
		}
		select {
		case <-p.ctx.Done():
			return
		case <-p.wanted:
		case <-again:
		}
	}
}

// retireIdle ends processes that nobody came back to.
func (p *Pool) retireIdle() {
	tick := time.NewTicker(max(p.config.IdleTTL/4, 10*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-tick.C:
		}
		old := time.Now().Add(-p.config.IdleTTL)
		p.mu.Lock()
		for len(p.idle) > 0 && p.idle[0].used.Before(old) {
			p.retire(p.idle[0])
			p.idle = p.idle[1:]
		}
		p.mu.Unlock()
		p.databases.retire(p, old)
	}
}
