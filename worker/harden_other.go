//go:build !linux

package worker

import "runtime/debug"

func hardenEarly(s settings) []Layer {
	debug.SetMaxStack(16 << 20)
	debug.SetMemoryLimit(softLimit(s.Limits.Memory))
	debug.SetGCPercent(400)
	return nil
}

func hardenLate(settings) []Layer {
	return []Layer{layer("no-new-privs", errLinuxOnly, ""), layer("seccomp", errLinuxOnly, "")}
}
