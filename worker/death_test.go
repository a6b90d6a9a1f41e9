package worker

import (
	"os/exec"
	"syscall"
	"testing"

	"github.com/sandboxd/sandboxd/problem"
)

func TestClassify(t *testing.T) {
	const limit = 100 << 20
	for _, c := range []struct {
		name string
		wait wait
		d    death
		want problem.Code
	}{
		{"the memory watchdog", wait{code: exitMemory}, death{}, problem.MemoryLimit},
		{"the CPU watchdog", wait{code: exitCPU}, death{}, problem.CPULimit},
		{"Go out of memory", wait{code: 2}, death{stderr: "fatal error: runtime: out of memory\n"}, problem.MemoryLimit},
		{"Go's arenas out of memory", wait{code: 2}, death{stderr: "fatal error: out of memory allocating heap arena metadata"}, problem.MemoryLimit},
		{"no thread to be had", wait{code: 2}, death{stderr: "runtime: failed to create new OS thread (have 12 already; errno=11)"}, problem.MemoryLimit},
		{"a length that cannot be", wait{code: 2}, death{stderr: "panic: runtime error: makeslice: len out of range"}, problem.MemoryLimit},
		{"the collector refused memory", wait{code: 2}, death{stderr: "SIGSEGV: segmentation violation\nPC=0x439bbd m=0 sigcode=1 addr=0x8\n\ngoroutine 0 gp=0x1baac40"}, problem.MemoryLimit},
		{"glib out of threads", wait{code: -1, signal: syscall.SIGTRAP}, death{stderr: "GLib-ERROR: Error creating thread"}, problem.MemoryLimit},
		{"C crashes near the limit", wait{code: -1, signal: syscall.SIGSEGV}, death{peak: limit, limit: limit}, problem.MemoryLimit},
		{"C crashes in Go near the limit", wait{code: 2}, death{stderr: "SIGSEGV: segmentation violation\nsignal arrived during cgo execution", peak: limit, limit: limit}, problem.MemoryLimit},
		{"C crashes far from it", wait{code: -1, signal: syscall.SIGSEGV}, death{peak: limit / 2, limit: limit}, problem.WorkerLost},
		{"C crashes in Go far from it", wait{code: 2}, death{stderr: "SIGSEGV: segmentation violation\nsignal arrived during cgo execution", peak: limit / 2, limit: limit}, problem.WorkerLost},
		{"the kernel's OOM killer", wait{code: -1, signal: syscall.SIGKILL}, death{}, problem.MemoryLimit},
		{"killed for time", wait{code: -1, signal: syscall.SIGKILL}, death{killed: problem.Timeout}, problem.Timeout},
		{"killed for CPU", wait{code: -1, signal: syscall.SIGKILL}, death{killed: problem.CPULimit}, problem.CPULimit},
		{"killed for breaking the protocol", wait{code: -1, signal: syscall.SIGKILL}, death{killed: problem.WorkerLost}, problem.WorkerLost},
		{"out of memory while it was killed for time", wait{code: 2}, death{killed: problem.Timeout, stderr: "fatal error: out of memory"}, problem.MemoryLimit},
		{"Go's stack", wait{code: 2}, death{stderr: "runtime: goroutine stack exceeds 16777216-byte limit\nfatal error: stack overflow"}, problem.StackOverflow},
		{"a forbidden call", wait{code: -1, signal: syscall.SIGSYS}, death{}, problem.Forbidden},
		{"RLIMIT_CPU", wait{code: -1, signal: syscall.SIGXCPU}, death{}, problem.CPULimit},
		{"a panic", wait{code: 2}, death{stderr: "panic: a library's mistake"}, problem.WorkerLost},
		{"a nil pointer", wait{code: 2}, death{stderr: "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1"}, problem.WorkerLost},
		{"it could not start", wait{code: exitStart}, death{stderr: "sandboxd worker: opening the connection"}, problem.WorkerLost},
		{"it just left", wait{code: 0}, death{}, problem.WorkerLost},
	} {
		if code, why := classify(c.wait, c.d); code != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, code, why, c.want)
		}
	}
}

// A program that embeds the pool and reaps every child, as a process 1 does, takes what
// the end of a process says; the daemon does without.
func TestADeathThatSomebodyElseSaw(t *testing.T) {
	p := &process{cmd: &exec.Cmd{}, stderr: &stderr{}}
	d := p.death()
	if code := d.problem().Code; code != problem.WorkerLost || d.cpu() != 0 {
		t.Errorf("%s, %s of CPU time", code, d.cpu())
	}
	p.killed = problem.Timeout
	if code := p.death().problem().Code; code != problem.Timeout {
		t.Errorf("killed for a timeout: %s", code)
	}
}
