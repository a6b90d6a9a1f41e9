package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sandboxd/sandboxd/workspace"
)

// A worker that was being started when its daemon was killed has the lock for a moment
// more; the next daemon used to give up. One that is alive keeps it.
func TestOpenWaitsAMomentForTheLock(t *testing.T) {
	dir := t.TempDir()
	lock, err := os.Create(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, err := workspace.Open(t.Context(), workspace.Config{Dir: dir}); !errors.Is(err, workspace.ErrLocked) {
		t.Errorf("while another has it: %v", err)
	}
	time.AfterFunc(100*time.Millisecond, func() { _ = unix.Flock(int(lock.Fd()), unix.LOCK_UN) })
	s, err := workspace.Open(t.Context(), workspace.Config{Dir: dir})
	if err != nil {
		t.Fatalf("when it is let go of: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
