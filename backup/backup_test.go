package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/sandboxd/sandboxd/backup"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/workspace"
)

// folder is a data folder in use with some files, small and large.
func folder(t *testing.T) *workspace.Store {
	t.Helper()
	s, err := workspace.Open(t.Context(), workspace.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	r, err := s.Begin(t.Context(), workspace.Start{Workspace: "w"})
	for name, text := range map[string]string{"small": "s", "large": strings.Repeat("l", 100_000)} {
		var stage int64
		if err == nil {
			stage, err = r.Receive(t.Context(), strings.NewReader(text))
		}
		if err == nil {
			_, err = r.Create(t.Context(), host.NewFile{Name: name, Stage: stage})
		}
	}
	if err == nil {
		_, err = r.Commit(t.Context(), workspace.Finish{})
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(s.Dir(), "token"), []byte("t\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func stream(t *testing.T, s *workspace.Store) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := backup.ToStream(&out)
	if err == nil {
		_, err = backup.Take(t.Context(), s, w)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

type entry struct {
	header tar.Header
	body   string
}

func unpacked(t *testing.T, archive []byte) (entries []entry) {
	t.Helper()
	plain, err := zstd.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	for in := tar.NewReader(plain); ; {
		h, err := in.Next()
		if err == io.EOF {
			return entries
		}
		body, rerr := io.ReadAll(in)
		if err != nil || rerr != nil {
			t.Fatal(err, rerr)
		}
		entries = append(entries, entry{tar.Header{Typeflag: h.Typeflag, Name: h.Name, Mode: h.Mode}, string(body)})
	}
}

func packed(t *testing.T, entries []entry) []byte {
	t.Helper()
	var out bytes.Buffer
	plain, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewWriter(plain)
	for _, e := range entries {
		h := e.header
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(e.body))
		}
		if err := archive.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			io.WriteString(archive, e.body)
		}
	}
	if err := errors.Join(archive.Close(), plain.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func restored(t *testing.T, dir string) {
	t.Helper()
	s, err := workspace.Open(t.Context(), workspace.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, want := range map[string]string{"small": "s", "large": strings.Repeat("l", 100_000)} {
		o, err := s.Open(t.Context(), "w", name, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(o.Data); err != nil || string(got) != want {
			t.Errorf("%s has %d bytes, %v", name, len(got), err)
		}
		o.Data.Close()
	}
	if token, err := os.ReadFile(filepath.Join(dir, "token")); err != nil || string(token) != "t\n" {
		t.Errorf("the token is %q, %v", token, err)
	}
	for _, left := range []string{backup.ManifestName, ".restoring"} {
		if _, err := os.Stat(filepath.Join(dir, left)); err == nil {
			t.Errorf("%s is still there", left)
		}
	}
}

func TestThereAndBack(t *testing.T) {
	s := folder(t)
	kept := filepath.Join(t.TempDir(), "kept")
	w, err := backup.ToFolder(kept)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := backup.Take(t.Context(), s, w)
	if err != nil || manifest.Files != 3 || len(manifest.Parts) != 2 {
		t.Fatalf("%+v, %v", manifest, err)
	}
	content, _ := filepath.Glob(filepath.Join(kept, "files", "*", "*"))
	original, _ := filepath.Glob(filepath.Join(s.Dir(), "files", "*", "*"))
	a, aerr := os.Stat(content[0])
	b, berr := os.Stat(original[0])
	if aerr != nil || berr != nil || !os.SameFile(a, b) {
		t.Errorf("the content was copied, and could have been linked: %v, %v", aerr, berr)
	}
	dir := filepath.Join(t.TempDir(), "new", "data")
	if _, err := backup.Restore(t.Context(), backup.FromFolder(kept), dir); err != nil {
		t.Fatal(err)
	}
	restored(t, dir)

	archive := stream(t, s)
	dir = t.TempDir() // there, and empty
	if _, err := backup.Restore(t.Context(), backup.FromStream(bytes.NewReader(archive)), dir); err != nil {
		t.Fatal(err)
	}
	restored(t, dir)

	// A stream that was made a folder is a backup still.
	kept = filepath.Join(t.TempDir(), "unpacked")
	if _, err := backup.Unpack(t.Context(), backup.FromStream(bytes.NewReader(archive)), kept); err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "data")
	if _, err := backup.Restore(t.Context(), backup.FromFolder(kept), dir); err != nil {
		t.Fatal(err)
	}
	restored(t, dir)
}

func TestNothingIsOverwritten(t *testing.T) {
	s := folder(t)
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.ToFolder(full); !errors.Is(err, backup.ErrNotEmpty) {
		t.Errorf("a backup into a folder with something in it: %v", err)
	}
	if _, err := backup.Restore(t.Context(), backup.FromStream(bytes.NewReader(stream(t, s))), full); !errors.Is(err, backup.ErrNotEmpty) {
		t.Errorf("a restore into a folder with something in it: %v", err)
	}
	if _, err := backup.Restore(t.Context(), backup.FromStream(bytes.NewReader(stream(t, s))), s.Dir()); !errors.Is(err, backup.ErrNotEmpty) {
		t.Errorf("a restore into a data folder: %v", err)
	}
}

// What is not whole, was changed, or wants to be somewhere else is refused, and nothing
// is left of it.
func TestDamagedBackups(t *testing.T) {
	archive := stream(t, folder(t))
	whole := unpacked(t, archive)
	at := func(name string) int {
		for i, e := range whole {
			if strings.HasPrefix(e.header.Name, name) {
				return i
			}
		}
		t.Fatal("there is no " + name)
		return -1
	}
	change := func(how func(entries []entry) []entry) []byte {
		return packed(t, how(append([]entry{}, whole...)))
	}
	file := func(name, body string) entry {
		return entry{tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600}, body}
	}
	with := func(e entry) []byte {
		return change(func(entries []entry) []entry { return append([]entry{e}, entries...) })
	}
	without := func(name string) []byte {
		return change(func(entries []entry) []entry { i := at(name); return append(entries[:i], entries[i+1:]...) })
	}
	body := func(name, body string) []byte {
		return change(func(entries []entry) []entry { entries[at(name)].body = body; return entries })
	}
	for what, bad := range map[string][]byte{
		"nothing":             {},
		"text":                []byte("hello, I am a backup"),
		"an empty archive":    packed(t, nil),
		"cut in the middle":   archive[:len(archive)/2],
		"cut near the end":    archive[:len(archive)-20],
		"no manifest":         without("backup.json"),
		"no metadata":         without("sandboxd.db"),
		"no content":          without("files/"),
		"another content":     body("files/", strings.Repeat("x", 100_000)),
		"other metadata":      body("sandboxd.db", strings.Repeat("x", 8192)),
		"another token":       body("token", "mine\n"),
		"a future format":     body("backup.json", `{"format": 2}`),
		"a manifest of none":  body("backup.json", `{"format": 1}`),
		"a file twice":        with(whole[at("token")]),
		"a file too many":     with(file("db/w/agent.db", "")),
		"upwards":             with(file("../evil", "")),
		"upwards in db":       with(file("db/../evil", "")),
		"upwards in files":    with(file("files/../"+strings.Repeat("a", 61), "")),
		"an absolute path":    with(file("/tmp/evil", "")),
		"a hidden file":       with(file("db/w/.evil", "")),
		"another file in db":  with(file("db/w/other.db", "")),
		"a lock":              with(file("lock", "1")),
		"a backslash":         with(file(`db/w/..\evil`, "")),
		"a link":              with(entry{tar.Header{Typeflag: tar.TypeSymlink, Name: "token", Linkname: "/etc/passwd"}, ""}),
		"a hard link":         with(entry{tar.Header{Typeflag: tar.TypeLink, Name: "token", Linkname: "sandboxd.db"}, ""}),
		"a folder":            with(entry{tar.Header{Typeflag: tar.TypeDir, Name: "db/w/"}, ""}),
		"a device":            with(entry{tar.Header{Typeflag: tar.TypeChar, Name: "token"}, ""}),
		"a content elsewhere": with(file("files/ab/"+strings.Repeat("c", 62), "")),
	} {
		dir := filepath.Join(t.TempDir(), "data")
		_, err := backup.Restore(context.Background(), backup.FromStream(bytes.NewReader(bad)), dir)
		if !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: there is %v", what, left)
		}
	}
}

// A restore that is ended leaves nothing behind.
func TestARestoreThatIsEnded(t *testing.T) {
	archive := stream(t, folder(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := filepath.Join(t.TempDir(), "data")
	if _, err := backup.Restore(ctx, backup.FromStream(bytes.NewReader(archive)), dir); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("there is %v", left)
	}
}
