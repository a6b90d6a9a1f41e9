package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/sandboxd/sandboxd/host"
)

// progress shows console lines as they come and, on a terminal, a line that says how
// long a script has been at work, from the second second on.
type progress struct {
	app   *app
	name  string
	start time.Time
	done  chan struct{}
	ended sync.WaitGroup

	mu    sync.Mutex
	shown bool
}

func startProgress(a *app, name string) *progress {
	p := &progress{app: a, name: name, start: time.Now(), done: make(chan struct{})}
	if a.terminal {
		p.ended.Go(p.tick)
	}
	return p
}

func (p *progress) tick() {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-ticker.C:
			p.mu.Lock()
			fmt.Fprintf(p.app.err, "\r\033[K%s: running for %d s", p.name, int(time.Since(p.start).Seconds()))
			p.shown = true
			p.mu.Unlock()
		}
	}
}

// print writes a console line above the progress line.
func (p *progress) print(line host.LogLine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	if line.Level == "log" || line.Level == "info" {
		fmt.Fprintln(p.app.err, visible(line.Text))
		return
	}
	fmt.Fprintf(p.app.err, "%s: %s\n", line.Level, visible(line.Text))
}

func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.app.err, "\r\033[K")
		p.shown = false
	}
}

func (p *progress) stop() {
	close(p.done)
	p.ended.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}
