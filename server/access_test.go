package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/server"
)

func TestOnlyTheTokenOpens(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	for _, header := range []string{"", "Bearer wrong", "Bearer ", "Bearer " + token + "x", "Bearer  " + token, "Basic " + token, token} {
		a := l.get("/api/files", "Authorization", header)
		l.wantProblem(a, problem.Unauthorized, "token")
		if a.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%q: no WWW-Authenticate", header)
		}
	}
	l.wantStatus(l.get("/api/files"), 200)
	l.wantStatus(l.get("/api/files", "Authorization", "bearer "+token), 200)
	l.wantProblem(l.get("/nowhere", "Authorization", ""), problem.Unauthorized, "token")
	l.wantProblem(l.do("POST", "/healthz", nil, "Authorization", ""), problem.Unauthorized, "token")
	l.wantStatus(l.get("/healthz", "Authorization", ""), 200)
	l.wantStatus(l.get("/healthz", "Authorization", "", "Host", "10.1.2.3.probe.internal"), 200)
}

func TestWithoutATokenNothingOpens(t *testing.T) {
	h := server.New(server.Config{})
	for _, address := range []string{"/api/files?token=", "/api/files"} {
		for _, header := range []string{"", "Bearer ", "Bearer"} {
			r := httptest.NewRequest("GET", "http://localhost"+address, nil)
			if header != "" {
				r.Header.Set("Authorization", header)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != 401 {
				t.Errorf("%s with %q: status %d", address, header, w.Code)
			}
		}
	}
}

// A person opens the printed address once; then the token is out of the address bar.
func TestTheTokenMovesFromTheAddressIntoACookie(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	address := "token=" + strings.ReplaceAll(token, " ", "+")
	a := l.get("/?"+address, "Authorization", "")
	l.wantStatus(a, http.StatusSeeOther)
	if got := a.header.Get("Location"); got != "/" {
		t.Errorf("sent to %q", got)
	}
	cookie := a.header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie has no %s: %s", want, cookie)
		}
	}
	if strings.Contains(cookie, token) {
		t.Errorf("the cookie has the token itself: %s", cookie)
	}
	pair, _, _ := strings.Cut(cookie, ";")
	l.wantStatus(l.get("/", "Authorization", "", "Cookie", pair), 200)
	l.wantStatus(l.get("/api/files", "Authorization", "", "Cookie", pair), 200)

	// The cookie's value is not a token, nor the token a cookie's value.
	name, value, _ := strings.Cut(pair, "=")
	l.wantProblem(l.get("/api/files", "Authorization", "Bearer "+value), problem.Unauthorized, "")
	l.wantProblem(l.get("/api/files", "Authorization", "", "Cookie", name+"=\""+token+"\""), problem.Unauthorized, "")
	// Nor does a good cookie mend a wrong token.
	l.wantProblem(l.get("/api/files", "Authorization", "Bearer wrong", "Cookie", pair), problem.Unauthorized, "")

	a = l.get("/api/files?pattern=*.csv&"+address, "Authorization", "")
	l.wantStatus(a, http.StatusSeeOther)
	if got := a.header.Get("Location"); got != "/api/files?pattern=%2A.csv" {
		t.Errorf("sent to %q", got)
	}
	a = l.get("/%2Fevil.example/?"+address, "Authorization", "")
	if got := a.header.Get("Location"); strings.HasPrefix(got, "//") || !strings.HasPrefix(got, "/") {
		t.Errorf("sent to another host: %q", got)
	}
	l.wantProblem(l.get("/?token=wrong", "Authorization", ""), problem.Unauthorized, "")
	l.wantProblem(l.do("POST", "/api/runs?"+address, strings.NewReader("{}"), "Authorization", ""), problem.Unauthorized, "")
}

// A page of a name that an attacker points at 127.0.0.1 must not reach the API.
func TestUnknownHostNamesAreRefused(t *testing.T) {
	l := newLabOf(t, sandboxd.Config{}, server.Config{Hosts: []string{"Sandbox.Example"}})
	for _, host := range []string{"evil.example", "evil.example:8420", "localhost.evil.example", "127.0.0.1.evil.example", "sandbox.example.evil", "[evil]:80"} {
		l.wantProblem(l.get("/api/files", "Host", host), problem.Forbidden, "Host header")
	}
	for _, host := range []string{"localhost", "LOCALHOST:1", "127.0.0.1:99", "[::1]:8420", "[::1]", "192.168.1.5:8420", "sandbox.example", "SANDBOX.example:443"} {
		l.wantStatus(l.get("/api/files", "Host", host), 200)
	}
}

func TestPagesOfOtherOriginsAreRefused(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	for _, header := range [][]string{
		{"Origin", "https://evil.example"},
		{"Origin", "null"},
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"}, // another port of localhost
	} {
		body := strings.NewReader(`{"script": "await files.create('x', 'text/plain', {content: ''})"}`)
		a := l.do("POST", "/api/runs", body, append(header, "Content-Type", "application/json")...)
		l.wantProblem(a, problem.Forbidden, "another origin")
	}
	if l.names() != "" {
		t.Errorf("something was made: %s", l.names())
	}
	a := l.do("POST", "/api/runs", strings.NewReader(`{"script": "1"}`), "Content-Type", "application/json", "Origin", l.url)
	l.wantStatus(a, 200)
}

func TestEveryAnswerIsHardened(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	for _, path := range []string{"/", "/healthz", "/api/files", "/nowhere"} {
		a := l.get(path)
		for header, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin",
			"Access-Control-Allow-Origin": ""} {
			if got := a.header.Get(header); got != want {
				t.Errorf("%s: %s is %q", path, header, got)
			}
		}
	}
}

func TestWhatNoRouteTakes(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	for _, c := range []struct{ method, path, allow string }{
		{"PUT", "/api/runs", "GET, HEAD, POST"},
		{"OPTIONS", "/api/runs", "GET, HEAD, POST"},
		{"GET", "/api/tools/file_list", "POST"},
		{"GET", "/api/links/upload", "POST"},
		{"DELETE", "/api/files", "GET, HEAD"},
		{"POST", "/", "GET, HEAD"},
		{"POST", "/healthz", "GET, HEAD"},
		{"DELETE", "/api/openapi.json", "GET, HEAD"},
		{"DELETE", "/api/signed/x.y", "GET, HEAD, POST, PUT"},
	} {
		a := l.do(c.method, c.path, nil)
		l.wantProblem(a, problem.MethodNotAllowed, c.method)
		if got := a.header.Get("Allow"); got != c.allow {
			t.Errorf("%s %s: Allow is %q, want %q", c.method, c.path, got, c.allow)
		}
	}
	for _, path := range []string{"/api", "/api/nothing", "/api/files/x/y", "/favicon.ico"} {
		l.wantProblem(l.get(path), problem.NotFound, path)
	}
	a := l.do("HEAD", "/api/files", nil)
	if a.status != 200 || a.body != "" || a.header.Get("Content-Type") != "application/json" {
		t.Errorf("HEAD answers %d %q", a.status, a.body)
	}
}

// Behind a proxy that ends TLS the cookie is for TLS alone, and links lead through it; what
// anybody else says of TLS is not believed.
func TestTLSThatAProxyEnds(t *testing.T) {
	address := "/?token=" + strings.ReplaceAll(token, " ", "+")
	for _, c := range []struct {
		proxies []netip.Prefix
		proto   string
		secure  bool
	}{
		{[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, "https", true},
		{[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, "HTTPS, http", true},
		{[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, "http", false},
		{[]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, "", false},
		{[]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, "https", false},
		{nil, "https", false},
	} {
		l := newLabOf(t, sandboxd.Config{}, server.Config{Proxies: c.proxies})
		a := l.get(address, "Authorization", "", "X-Forwarded-Proto", c.proto, "X-Forwarded-For", "192.0.2.1")
		if got := strings.Contains(a.header.Get("Set-Cookie"), "Secure"); got != c.secure {
			t.Errorf("%v, %s: %s", c.proxies, c.proto, a.header.Get("Set-Cookie"))
		}
		a = l.do("POST", "/api/links/upload", strings.NewReader("{}"), "Content-Type", "application/json", "X-Forwarded-Proto", c.proto)
		if got := strings.HasPrefix(decode[access.Link](t, a).URL, "https://"); got != c.secure {
			t.Errorf("%v, %s: %s", c.proxies, c.proto, a.body)
		}
	}
}
