package worker

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/sandboxd/sandboxd/problem"
)

// Exit codes of a child that ends itself.
const (
	exitStart  = 95 // it could not start: see stderr
	exitCPU    = 96
	exitMemory = 97
)

// death is how a process ended, as far as the daemon can see.
type death struct {
	state  *os.ProcessState
	killed problem.Code // why the daemon killed it; "" if it did not
	stderr string       // the beginning and the end of what it wrote
	peak   int64        // bytes of its own at most
	limit  int64        // bytes it was allowed
}

// wait is what Wait says of a process, apart so that tests can make it up.
type wait struct {
	code   int            // exit code, or -1
	signal syscall.Signal // or 0
}

func (d death) wait() wait {
	if d.state == nil {
		return wait{code: -1}
	}
	if status, ok := d.state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return wait{code: -1, signal: status.Signal()}
	}
	return wait{code: d.state.ExitCode()}
}

// cpu is the CPU time that the process took in its life; 0 if nobody can tell.
func (d death) cpu() time.Duration {
	if d.state == nil {
		return 0
	}
	return d.state.UserTime() + d.state.SystemTime()
}

// problem gives the death a code. limits.Memory bytes is the limit that it names.
func (d death) problem() *problem.Error {
	code, why := classify(d.wait(), d)
	return deathProblem(code, d.limit).WithCause(fmt.Errorf("worker: the process ended (%s): %s", why, tail(d.stderr)))
}

func deathProblem(code problem.Code, limit int64) *problem.Error {
	switch code {
	case problem.MemoryLimit:
		return problem.New(code, "the run needed more than %d MB of memory", limit>>20)
	case problem.StackOverflow:
		return problem.New(code, "the call stack grew too deep")
	case problem.CPULimit:
		return problem.New(code, "the run used all of its CPU time")
	case problem.Timeout:
		return problem.New(code, "the run took longer than its time limit")
	case problem.Canceled:
		return problem.New(code, "the caller cancelled")
	case problem.Forbidden:
		return problem.New(code, "the run tried what the sandbox forbids")
	}
	return problem.New(problem.WorkerLost, "the process that ran this ended unexpectedly")
}

// classify tells the deaths apart, as measured: Go ends with exit code 2 for a fatal error
// or a panic and says which on stderr; C code out of memory crashes wherever it happens to be.
func classify(w wait, d death) (code problem.Code, why string) {
	nearLimit := d.limit > 0 && d.peak >= d.limit-d.limit/8
	said := func(texts ...string) bool {
		for _, text := range texts {
			if strings.Contains(d.stderr, text) {
				return true
			}
		}
		return false
	}
	switch {
	case w.code == exitMemory:
		return problem.MemoryLimit, "its memory watchdog"
	case w.code == exitCPU:
		return problem.CPULimit, "its CPU watchdog"
	case w.signal == syscall.SIGSYS:
		return problem.Forbidden, "a forbidden system call"
	case w.signal == syscall.SIGXCPU:
		return problem.CPULimit, "RLIMIT_CPU"
	case w.code == 2 && said("goroutine stack exceeds", "stack overflow"):
		return problem.StackOverflow, "stack overflow"
	case said("out of memory", "cannot allocate memory", "failed to reserve", "failed to create new OS thread",
		"Error creating thread", "makeslice: len out of range", "makeslice: cap out of range", "growslice: len out of range"):
		return problem.MemoryLimit, "out of memory"
	case w.code == 2 && said("SIGSEGV: segmentation violation\nPC=", "unexpected signal during runtime execution") && !said("during cgo execution"):
		// Not a nil pointer of Go code, which is a panic: the Go runtime itself was
		// refused memory by RLIMIT_DATA in a place where it does not look.
		return problem.MemoryLimit, "out of memory in the Go runtime"
	case d.killed != "" && d.killed != problem.WorkerLost:
		return d.killed, "killed for " + string(d.killed)
	case w.signal == syscall.SIGKILL && d.killed == "":
		// Not by us: the kernel's OOM killer or a container's memory limit.
		return problem.MemoryLimit, "killed from outside, most likely for memory"
	case nearLimit && (w.signal == syscall.SIGSEGV || w.signal == syscall.SIGBUS || w.signal == syscall.SIGABRT || w.signal == syscall.SIGTRAP || w.code == 2):
		return problem.MemoryLimit, "a crash near the memory limit"
	case w.signal == syscall.SIGSEGV && said("stack"):
		return problem.StackOverflow, "stack overflow"
	case w.signal != 0:
		return problem.WorkerLost, "signal " + w.signal.String()
	case w.code == exitStart:
		return problem.WorkerLost, "it could not start"
	}
	return problem.WorkerLost, fmt.Sprintf("exit code %d", w.code)
}

// tail is the last lines of a text, for the operator's log.
func tail(s string) string {
	s = strings.TrimSpace(s)
	if len(s) > 2000 {
		return s[:1000] + " … " + s[len(s)-1000:]
	}
	return s
}
