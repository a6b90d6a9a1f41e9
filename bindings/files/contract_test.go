package files_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/op/optest"
	"github.com/sandboxd/sandboxd/problem"
)

func TestTableIsSound(t *testing.T) {
	if err := table.Check(); err != nil {
		t.Fatal(err)
	}
	tools := "file_list file_info file_create file_delete file_copy file_rename file_download file_read_text file_write_text " +
		"file_replace_lines file_insert_lines file_search_text file_line_count file_read_bytes file_write_bytes file_append_bytes " +
		"file_versions file_restore file_search file_append"
	for tool := range strings.FieldsSeq(tools) {
		if _, ok := table.LookupTool(tool); !ok {
			t.Errorf("there is no %s", tool)
		}
	}
}

// The JavaScript side answers what the contract says, names and all.
func TestJavaScriptShapes(t *testing.T) {
	r := newRun(t)
	f := r.host.Add(t, "a.csv", []byte("a,b\n1,2\n"))
	opts := func(name string, value any) op.Object { return op.Object{{Name: name, Value: value}} }
	tests := []struct {
		name string
		args []any
		want string
	}{
		{"files.list", nil, "[{id name size mime_type modified_on}]"},
		{"files.list", []any{"*.txt"}, "[]"},
		{"files.info", []any{f.ID}, "{id name mime_type size source source_session_id created_on modified_on version hash}"},
		{"files.create", []any{"b.txt"}, "{id name}"},
		{"files.create", []any{"c.txt", "text/plain", opts("content", "x")}, "{id name}"},
		{"files.create", []any{"d.txt", opts("content", "x")}, "{id name}"},
		{"files.copy", []any{"a.csv", "e.csv"}, "{id name}"},
		{"files.rename", []any{"e.csv", "f.csv"}, "{id name}"},
		{"files.delete", []any{"f.csv"}, "{deleted}"},
		{"files.readText", []any{"a.csv"}, "{content totalLines}"},
		{"files.readText", []any{f.ID, op.Object{{Name: "startLine", Value: int64(1)}, {Name: "endLine", Value: int64(1)}}}, "{content totalLines}"},
		{"files.readText", []any{f.ID, opts("version", int64(1))}, "{content totalLines}"},
		{"files.writeText", []any{"b.txt", "x"}, "{ok size}"},
		{"files.append", []any{"b.txt", "x"}, "{ok size}"},
		{"files.replaceLines", []any{"b.txt", int64(1), int64(1), "y"}, "{ok totalLines}"},
		{"files.insertLines", []any{"b.txt", int64(0), "y"}, "{ok totalLines}"},
		{"files.searchText", []any{"b.txt", "y"}, "{matches:[{line content}] truncated}"},
		{"files.searchText", []any{"b.txt", "Y", op.Object{{Name: "ignoreCase", Value: true}, {Name: "context", Value: int64(1)}, {Name: "max", Value: int64(1)}}},
			"{matches:[{line content after}] truncated}"},
		{"files.search", []any{"y", op.Object{{Name: "glob", Value: "b*"}, {Name: "ignoreCase", Value: true}, {Name: "max", Value: int64(5)}}},
			"{matches:[{id name line content}] files skipped truncated}"},
		{"files.lineCount", []any{"b.txt"}, "int64"},
		{"files.readBytes", []any{"b.txt", int64(0), int64(2)}, "string"},
		{"files.writeBytes", []any{"b.txt", int64(0), "AAA="}, "{ok size}"},
		{"files.appendBytes", []any{"b.txt", "AAA="}, "{ok size}"},
		{"files.versions", []any{"a.csv"}, "[{version name size mime_type hash action run_id modified_on}]"},
		{"files.restore", []any{"a.csv", int64(1)}, "{id name size version}"},
	}
	for _, test := range tests {
		if got := shapeOf(r.do(test.name, test.args...)); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

func shapeOf(value any) string {
	switch v := value.(type) {
	case op.Object:
		var names []string
		for _, m := range v {
			name := m.Name
			if _, ok := m.Value.([]any); ok {
				name += ":" + shapeOf(m.Value)
			}
			names = append(names, name)
		}
		return "{" + strings.Join(names, " ") + "}"
	case []any:
		if len(v) == 0 {
			return "[]"
		}
		return "[" + shapeOf(v[0]) + "]"
	}
	return reflect.TypeOf(value).String()
}

// The tools' parameters are those of the contract.
func TestToolSchemas(t *testing.T) {
	want := map[string]string{
		"file_list":          "pattern?",
		"file_info":          "id",
		"file_read_text":     "id start_line? end_line? version?",
		"file_write_text":    "id content",
		"file_replace_lines": "id start_line end_line content",
		"file_create":        "name mime_type? content?",
		"file_delete":        "id",
		"file_download":      "url filename?",
		"file_insert_lines":  "id after_line content",
		"file_search":        "pattern glob? ignore_case? max?",
		"file_read_bytes":    "id offset length",
	}
	for tool, params := range want {
		o, ok := table.LookupTool(tool)
		if !ok {
			t.Errorf("there is no %s", tool)
			continue
		}
		schema := o.InSchema()
		var got []string
		for _, name := range schema.PropertyOrder {
			if !slices.Contains(schema.Required, name) {
				name += "?"
			}
			got = append(got, name)
		}
		if strings.Join(got, " ") != params {
			t.Errorf("%s: got %q, want %q", tool, got, params)
		}
	}
}

func TestExamplesCompile(t *testing.T) { optest.Examples(t, table) }

// A wrong name is answered with the right one, a run's first wrong names are: each answer
// looks through the list.
func TestWrongNamesAreHelped(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "data/report.txt", []byte("1"))
	const help = `Did you mean "data/report.txt"?`
	helped := 0
	for range 30 {
		_, err := r.tool("file_read_text", `{"id": "Report.txt"}`)
		if problem.CodeOf(err) != problem.NotFound {
			t.Fatal(err)
		}
		if problem.From(err).Hint == help {
			helped++
		}
	}
	if lists := r.host.Calls()["List"]; helped != 10 || lists != helped {
		t.Errorf("helped %d times by %d lists", helped, lists)
	}
}
