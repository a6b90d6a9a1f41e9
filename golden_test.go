package sandboxd_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/limits"
)

var update = flag.Bool("update", false, "write the goldens anew")

// TestExamples runs every example in scripts/examples: its scripts in order of their
// names, in one workspace that holds its other files. want.txtar says what must come out.
func TestExamples(t *testing.T) {
	const dir = "scripts/examples"
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		t.Run(entry.Name(), func(t *testing.T) {
			t.Parallel()
			story := &txtar.Archive{}
			err := fs.WalkDir(os.DirFS(filepath.Join(dir, entry.Name())), ".", func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || path == "want.txtar" {
					return err
				}
				data, err := os.ReadFile(filepath.Join(dir, entry.Name(), path))
				if !isScript(path) {
					path = "in/" + path
				}
				story.Files = append(story.Files, txtar.File{Name: path, Data: data})
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, filepath.Join(dir, entry.Name(), "want.txtar"), &txtar.Archive{Files: play(t, story, sandboxd.Config{})})
		})
	}
}

// TestGoldens plays every story in testdata/golden: files in (in/…), scripts in order,
// and then, for each, what it answered, what it logged, its receipt and the files it left.
func TestGoldens(t *testing.T) {
	paths, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			story, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			story.Files = slices.DeleteFunc(story.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "want/") })
			inputs := slices.Clone(story.Files)
			story.Files = append(inputs, play(t, story, sandboxd.Config{})...)
			compare(t, path, story)
			if *update {
				return
			}
			// Without the boundary the same must come out.
			story.Files = append(slices.Clip(inputs), play(t, story, sandboxd.Config{Trusted: true})...)
			compare(t, path, story)
		})
	}
}

func isScript(path string) bool {
	return !strings.Contains(path, "/") && (strings.HasSuffix(path, ".js") || strings.HasSuffix(path, ".ts"))
}

// play runs a story's scripts and gives what came out as want/… files.
func play(t *testing.T, story *txtar.Archive, config sandboxd.Config) []txtar.File {
	t.Helper()
	ctx := t.Context()
	h := open(t, config)
	var args json.RawMessage
	var scripts []txtar.File
	for _, f := range story.Files {
		switch {
		case strings.HasPrefix(f.Name, "in/"):
			put(t, h, strings.TrimPrefix(f.Name, "in/"), f.Data)
		case f.Name == "args.json":
			args = f.Data
		case isScript(f.Name):
			scripts = append(scripts, f)
		}
	}
	var out []txtar.File
	ids := &scrubber{seen: map[string]string{}}
	for _, script := range scripts {
		answer := h.Run(ctx, sandboxd.Run{Script: string(script.Data), Name: script.Name, Args: args})
		add := func(what string, data []byte) {
			out = append(out, txtar.File{Name: "want/" + script.Name + "/" + what, Data: ids.scrub(lineEnd(data))})
		}
		if answer.OK {
			add("result.json", indent(t, answer.Result))
		} else {
			add("error.json", indent(t, answer.Error))
		}
		if len(answer.Logs) > 0 {
			var logs bytes.Buffer
			for _, line := range answer.Logs {
				fmt.Fprintf(&logs, "%s: %s\n", line.Level, line.Text)
			}
			add("console.txt", logs.Bytes())
		}
		add("receipt.json", indent(t, stable(answer)))
		for _, change := range answer.Receipt.Files {
			if change.Action == "created" || change.Action == "modified" {
				data := read(t, h, change.ID)
				switch {
				case bytes.HasPrefix(data, []byte("PK")):
					data = contents(t, data)
				case bytes.HasPrefix(data, []byte("%PDF")): // what is in it the scripts read
					data = []byte("a PDF")
				}
				add("files/"+change.Name, data)
			}
		}
	}
	return out
}

// contents lists the parts of a package, such as a workbook, for a golden.
func contents(t *testing.T, data []byte) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var list bytes.Buffer
	for _, f := range z.File {
		fmt.Fprintf(&list, "%s, %d bytes\n", f.Name, f.UncompressedSize64)
	}
	return list.Bytes()
}

// stable is the part of a receipt that is the same every time.
func stable(answer sandboxd.Answer) any {
	r := answer.Receipt
	changes := []string{}
	for _, f := range r.Files {
		changes = append(changes, fmt.Sprintf("%s %s, version %d, %d bytes", f.Action, f.Name, f.Version, f.Size))
	}
	return map[string]any{"calls": r.Calls, "files": changes, "state": r.State, "db_changes": r.DBChanges}
}

func compare(t *testing.T, path string, got *txtar.Archive) {
	t.Helper()
	text := txtar.Format(got)
	if *update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (make it with go test -run '%s' -update)", err, t.Name())
	}
	if !bytes.Equal(text, want) {
		t.Errorf("%s differs; got\n%s", path, text)
	}
}

// scrubber replaces what differs from run to run: ids in order of their appearance, and times.
type scrubber struct{ seen map[string]string }

var (
	uuidPattern = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	timePattern = regexp.MustCompile(`20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
)

func (s *scrubber) scrub(data []byte) []byte {
	data = uuidPattern.ReplaceAllFunc(data, func(id []byte) []byte {
		name, ok := s.seen[string(id)]
		if !ok {
			name = fmt.Sprintf("<id %d>", len(s.seen)+1)
			s.seen[string(id)] = name
		}
		return []byte(name)
	})
	return timePattern.ReplaceAll(data, []byte("<time>"))
}

func lineEnd(data []byte) []byte {
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(slices.Clone(data), '\n')
	}
	return data
}

func indent(t *testing.T, value any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unhurried are times within which any machine does what a test wants done, however busy it
// is with others; they end what hangs.
var unhurried = limits.Limits{WallTime: 5 * time.Minute, CPUTime: 5 * time.Minute, SQLTime: 5 * time.Minute}

// open opens a host that the test's end closes, without the default limits of time.
func open(t testing.TB, config sandboxd.Config) *sandboxd.Host {
	t.Helper()
	config.Limits = config.Limits.Or(unhurried)
	if config.Dir == "" {
		config.Dir = t.TempDir()
	}
	if config.Log == nil { // that layers are missing is no news under the race detector
		config.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	}
	h, err := sandboxd.Open(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return h
}

func put(t testing.TB, h *sandboxd.Host, name string, data []byte) string {
	t.Helper()
	file, err := h.Files("").Put(t.Context(), sandboxd.Upload{Name: name, Replace: true, Body: bytes.NewReader(data)})
	if err != nil {
		t.Fatal(err)
	}
	return file.ID
}

func read(t testing.TB, h *sandboxd.Host, ref string) []byte {
	t.Helper()
	opened, err := h.Files("").Open(t.Context(), ref, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Data.Close()
	data, err := io.ReadAll(io.NewSectionReader(opened.Data, 0, opened.File.Size))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func must(t testing.TB, answer sandboxd.Answer) sandboxd.Answer {
	t.Helper()
	if !answer.OK {
		t.Fatalf("%v (%v)", answer.Error, answer.Error.Cause)
	}
	return answer
}
