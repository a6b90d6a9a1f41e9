// Package sandboxd hosts JavaScript and TypeScript that agents write: a script runs in a
// sandboxed worker process, works on the files, the database and the state of a
// workspace, and either everything that it did is committed at once or nothing is.
//
//	func main() {
//		sandboxd.Worker() // must come first: workers are this same program
//		h, err := sandboxd.Open(ctx, sandboxd.Config{Dir: "data"})
//		...
//		defer h.Close()
//		answer := h.Run(ctx, sandboxd.Run{Script: `return (await files.list()).length`})
//	}
//
// This package wires and is small: the store is in workspace, the processes are in
// worker, the isolate is in runtime, the operations are in bindings.
package sandboxd

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/sandboxd/sandboxd/bindings"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/event"
	"github.com/sandboxd/sandboxd/fetch"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/worker"
	"github.com/sandboxd/sandboxd/workspace"
)

// DefaultWorkspace is used where no workspace is named.
const DefaultWorkspace = "default"

// Config says where a Host keeps its data and what it allows. The zero value is a
// throw-away host with the default limits.
type Config struct {
	// Dir is the data folder; it is made if it is not there, and belongs to one Host at a
	// time. Defaults to a temporary folder that Close removes.
	Dir string
	// Limits are the most that a run may have; zero fields mean limits.Default().
	Limits limits.Limits
	// Concurrency is how many runs may be under way. Defaults to the number of cores.
	Concurrency int
	// Queue is how many more may wait; the next one is busy. Defaults to 100.
	Queue int
	// Trusted runs scripts and parsers in this process instead of a worker: for trusted
	// scripts only. One line of a hostile script, or a hostile file, ends the program, and
	// the limits on memory and CPU time do not hold. The agent's SQL stays in a worker.
	// Dates are local ones unless the program sets time.Local to UTC.
	Trusted bool
	// Engines are where the libraries outside the binary lie: PDFium, libvips, fonts.
	// Defaults to engine.Find().
	Engines *engine.Places
	// Fetch says what files.download may reach. Defaults to the public internet.
	Fetch fetch.Config
	// WorkerExecutable is the program that workers are; its main must call Worker first.
	// Defaults to the running program.
	WorkerExecutable string
	// Retention says how long old versions and records are kept. Zero fields mean the
	// defaults of workspace.Retention.
	Retention workspace.Retention
	// CollectEvery is how often what is too old is removed. Defaults to an hour; negative is
	// only when Collect is called.
	CollectEvery time.Duration
	// Tracing gets a span of each run. Defaults to none.
	Tracing trace.TracerProvider
	// Log gets what operators should know. Defaults to slog.Default().
	Log *slog.Logger

	// faults is called at the named steps of a commit and of recovery; tests end the
	// process in it.
	faults func(step string)
}

// Worker turns the process into a worker if it was started as one, and then never
// returns. A program that embeds sandboxd calls it first in main.
func Worker() { worker.Child(bindings.Table(), bindings.Engines()...) }

// Host runs scripts and keeps workspaces. It is safe for concurrent use.
type Host struct {
	config Config
	store  *workspace.Store
	pool   *worker.Pool
	runner runner
	events *event.Hub
	keeper *keeper
	tracer trace.Tracer // nil: none
	remove string       // a temporary data folder

	cancels cancels

	mu      sync.Mutex
	closing bool
	runs    sync.WaitGroup // under way, up to their commit
}

// runner runs jobs: the pool of workers or, for trusted scripts only, this process.
type runner interface {
	Run(ctx context.Context, job worker.Job) worker.Outcome
}

// Open opens a data folder, recovers what a crash may have left, and starts workers. The
// error is workspace.ErrLocked when another process has the folder open.
func Open(ctx context.Context, config Config) (_ *Host, err error) {
	h := &Host{config: config}
	h.config.Limits = config.Limits.Or(limits.Default())
	if config.Log == nil {
		h.config.Log = slog.Default()
	}
	if config.Engines == nil {
		found := engine.Find()
		h.config.Engines = &found
	}
	if config.Dir == "" {
		if h.config.Dir, err = os.MkdirTemp("", "sandboxd-"); err != nil {
			return nil, err
		}
		h.remove = h.config.Dir
	}
	if config.Tracing != nil {
		h.tracer = config.Tracing.Tracer("github.com/sandboxd/sandboxd")
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
		}
	}()
	spare := 0
	if config.Trusted {
		h.runner, spare = worker.NewTrusted(bindings.Table(), engine.NewSet(bindings.Engines(), *h.config.Engines), h.config.Limits), -1
	}
	if h.pool, err = worker.NewPool(worker.Config{
		Executable: config.WorkerExecutable,
		Size:       config.Concurrency,
		Queue:      config.Queue,
		Spare:      spare,
		Limits:     h.config.Limits,
		Engines:    *h.config.Engines,
		DBDir:      dbDir(h.config.Dir),
		Log:        h.config.Log,
	}); err != nil {
		return nil, err
	}
	if err = h.pool.Start(ctx); err != nil {
		return nil, err
	}
	if h.runner == nil {
		h.runner = h.pool
	}
	downloads, err := fetch.New(h.config.Fetch)
	if err != nil {
		return nil, err
	}
	h.store, err = workspace.Open(ctx, workspace.Config{
		Dir:      h.config.Dir,
		Limits:   h.config.Limits,
		AgentDBs: agentDBs{h.pool},
		Fetcher:  fetcher{downloads},
		Log:      h.config.Log,
		Faults:   config.faults,
	})
	if err != nil {
		return nil, err
	}
	h.events = event.NewHub(h.store, h.store.Notifier())
	h.keeper = h.startKeeper()
	return h, nil
}

// Limits are the most that a run may have; no field is zero.
func (h *Host) Limits() limits.Limits { return h.config.Limits }

// enter begins a run, unless the host is closing; h.runs.Done ends it.
func (h *Host) enter() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		return errClosing
	}
	h.runs.Add(1)
	return nil
}

var errClosing = problem.New(problem.Busy, "sandboxd is shutting down")

// orClosing says that the host closes where that is why something failed inside.
func (h *Host) orClosing(err error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing && problem.CodeOf(err) == problem.Internal {
		return errClosing.WithCause(err)
	}
	return err
}

// Close waits for the runs under way, up to their commit, refuses those that wait for
// their turn, stops the workers and releases the data folder.
func (h *Host) Close() error {
	h.mu.Lock()
	h.closing = true
	h.mu.Unlock()
	if h.pool != nil {
		h.pool.Refuse()
	}
	h.runs.Wait() // before the pool stops: it has their databases, and a commit takes as long as the disk does
	var errs []error
	h.keeper.stop()
	if h.pool != nil {
		errs = append(errs, h.pool.Stop(context.Background()))
	}
	if h.events != nil {
		h.events.Close()
	}
	if h.store != nil {
		errs = append(errs, h.store.Close())
	}
	if h.remove != "" {
		errs = append(errs, os.RemoveAll(h.remove))
	}
	return errors.Join(errs...)
}

// Shutdown is Close that waits for runs no longer than until ctx ends: those that are still
// under way are cancelled then, and change nothing.
func (h *Host) Shutdown(ctx context.Context) error {
	defer context.AfterFunc(ctx, h.cancels.all)()
	return h.Close()
}

// Doctor starts a worker that tries what a hostile script would try, and reports each
// layer of protection as on, off, or not available here.
func Doctor(ctx context.Context) (worker.Report, error) {
	return worker.Doctor(ctx, worker.Config{Engines: engine.Find()})
}
