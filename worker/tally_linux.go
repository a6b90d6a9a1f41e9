package worker

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// newTallySheet makes the memory, of a size that the child cannot change.
func newTallySheet() (*tallySheet, error) {
	fd, err := unix.MemfdCreate("sandboxd-tally", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("worker: making the tally: %w", err)
	}
	file := os.NewFile(uintptr(fd), "tally")
	if err = file.Truncate(tallyBytes); err == nil {
		_, err = unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_GROW|unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("worker: making the tally: %w", err)
	}
	return &tallySheet{file}, nil
}

// inheritedTally maps what the daemon left at descriptor 4 for the role script, and closes it.
func inheritedTally(role string) (*tally, error) {
	if role != roleScript {
		return nil, nil
	}
	shared, err := unix.Mmap(tallyFD, 0, tallyBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("opening the tally: %w", err)
	}
	return &tally{shared: shared, slots: map[string][]byte{}}, unix.Close(tallyFD)
}
