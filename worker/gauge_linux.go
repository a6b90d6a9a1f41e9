package worker

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// gauge reads what a child uses, from outside, because what is inside may lie.
type gauge struct {
	clock  int32    // the child's CPU clock
	statm  *os.File // sizes in pages, now
	status *os.File // VmHWM, the largest resident size since the last reset, and RssFile
	reset  *os.File
	buf    [4096]byte
}

var pageSize = int64(os.Getpagesize())

// newGauge looks at a child. What cannot be read here answers 0, and Doctor says so; the
// child's own watch and the deadline are left then.
func newGauge(pid int) *gauge {
	// Of clock_getcpuclockid(3): the process's scheduler clock, in nanoseconds.
	g := &gauge{clock: int32(^pid<<3 | 2)}
	g.statm, _ = os.Open(fmt.Sprintf("/proc/%d/statm", pid))
	g.status, _ = os.Open(fmt.Sprintf("/proc/%d/status", pid))
	// Without it the peak is that of the process's whole life.
	g.reset, _ = os.OpenFile(fmt.Sprintf("/proc/%d/clear_refs", pid), os.O_WRONLY, 0)
	return g
}

func (g *gauge) close() {
	for _, f := range []*os.File{g.statm, g.status, g.reset} {
		if f != nil {
			f.Close()
		}
	}
}

// cpu is the CPU time of all threads so far; 0 once the process is gone.
func (g *gauge) cpu() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(g.clock, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// memory is what is resident now, and how much of that is not a mapped file, in bytes.
func (g *gauge) memory() (resident, private int64) {
	n, _ := g.statm.ReadAt(g.buf[:], 0) // a nil file answers an error
	fields := bytes.Fields(g.buf[:n])   // size, resident, shared, …
	if len(fields) < 3 {
		return 0, 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	shared, _ := strconv.ParseInt(string(fields[2]), 10, 64)
	return pages * pageSize, (pages - shared) * pageSize
}

// peak is the most that was resident since resetPeak, in bytes, without what is a mapped
// file now: the program itself, which the kernel maps by huge pages, so that 50 MB of it
// counted as resident of which a run had touched little and which all workers share.
func (g *gauge) peak() int64 {
	n, _ := g.status.ReadAt(g.buf[:], 0)
	return max(0, field(g.buf[:n], "VmHWM:")-field(g.buf[:n], "RssFile:"))
}

// field is a size in a status file, in bytes; 0 if it is not there.
func field(status []byte, name string) int64 {
	_, rest, _ := bytes.Cut(status, []byte(name))
	number, _, _ := bytes.Cut(bytes.TrimLeft(rest, " \t"), []byte(" "))
	kb, err := strconv.ParseInt(string(number), 10, 64)
	if err != nil {
		return 0
	}
	return kb << 10
}

func (g *gauge) resetPeak() {
	if g.reset != nil {
		_, _ = g.reset.WriteAt([]byte("5"), 0)
	}
}
