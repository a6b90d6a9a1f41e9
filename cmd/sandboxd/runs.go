package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/workspace"
)

type runsCmd struct {
	Ls   runsLsCmd   `cmd:"" help:"List runs, latest first."`
	Show runsShowCmd `cmd:"" help:"Show a run and its receipt."`
	Undo runsUndoCmd `cmd:"" help:"Undo everything that a run did."`
}

type runsLsCmd struct {
	Limit int  `short:"n" help:"How many." default:"20"`
	JSON  bool `help:"Print JSON."`
	dataFlag
}

func (c *runsLsCmd) Run(a *app) error {
	return c.withHost(a, func(h *sandboxd.Host) error {
		runs, err := h.Runs("").List(a.ctx, workspace.RunQuery{Limit: c.Limit})
		if err != nil {
			return err
		}
		if c.JSON {
			return a.printJSON(runs)
		}
		w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		for _, r := range runs {
			outcome := r.Status
			if r.Error != nil {
				outcome = string(r.Error.Code)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.ID, r.StartedOn, r.Kind, outcome, r.Name)
		}
		return w.Flush()
	})
}

type runsShowCmd struct {
	Run_ string `arg:"" name:"run" help:"The run's id."`
	dataFlag
}

func (c *runsShowCmd) Run(a *app) error {
	return c.withHost(a, func(h *sandboxd.Host) error {
		run, err := h.Runs("").Get(a.ctx, c.Run_)
		if err != nil {
			return err
		}
		return a.printJSON(run)
	})
}

type runsUndoCmd struct {
	Run_  string `arg:"" name:"run" help:"The run's id."`
	Force bool   `help:"Undo it even where a later run changed the same file or state; that change stays as a version."`
	dataFlag
}

func (c *runsUndoCmd) Run(a *app) error {
	return c.withHost(a, func(h *sandboxd.Host) error {
		result, err := h.Runs("").Undo(a.ctx, c.Run_, c.Force)
		if err != nil {
			return err
		}
		return a.printJSON(result)
	})
}
