//go:build !race

package agentdb

import (
	"testing"
	"time"
)

// slack is what a busy machine may add to a time limit.
const slack = 2 * time.Second

// heavy marks a test of much SQL, which the race detector leaves out.
func heavy(*testing.T) {}
