package worker

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host"
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

// BenchmarkHostCall is one operation that makes one call to the daemon, awaited in a
// script's loop: the time from one call's arrival in the daemon to the next one's.
func BenchmarkHostCall(b *testing.B) {
	p := start(b, Config{Size: 1})
	h := &arrivals{Host: hosttest.New(b)}
	job := Job{Workspace: "w", Host: h, Script: &runtime.Script{Source: `for (let i = 0; i < 1000; i++) await test.stat("a")`}}
	for b.Loop() {
		h.times = h.times[:0]
		if out := p.Run(b.Context(), job); out.Error != nil {
			b.Fatal(out.Error)
		}
	}
	between := make([]time.Duration, 0, len(h.times))
	for i := range h.times[1:] {
		between = append(between, h.times[i+1].Sub(h.times[i]))
	}
	slices.Sort(between)
	b.ReportMetric(float64(between[len(between)/2].Nanoseconds())/1000, "p50-µs")
	b.ReportMetric(float64(between[len(between)*99/100].Nanoseconds())/1000, "p99-µs")
}

// arrivals answers Stat and notes when.
type arrivals struct {
	host.Host
	times []time.Time
}

func (a *arrivals) Stat(context.Context, string) (host.File, error) {
	a.times = append(a.times, time.Now())
	return host.File{ID: "7b0c6b1e-5f0e-4b0e-9a53-0f6a3f0b8f11", Name: "a", MimeType: "text/plain", Version: 1}, nil
}

// BenchmarkSpawn is a process from nothing to ready and its first run, and its end.
func BenchmarkSpawn(b *testing.B) {
	p := start(b, Config{Size: 1, Spare: -1, MaxRuns: 1})
	job := Job{Workspace: "w", Host: hosttest.New(b), Script: &runtime.Script{Source: "1+1"}}
	for b.Loop() {
		want(b, p.Run(b.Context(), job), "2")
	}
}
