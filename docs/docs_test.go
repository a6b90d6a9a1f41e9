// Package docs_test keeps the generated pages equal to what they derive from.
//
//	make generate
package docs_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/sandboxd/sandboxd/bindings"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

var update = flag.Bool("update", false, "write the pages anew")

func TestGeneratedPagesAreCurrent(t *testing.T) {
	for name, page := range map[string][]byte{
		"operations.md": []byte(bindings.Table().Reference()),
		"errors.md":     errorsPage(),
	} {
		if *update {
			if err := os.WriteFile(name, page, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		have, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(have, page) {
			t.Errorf("docs/%s is not what the tables say (%v): run make generate", name, err)
		}
	}
}

// Every operation of the table must be sound as a whole: names unique, tools unique.
func TestTheTableIsSound(t *testing.T) {
	if err := bindings.Table().Check(); err != nil {
		t.Fatal(err)
	}
}

func errorsPage() []byte {
	var b bytes.Buffer
	fmt.Fprint(&b, "# Error codes\n\nGenerated from `problem/table.go`. Every error that reaches a script, a tool or a client has one of these\ncodes, a message that says what was wrong with what, and a hint that says what to do.\n")
	for _, e := range problem.Table() {
		fmt.Fprintf(&b, "\n## %s\n\n%s. HTTP status %d. %s\n", e.Code, e.Title, e.Status, e.Hint)
	}
	l := limits.Default()
	fmt.Fprintf(&b, "\n# Limits\n\nThe defaults; none can be switched off.\n\n| limit | default | error |\n|---|---|---|\n")
	row := func(what, amount string, code problem.Code) {
		name := "cut, and marked as cut"
		if code != "" {
			name = fmt.Sprintf("[%s](#%[1]s)", code)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", what, amount, name)
	}
	mb := func(n int64) string { return fmt.Sprintf("%d MB", n/limits.MB) }
	row("wall time of a run", l.WallTime.String(), problem.Timeout)
	row("CPU time of a run", l.CPUTime.String(), problem.CPULimit)
	row("memory of a worker", mb(l.Memory), problem.MemoryLimit)
	row("call stack", "2,000 calls in JavaScript, 16 MB in the worker", problem.StackOverflow)
	row("operations called by a run", fmt.Sprint(l.HostCalls), problem.CallLimit)
	row("console output of a run", fmt.Sprintf("%d KB", l.ConsoleBytes/limits.KB), "")
	row("result of a run, as JSON", mb(l.ResultBytes), problem.ResultTooLarge)
	row("source text of a script", mb(l.ScriptBytes), problem.InvalidArgument)
	row("a file", mb(l.FileBytes), problem.FileTooLarge)
	row("a workspace, versions included", mb(l.WorkspaceSize), problem.WorkspaceFull)
	row("state of a workspace", mb(l.StateBytes), problem.WorkspaceFull)
	row("rows of one db.sql", fmt.Sprint(l.SQLRows), "")
	row("one SQL statement", l.SQLTime.String(), problem.Timeout)
	row("the agent's database", mb(l.DBBytes), problem.DBFull)
	row("pixels of an image", fmt.Sprint(l.Pixels), problem.TooComplex)
	row("pages of a PDF", fmt.Sprint(l.PDFPages), problem.TooComplex)
	row("inflated bytes of a workbook", mb(l.InflatedBytes), problem.TooComplex)
	row("concurrent runs, and runs waiting", "the number of cores, and 100", problem.Busy)
	return b.Bytes()
}
