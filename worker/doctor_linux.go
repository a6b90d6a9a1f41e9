package worker

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

var errLinuxOnly = errors.New("it cannot be tried here")

// examine looks at a child from outside.
func (d *doctor) examine(p *process) []Layer {
	pid := p.cmd.Process.Pid
	return []Layer{environmentOf(pid), descriptorsOf(pid), capabilitiesOf(pid), privilegesOf(pid)}
}

func environmentOf(pid int) Layer {
	const name = "minimal environment"
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return Layer{name, NotAvailable, "cannot be looked at: " + withoutPath(err)}
	}
	allowed := []string{envSettings, "TZ", "LANG", "GOMAXPROCS", "MALLOC_ARENA_MAX"}
	for entry := range strings.SplitSeq(strings.TrimRight(string(data), "\x00"), "\x00") {
		if key, _, _ := strings.Cut(entry, "="); !slices.Contains(allowed, key) {
			return Layer{name, Off, "a worker has " + key}
		}
	}
	return Layer{name, On, strings.Join(allowed, ", ")}
}

func descriptorsOf(pid int) Layer {
	const name = "closed descriptors"
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Layer{name, NotAvailable, "cannot be looked at: " + withoutPath(err)}
	}
	sockets := 0
	for _, entry := range entries {
		target, err := os.Readlink(dir + "/" + entry.Name())
		switch {
		case err != nil, target == os.DevNull, strings.HasPrefix(target, "pipe:"), strings.HasPrefix(target, "anon_inode:"):
		case strings.HasPrefix(target, "socket:") && sockets == 0:
			sockets++
		default:
			return Layer{name, Off, "a worker has " + target + " open"}
		}
	}
	return Layer{name, On, "one socket to the daemon, one pipe for errors, and /dev/null"}
}

func capabilitiesOf(pid int) Layer {
	const name = "no capabilities"
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	switch {
	case err != nil:
		return Layer{name, NotAvailable, "cannot be looked at: " + withoutPath(err)}
	case !strings.Contains(string(data), "CapEff:\t0000000000000000"):
		return Layer{name, Off, "a worker has privileges of root"}
	}
	return Layer{name, On, "a worker has no privilege of root, also if the daemon is root"}
}

func privilegesOf(pid int) Layer {
	const name = "no-new-privs"
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	switch {
	case err != nil:
		return Layer{name, NotAvailable, "cannot be looked at: " + withoutPath(err)}
	case !strings.Contains(string(data), "NoNewPrivs:\t1"):
		return Layer{name, Off, "a worker could gain rights from a set-uid program"}
	}
	return Layer{name, On, "no set-uid program raises a worker's rights"}
}

// withoutPath is an error of a file without the file's name.
func withoutPath(err error) string {
	var errno unix.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}
