package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/server/mcp"
)

// The inspector's command line lists and calls tools over both transports. Its strict
// listing has neither errors nor warnings: every client can read the schemas.
func TestInspector(t *testing.T) {
	node(t)
	inspect := func(t *testing.T, server []string, args ...string) string {
		t.Helper()
		all := append([]string{"node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli"}, server...)
		out, stderr, code := peer(t, append(all, args...)...)
		if code != 0 || stderr != "" {
			t.Fatalf("exit code %d\n%s%s", code, out, stderr)
		}
		return out
	}
	l := newLab(t, mcp.Config{})
	data, sandboxd := t.TempDir(), built(t)
	modern := func(tools string) []string {
		return []string{"--transport", "http", "--protocol-era", "modern", "--server-url", l.url + "?tools=" + tools, "--header", "Authorization: Bearer " + l.tokens["alice"]}
	}
	if out := inspect(t, modern("all"), "--method", "tools/list", "--strict"); !strings.Contains(out, `"file_list"`) {
		t.Errorf("without sessions: %.300s", out)
	}
	for name, server := range map[string]func(tools string) []string{
		"http": func(tools string) []string {
			return []string{"--transport", "http", "--server-url", l.url + "?tools=" + tools, "--header", "Authorization: Bearer " + l.tokens["alice"]}
		},
		"stdio": func(tools string) []string { return []string{sandboxd, "mcp", "--data", data, "--tools=" + tools} },
	} {
		t.Run(name, func(t *testing.T) {
			for tools, least := range map[string]int{"code": 2, "all": 40} {
				var list struct{ Tools []struct{ Name string } }
				if err := json.Unmarshal([]byte(inspect(t, server(tools), "--method", "tools/list", "--strict")), &list); err != nil {
					t.Fatal(err)
				}
				if n := len(list.Tools); n < least || tools == "code" && n != least {
					t.Errorf("--tools=%s lists %d tools", tools, n)
				}
			}
			var r struct{ StructuredContent struct{ Result int } }
			out := inspect(t, server("code"), "--method", "tools/call", "--tool-name", "run_script", "--tool-arg", "script=return 6 * 7")
			if err := json.Unmarshal([]byte(out), &r); err != nil || r.StructuredContent.Result != 42 {
				t.Errorf("%v %s", err, out)
			}
		})
	}
}
