package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/engine/enginetest"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/server"
)

func TestMain(m *testing.M) {
	sandboxd.Worker() // the tests' workers are this test binary
	enginetest.Use()
	if dir := os.Getenv(loadDir); dir != "" {
		fmt.Fprintln(os.Stderr, serveLoad(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

const token = "a token of the tests"

// patience is how long a test waits for what must come. It bounds a hang and nothing else: a
// machine may have little time for us.
const patience = 2 * time.Minute

// soundly is a script that goes on until it is cancelled. Labs let their runs take that long.
const soundly = "await new Promise(r => setTimeout(r, 30 * 60_000))"

// lab is a real server on a real host, and a client that has the token.
type lab struct {
	*testing.T
	host *sandboxd.Host
	url  string
}

func newLab(t *testing.T, config sandboxd.Config) *lab {
	t.Helper()
	return newLabOf(t, config, server.Config{})
}

func newLabOf(t *testing.T, config sandboxd.Config, serving server.Config) *lab {
	t.Helper()
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	config.Log = quiet
	if config.Concurrency == 0 {
		config.Concurrency = 1
	}
	if config.Limits.WallTime == 0 {
		config.Limits.WallTime = time.Hour
	}
	host, err := sandboxd.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	serving.Host, serving.Token, serving.Log = host, token, quiet
	s := httptest.NewServer(server.New(serving))
	t.Cleanup(func() {
		s.Close()
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	return &lab{t, host, s.URL}
}

type answer struct {
	status int
	header http.Header
	body   string
}

// do sends a request with the token; headers are pairs, and an empty value removes one.
func (l *lab) do(method, path string, body io.Reader, headers ...string) answer {
	l.Helper()
	req, err := http.NewRequestWithContext(l.Context(), method, l.url+path, body)
	if err != nil {
		l.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
		if headers[i+1] == "" {
			req.Header.Del(headers[i])
		}
	}
	return l.send(req)
}

// plain neither follows redirects nor keeps cookies.
var plain = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func (l *lab) send(req *http.Request) answer {
	l.Helper()
	res, err := plain.Do(req)
	if err != nil {
		l.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		l.Fatal(err)
	}
	a := answer{res.StatusCode, res.Header, string(text)}
	c, err := theContract()
	if err == nil {
		err = c.check(req, a)
	}
	if err != nil {
		l.Errorf("not as the document has it: %v", err)
	}
	return a
}

func (l *lab) get(path string, headers ...string) answer {
	l.Helper()
	return l.do("GET", path, nil, headers...)
}

func (l *lab) post(path, body string) answer {
	l.Helper()
	return l.do("POST", path, strings.NewReader(body), "Content-Type", "application/json")
}

// run submits a script.
func (l *lab) run(script string) answer {
	l.Helper()
	return l.post("/api/runs", encode(l.T, map[string]string{"script": script}))
}

// part is one part of a form; one without a file name is a plain field.
type part struct{ filename, content string }

func (l *lab) upload(path string, parts ...part) answer {
	l.Helper()
	body, kind := formOf(l.T, parts...)
	return l.do("POST", path, body, "Content-Type", kind)
}

func formOf(t *testing.T, parts ...part) (body *bytes.Buffer, contentType string) {
	t.Helper()
	body = &bytes.Buffer{}
	w := multipart.NewWriter(body)
	for _, p := range parts {
		var dst io.Writer
		var err error
		if p.filename == "" {
			dst, err = w.CreateFormField("field")
		} else {
			dst, err = w.CreateFormFile("file", p.filename)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(dst, p.content); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	return body, w.FormDataContentType()
}

// until waits for what is no event.
func (l *lab) until(what string, is func() bool) {
	l.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			l.Fatal("it is not so that ", what)
		}
	}
}

// names lists the workspace's files.
func (l *lab) names() string {
	l.Helper()
	files, err := l.host.Files("").List(l.Context(), "")
	if err != nil {
		l.Fatal(err)
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	return strings.Join(names, " ")
}

func encode(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func decode[T any](t *testing.T, a answer) (value T) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), &value); err != nil {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	return value
}

func (l *lab) wantStatus(a answer, status int) {
	l.Helper()
	if a.status != status {
		l.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
}

// wantProblem checks the shape that every error has, and what it says.
func (l *lab) wantProblem(a answer, code problem.Code, says string) {
	l.Helper()
	entry, ok := problem.Lookup(code)
	if !ok {
		l.Fatalf("%s is no code", code)
	}
	p := decode[struct {
		Type, Title, Detail, Code, Hint string
		Status                          int
	}](l.T, a)
	switch {
	case a.header.Get("Content-Type") != "application/problem+json":
		l.Errorf("content type %q: %s", a.header.Get("Content-Type"), a.body)
	case a.status != entry.Status || p.Status != entry.Status || p.Code != string(code):
		l.Errorf("status %d, want %d %s: %s", a.status, entry.Status, code, a.body)
	case p.Title != entry.Title || p.Hint == "" || p.Type == "":
		l.Errorf("title, hint or type is missing: %s", a.body)
	case !strings.Contains(p.Detail, says):
		l.Errorf("the detail does not say %q: %s", says, a.body)
	}
	for _, goText := range []string{"json:", "multipart:", "http:", "invalid character", "runRequest", "unexpected EOF", os.TempDir()} {
		if strings.Contains(a.body, goText) {
			l.Errorf("the answer has Go's own %q: %s", goText, a.body)
		}
	}
}
