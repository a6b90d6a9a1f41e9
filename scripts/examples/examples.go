// Package examples holds scripts that people can read and run, each in a folder with the
// files it works on. The tests run them all; want.txtar in each folder says what they must
// answer and leave behind.
package examples

import "embed"

// FS has the example that `sandboxd serve --demo` runs.
//
//go:embed clean-csv
var FS embed.FS
