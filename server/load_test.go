package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/server"
)

// loadDir makes the test binary a server on this data folder, so that its memory can be
// told from that of the clients.
const loadDir = "SANDBOXD_LOAD_DIR"

func serveLoad(dir string) error {
	quiet := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	ctx := context.Background()
	h, err := sandboxd.Open(ctx, sandboxd.Config{Dir: dir, Log: quiet, Limits: limits.Limits{WorkspaceSize: 8 * limits.GB}})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
	return server.Serve(ctx, listener, server.Config{Host: h, Token: token, Log: quiet})
}

const (
	loadClients = 1000
	loadUploads = 200
	loadBytes   = 10 << 20
	// loadMemory is what the daemon may take for all of that. It was 251 MB at its highest, and 273 MB
	// on a machine with little time for it; with the files in memory it would be 2 GB.
	loadMemory = 640 << 20
)

// A thousand clients follow the events, some of whom go and come back, while two hundred
// files of 10 MB are uploaded at once. Nothing is lost, in no order but that of the
// commits, and the daemon's memory is bounded.
func TestLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("uploads 2 GB")
	}
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	daemon := exec.CommandContext(ctx, self)
	daemon.Env = append(os.Environ(), loadDir+"="+dir)
	daemon.Stderr = os.Stderr
	out, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = daemon.Process.Kill(); _ = daemon.Wait() }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(line)

	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: loadUploads}}
	defer client.CloseIdleConnections()
	var followers, following sync.WaitGroup
	following.Add(loadClients)
	seen := make([][]int64, loadClients)
	var comebacks atomic.Int64
	for i := range loadClients {
		followers.Go(func() {
			f := follower{ctx: ctx, url: url, client: client, restless: i%5 == 0, comebacks: &comebacks}
			if err := f.follow(3*loadUploads, following.Done); err != nil && ctx.Err() == nil {
				t.Errorf("follower %d after %d events: %v", i, len(f.seen), err)
			}
			seen[i] = f.seen
		})
	}
	following.Wait()
	start := time.Now()
	var uploads sync.WaitGroup
	for i := range loadUploads {
		uploads.Go(func() {
			body := io.LimitReader(rand.NewChaCha8([32]byte{byte(i), 1}), loadBytes)
			req, err := http.NewRequestWithContext(ctx, "PUT", fmt.Sprintf("%s/api/files/%03d.bin", url, i), body)
			if err != nil {
				t.Error(err)
				return
			}
			req.ContentLength = loadBytes
			req.Header.Set("Authorization", "Bearer "+token)
			res, err := client.Do(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			if text, err := io.ReadAll(res.Body); res.StatusCode != 201 || err != nil {
				t.Errorf("upload %d: %d %s, %v", i, res.StatusCode, text, err)
			}
		})
	}
	uploads.Wait()
	took := time.Since(start)
	followers.Wait()
	all := time.Since(start)
	for i, events := range seen {
		if len(events) != 3*loadUploads {
			t.Fatalf("follower %d has %d events", i, len(events))
		}
		for j, id := range events {
			if id != seen[0][j] || j > 0 && id <= events[j-1] {
				t.Errorf("follower %d has event %d at %d, the first one %d", i, id, j, seen[0][j])
				break
			}
		}
	}
	peak := highWater(t, daemon.Process.Pid)
	t.Logf("%d uploads of %d MB in %s (%.0f MB/s), %d followers had all after %s and came back %d times; the daemon took %d MB at its highest",
		loadUploads, loadBytes>>20, took.Round(time.Millisecond), float64(loadUploads*loadBytes>>20)/took.Seconds(), loadClients,
		all.Round(time.Millisecond), comebacks.Load(), peak>>20)
	if peak > loadMemory && !raceBuild {
		t.Errorf("the daemon took %d MB", peak>>20)
	}
}

// follower is one client that follows the events.
type follower struct {
	ctx       context.Context
	url       string
	client    *http.Client
	restless  bool
	comebacks *atomic.Int64

	seen []int64
}

func (f *follower) follow(n int, connected func()) error {
	var once sync.Once
	for len(f.seen) < n {
		most := n
		if f.restless {
			most = len(f.seen) + 1 + rand.IntN(80)
			if len(f.seen) > 0 {
				f.comebacks.Add(1)
			}
		}
		if err := f.read(min(most, n), func() { once.Do(connected) }); err != nil {
			once.Do(connected)
			return err
		}
	}
	return nil
}

// read follows until there are most events, and then hangs up.
func (f *follower) read(most int, connected func()) error {
	ctx, hangUp := context.WithCancel(f.ctx)
	defer hangUp()
	req, err := http.NewRequestWithContext(ctx, "GET", f.url+"/api/events", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	last := int64(0) // from the beginning: there is nothing before
	if len(f.seen) > 0 {
		last = f.seen[len(f.seen)-1]
	}
	req.Header.Set("Last-Event-ID", strconv.FormatInt(last, 10))
	res, err := f.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != 200 {
		return fmt.Errorf("status %d", res.StatusCode)
	}
	connected()
	lines := bufio.NewReaderSize(res.Body, 1024)
	for len(f.seen) < most {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(id), 10, 64)
			if err != nil {
				return err
			}
			f.seen = append(f.seen, n)
		}
	}
	return nil
}

// highWater is the most memory that a process had.
func highWater(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skipf("the memory of another process cannot be seen here: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kb << 10
		}
	}
	t.Fatal("no VmHWM")
	return 0
}
