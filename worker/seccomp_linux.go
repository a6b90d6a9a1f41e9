package worker

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The filter answers EPERM to what it does not know, so that a library that tries a call
// and falls back can do so, and kills for what only an attack would try.

// check allows a call when an argument fits.
type check struct {
	arg  int    // 0 to 5
	mask uint32 // of its low half
	want uint32 // value under the mask that is allowed
}

// rule says what becomes of a call: allowed if there are no checks or one of them fits.
type rule struct {
	nr     uintptr
	checks []check
}

const (
	seccompReturnAllow = unix.SECCOMP_RET_ALLOW
	seccompReturnEPERM = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	seccompReturnNone  = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	seccompReturnKill  = unix.SECCOMP_RET_KILL_PROCESS

	// of struct seccomp_data
	offsetNr   = 0
	offsetArch = 4
	offsetArgs = 16
)

// seccompFilter assembles the program for a child's settings and its process id.
func seccompFilter(s settings, pid int) ([]bpf.RawInstruction, error) {
	if auditArch == 0 {
		return nil, fmt.Errorf("seccomp: no filter is written for %s", runtime.GOARCH)
	}
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		bpf.RetConstant{Val: seccompReturnKill},
		bpf.LoadAbsolute{Off: offsetNr, Size: 4},
	}
	if killAbove != 0 { // x32 calls on amd64
		program = append(program,
			bpf.JumpIf{Cond: bpf.JumpLessThan, Val: killAbove, SkipTrue: 1},
			bpf.RetConstant{Val: seccompReturnKill})
	}
	ret := func(nr uintptr, val uint32) {
		program = append(program,
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(nr), SkipFalse: 1},
			bpf.RetConstant{Val: val})
	}
	rules := append(coreRules(pid), archRules...)
	switch {
	case s.Role == roleSQL:
		// First, because the first rule for a call decides: core allows fewer arguments.
		rules = append(sqlRules(), rules...)
	case s.Role == roleScript && s.Engines.Libvips != "":
		rules = append(rules, libvipsRules()...)
	}
	for _, r := range rules {
		if len(r.checks) == 0 {
			ret(r.nr, seccompReturnAllow)
			continue
		}
		body := []bpf.Instruction{}
		for _, c := range r.checks {
			body = append(body,
				bpf.LoadAbsolute{Off: uint32(offsetArgs + 8*c.arg), Size: 4}, // little endian: the low half
				bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: c.mask},
				bpf.JumpIf{Cond: bpf.JumpEqual, Val: c.want, SkipFalse: 1},
				bpf.RetConstant{Val: seccompReturnAllow})
		}
		body = append(body, bpf.RetConstant{Val: seccompReturnEPERM})
		program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(r.nr), SkipFalse: uint8(len(body))})
		program = append(program, body...)
	}
	ret(unix.SYS_CLONE3, seccompReturnNone) // its flags are out of a filter's sight; libc falls back to clone
	for _, nr := range deadly {
		ret(nr, seccompReturnKill)
	}
	program = append(program, bpf.RetConstant{Val: seccompReturnEPERM})
	return bpf.Assemble(program)
}

// coreRules are what Go's runtime, the frames and work on open descriptors take.
func coreRules(pid int) []rule {
	rules := []rule{
		// What happens most comes first: the filter is walked from the top.
		{nr: unix.SYS_FUTEX}, {nr: unix.SYS_READ}, {nr: unix.SYS_WRITE}, {nr: unix.SYS_EPOLL_PWAIT},
		{nr: unix.SYS_RECVMSG}, {nr: unix.SYS_SENDMSG}, {nr: unix.SYS_NANOSLEEP}, {nr: unix.SYS_PREAD64},
		{nr: unix.SYS_PWRITE64}, {nr: unix.SYS_CLOSE}, {nr: unix.SYS_LSEEK}, {nr: unix.SYS_FSTAT},
		{nr: unix.SYS_MUNMAP}, {nr: unix.SYS_MADVISE}, {nr: unix.SYS_CLOCK_NANOSLEEP}, {nr: unix.SYS_CLOCK_GETTIME},
		{nr: unix.SYS_GETTIMEOFDAY}, {nr: unix.SYS_RT_SIGRETURN}, {nr: unix.SYS_RT_SIGACTION}, {nr: unix.SYS_RT_SIGPROCMASK},
		{nr: unix.SYS_SIGALTSTACK}, {nr: unix.SYS_EXIT}, {nr: unix.SYS_EXIT_GROUP}, {nr: unix.SYS_GETTID},
		{nr: unix.SYS_GETPID}, {nr: unix.SYS_SCHED_YIELD}, {nr: unix.SYS_SCHED_GETAFFINITY}, {nr: unix.SYS_EPOLL_CREATE1},
		{nr: unix.SYS_EPOLL_CTL}, {nr: unix.SYS_EVENTFD2}, {nr: unix.SYS_GETRANDOM}, {nr: unix.SYS_RESTART_SYSCALL},
		{nr: unix.SYS_MINCORE}, {nr: unix.SYS_GETRUSAGE}, {nr: unix.SYS_RSEQ}, {nr: unix.SYS_SET_ROBUST_LIST},
		{nr: unix.SYS_FTRUNCATE}, {nr: unix.SYS_COPY_FILE_RANGE}, {nr: unix.SYS_SHUTDOWN},
		// Memory, but nothing that could be run as code.
		{nr: unix.SYS_MMAP, checks: []check{{arg: 2, mask: unix.PROT_EXEC}}},
		{nr: unix.SYS_MPROTECT, checks: []check{{arg: 2, mask: unix.PROT_EXEC}}},
		// Threads, but no processes.
		{nr: unix.SYS_CLONE, checks: []check{{arg: 0, mask: unix.CLONE_THREAD, want: unix.CLONE_THREAD}}},
		// Go preempts its own threads by signals.
		{nr: unix.SYS_TGKILL, checks: []check{{arg: 0, mask: ^uint32(0), want: uint32(pid)}}},
		{nr: unix.SYS_FCNTL, checks: []check{
			{arg: 1, mask: ^uint32(0), want: unix.F_GETFL}, {arg: 1, mask: ^uint32(0), want: unix.F_GETFD},
			{arg: 1, mask: ^uint32(0), want: unix.F_SETFD}, {arg: 1, mask: ^uint32(0), want: unix.F_DUPFD_CLOEXEC}}},
		{nr: sysFstatat, checks: []check{{arg: 3, mask: unix.AT_EMPTY_PATH, want: unix.AT_EMPTY_PATH}}},
	}
	if raceBuild {
		// The race detector's own: it maps with any protection and moves its maps.
		rules = append(rules, rule{nr: unix.SYS_MREMAP}, rule{nr: unix.SYS_PRCTL})
	}
	return rules
}

// libvipsRules are what C libraries take besides: their allocator's, and the names that
// they give to threads.
func libvipsRules() []rule {
	return []rule{
		{nr: unix.SYS_BRK}, {nr: unix.SYS_MREMAP}, {nr: unix.SYS_READV}, {nr: unix.SYS_WRITEV}, {nr: unix.SYS_DUP},
		{nr: unix.SYS_PRCTL, checks: []check{{arg: 0, mask: ^uint32(0), want: unix.PR_SET_NAME}}},
	}
}

// sqlRules are what SQLite takes besides; landlock says in which folder.
func sqlRules() []rule {
	rules := []rule{
		{nr: unix.SYS_OPENAT}, {nr: unix.SYS_FSYNC}, {nr: unix.SYS_FDATASYNC}, {nr: unix.SYS_UNLINKAT},
		{nr: unix.SYS_MKDIRAT}, {nr: unix.SYS_FALLOCATE}, {nr: unix.SYS_FCHMOD}, {nr: unix.SYS_FCHOWN},
		{nr: unix.SYS_FACCESSAT}, {nr: unix.SYS_FACCESSAT2}, {nr: unix.SYS_GETEUID}, {nr: unix.SYS_GETUID},
		{nr: unix.SYS_GETEGID}, {nr: unix.SYS_GETGID}, {nr: unix.SYS_GETCWD}, {nr: unix.SYS_READLINKAT},
		{nr: unix.SYS_STATX}, {nr: sysFstatat}, {nr: unix.SYS_GETDENTS64},
		{nr: unix.SYS_RENAMEAT2}, {nr: unix.SYS_RENAMEAT}, {nr: unix.SYS_PREADV}, {nr: unix.SYS_PWRITEV},
		{nr: unix.SYS_FSTATFS}, {nr: unix.SYS_UTIMENSAT}, {nr: unix.SYS_MREMAP}, {nr: unix.SYS_MSYNC},
	}
	// Locks, but no F_SETOWN and F_SETSIG: they would signal any process of the user.
	locks := rule{nr: unix.SYS_FCNTL}
	for _, cmd := range []uint32{unix.F_GETFL, unix.F_GETFD, unix.F_SETFD, unix.F_DUPFD_CLOEXEC, unix.F_GETLK, unix.F_SETLK, unix.F_SETLKW} {
		locks.checks = append(locks.checks, check{arg: 1, mask: ^uint32(0), want: cmd})
	}
	return append(append(rules, locks), archSQLRules...)
}

// deadly are calls that nothing in a child makes by itself.
var deadly = append([]uintptr{
	unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND,
	unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4, unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_PTRACE,
	unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_BPF, unix.SYS_IO_URING_SETUP,
	unix.SYS_USERFAULTFD, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_UNSHARE,
	unix.SYS_SETNS, unix.SYS_MEMFD_CREATE, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_PERF_EVENT_OPEN,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT, unix.SYS_SWAPON,
}, archDeadly...)

// installSeccomp puts the filter on every thread of the process. The calling thread must
// have no-new-privs.
func installSeccomp(s settings) error {
	program, err := seccompFilter(s, unix.Getpid())
	if err != nil {
		return err
	}
	filter := make([]unix.SockFilter, len(program))
	for i, in := range program {
		filter[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w", errno)
	}
	if thread != 0 {
		return fmt.Errorf("seccomp: thread %d could not be synchronised", thread)
	}
	return nil
}
