package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// folder is the data folder and the lock that keeps a second daemon off it.
type folder struct {
	dir  string
	lock *os.File
}

// ErrLocked says that another daemon works on the data folder.
var ErrLocked = errors.New("the data folder is in use by another sandboxd")

func openFolder(ctx context.Context, dir string) (*folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for _, sub := range []string{"", "files", "db", "tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, fmt.Errorf("make the data folder: %w", err)
		}
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock: %w", err)
	}
	if err := take(ctx, lock); err != nil {
		holder, _ := os.ReadFile(lock.Name())
		lock.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("%w: %s is locked by process %s", ErrLocked, dir, strings.TrimSpace(string(holder)))
		}
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	_ = lock.Truncate(0)
	_, _ = lock.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return &folder{dir: dir, lock: lock}, nil
}

// A lock is looked at lockLooks times, lockEvery, which is a second. The kernel lets go of a
// flock when its process ends, however it ends, but a worker that was being started in that
// moment has inherited it until its program begins: seen after one of a thousand kills. Looks
// are counted and not time, which on a busy machine may pass without anybody getting on.
const (
	lockLooks = 100
	lockEvery = 10 * time.Millisecond
)

// take locks a file, or answers EWOULDBLOCK if another process has it and keeps it.
func take(ctx context.Context, lock *os.File) error {
	for look := 1; ; look++ {
		err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) || look == lockLooks {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(lockEvery):
		}
	}
}

// close lets go of the lock, also where a program that is just being started by this
// process has inherited it for a moment.
func (f *folder) close() error {
	err := unix.Flock(int(f.lock.Fd()), unix.LOCK_UN)
	if cerr := f.lock.Close(); err == nil {
		err = cerr
	}
	return err
}

func (f *folder) tmp(name string) string { return filepath.Join(f.dir, "tmp", name) }

// diskPath is where a content lives within files/.
func diskPath(hash string) string { return hash[:2] + "/" + hash[2:] }

// files is where large contents live, in a folder for each first byte of their hashes.
func (f *folder) files() string { return filepath.Join(f.dir, "files") }

func (f *folder) blob(hash string) string {
	return filepath.Join(f.files(), hash[:2], hash[2:])
}

// sweep removes what a crash left: everything in tmp/ and, if known is given, each blob
// that it does not know. It answers how many blobs it removed.
func (f *folder) sweep(known func(hashes []string) (map[string]bool, error)) (int, error) {
	entries, err := os.ReadDir(filepath.Join(f.dir, "tmp"))
	if err != nil {
		return 0, fmt.Errorf("sweep tmp: %w", err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(f.tmp(e.Name())); err != nil {
			return 0, fmt.Errorf("sweep tmp: %w", err)
		}
	}
	if known == nil {
		return 0, nil
	}
	folders, err := os.ReadDir(f.files())
	if err != nil {
		return 0, fmt.Errorf("sweep files: %w", err)
	}
	removed := 0
	for _, sub := range folders {
		blobs, err := os.ReadDir(filepath.Join(f.files(), sub.Name()))
		if err != nil {
			return removed, fmt.Errorf("sweep files: %w", err)
		}
		hashes := make([]string, len(blobs))
		for i, b := range blobs {
			hashes[i] = sub.Name() + b.Name()
		}
		keep, err := known(hashes)
		if err != nil {
			return removed, err
		}
		for _, hash := range hashes {
			if keep[hash] {
				continue
			}
			if err := os.Remove(f.blob(hash)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return removed, fmt.Errorf("sweep files: %w", err)
			}
			removed++
		}
	}
	return removed, nil
}

// syncFolder makes the entries of a folder durable.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	return nil
}
