package op_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/sandboxd/sandboxd/op/optest"
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

func TestTypeScriptCompiles(t *testing.T) {
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
		const typed: (string | number | boolean | null)[][] = parseCSV(content, { header: false, types: true, delimiter: ";" });
		const amount: string | number | boolean | null = parseCSV(content, { header: ["amount"], types: true })[0].amount;
		console.table([typed, amount]);
		const last: { id: string } | undefined = list.toSorted((a, b) => a.id.localeCompare(b.id)).findLast((f) => f.id);
		console.log(last, "x".isWellFormed(), URL.parse("x")?.searchParams.get("a"));
		const cells: string = parseCSV(content, { header: false })[0][0] + toCSV([{ a: 1 }]) + toCSV([[1, 2]], { bom: true });
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
	for _, libs := range []string{"es2022", "esnext"} {
		for _, c := range optest.ComplaintsWith(t, libs, sample(), good) {
			t.Errorf("with lib %s, tsc refuses what is right: line %d: %s", libs, c.Line, c.Text)
		}
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
		`parseCSV("a", { heading: true });`,
		`document.title;`,
		`await fetch("https://example.com");`,
	}
	wrong := map[int]bool{}
	for _, c := range optest.Complaints(t, sample(), strings.Join(bad, "\n")) {
		wrong[c.Line] = true
	}
	for i, line := range bad {
		if !wrong[i+1] {
			t.Errorf("tsc takes what is wrong: %s", line)
		}
	}
}

func TestExamplesOfTheSample(t *testing.T) { optest.Examples(t, sample()) }
