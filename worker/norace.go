//go:build !race

package worker

const raceBuild = false

// defaultExecutable is the running program.
func defaultExecutable() string { return "/proc/self/exe" }
