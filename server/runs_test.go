package server_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

type runAnswer struct {
	OK      bool
	Result  any
	Logs    []struct{ Level, Text string }
	Error   *problem.Error
	Receipt limits.Receipt
}

type record = workspace.Record

var latest = workspace.RunQuery{Limit: 1}

func TestRun(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	a := l.post("/api/runs", `{"script": "console.warn('hm'); await files.create('a.txt', 'text/plain', {content: 'a'}); return args.n + 1", "args": {"n": 1}, "session_id": "s"}`)
	l.wantStatus(a, 200)
	got := decode[runAnswer](t, a)
	if !got.OK || got.Result != 2.0 || got.Error != nil || len(got.Logs) != 1 || got.Logs[0].Level != "warn" {
		t.Errorf("answer: %s", a.body)
	}
	if r := got.Receipt; r.RunID == "" || r.Calls["files.create"] != 1 || len(r.Files) != 1 || r.Files[0].Name != "a.txt" {
		t.Errorf("receipt: %+v", r)
	}
	if ts := decode[runAnswer](t, l.post("/api/runs", `{"script": "const n: number = 1; return n", "language": "ts"}`)); ts.Result != 1.0 {
		t.Errorf("TypeScript: %+v", ts)
	}
}

// A script that fails is an answer, not a problem of the request.
func TestAFailedScriptIs200(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	for script, want := range map[string]problem.Code{
		"await files.create('half.txt', 'text/plain', {content: ''}); throw new Error('no')": problem.ScriptError,
		"let x = ;":                            problem.SyntaxError,
		"await files.readText('nothing')":      problem.NotFound,
		"await files.readTxt('nothing')":       problem.UnknownOperation,
		"const f = () => f() + f(); f()":       problem.StackOverflow,
		"'" + strings.Repeat("x", 2<<20) + "'": problem.InvalidArgument, // more than a script may have
	} {
		a := l.run(script)
		l.wantStatus(a, 200)
		got := decode[runAnswer](t, a)
		if got.OK || got.Result != nil || got.Error == nil || got.Error.Code != want || got.Receipt.RunID == "" || got.Logs == nil {
			t.Errorf("%.60s: %.300s, want %s", script, a.body, want)
		}
	}
	if l.names() != "" {
		t.Errorf("kept: %s", l.names())
	}
}

func TestWhatIsNoRun(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	for body, says := range map[string]string{
		``:                                    "got nothing",
		`{`:                                   "ended before its end",
		`{"script": "1"`:                      "ended before its end",
		`{script: 1}`:                         "not valid JSON, at byte 2",
		`[]`:                                  "expected a JSON object, got an array",
		`"x"`:                                 "expected a JSON object, got a string",
		`null`:                                "script",
		`{}`:                                  "script",
		`{"script": ""}`:                      "script",
		`{"script": 1}`:                       "script: expected a string, got a number",
		`{"script": "1", "timeout_ms": "5"}`:  "timeout_ms: expected a whole number, got a string",
		`{"script": "1", "timeout_ms": 1.5}`:  "timeout_ms: expected a whole number, got 1.5",
		`{"script": "1", "timeout_ms": -1}`:   "timeout_ms",
		`{"script": "1", "language": "py"}`:   "language",
		`{"script": "1", "on_conflict": "x"}`: "on_conflict",
		`{"script": "1", "scrpt": "1"}`:       "scrpt: there is no such member",
		`{"script": "1"} {"script": "2"}`:     "more follows",
		`{"script": "1"} x`:                   "more follows",
		`{"script": "1", "name": "a\u0000b"}`: "name",
		`{"script": "1", "session_id": "` + strings.Repeat("s", 2000) + `"}`: "session",
	} {
		l.wantProblem(l.post("/api/runs", body), problem.InvalidArgument, says)
	}
	l.wantProblem(l.do("POST", "/api/runs", strings.NewReader(`{"script": "1"}`), "Content-Type", "text/plain"), problem.UnsupportedFormat, "application/json")
	l.wantProblem(l.do("POST", "/api/runs", strings.NewReader(`{"script": "1"}`)), problem.UnsupportedFormat, "application/json")

	// Too much, and too deep.
	l.wantProblem(l.post("/api/runs", `{"script": "`+strings.Repeat("x", 9<<20)+`"}`), problem.RequestTooLarge, "8388608")
	l.wantProblem(l.post("/api/runs", `{"script": "1"}`+strings.Repeat(" ", 9<<20)), problem.RequestTooLarge, "8388608")
	l.wantProblem(l.post("/api/runs", `{"script": "1", "args": `+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+`}`), problem.InvalidArgument, "")
	if runs, err := l.host.Runs("").List(t.Context(), workspace.RunQuery{}); err != nil || len(runs) != 0 {
		t.Errorf("requests that were refused left %d runs, %v", len(runs), err)
	}
	deep := decode[runAnswer](t, l.post("/api/runs", `{"script": "1", "args": `+strings.Repeat("[", 5000)+strings.Repeat("]", 5000)+`}`))
	if !deep.OK && deep.Error == nil {
		t.Errorf("deep args: %+v", deep)
	}
	l.wantStatus(l.run("1"), 200)
}

func TestTheTimeoutIsTheCallersWithinTheHosts(t *testing.T) {
	l := newLab(t, sandboxd.Config{Limits: limits.Limits{WallTime: time.Second}})
	for _, c := range []struct{ ask, says string }{{"200", "200ms"}, {"60000", "1s"}, {"9223372036854775807", "1s"}, {"0", "1s"}} {
		start := time.Now()
		got := decode[runAnswer](t, l.post("/api/runs", `{"script": "for (;;) {}", "timeout_ms": `+c.ask+`}`))
		if got.Error == nil || got.Error.Code != problem.Timeout || !strings.Contains(got.Error.Message, c.says) {
			t.Errorf("%s ms: %+v", c.ask, got.Error)
		}
		if took := time.Since(start); took > patience {
			t.Errorf("%s ms took %s", c.ask, took)
		}
	}
}

// wantLastRun waits until the latest run's record is as it should be.
func (l *lab) wantLastRun(is func(record) bool) {
	l.Helper()
	l.wantLastRunOf("", is)
}

func (l *lab) wantLastRunOf(workspace string, is func(record) bool) {
	l.Helper()
	l.until("the latest run is as it should be", func() bool { // a record has no event that can be awaited here
		runs, err := l.host.Runs(workspace).List(l.Context(), latest)
		if err != nil {
			l.Fatal(err)
		}
		return len(runs) > 0 && is(runs[0])
	})
}

func TestARunIsCancelledWhenItsClientLeaves(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	ctx, leave := context.WithCancel(t.Context())
	body := `{"script": "await files.create('x.txt', 'text/plain', {content: ''}); ` + soundly + `"}`
	req, err := http.NewRequestWithContext(ctx, "POST", l.url+"/api/runs", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	left := make(chan struct{})
	go func() {
		defer close(left)
		if res, err := plain.Do(req); err == nil {
			res.Body.Close()
		}
	}()
	l.wantLastRun(func(r record) bool { return r.Status == "running" })
	leave()
	<-left
	l.wantLastRun(func(r record) bool { return r.Status == "failed" && r.Error.Code == problem.Canceled })
	if l.names() != "" {
		t.Errorf("kept: %s", l.names())
	}
}

func TestABusyHostSaysWhenToComeBack(t *testing.T) {
	l := newLab(t, sandboxd.Config{Concurrency: 1, Queue: -1})
	ctx, end := context.WithCancel(t.Context())
	started, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		l.host.Run(ctx, sandboxd.Run{Script: "console.log('up'); " + soundly,
			Log: func(host.LogLine) { close(started) }})
	}()
	<-started
	a := l.run("1")
	l.wantProblem(a, problem.Busy, "")
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	end()
	<-ended
	l.wantStatus(l.run("1"), 200)
}

func TestTools(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	l.upload("/api/files/upload", part{"n.md", "one\ntwo\n"})
	a := l.post("/api/tools/file_read_text?session_id=s", `{"id": "n.md", "start_line": 2, "end_line": 2}`)
	l.wantStatus(a, 200)
	got := decode[struct {
		OK     bool
		Result struct {
			Content    string
			TotalLines int `json:"total_lines"`
		}
	}](t, a)
	if !got.OK || strings.TrimSpace(got.Result.Content) != "two" || got.Result.TotalLines < 2 {
		t.Errorf("answer: %s", a.body)
	}
	for args, says := range map[string]string{`{"id": "n.md", "start_lin": 2}`: "start_lin", `{}`: "id", `[]`: "object", `null`: "id"} {
		a := l.post("/api/tools/file_read_text", args)
		l.wantStatus(a, 200)
		if got := decode[runAnswer](t, a); got.OK || got.Error.Code != problem.InvalidArgument || !strings.Contains(got.Error.Message, says) {
			t.Errorf("%s: %s", args, a.body)
		}
	}
	l.wantProblem(l.post("/api/tools/file_read_txt", `{}`), problem.UnknownOperation, "file_read_txt")
	l.wantProblem(l.post("/api/tools/"+url.PathEscape("../runs"), `{}`), problem.UnknownOperation, "../runs")
	list := decode[struct{ Tools []struct{ Name string } }](t, l.get("/api/tools"))
	if !slices.ContainsFunc(list.Tools, func(tool struct{ Name string }) bool { return tool.Name == "file_read_text" }) {
		t.Errorf("tools: %+v", list)
	}
	l.wantProblem(l.post("/api/tools/file_list", ``), problem.InvalidArgument, "got nothing")
	l.wantProblem(l.post("/api/tools/file_list", `{`), problem.InvalidArgument, "ended")
}

func TestRunsAreListedShownAndUndone(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	if a := l.get("/api/runs"); a.body != "{\"runs\":[]}\n" {
		t.Errorf("no runs are %q", a.body)
	}
	first := decode[runAnswer](t, l.run("await files.create('a.txt', 'text/plain', {content: '1'})")).Receipt.RunID
	second := decode[runAnswer](t, l.run("await files.writeText('a.txt', '2')")).Receipt.RunID
	list := decode[struct{ Runs []record }](t, l.get("/api/runs?limit=1"))
	if len(list.Runs) != 1 || list.Runs[0].ID != second {
		t.Errorf("list: %+v", list)
	}
	if list = decode[struct{ Runs []record }](t, l.get("/api/runs?before="+second)); len(list.Runs) != 1 || list.Runs[0].ID != first {
		t.Errorf("list before the second: %+v", list)
	}
	for _, limit := range []string{"x", "0", "-1"} {
		l.wantProblem(l.get("/api/runs?limit="+limit), problem.InvalidArgument, "limit")
	}
	if shown := decode[record](t, l.get("/api/runs/"+second)); shown.ID != second || shown.Status != "ok" || shown.Receipt == nil {
		t.Errorf("shown: %+v", shown)
	}
	l.wantProblem(l.get("/api/runs/nope"), problem.NotFound, "nope")
	l.wantProblem(l.do("POST", "/api/runs/nope/undo", nil), problem.NotFound, "nope")
	l.wantProblem(l.do("POST", "/api/runs/"+second+"/undo?force=1", nil), problem.InvalidArgument, "force")

	l.wantProblem(l.do("POST", "/api/runs/"+first+"/undo", nil), problem.Conflict, "a.txt")
	l.wantStatus(l.do("POST", "/api/runs/"+second+"/undo", nil), 200)
	if a := l.get("/api/files/a.txt/download"); a.body != "1" {
		t.Errorf("undone to %q", a.body)
	}
	l.wantProblem(l.do("POST", "/api/runs/"+second+"/undo", nil), problem.Conflict, "undone already")
	l.wantStatus(l.do("POST", "/api/runs/"+first+"/undo?force=true", nil), 200)
	if l.names() != "" {
		t.Errorf("left: %s", l.names())
	}
}
