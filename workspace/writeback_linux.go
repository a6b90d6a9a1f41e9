package workspace

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// startWriteback asks the kernel to begin to write a part of a file. It promises nothing,
// so that its failure is nobody's loss.
func startWriteback(f *os.File, offset, n int64) {
	_ = unix.SyncFileRange(int(f.Fd()), offset, n, unix.SYNC_FILE_RANGE_WRITE)
}

// awaitWriteback waits until all of a file is written, so that an fsync is soon done. What
// could not be written is an error here, because the fsync will not say it again.
func awaitWriteback(f *os.File) error {
	err := unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ESPIPE) {
		return nil // a file system that cannot; the fsync takes longer
	}
	return err
}
