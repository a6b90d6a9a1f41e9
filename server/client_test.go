package server_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd"
)

// A client that a generator makes of the document, in strict TypeScript, uploads, runs,
// follows and downloads.
func TestAGeneratedClientWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("generates and compiles a client")
	}
	needNode(t, "@hey-api/openapi-ts", "typescript")
	l := newLab(t, sandboxd.Config{})
	c, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program, err := os.ReadFile("testdata/client.ts")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"openapi.json": c.text, "client.ts": program, "package.json": []byte(`{"type": "commonjs"}`)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	npm, err := filepath.Abs(modules)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(ctx, "node", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", args[0], err, out)
		}
		return string(out)
	}
	run(npm+"/@hey-api/openapi-ts/bin/run.js", "-i", "openapi.json", "-o", "client", "-c", "@hey-api/client-fetch", "--silent")
	run(npm+"/typescript/bin/tsc", "--strict", "--target", "es2022", "--module", "commonjs", "--moduleResolution", "node10", "--ignoreDeprecations", "5.0",
		"--lib", "es2022,dom,dom.iterable", "--typeRoots", filepath.Join(dir, "none"), "--outDir", "out", "client.ts")
	if out := run("out/client.js", l.url, token); !strings.Contains(out, "did everything") {
		t.Error(out)
	}
}
