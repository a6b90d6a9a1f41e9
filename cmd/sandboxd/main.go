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
	"strconv"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/audit"
)

const description = `Runs JavaScript and TypeScript that agents write, on real files, in sandboxed workers.
A run that fails changes nothing; every change that a run makes is kept as a version.

  sandboxd run clean.js --file export.csv --out cleaned/
  sandboxd serve --demo

Exit codes: 0 it worked; 1 the script, the tool or the request failed; 2 the command line is wrong; 3 sandboxd could not do its work, such as open the data folder or listen on the port.`

type cli struct {
	Config string `help:"A YAML file of settings; see sandboxd config --help." env:"SANDBOXD_CONFIG" type:"path" placeholder:"FILE"`

	Run      runCmd     `cmd:"" help:"Run a script on files and print its result."`
	Tool     toolCmd    `cmd:"" help:"Call one operation, as an agent's tool call does."`
	Files    filesCmd   `cmd:"" help:"Look at and change the files of a data folder."`
	Runs     runsCmd    `cmd:"" help:"Look at runs, and undo them."`
	Serve    serveCmd   `cmd:"" help:"Serve the HTTP API."`
	MCP      mcpCmd     `cmd:"" name:"mcp" help:"Serve the Model Context Protocol over standard input and output."`
	Tokens   tokensCmd  `cmd:"" help:"Make, list and revoke tokens of the HTTP API."`
	Audit    auditCmd   `cmd:"" help:"Look at who did what."`
	GC       gcCmd      `cmd:"" name:"gc" help:"Remove old versions and records, and contents that nothing needs any more."`
	Backup   backupCmd  `cmd:"" help:"Back up a data folder, also one that a server works on."`
	Restore  restoreCmd `cmd:"" help:"Make a data folder of a backup."`
	Settings configCmd  `cmd:"" name:"config" help:"Print the settings of a server, and where each comes from."`
	Types    typesCmd   `cmd:"" help:"Print the TypeScript declarations of everything that a script can call."`
	Doctor   doctorCmd  `cmd:"" help:"Check what protects this machine from scripts, and what is missing."`
	Version  versionCmd `cmd:"" help:"Print the version."`

	app *app
}

// BeforeResolve is called by kong, when it knows the command line and before it looks for
// what is not there: that may be in the file.
func (c *cli) BeforeResolve(k *kong.Context) (err error) {
	path := c.Config
	for _, step := range k.Path {
		if step.Flag != nil && step.Flag.Name == "config" {
			path, _ = k.FlagValue(step.Flag).(string)
		}
	}
	if path == "" {
		if path = findConfig(); path == "" {
			return nil
		}
	}
	if c.app.config, err = readConfig(path); err == nil {
		k.AddResolver(c.app.config)
	}
	return err
}

// app is what every command gets: where to write, and until when to work.
type app struct {
	ctx      context.Context
	in       io.Reader
	out, err io.Writer
	terminal bool // err is a terminal that a person looks at

	config *configFile // that was read; nil if there is none
}

func main() {
	sandboxd.Worker() // a worker process ends here

	ctx, stop := signal.NotifyContext(audit.With(context.Background(), audit.Origin{Via: audit.CLI, User: user()}), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	stat, _ := os.Stderr.Stat()
	os.Exit(command(&app{ctx: ctx, in: os.Stdin, out: os.Stdout, err: os.Stderr,
		terminal: stat != nil && stat.Mode()&os.ModeCharDevice != 0}, os.Args[1:]))
}

// user is who works at the command line, for the audit.
func user() string {
	if name := os.Getenv("USER"); name != "" {
		return name
	}
	return "uid " + strconv.Itoa(os.Getuid())
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
	c.app = a
	parsed, err := parser.Parse(args)
	if err != nil {
		return a.reportUsage(a.config.explain(err))
	}
	return a.report(parsed.Run(a))
}
