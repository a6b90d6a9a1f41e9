// Package worker runs scripts and tool calls in child processes that can be killed and
// that have no authority: the pool of them, their hardening, their watchdogs, and the
// child's own main.
//
// The daemon makes a Pool and calls Run. Each process is the daemon's own executable
// started again, so main calls Child before anything else. A process is started ahead of
// need, pinned to one workspace by its first job, and reused for that workspace while it
// is healthy; it is killed when a run leaves its limits and does not stop by itself. In
// the role sql the same kind of process holds a workspace's agent database instead.
//
// What a job may do to the outside is its host.Host, served over the socketpair; nothing
// else crosses. Hardening is best effort per platform; Doctor measures each layer.
//
// Imports runtime, agentdb, op, host, limits and problem. Start reading at Pool.Run (the
// daemon's side) and Child (the worker's side).
package worker

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/limits"
)

// Config of a Pool. The zero value is useful.
type Config struct {
	// Executable is started as the worker; its main must call Child first. Defaults to
	// /proc/self/exe, the running program.
	Executable string
	// Size is how many runs may be under way at once. Defaults to the number of cores.
	Size int
	// Spare is how many unpinned processes are kept ready. Defaults to Size, at most 4.
	// Negative is none.
	Spare int
	// Keep is how many idle pinned processes are kept for their workspaces; beyond that
	// the least recently used is retired. Defaults to 2 × Size, at least 4.
	Keep int
	// Queue is how many runs may wait for their turn; beyond that they answer busy.
	// Defaults to 100. Negative is none.
	Queue int
	// Limits of a run that does not say otherwise. Memory and FileBytes are the
	// process's own and bound what a run may ask for. Defaults to limits.Default.
	Limits limits.Limits
	// MaxRuns is how many runs a process serves before it is replaced. Defaults to 2,000:
	// a new one takes 70 ms of CPU time to load its engines, which at 500 runs each was
	// half of the throughput of small ones.
	MaxRuns int
	// IdleTTL is how long an idle pinned process is kept. Defaults to 5 minutes.
	IdleTTL time.Duration
	// Grace is how long a run that was told to stop may take before its process is
	// killed. Defaults to 250 ms.
	Grace time.Duration
	// Engines are where the libraries outside the binary lie; the child's main gives
	// Child what there is to load. Defaults to none.
	Engines engine.Places
	// DBDir gives the folder of a workspace's agent database, the one folder that its sql
	// process may open. Defaults to none: AgentDB then answers engine_missing.
	DBDir func(workspace string) (string, error)
	// Log is for the operator: deaths, what they wrote to stderr, what could not be
	// hardened. Defaults to none.
	Log *slog.Logger
}

func (c Config) withDefaults() (Config, error) {
	if c.Executable == "" {
		c.Executable = defaultExecutable()
	}
	if c.Size <= 0 {
		c.Size = runtime.NumCPU()
	}
	switch {
	case c.Spare == 0:
		c.Spare = min(c.Size, 4)
	case c.Spare < 0:
		c.Spare = 0
	}
	if c.Keep <= 0 {
		c.Keep = max(2*c.Size, 4)
	}
	switch {
	case c.Queue == 0:
		c.Queue = 100
	case c.Queue < 0:
		c.Queue = 0
	}
	c.Limits = c.Limits.Or(limits.Default())
	if c.Limits.Memory < minMemory {
		return c, fmt.Errorf("worker: a memory limit of %d MB is below the %d MB that a process takes to start", c.Limits.Memory>>20, minMemory>>20)
	}
	if c.MaxRuns <= 0 {
		c.MaxRuns = 2000
	}
	if c.IdleTTL <= 0 {
		c.IdleTTL = 5 * time.Minute
	}
	if c.Grace <= 0 {
		c.Grace = 250 * time.Millisecond
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c, nil
}

// minMemory is the least budget of a process: its code and runtime alone take about 40 MB.
const minMemory = 64 * limits.MB

var errStopped = errors.New("worker: the pool is stopped")
