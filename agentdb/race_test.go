//go:build race

package agentdb

import "testing"

// heavy marks a test of much SQL: SQLite is Go here, and the race detector, which has
// nothing to find in it, makes it some forty times slower.
func heavy(t *testing.T) {
	t.Helper()
	t.Skip("much SQL, and the race detector is on")
}
