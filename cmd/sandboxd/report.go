package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"

	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// Exit codes, also shown by --help.
const (
	exitOK     = 0
	exitFailed = 1 // the script, the tool or the request failed
	exitUsage  = 2 // the command line is wrong
	exitHost   = 3 // sandboxd itself could not do its work
)

// errFailed ends the program with exitFailed after the command has said everything itself.
var errFailed = errors.New("failed")

// report says what went wrong, with what, and what to do about it.
func (a *app) report(err error) int {
	if err == nil {
		return exitOK
	}
	if errors.Is(err, errFailed) {
		return exitFailed
	}
	var p *problem.Error
	switch {
	case errors.Is(err, workspace.ErrLocked):
		a.say(problem.Conflict, err.Error(), "Stop it first, talk to it over HTTP, or use another folder with --data DIR.")
		return exitHost
	case !errors.As(err, &p):
		a.say(problem.Internal, err.Error(), "")
		return exitHost
	}
	hint := p.Hint
	if entry, ok := problem.Lookup(p.Code); ok && p.Code == problem.InvalidArgument && hint == entry.Hint {
		hint = "" // it is for scripts
	}
	a.say(p.Code, p.Message, hint)
	if p.Code == problem.Internal || p.Code == problem.Busy {
		if p.Cause != nil {
			fmt.Fprintf(a.err, "  cause: %s\n", visible(p.Cause.Error())) // the operator is who reads this
		}
		return exitHost
	}
	return exitFailed
}

// reportUsage says what is wrong with the command line, and whose help to read.
func (a *app) reportUsage(err error) int {
	command := "sandboxd"
	var parse *kong.ParseError
	if errors.As(err, &parse) {
		for _, step := range parse.Context.Path {
			if step.Command != nil {
				command += " " + step.Command.Name
			}
		}
	}
	a.say(problem.InvalidArgument, err.Error(), "Try: "+command+" --help")
	return exitUsage
}

func (a *app) say(code problem.Code, message, hint string) {
	fmt.Fprintf(a.err, "sandboxd: %s: %s\n", code, visible(message))
	if hint != "" {
		fmt.Fprintf(a.err, "  %s\n", visible(hint))
	}
}

// visible replaces what a terminal would obey instead of showing: what scripts write must
// not move the cursor, set the title or reach the clipboard.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// cell is text within a line: nobody's name for a script or a token begins a line of its own,
// which would pass for another record.
func cell(text string) string {
	return strings.Join(strings.FieldsFunc(visible(text), func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}

// printJSON writes one indented JSON value and a line end.
func (a *app) printJSON(value any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}
