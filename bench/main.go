// Command bench measures sandboxd side by side with the Node libraries that people use
// for the same work. Both sides take turns within one run, so that a noisy machine is
// noisy for both; what counts is the ratio of the medians.
//
//	make bench
//
// Start reading at cases.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/engine/enginetest"
)

func main() {
	sandboxd.Worker()
	if dir := os.Getenv(webDir); dir != "" {
		fmt.Fprintln(os.Stderr, serveWeb(dir))
		os.Exit(1)
	}
	enginetest.Use()
	out := flag.String("o", "", "also write the table to this Markdown file")
	rounds := flag.Int("rounds", 15, "how often each side takes its turn")
	only := flag.String("run", "", "only cases whose name contains this")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx, *out, *rounds, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, out string, rounds int, only string) error {
	lab, err := openLab(ctx)
	if err != nil {
		return err
	}
	defer lab.close()
	var table strings.Builder
	emit := func(format string, args ...any) {
		fmt.Printf(format, args...)
		fmt.Fprintf(&table, format, args...)
	}
	emit("| case | sandboxd | peer | ratio | goal | |\n|---|---:|---:|---:|---|---|\n")
	for _, c := range cases {
		if !strings.Contains(c.name, only) {
			continue
		}
		m, err := c.measure(ctx, lab, rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		emit("%s\n", c.row(m))
	}
	if out == "" {
		return nil
	}
	return os.WriteFile(out, []byte(header()+table.String()), 0o644)
}

func header() string {
	return "# Benchmarks\n\nWritten by `make bench`. Each line is the median of interleaved rounds on a shared two-core\n" +
		"machine: trust the ratios, not the milliseconds. `peer` is Node with the library named.\n\n"
}

// measured is the medians of one case, in milliseconds for one repetition.
type measured struct{ ours, peer float64 }

// median is 0 where there is nothing to measure.
func median(samples []time.Duration) float64 {
	if len(samples) == 0 {
		return 0
	}
	slices.Sort(samples)
	return float64(samples[len(samples)/2].Nanoseconds()) / 1e6
}
