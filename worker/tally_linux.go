package worker

import (
	"os"

	"golang.org/x/sys/unix"
)

// newTallySheet makes the memory, of a size that the child cannot change; nil where the
// system has none to give.
func newTallySheet() *tallySheet {
	fd, err := unix.MemfdCreate("sandboxd-tally", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil
	}
	file := os.NewFile(uintptr(fd), "tally")
	if err = file.Truncate(tallyBytes); err == nil {
		_, err = unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_GROW|unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL)
	}
	if err != nil {
		file.Close()
		return nil
	}
	return &tallySheet{file}
}

// inheritedTally maps what the daemon left at descriptor 4, which hardening closes; nil if
// it left nothing.
func inheritedTally() *tally {
	shared, err := unix.Mmap(tallyFD, 0, tallyBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	return &tally{shared: shared, slots: map[string][]byte{}}
}
