//go:build linux

package worker

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/problem"
)

// TestNoWayOut has operations, which are Go code in the worker with all that Go can do, try
// each way out. A call is either refused or ends the process; none succeeds.
func TestNoWayOut(t *testing.T) {
	p := start(t, Config{Size: 1})
	killed := map[string]bool{
		"start a program": true, "open a socket": true, "open a unix socket": true, "become a program": true, "signal a process": true,
		"trace a process": true, "make a memory file": true, "mount": true, "make a namespace": true,
		"use io_uring": true, "load a bpf program": true, "read another memory": true,
	}
	for name := range attempts {
		if name == "survive the daemon" {
			continue // it is answered before seccomp only; TestKilledDaemon has it
		}
		t.Run(name, func(t *testing.T) {
			out := p.Run(t.Context(), script(t, fmt.Sprintf("await test.attempt(%q)", name)))
			if killed[name] {
				wantCode(t, out, problem.Forbidden)
			} else if out.Error != nil || !strings.Contains(string(out.Result), "operation not permitted") {
				t.Fatalf("got %s, %v", out.Result, out.Error)
			}
			want(t, p.Run(t.Context(), script(t, "40+2")), "42")
		})
	}
}

// The daemon itself must stay as free as it was: its spawning thread alone is restricted.
func TestDaemonIsNotRestricted(t *testing.T) {
	p := start(t, Config{Size: 1})
	want(t, p.Run(t.Context(), script(t, "1")), "1")
	done := make(chan error)
	for range 50 { // on whatever threads there are
		go func() {
			data, err := os.ReadFile("/etc/passwd")
			if err == nil && len(data) == 0 {
				err = os.ErrInvalid
			}
			done <- err
		}()
	}
	for range 50 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestChildInheritsNothing looks at a live worker from outside.
func TestChildInheritsNothing(t *testing.T) {
	t.Setenv("SANDBOXD_TEST_SECRET", "s3cret")
	leak, err := os.Open("/etc/hosts")
	if err != nil {
		t.Fatal(err)
	}
	defer leak.Close()
	p := start(t, Config{Size: 1, Spare: 1})
	want(t, p.Run(t.Context(), script(t, "1")), "1")
	p.mu.Lock()
	pid := p.idle[0].cmd.Process.Pid
	p.mu.Unlock()

	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil || strings.Contains(string(environ), "s3cret") || strings.Contains(string(environ), "PATH=") {
		t.Errorf("environment %q, %v", environ, err)
	}
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		target, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name()))
		switch {
		case target == "/dev/null", strings.HasPrefix(target, "socket:"), strings.HasPrefix(target, "pipe:"), strings.HasPrefix(target, "anon_inode:"):
		default:
			t.Errorf("descriptor %s is %s", fd.Name(), target)
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000"} {
		if !strings.Contains(string(status), line+"\n") {
			t.Errorf("no %q in its status", line)
		}
	}
}

// TestKilledDaemon: kill -9 of the daemon takes its workers along, the busy and the idle.
func TestKilledDaemon(t *testing.T) {
	daemon := exec.Command("/proc/self/exe")
	daemon.Env = append(os.Environ(), envTestDaemon+"=1")
	daemon.Stderr = os.Stderr
	out, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	pids := strings.Fields(line)
	if err != nil || len(pids) == 0 {
		t.Fatalf("the daemon said %q, %v", line, err)
	}
	if err := daemon.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = daemon.Wait()
	for _, pid := range pids {
		waitFor(t, func() bool {
			// Whoever inherits them may not have reaped them yet.
			status, err := os.ReadFile("/proc/" + pid + "/status")
			return err != nil || strings.Contains(string(status), "State:\tZ")
		})
	}
}
