package sandboxd_test

import (
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/sandboxd/sandboxd"

// TestImportsRunDownwards holds the rules of the tree: which part may know which.
func TestImportsRunDownwards(t *testing.T) {
	forbidden := map[string][]string{
		"problem":   {module},
		"limits":    {module + "/op", module + "/host", module + "/runtime", module + "/worker", module + "/workspace", module + "/server"},
		"access":    {module + "/limits", module + "/op", module + "/host", module + "/runtime", module + "/bindings", module + "/worker", module + "/workspace", module + "/server"},
		"event":     {module},
		"audit":     {module + "/limits", module + "/op", module + "/host", module + "/runtime", module + "/bindings", module + "/worker", module + "/workspace", module + "/server"},
		"backup":    {module + "/op", module + "/runtime", module + "/bindings", module + "/worker", module + "/server"},
		"engine":    {module + "/limits", module + "/op", module + "/host", module + "/runtime", module + "/bindings", module + "/worker", module + "/workspace", module + "/server"},
		"host":      {module + "/op", module + "/runtime", module + "/bindings", module + "/worker", module + "/workspace", module + "/server", "net/http"},
		"op":        {module + "/runtime", module + "/bindings", module + "/worker", module + "/workspace", module + "/server", "net/http"},
		"bindings":  {module + "/runtime", module + "/worker", module + "/workspace", module + "/server", "net/http"},
		"runtime":   {module + "/bindings", module + "/worker", module + "/workspace", module + "/server", "net/http"},
		"worker":    {module + "/workspace", module + "/server"},
		"workspace": {module + "/op", module + "/runtime", module + "/bindings", module + "/worker", module + "/server", "github.com/dop251/goja", "github.com/xuri/excelize", "github.com/pdfcpu/pdfcpu", "github.com/disintegration/imaging"},
		"fetch":     {module + "/runtime", module + "/bindings", module + "/worker", module + "/workspace", module + "/server"},
		"agentdb":   {module + "/runtime", module + "/bindings", module + "/worker", module + "/workspace", module + "/server"},
		"server":    {module + "/cmd", "github.com/dop251/goja"},
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}:{{join .Imports ","}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		pkg, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
		part, _, _ := strings.Cut(strings.TrimPrefix(pkg, module+"/"), "/")
		checked[part] = true
		for _, imported := range strings.Split(imports, ",") {
			for _, rule := range forbidden[part] {
				own := imported == module+"/"+part || strings.HasPrefix(imported, module+"/"+part+"/")
				if !own && (imported == rule || strings.HasPrefix(imported, rule+"/")) {
					t.Errorf("%s imports %s", pkg, imported)
				}
			}
		}
	}
	for part := range forbidden {
		if !checked[part] {
			t.Errorf("there is no package %s: the rule for it holds nothing", part)
		}
	}
}
