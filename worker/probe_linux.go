package worker

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// platformAttempts go past Go's library to the kernel.
var platformAttempts = map[string]func() error{
	"reopen a descriptor": func() error {
		// A descriptor that may only be read becomes one that may be written, if /proc can be reached.
		fd, err := unix.Open("/proc/self/fd/0", unix.O_RDWR, 0)
		if err == nil {
			unix.Close(fd)
		}
		return err
	},
	"read /proc": func() error {
		f, err := os.Open("/proc/self/environ")
		if err == nil {
			f.Close()
		}
		return err
	},
	"open a socket": func() error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err == nil {
			unix.Close(fd)
		}
		return err
	},
	"open a unix socket": func() error {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err == nil {
			unix.Close(fd)
		}
		return err
	},
	"become a program": func() error {
		return unix.Exec("/bin/true", []string{"true"}, nil) // does not return if it is open
	},
	"fork": func() error {
		// Without CLONE_THREAD; the flags make a real child share nothing and end at once.
		pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		if errno != 0 {
			return errno
		}
		if pid == 0 {
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		return nil
	},
	"signal a process": func() error { return unix.Kill(unix.Getppid(), 0) },
	"trace a process":  func() error { return unix.PtraceAttach(1) },
	"make memory executable": func() error {
		page, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
		if err != nil {
			return err
		}
		defer unix.Munmap(page)
		return unix.Mprotect(page, unix.PROT_READ|unix.PROT_EXEC)
	},
	"make a memory file":  func() error { return closing(unix.MemfdCreate("x", 0)) },
	"mount":               func() error { return unix.Mount("none", "/tmp", "tmpfs", 0, "") },
	"make a namespace":    func() error { return unix.Unshare(unix.CLONE_NEWUSER) },
	"use io_uring":        func() error { return raw(unix.SYS_IO_URING_SETUP, 1, 0, 0) },
	"load a bpf program":  func() error { return raw(unix.SYS_BPF, 0, 0, 0) },
	"raise a limit":       func() error { return unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1 << 40, Max: 1 << 40}) },
	"change user":         func() error { return unix.Setuid(0) },
	"read another memory": func() error { return raw(unix.SYS_PROCESS_VM_READV, uintptr(unix.Getppid()), 0, 0) },
	"survive the daemon": func() error {
		signal, err := unix.PrctlRetInt(unix.PR_GET_PDEATHSIG, 0, 0, 0, 0)
		switch {
		case err != nil:
			return err
		case signal == int(unix.SIGKILL):
			return fmt.Errorf("killed with the daemon")
		}
		return nil
	},
}

func closing(fd int, err error) error {
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func raw(nr, a, b, c uintptr) error {
	if _, _, errno := unix.Syscall(nr, a, b, c); errno != 0 {
		return errno
	}
	return nil
}
