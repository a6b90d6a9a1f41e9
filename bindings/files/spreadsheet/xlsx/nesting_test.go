package xlsx

import (
	"strings"
	"testing"
)

// What is asked of each X, from left to right.
func TestNesting(t *testing.T) {
	for _, c := range []struct{ formula, functions, read, whole string }{
		{"X", "-", "y", "n"},
		{"(X)", "-", "y", "n"},
		{"SUM(X,X)+X", "SUM SUM -", "yyy", "yyn"},
		{"if(X,X,abs(X))", "IF IF ABS", "ynn", "nnn"},
		{"IF((X,X),X)", "IF IF IF", "yyn", "nnn"},
		{`IF("),(",X)`, "IF", "n", "n"},
		{"IF('a(,b'!X,X)", "IF IF", "yn", "nn"},
		{"IF(T[[#This Row],[a(]],X)", "IF", "n", "n"},
		{"SUM(IF(1,X),X)", "IF SUM", "ny", "yy"},
		{"OFFSET(X,X)", "OFFSET OFFSET", "ny", "yy"},
		{"_xlfn.IFS(X,X)", "IFS IFS", "yn", "yy"},
		{"SUM({1,2},X)", "SUM", "y", "y"},
		{"ROWS(X))X", "ROWS -", "ny", "yn"},
		{"T[", "", "", ""},
		{`"`, "", "", ""},
	} {
		n := nesting{text: c.formula}
		var functions []string
		read, whole := "", ""
		yes := map[bool]string{true: "y", false: "n"}
		for i := range len(c.formula) {
			if c.formula[i] != 'X' {
				continue
			}
			o := n.at(i)
			name := o.function
			if name == "" {
				name = "-"
			}
			functions = append(functions, name)
			read += yes[o.surelyReads()]
			whole += yes[o.takesWhole()]
		}
		n.at(len(c.formula))
		if got := strings.Join(functions, " "); got != c.functions || read != c.read || whole != c.whole {
			t.Errorf("%s: in %q, read %q, whole %q", c.formula, got, read, whole)
		}
	}
}
