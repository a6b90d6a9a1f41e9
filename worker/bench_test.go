package worker

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host/hosttest"
	"github.com/sandboxd/sandboxd/runtime"
)

// BenchmarkRun is a fresh isolate running 1+1 in a warm worker, one after the other.
func BenchmarkRun(b *testing.B) {
	p := start(b, Config{Size: 2})
	job := Job{Workspace: "w", Host: hosttest.New(b), Script: &runtime.Script{Source: "1+1"}}
	want(b, p.Run(b.Context(), job), "2")
	took := make([]time.Duration, 0, b.N)
	for b.Loop() {
		began := time.Now()
		want(b, p.Run(b.Context(), job), "2")
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkThroughput is small runs from many callers over two workers.
func BenchmarkThroughput(b *testing.B) {
	p := start(b, Config{Size: 2, Queue: 1000})
	h := hosttest.New(b)
	jobs := make(chan struct{})
	var callers sync.WaitGroup
	for range 16 {
		callers.Go(func() {
			for range jobs {
				out := p.Run(context.Background(), Job{Workspace: "w", Host: h, Script: &runtime.Script{Source: "1+1"}})
				if out.Error != nil {
					b.Error(out.Error)
				}
			}
		})
	}
	began := time.Now()
	for b.Loop() {
		jobs <- struct{}{}
	}
	close(jobs)
	callers.Wait()
	b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "runs/s")
}

// BenchmarkHostCall is one operation that makes one call to the daemon, inside a script.
func BenchmarkHostCall(b *testing.B) {
	p := start(b, Config{Size: 1})
	h := hosttest.New(b)
	h.Add(b, "a", []byte("x"))
	for b.Loop() {
		const n = 1000
		out := p.Run(b.Context(), Job{Workspace: "w", Host: h, Script: &runtime.Script{Source: `
			const began = Date.now()
			for (let i = 0; i < 1000; i++) await test.stat("a")
			return (Date.now() - began) * 1000 / 1000`}})
		if out.Error != nil {
			b.Fatal(out.Error)
		}
		b.ReportMetric(float64(out.Wall.Microseconds())/n, "µs/call")
	}
}

// BenchmarkSpawn is a process from nothing to ready and its first run, and its end.
func BenchmarkSpawn(b *testing.B) {
	p := start(b, Config{Size: 1, Spare: -1, MaxRuns: 1})
	job := Job{Workspace: "w", Host: hosttest.New(b), Script: &runtime.Script{Source: "1+1"}}
	for b.Loop() {
		want(b, p.Run(b.Context(), job), "2")
	}
}
