package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

type runCmd struct {
	Script  string        `arg:"" help:"The script, JavaScript or (….ts) TypeScript; - reads it from standard input." placeholder:"SCRIPT"`
	File    []string      `help:"A file to put into the workspace first, under its base name; may be repeated. A name that is taken gets a new version." type:"existingfile" placeholder:"PATH" sep:"none"`
	Args    string        `help:"JSON that the script finds in args." default:"{}" placeholder:"JSON"`
	Out     string        `help:"A folder that the files which the run created or changed are written to." type:"path" placeholder:"DIR"`
	Timeout time.Duration `help:"How long the run may take." default:"30s"`
	Memory  int64         `help:"How much memory the worker may use, in MB." default:"512"`
	JSON    bool          `help:"Print the whole answer as one JSON object, errors included: {ok, result, logs, error, receipt}."`
	Data    string        `help:"Work in this data folder and keep it. Without it the workspace is thrown away at the end." env:"SANDBOXD_DATA" type:"path" placeholder:"DIR"`
}

// Help is shown below the flags.
func (runCmd) Help() string {
	return `The script is the body of an async function: await and return work at its top, and without a
return the last expression's value is the result. Console output goes to standard error, the
result to standard output.

  sandboxd run clean.js --file export.csv --out cleaned/
  echo 'return (await files.list()).length' | sandboxd run - --file a.csv --file b.csv --json`
}

func (c *runCmd) Run(a *app) error {
	source, name, err := c.source(a)
	if err != nil {
		return err
	}
	if !json.Valid([]byte(c.Args)) {
		return problem.New(problem.InvalidArgument, "--args is not JSON: %s", c.Args).WithHint(`For example: --args '{"month": 3}'`)
	}
	allowed := limits.Limits{WallTime: c.Timeout, Memory: c.Memory * limits.MB}.Or(limits.Default())
	if allowed.CPUTime < allowed.WallTime && c.Timeout > limits.Default().WallTime {
		allowed.CPUTime = allowed.WallTime // whoever asks for more time wants to use it
	}
	h, err := sandboxd.Open(a.ctx, sandboxd.Config{Dir: c.Data, Limits: allowed})
	if err != nil {
		return err
	}
	defer h.Close()
	for _, path := range c.File {
		if err := putFile(a, h, path, filepath.Base(path), true); err != nil {
			return err
		}
	}
	progress := startProgress(a, name)
	answer := h.Run(a.ctx, sandboxd.Run{
		Script: source, Name: name, Args: json.RawMessage(c.Args), Limits: allowed,
		Log: func(line host.LogLine) {
			if !c.JSON {
				progress.print(line)
			}
		},
	})
	progress.stop()
	if answer.OK && c.Out != "" {
		if err := writeOut(a, h, answer.Receipt, c.Out); err != nil {
			return err
		}
	}
	return c.print(a, answer)
}

// source reads the script and says what to call it.
func (c *runCmd) source(a *app) (text, name string, err error) {
	if c.Script == "-" {
		raw, err := io.ReadAll(a.in)
		return string(raw), "script.js", err
	}
	raw, err := os.ReadFile(c.Script)
	if os.IsNotExist(err) {
		return "", "", problem.New(problem.NotFound, "there is no script at %s", c.Script).WithHint("Name a file, or - for standard input.")
	}
	return string(raw), filepath.Base(c.Script), err
}

func (c *runCmd) print(a *app, answer sandboxd.Answer) error {
	switch {
	case c.JSON:
		if err := a.printJSON(answer); err != nil {
			return err
		}
	case answer.OK:
		if err := a.printJSON(answer.Result); err != nil {
			return err
		}
		for _, f := range answer.Receipt.Files {
			fmt.Fprintf(a.err, "%s %s (version %d, %d bytes)\n", f.Action, f.Name, f.Version, f.Size)
		}
	default:
		printError(a, answer.Error)
	}
	if !answer.OK {
		return errFailed
	}
	return nil
}

// printError shows a script's error the way a compiler does.
func printError(a *app, e *problem.Error) {
	place := ""
	if e.Line > 0 {
		place = fmt.Sprintf(" at line %d, column %d", e.Line, e.Column)
	}
	fmt.Fprintf(a.err, "%s%s: %s\n", e.Code, place, e.Message)
	if e.Hint != "" {
		fmt.Fprintf(a.err, "  %s\n", e.Hint)
	}
	fmt.Fprintln(a.err, "  Nothing was changed.")
}

// writeOut copies the files that a run left changed into a folder. os.Root keeps names
// that scripts chose from reaching anything outside of it.
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
		if err := getFile(a, h, change.ID, 0, func(name string) (io.WriteCloser, error) {
			if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o777); err != nil {
				return nil, err
			}
			return root.Create(filepath.FromSlash(name))
		}); err != nil {
			return err
		}
	}
	return nil
}
