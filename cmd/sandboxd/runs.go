package main

import (
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/workspace"
)

type runsCmd struct {
	Ls   runsLsCmd   `cmd:"" help:"List runs, latest first."`
	Show runsShowCmd `cmd:"" help:"Show a run and its receipt."`
	Undo runsUndoCmd `cmd:"" help:"Undo everything that a run did."`
}

type runsLsCmd struct {
	Limit int  `short:"n" help:"How many, at most 1000." default:"20"`
	JSON  bool `help:"Print JSON: {runs: [...]}."`
	folderFlag
}

func (c *runsLsCmd) Run(a *app) error {
	var list struct {
		Runs []workspace.Record `json:"runs"`
	}
	err := c.with(a, func(h *sandboxd.Host) (err error) {
		list.Runs, err = h.Runs("").List(a.ctx, workspace.RunQuery{Limit: c.Limit})
		return err
	}, func(server *running) error {
		return server.call("GET", "/api/runs?limit="+strconv.Itoa(c.Limit), nil, &list)
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(list)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, r := range list.Runs {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.ID, r.StartedOn, r.Kind, outcome(r), cell(r.Name))
	}
	return w.Flush()
}

// outcome is how a run ended, in one word.
func outcome(r workspace.Record) string {
	switch {
	case r.Error != nil:
		return string(r.Error.Code)
	case r.UndoneBy != "":
		return "undone"
	}
	return r.Status
}

type runsShowCmd struct {
	ID   string `arg:"" name:"run" help:"The run's id, from runs ls."`
	JSON bool   `help:"Print the record as JSON."`
	folderFlag
}

func (c *runsShowCmd) Run(a *app) error {
	var run workspace.Record
	err := c.with(a, func(h *sandboxd.Host) (err error) {
		run, err = h.Runs("").Get(a.ctx, c.ID)
		return err
	}, func(server *running) error { return server.call("GET", runPath(c.ID), nil, &run) })
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(run)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "run\t%s\n%s\t%s\nstarted\t%s\noutcome\t%s\n", run.ID, run.Kind, cell(run.Name), run.StartedOn, outcome(run))
	if run.Error != nil {
		fmt.Fprintf(w, "error\t%s\n", cell(run.Error.Message))
	}
	if run.Undoes != "" {
		fmt.Fprintf(w, "undoes\t%s\n", run.Undoes)
	}
	if run.UndoneBy != "" {
		fmt.Fprintf(w, "undone by\t%s\n", run.UndoneBy)
	}
	if run.Receipt != nil {
		printReceipt(w, *run.Receipt)
	}
	return w.Flush()
}

// runPath is where a server has a run.
func runPath(id string) string { return "/api/runs/" + url.PathEscape(id) }

// printReceipt shows what a run did, line by line.
func printReceipt(w io.Writer, r limits.Receipt) {
	fmt.Fprintf(w, "took\t%.0f ms, %.0f ms of CPU, %d MB of memory\n", r.WallTime, r.CPUTime, r.PeakMemory/limits.MB)
	for _, name := range slices.Sorted(maps.Keys(r.Calls)) {
		fmt.Fprintf(w, "calls\t%d × %s\n", r.Calls[name], name)
	}
	for _, f := range r.Files {
		fmt.Fprintf(w, "file\t%s\n", changeLine(f))
	}
	for _, key := range r.State {
		fmt.Fprintf(w, "state\t%s\n", cell(key))
	}
	if r.DBChanges > 0 {
		fmt.Fprintf(w, "database\t%d rows changed\n", r.DBChanges)
	}
	for _, c := range r.Conflicts {
		fmt.Fprintf(w, "conflict\t%s: version %d of run %s lies below this one's\n", c.Name, c.LosingVersion, c.LosingRun)
	}
}

type runsUndoCmd struct {
	ID    string `arg:"" name:"run" help:"The run's id, from runs ls."`
	Force bool   `help:"Undo it even where a later run changed the same file or state; what that run made of a file stays as a version."`
	JSON  bool   `help:"Print what was undone as JSON."`
	folderFlag
}

// Help is shown below the summary.
func (runsUndoCmd) Help() string {
	return `The undoing is a run itself: its id is printed, and undoing that brings everything back.
Without --force it is refused, with exit code 1, where a later run changed the same things.`
}

func (c *runsUndoCmd) Run(a *app) error {
	var result workspace.UndoResult
	err := c.with(a, func(h *sandboxd.Host) (err error) {
		result, err = h.Runs("").Undo(a.ctx, c.ID, c.Force)
		return err
	}, func(server *running) error {
		return server.call("POST", runPath(c.ID)+"/undo?force="+strconv.FormatBool(c.Force), nil, &result)
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(result)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "undone by run\t%s\n", result.RunID)
	for _, f := range result.Files {
		fmt.Fprintf(w, "file\t%s\n", changeLine(f))
	}
	for _, key := range result.State {
		fmt.Fprintf(w, "state\t%s\n", cell(key))
	}
	if result.DB != workspace.DBUnchanged {
		fmt.Fprintf(w, "database\t%s\n", strings.TrimSpace(strings.ReplaceAll(result.DB, "_", " ")+" "+result.DBReason))
	}
	return w.Flush()
}
