package mcp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/server/mcp"
)

// The list of files comes in pages that miss none and repeat none, also when files come and
// go between them.
func TestListOfFiles(t *testing.T) {
	l := newLab(t, mcp.Config{})
	n := 0
	if _, err := l.host.Files("alice").PutAll(t.Context(), func() (sandboxd.Upload, error) {
		if n++; n > 450 {
			return sandboxd.Upload{}, io.EOF
		}
		return sandboxd.Upload{Name: fmt.Sprintf("Ünder %d/f%03d.txt", n%3, n), Body: strings.NewReader("x")}, nil
	}); err != nil {
		t.Fatal(err)
	}
	l.put("bob", "bobs.txt", "b")
	session := l.connect("alice", "", nil)
	seen := map[string]bool{}
	pages, cursor := 0, ""
	for {
		page, err := session.ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		pages++
		for _, r := range page.Resources {
			if seen[r.URI] || !strings.HasPrefix(r.Name, "Ünder") {
				t.Fatalf("%+v", r)
			}
			seen[r.URI] = true
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
		if pages == 1 {
			if err := l.host.Files("alice").Delete(t.Context(), page.Resources[0].Name, page.Resources[199].Name); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(seen) != 450 || pages != 3 {
		t.Errorf("%d files on %d pages", len(seen), pages)
	}
	if _, err := session.ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: "?"}); code(err) != jsonrpc.CodeInvalidParams {
		t.Errorf("a cursor of nobody's: %v", err)
	}
}

func TestReadFiles(t *testing.T) {
	l := newLab(t, mcp.Config{Resource: 1000})
	id := l.put("alice", "notes/a b.md", "first")
	l.put("alice", "notes/a b.md", "second")
	l.put("alice", "dot.png", string(pixel))
	l.put("alice", "long.txt", strings.Repeat("x", 1001))
	l.put("bob", "bobs.txt", "b")
	bobs, err := l.host.Files("bob").Stat(t.Context(), "bobs.txt")
	if err != nil {
		t.Fatal(err)
	}
	session := l.connect("alice", "", nil)
	read := func(uri string) (*sdk.ResourceContents, error) {
		r, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			return nil, err
		}
		return r.Contents[0], nil
	}
	for uri, want := range map[string]string{
		"sandboxd://files/" + id:                             "second",
		"sandboxd://files/" + id + "?version=1":              "first",
		"sandboxd://files/notes/a%20b.md":                    "second",
		"sandboxd://files/" + url.PathEscape("notes/a b.md"): "second",
	} {
		if c, err := read(uri); err != nil || c.Text != want || c.URI != uri || !strings.HasPrefix(c.MIMEType, "text/") {
			t.Errorf("%s: %+v, %v", uri, c, err)
		}
	}
	if c, err := read("sandboxd://files/dot.png"); err != nil || !bytes.Equal(c.Blob, pixel) || c.MIMEType != "image/png" {
		t.Errorf("%+v, %v", c, err)
	}
	for uri, hint := range map[string]string{
		"sandboxd://files/none.txt":              "",
		"sandboxd://files/" + id + "?version=9":  "",
		"sandboxd://files/" + id + "?version=-1": "",
		"sandboxd://files/" + id + "?version=x":  "",
		"sandboxd://files/" + bobs.ID:            "",
		"sandboxd://files/bobs.txt":              "",
		"sandboxd://files/../../../etc/passwd":   "",
		"sandboxd://files/%2e%2e%2fetc%2fpasswd": "",
		"sandboxd://runs/none":                   "",
		"file:///etc/passwd":                     "",
		"sandboxd://files/":                      "",
		"sandboxd://files/long.txt":              "startLine",
	} {
		_, err := read(uri)
		if code(err) != jsonrpc.CodeInvalidParams || !strings.Contains(data(err), hint) || strings.Contains(data(err), "/tmp") {
			t.Errorf("%s: %v %s", uri, err, data(err))
		}
	}

	r := l.call(session, "run_script", `{"script": "return 7"}`)
	runID := structured[struct {
		RunID string `json:"run_id"`
	}](t, r).RunID
	c, err := read("sandboxd://runs/" + runID)
	var record struct {
		ID, Status string
	}
	if err != nil || json.Unmarshal([]byte(c.Text), &record) != nil || record.ID != runID || record.Status != "ok" {
		t.Errorf("%+v, %v", c, err)
	}
	bob := l.connect("bob", "", nil)
	if _, err := bob.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "sandboxd://runs/" + runID}); err == nil {
		t.Error("bob could read a run of alice's")
	}
}

// Completion knows files by the beginning of their name, then by a part of it, then by id.
func TestCompletion(t *testing.T) {
	l := newLab(t, mcp.Config{})
	id := l.put("alice", "Budget.csv", "a,b\n")
	l.put("alice", "Budget.csv", "a,c\n")
	l.put("alice", "old budget.csv", "a,b\n")
	l.put("bob", "budget of bob.csv", "b")
	session := l.connect("alice", "", nil)
	complete := func(ref *sdk.CompleteReference, name, value string, known map[string]string) string {
		r, err := session.Complete(t.Context(), &sdk.CompleteParams{Ref: ref, Argument: sdk.CompleteParamsArgument{Name: name, Value: value},
			Context: &sdk.CompleteContext{Arguments: known}})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(r.Completion.Values, " | ")
	}
	file := &sdk.CompleteReference{Type: "ref/resource", URI: "sandboxd://files/{+file}{?version}"}
	prompt := &sdk.CompleteReference{Type: "ref/prompt", Name: "clean_table"}
	for _, c := range []struct {
		ref               *sdk.CompleteReference
		name, value, want string
		known             map[string]string
	}{
		{file, "file", "bud", "Budget.csv | old budget.csv", nil},
		{prompt, "file", "OLD", "old budget.csv", nil},
		{prompt, "file", id[:30], id, nil},
		{prompt, "file", "none", "", nil},
		{prompt, "rules", "b", "", nil},
		{file, "version", "", "2 | 1", map[string]string{"file": "Budget.csv"}},
		{file, "version", "1", "1", map[string]string{"file": id}},
		{file, "version", "", "", map[string]string{"file": "none"}},
	} {
		if got := complete(c.ref, c.name, c.value, c.known); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.name, c.value, got, c.want)
		}
	}
	runs := &sdk.CompleteReference{Type: "ref/resource", URI: "sandboxd://runs/{run}"}
	if got := complete(runs, "run", "", nil); len(strings.Split(got, " | ")) != 3 {
		t.Errorf("runs: %q", got) // the three uploads
	}
}

func TestPrompts(t *testing.T) {
	l := newLab(t, mcp.Config{})
	l.put("alice", "sales.csv", "a,b\n1,2\n")
	session := l.connect("alice", "", nil)
	for prompt, argument := range map[string]string{"analyse_file": "question", "clean_table": "rules"} {
		r, err := session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: prompt, Arguments: map[string]string{"file": "sales.csv", argument: "Only what matters."}})
		if err != nil {
			t.Fatal(err)
		}
		said, _ := r.Messages[0].Content.(*sdk.TextContent)
		link, _ := r.Messages[1].Content.(*sdk.ResourceLink)
		if said == nil || !strings.Contains(said.Text, "Only what matters.") || !strings.Contains(said.Text, "sales.csv") || link == nil || link.Name != "sales.csv" {
			t.Errorf("%s: %+v", prompt, r.Messages)
		}
		for _, file := range []string{"", "none.csv"} {
			if _, err := session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: prompt, Arguments: map[string]string{"file": file}}); code(err) != jsonrpc.CodeInvalidParams {
				t.Errorf("%s of %q: %v", prompt, file, err)
			}
		}
	}
}

func code(err error) int64 {
	var wire *jsonrpc.Error
	if errors.As(err, &wire) {
		return wire.Code
	}
	return 0
}

func data(err error) string {
	var wire *jsonrpc.Error
	if errors.As(err, &wire) {
		return string(wire.Data)
	}
	return ""
}
