//go:build linux && !amd64 && !arm64

package worker

// No filter is written for this machine; installSeccomp says so.
const (
	auditArch  = uint32(0)
	killAbove  = uint32(0)
	sysFstatat = uintptr(0)
)

var (
	archRules    []rule
	archSQLRules []rule
	archDeadly   []uintptr
)
