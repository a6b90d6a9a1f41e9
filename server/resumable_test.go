package server_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/server"
)

const partType = "application/offset+octet-stream"

func metadata(name string) string {
	return "filename " + base64.StdEncoding.EncodeToString([]byte(name))
}

// begin begins an upload and gives its address.
func (l *lab) begin(name string, length int, headers ...string) string {
	l.Helper()
	a := l.do("POST", "/api/uploads", nil, append(headers, "Tus-Resumable", "1.0.0", "Upload-Length", fmt.Sprint(length), "Upload-Metadata", metadata(name))...)
	l.wantStatus(a, 201)
	if a.header.Get("Tus-Resumable") != "1.0.0" || a.header.Get("Upload-Offset") != "0" && length > 0 {
		l.Errorf("%v", a.header)
	}
	return a.header.Get("Location")
}

func (l *lab) part(at string, offset int, body string) answer {
	l.Helper()
	return l.do("PATCH", at, strings.NewReader(body), "Tus-Resumable", "1.0.0", "Content-Type", partType, "Upload-Offset", fmt.Sprint(offset))
}

func (l *lab) head(at string) answer {
	l.Helper()
	return l.do("HEAD", at, nil, "Tus-Resumable", "1.0.0")
}

func TestAnUploadInParts(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	at := l.begin("data.csv", 8)
	a := l.part(at, 0, "a,b\n")
	l.wantStatus(a, 204)
	if a.header.Get("Upload-Offset") != "4" || a.header.Get("Sandboxd-File-Id") != "" || a.header.Get("Upload-Expires") == "" {
		t.Errorf("%v", a.header)
	}
	if a := l.head(at); a.status != 204 || a.header.Get("Upload-Offset") != "4" || a.header.Get("Upload-Length") != "8" || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v", a.status, a.header)
	}
	if l.names() != "" {
		t.Errorf("half an upload is a file: %s", l.names())
	}
	l.wantProblem(l.part(at, 0, "a,b\n"), problem.Conflict, "4 bytes, not 0")
	l.wantProblem(l.part(at, 4, "1,2\nmore"), problem.RequestTooLarge, "8")
	l.wantProblem(l.do("PATCH", at, io.MultiReader(strings.NewReader("1,2\nmore")), "Tus-Resumable", "1.0.0", "Content-Type", partType, "Upload-Offset", "4"),
		problem.RequestTooLarge, "8") // in chunks, without a length
	if a := l.head(at); a.header.Get("Upload-Offset") != "4" {
		t.Errorf("a part that was too long left %v", a.header)
	}
	a = l.part(at, 4, "1,2\n")
	l.wantStatus(a, 204)
	id := a.header.Get("Sandboxd-File-Id")
	file := decode[host.File](t, l.get("/api/files/"+id))
	if file.Name != "data.csv" || file.Size != 8 || file.Source != "upload" || l.get("/api/files/data.csv/download").body != "a,b\n1,2\n" {
		t.Errorf("%+v", file)
	}
	// A client that did not hear of it asks again, and there is no second file.
	for range 2 {
		if a := l.head(at); a.header.Get("Upload-Offset") != "8" || a.header.Get("Sandboxd-File-Id") != id {
			t.Errorf("%d %v", a.status, a.header)
		}
		if a := l.part(at, 8, ""); a.status != 204 || a.header.Get("Sandboxd-File-Id") != id {
			t.Errorf("%d %v", a.status, a.header)
		}
	}
	if l.names() != "data.csv" {
		t.Errorf("files: %s", l.names())
	}

	// All at once, and nothing at all.
	a = l.do("POST", "/api/uploads?session_id=s", strings.NewReader("whole"), "Tus-Resumable", "1.0.0", "Upload-Length", "5", "Upload-Metadata", "filetype dGV4dA==,"+metadata("data.csv"), "Content-Type", partType)
	l.wantStatus(a, 201)
	if got := decode[host.File](t, l.get("/api/files/"+a.header.Get("Sandboxd-File-Id"))); got.Name != "data (2).csv" || got.SourceSessionID != "s" {
		t.Errorf("%+v", got)
	}
	a = l.do("POST", "/api/uploads?replace=true", nil, "Tus-Resumable", "1.0.0", "Upload-Length", "0", "Upload-Metadata", metadata("data.csv"))
	l.wantStatus(a, 201)
	if a.header.Get("Sandboxd-File-Id") != id {
		t.Errorf("replaced %v", a.header)
	}

	// Given up.
	at = l.begin("x.txt", 5)
	l.wantStatus(l.do("DELETE", at, nil, "Tus-Resumable", "1.0.0"), 204)
	if a := l.head(at); a.status != 404 {
		t.Errorf("after its end: %d", a.status)
	}
	left, err := filepath.Glob(filepath.Join(l.host.Dir(), "uploads", "*.part"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestWhatIsNoUploadInParts(t *testing.T) {
	l := newLab(t, sandboxd.Config{Limits: limits.Limits{FileBytes: 1000, WorkspaceSize: 2000}})
	begin := func(headers ...string) answer { return l.do("POST", "/api/uploads", nil, headers...) }
	a := begin("Upload-Length", "5", "Upload-Metadata", metadata("a.txt"))
	l.wantProblem(a, problem.PreconditionFailed, "Tus-Resumable")
	if a.header.Get("Tus-Version") != "1.0.0" {
		t.Errorf("%v", a.header)
	}
	for length, code := range map[string]problem.Code{"": problem.InvalidArgument, "-1": problem.InvalidArgument, "x": problem.InvalidArgument,
		"1001": problem.FileTooLarge, "9223372036854775807": problem.FileTooLarge, "9223372036854775808": problem.InvalidArgument} {
		l.wantProblem(begin("Tus-Resumable", "1.0.0", "Upload-Length", length, "Upload-Metadata", metadata("a.txt")), code, "")
	}
	for _, meta := range []string{"", "filename", "filename ***", metadata("../../etc/passwd"), metadata("a\x00b"), metadata("a\r\nSet-Cookie: x"), "filetype dGV4dA==", strings.Repeat("x dGV4dA==,", 1000)} {
		l.wantProblem(begin("Tus-Resumable", "1.0.0", "Upload-Length", "5", "Upload-Metadata", meta), problem.InvalidArgument, "")
	}
	at := l.begin("a.txt", 5)
	l.wantProblem(l.do("PATCH", at, strings.NewReader("x"), "Tus-Resumable", "1.0.0", "Content-Type", "text/plain", "Upload-Offset", "0"), problem.UnsupportedFormat, "Content-Type")
	l.wantProblem(l.do("PATCH", at, strings.NewReader("x"), "Tus-Resumable", "1.0.0", "Content-Type", partType), problem.InvalidArgument, "Upload-Offset")
	l.wantProblem(l.part(at, 3, "xx"), problem.Conflict, "")
	for _, id := range []string{"..", "nope", "%2e%2e%2ftoken", strings.ToUpper(filepath.Base(at)), filepath.Base(at) + ".json", "{" + filepath.Base(at) + "}"} {
		if a := l.head("/api/uploads/" + id); a.status != 404 && a.status != 307 {
			t.Errorf("%s: %d", id, a.status)
		}
	}
	// Uploads under way take up room, too.
	l.begin("b.txt", 1000)
	a = begin("Tus-Resumable", "1.0.0", "Upload-Length", "996", "Upload-Metadata", metadata("c.txt"))
	l.wantProblem(a, problem.WorkspaceFull, "under way")
	a = l.do("OPTIONS", "/api/uploads", nil)
	if a.status != 204 || a.header.Get("Tus-Max-Size") != "1000" || !strings.Contains(a.header.Get("Tus-Extension"), "creation") {
		t.Errorf("%d %v", a.status, a.header)
	}
}

// A connection that breaks in the middle of a part costs what was under way, no more, and
// the client need not wait for the server to notice.
func TestAnUploadGoesOnAfterABreak(t *testing.T) {
	dir := t.TempDir()
	l := newLabOf(t, sandboxd.Config{Dir: dir}, server.Config{BodyPause: time.Hour})
	at := l.begin("big.bin", 10)
	conn, err := net.Dial("tcp", strings.TrimPrefix(l.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "PATCH %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nTus-Resumable: 1.0.0\r\nContent-Type: %s\r\nUpload-Offset: 0\r\nContent-Length: 10\r\n\r\n0123", at, token, partType)
	part := filepath.Join(dir, "uploads", filepath.Base(at)+".part")
	l.until("the first bytes have arrived", func() bool { // files have no event
		info, err := os.Stat(part)
		return err == nil && info.Size() == 4
	})
	// The connection is still there, and silent: the next request takes over.
	if a := l.head(at); a.header.Get("Upload-Offset") != "4" {
		t.Errorf("%d %v", a.status, a.header)
	}
	conn.Close()
	a := l.part(at, 4, "456789")
	l.wantStatus(a, 204)
	if got := l.get("/api/files/big.bin/download"); got.body != "0123456789" {
		t.Errorf("it is %q", got.body)
	}
}

// What the protocol asks of every server, though few clients need it: an upload's metadata is
// told as it was given, and a client that cannot send PATCH or DELETE says it in a header.
func TestTusForClientsWithLess(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	said := metadata("x.txt") + ",filetype dGV4dC9wbGFpbg==,is_confidential"
	a := l.do("POST", "/api/uploads", nil, "Tus-Resumable", "1.0.0", "Upload-Length", "6", "Upload-Metadata", said)
	l.wantStatus(a, 201)
	at := a.header.Get("Location")
	if a := l.head(at); a.header.Get("Upload-Metadata") != said {
		t.Errorf("HEAD answers %v", a.header)
	}
	override := func(method, body, offset string) answer {
		return l.do("POST", at, strings.NewReader(body), "X-HTTP-Method-Override", method, "Tus-Resumable", "1.0.0", "Content-Type", partType, "Upload-Offset", offset)
	}
	if a := override("PATCH", "abc", "0"); a.status != 204 || a.header.Get("Upload-Offset") != "3" {
		t.Fatalf("%d %v %s", a.status, a.header, a.body)
	}
	l.wantStatus(override("DELETE", "", "3"), 204)
	if a := l.head(at); a.status != 404 {
		t.Errorf("after its end: %d", a.status)
	}
	// Of nothing else, and to nothing that a page of another origin may send.
	at = l.begin("y.txt", 3)
	for _, method := range []string{"GET", "HEAD", "PUT", "POST", "x"} {
		l.wantProblem(override(method, "abc", "0"), problem.MethodNotAllowed, "does not take")
	}
	l.wantProblem(l.do("POST", at, strings.NewReader("abc"), "X-HTTP-Method-Override", "PATCH", "Origin", "https://evil.example", "Tus-Resumable", "1.0.0",
		"Content-Type", partType, "Upload-Offset", "0"), problem.Forbidden, "another origin")
	l.put("/api/files/keep.txt", "x")
	l.wantProblem(l.do("POST", "/api/files/keep.txt", nil, "X-HTTP-Method-Override", "DELETE"), problem.MethodNotAllowed, "does not take")
}

// The client that people use, in its own words: 20 MB in parts of 1 MB, one of which is cut
// off by the client, which then goes on from what it remembers.
func TestTusClient(t *testing.T) {
	needNode(t, "tus-js-client")
	l := newLab(t, sandboxd.Config{})
	path := filepath.Join(t.TempDir(), "big.bin")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for i := range 20 << 10 {
		fmt.Fprintf(io.MultiWriter(f, sum), "%01023d\n", i)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "node", "testdata/tus.mjs", l.url+"/api/uploads", token, path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file := decode[host.File](t, l.get("/api/files/big.bin"))
	if file.Size != 20<<20 || file.Hash != hex.EncodeToString(sum.Sum(nil)) {
		t.Errorf("%+v", file)
	}
	if !strings.Contains(string(out), "went on from") || !strings.Contains(string(out), file.ID) {
		t.Errorf("%s", out)
	}
}

// What nobody continues is not kept for ever.
func TestUploadsExpire(t *testing.T) {
	dir := t.TempDir()
	l := newLab(t, sandboxd.Config{Dir: dir})
	old, young := filepath.Base(l.begin("old.txt", 5)), filepath.Base(l.begin("young.txt", 5))
	record := filepath.Join(dir, "uploads", old+".json")
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	past := regexp.MustCompile(`"expires":"[^"]*"`).ReplaceAll(text, []byte(`"expires":"2020-01-01T00:00:00Z"`))
	if err := os.WriteFile(record, past, 0o600); err != nil {
		t.Fatal(err)
	}
	if a := l.head("/api/uploads/" + old); a.status != 404 {
		t.Errorf("an upload of 2020 answers %d", a.status)
	}
	server.New(server.Config{Host: l.host}) // as at a start
	for id, want := range map[string]bool{old: false, young: true} {
		if _, err := os.Stat(filepath.Join(dir, "uploads", id+".part")); (err == nil) != want {
			t.Errorf("%s: %v", id, err)
		}
	}
}
