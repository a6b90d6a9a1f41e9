package agentdb

import (
	"fmt"
	"os"
	"testing"
)

// The tests run as a database's own process does: under a cap on SQLite's memory.
func TestMain(m *testing.M) {
	if err := LimitHeap(256 << 20); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if dir := os.Getenv(killDir); dir != "" { // the process that TestKill kills
		fmt.Fprintln(os.Stderr, keepCommitting(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}
