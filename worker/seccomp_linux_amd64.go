package worker

import "golang.org/x/sys/unix"

const (
	auditArch  = uint32(unix.AUDIT_ARCH_X86_64)
	killAbove  = uint32(0x40000000) // x32
	sysFstatat = uintptr(unix.SYS_NEWFSTATAT)
)

var archRules = []rule{{nr: unix.SYS_ARCH_PRCTL}}

var archSQLRules = []rule{
	{nr: unix.SYS_OPEN}, {nr: unix.SYS_STAT}, {nr: unix.SYS_LSTAT}, {nr: unix.SYS_ACCESS}, {nr: unix.SYS_UNLINK},
	{nr: unix.SYS_MKDIR}, {nr: unix.SYS_RMDIR}, {nr: unix.SYS_READLINK}, {nr: unix.SYS_RENAME}, {nr: unix.SYS_GETDENTS},
}

var archDeadly = []uintptr{unix.SYS_FORK, unix.SYS_VFORK}
