package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/sandboxd/sandboxd"
)

// lab is what the cases work with: a host, the peer process, and generated files.
type lab struct {
	host *sandboxd.Host
	peer *peer
	dir  string

	sites  *web // once they are needed
	copies int  // of workbooks that were uploaded, each with other bytes
}

const (
	bigFile  = "big.log"
	bigLines = 600_000 // about 50 MB
)

func openLab(ctx context.Context) (_ *lab, err error) {
	l := &lab{}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	if l.dir, err = os.MkdirTemp("", "sandboxd-bench-"); err != nil {
		return nil, err
	}
	if err := l.writeBig(); err != nil {
		return nil, err
	}
	if l.host, err = sandboxd.Open(ctx, sandboxd.Config{Dir: filepath.Join(l.dir, "data"), Concurrency: 2,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))}); err != nil {
		return nil, err
	}
	f, err := os.Open(l.path(bigFile))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err = l.host.Files("").Put(ctx, sandboxd.Upload{Name: bigFile, Body: f}); err != nil {
		return nil, err
	}
	l.peer, err = startPeer(ctx)
	return l, err
}

func (l *lab) writeBig() error {
	f, err := os.Create(l.path(bigFile))
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	for i := range bigLines {
		fmt.Fprintf(w, "2026-05-04T09:30:%02dZ host-%03d request %07d served in %03d ms, status %d\n", i%60, i%512, i, i%997, 200+i%7)
	}
	return errors.Join(w.Flush(), f.Close())
}

func (l *lab) path(name string) string {
	if name == "" {
		return ""
	}
	return filepath.Join(l.dir, name)
}

func (l *lab) close() {
	if l.peer != nil {
		l.peer.stop()
	}
	if l.sites != nil {
		l.sites.stop()
	}
	if l.host != nil {
		l.host.Close()
	}
	os.RemoveAll(l.dir)
}

// peer is the Node process.
type peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startPeer(ctx context.Context) (*peer, error) {
	cmd := exec.CommandContext(ctx, "node", "--max-old-space-size=8192", "bench/peers/peer.mjs")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("node is needed to compare with: %w", err)
	}
	return &peer{cmd, in, bufio.NewScanner(out)}, nil
}

// do has the peer do a case n times and gives the times that it measured.
func (p *peer) do(name, arg string, n int) ([]time.Duration, error) {
	request, err := json.Marshal(map[string]any{"case": name, "arg": arg, "n": n})
	if err != nil {
		return nil, err
	}
	if _, err := p.in.Write(append(request, '\n')); err != nil {
		return nil, err
	}
	if !p.out.Scan() {
		return nil, fmt.Errorf("the peer ended: %w", p.out.Err())
	}
	var answer struct {
		Ms    []float64 `json:"ms"`
		Error string    `json:"error"`
	}
	if err := json.Unmarshal(p.out.Bytes(), &answer); err != nil {
		return nil, err
	}
	if answer.Error != "" {
		return nil, errors.New(answer.Error)
	}
	return durations(answer.Ms), nil
}

func (p *peer) stop() {
	p.in.Close()
	p.cmd.Wait()
}

// durations makes times of milliseconds.
func durations(ms []float64) []time.Duration {
	list := make([]time.Duration, len(ms))
	for i, m := range ms {
		list[i] = time.Duration(m * 1e6)
	}
	return list
}
