package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/host/frame"
	"github.com/sandboxd/sandboxd/problem"
)

// startWithin is how long a child may take to be ready; measured it takes 4 to 15 ms, and
// some hundred times as long where many start on a machine that has no time for them.
const startWithin = time.Minute

// process is a child as the daemon holds it.
type process struct {
	settings settings
	cmd      *exec.Cmd
	conn     *frame.Conn
	gauge    *gauge
	handler  *switchboard
	stderr   *stderr
	tally    *tallySheet    // of the role script
	counted  map[string]int // what it says, once exited
	layers   []Layer        // that it reported when it was ready

	// of the pool, under its lock
	workspace string
	runs      int
	used      time.Time

	mu     sync.Mutex
	killed problem.Code // the first reason
	peak   int64        // bytes of its own that the gauge saw at most in the current run
	mapped int64        // bytes of mapped files, the program foremost, when it was ready
	limit  int64        // bytes that it allows
	exited chan struct{}
}

// launcher starts children.
type launcher struct {
	executable string
	null       *os.File
}

func newLauncher(executable string) (*launcher, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("worker: %w", err)
	}
	return &launcher{executable: executable, null: null}, nil
}

func (l *launcher) close() { l.null.Close() }

// launch starts a child on the spawner's thread and waits until it is ready.
func (l *launcher) launch(ctx context.Context, on *spawner, s settings) (*process, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	ours, theirs, err := socketpair()
	if err != nil {
		return nil, fmt.Errorf("worker: making a socketpair: %w", err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		ours.Close()
		theirs.Close()
		return nil, fmt.Errorf("worker: making a pipe: %w", err)
	}
	inherit := []*os.File{theirs}
	var counts *tallySheet
	if s.Role == roleScript {
		if counts = newTallySheet(); counts != nil {
			inherit = append(inherit, counts.file)
		}
	}
	cmd, err := on.start(func() *exec.Cmd {
		return &exec.Cmd{
			Path:       l.executable,
			Args:       []string{"sandboxd-worker", s.Role},
			Env:        environment(s, string(text)),
			Dir:        "/",
			Stdin:      l.null, // named: to open /dev/null is forbidden on that thread
			Stdout:     l.null,
			Stderr:     write,
			ExtraFiles: inherit,
		}
	})
	// The child has them, and the pipe ends only when nobody else does.
	theirs.Close()
	write.Close()
	if err != nil {
		ours.Close()
		read.Close()
		counts.close()
		return nil, fmt.Errorf("worker: starting %s: %w", l.executable, err)
	}
	p := &process{settings: s, cmd: cmd, limit: s.Limits.Memory, stderr: &stderr{}, tally: counts, exited: make(chan struct{}), handler: &switchboard{ready: make(chan ready, 1)}}
	p.gauge = newGauge(cmd.Process.Pid)
	p.conn = frame.New(ours, p.handler, frame.Options{Inline: host.Brief})
	go p.wait(read)
	within := startWithin
	if s.Role == roleWarm {
		within = warmWithin
	}
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case r := <-p.handler.ready:
		p.layers = r.Layers
		resident, private := p.gauge.memory()
		p.mapped = resident - private
		return p, nil
	case <-p.exited:
		return nil, fmt.Errorf("worker: the process ended while it started: %w", p.death().problem())
	case <-timer.C:
		err = fmt.Errorf("worker: the process was not ready within %s", within)
	case <-ctx.Done():
		err = ctx.Err()
	}
	p.kill(problem.Internal)
	<-p.exited
	return nil, err
}

// environment is all that a child is told: nothing of the daemon's own.
func environment(s settings, text string) []string {
	env := []string{
		envSettings + "=" + text,
		"TZ=UTC", // else Go opens the zone files
		"LANG=C.UTF-8",
		"GOMAXPROCS=" + strconv.Itoa(threads(runtime.NumCPU())), // else Go reads /sys
		"MALLOC_ARENA_MAX=2",
	}
	if s.Dir != "" {
		env = append(env, "SQLITE_TMPDIR="+s.Dir, "TMPDIR="+s.Dir)
	}
	return env
}

// threads is how many of a machine's cores a child computes on. Operations of a run work
// in parallel, but several runs share the machine, and each thread that wakes to look for
// work costs a host call time: on two cores it took 60 µs with one and 75 with two.
func threads(cores int) int { return max(1, min(cores/2, 4)) }

func socketpair() (*net.UnixConn, *os.File, error) {
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, err
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "daemon"), os.NewFile(uintptr(fds[1]), "worker")
	defer ours.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return conn.(*net.UnixConn), theirs, nil
}

// wait owns the process until nothing of it is left.
func (p *process) wait(read *os.File) {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		p.stderr.readFrom(read)
		read.Close()
	}()
	// A connection that ends, or that the child misused, ends the child.
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		<-p.conn.Done()
		var broken *frame.Violation
		if errors.As(p.conn.Err(), &broken) {
			p.kill(problem.WorkerLost)
		}
	}()
	_ = p.cmd.Wait() // what it says is in ProcessState
	p.conn.Close()
	<-closed
	<-drained
	p.conn.Wait()
	p.gauge.close()
	p.counted = p.tally.read()
	p.tally.close()
	close(p.exited)
}

// kill ends the process at once, for a reason. wait reaps it.
func (p *process) kill(why problem.Code) {
	p.mu.Lock()
	if p.killed == "" {
		p.killed = why
	}
	p.mu.Unlock()
	_ = p.cmd.Process.Kill() // it may have ended already
}

// lost waits for the end of a process whose connection is gone. It has a moment to end by
// itself, and to write down why.
func (p *process) lost(grace time.Duration) {
	p.conn.Close()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-timer.C:
		p.kill(problem.WorkerLost)
		<-p.exited
	}
}

// alive tells whether the process can take a job.
func (p *process) alive() bool {
	select {
	case <-p.conn.Done():
		return false
	case <-p.exited:
		return false
	default:
		return true
	}
}

// see remembers a measured memory use, for the peak and for what its death means.
func (p *process) see(bytes int64) {
	p.mu.Lock()
	p.peak = max(p.peak, bytes)
	p.mu.Unlock()
}

// death says how it ended; only after exited.
func (p *process) death() death {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := death{state: p.cmd.ProcessState, killed: p.killed, stderr: p.stderr.String(), peak: p.peak, limit: p.limit}
	if d.state == nil { // somebody else in the program took the process's end
		return d
	}
	if usage, ok := d.state.SysUsage().(*syscall.Rusage); ok {
		d.peak = max(d.peak, maxRSS(usage)-p.mapped)
	}
	return d
}

func maxRSS(usage *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" {
		return usage.Maxrss // bytes there, kilobytes elsewhere
	}
	return usage.Maxrss << 10
}

// switchboard gives a child's host calls to whoever serves its current job.
type switchboard struct {
	ready chan ready

	mu      sync.Mutex
	current frame.Handler
}

func (s *switchboard) serve(h frame.Handler) {
	s.mu.Lock()
	s.current = h
	s.mu.Unlock()
}

func (s *switchboard) handler() frame.Handler {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

func (s *switchboard) Handle(ctx context.Context, req frame.Request) (frame.Reply, error) {
	if h := s.handler(); h != nil {
		return h.Handle(ctx, req)
	}
	return frame.Reply{}, problem.New(problem.Forbidden, "no run is under way")
}

func (s *switchboard) Notice(method string, body json.RawMessage) {
	if method == noticeReady {
		var r ready
		if json.Unmarshal(body, &r) == nil {
			select {
			case s.ready <- r:
			default: // it said so before
			}
		}
		return
	}
	if h := s.handler(); h != nil {
		h.Notice(method, body)
	}
}
