//go:build !linux

package workspace

import "os"

// startWriteback does nothing where there is no way to ask for it.
func startWriteback(*os.File, int64, int64) {}

// awaitWriteback is an fsync where there is no way to wait for less.
func awaitWriteback(f *os.File) error { return f.Sync() }
