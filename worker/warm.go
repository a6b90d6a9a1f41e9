package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/problem"
)

// reach is what a child may open besides its own program.
type reach struct {
	dbDir   string // its database's folder, to write
	engines engine.Places
	warm    bool // it fills the engines' cache
}

// warmWithin is how long the engines may take to be made ready: PDFium takes 1.8 s.
const warmWithin = 2 * time.Minute

// warmEngines fills the engines' cache, once on a machine and not at every start: a worker
// can only read it, and compiling PDFium would cost each of them 1.8 s instead of 0.1. The
// compiler runs in a process of its own, as does all that reads what is not ours.
func (p *Pool) warmEngines(ctx context.Context) {
	at := p.config.Engines
	if at.Cache == "" || at.PDFium == "" {
		return
	}
	if err := os.MkdirAll(at.Cache, 0o700); err != nil {
		p.config.Log.Warn("the engines' cache cannot be made", "error", err)
		return
	}
	mark := filepath.Join(at.Cache, "warm-"+warmKey(p.config.Executable, at))
	if _, err := os.Stat(mark); err == nil {
		return
	}
	p.config.Log.Info("preparing PDFium, once on this machine", "cache", at.Cache)
	on := newSpawner(pathRules(p.config.Executable, reach{engines: at, warm: true}))
	defer on.stop()
	ctx, cancel := context.WithTimeout(ctx, warmWithin)
	defer cancel()
	w, err := p.launcher.launch(ctx, on, settings{Role: roleWarm, Limits: p.config.Limits, Engines: at})
	if err != nil {
		p.config.Log.Warn("the engines could not be made ready: PDF operations will be slow to start, or missing", "error", err)
		return
	}
	w.kill(problem.Canceled)
	<-w.exited
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		p.config.Log.Warn("the engines' cache cannot be marked", "error", err)
	}
}

// warmKey changes with all that the cached code depends on: the compiler, which is in the
// executable, what it compiles, and the processor.
func warmKey(executable string, at engine.Places) string {
	h := sha256.New()
	for _, path := range []string{executable, at.PDFium} {
		if info, err := os.Stat(path); err == nil {
			fmt.Fprintln(h, info.Size(), info.ModTime().UnixNano())
		}
	}
	fmt.Fprintln(h, runtime.GOARCH, processor())
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// processor is what the processor can do, as far as the system tells.
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		if strings.HasPrefix(line, "flags") || strings.HasPrefix(line, "Features") {
			return line
		}
	}
	return ""
}
