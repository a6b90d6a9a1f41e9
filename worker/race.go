//go:build race

package worker

// raceBuild loosens what the race detector cannot live with: its shadow memory counts
// towards RLIMIT_DATA, and a run takes several times the memory and time.
const raceBuild = true
