package server_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/server"
)

// raw sends bytes as they are and reads the answer until the server closes.
func (l *lab) raw(request string) string {
	l.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(l.url, "http://"))
	if err != nil {
		l.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	_, _ = io.WriteString(conn, request) // which the server may refuse before its end
	_ = conn.(*net.TCPConn).CloseWrite()
	text, _ := io.ReadAll(conn)
	return string(text)
}

// A body that is shorter than it said leaves nothing, whichever way it comes.
func TestShortBodies(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	link, _ := l.link("/api/links/upload", `{"name": "linked.txt"}`)
	for _, request := range []string{
		"PUT /api/files/short.txt", "POST /api/files/upload", "POST /api/runs", "POST /api/tools/file_create", "PUT " + link,
	} {
		for _, length := range []string{"Content-Length: 1000\r\n\r\n--b\r\nContent-Disposition: form-data; name=f; filename=short.txt\r\n\r\nhalf",
			"Transfer-Encoding: chunked\r\n\r\n5\r\nhal"} {
			kind := "multipart/form-data; boundary=b"
			if strings.HasPrefix(request, "POST /api/runs") || strings.HasPrefix(request, "POST /api/tools") {
				kind = "application/json"
			}
			got := l.raw(request + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\nContent-Type: " + kind + "\r\n" + length)
			if !strings.HasPrefix(got, "HTTP/1.1 400 ") {
				t.Errorf("%s: %.200s", request, got)
			}
		}
	}
	// Two lengths, or a length and chunks, are a smuggler's.
	for _, headers := range []string{"Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: -1\r\n", "Transfer-Encoding: chunked, gzip\r\n", "Content-Length: 5\r\nTransfer-Encoding: xchunked\r\n"} {
		got := l.raw("PUT /api/files/smuggled.txt HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n" + headers + "\r\nhello")
		if !strings.HasPrefix(got, "HTTP/1.1 4") && !strings.HasPrefix(got, "HTTP/1.1 501") {
			t.Errorf("%q: %.200s", headers, got)
		}
	}
	if l.names() != "" {
		t.Errorf("kept: %s", l.names())
	}
}

// A name can be anything that a file may be called, and comes back in one header.
func TestNamesDoNotBreakHeaders(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	for _, name := range []string{"a\r\nSet-Cookie: x=1", "a\nb", "\x00", "a\x7fb", "\u2028line"} {
		got := l.raw("PUT /api/files/" + strings.NewReplacer("\r", "%0D", "\n", "%0A", "\x00", "%00", "\x7f", "%7F", " ", "%20", "\u2028", "%E2%80%A8").Replace(name) +
			" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer " + token + "\r\nContent-Length: 1\r\n\r\nx")
		if strings.HasPrefix(got, "HTTP/1.1 20") {
			file, err := l.host.Files("").Stat(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			got = l.raw("GET /api/files/" + file.ID + "/download HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer " + token + "\r\n\r\n")
		}
		res, err := http.ReadResponse(bufio.NewReader(strings.NewReader(got)), nil)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if res.Header.Get("Set-Cookie") != "" || res.StatusCode >= 500 {
			t.Errorf("%q: %s", name, got)
		}
	}
	// Nor does what an error quotes.
	a := l.get("/api/files?pattern=%0d%0aSet-Cookie:%20x=1[")
	if a.header.Get("Set-Cookie") != "" {
		t.Errorf("%v", a.header)
	}
	a = l.get("/?token=%0d%0aSet-Cookie:%20x=1", "Authorization", "")
	l.wantProblem(a, problem.Unauthorized, "")
}

// Deep, wide and odd JSON is refused or answered, quickly, everywhere that JSON is taken.
func TestOddJSON(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	deep := strings.Repeat("[", 1<<20)
	wide := `{"script": "1"` + strings.Repeat(`, "script": "1"`, 100_000) + `}`
	for _, path := range []string{"/api/runs", "/api/tools/file_list", "/api/tokens", "/api/links/upload", "/api/links/download"} {
		for what, body := range map[string]string{"deep": deep, "deep member": `{"args": ` + deep, "wide": wide, "not UTF-8": "{\"script\": \"\xff\xfe\", \"nme\": 1}",
			"a number": "1e99999", "NUL": "\x00", "a byte order mark": "\ufeff{}", "surrogates": `{"scr\ud800ipt": "1"}`, "two": "{}{}", "comments": "{/**/}"} {
			start := time.Now()
			a := l.post(path, body)
			if a.status >= 500 || took(start) > patience {
				t.Errorf("%s to %s: %d after %s: %.200s", what, path, a.status, took(start), a.body)
			}
		}
	}
	l.wantProblem(l.post("/api/tools/file_list", `{"pattern": "`+strings.Repeat("x", 9<<20)+`"}`), problem.RequestTooLarge, "")
	l.wantProblem(l.do("PATCH", "/api/files/x", strings.NewReader(strings.Repeat(" ", 9<<20)), "Content-Type", "application/json"), problem.RequestTooLarge, "")
	l.wantStatus(l.run("1"), 200)
}

// A body means to us what it means to whoever looked at it on its way: nothing is taken for
// another name, one of two, or other letters.
func TestAttackByJSONThatCanBeReadTwice(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	l.put("/api/files/a.txt", "a")
	l.wantProblem(l.post("/api/runs", `{"SCRIPT": "return 1"}`), problem.InvalidArgument, "SCRIPT: there is no such member; expected some of script")
	l.wantProblem(l.post("/api/runs", `{"script": "return 1", "Script": "return 2"}`), problem.InvalidArgument, "Script: there is no such member")
	l.wantProblem(l.post("/api/runs", `{"script": "return 1", "args": {"script": 1}, "script": "return 2"}`), problem.InvalidArgument, "script: expected it once")
	l.wantProblem(l.post("/api/tokens", `{"scopes": ["run"], "\u0073copes": ["admin"]}`), problem.InvalidArgument, "scopes: expected it once")
	rename := func(body string) answer {
		return l.do("PATCH", "/api/files/a.txt", strings.NewReader(body), "Content-Type", "application/json")
	}
	l.wantProblem(rename("{\"name\": \"caf\xe9.txt\"}"), problem.InvalidArgument, "UTF-8")
	l.wantProblem(l.post("/api/tools/file_create", "{\"name\": \"b.txt\", \"content\": \"caf\xe9\"}"), problem.InvalidArgument, "UTF-8")
	if l.names() != "a.txt" {
		t.Errorf("files: %s", l.names())
	}
	l.wantStatus(rename(`{"name": "café.txt"}`), 200)
	if a := l.post("/api/runs", `{"script": "return args.a", "args": {"a": 1, "A": 2}}`); !strings.Contains(a.body, `"result":1`) {
		t.Errorf("a script's own arguments: %s", a.body)
	}
}

func took(start time.Time) time.Duration { return time.Since(start) }

// Headers, too, are bounded.
func TestManyHeaders(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	got := l.raw("GET /api/files HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("X-Header: "+strings.Repeat("x", 1000)+"\r\n", 5000) + "\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 431 ") && got != "" { // or the connection is reset first
		t.Errorf("%.100s", got)
	}
	got = l.raw("GET /api/files?" + strings.Repeat("x", 1<<20) + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if strings.HasPrefix(got, "HTTP/1.1 2") {
		t.Errorf("%.100s", got)
	}
}

// Who downloads and does not read is let go.
func TestADownloadThatIsNotRead(t *testing.T) {
	l := newLabOf(t, sandboxd.Config{}, server.Config{ReadPause: 300 * time.Millisecond})
	const size = 32 << 20
	l.wantStatus(l.do("PUT", "/api/files/big.bin", io.LimitReader(zeros{}, size)), 201)
	stuck, err := net.Dial("tcp", strings.TrimPrefix(l.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer stuck.Close()
	fmt.Fprint(stuck, "GET /api/files/big.bin/download HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer "+token+"\r\n\r\n")
	l.until("a client that does not read is served no more", func() bool {
		return strings.Contains(l.get("/metrics").body, `sandboxd_http_requests_total{route="GET /api/files/{id}/download", status="200"} 1`)
	})
	_ = stuck.SetReadDeadline(time.Now().Add(patience))
	if n, _ := io.Copy(io.Discard, stuck); n >= size {
		t.Errorf("a client that did not read got all %d bytes", n)
	}
}

// One that reads slowly, but reads, has the whole pause again for each part of the file.
func TestADownloadThatIsReadSlowly(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	const size = 32 << 20
	l.wantStatus(l.do("PUT", "/api/files/big.bin", io.LimitReader(zeros{}, size)), 201)
	handler := server.New(server.Config{Host: l.host, Token: token, Log: slog.New(slog.DiscardHandler)})
	r := httptest.NewRequest("GET", "http://localhost/api/files/big.bin/download", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	slow := &paced{ResponseWriter: httptest.NewRecorder()}
	handler.ServeHTTP(slow, r)
	if slow.total != size || slow.most == 0 || slow.most > size/16 {
		t.Errorf("of %d bytes, %d had to be read within one pause", slow.total, slow.most)
	}
}

// paced counts what is written until the next deadline is set.
type paced struct {
	http.ResponseWriter
	since, most, total int
}

func (p *paced) SetWriteDeadline(time.Time) error {
	p.since = 0
	return nil
}

func (p *paced) Write(data []byte) (int, error) {
	p.since, p.total = p.since+len(data), p.total+len(data)
	p.most = max(p.most, p.since)
	return len(data), nil
}

// Uploads that stall are given up, and keep nothing.
func TestSlowUploads(t *testing.T) {
	l := newLabOf(t, sandboxd.Config{Limits: limits.Limits{FileBytes: 1 * limits.MB}}, server.Config{BodyPause: 500 * time.Millisecond})
	link, _ := l.link("/api/links/upload", `{"name": "linked.txt"}`)
	for _, request := range []string{"PUT /api/files/slow.txt", "PUT " + link, "POST /api/uploads"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(l.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: 1000\r\nTus-Resumable: 1.0.0\r\nUpload-Length: 1000\r\nUpload-Metadata: %s\r\nContent-Type: %s\r\n\r\nsome",
			request, token, metadata("slow.txt"), partType)
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		text, err := io.ReadAll(conn)
		conn.Close()
		if err != nil || !bytes.HasPrefix(text, []byte("HTTP/1.1 400 ")) {
			t.Errorf("%s: %v %.200s", request, err, text)
		}
	}
	if l.names() != "" {
		t.Errorf("kept: %s", l.names())
	}
}

// Pages of other origins get in where the operator says so, with a token and without cookies.
func TestOriginsThatAreAllowed(t *testing.T) {
	const app = "https://app.example"
	l := newLabOf(t, sandboxd.Config{}, server.Config{Origins: []string{app}})
	preflight := func(origin string) answer {
		return l.do("OPTIONS", "/api/files/a.txt", nil, "Authorization", "", "Origin", origin, "Access-Control-Request-Method", "PUT", "Access-Control-Request-Headers", "authorization,content-type")
	}
	a := preflight(app)
	if a.status != 204 || a.header.Get("Access-Control-Allow-Origin") != app || a.header.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("%d %v", a.status, a.header)
	}
	if a := preflight("https://evil.example"); a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%d %v", a.status, a.header)
	}
	a = l.put("/api/files/a.txt", "x", "Origin", app, "Sec-Fetch-Site", "cross-site")
	l.wantStatus(a, 201)
	if a.header.Get("Access-Control-Allow-Origin") != app {
		t.Errorf("%v", a.header)
	}
	l.wantProblem(l.put("/api/files/b.txt", "x", "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"), problem.Forbidden, "another origin")
	cookie, _, _ := strings.Cut(l.get("/?token="+strings.ReplaceAll(token, " ", "+"), "Authorization", "").header.Get("Set-Cookie"), ";")
	l.wantStatus(l.put("/api/files/c.txt", "x", "Authorization", "", "Cookie", cookie, "Origin", l.url), 201)
	l.wantProblem(l.put("/api/files/d.txt", "x", "Authorization", "", "Cookie", cookie, "Origin", app, "Sec-Fetch-Site", "same-site"), problem.Unauthorized, "")
	if err := server.CheckOrigins([]string{app, "http://localhost:3000"}); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{"app.example", "https://app.example/path", "*", ""} {
		if err := server.CheckOrigins([]string{wrong}); err == nil {
			t.Errorf("%q passes for an origin", wrong)
		}
	}
	// Off unless configured.
	off := newLab(t, sandboxd.Config{})
	if a := off.get("/api/files", "Origin", off.url); a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%v", a.header)
	}
}

func TestMetricsAndReadiness(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	l.put("/api/files/a.txt", "12345")
	l.get("/api/files/a.txt/download")
	l.get("/api/files/nothing")
	l.get("/api/files", "Authorization", "Bearer wrong")
	a := l.get("/metrics")
	for _, want := range []string{
		`sandboxd_http_requests_total{route="PUT /api/files/{id}", status="201"} 1`,
		`sandboxd_http_requests_total{route="GET /api/files/{id}", status="404"} 1`,
		`sandboxd_http_request_duration_seconds_count{route="PUT /api/files/{id}"} 1`,
		`sandboxd_http_request_duration_seconds_bucket{route="PUT /api/files/{id}", le="+Inf"} 1`,
		"sandboxd_upload_bytes_total 5", "sandboxd_download_bytes_total 5", "sandboxd_unauthorized_total 1", "sandboxd_event_streams 0", "process_open_fds",
	} {
		if !strings.Contains(a.body, want) {
			t.Errorf("there is no %s in:\n%s", want, a.body)
		}
	}
	l.wantStatus(l.get("/readyz", "Authorization", ""), 200)
	if err := l.host.Close(); err != nil {
		t.Fatal(err)
	}
	l.wantProblem(l.get("/readyz", "Authorization", ""), problem.Busy, "does not take work")
	l.wantStatus(l.get("/healthz", "Authorization", ""), 200)
}
