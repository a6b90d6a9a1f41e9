//go:build !race

package agentdb

import "testing"

// heavy marks a test of much SQL, which the race detector leaves out.
func heavy(*testing.T) {}
