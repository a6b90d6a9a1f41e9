package workspace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/workspace"
)

// Each benchmark is one run from Begin to the answer of Commit, with what it says.

func benchRuns(b *testing.B, parallel int, work func(r *workspace.Run, n int64) error) {
	ctx := context.Background()
	s := open(b, workspace.Config{})
	var serial atomic.Int64
	run := func() time.Duration {
		began := time.Now()
		r, err := s.Begin(ctx, workspace.Start{Workspace: "w"})
		if err == nil {
			err = work(r, serial.Add(1))
		}
		if err == nil {
			_, err = r.Commit(ctx, workspace.Finish{})
		}
		if err != nil {
			b.Error(err)
		}
		return time.Since(began)
	}
	run()
	b.ResetTimer()
	if parallel > 1 {
		b.SetParallelism(parallel)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				run()
			}
		})
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
		return
	}
	var took []time.Duration
	for b.Loop() {
		took = append(took, run())
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/1e6, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100])/1e6, "p99-ms")
}

func setOne(r *workspace.Run, n int64) error {
	return r.StateSet(context.Background(), fmt.Sprintf("k%d", n%100), json.RawMessage(fmt.Sprint(n)))
}

func putOne(size int) func(r *workspace.Run, n int64) error {
	body := strings.Repeat("x", size)
	return func(r *workspace.Run, n int64) error {
		return write(context.Background(), r, fmt.Sprintf("f%d", n%100), fmt.Sprint(n)+body)
	}
}

func BenchmarkNothing(b *testing.B) {
	benchRuns(b, 1, func(*workspace.Run, int64) error { return nil })
}
func BenchmarkState(b *testing.B)     { benchRuns(b, 1, setOne) }
func BenchmarkSmallFile(b *testing.B) { benchRuns(b, 1, putOne(1000)) }
func BenchmarkLargeFile(b *testing.B) { benchRuns(b, 1, putOne(100_000)) }
func BenchmarkSQLFileState(b *testing.B) {
	benchRuns(b, 1, func(r *workspace.Run, n int64) error {
		sql := "INSERT INTO t VALUES (1)"
		if n == 1 {
			sql = "CREATE TABLE t (n)"
		}
		if _, err := r.SQL(context.Background(), host.Query{SQL: sql}); err != nil {
			return err
		}
		if err := putOne(100_000)(r, n); err != nil {
			return err
		}
		return setOne(r, n)
	})
}

func BenchmarkNothingAtOnce(b *testing.B) {
	benchRuns(b, 8, func(*workspace.Run, int64) error { return nil })
}
func BenchmarkStateAtOnce(b *testing.B)     { benchRuns(b, 8, setOne) }
func BenchmarkLargeFileAtOnce(b *testing.B) { benchRuns(b, 8, putOne(100_000)) }

// BenchmarkStat is the cheapest host call: the first look at a file, and one that the run
// has seen before.
func BenchmarkStat(b *testing.B) {
	ctx := context.Background()
	s := open(b, workspace.Config{})
	r, err := s.Begin(ctx, workspace.Start{Workspace: "w"})
	if err != nil {
		b.Fatal(err)
	}
	if err := write(ctx, r, "a", "1"); err != nil {
		b.Fatal(err)
	}
	if _, err := r.Commit(ctx, workspace.Finish{}); err != nil {
		b.Fatal(err)
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Stat(ctx, "w", "a"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		r, err := s.Begin(ctx, workspace.Start{Workspace: "w"})
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := r.Stat(ctx, "a"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkOpen is what each start of the command pays: an existing folder, opened and closed.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		s, err := workspace.Open(context.Background(), workspace.Config{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
