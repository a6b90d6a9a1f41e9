// Command sandboxd hosts JavaScript that agents write: it runs scripts on real files in
// sandboxed workers, from the command line or as a server.
//
// Each command is a file of its own; main reads the flags, and report.go turns an error
// into an exit code. Start reading at cli.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/sandboxd/sandboxd"
)

const description = `Runs JavaScript and TypeScript that agents write, on real files, in sandboxed workers.
A run that fails changes nothing; every change that a run makes is kept as a version.

  sandboxd run clean.js --file export.csv --out cleaned/
  sandboxd serve --demo

Exit codes: 0 it worked; 1 the script, the tool or the request failed; 2 the command line is wrong; 3 sandboxd could not do its work, such as open the data folder or listen on the port.`

type cli struct {
	Run     runCmd     `cmd:"" help:"Run a script on files and print its result."`
	Tool    toolCmd    `cmd:"" help:"Call one operation, as an agent's tool call does."`
	Files   filesCmd   `cmd:"" help:"Look at and change the files of a data folder."`
	Runs    runsCmd    `cmd:"" help:"Look at runs, and undo them."`
	Serve   serveCmd   `cmd:"" help:"Serve the HTTP API."`
	Types   typesCmd   `cmd:"" help:"Print the TypeScript declarations of everything that a script can call."`
	Doctor  doctorCmd  `cmd:"" help:"Check what protects this machine from scripts, and what is missing."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// app is what every command gets: where to write, and until when to work.
type app struct {
	ctx      context.Context
	in       io.Reader
	out, err io.Writer
	terminal bool // err is a terminal that a person looks at
}

func main() {
	sandboxd.Worker() // a worker process ends here

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	stat, _ := os.Stderr.Stat()
	os.Exit(command(&app{ctx: ctx, in: os.Stdin, out: os.Stdout, err: os.Stderr,
		terminal: stat != nil && stat.Mode()&os.ModeCharDevice != 0}, os.Args[1:]))
}

// exit is thrown by kong when --help has said all.
type exit int

// command runs one command line and gives the exit code.
func command(a *app, args []string) (code int) {
	var c cli
	parser, err := kong.New(&c, kong.Name("sandboxd"), kong.Description(description),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Writers(a.out, a.err), kong.Exit(func(code int) { panic(exit(code)) }))
	if err != nil {
		panic(err) // a mistake in the tags above
	}
	defer func() {
		switch thrown := recover().(type) {
		case nil:
		case exit:
			code = int(thrown)
		default:
			panic(thrown)
		}
	}()
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return a.reportUsage(err)
	}
	return a.report(parsed.Run(a))
}
