package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/worker"
)

type doctorCmd struct {
	JSON bool `help:"Print JSON."`
}

// Help is shown below the flags.
func (doctorCmd) Help() string {
	return `Starts a worker and lets it try what a hostile script would try. Each layer of protection is
reported as on, off, or not available here, and each engine outside the binary (PDFium, libvips,
fonts) as loaded or missing. Exits with 1 when a layer that this machine could
have is off.`
}

func (c *doctorCmd) Run(a *app) error {
	report, err := sandboxd.Doctor(a.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		if err := a.printJSON(report); err != nil {
			return err
		}
	} else {
		w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		for _, layer := range report.Layers {
			fmt.Fprintf(w, "%s\t%s\t%s\n", layer.Name, layer.State, layer.Why)
		}
		for _, e := range report.Engines {
			switch {
			case e.Missing:
				fmt.Fprintf(w, "%s\tmissing\t%s\n", e.Name, e.Get)
			case e.Error != "":
				fmt.Fprintf(w, "%s\tdid not load\t%s\n", e.Name, e.Error)
			default:
				fmt.Fprintf(w, "%s\tloaded\t%s\n", e.Name, e.Version)
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	for _, layer := range report.Layers {
		if layer.State == worker.Off {
			return errFailed
		}
	}
	return nil
}
