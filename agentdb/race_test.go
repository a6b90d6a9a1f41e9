//go:build race

package agentdb

import "time"

// slack is what a busy machine may add to a time limit; the race detector slows SQLite,
// which is Go here, some twenty times.
const slack = 10 * time.Second
