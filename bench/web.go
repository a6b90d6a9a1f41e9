package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/server"
)

// Requests over HTTP: one client, which is the same for both sides, and a server in a
// process of its own.
var webCases = []benchmark{
	{
		name: "tool call over HTTP, `file_read_text` of two lines",
		goal: goal{text: "< 1 ms", ms: 1},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			w, err := lab.web(ctx)
			if err != nil {
				return nil, err
			}
			return w.ours.calls(ctx, 100)
		},
	},
	uploading(1, 20, 1<<20, false),
	uploading(1, 3, 20<<20, false),
	uploading(1, 20, 1<<20, true),
	uploading(1, 3, 20<<20, true),
	uploading(8, 32, 1<<20, false),
	uploading(8, 8, 20<<20, false),
	uploading(8, 32, 1<<20, true),
	uploading(8, 8, 20<<20, true),
	keeping(20, 1<<20),
	keeping(3, 20<<20),
	{
		name: "download of 1 MB (express)", goal: goal{text: "≥ 2× faster", ratio: 2},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.downloads(ctx, true, 50, 1<<20)
		},
		theirs: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.downloads(ctx, false, 50, 1<<20)
		},
	},
	{
		name: "download of 50 MB (express)", goal: goal{text: "≥ 2× faster", ratio: 2},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.downloads(ctx, true, 5, 50<<20)
		},
		theirs: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.downloads(ctx, false, 5, 50<<20)
		},
	},
}

// uploading is n uploads of so many bytes, by one client or by several at once. The peer
// either leaves the bytes to the page cache, as multer does, or keeps them as sandboxd does.
func uploading(clients, n, size int, durable bool) benchmark {
	name, path := fmt.Sprintf("upload of a form with %d MB", size>>20), "/api/files/upload"
	if clients > 1 {
		name += fmt.Sprintf(", %d clients at once, its share of the time", clients)
	}
	if durable {
		name, path = name+" (express, multer, made to hash and fsync)", "/durable/upload"
	} else {
		name += " (express, multer, which does neither hash nor fsync)"
	}
	return benchmark{
		name: name, goal: goal{text: "≥ 2× faster", ratio: 2},
		ours: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.uploads(ctx, true, "/api/files/upload", clients, n, size)
		},
		theirs: func(ctx context.Context, lab *lab) ([]time.Duration, error) {
			return lab.uploads(ctx, false, path, clients, n, size)
		},
	}
}

// keeping is what no upload can be faster than that is known by its hash and there after a
// power cut: the bytes hashed and written at once, and an fsync; no request, no name, no record.
func keeping(n, size int) benchmark {
	return benchmark{
		name: fmt.Sprintf("for comparison: SHA-256 of %d MB beside writing it, then fsync, and nothing else", size>>20),
		goal: goal{text: "a bound, not a goal", ms: math.Inf(1)},
		ours: func(_ context.Context, lab *lab) ([]time.Duration, error) {
			var times []time.Duration
			for range n {
				start := time.Now()
				if err := keep(lab.path("kept"), noise()[:size]); err != nil {
					return nil, err
				}
				times = append(times, time.Since(start))
				os.Remove(lab.path("kept"))
			}
			return times, nil
		},
	}
}

func keep(name string, content []byte) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	var hashing errgroup.Group
	hashing.Go(func() error { sha256.Sum256(content); return nil })
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close(), hashing.Wait())
}

// webDir makes the program a server on this data folder.
const webDir = "SANDBOXD_BENCH_WEB"

func serveWeb(dir string) error {
	ctx := context.Background()
	quiet := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	h, err := sandboxd.Open(ctx, sandboxd.Config{Dir: dir, Log: quiet, Limits: limits.Limits{WorkspaceSize: 64 * limits.GB}})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
	return server.Serve(ctx, listener, server.Config{Host: h, Token: "bench", Log: quiet})
}

// web is both servers.
type web struct{ ours, theirs *site }

// site is one of them.
type site struct {
	cmd    *exec.Cmd
	url    string
	files  map[int]string // of each size, the id of one to download
	serial int
}

// web starts the servers, once.
func (l *lab) web(ctx context.Context) (*web, error) {
	if l.sites != nil {
		return l.sites, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ours, err := startSite(exec.CommandContext(ctx, self), webDir+"="+l.path("web-data"))
	if err != nil {
		return nil, err
	}
	theirs, err := startSite(exec.CommandContext(ctx, "node", "bench/peers/web.mjs", l.path("web-peer")), "NODE_ENV=production")
	if err != nil {
		ours.stop()
		return nil, err
	}
	l.sites = &web{ours, theirs}
	return l.sites, nil
}

func startSite(cmd *exec.Cmd, env string) (*site, error) {
	cmd.Env = append(os.Environ(), env)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("%s does not serve: %w", cmd.Path, err)
	}
	return &site{cmd: cmd, url: strings.TrimSpace(line), files: map[int]string{}}, nil
}

func (s *site) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func (w *web) stop() {
	w.ours.stop()
	w.theirs.stop()
}

func (l *lab) site(ctx context.Context, ours bool) (*site, error) {
	w, err := l.web(ctx)
	if err != nil {
		return nil, err
	}
	if ours {
		return w.ours, nil
	}
	return w.theirs, nil
}

// uploads sends n forms, each with other bytes, and deletes nothing. One client's times
// are those of each upload; of several it is one time, the share of an upload.
func (l *lab) uploads(ctx context.Context, ours bool, path string, clients, n, size int) ([]time.Duration, error) {
	s, err := l.site(ctx, ours)
	if err != nil {
		return nil, err
	}
	var times []time.Duration
	for range n / clients {
		forms := make([]*form, clients)
		for i := range forms {
			if forms[i], err = s.form(size); err != nil {
				return nil, err
			}
		}
		start := time.Now()
		var sending errgroup.Group
		for _, f := range forms {
			sending.Go(func() error { return s.send(ctx, path, f) })
		}
		if err := sending.Wait(); err != nil {
			return nil, err
		}
		times = append(times, time.Since(start)/time.Duration(clients))
		s.files[size] = forms[0].id
	}
	return times, nil
}

// noise is what files are cut from, so that making them costs nothing.
var noise = sync.OnceValue(func() []byte {
	b := make([]byte, 64<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(b)
	return b
})

// form is one upload's body.
type form struct {
	kind string
	body bytes.Buffer
	size int
	id   string // of the file, once it is stored
}

func (s *site) form(size int) (*form, error) {
	s.serial++
	f := &form{size: size}
	w := multipart.NewWriter(&f.body)
	f.kind = w.FormDataContentType()
	part, err := w.CreateFormFile("file", fmt.Sprintf("%d.bin", s.serial))
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(part, "%16d", s.serial)
	part.Write(noise()[:size-16])
	return f, w.Close()
}

func (s *site) send(ctx context.Context, path string, f *form) error {
	text, err := s.do(ctx, "POST", path, f.kind, f.body.Bytes(), io.Discard)
	if err != nil {
		return err
	}
	var answer struct {
		ID   string
		Size int
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return err
	}
	if f.id = answer.ID; answer.Size != f.size {
		return fmt.Errorf("of %d bytes %d were stored", f.size, answer.Size)
	}
	return nil
}

// downloads gets a file n times.
func (l *lab) downloads(ctx context.Context, ours bool, n, size int) ([]time.Duration, error) {
	s, err := l.site(ctx, ours)
	if err != nil {
		return nil, err
	}
	if s.files[size] == "" {
		f, err := s.form(size)
		if err == nil {
			err = s.send(ctx, "/api/files/upload", f)
		}
		if err != nil {
			return nil, err
		}
		s.files[size] = f.id
	}
	var times []time.Duration
	for range n {
		var got counter
		start := time.Now()
		if _, err := s.do(ctx, "GET", "/api/files/"+s.files[size]+"/download", "", nil, &got); err != nil {
			return nil, err
		}
		times = append(times, time.Since(start))
		if int(got) != size {
			return nil, fmt.Errorf("of %d bytes %d came", size, got)
		}
	}
	return times, nil
}

type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

// calls calls a tool n times.
func (s *site) calls(ctx context.Context, n int) ([]time.Duration, error) {
	if s.files[0] == "" {
		if _, err := s.do(ctx, "PUT", "/api/files/lines.txt", "", bytes.Repeat([]byte("a line of text\n"), 1000), io.Discard); err != nil {
			return nil, err
		}
		s.files[0] = "lines.txt"
	}
	var times []time.Duration
	for range n {
		start := time.Now()
		text, err := s.do(ctx, "POST", "/api/tools/file_read_text", "application/json", []byte(`{"id": "lines.txt", "start_line": 10, "end_line": 11}`), io.Discard)
		if err != nil {
			return nil, err
		}
		times = append(times, time.Since(start))
		if !bytes.Contains(text, []byte(`"total_lines":1000`)) {
			return nil, errors.New(string(text))
		}
	}
	return times, nil
}

// client keeps a connection for each of those who upload at once.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}

// do sends a request; JSON is answered, anything else goes to out.
func (s *site) do(ctx context.Context, method, path, kind string, body []byte, out io.Writer) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer bench")
	req.Header.Set("Content-Type", kind)
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if strings.HasPrefix(res.Header.Get("Content-Type"), "application/octet-stream") {
		_, err := io.CopyBuffer(struct{ io.Writer }{out}, struct{ io.Reader }{res.Body}, make([]byte, 256<<10))
		return nil, err
	}
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s %s answered %d: %s", method, path, res.StatusCode, text)
	}
	return text, err
}
