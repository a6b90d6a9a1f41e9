//go:build !linux

package worker

// Without shared memory the receipt of a run that is killed has no calls.
func newTallySheet() (*tallySheet, error) { return nil, nil }

func inheritedTally(string) (*tally, error) { return nil, nil }
