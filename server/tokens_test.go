package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/server"
	"github.com/sandboxd/sandboxd/workspace"
)

// token makes a token of a workspace.
func (l *lab) token(workspaceName string, scopes ...access.Scope) string {
	l.Helper()
	_, text, err := l.host.Tokens().Create(l.Context(), workspace.NewToken{Workspace: workspaceName, Scopes: scopes})
	if err != nil {
		l.Fatal(err)
	}
	return "Bearer " + text
}

// Each request needs its scope; a token without one has nothing but what every token has.
func TestScopesOpenWhatTheySay(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	l.put("/api/files/a.txt", "a")
	run := decode[runAnswer](t, l.run("1")).Receipt.RunID
	l.post("/api/tokens", `{"scopes": ["send"]}`)
	type request struct{ method, path, body string }
	reads := []request{{"GET", "/api/files", ""}, {"GET", "/api/files/a.txt", ""}, {"GET", "/api/files/a.txt/download", ""}, {"GET", "/api/files/a.txt/versions", ""},
		{"GET", "/api/state", ""}, {"GET", "/api/state/k", ""}, {"GET", "/api/workspace", ""}, {"GET", "/", ""}, {"POST", "/api/links/download", `{"file": "a.txt"}`}}
	writes := []request{{"PUT", "/api/files/b.txt", "b"}, {"PATCH", "/api/files/b.txt", `{"name": "c.txt"}`}, {"POST", "/api/files/c.txt/restore", `{"version": 1}`},
		{"DELETE", "/api/files/c.txt", ""}, {"POST", "/api/links/upload", `{}`}, {"OPTIONS", "/api/uploads", ""}}
	runs := []request{{"POST", "/api/runs", `{"script": "1"}`}, {"GET", "/api/runs", ""}, {"GET", "/api/runs/" + run, ""}, {"GET", "/api/runs/" + run + "/logs", ""},
		{"POST", "/api/tools/file_list", `{}`}}
	rules := []request{{"GET", "/api/tokens", ""}, {"GET", "/metrics", ""}}
	anybodys := []request{{"GET", "/api/tools", ""}, {"GET", "/api/types.d.ts", ""}, {"GET", "/api/openapi.json", ""}}
	for scope, opens := range map[access.Scope][][]request{
		access.FilesRead:  {anybodys, reads},
		access.FilesWrite: {anybodys, writes},
		access.Run:        {anybodys, reads, writes, runs},
		access.Send:       {anybodys},
		access.Admin:      {anybodys, rules},
	} {
		bearer := l.token(access.Everywhere, scope)
		open := map[request]bool{}
		for _, list := range opens {
			for _, r := range list {
				open[r] = true
			}
		}
		for _, list := range [][]request{reads, writes, runs, rules, anybodys} {
			for _, r := range list {
				a := l.do(r.method, r.path, strings.NewReader(r.body), "Authorization", bearer, "Content-Type", "application/json")
				if open[r] && a.status >= 300 {
					t.Errorf("%s may not %s %s: %d %s", scope, r.method, r.path, a.status, a.body)
				}
				if !open[r] {
					l.wantProblem(a, problem.Forbidden, "the token has not the scope")
				}
			}
		}
	}
}

// What is another workspace's is not there: not by id, not by name, not by asking for it.
func TestAnotherTenantsThingsAreNotFound(t *testing.T) {
	l := newLab(t, sandboxd.Config{Concurrency: 2})
	mine, theirs := l.token("mine", access.Scopes()...), l.token("theirs", access.Scopes()...)
	file := decode[fileAnswer](t, l.put("/api/files/secret.txt", "secret", "Authorization", mine))
	run := decode[runAnswer](t, l.do("POST", "/api/runs", strings.NewReader(`{"script": "await state.set('k', 'secret'); console.log('secret')"}`),
		"Authorization", mine, "Content-Type", "application/json")).Receipt.RunID
	begun := l.do("POST", "/api/uploads", nil, "Authorization", mine, "Tus-Resumable", "1.0.0", "Upload-Length", "5", "Upload-Metadata", "filename YS50eHQ=")
	l.wantStatus(begun, 201)
	upload := begun.header.Get("Location")
	tokens := decode[struct {
		Tokens []struct{ ID, Workspace string }
	}](t, l.get("/api/tokens", "Authorization", mine)).Tokens
	if len(tokens) != 1 || tokens[0].Workspace != "mine" {
		t.Fatalf("tokens: %+v", tokens)
	}
	for _, r := range []struct{ method, path, body string }{
		{"GET", "/api/files/" + file.ID, ""}, {"GET", "/api/files/" + file.ID + "/download", ""}, {"GET", "/api/files/" + file.ID + "/versions", ""},
		{"PATCH", "/api/files/" + file.ID, `{"name": "x"}`}, {"DELETE", "/api/files/" + file.ID, ""}, {"POST", "/api/files/" + file.ID + "/restore", `{"version": 1}`},
		{"POST", "/api/links/download", `{"file": "` + file.ID + `"}`},
		{"GET", "/api/runs/" + run, ""}, {"GET", "/api/runs/" + run + "/logs", ""}, {"POST", "/api/runs/" + run + "/undo", ""}, {"POST", "/api/runs/" + run + "/cancel", ""},
		{"HEAD", upload, ""}, {"PATCH", upload, "12345"}, {"DELETE", upload, ""}, {"DELETE", "/api/tokens/" + tokens[0].ID, ""},
		{"GET", "/api/files?workspace=mine", ""}, {"GET", "/api/events?workspace=mine", ""}, {"GET", "/api/runs?workspace=mine&before=" + run, ""}, {"GET", "/api/runs?before=" + run, ""}, {"GET", "/api/files?workspace=*", ""},
	} {
		kind := "application/json"
		if r.method == "PATCH" && strings.HasPrefix(r.path, "/api/uploads") {
			kind = "application/offset+octet-stream"
		}
		a := l.do(r.method, r.path, strings.NewReader(r.body), "Authorization", theirs, "Content-Type", kind, "Tus-Resumable", "1.0.0", "Upload-Offset", "0")
		if a.status != 404 || strings.Contains(a.body, "secret") {
			t.Errorf("%s %s: %d %s", r.method, r.path, a.status, a.body)
		}
	}
	if a := l.get("/api/runs", "Authorization", theirs); strings.Contains(a.body, run) || strings.Contains(a.body, "secret") {
		t.Errorf("runs: %s", a.body)
	}
	for path, want := range map[string]string{"/api/files": `{"files":[]}`, "/api/state": `{"state":{}}`} {
		if a := l.get(path, "Authorization", theirs); strings.TrimSpace(a.body) != want {
			t.Errorf("%s: %s", path, a.body)
		}
	}
	l.wantProblem(l.get("/metrics", "Authorization", theirs), problem.Forbidden, "whole server")
	// A new file of the same id is theirs, in their own workspace.
	l.wantStatus(l.put("/api/files/"+file.ID, "theirs", "Authorization", theirs), 201)
	if a := l.get("/api/files/"+file.ID+"/download", "Authorization", mine); a.body != "secret" {
		t.Errorf("mine is %q", a.body)
	}
	// The operator has all of them.
	if a := l.get("/api/files/secret.txt/download?workspace=mine"); a.body != "secret" {
		t.Errorf("for the operator it is %q", a.body)
	}
	l.wantProblem(l.get("/api/files?workspace=../etc"), problem.InvalidArgument, "workspace")
}

func TestTokensAreMadeAndRevoked(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	a := l.post("/api/tokens?workspace=team", `{"name": "ci", "scopes": ["run", "files:read"], "expires_in": 3600}`)
	l.wantStatus(a, 200)
	made := decode[struct{ ID, Token, Workspace, ExpiresOn string }](t, a)
	if made.Workspace != "team" || !strings.HasPrefix(made.Token, "sbx_"+made.ID+"_") {
		t.Errorf("made %s", a.body)
	}
	l.wantStatus(l.get("/api/runs", "Authorization", "Bearer "+made.Token), 200)
	if a := l.get("/api/tokens"); strings.Contains(a.body, made.Token) || strings.Contains(a.body, access.Hash(made.Token)) || !strings.Contains(a.body, made.ID) {
		t.Errorf("the list is %s", a.body)
	}

	// In a browser it is exchanged for a cookie, like the operator's.
	a = l.get("/?token="+made.Token, "Authorization", "")
	l.wantStatus(a, http.StatusSeeOther)
	cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	if cookie == "" || strings.Contains(cookie, made.Token) {
		t.Errorf("the cookie is %q", cookie)
	}
	l.wantStatus(l.get("/api/runs", "Authorization", "", "Cookie", cookie), 200)

	l.wantStatus(l.do("DELETE", "/api/tokens/"+made.ID, nil), 200)
	l.wantProblem(l.get("/api/runs", "Authorization", "Bearer "+made.Token), problem.Unauthorized, "token")
	l.wantProblem(l.get("/api/runs", "Authorization", "", "Cookie", cookie), problem.Unauthorized, "token")
	l.wantProblem(l.do("DELETE", "/api/tokens/nobody", nil), problem.NotFound, "nobody")

	// Nobody makes a token that can do more than their own.
	admin := l.token("team", access.Admin, access.FilesRead)
	create := func(body string) answer {
		return l.do("POST", "/api/tokens", strings.NewReader(body), "Authorization", admin, "Content-Type", "application/json")
	}
	l.wantStatus(create(`{"scopes": ["files:read"]}`), 200)
	l.wantProblem(create(`{"scopes": ["run"]}`), problem.Forbidden, "run")
	l.wantProblem(create(`{"scopes": ["files:read"], "workspace": "*"}`), problem.Forbidden, "own workspace")
	l.wantProblem(create(`{"scopes": ["files:read"], "workspace": "other"}`), problem.Forbidden, "own workspace")
	for body, says := range map[string]string{`{}`: "scopes", `{"scopes": []}`: "scopes", `{"scopes": ["root"]}`: "root", `{"scopes": "run"}`: "scopes",
		`{"scopes": ["run"], "expires_in": -1}`: "expires_in", `{"scopes": ["run"], "workspace": "a b"}`: "workspace"} {
		l.wantProblem(l.post("/api/tokens", body), problem.InvalidArgument, says)
	}
}

// A stream that was opened with a token ends with it.
func TestARevokedTokenFollowsNoMore(t *testing.T) {
	l := newLabOf(t, sandboxd.Config{}, server.Config{Heartbeat: 50 * time.Millisecond})
	a := l.post("/api/tokens?workspace=team", `{"scopes": ["run", "files:read"]}`)
	l.wantStatus(a, 200)
	made := decode[struct{ ID, Token string }](t, a)
	stream := l.follow("/api/events?types=file:created", "Authorization", "Bearer "+made.Token)
	l.wantStatus(l.put("/api/files/a.txt?workspace=team", "x"), 201)
	if e, ok := stream.next(); !ok || e.kind != "file:created" {
		t.Fatalf("got %+v", e)
	}
	l.wantStatus(l.do("DELETE", "/api/tokens/"+made.ID, nil), 200)
	if e, ok := stream.next(); ok {
		t.Errorf("it went on with %+v", e)
	}
}

// Guessing is slowed down, and those who work from the guesser's address are not shut out.
func TestGuessesAreBounded(t *testing.T) {
	l := newLabOf(t, sandboxd.Config{}, server.WithForgiven(server.Config{}, time.Hour))
	good, fresh := l.token("w", access.FilesRead), l.token("w", access.FilesRead)
	l.wantStatus(l.get("/api/files", "Authorization", good), 200)
	refused := 0
	for range 60 {
		a := l.get("/api/files", "Authorization", "Bearer sbx_aaaaaaaaaaaa_WRONG")
		switch a.status {
		case 401:
		case 503:
			refused++
			if a.header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
		default:
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	if refused != 30 {
		t.Errorf("of 60 guesses %d were refused unseen", refused)
	}
	l.wantStatus(l.get("/api/files", "Authorization", good), 200)
	// A right guess is not told from a wrong one meanwhile.
	l.wantProblem(l.get("/api/files", "Authorization", fresh), problem.Busy, "too many wrong tokens")
	l.wantProblem(l.get("/api/signed/x.y", "Authorization", ""), problem.Busy, "too many wrong tokens")
	l.wantStatus(l.get("/healthz", "Authorization", ""), 200)
}

// However many tokens and links an address has used, it goes on with those of now.
func TestGuessesDoNotShutOutWhoIsThereForLong(t *testing.T) {
	l := newLabOf(t, sandboxd.Config{}, server.WithForgiven(server.Config{}, time.Hour))
	l.put("/api/files/a.txt", "a")
	for i := range 120 {
		link, _ := l.link("/api/links/download", fmt.Sprintf(`{"file": "a.txt", "expires_in": %d}`, 100+i))
		l.wantStatus(l.get(link, "Authorization", ""), 200)
	}
	fresh := l.token("w", access.FilesRead)
	l.wantStatus(l.get("/api/files", "Authorization", fresh), 200)
	for l.get("/api/files", "Authorization", "Bearer wrong").status != 503 {
	}
	l.wantStatus(l.get("/api/files", "Authorization", fresh), 200)
	l.wantStatus(l.get("/api/files"), 200)
}

// Each token has its rate, and one that is over it does not take another's.
func TestTokensAreLimited(t *testing.T) {
	l := newLabOf(t, sandboxd.Config{}, server.Config{Rate: 0.01, Burst: 5})
	first, second := l.token("w", access.FilesRead), l.token("w", access.FilesRead)
	for range 5 {
		l.wantStatus(l.get("/api/files", "Authorization", first), 200)
	}
	a := l.get("/api/files", "Authorization", first)
	l.wantProblem(a, problem.Busy, "requests a second")
	if s, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || s < 1 || s > 100 {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
	l.wantStatus(l.get("/api/files", "Authorization", second), 200)

	// The bucket fills by the clock.
	l = newLabOf(t, sandboxd.Config{}, server.Config{Rate: 2, Burst: 1})
	first = l.token("w", access.FilesRead)
	l.wantStatus(l.get("/api/files", "Authorization", first), 200)
	l.until("the token may send again", func() bool { return l.get("/api/files", "Authorization", first).status == 200 })
}

// Each token has so many requests and streams at once.
func TestTokensAreLimitedInWhatTheyHaveOpen(t *testing.T) {
	l := newLabOf(t, sandboxd.Config{}, server.Config{Requests: 1, Streams: 1})
	bearer, other := l.token("w", access.Scopes()...), l.token("w", access.Scopes()...)
	stream := l.follow("/api/events", "Authorization", bearer)
	l.wantProblem(l.get("/api/events", "Authorization", bearer), problem.Busy, "event streams")
	l.wantStatus(l.get("/api/files", "Authorization", bearer), 200) // a stream is not in the way of requests

	done := make(chan struct{})
	go func() {
		defer close(done)
		l.do("POST", "/api/runs", strings.NewReader(`{"script": "`+soundly+`"}`), "Authorization", bearer, "Content-Type", "application/json")
	}()
	run := stream.want("run:started")[0]
	l.wantProblem(l.get("/api/files", "Authorization", bearer), problem.Busy, "under way")
	l.wantStatus(l.get("/api/files", "Authorization", other), 200)
	var started struct{ ID string }
	if err := json.Unmarshal([]byte(run.data), &started); err != nil {
		t.Fatal(err)
	}
	if err := l.host.Runs("w").Cancel(t.Context(), started.ID); err != nil {
		t.Fatal(err)
	}
	<-done
	l.wantStatus(l.get("/api/files", "Authorization", bearer), 200)
}

// Whatever a token asks of what is mounted at /mcp counts with its streams.
func TestTokensAreLimitedOverMCP(t *testing.T) {
	entered := make(chan struct{})
	held := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Held") != "" {
			entered <- struct{}{}
			<-r.Context().Done()
		}
	})
	l := newLabOf(t, sandboxd.Config{}, server.Config{Requests: 1, Streams: 2, MCP: held})
	first, second := l.token("w", access.Scopes()...), l.token("w", access.Scopes()...)
	for _, method := range []string{"POST", "GET"} {
		ctx, leave := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, method, l.url+"/mcp", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Authorization": {first}, "Held": {"yes"}}
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			if res, err := plain.Do(req); err == nil {
				res.Body.Close()
			}
		}()
		t.Cleanup(func() { leave(); <-gone })
		select {
		case <-entered:
		case <-gone:
			t.Fatalf("%s was refused", method)
		}
	}
	for _, more := range []string{"POST /mcp", "GET /mcp", "GET /api/events"} {
		method, path, _ := strings.Cut(more, " ")
		l.wantProblem(l.do(method, path, nil, "Authorization", first), problem.Busy, "event streams")
	}
	l.wantStatus(l.get("/api/files", "Authorization", first), 200)
	l.wantStatus(l.do("POST", "/mcp", nil, "Authorization", second), 200)
}

func TestUnknownParametersAreRefused(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	l.wantProblem(l.get("/api/files?patern=*.csv"), problem.InvalidArgument, "patern: there is no such parameter; expected some of pattern")
	l.wantProblem(l.get("/api/files?pattern=a&pattern=b"), problem.InvalidArgument, "once")
	l.wantProblem(l.get("/api/tools?format=gemini"), problem.InvalidArgument, "format")
	l.wantProblem(l.upload("/api/files/upload?repalce=true", part{"a.txt", "a"}), problem.InvalidArgument, "repalce")
	l.wantProblem(l.get("/healthz?x=1", "Authorization", ""), problem.InvalidArgument, "x")
}

// A token that ends with a time makes none that goes on after it.
func TestATokenMakesNoneThatOutlivesIt(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	maker := decode[struct{ Token string }](t, l.post("/api/tokens", `{"scopes": ["admin", "files:read"], "expires_in": 3600}`)).Token
	create := func(body string) answer {
		return l.do("POST", "/api/tokens", strings.NewReader(body), "Authorization", "Bearer "+maker, "Content-Type", "application/json")
	}
	l.wantProblem(create(`{"scopes": ["files:read"], "expires_in": 7200}`), problem.Forbidden, "outlives")
	for _, body := range []string{`{"scopes": ["files:read"]}`, `{"scopes": ["files:read"], "expires_in": 60}`} {
		a := create(body)
		l.wantStatus(a, 200)
		made := decode[struct {
			ExpiresOn string `json:"expires_on"`
		}](t, a)
		if ends, err := time.Parse(time.RFC3339, made.ExpiresOn); err != nil || time.Until(ends) > time.Hour {
			t.Errorf("%s makes one until %q", body, made.ExpiresOn)
		}
	}
}

// Browsers go on asking with a token that was revoked. That is no guess, and nobody else at
// their address is shut out for it.
func TestRevokedTokensAreNoGuesses(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	a := l.post("/api/tokens", `{"scopes": ["files:read"]}`)
	made := decode[struct{ ID, Token string }](t, a)
	l.wantStatus(l.get("/api/files", "Authorization", "Bearer "+made.Token), 200)
	l.wantStatus(l.do("DELETE", "/api/tokens/"+made.ID, nil), 200)
	for range 60 {
		l.wantProblem(l.get("/api/files", "Authorization", "Bearer "+made.Token), problem.Unauthorized, "")
	}
	l.wantStatus(l.get("/api/files", "Authorization", l.token("w", access.FilesRead)), 200)
}

// A token in the address is counted as one in a header is.
func TestTokensInTheAddressAreLimited(t *testing.T) {
	l := newLabOf(t, sandboxd.Config{}, server.WithForgiven(server.Config{Rate: 0.0001, Burst: 3}, time.Hour))
	text := strings.TrimPrefix(l.token("w", access.FilesRead), "Bearer ")
	for range 3 {
		l.wantStatus(l.get("/?token="+text, "Authorization", ""), http.StatusSeeOther)
	}
	l.wantProblem(l.get("/?token="+text, "Authorization", ""), problem.Busy, "requests a second")
	for range 30 {
		l.get("/?token=sbx_aaaaaaaaaaaa_WRONG", "Authorization", "")
	}
	l.wantProblem(l.get("/?token=sbx_aaaaaaaaaaaa_WRONG", "Authorization", ""), problem.Busy, "too many wrong tokens")
}
