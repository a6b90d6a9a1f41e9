package main

import (
	"fmt"
	"os"
)

// checkInFiles wants files that are there, or - for standard input.
func checkInFiles(flag string, paths ...string) error {
	for _, path := range paths {
		if path == "-" {
			continue
		}
		info, err := os.Stat(path)
		switch {
		case os.IsNotExist(err):
			return fmt.Errorf("%s: there is no file at %s", flag, path)
		case err != nil:
			return fmt.Errorf("%s: the file at %s cannot be reached: %w", flag, path, err)
		case info.IsDir():
			return fmt.Errorf("%s: %s is a folder, not a file", flag, path)
		}
	}
	return nil
}
