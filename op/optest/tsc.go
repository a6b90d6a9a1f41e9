// Package optest checks an operation table with the TypeScript compiler, for tests.
//
// Imports op. Start reading at Examples.
package optest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/op"
)

// Examples compiles every example of a table against the table's own declarations, with
// tsc --strict, and fails the test for those that do not. It skips without a compiler.
func Examples(t *testing.T, table op.Table) {
	t.Helper()
	var script []string
	owner := map[int]string{} // by line of the script
	for _, o := range table {
		for _, example := range o.Doc.Examples {
			for line := range strings.SplitSeq("{\n"+example.Code+"\n}", "\n") {
				script = append(script, line)
				owner[len(script)] = o.Name
			}
		}
	}
	for _, c := range Complaints(t, table, strings.Join(script, "\n")) {
		t.Errorf("an example of %s: %s\n\t%s", owner[c.Line], c.Text, script[max(c.Line-1, 0)])
	}
}

// Complaint is something that the compiler finds wrong.
type Complaint struct {
	Line int // of the script, from 1; 0 if it is about something else
	Text string
}

var place = regexp.MustCompile(`^script\.ts\((\d+),\d+\): (.*)`)

// Complaints compiles a script, wrapped as a run wraps it, against a table's declarations
// and lib es2022. It skips the test when there is no compiler.
func Complaints(t *testing.T, table op.Table, script string) []Complaint {
	t.Helper()
	return ComplaintsWith(t, "es2022", table, script)
}

// ComplaintsWith is Complaints with other libs, as tsc --lib takes them.
func ComplaintsWith(t *testing.T, libs string, table op.Table, script string) []Complaint {
	t.Helper()
	compiler := compiler(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"sandboxd.d.ts": table.TypeScript(),
		"script.ts":     "async function script() {\n" + script + "\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(compiler, "--strict", "--noEmit", "--target", "es2022", "--lib", libs,
		"--typeRoots", dir, "sandboxd.d.ts", "script.ts")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	var list []Complaint
	for line := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
		at := 0
		if m := place.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1])
			at, line = n-1, m[2]
		}
		list = append(list, Complaint{at, line})
	}
	return list
}

// compiler finds tsc: SANDBOXD_TSC, or the one that bench/peers pins.
func compiler(t *testing.T) string {
	t.Helper()
	path := os.Getenv("SANDBOXD_TSC")
	if path == "" {
		path = filepath.Join(root(t), "bench/peers/node_modules/.bin/tsc")
	}
	if _, err := exec.LookPath(path); err != nil {
		t.Skip("no TypeScript compiler: set SANDBOXD_TSC, or run npm ci in bench/peers")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node to run the TypeScript compiler with")
	}
	return path
}

// root is the folder of the module that the test belongs to.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}
