package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
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
	File    []string      `help:"A file to put into the workspace first, under its base name; may be repeated. A name that is taken gets a new version." placeholder:"PATH" sep:"none"`
	Args    string        `help:"JSON that the script finds in args, such as '{\"month\": 3}'. Defaults to {}." default:"{}" placeholder:"JSON"`
	Out     string        `help:"A folder to write to what the run created or changed; it is made if it is not there." type:"path" placeholder:"DIR"`
	Timeout time.Duration `help:"How long the run may take, such as 90s or 5m." default:"30s"`
	Memory  int64         `help:"How much memory the script may use, in MB." default:"512"`
	JSON    bool          `help:"Print the whole answer as one JSON object, errors included: {ok, result, logs, error, receipt}."`
	Data    string        `help:"Work in this data folder and keep it. Without it the workspace is thrown away at the end." type:"path" placeholder:"DIR"`
}

// Help is shown below the summary.
func (runCmd) Help() string {
	return `The script is the body of an async function: await and return work at its top, and without a
return the last expression's value is the result. The result goes to standard output as JSON;
console output, errors and the list of changed files go to standard error. A script that fails
exits with 1 and changes nothing.

Examples:

  sandboxd run clean.js --file export.csv --out cleaned/
  sandboxd run report.ts --file a.csv --file b.csv --args '{"month": 3}'
  echo 'return (await files.list()).length' | sandboxd run - --file a.csv --json`
}

// Validate is called by kong.
func (c *runCmd) Validate() error {
	switch {
	case !json.Valid([]byte(c.Args)):
		return fmt.Errorf("--args: expected JSON such as '{\"month\": 3}', got %s", c.Args)
	case c.Timeout <= 0:
		return fmt.Errorf("--timeout: expected more than 0, got %s", c.Timeout)
	case c.Memory <= 0:
		return fmt.Errorf("--memory: expected more than 0, got %d", c.Memory)
	}
	if err := checkInFiles("<script>", c.Script); err != nil {
		return err
	}
	return checkInFiles("--file", c.File...)
}

func (c *runCmd) Run(a *app) (err error) {
	source, name, err := c.source(a)
	if err != nil {
		return err
	}
	allowed := limits.Limits{WallTime: c.Timeout, Memory: c.Memory * limits.MB}.Or(limits.Default())
	if c.Timeout > limits.Default().WallTime {
		allowed.CPUTime = allowed.WallTime // whoever asks for more time wants to use it
	}
	h, err := sandboxd.Open(a.ctx, sandboxd.Config{Dir: c.Data, Limits: allowed, Concurrency: 1, Log: a.log(slog.LevelError)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	answer := c.answer(a, h, sandboxd.Run{Script: source, Name: name, Args: json.RawMessage(c.Args)})
	if err := c.print(a, answer); err != nil {
		return err
	}
	if c.Out == "" {
		return nil
	}
	return writeOut(a, h, answer.Receipt, c.Out)
}

// answer puts the files and runs the script.
func (c *runCmd) answer(a *app, h *sandboxd.Host, run sandboxd.Run) sandboxd.Answer {
	if _, err := putFiles(a, h.Files(""), c.File, "", true); err != nil {
		return sandboxd.Failed(err)
	}
	progress := startProgress(a, run.Name)
	defer progress.stop()
	run.Log = func(line host.LogLine) {
		if !c.JSON {
			progress.print(line)
		}
	}
	return h.Run(a.ctx, run)
}

// source reads the script and says what to call it.
func (c *runCmd) source(a *app) (text, name string, err error) {
	if c.Script == "-" {
		raw, err := io.ReadAll(io.LimitReader(a.in, limits.Default().ScriptBytes+1)) // what is longer is refused
		return string(raw), "script", err
	}
	raw, err := os.ReadFile(c.Script)
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
			fmt.Fprintln(a.err, changeLine(f))
		}
	default:
		printError(a, answer)
	}
	if !answer.OK {
		return errFailed
	}
	return nil
}

// changeLine says what became of a file.
func changeLine(f limits.FileChange) string {
	if f.Action == "deleted" {
		return "deleted " + f.Name
	}
	return fmt.Sprintf("%s %s (version %d, %d bytes)", f.Action, f.Name, f.Version, f.Size)
}

// printError shows a script's error the way a compiler does.
func printError(a *app, answer sandboxd.Answer) {
	e := answer.Error
	place := ""
	if e.Line > 0 {
		place = fmt.Sprintf(" at line %d, column %d", e.Line, e.Column)
	}
	fmt.Fprintf(a.err, "%s%s: %s\n", e.Code, place, visible(e.Message))
	if e.Hint != "" {
		fmt.Fprintf(a.err, "  %s\n", visible(e.Hint))
	}
	fmt.Fprintln(a.err, "  Nothing was changed.")
	if e.Code == problem.Internal && e.Cause != nil {
		fmt.Fprintf(a.err, "  cause: %s\n", visible(e.Cause.Error()))
	}
}
