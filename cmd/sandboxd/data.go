package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/problem"
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
func (f dataFlag) open(a *app) (*sandboxd.Host, error) {
	config, err := f.config(a)
	if err != nil {
		return nil, err
	}
	config.Concurrency, config.Log = 1, a.log(slog.LevelError)
	config.CollectEvery = -1 // what is done here does not take that long
	return sandboxd.Open(a.ctx, config)
}

// config is what the file and the environment say of hosts, for this folder.
func (f dataFlag) config(a *app) (sandboxd.Config, error) {
	var settings hostSettings
	options := []kong.Option{kong.NoDefaultHelp()}
	if a.config != nil {
		options = append(options, kong.Resolvers(a.config))
	}
	parser, err := kong.New(&settings, options...)
	if err != nil {
		panic(err) // a mistake in the tags
	}
	if _, err := parser.Parse(nil); err != nil {
		return sandboxd.Config{}, problem.New(problem.InvalidArgument, "%v", a.config.explain(err)).WithHint("See sandboxd config.")
	}
	config := settings.host()
	config.Dir, err = f.dir()
	return config, err
}

// log takes what an operator should know, as it happens. A command that ends by itself
// says no warnings: it reports its own outcome, and sandboxd doctor what is missing.
func (a *app) log(least slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: least}))
}

// withHost opens the data folder for one piece of work.
func (f dataFlag) withHost(a *app, work func(*sandboxd.Host) error) error {
	h, err := f.open(a)
	if err != nil {
		return err
	}
	err = work(h)
	if closeErr := h.Close(); err == nil {
		err = closeErr
	}
	return err
}
