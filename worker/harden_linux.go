package worker

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/sandboxd/sandboxd/limits"
	"golang.org/x/sys/unix"
)

// dataReserve is what RLIMIT_DATA allows above the memory limit: address space that Go
// reserves and never touches counts too. Measured: 128 MB want 384, 512 MB want 768.
const dataReserve = 256 * limits.MB

// hardenEarly bounds the process before it reads anything.
func hardenEarly(s settings) []Layer {
	// What was inherited by accident; ours are 0 to 3. Go has opened nothing yet that it
	// would miss: its epoll descriptor comes with the first socket.
	closed := unix.CloseRange(socketFD+1, ^uint(0)>>1&0x7fffffff, 0)

	debug.SetMaxStack(16 << 20)
	debug.SetMemoryLimit(softLimit(s.Limits.Memory))
	// Small runs would collect every 4 MB otherwise, and reading a workbook whole spent a
	// fifth of its time on it; near the limit of memory the collector works as ever.
	debug.SetGCPercent(400)

	file := s.Limits.FileBytes
	if s.Role == roleSQL {
		file = sqlFileBytes(s.Limits)
	}
	bounds := []struct {
		name     string
		resource int
		max      uint64
	}{
		{"RLIMIT_CORE", unix.RLIMIT_CORE, 0},
		{"RLIMIT_FSIZE", unix.RLIMIT_FSIZE, uint64(file)},
		{"RLIMIT_NOFILE", unix.RLIMIT_NOFILE, 1024},
		{"RLIMIT_DATA", unix.RLIMIT_DATA, uint64(s.Limits.Memory + dataReserve)},
	}
	layers := []Layer{layer("closed descriptors", closed, "only the socketpair, the tally and stderr are inherited")}
	for _, b := range bounds {
		if b.resource == unix.RLIMIT_DATA && raceBuild {
			layers = append(layers, Layer{b.name, Off, "a race build's shadow memory would count"})
			continue
		}
		err := setRlimit(b.resource, b.max)
		layers = append(layers, layer(b.name, err, fmt.Sprint(b.max)))
	}
	return layers
}

// sqlFileBytes bounds each file of a database's process: the database, its log, which may
// grow to as much again, and what a sort spills.
func sqlFileBytes(l limits.Limits) int64 { return 2*l.DBBytes + 64*limits.MB }

// setRlimit lowers a limit; it never raises one that is lower already.
func setRlimit(resource int, max uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	max = min(max, now.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: max, Max: max})
}

// hardenLate shuts the door: nothing can be opened after it. The socket is open by now.
func hardenLate(s settings) []Layer {
	// no-new-privs, which the filter takes, is a thread's own: TSYNC passes it to the others.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	privs := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	layers := []Layer{layer("no-new-privs", privs, "no set-uid program can raise its rights")}
	if s.NoSeccomp && s.Role == roleProbe || s.Role == roleWarm {
		return layers
	}
	return append(layers, layer("seccomp", installSeccomp(s), "system calls off a short list fail or end the process"))
}
