package server_test

import (
	"bytes"
	"encoding/base64"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/server"
)

// link makes one and gives its path.
func (l *lab) link(path, body string, headers ...string) (string, access.Link) {
	l.Helper()
	a := l.do("POST", path, strings.NewReader(body), append(headers, "Content-Type", "application/json")...)
	l.wantStatus(a, 200)
	link := decode[access.Link](l.T, a)
	if !strings.HasPrefix(link.URL, l.url+"/api/signed/") {
		l.Fatalf("the link is %s", link.URL)
	}
	return strings.TrimPrefix(link.URL, l.url), link
}

func TestLinksNeedNoToken(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	up, link := l.link("/api/links/upload", `{"name": "in.csv", "session_id": "s"}`)
	if ends, err := time.Parse(time.RFC3339, link.ExpiresOn); err != nil || time.Until(ends) > 15*time.Minute || time.Until(ends) < 14*time.Minute || link.Method != "PUT" {
		t.Errorf("%+v", link)
	}
	a := l.put(up, "a,b\n", "Authorization", "")
	l.wantStatus(a, 201)
	file := decode[fileAnswer](t, a)
	if file.Name != "in.csv" || file.Size != 4 {
		t.Errorf("%s", a.body)
	}
	if got := decode[fileAnswer](t, l.put(up, "again", "Authorization", "")); got.Name != "in (2).csv" {
		t.Errorf("again: %+v", got)
	}
	form, kind := formOf(t, part{"whatever.bin", "c,d\n"})
	if got := decode[uploadAnswer](t, l.do("POST", up, form, "Authorization", "", "Content-Type", kind)); got.Name != "in (3).csv" {
		t.Errorf("as a form: %+v", got)
	}
	form, kind = formOf(t, part{"1.bin", "1"}, part{"2.bin", "2"})
	l.wantProblem(l.do("POST", up, form, "Authorization", "", "Content-Type", kind), problem.InvalidArgument, "one file")
	named, _ := l.link("/api/links/upload", `{"replace": true}`)
	if got := decode[fileAnswer](t, l.put(named+"?name=in.csv", "new", "Authorization", "")); got.ID != file.ID || got.Version != 2 {
		t.Errorf("replaced as %+v", got)
	}
	l.wantProblem(l.put(named, "x", "Authorization", ""), problem.InvalidArgument, "name")

	down, _ := l.link("/api/links/download", `{"file": "in.csv", "version": 1}`)
	a = l.get(down, "Authorization", "", "Range", "bytes=0-2")
	if a.status != 206 || a.body != "a,b" || a.header.Get("Content-Disposition") != `attachment; filename="in.csv"` || a.header.Get("ETag") == "" {
		t.Errorf("%d %q %v", a.status, a.body, a.header)
	}
	latest, _ := l.link("/api/links/download", `{"file": "`+file.ID+`"}`)
	if a := l.get(latest, "Authorization", ""); a.body != "new" {
		t.Errorf("the latest is %q", a.body)
	}

	// A link is for what it says and for nothing else.
	l.wantProblem(l.put(down, "x", "Authorization", ""), problem.Unauthorized, "another method")
	l.wantProblem(l.get(up, "Authorization", ""), problem.Unauthorized, "another method")
	said, mac, _ := strings.Cut(strings.TrimPrefix(down, "/api/signed/"), ".")
	raw, err := base64.RawURLEncoding.DecodeString(said)
	if err != nil {
		t.Fatal(err)
	}
	forged := base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(raw), `"v":1`, `"v":2`, 1)))
	for _, wrong := range []string{forged + "." + mac, said + "." + mac[:len(mac)-1], said + ".", said, "." + mac, "x.y", said + "." + mac + "A"} {
		l.wantProblem(l.get("/api/signed/"+wrong, "Authorization", ""), problem.Unauthorized, "link")
	}
	l.wantProblem(l.get(down, "Authorization", "", "Host", "evil.example"), problem.Forbidden, "Host")
	l.wantProblem(l.put(up, "x", "Authorization", "", "Origin", "https://evil.example"), problem.Forbidden, "another origin")

	for path, bodies := range map[string][]string{
		"/api/links/upload":   {`{"name": "../x"}`, `{"expires_in": -1}`, `{"expires_in": 86401}`, `{"expires_in": 9223372036854775807}`, `{"nam": "x"}`},
		"/api/links/download": {`{}`, `{"file": "in.csv", "version": -1}`},
	} {
		for _, body := range bodies {
			l.wantProblem(l.post(path, body), problem.InvalidArgument, "")
		}
	}
	l.wantProblem(l.post("/api/links/download", `{"file": "nothing"}`), problem.NotFound, "nothing")
	l.wantProblem(l.post("/api/links/download", `{"file": "in.csv", "version": 9}`), problem.NotFound, "9")
}

// A link takes no conditions, so one that is sent is refused and not passed over.
func TestLinksDoNotPassOverConditions(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	l.put("/api/files/a.txt", "mine")
	link, _ := l.link("/api/links/upload", `{"name": "a.txt", "replace": true}`)
	for _, condition := range [][2]string{{"If-None-Match", "*"}, {"If-Match", `"other"`}} {
		l.wantProblem(l.put(link, "yours", condition[0], condition[1]), problem.InvalidArgument, condition[0])
	}
	if a := l.get("/api/files/a.txt/download"); a.body != "mine" {
		t.Errorf("the file is %q", a.body)
	}
	l.wantStatus(l.put(link, "yours"), 201)
}

func TestLinksEnd(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	l.put("/api/files/a.txt", "a")
	// One that may be over before it is used.
	short, _ := l.link("/api/links/download", `{"file": "a.txt", "expires_in": 1}`)

	// With the token that made them.
	bearer := l.token("default", access.FilesRead)
	tied, _ := l.link("/api/links/download", `{"file": "a.txt"}`, "Authorization", bearer)
	l.wantStatus(l.get(tied, "Authorization", ""), 200)
	id, _ := access.TokenID(strings.TrimPrefix(bearer, "Bearer "))
	if _, err := l.host.Tokens().Revoke(t.Context(), access.Everywhere, id); err != nil {
		t.Fatal(err)
	}
	l.wantProblem(l.get(tied, "Authorization", ""), problem.Forbidden, "revoked")

	// With their time.
	l.until("a link of one second is over", func() bool { return l.get(short, "Authorization", "").status != 200 })
	l.wantProblem(l.get(short, "Authorization", ""), problem.Forbidden, "expired")

	// And of another data folder they say nothing.
	other := newLabOf(t, sandboxd.Config{}, server.Config{URL: "https://sandbox.example/"})
	other.put("/api/files/a.txt", "a")
	other.wantProblem(other.get(short, "Authorization", ""), problem.Unauthorized, "link")
	a := other.post("/api/links/download", `{"file": "a.txt"}`)
	if link := decode[access.Link](t, a); !strings.HasPrefix(link.URL, "https://sandbox.example/api/signed/") {
		t.Errorf("the link is %s", link.URL)
	}
}

// A link opens something, so that no log has it, not even that of what went wrong.
func TestLinksAreNotLogged(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	l.put("/api/files/a.txt", "a")
	down, _ := l.link("/api/links/download", `{"file": "a.txt"}`)
	var log bytes.Buffer
	handler := server.New(server.Config{Host: l.host, Token: token, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err := l.host.Close(); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost"+down, nil))
	if w.Code < 500 || !strings.Contains(log.String(), "request failed") {
		t.Fatalf("%d, logged %s", w.Code, log.String())
	}
	if said := strings.TrimPrefix(down, "/api/signed/"); strings.Contains(log.String(), said[:20]) {
		t.Errorf("logged: %s", log.String())
	}
}
