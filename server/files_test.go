package server_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

func (l *lab) put(path, body string, headers ...string) answer {
	l.Helper()
	return l.do("PUT", path, strings.NewReader(body), headers...)
}

func TestPut(t *testing.T) {
	l := newLab(t, sandboxd.Config{Limits: limits.Limits{FileBytes: 1 * limits.MB}})
	a := l.put("/api/files/notes.md?session_id=s1", "# one", "Content-Type", "text/html")
	l.wantStatus(a, 201)
	one := decode[fileAnswer](t, a)
	if one.Name != "notes.md" || one.Size != 5 || one.Version != 1 || one.MimeType != "text/markdown" {
		t.Errorf("answer: %s", a.body)
	}
	if file, err := l.host.Files("").Stat(t.Context(), "notes.md"); err != nil || file.SourceSessionID != "s1" || file.Source != "upload" {
		t.Errorf("stored as %+v, %v", file, err)
	}
	// By name and by id it is a new version of the same file.
	for i, ref := range []string{"notes.md", one.ID} {
		a := l.put("/api/files/"+ref, strings.Repeat("x", i))
		l.wantStatus(a, 200)
		if got := decode[fileAnswer](t, a); got.ID != one.ID || got.Version != int64(i)+2 || got.Name != "notes.md" {
			t.Errorf("%s: %s", ref, a.body)
		}
	}
	l.wantStatus(l.put("/api/files/"+url.PathEscape("in/a folder/ü.txt"), "x"), 201)
	if l.names() != "in/a folder/ü.txt notes.md" {
		t.Errorf("files: %s", l.names())
	}

	// What the client thinks is there must be there.
	tag := l.get("/api/files/notes.md/download").header.Get("ETag")
	l.wantProblem(l.put("/api/files/notes.md", "y", "If-None-Match", "*"), problem.PreconditionFailed, "already")
	l.wantProblem(l.put("/api/files/notes.md", "y", "If-Match", `"other"`), problem.PreconditionFailed, "If-Match")
	l.wantProblem(l.put("/api/files/new.md", "y", "If-Match", "*"), problem.PreconditionFailed, "If-Match")
	l.wantStatus(l.put("/api/files/new.md", "y", "If-None-Match", "*"), 201)
	a = l.put("/api/files/notes.md", "right", "If-Match", `"other", `+tag)
	l.wantStatus(a, 200)
	if now := l.get("/api/files/notes.md/download"); now.body != "right" || now.header.Get("ETag") != a.header.Get("ETag") {
		t.Errorf("%q %s, but PUT said %s", now.body, now.header.Get("ETag"), a.header.Get("ETag"))
	}

	before := l.names()
	l.wantProblem(l.put("/api/files/big.bin", strings.Repeat("x", 1<<20+1)), problem.FileTooLarge, "")
	l.wantProblem(l.put("/api/files/big.bin", strings.Repeat("x", 3<<20)), problem.FileTooLarge, "")
	for _, name := range []string{"..", "../x", "/etc/passwd", "a\x00b", "a/../../b", "", " x ", strings.Repeat("n", 300)} {
		a := l.put("/api/files/"+url.PathEscape(name), "x")
		if a.status < 300 || a.status >= 500 {
			t.Errorf("%q: %d %s", name, a.status, a.body)
		}
	}
	if l.names() != before {
		t.Errorf("kept: %s", l.names())
	}
}

func TestFilesAreLookedAtRenamedDeletedAndRestored(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	one := decode[fileAnswer](t, l.put("/api/files/a.txt", "one"))
	l.put("/api/files/a.txt", "two")
	if file := decode[host.File](t, l.get("/api/files/a.txt")); file.ID != one.ID || file.Version != 2 || len(file.Hash) != 64 {
		t.Errorf("%+v", file)
	}
	l.wantProblem(l.get("/api/files/nothing"), problem.NotFound, "nothing")

	patch := func(body string) answer {
		return l.do("PATCH", "/api/files/"+one.ID, strings.NewReader(body), "Content-Type", "application/json")
	}
	if file := decode[host.File](t, patch(`{"name": "b.csv"}`)); file.Name != "b.csv" || file.MimeType != "text/csv" || file.Version != 3 {
		t.Errorf("%+v", file)
	}
	l.put("/api/files/c.txt", "c")
	l.wantProblem(patch(`{"name": "c.txt"}`), problem.Exists, "c.txt")
	l.wantProblem(patch(`{"name": "../c.txt"}`), problem.InvalidArgument, "name")
	l.wantProblem(patch(`{"title": "x"}`), problem.InvalidArgument, "title: there is no such member; expected some of name")

	del := l.do("DELETE", "/api/files/b.csv", nil)
	if del.status != 200 || del.body != "{\"deleted\":true}\n" {
		t.Errorf("%d %s", del.status, del.body)
	}
	l.wantProblem(l.do("DELETE", "/api/files/b.csv", nil), problem.NotFound, "b.csv")
	versions := decode[struct{ Versions []host.Version }](t, l.get("/api/files/"+one.ID+"/versions")).Versions
	var actions []string
	for _, v := range versions {
		actions = append(actions, v.Action)
	}
	if got := strings.Join(actions, " "); got != "deleted renamed modified created" {
		t.Errorf("versions: %s", got)
	}
	l.wantProblem(l.post("/api/files/"+one.ID+"/restore", `{"version": 9}`), problem.NotFound, "9")
	l.wantProblem(l.post("/api/files/"+one.ID+"/restore", `{"version": 0}`), problem.InvalidArgument, "version")
	l.wantProblem(l.post("/api/files/"+one.ID+"/restore", `{"version": "1"}`), problem.InvalidArgument, "version")
	if file := decode[host.File](t, l.post("/api/files/"+one.ID+"/restore", `{"version": 1}`)); file.Version != 5 || file.Name != "b.csv" {
		t.Errorf("%+v", file)
	}
	if a := l.get("/api/files/b.csv/download"); a.body != "one" {
		t.Errorf("restored to %q", a.body)
	}
}

func TestState(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	l.wantStatus(l.run("await state.set('a/1', {x: 1}); await state.set('b', 'two')"), 200)
	if a := l.get("/api/state?prefix=a/"); a.body != "{\"state\":{\"a/1\":{\"x\":1}}}\n" {
		t.Errorf("state: %s", a.body)
	}
	if a := l.get("/api/state/" + url.PathEscape("a/1")); a.body != "{\"key\":\"a/1\",\"value\":{\"x\":1}}\n" {
		t.Errorf("a key: %s", a.body)
	}
	if a := l.get("/api/state/c"); a.body != "{\"key\":\"c\",\"value\":null}\n" {
		t.Errorf("no key: %s", a.body)
	}
	view := decode[struct {
		Workspace string
		Usage     struct{ State int64 }
	}](t, l.get("/api/workspace"))
	if view.Workspace != "default" || view.Usage.State == 0 {
		t.Errorf("workspace: %+v", view)
	}
}

func TestRangesAreBounded(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	l.put("/api/files/a.bin", strings.Repeat("0123456789", 1000))
	path := "/api/files/a.bin/download"
	for header, want := range map[string]int{
		"bytes=0-0": 206, "bytes=-5": 206, "bytes=9999-": 206, "bytes=0-99999": 206, "bytes=10000-": 416, "bytes=5-1": 416, "bytes=x": 416,
		"bytes=99999999999999999999-": 416, "lines=1-2": 416, "bytes=0-1,5-6": 206, "bytes=": 416,
	} {
		if a := l.get(path, "Range", header); a.status != want && a.status != 200 {
			t.Errorf("%s is %d, want %d", header, a.status, want)
		}
	}
	if a := l.get(path, "Range", "bytes=0-1,5-6"); !strings.HasPrefix(a.header.Get("Content-Type"), "multipart/byteranges") || strings.Count(a.body, "Content-Range") != 2 {
		t.Errorf("two parts are %s", a.body)
	}
	// Parts that overlap would make much of little.
	l.wantProblem(l.get(path, "Range", "bytes=0-"+strings.Repeat(",0-", 1000)), problem.InvalidArgument, "parts")
	if a := l.get(path, "Range", "bytes=0-"+strings.Repeat(",0-", 8)); len(a.body) > 10_000+1000 {
		t.Errorf("parts that overlap are %d bytes of a file of 10,000", len(a.body))
	}
}
