//go:build race

package server_test

// raceBuild loosens what the race detector's shadow memory would break.
const raceBuild = true
