package worker

import "golang.org/x/sys/unix"

const (
	auditArch  = uint32(unix.AUDIT_ARCH_AARCH64)
	killAbove  = uint32(0)
	sysFstatat = uintptr(unix.SYS_FSTATAT)
)

var (
	archRules    []rule
	archSQLRules []rule
	archDeadly   []uintptr
)
