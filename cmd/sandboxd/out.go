package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/limits"
)

// writeOut copies the files that a run left changed into a folder. os.Root keeps names
// that scripts chose, and links that lie there, from reaching anything outside of it.
func writeOut(a *app, h *sandboxd.Host, receipt limits.Receipt, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, change := range receipt.Files {
		if change.Action == "deleted" {
			continue
		}
		err := getFile(a, h, change.ID, change.Version, func(name string) (io.WriteCloser, error) {
			path := filepath.FromSlash(name)
			if err := root.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return nil, err
			}
			return root.Create(path)
		})
		if err != nil {
			return fmt.Errorf("write %s to %s: %w", change.Name, dir, err)
		}
	}
	return nil
}
