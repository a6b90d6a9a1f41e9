package workspace

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// openBytes gives bytes as a file that nobody can change: memory with a seal, because its
// descriptor goes to a worker.
func openBytes(data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("blob", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("memfd: %w", err)
	}
	for done := 0; done < len(data); {
		// Not Write, which would leave the offset at the end for whoever reads on from it.
		n, err := unix.Pwrite(fd, data[done:], int64(done))
		if err != nil {
			unix.Close(fd)
			return nil, fmt.Errorf("memfd: %w", err)
		}
		done += n
	}
	const seals = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("memfd: %w", err)
	}
	return os.NewFile(uintptr(fd), "blob"), nil
}
