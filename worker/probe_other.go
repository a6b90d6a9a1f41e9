//go:build !linux

package worker

var platformAttempts = map[string]func() error{}
