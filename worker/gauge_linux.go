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
	status *os.File // VmHWM, the largest resident size since the last reset
	reset  *os.File
	buf    [4096]byte
}

func newGauge(pid int) (*gauge, error) {
	// Of clock_getcpuclockid(3): the process's scheduler clock, in nanoseconds.
	g := &gauge{clock: int32(^pid<<3 | 2)}
	var err error
	if g.statm, err = os.Open(fmt.Sprintf("/proc/%d/statm", pid)); err != nil {
		return nil, err
	}
	if g.status, err = os.Open(fmt.Sprintf("/proc/%d/status", pid)); err != nil {
		g.close()
		return nil, err
	}
	// Without it the peak is that of the process's whole life.
	g.reset, _ = os.OpenFile(fmt.Sprintf("/proc/%d/clear_refs", pid), os.O_WRONLY, 0)
	return g, nil
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

// memory is what is resident now and is not a mapped file, in bytes.
func (g *gauge) memory() int64 {
	n, _ := g.statm.ReadAt(g.buf[:], 0)
	var size, resident, shared int64
	if _, err := fmt.Sscan(string(g.buf[:n]), &size, &resident, &shared); err != nil {
		return 0
	}
	return (resident - shared) * int64(os.Getpagesize())
}

// peak is the most that was resident since resetPeak, in bytes.
func (g *gauge) peak() int64 {
	n, _ := g.status.ReadAt(g.buf[:], 0)
	_, rest, found := bytes.Cut(g.buf[:n], []byte("VmHWM:"))
	if !found {
		return 0
	}
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
