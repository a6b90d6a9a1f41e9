package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/audit"
	"github.com/sandboxd/sandboxd/backup"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/server"
	"github.com/sandboxd/sandboxd/workspace"
)

// tokenFor makes a token and gives what goes into the Authorization header.
func (l *lab) tokenFor(name, space string, scopes ...access.Scope) string {
	l.Helper()
	_, text, err := l.host.Tokens().Create(l.Context(), workspace.NewToken{Name: name, Workspace: space, Scopes: scopes})
	if err != nil {
		l.Fatal(err)
	}
	return "Bearer " + text
}

type auditAnswer struct {
	Records []audit.Record `json:"records"`
	Next    int64          `json:"next"`
}

func (l *lab) audit(query string, headers ...string) auditAnswer {
	l.Helper()
	a := l.get("/api/audit?"+query, headers...)
	l.wantStatus(a, 200)
	return decode[auditAnswer](l.T, a)
}

// What comes over HTTP is recorded with the token, the address and the request's id.
func TestAuditOverHTTP(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	as := l.tokenFor("ci", "w", access.Run)
	up := decode[struct{ Files []host.File }](t, l.do("POST", "/api/files/upload", strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\n\r\nhello\r\n--b--\r\n"),
		"Content-Type", "multipart/form-data; boundary=b", "Authorization", as))
	if len(up.Files) != 1 {
		t.Fatalf("uploaded %+v", up)
	}
	id := up.Files[0].ID
	ran := l.do("POST", "/api/runs", strings.NewReader(`{"script":"return 1"}`), "Content-Type", "application/json", "Authorization", as, "X-Request-Id", "mine-1")
	if got := ran.header.Get("X-Request-Id"); got != "mine-1" {
		t.Errorf("the answer has the id %q", got)
	}
	part := l.get("/api/files/"+id+"/download", "Authorization", as, "Range", "bytes=1-2")
	l.wantStatus(part, 206)
	l.wantStatus(l.get("/api/files/"+id+"/download", "Authorization", as, "If-None-Match", part.header.Get("ETag")), 304)
	l.wantStatus(l.post("/api/tools/file_list?workspace=other", `{}`), 200)

	got := ""
	records := l.audit("workspace=w&caller=ci").Records
	for _, r := range records {
		got += fmt.Sprintf("%s %s %s in=%d out=%d\n", r.Action, r.Name, r.Code, r.BytesIn, r.BytesOut)
		if r.Who.Via != "http" || r.Who.Address != "127.0.0.1" || len(r.Who.RequestID) < 6 || r.Who.TokenID == "" {
			t.Errorf("%s was done by %+v", r.Action, r.Who)
		}
	}
	if want := "download a.txt ok in=0 out=0\ndownload a.txt ok in=0 out=2\nscript script.js ok in=0 out=0\nupload a.txt ok in=5 out=0\n"; got != want {
		t.Errorf("the audit has:\n%swant:\n%s", got, want)
	}
	if r := records[2]; r.Who.RequestID != "mine-1" {
		t.Errorf("the run's request is %q", r.Who.RequestID)
	}
	script := l.get("/api/audit/scripts/" + records[2].ScriptHash)
	l.wantStatus(script, 200)
	if !strings.Contains(script.body, `"source":"return 1"`) {
		t.Error(script.body)
	}
	l.wantProblem(l.get("/api/audit/scripts/none"), problem.NotFound, "no script")
	if all := l.audit("action=tool&code=ok").Records; len(all) != 1 || all[0].Workspace != "other" || all[0].Who.Name != "operator" {
		t.Errorf("the operator's call is %+v", all)
	}
	l.wantProblem(l.get("/api/audit?since=soon"), problem.InvalidArgument, "since")
	l.wantProblem(l.get("/api/audit?file=%25"), problem.InvalidArgument, "file")
	l.wantProblem(l.get("/api/audit?colour=red"), problem.InvalidArgument, "no such parameter")
}

// The audit is for admins, and an admin of one workspace sees that one.
func TestAuditOfOthers(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	for _, space := range []string{"mine", "theirs"} {
		l.wantStatus(l.post("/api/runs?workspace="+space, `{"script":"'secret of `+space+`'"}`), 200)
	}
	theirs := l.audit("workspace=theirs").Records[0]
	runner, admin := l.tokenFor("runner", "mine", access.Run, access.FilesRead), l.tokenFor("admin", "mine", access.Admin)
	for _, path := range []string{"/api/audit", "/api/audit/export", "/api/audit/scripts/" + theirs.ScriptHash} {
		l.wantProblem(l.get(path, "Authorization", runner), problem.Forbidden, "admin")
	}
	for _, r := range l.audit("", "Authorization", admin).Records {
		if r.Workspace != "mine" {
			t.Errorf("the admin of mine sees %+v", r)
		}
	}
	l.wantProblem(l.get("/api/audit?workspace=theirs", "Authorization", admin), problem.NotFound, "no workspace")
	l.wantProblem(l.get("/api/audit/scripts/"+theirs.ScriptHash, "Authorization", admin), problem.NotFound, "no script")
	if a := l.get("/api/audit/export", "Authorization", admin); strings.Contains(a.body, "theirs") || !strings.Contains(a.body, "mine") {
		t.Error(a.body)
	}
	if list := l.audit("run="+theirs.RunID, "Authorization", admin); len(list.Records) != 0 {
		t.Errorf("it finds %+v", list)
	}
}

func TestAuditPagesAndExport(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	for range 25 {
		if _, err := l.host.Files("").Put(t.Context(), sandboxd.Upload{Name: "a", Body: strings.NewReader("x")}); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[int64]bool{}
	query := "limit=10"
	for pages := 1; ; pages++ {
		list := l.audit(query)
		for _, r := range list.Records {
			if seen[r.Seq] {
				t.Errorf("record %d is there twice", r.Seq)
			}
			seen[r.Seq] = true
		}
		if list.Next == 0 {
			if pages != 3 || len(seen) != 25 {
				t.Errorf("%d records in %d pages", len(seen), pages)
			}
			break
		}
		query = fmt.Sprintf("limit=10&before=%d", list.Next)
	}
	last := int64(0)
	lines := bufio.NewScanner(strings.NewReader(l.get("/api/audit/export?after=5").body))
	n := 0
	for ; lines.Scan(); n++ {
		var r audit.Record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil || r.Seq <= last || r.Seq <= 5 {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		last = r.Seq
	}
	if n != 20 {
		t.Errorf("%d lines after the fifth", n)
	}
}

// An id of a request that is no id does not get into the log, and an address is believed
// from a proxy of ours alone.
func TestWhereARequestCameFrom(t *testing.T) {
	l := newLabOf(t, sandboxd.Config{}, server.Config{Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}})
	direct := newLab(t, sandboxd.Config{})
	for _, c := range []struct {
		lab             *lab
		forwarded, want string
	}{
		{l, "203.0.113.9", "203.0.113.9"},
		{l, "198.51.100.1, 203.0.113.9, 10.1.2.3", "203.0.113.9"}, // the first is the client's own word
		{l, "10.1.2.3", "127.0.0.1"},
		{l, "nonsense", "127.0.0.1"},
		{l, "203.0.113.9, nonsense", "127.0.0.1"},
		{l, "2001:db8::1", "2001:db8::1"},
		{direct, "203.0.113.9", "127.0.0.1"},
	} {
		a := c.lab.do("POST", "/api/tools/file_list", strings.NewReader(`{}`), "Content-Type", "application/json", "X-Forwarded-For", c.forwarded, "X-Request-Id", "a b<")
		c.lab.wantStatus(a, 200)
		if id := a.header.Get("X-Request-Id"); id == "" || strings.ContainsAny(id, " <") {
			t.Errorf("the id is %q", id)
		}
		if got := c.lab.audit("limit=1").Records[0].Who.Address; got != c.want {
			t.Errorf("forwarded for %q: recorded as %q, want %q", c.forwarded, got, c.want)
		}
	}
}

func TestBackupOverHTTP(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	if _, err := l.host.Files("").Put(t.Context(), sandboxd.Upload{Name: "a", Body: strings.NewReader(strings.Repeat("x", 100_000))}); err != nil {
		t.Fatal(err)
	}
	a := l.do("POST", "/api/backup", nil)
	l.wantStatus(a, 200)
	dir := filepath.Join(t.TempDir(), "data")
	if _, err := backup.Restore(t.Context(), backup.FromStream(strings.NewReader(a.body)), dir); err != nil {
		t.Fatal(err)
	}
	again, err := sandboxd.Open(t.Context(), sandboxd.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if f, err := again.Files("").Stat(t.Context(), "a"); err != nil || f.Size != 100_000 {
		t.Errorf("%+v, %v", f, err)
	}
	l.wantProblem(l.do("POST", "/api/backup", nil, "Authorization", l.tokenFor("a", "w", access.Admin)), problem.Forbidden, "whole data folder")
	l.wantProblem(l.do("POST", "/api/backup", nil, "Authorization", l.tokenFor("r", "*", access.Run)), problem.Forbidden, "admin")
	if r := l.audit("action=backup&code=ok").Records; len(r) != 1 || r[0].BytesOut < 100_000 {
		t.Errorf("the audit has %+v", r)
	}
}

func TestCollectOverHTTP(t *testing.T) {
	l := newLab(t, sandboxd.Config{})
	for _, path := range []string{"/api/gc?dry_run=true", "/api/gc"} {
		a := l.post(path, "")
		l.wantStatus(a, 200)
		if !strings.Contains(a.body, `"versions":0`) {
			t.Error(a.body)
		}
	}
	l.wantProblem(l.do("POST", "/api/gc", nil, "Authorization", l.tokenFor("a", "w", access.Admin)), problem.Forbidden, "whole data folder")
	l.wantProblem(l.do("POST", "/api/gc", nil, "Authorization", l.tokenFor("r", "*", access.Run)), problem.Forbidden, "admin")
}
