//go:build !race

package agentdb

import "time"

// slack is what a busy machine may add to a time limit.
const slack = time.Second
