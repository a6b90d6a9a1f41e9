package server_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/http/httpguts"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/server"
)

// Whatever is asked, the answer is one that the document has, and never that something
// went wrong inside.
func FuzzRequest(f *testing.F) {
	for _, seed := range [][5]string{
		{"GET", "/api/files?pattern=*.csv", "Range", "bytes=0-1", ""},
		{"GET", "/api/files/a.txt/download?version=1", "Range", "bytes=0-1,3-", ""},
		{"GET", "/api/files/a.txt/download", "If-None-Match", `W/"x"`, ""},
		{"PUT", "/api/files/b%2Fc.txt", "If-Match", `"x"`, "b"},
		{"PATCH", "/api/files/a.txt", "Content-Type", "application/json", `{"name": "d.txt"}`},
		{"POST", "/api/files/a.txt/restore", "Content-Type", "application/json", `{"version": 1}`},
		{"POST", "/api/files/upload?replace=true", "Content-Type", handmade, half + "x\r\n--b--\r\n"},
		{"POST", "/api/uploads", "Upload-Metadata", "filename YS50eHQ=,x y", ""},
		{"PATCH", "/api/uploads/0193b1f0-0000-7000-8000-000000000000", "Upload-Offset", "0", "x"},
		{"HEAD", "/api/uploads/../files", "Tus-Resumable", "1.0.0", ""},
		{"POST", "/api/links/download", "Content-Type", "application/json", `{"file": "a.txt", "version": 1}`},
		{"POST", "/api/links/upload", "Content-Type", "application/json", `{"name": "x", "expires_in": 60}`},
		{"GET", "/api/signed/eyJtIjoiR0VUIn0.AAAA", "Range", "bytes=-1", ""},
		{"PUT", "/api/signed/e30.?name=x", "Content-Type", "text/plain", "x"},
		{"POST", "/api/tokens", "Content-Type", "application/json", `{"scopes": ["run"], "workspace": "*", "expires_in": 1}`},
		{"DELETE", "/api/tokens/nobody", "Origin", "http://localhost", ""},
		{"GET", "/api/state/k?workspace=other", "Cookie", "sandboxd=x.y", ""},
		{"GET", "/api/tools?format=openai", "Authorization", "Bearer sbx_a_b", ""},
		{"GET", "/?token=x", "Authorization", "", ""},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4])
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	host, err := sandboxd.Open(f.Context(), sandboxd.Config{Log: quiet, Concurrency: 1, Limits: limits.Limits{FileBytes: 1 * limits.MB}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { host.Close() })
	if _, err := host.Files("").Put(f.Context(), sandboxd.Upload{Name: "a.txt", Body: strings.NewReader("0123456789")}); err != nil {
		f.Fatal(err)
	}
	handler := server.New(server.Config{Host: host, Token: token, Log: quiet, Rate: 1e9, Burst: 1e9})
	judge, err := theContract()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, method, target, header, value, body string) {
		at, err := url.ParseRequestURI(target)
		if err != nil || at.Host != "" || !strings.HasPrefix(target, "/") {
			return // no server gets to see it
		}
		switch path := at.Path; {
		case strings.HasPrefix(path, "/api/runs"), strings.HasPrefix(path, "/api/tools/"), // scripts and operations have their own
			strings.HasPrefix(path, "/api/events"), strings.HasPrefix(path, "/api/backup"), strings.HasPrefix(path, "/api/gc"), path == "/metrics":
			return
		}
		req, err := http.NewRequestWithContext(t.Context(), method, "http://localhost"+target, strings.NewReader(body))
		if err != nil || !httpguts.ValidHeaderFieldName(header) || !httpguts.ValidHeaderFieldValue(value) {
			return
		}
		req.RemoteAddr = "127.0.0.1:1"
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Tus-Resumable", "1.0.0")
		req.Header.Set("Upload-Length", "5")
		req.Header.Set(header, value)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, req)
		a := answer{w.Code, w.Header(), w.Body.String()}
		if method == http.MethodHead {
			a.body = ""
		}
		if a.status >= 500 && a.status != http.StatusServiceUnavailable && a.status != http.StatusInsufficientStorage {
			t.Errorf("%s %s with %s: %s and %q: %d %s", method, target, header, value, body, a.status, a.body)
		}
		if err := judge.check(req, a); err != nil {
			t.Errorf("%s %s with %s: %s and %q: %v", method, target, header, value, body, err)
		}
	})
}
