package mcp_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/bindings"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/server/mcp"
)

// listed gives a client's tools by name, and how many bytes their list has.
func listed(t *testing.T, session *sdk.ClientSession) (map[string]*sdk.Tool, int) {
	t.Helper()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]*sdk.Tool{}
	for _, tool := range list.Tools {
		tools[tool.Name] = tool
	}
	raw, err := json.Marshal(list.Tools)
	if err != nil {
		t.Fatal(err)
	}
	return tools, len(raw)
}

// Few tokens are the point of the toolset code: about four characters are one.
func TestToolsets(t *testing.T) {
	l := newLab(t, mcp.Config{})
	few, bytes := listed(t, l.connect("alice", "", nil))
	if len(few) != 2 || few["run_script"] == nil || few["search_api"] == nil {
		t.Errorf("the toolset code has %d tools", len(few))
	}
	all, allBytes := listed(t, l.connect("alice", "?tools=all", nil))
	t.Logf("code: %d tools, %d bytes; all: %d tools, %d bytes", len(few), bytes, len(all), allBytes)
	if bytes > 8000 || bytes*8 > allBytes {
		t.Errorf("the toolset code costs %d bytes, all %d", bytes, allBytes)
	}
	if all["file_upload_url"] == nil || all["file_download_url"] == nil || all["undo_run"] == nil || len(all) != len(few)+3+len(bindings.Table()) {
		t.Errorf("the toolset all has %d tools for %d operations", len(all), len(bindings.Table()))
	}
	table := bindings.Table()
	for i := range table {
		checkTool(t, &table[i], all[table[i].Tool])
	}
}

// checkTool holds a tool against its operation.
func checkTool(t *testing.T, o *op.Operation, tool *sdk.Tool) {
	t.Helper()
	if tool == nil {
		t.Errorf("%s has no tool", o.Name)
		return
	}
	a := tool.Annotations
	if a.ReadOnlyHint != o.Doc.ReadOnly || *a.DestructiveHint != o.Doc.Destructive || a.IdempotentHint != (o.Doc.Idempotent || o.Doc.ReadOnly) ||
		*a.OpenWorldHint != (o.Doc.Cost == op.CostNetwork) {
		t.Errorf("%s says %+v of itself", tool.Name, a)
	}
	if tool.Title == "" || strings.Contains(tool.Title, "_") || !strings.HasPrefix(tool.Description, o.Doc.Summary) {
		t.Errorf("%s: title %q, description %q", tool.Name, tool.Title, tool.Description)
	}
	resolved(t, tool.InputSchema)
	if tool.OutputSchema != nil {
		resolved(t, tool.OutputSchema)
	}
}

// resolved makes a validator of a schema as it came over the wire.
func resolved(t *testing.T, schema any) *jsonschema.Resolved {
	t.Helper()
	raw, err := json.Marshal(schema)
	var s jsonschema.Schema
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return r
}

// Answers fit their tools' schemas, failures too: clients refuse those that do not.
func TestAnswersFitTheirSchemas(t *testing.T) {
	l := newLab(t, mcp.Config{Tools: mcp.All})
	l.put("alice", "a.csv", "city,sum\nOslo,3\nRome,4\n")
	session := l.connect("alice", "", nil)
	tools, _ := listed(t, session)
	for _, c := range []struct {
		tool, arguments string
		fails           bool
	}{
		{"file_list", `{}`, false},
		{"file_info", `{"id": "a.csv"}`, false},
		{"file_info", `{"id": "none"}`, true},
		{"file_read_text", `{"id": "a.csv", "start_line": 2}`, false},
		{"file_read_text", `{"id": 7}`, true},
		{"file_read_text", `{"id": "a.csv", "line": 2}`, true},
		{"file_search_text", `{"id": "a.csv", "pattern": "O.lo"}`, false},
		{"spreadsheet_list_sheets", `{"file_id": "a.csv"}`, false},
		{"spreadsheet_get_sheet_summary", `{"file_id": "a.csv", "sheet": "a"}`, false},
		{"spreadsheet_read_range", `{"file_id": "a.csv", "sheet": "a", "range": "A1:B3"}`, false},
		{"spreadsheet_read_rows", `{"file_id": "a.csv", "sheet": "a"}`, false},
		{"db_sql", `{"sql": "select 1 as one, null as empty"}`, false},
		{"db_sql", `{"sql": "select"}`, true},
		{"state_set", `{"key": "k", "value": {"deep": [[1], "x", null]}}`, false},
		{"state_get", `{"key": "k"}`, false},
		{"state_get", `{"key": "none"}`, false},
		{"file_create", `{"name": "b.txt", "content": "b"}`, false},
		{"file_create", `{"name": "b.txt"}`, true},
		{"file_delete", `{"id": "b.txt"}`, false},
		{"run_script", `{"script": "return [1, {a: null}]"}`, false},
		{"run_script", `{"script": "return args.n", "args": {"n": 1}, "timeout_ms": 99999999999999}`, false},
		{"run_script", `{"script": "console.log('before'); throw new Error('on purpose')"}`, true},
		{"run_script", `{"script": "return ("}`, true},
		{"run_script", `{}`, true},
		{"run_script", `{"script": 1}`, true},
		{"run_script", `{"script": "1", "timeout_ms": -1}`, true},
		{"run_script", `{"script": "1", "shell": true}`, true},
		{"search_api", `{"query": "merge cells"}`, false},
		{"search_api", `{}`, false},
		{"search_api", `{"words": "x"}`, true},
	} {
		r := l.call(session, c.tool, c.arguments)
		if r.IsError != c.fails {
			t.Errorf("%s %s: isError is %v: %s", c.tool, c.arguments, r.IsError, text(r))
		}
		if schema := tools[c.tool].OutputSchema; schema != nil {
			if err := resolved(t, schema).Validate(r.StructuredContent); err != nil {
				t.Errorf("%s %s: %v", c.tool, c.arguments, err)
			}
		}
		if text(r) == "" {
			t.Errorf("%s %s has no text", c.tool, c.arguments)
		}
		if failure := structured[struct {
			Error struct{ Code, Message, Hint string }
		}](t, r).Error; c.fails {
			if failure.Code == "" || failure.Message == "" || failure.Hint == "" || !strings.Contains(text(r), failure.Message) {
				t.Errorf("%s %s says %+v in structure and %q as text", c.tool, c.arguments, failure, text(r))
			}
		}
	}
}

// What a script did is told: where it threw, what it printed, which files it left, what it cost.
func TestRunScript(t *testing.T) {
	l := newLab(t, mcp.Config{})
	session := l.connect("alice", "", nil)

	r := l.call(session, "run_script", `{"script": "await files.create('a.txt', undefined, {content: 'a'});\nawait files.create('b.txt');\nawait files.delete('b.txt');\nconsole.warn('careful');\nreturn {n: 1}"}`)
	answer := structured[struct {
		RunID  string `json:"run_id"`
		Result struct{ N int }
		Logs   []string
		Files  []struct{ Name, Action string }
	}](t, r)
	if answer.Result.N != 1 || len(answer.Logs) != 1 || answer.Logs[0] != "warn: careful" || len(answer.Files) != 1 || answer.Files[0].Action != "created" {
		t.Errorf("%s", text(r))
	}
	receipt, _ := r.Meta["sandboxd/receipt"].(map[string]any)
	if receipt["run_id"] != answer.RunID || receipt["calls"].(map[string]any)["files.create"] != 2.0 {
		t.Errorf("the receipt is %v", receipt)
	}
	var linked []string
	for _, content := range r.Content {
		if link, ok := content.(*sdk.ResourceLink); ok {
			linked = append(linked, link.Name)
		}
	}
	if strings.Join(linked, " ") != "a.txt" {
		t.Errorf("links to %v", linked)
	}
	if f, err := l.host.Files("alice").Stat(t.Context(), "a.txt"); err != nil || !strings.HasPrefix(f.SourceSessionID, "mcp-") {
		t.Errorf("%+v, %v", f, err)
	}

	r = l.call(session, "run_script", `{"script": "await files.create('half.txt');\nconsole.log('so far');\nnull.x"}`)
	if !r.IsError || !strings.Contains(text(r), "line 3") || !strings.Contains(text(r), "so far") {
		t.Errorf("%s", text(r))
	}
	if _, err := l.host.Files("alice").Stat(t.Context(), "half.txt"); err == nil {
		t.Error("a script that failed left a file")
	}

	// What a hint speaks of is there for those who read text alone.
	f, err := l.host.Files("alice").Stat(t.Context(), "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	r = l.call(session, "run_script", `{"script": "await files.create('a.txt')"}`)
	if !strings.Contains(text(r), "details.id") || !strings.Contains(text(r), f.ID) {
		t.Errorf("%s", text(r))
	}
}

// The example that teaches the API works as it stands.
func TestTheTaughtExample(t *testing.T) {
	l := newLab(t, mcp.Config{})
	book, err := os.Open(budget(t))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	if _, err := l.host.Files("alice").Put(t.Context(), sandboxd.Upload{Name: "budget.xlsx", Body: book}); err != nil {
		t.Fatal(err)
	}
	session := l.connect("alice", "", nil)
	tools, _ := listed(t, session)
	_, example, ok := strings.Cut(tools["run_script"].Description, "Example:\n")
	if !ok {
		t.Fatal("there is no example")
	}
	script, _ := json.Marshal(map[string]string{"script": example})
	r := l.call(session, "run_script", string(script))
	answer := structured[struct {
		Result struct {
			Head []string
			Sum  int
		}
	}](t, r)
	if r.IsError || answer.Result.Head[3] != "Actual" || answer.Result.Sum != 90*19*20/2 {
		t.Errorf("%s", text(r))
	}
}

// A token without the scope to run is not shown what it cannot do, nor can it do it.
func TestScopes(t *testing.T) {
	l := newLab(t, mcp.Config{Tools: mcp.All})
	l.put("alice", "a.txt", "a")
	session := l.connect("reader", "", nil)
	if tools, _ := listed(t, session); len(tools) != 2 || tools["search_api"] == nil || tools["file_download_url"] == nil {
		t.Errorf("a reader is shown %d tools", len(tools))
	}
	for _, tool := range []string{"run_script", "file_delete"} {
		if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: map[string]any{}}); err == nil {
			t.Errorf("a reader could call %s", tool)
		}
	}
	if list, err := session.ListResources(t.Context(), nil); err != nil || len(list.Resources) != 1 {
		t.Errorf("a reader sees %v, %v", list, err)
	}
}
