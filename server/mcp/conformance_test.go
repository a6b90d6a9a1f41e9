package mcp_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/sandboxd/sandboxd/server/mcp"
)

// Every scenario for servers of the official conformance suite passes, without a list of
// expected failures. What a scenario wants to meet and sandboxd has not is a fixture.
func TestConformance(t *testing.T) {
	t.Run("with sessions", func(t *testing.T) {
		conformance(t, "conformance", 32, "--suite", "all")
	})
	// The suite of the protocol without sessions is not released yet.
	t.Run("without sessions", func(t *testing.T) {
		conformance(t, "conformance-next", 40, "--requirements", withoutSessions)
	})
	t.Run("with sessions, by the coming suite", func(t *testing.T) {
		conformance(t, "conformance-next", 33, "--requirements", withSessions)
	})
}

// absent are scenarios of what neither sandboxd nor the SDK does: tasks that outlive a call.
var absent = []string{"tasks-"}

// conformance runs a suite, in which no check may fail or warn.
func conformance(t *testing.T, suite string, least int, args ...string) {
	node(t)
	l := newLab(t, mcp.WithFixtures(mcp.Config{}, addFixtures))
	// The suite has no way to send a token.
	target, err := url.Parse(l.url)
	if err != nil {
		t.Fatal(err)
	}
	target.Path = ""
	proxy := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		// Whole before it is sent: an answer that begins before the proxy has seen the end of
		// the request closes the request's body, and the proxy then drops the connection.
		body, err := io.ReadAll(r.In.Body)
		r.Out.Body = io.NopCloser(bytes.NewReader(body))
		if err != nil { // the client has gone
			r.Out.Body = io.NopCloser(iotest.ErrReader(err))
		}
		r.SetURL(target)
		r.Out.Host = r.In.Host // as it came: the server checks it
		r.Out.Header.Set("Authorization", "Bearer "+l.tokens["operator"])
	}})
	defer proxy.Close()
	results := t.TempDir()
	out, stderr, code := peer(t, append([]string{"node_modules/@modelcontextprotocol/" + suite + "/dist/index.js", "server",
		"--url", proxy.URL + "/mcp", "--output-dir", results}, args...)...)
	if code > 1 { // 1 is of a check that failed; those are looked at
		t.Errorf("exit code %d\n%s%s", code, out, stderr)
	}
	checks, err := filepath.Glob(filepath.Join(results, "*", "checks.json"))
	scenario := func(path string) string { return strings.TrimPrefix(filepath.Base(filepath.Dir(path)), "server-") }
	checks = slices.DeleteFunc(checks, func(path string) bool {
		return slices.ContainsFunc(absent, func(name string) bool { return strings.HasPrefix(scenario(path), name) })
	})
	if err != nil || len(checks) < least {
		t.Fatalf("only %d scenarios were run, %v\n%s", len(checks), err, out)
	}
	passed := 0
	for _, path := range checks {
		var list []struct{ ID, Status, ErrorMessage string }
		raw, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(raw, &list)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, check := range list {
			if s := strings.ToUpper(check.Status); s == "FAILURE" || s == "WARNING" {
				t.Errorf("%s: %s is %s: %s", scenario(path), check.ID, check.Status, check.ErrorMessage)
			} else if s == "SUCCESS" {
				passed++
			}
		}
	}
	t.Logf("%d scenarios, %d checks passed", len(checks), passed)
}
