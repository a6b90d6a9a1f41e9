package main

import (
	"fmt"
	"strconv"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/workspace"
)

type gcCmd struct {
	DryRun bool `help:"Only tell what would be removed."`
	JSON   bool `help:"Print JSON: {versions, files, runs, events, audit, scripts, blobs, bytes}."`
	folderFlag
}

// Help is shown below the summary.
func (gcCmd) Help() string {
	return `A server does this once an hour by itself; what is too old is its retention, see sandboxd config. The current version
of a file is never removed, nor what the undo of a run needs that is young enough to be undone.`
}

func (c *gcCmd) Run(a *app) error {
	var done workspace.Collected
	err := c.with(a, func(h *sandboxd.Host) (err error) {
		done, err = h.Collect(a.ctx, c.DryRun)
		return err
	}, func(server *running) error {
		return server.call("POST", "/api/gc?dry_run="+strconv.FormatBool(c.DryRun), nil, &done)
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(done)
	}
	verb := "removed"
	if c.DryRun {
		verb = "would remove"
	}
	_, err = fmt.Fprintf(a.out, "%s %d versions, %d deleted files, %d runs, %d events, %d audit records, %d scripts, %d contents with %d bytes\n",
		verb, done.Versions, done.Files, done.Runs, done.Events, done.Audit, done.Scripts, done.Blobs, done.Bytes)
	return err
}
