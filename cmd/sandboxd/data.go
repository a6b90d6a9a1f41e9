package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/limits"
)

// dataFlag names the folder that a command works in.
type dataFlag struct {
	Data string `help:"The data folder. Defaults to ~/.local/share/sandboxd." env:"SANDBOXD_DATA" type:"path" placeholder:"DIR"`
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
	return sandboxd.Open(a.ctx, sandboxd.Config{Dir: dir, Limits: l, Concurrency: 1, Log: a.log(slog.LevelError)})
}

// log takes what an operator should know, as it happens. A command that ends by itself
// says no warnings: it reports its own outcome, and sandboxd doctor what is missing.
func (a *app) log(least slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: least}))
}

// withHost opens the data folder for one piece of work.
func (f dataFlag) withHost(a *app, work func(*sandboxd.Host) error) error {
	h, err := f.open(a, limits.Limits{})
	if err != nil {
		return err
	}
	err = work(h)
	if closeErr := h.Close(); err == nil {
		err = closeErr
	}
	return err
}
