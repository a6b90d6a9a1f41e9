package server_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// Ranges and conditions of RFC 9110, and what is told of those that do not hold.
func TestRangesAndConditions(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	tag := l.put("/api/files/a.txt", "0123456789").header.Get("ETag")
	get := func(headers ...string) answer { return l.get("/api/files/a.txt/download", headers...) }
	for _, beyond := range []string{"bytes=10-", "bytes=100-200", "bytes=5-2", "bytes=x", "bytes=-", "bytes=-0", "bytes=99999999999999999999-", "bytes=0-1,x", "bytes=,"} {
		a := get("Range", beyond)
		l.wantProblem(a, problem.RangeNotSatisfiable, "10 bytes")
		if a.header.Get("Content-Disposition") != "" || a.header.Get("Last-Modified") != "" || a.header.Get("Content-Range") != "bytes */10" {
			t.Errorf("%s: %v", beyond, a.header)
		}
	}
	for _, ignored := range []string{"lines=1-2", "bytes", "x"} {
		if a := get("Range", ignored); a.status != 200 || a.body != "0123456789" {
			t.Errorf("Range: %s: %d %q", ignored, a.status, a.body)
		}
	}
	for asked, want := range map[string]string{"Bytes=1-2": "12", "bytes=8-99999999999999999999": "89", "bytes=-99999999999999999999": "0123456789",
		"bytes=-2": "89", "bytes= 3-4 ": "34", "bytes=,,5-5,": "5", "bytes=-0,7-7": "7", "bytes=20-,9-": "9"} {
		if a := get("Range", asked); a.status != 206 || a.body != want {
			t.Errorf("Range: %s: %d %q, want %q", asked, a.status, a.body, want)
		}
	}
	// Nothing that there is not is claimed of an empty file; and conditions come first.
	l.put("/api/files/empty.txt", "")
	for _, asked := range []string{"bytes=0-", "bytes=-1", "bytes=0-0", "bytes=5-"} {
		if a := l.get("/api/files/empty.txt/download", "Range", asked); a.status != 200 || a.header.Get("Content-Range") != "" || a.header.Get("Content-Length") != "0" {
			t.Errorf("Range: %s of nothing: %d %v", asked, a.status, a.header)
		}
	}
	l.wantStatus(get("Range", "bytes=99-", "If-Range", `"other"`), 200)
	l.wantStatus(get("Range", "bytes=99-", "If-None-Match", tag), 304)
	if a := l.do("HEAD", "/api/files/a.txt/download", nil, "Range", "bytes=1-2"); a.status != 200 || a.header.Get("Content-Length") != "10" {
		t.Errorf("HEAD with a range: %d %v", a.status, a.header)
	}
	if a := get("If-None-Match", "W/"+tag); a.status != 304 || a.body != "" {
		t.Errorf("%d %q", a.status, a.body)
	}
	l.wantProblem(get("If-Match", `"other"`), problem.PreconditionFailed, "If-Match")
	l.wantProblem(get("If-Match", "W/"+tag), problem.PreconditionFailed, "If-Match")
	l.wantStatus(get("If-Match", `"other", `+tag), 200)

	// Of changes, too. A weak tag is as good as none where the very content is meant.
	l.wantProblem(l.put("/api/files/a.txt", "new", "If-Match", "W/"+tag), problem.PreconditionFailed, "If-Match")
	l.wantProblem(l.put("/api/files/a.txt", "new", "If-None-Match", "W/"+tag), problem.PreconditionFailed, "already")
	l.wantProblem(l.do("DELETE", "/api/files/a.txt", nil, "If-Match", `"other"`), problem.PreconditionFailed, "If-Match")
	l.wantProblem(l.do("DELETE", "/api/files/none.txt", nil, "If-Match", "*"), problem.NotFound, "none.txt")
	if got := get(); got.body != "0123456789" {
		t.Fatalf("it is %q", got.body)
	}
	l.wantStatus(l.do("DELETE", "/api/files/a.txt", nil, "If-Match", tag), 200)
}

// Neither a part of a file nor a compressed one is kept as if it were the file.
func TestABodyIsTheFileOrIsRefused(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	link, _ := l.link("/api/links/upload", `{"name": "linked.txt"}`)
	for _, path := range []string{"/api/files/a.txt", link} {
		l.wantProblem(l.put(path, "abc", "Content-Range", "bytes 100-102/200"), problem.InvalidArgument, "Content-Range")
		a := l.put(path, "abc", "Content-Encoding", "gzip")
		l.wantProblem(a, problem.UnsupportedFormat, "Content-Encoding")
		if a.header.Get("Accept-Encoding") != "identity" {
			t.Errorf("%v", a.header)
		}
	}
	if l.names() != "" {
		t.Errorf("kept: %s", l.names())
	}
	l.wantStatus(l.put("/api/files/a.txt", "abc", "Content-Encoding", "identity"), 201)
	l.wantProblem(l.do("POST", "/api/runs", strings.NewReader(`{"script": "1"}`), "Content-Type", "application/json", "Content-Encoding", "gzip"), problem.UnsupportedFormat, "Content-Encoding")
	l.wantProblem(l.do("POST", "/api/runs", strings.NewReader(`{"script": "1"}`), "Content-Type", "text/plain"), problem.UnsupportedFormat, "Content-Type")
}

// A client that asks before it sends is told no before it sends.
func TestWhoAsksBeforeSendingIsToldNo(t *testing.T) {
	l := newLab(t, sandboxd.Config{Limits: limits.Limits{FileBytes: 1 * limits.MB}})
	l.wantStatus(l.put("/api/files/there.txt", "x"), 201)
	link, _ := l.link("/api/links/upload", `{"name": "linked.txt"}`)
	for _, c := range []struct {
		request, header string
		length, status  int
	}{
		{"PUT /api/files/there.txt", "If-None-Match: *", 1 << 19, 412},
		{"PUT /api/files/large.txt", "X: x", 1 << 21, 413},
		{"PUT " + link, "X: x", 1 << 21, 413},
		{"PUT /api/files/bad%0Aname", "X: x", 100, 400},
	} {
		got := l.raw(fmt.Sprintf("%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n%s\r\n\r\n", c.request, token, c.length, c.header))
		if !strings.HasPrefix(got, fmt.Sprintf("HTTP/1.1 %d ", c.status)) || strings.Contains(got, "100 Continue") {
			t.Errorf("%s: %.100q", c.request, got)
		}
	}
	// And one that does not ask gets its answer after what it sends.
	l.wantProblem(l.do("PUT", "/api/files/large.txt", io.LimitReader(zeros{}, 2<<20)), problem.FileTooLarge, "")
	l.wantProblem(l.put("/api/files/large.txt", strings.Repeat("x", 2<<20)), problem.FileTooLarge, "")
	if l.names() != "there.txt" {
		t.Errorf("files: %s", l.names())
	}
}

// Whatever stands in an address, it is a bad one or finds nothing; it is not our fault, and
// what cannot be read is not passed over.
func TestAttackByOddAddresses(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	l.put("/api/files/a.txt", "a")
	for _, r := range []struct{ method, path, body string }{
		{"GET", "files/%s", ""}, {"GET", "files/%s/download", ""}, {"GET", "files/%s/versions", ""}, {"PUT", "files/%s", "x"}, {"DELETE", "files/%s", ""},
		{"PATCH", "files/%s", `{"name": "b"}`}, {"POST", "files/%s/restore", `{"version": 1}`},
		{"GET", "state/%s", ""}, {"GET", "state?prefix=%s", ""}, {"GET", "files?pattern=%s", ""}, {"GET", "runs/%s", ""}, {"GET", "runs?before=%s", ""}, {"GET", "runs/%s/logs", ""},
		{"POST", "runs/%s/cancel", ""}, {"POST", "runs/%s/undo", ""}, {"POST", "tools/%s", "{}"}, {"POST", "tools/file_list?session_id=%s", "{}"}, {"DELETE", "tokens/%s", ""},
		{"GET", "audit?caller=%s", ""}, {"GET", "audit?session_id=%s", ""}, {"GET", "audit?action=%s", ""}, {"GET", "audit?run=%s", ""}, {"GET", "audit?code=%s", ""},
		{"GET", "audit/scripts/%s", ""}, {"HEAD", "uploads/%s", ""}, {"GET", "signed/%s", ""}, {"GET", "files?workspace=%s", ""},
	} {
		for _, odd := range []string{"x%00y", "%00", "%ff%fe", "%27%20OR%201=1--", "%F0%9F%92%A9", "%3Fx", strings.Repeat("x", 5000)} {
			a := l.do(r.method, "/api/"+fmt.Sprintf(r.path, odd), strings.NewReader(r.body), "Content-Type", "application/json", "Tus-Resumable", "1.0.0")
			if a.status >= 500 {
				t.Errorf("%s %.100s with %.20s: %d %s", r.method, r.path, odd, a.status, a.body)
			}
			if r.method == "GET" && strings.Contains(odd, "%00") && a.status < 400 {
				t.Errorf("%s with %s: %d %s", r.path, odd, a.status, a.body)
			}
		}
	}
	for _, query := range []string{"pattern=%zz", "pattern=a;b", "%zz=1"} {
		l.wantProblem(l.get("/api/files?"+query), problem.InvalidArgument, "the address")
	}
	l.wantProblem(l.post("/api/links/download", `{"file": "a\u0000"}`), problem.NotFound, "a")
	if e := decode[runAnswer](t, l.run(`await files.readText('a\0')`)).Error; e == nil || e.Code != problem.NotFound {
		t.Errorf("in a script: %+v", e)
	}
}
