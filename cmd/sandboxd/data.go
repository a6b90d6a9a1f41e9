package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/limits"
)

// dataFlag names the folder that a command works in.
type dataFlag struct {
	Data string `help:"The data folder. Defaults to $SANDBOXD_DATA, or sandboxd in the user's data folder." env:"SANDBOXD_DATA" type:"path" placeholder:"DIR"`
}

// dir is the folder named, or the user's own.
func (f dataFlag) dir() (string, error) {
	if f.Data != "" {
		return f.Data, nil
	}
	if base := os.Getenv("XDG_DATA_HOME"); base != "" {
		return filepath.Join(base, "sandboxd"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no data folder: name one with --data DIR: %w", err)
	}
	return filepath.Join(home, ".local", "share", "sandboxd"), nil
}

// open opens the host on the folder; the caller closes it.
func (f dataFlag) open(a *app, l limits.Limits) (*sandboxd.Host, error) {
	dir, err := f.dir()
	if err != nil {
		return nil, err
	}
	return sandboxd.Open(a.ctx, sandboxd.Config{Dir: dir, Limits: l})
}

// printJSON writes one indented JSON value and a line end.
func (a *app) printJSON(value any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}
