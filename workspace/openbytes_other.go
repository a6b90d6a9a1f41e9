//go:build !linux

package workspace

import (
	"fmt"
	"os"
)

// openBytes gives bytes as a read-only file that has no name any more.
func openBytes(data []byte) (*os.File, error) {
	tmp, err := os.CreateTemp("", "blob-*")
	if err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	return os.Open(tmp.Name())
}
