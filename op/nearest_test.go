package op_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/op"
)

// names makes a table of operations that only have names.
func named(list ...string) op.Table {
	var table op.Table
	for _, name := range list {
		table = append(table, op.Define(name, "tool_"+strings.ToLower(strings.ReplaceAll(name, ".", "_")), do[idIn, ok],
			op.Doc{Summary: "Does something.", Cost: op.CostLookup, Examples: example("1")}))
	}
	return table
}

func contract() op.Table {
	return named("files.list", "files.info", "files.create", "files.delete", "files.copy", "files.rename", "files.download",
		"files.readText", "files.writeText", "files.replaceLines", "files.insertLines", "files.searchText", "files.lineCount",
		"files.append", "files.search", "files.versions", "files.restore",
		"files.readBytes", "files.writeBytes", "files.appendBytes",
		"files.spreadsheet.listSheets", "files.spreadsheet.readRange", "files.spreadsheet.writeRange", "files.spreadsheet.readCell",
		"files.spreadsheet.writeCell", "files.spreadsheet.addSheet", "files.spreadsheet.deleteSheet",
		"files.pdf.info", "files.pdf.extractText", "files.pdf.addPage", "files.pdf.merge", "files.pdf.splitPages",
		"files.image.info", "files.image.resize", "files.image.crop",
		"db.sql", "db.schema", "state.get", "state.set", "state.delete", "state.keys")
}

func TestNearest(t *testing.T) {
	table := contract()
	for wrong, want := range map[string][]string{
		"files.readTxt":               {"files.readText"},
		"files.readtext":              {"files.readText"},
		"files.read_text":             {"files.readText"},
		"files.raedText":              {"files.readText"},
		"files.read":                  {"files.readText", "files.readBytes"},
		"files.write":                 {"files.writeText", "files.writeBytes"},
		"files.readFile":              {"files.readText", "files.readBytes"},
		"files.readLines":             {"files.readText"},
		"files.remove":                {"files.delete"},
		"files.move":                  {"files.rename"},
		"files.stat":                  {"files.info"},
		"files.grep":                  {"files.search", "files.searchText"},
		"fs.unlink":                   {"files.delete"},
		"fs.readText":                 {"files.readText"},
		"file.readText":               {"files.readText"},
		"readText":                    {"files.readText"},
		"spreadsheet.readRange":       {"files.spreadsheet.readRange"},
		"files.readRange":             {"files.spreadsheet.readRange"},
		"files.spreadsheet.getSheets": {"files.spreadsheet.listSheets"},
		"files.spreadsheet.read":      {"files.spreadsheet.readRange", "files.spreadsheet.readCell"},
		"pdf.combine":                 {"files.pdf.merge"},
		"files.pdf.getText":           {"files.pdf.extractText"},
		"db.query":                    {"db.sql"},
		"state.put":                   {"state.set"},
		"files.spredsheet.readRange":  {"files.spreadsheet.readRange"},
	} {
		got := table.Nearest(wrong, 3)
		for _, name := range want {
			if !slices.Contains(got, name) {
				t.Errorf("%s: got %q, want %s among them", wrong, got, name)
			}
		}
		if len(want) == 1 && len(got) > 0 && got[0] != want[0] {
			t.Errorf("%s: got %q, want %s first", wrong, got, want[0])
		}
	}
	for _, wrong := range []string{"", "xyzzy", "files.frobnicate", "then", "toJSON", strings.Repeat("files.", 1000)} {
		if got := table.Nearest(wrong, 3); len(got) > 0 {
			t.Errorf("%.20s is near %q", wrong, got)
		}
	}
	if got := table.Nearest("files.read", 1); len(got) != 1 {
		t.Errorf("asked for one, got %q", got)
	}
}

func TestSearch(t *testing.T) {
	table := sample()
	for words, want := range map[string]string{
		"pdf merge":            "files.pdf.merge",
		"combine PDF files":    "files.pdf.merge",
		"merging pdfs":         "files.pdf.merge",
		"read lines of a file": "files.readText",
		"remove a file":        "files.delete",
		"write excel cells":    "files.spreadsheet.writeRange",
		"glob":                 "files.list",
		"remember a value":     "state.set",
		"database tables":      "db.schema",
		"encoding latin-1":     "files.readText",
		"file_write_bytes":     "files.writeBytes",
	} {
		got := table.Search(words)
		if len(got) == 0 || got[0].Name != want {
			t.Errorf("%q: got %v, want %s first", words, operationNames(got), want)
		}
	}
	for _, words := range []string{"", "   ", "qqqq", "…"} {
		if got := table.Search(words); len(got) > 0 {
			t.Errorf("%q finds %v", words, operationNames(got))
		}
	}
}

func operationNames(list []*op.Operation) []string {
	var names []string
	for _, o := range list {
		names = append(names, o.Name)
	}
	return names
}

func TestHelpAlwaysSaysSomething(t *testing.T) {
	table := sample()
	for _, query := range []string{"", "  ", "files", "files.*", "files.list()", "file_list", "Files.List", "…", strings.Repeat("x", 10000), "a b c d e f g"} {
		if got := table.Help(query); len(got) < 20 || len(got) > 4000 {
			t.Errorf("help(%.20q) says %d characters", query, len(got))
		}
	}
	if got := (op.Table{}).Help(""); got == "" {
		t.Error("the empty table says nothing")
	}
	if !strings.Contains(table.Help("files.readTxt"), "files.readText(id: string") {
		t.Error("a misspelt name is not described")
	}
}
