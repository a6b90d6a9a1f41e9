package sandboxd_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/access"
	"github.com/sandboxd/sandboxd/audit"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/sandboxd/sandboxd/workspace"
)

// Whatever is done through the host is in the audit, with who did it, to what, and how it
// went, and is there again after an orderly stop.
func TestAudit(t *testing.T) {
	dir := t.TempDir()
	h, err := sandboxd.Open(t.Context(), sandboxd.Config{Dir: dir, Concurrency: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx := access.With(t.Context(), access.Caller{TokenID: "t1", Name: "reporting", Workspace: "w"})
	ctx = audit.With(ctx, audit.Origin{Via: audit.HTTP, Address: "192.0.2.7", RequestID: "r1"})
	files := h.Files("w")
	file, err := files.Put(ctx, sandboxd.Upload{Name: "a.txt", Session: "s", Body: strings.NewReader("hello")})
	if err != nil {
		t.Fatal(err)
	}
	const script = "const {content} = await files.readText('a.txt'); await files.create('b.txt', undefined, {content: content + '!'})"
	must(t, h.Run(ctx, sandboxd.Run{Script: script, Name: "copy.js", Workspace: "w"}))
	run := must(t, h.Call(ctx, sandboxd.Call{Tool: "file_read_text", Args: []byte(`{"id":"a.txt"}`), Workspace: "w"}))
	if a := h.Run(ctx, sandboxd.Run{Script: "throw new Error('no')", Workspace: "w"}); a.OK {
		t.Fatal("a script that throws succeeds")
	}
	if err := files.Send(ctx, "a.txt", 0, func(o *host.Opened) (int64, error) { return io.Copy(io.Discard, o.Data) }); err != nil {
		t.Fatal(err)
	}
	if err := files.Send(ctx, "none.txt", 0, nil); problem.CodeOf(err) != problem.NotFound {
		t.Fatal(err)
	}
	if err := files.Delete(ctx, file.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Start(ctx, sandboxd.Run{Script: "1", Workspace: "/"}); problem.CodeOf(err) != problem.InvalidArgument {
		t.Fatal(err)
	}
	if _, _, err := h.Tokens().Create(ctx, workspace.NewToken{Name: "second", Workspace: "w", Scopes: access.Scopes()}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Files("other").List(t.Context(), ""); err != nil { // listing is no download
		t.Fatal(err)
	}

	check := func(h *sandboxd.Host) {
		t.Helper()
		list, err := h.Audit(t.Context(), audit.Query{Oldest: true})
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		for _, r := range list {
			line := fmt.Sprintf("%s %s %s in=%d out=%d", r.Action, strings.Replace(r.Name, r.RunID, "", 1), r.Code, r.BytesIn, r.BytesOut)
			for _, f := range r.Files {
				line += fmt.Sprintf(" %s:%s:%d", f.Action, f.Name, f.Version)
			}
			if r.Action == audit.TokenCreate {
				line = r.Action + " " + r.Code
			}
			told = append(told, line)
			if r.Who.Name != "reporting" || r.Who.TokenID != "t1" || r.Who.Via != audit.HTTP || r.Who.Address != "192.0.2.7" || r.Who.RequestID != "r1" {
				t.Errorf("%s was done by %+v", line, r.Who)
			}
			if _, err := time.Parse(time.RFC3339, r.Time); err != nil || r.DurationMs < 0 {
				t.Errorf("%s at %q took %f", line, r.Time, r.DurationMs)
			}
		}
		want := []string{
			"upload a.txt ok in=5 out=0 created:a.txt:1",
			"script copy.js ok in=6 out=5 created:b.txt:1 read:a.txt:1",
			"tool file_read_text ok in=0 out=5 read:a.txt:1",
			"script script.js script_error in=0 out=0",
			"download a.txt ok in=0 out=5 read:a.txt:1",
			"download none.txt not_found in=0 out=0",
			"delete  ok in=0 out=0 deleted:a.txt:0",
			"script script.js invalid_argument in=0 out=0",
			"token_create ok",
		}
		if got := strings.Join(told, "\n"); got != strings.Join(want, "\n") {
			t.Errorf("the audit tells:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
		}
	}
	check(h)
	hash := ""
	for _, c := range []struct {
		q    audit.Query
		want int
	}{
		{audit.Query{Workspace: "w", Action: "script"}, 2},
		{audit.Query{Caller: "reporting", Code: audit.Failed}, 3},
		{audit.Query{Caller: "t1", Code: "script_error"}, 1},
		{audit.Query{Caller: "nobody"}, 0},
		{audit.Query{RunID: run.Receipt.RunID}, 1},
		{audit.Query{File: file.ID}, 5},
		{audit.Query{SessionID: "s"}, 1},
		{audit.Query{Workspace: "other"}, 0},
		{audit.Query{Since: "2100-01-01T00:00:00Z"}, 0},
		{audit.Query{Until: "2100-01-01T01:00:00+01:00", Limit: 2}, 2},
	} {
		list, err := h.Audit(t.Context(), c.q)
		if err != nil || len(list) != c.want {
			t.Errorf("%+v finds %d, %v; want %d", c.q, len(list), err, c.want)
		}
		if c.q.Action == "script" {
			hash = list[1].ScriptHash
		}
	}
	for _, wrong := range []audit.Query{{File: "%"}, {Since: "yesterday"}} {
		if _, err := h.Audit(t.Context(), wrong); problem.CodeOf(err) != problem.InvalidArgument {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
	if source, err := h.AuditScript(t.Context(), "w", hash); err != nil || source != script {
		t.Errorf("the script is %q, %v", source, err)
	}
	if _, err := h.AuditScript(t.Context(), "other", hash); problem.CodeOf(err) != problem.NotFound {
		t.Errorf("another workspace finds the script: %v", err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, sandboxd.Config{Dir: dir})
	check(again)
}

// Paging gives every record once, in order, while others are written.
func TestAuditPages(t *testing.T) {
	h := open(t, sandboxd.Config{})
	const n = 25
	for i := range n {
		if _, err := h.Files("").Put(t.Context(), sandboxd.Upload{Name: fmt.Sprint(i), Body: strings.NewReader("x")}); err != nil {
			t.Fatal(err)
		}
	}
	seen := 0
	for q := (audit.Query{Limit: 10}); ; {
		list, err := h.Audit(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			break
		}
		for _, r := range list {
			seen++
			if want := fmt.Sprint(n - seen); r.Name != want {
				t.Fatalf("record %d is of %s, want %s", seen, r.Name, want)
			}
		}
		q.Before = list[len(list)-1].Seq
	}
	if seen != n {
		t.Errorf("%d records in pages, want %d", seen, n)
	}
}
