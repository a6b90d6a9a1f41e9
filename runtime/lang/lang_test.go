package lang_test

import (
	"bufio"
	"strings"
	"testing"

	"github.com/dop251/goja"

	"github.com/sandboxd/sandboxd/runtime/lang"
)

// fresh is a runtime as a run gets it.
func fresh() *goja.Runtime {
	vm := goja.New()
	vm.SetMaxCallStackSize(2000)
	lang.Install(vm, lang.Options{})
	return vm
}

// evaluate runs an expression and gives its value as text, or what it threw as "Name: message".
func evaluate(t *testing.T, vm *goja.Runtime, expression string) string {
	t.Helper()
	v, err := vm.RunString("(function () { try { return String(" + expression + ") } catch (e) { return e.name + ': ' + e.message } })()")
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v.String()
}

// cases runs a table whose lines are an expression, " → " and the text that Node answers.
func cases(t *testing.T, table string) {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(table))
	for lines.Scan() {
		line := strings.TrimLeft(lines.Text(), " \t")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		expression, want, ok := strings.Cut(line, " → ")
		if !ok {
			t.Fatalf("no arrow in %q", line)
		}
		if got := evaluate(t, fresh(), expression); got != want {
			t.Errorf("%s\n got %s\nwant %s", expression, got, want)
		}
	}
}

func BenchmarkInstall(b *testing.B) {
	for name, source := range map[string]string{"everything": "", "small": "1 + 1"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				vm := goja.New()
				lang.Install(vm, lang.Options{Source: source})
			}
		})
	}
}
