package op_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/sandboxd/sandboxd/op"
)

var update = flag.Bool("update", false, "write the goldens anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; look at it with go test ./op -update and git diff\n%s", path, firstDifference(got, string(want)))
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "got  " + g[i] + "\nwant " + w[i]
		}
	}
	return "one is the beginning of the other"
}

func TestTypeScriptGolden(t *testing.T) { golden(t, "sample.d.ts", sample().TypeScript()) }

func TestReferenceGolden(t *testing.T) { golden(t, "sample.md", sample().Reference()) }

func TestSchemaGolden(t *testing.T) {
	text, err := json.MarshalIndent(sample().Definitions(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "sample.schema.json", string(text)+"\n")
}

func TestHelpGolden(t *testing.T) {
	var b strings.Builder
	for _, query := range []string{"", "files.readText", "file_create", "files.spreadsheet", "pdf merge", "files.remove", "state_set()", "zzzz qqqq"} {
		b.WriteString("> help(" + strings.TrimSpace(query) + ")\n" + sample().Help(query) + "\n")
	}
	golden(t, "sample.help.txt", b.String())
}

// What binding takes, the schema takes, and what the tool answers fits the schema.
func TestSchemasAgreeWithBinding(t *testing.T) {
	table := sample()
	for _, c := range []struct {
		tool, args string
		ok         bool
	}{
		{"file_read_text", `{"id":"a","start_line":1,"encoding":"utf-8"}`, true},
		{"file_read_text", `{"id":"a","start_line":0}`, false},
		{"file_read_text", `{"id":"a","start_line":1.5}`, false},
		{"file_read_text", `{"id":"a","encoding":"x"}`, false},
		{"file_read_text", `{"start_line":1}`, false},
		{"file_read_text", `{"id":"a","options":{}}`, false},
		{"file_read_text", `{"id":7}`, false},
		{"file_list", `{}`, true},
		{"file_create", `{"name":"a","mime_type":"text/plain","tags":["draft"]}`, true},
		{"file_create", `{"name":"a","tags":["x"]}`, false},
		{"file_write_bytes", `{"id":"a","offset":0,"data":"AAE=","ratio":0.5}`, true},
		{"file_write_bytes", `{"id":"a","offset":0,"data":"","ratio":2}`, false},
		{"spreadsheet_write_range", `{"file_id":"a","start_cell":"A1","data":[[1,"x",null],[]],"style":{"font_color":"","widths":{"A":1}}}`, true},
		{"spreadsheet_write_range", `{"file_id":"a","start_cell":"A1","data":[1]}`, false},
		{"spreadsheet_write_range", `{"file_id":"a","start_cell":"A1","data":[],"style":{}}`, false},
		{"pdf_merge", `{"ids":["a"],"ranges":[[1,2]],"fields":{"x":[1]},"deep":[{"n":1}],"flag":true}`, true},
		{"pdf_merge", `{"ids":"a"}`, false},
		{"pdf_merge", `{"ids":[],"ranges":[[0]]}`, false},
		{"state_set", `{"key":"k","value":{"any":["thing"]}}`, true},
		{"state_set", `{"key":"k","value":null}`, true},
		{"state_set", `{"key":"k"}`, false},
		{"db_schema", `{}`, true},
		{"db_schema", `{"x":1}`, false},
	} {
		o, found := table.LookupTool(c.tool)
		if !found {
			t.Fatalf("there is no %s", c.tool)
		}
		_, err := o.BindTool([]byte(c.args))
		if (err == nil) != c.ok {
			t.Errorf("%s %s: bound with %v", c.tool, c.args, err)
		}
		if err := validate(t, o.InSchema(), c.args); (err == nil) != c.ok {
			t.Errorf("%s %s: the schema says %v", c.tool, c.args, err)
		}
	}
	for tool, out := range map[string]any{
		"file_list":       listOut{},
		"file_read_text":  readOut{"x", 1},
		"file_read_bytes": bytesOut{[]byte("x")},
		"state_set":       anyOut{Rows: [][]any{{nil, 1.5}}, Maybe: &listed{}, Left: ptr(1)},
		"db_schema":       nothing{},
	} {
		o, _ := table.LookupTool(tool)
		text, err := o.ResultTool(out)
		check(t, err)
		if err := validate(t, o.OutSchema(), string(text)); err != nil {
			t.Errorf("%s answers %s: %v", tool, text, err)
		}
	}
	o, _ := table.LookupTool("state_set")
	text, err := o.ResultTool(anyOut{})
	check(t, err)
	if err := validate(t, o.OutSchema(), string(text)); err != nil {
		t.Errorf("the zero answer %s: %v", text, err)
	}
	if o.InSchema() != o.InSchema() {
		t.Error("the schema is made more than once")
	}
}

func validate(t *testing.T, schema *jsonschema.Schema, text string) error {
	t.Helper()
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return resolved.Validate(value)
}

// tsc finds the TypeScript compiler: SANDBOXD_TSC, or the one of bench/peers.
func tsc(t *testing.T) string {
	t.Helper()
	path := os.Getenv("SANDBOXD_TSC")
	if path == "" {
		path, _ = filepath.Abs("../bench/peers/node_modules/.bin/tsc")
	}
	if _, err := exec.LookPath(path); err != nil {
		t.Skip("no TypeScript compiler: set SANDBOXD_TSC, or run npm ci in bench/peers")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node to run the TypeScript compiler with")
	}
	return path
}

// compile gives what tsc has to say about a script, wrapped as a run wraps it.
func compile(t *testing.T, tsc string, table op.Table, script string) (complaints string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"sandboxd.d.ts": table.TypeScript(),
		"script.ts":     "async function script() {\n" + script + "\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(tsc, "--strict", "--noEmit", "--target", "es2022", "--lib", "es2022",
		"--typeRoots", dir, "sandboxd.d.ts", "script.ts")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	return string(out)
}

func TestTypeScriptCompiles(t *testing.T) {
	tsc := tsc(t)
	good := `
		const list: { id: string; mime_type: string }[] = await files.list("**/*.csv");
		const made: { id: string } = await files.create("a", null, { content: "x", tags: ["draft", "final"] });
		await files.create("a");
		const { content, totalLines } = await files.readText(made.id, { startLine: 1, encoding: "latin-1" });
		const n: number = totalLines + content.length;
		await files.delete(list[0].id);
		const bytes: Uint8Array = await files.readBytes("a");
		await files.writeBytes("a", 0, bytes);
		await files.writeBytes("a", 0, btoa("x"), 0.5);
		await files.spreadsheet.writeRange("a", "A1", [[1, "x", null]], { fontColor: "#fff", widths: { A: 3 } });
		await files.pdf.merge(["a"], [[1, 2]], null, [{ n: 1 }], true);
		const kept = await state.set("k", { any: "thing" });
		const left: number | undefined = kept.left;
		const maybe: string | undefined = kept.maybe?.name;
		console.log(n, left, maybe, args.whatever, help("pdf"));
		const rows = parseCSV(content).map((row) => row.name.toUpperCase());
		const cells: string = parseCSV(content, { header: false })[0][0] + toCSV([{ a: 1 }]) + toCSV([[1, 2]]);
		const url = new URL("x?y=1", "https://example.com");
		for (const [key, value] of url.searchParams) console.warn(key, value, cells, rows);
		const text = new TextDecoder().decode(new TextEncoder().encode("x")) + atob("eA==") + crypto.randomUUID();
		const timer = setTimeout((a: number) => console.log(a), 1, 2);
		clearTimeout(timer);
		queueMicrotask(() => {});
		const groups = Object.groupBy([1, 2, 3], (n) => (n % 2 ? "odd" : "even"));
		const { promise, resolve: settle } = Promise.withResolvers<number>();
		settle(groups.odd?.length ?? 0);
		resolve(structuredClone({ text, n: await promise, maps: Map.groupBy([1], (n) => n) }));
		return 1;`
	if complaints := compile(t, tsc, sample(), good); complaints != "" {
		t.Errorf("tsc refuses what is right:\n%s", complaints)
	}
	bad := []string{
		`await files.readText();`,
		`await files.readText(1);`,
		`await files.readText("a", { startline: 1 });`,
		`await files.readText("a", { encoding: "x" });`,
		`(await files.readText("a")).total_lines;`,
		`files.readText("a").content;`,
		`await files.create(null);`,
		`await files.nothing("a");`,
		`await files.spreadsheet.writeRange("a", "A1", [1]);`,
		`document.title;`,
		`await fetch("https://example.com");`,
	}
	complaints := compile(t, tsc, sample(), strings.Join(bad, "\n"))
	for i, line := range bad {
		if !strings.Contains(complaints, "script.ts("+itoa(i+2)+",") {
			t.Errorf("tsc takes what is wrong: %s", line)
		}
	}
}

func itoa(n int) string { text, _ := json.Marshal(n); return string(text) }

func TestExamplesOfTheSampleCompile(t *testing.T) {
	tsc := tsc(t)
	var b strings.Builder
	for _, o := range sample() {
		for _, example := range o.Doc.Examples {
			b.WriteString("{\n" + example.Code + "\n}\n")
		}
	}
	if complaints := compile(t, tsc, sample(), b.String()); complaints != "" {
		t.Error(complaints)
	}
}
