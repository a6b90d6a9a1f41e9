package bindings_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sandboxd/sandboxd/bindings"
	"github.com/sandboxd/sandboxd/op/optest"
)

// The declarations of the whole table, and every example in it, must please tsc --strict.
func TestDeclarationsAndExamples(t *testing.T) {
	optest.Examples(t, bindings.Table())
}

// The TypeScript example must please tsc, too; the JavaScript ones are run by the goldens.
func TestExampleScripts(t *testing.T) {
	scripts, err := filepath.Glob("../scripts/examples/*/*.ts")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, path := range scripts {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if complaints := optest.Complaints(t, bindings.Table(), string(source)); len(complaints) > 0 {
			t.Errorf("%s: %v", path, complaints)
		}
	}
}
