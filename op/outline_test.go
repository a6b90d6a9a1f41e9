package op_test

import (
	"strings"
	"testing"
)

// The outline names every operation once, in the namespace that its calls begin with.
func TestOutline(t *testing.T) {
	table := sample()
	lines := strings.Split(table.Outline(), "\n")
	for i := range table {
		dot := strings.LastIndexByte(table[i].Name, '.')
		space, own := table[i].Name[:dot+1], table[i].Name[dot+1:]
		found := 0
		for _, line := range lines {
			calls, ok := strings.CutPrefix(line, space)
			for _, call := range strings.Split(calls, "), ") {
				if ok && strings.HasPrefix(call, own+"(") {
					found++
				}
			}
		}
		if found != 1 {
			t.Errorf("%s is there %d times:\n%s", table[i].Name, found, table.Outline())
		}
	}
}
