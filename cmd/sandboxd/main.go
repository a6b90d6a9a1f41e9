// Command sandboxd hosts JavaScript that agents write: it runs scripts on real files in
// sandboxed workers, from the command line or as a server.
//
// Each command is a file of its own; main reads the flags and turns an error into an
// exit code. Start reading at cli.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/problem"
)

// Exit codes, also shown by --help.
const (
	exitOK     = 0
	exitFailed = 1 // the script, the tool or the request failed
	exitUsage  = 2 // the command line is wrong
	exitHost   = 3 // sandboxd itself could not do its work
)

const description = `Runs JavaScript and TypeScript that agents write, on real files, in sandboxed workers.
A run that fails changes nothing; every change that a run makes is kept as a version.

Exit codes: 0 it worked; 1 the script, the tool or the request failed; 2 the command line is wrong; 3 sandboxd could not do its work.`

type cli struct {
	Run    runCmd    `cmd:"" help:"Run a script on files and print its result."`
	Tool   toolCmd   `cmd:"" help:"Call one operation, as an agent's tool call does."`
	Files  filesCmd  `cmd:"" help:"Look at and change the files of a data folder."`
	Runs   runsCmd   `cmd:"" help:"Look at runs, and undo them."`
	Serve  serveCmd  `cmd:"" help:"Serve the HTTP API."`
	Types  typesCmd  `cmd:"" help:"Print the TypeScript declarations of everything that a script can call."`
	Doctor doctorCmd `cmd:"" help:"Check what protects this machine from scripts, and what is missing."`
}

// app is what every command gets: where to write, and until when to work.
type app struct {
	ctx      context.Context
	in       io.Reader
	out, err io.Writer
	terminal bool // err is a terminal that a person looks at
}

// failed ends the program with exitFailed after the command has said everything itself.
var errFailed = errors.New("failed")

func main() {
	sandboxd.Worker() // a worker process ends here

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	stat, _ := os.Stderr.Stat()
	os.Exit(command(&app{ctx: ctx, in: os.Stdin, out: os.Stdout, err: os.Stderr,
		terminal: stat != nil && stat.Mode()&os.ModeCharDevice != 0}, os.Args[1:]))
}

// command runs one command line and gives the exit code.
func command(a *app, args []string) (code int) {
	var c cli
	parser, err := kong.New(&c, kong.Name("sandboxd"), kong.Description(description), kong.UsageOnError(),
		kong.Writers(a.out, a.err), kong.Exit(func(code int) { panic(exit(code)) }))
	if err != nil {
		panic(err) // a mistake in the tags above
	}
	defer func() {
		if e, ok := recover().(exit); ok {
			code = int(e) // --help
		}
	}()
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(a.err, "sandboxd: %v\nTry: sandboxd --help\n", err)
		return exitUsage
	}
	return a.report(parsed.Run(a))
}

type exit int

// report says what went wrong, with what, and what to do about it.
func (a *app) report(err error) int {
	if err == nil {
		return exitOK
	}
	if errors.Is(err, errFailed) {
		return exitFailed
	}
	var p *problem.Error
	if !errors.As(err, &p) {
		fmt.Fprintf(a.err, "sandboxd: %v\n", err)
		return exitHost
	}
	fmt.Fprintf(a.err, "sandboxd: %s: %s\n", p.Code, p.Message)
	if p.Hint != "" {
		fmt.Fprintf(a.err, "  %s\n", p.Hint)
	}
	if p.Code == problem.Internal || p.Code == problem.Busy {
		if p.Cause != nil {
			fmt.Fprintf(a.err, "  cause: %v\n", p.Cause) // the operator is who reads this
		}
		return exitHost
	}
	return exitFailed
}
