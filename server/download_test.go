package server_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/problem"
)

func TestDownload(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	file := decode[uploadAnswer](t, l.upload("/api/files/upload", part{"page.html", "<script>alert(1)</script>"}))
	path := "/api/files/" + file.ID + "/download"
	a := l.get(path)
	l.wantStatus(a, 200)
	for header, want := range map[string]string{
		"Content-Disposition":     `attachment; filename="page.html"`,
		"X-Content-Type-Options":  "nosniff",
		"Content-Security-Policy": "sandbox; default-src 'none'",
		"Accept-Ranges":           "bytes",
		"Content-Length":          "25",
		"Cache-Control":           "private, no-cache",
	} {
		if got := a.header.Get(header); got != want {
			t.Errorf("%s is %q, want %q", header, got, want)
		}
	}
	if a.body != "<script>alert(1)</script>" || !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
		t.Errorf("%q of %s", a.body, a.header.Get("Content-Type"))
	}
	if a.header.Get("Last-Modified") == "" {
		t.Error("no Last-Modified")
	}

	// What a client has already is not sent again; a part of it can be had.
	etag := a.header.Get("ETag")
	l.wantStatus(l.get(path, "If-None-Match", etag), 304)
	l.wantStatus(l.get(path, "If-None-Match", `"other"`), 200)
	if a := l.get(path, "Range", "bytes=1-6"); a.status != 206 || a.body != "script" || a.header.Get("Content-Range") != "bytes 1-6/25" {
		t.Errorf("a range is %d %q %q", a.status, a.body, a.header.Get("Content-Range"))
	}
	l.wantStatus(l.get(path, "Range", "bytes=100-"), 416)
	l.wantStatus(l.get(path, "Range", "bytes=1-6", "If-Range", `"other"`), 200)
	if a := l.do("HEAD", path, nil); a.status != 200 || a.body != "" || a.header.Get("ETag") != etag {
		t.Errorf("HEAD answers %d %q", a.status, a.body)
	}

	// An old version, also when there is a new one of the same second.
	l.upload("/api/files/upload?replace=true", part{"page.html", "new"})
	if a := l.get(path, "If-None-Match", etag); a.status != 200 || a.body != "new" {
		t.Errorf("the new version is %d %q", a.status, a.body)
	}
	if a := l.get(path, "If-Modified-Since", a.header.Get("Last-Modified")); a.status != 200 {
		t.Errorf("a date of seconds hid a version: %d", a.status)
	}
	if a := l.get("/api/files/page.html/download?version=1"); a.header.Get("ETag") != etag || a.body != "<script>alert(1)</script>" {
		t.Errorf("version 1 is %q", a.body)
	}
	l.wantProblem(l.get(path+"?version=9"), problem.NotFound, "")
	for _, version := range []string{"0", "-1", "x", "1.5", "99999999999999999999"} {
		l.wantProblem(l.get(path+"?version="+version), problem.InvalidArgument, "version")
	}
	l.wantProblem(l.get("/api/files/nothing.txt/download"), problem.NotFound, "nothing.txt")
}

func TestDownloadNames(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	for name, want := range map[string]string{
		"plain name.txt": `attachment; filename="plain name.txt"`,
		`a "b" 100%.txt`: `attachment; filename="a _b_ 100_.txt"; filename*=UTF-8''a%20%22b%22%20100%25.txt`,
		"größe €.csv":    `attachment; filename="gr__e _.csv"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%E2%82%AC.csv`,
		"a;b=c'd*.txt":   `attachment; filename="a;b=c'd*.txt"`,
	} {
		if _, err := l.host.Files("").Put(t.Context(), sandboxd.Upload{Name: "in/a folder/" + name, Body: strings.NewReader("x")}); err != nil {
			t.Fatal(err)
		}
		a := l.get("/api/files/" + url.PathEscape("in/a folder/"+name) + "/download")
		l.wantStatus(a, 200)
		if got := a.header.Get("Content-Disposition"); got != want {
			t.Errorf("%q: %s", name, got)
		}
	}
}

func TestListFiles(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	if a := l.get("/api/files"); a.body != "{\"files\":[]}\n" {
		t.Errorf("an empty workspace is %q", a.body)
	}
	l.upload("/api/files/upload", part{"b.csv", "1"}, part{"a.txt", "2"})
	list := decode[struct{ Files []fileAnswer }](t, l.get("/api/files"))
	if len(list.Files) != 2 || list.Files[0].Name != "a.txt" {
		t.Errorf("list: %+v", list)
	}
	if list := decode[struct{ Files []fileAnswer }](t, l.get("/api/files?pattern=*.csv")); len(list.Files) != 1 || list.Files[0].Name != "b.csv" {
		t.Errorf("list: %+v", list)
	}
	l.wantProblem(l.get("/api/files?pattern=["), problem.InvalidArgument, "pattern")
}

// What scripts and uploads choose is shown as text, never as markup.
func TestTheIndexPageEscapes(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	l.wantStatus(l.get("/"), 200)
	l.upload("/api/files/upload", part{"<img src=x onerror=alert(1)>.txt", "x"})
	l.post("/api/runs", `{"script": "throw 1", "name": "<script>alert(2)</script>"}`)
	a := l.get("/")
	l.wantStatus(a, 200)
	if strings.Contains(a.body, "<img") || strings.Contains(a.body, "<script>") || !strings.Contains(a.body, "&lt;img") || !strings.Contains(a.body, "&lt;script&gt;") {
		t.Errorf("page: %s", a.body)
	}
	if csp := a.header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "script-src") {
		t.Errorf("policy %q", csp)
	}
	if !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
		t.Errorf("type %q", a.header.Get("Content-Type"))
	}
}
