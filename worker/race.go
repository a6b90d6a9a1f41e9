//go:build race

package worker

import "os"

// raceBuild loosens what the race detector cannot live with: its shadow memory counts
// towards RLIMIT_DATA, and a run takes several times the memory and time.
const raceBuild = true

// defaultExecutable is the running program, or the worker built without the detector that
// the environment names: a test of the daemon then waits a fifth of the time for its
// workers, which start in 0.1 s instead of 1.3 s. The tests of this package name none.
func defaultExecutable() string {
	if plain := os.Getenv("SANDBOXD_PLAIN_WORKER"); plain != "" {
		return plain
	}
	return "/proc/self/exe"
}
