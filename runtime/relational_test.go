package runtime

import (
	"context"
	"testing"
)

// The values are Node's.
func TestRelationalOperatorsBindFromTheLeft(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"1 < 2 < 3", "true"},
		{"3 > 2 > 1", "false"},
		{"3 > (2 > 1)", "true"},
		{"const x = 7; [0 < x < 5, 0 <= x <= 5, 5 > x > 0]", "[true,true,false]"},
		{"const f = n => n; [f(1) < f(2) < f(3), f(3) > (f(2) > f(1)), (3) > 2 > (1)]", "[true,true,false]"},
		{"4 > 3 > 2 > 1", "false"},
		{"4 > 3 > 2 >= 0 < 2", "true"},
		{"3 > (2 > 1 > 0)", "true"},
		{"'a' in { a: 1 } in { true: 1 }", "true"},
		{"[] instanceof Array in { true: 1 }", "true"},
		{"let s = ''; const mark = v => { s += v; return v }; mark(1) < mark(2) < mark(3); s", `"123"`},
	} {
		for _, language := range []string{"js", "ts"} {
			out := Run(context.Background(), Config{}, Script{Source: c.source, Language: language})
			if out.Error != nil || string(out.Result) != c.want {
				t.Errorf("%q (%s) answers %s, error %v; want %s", c.source, language, out.Result, out.Error, c.want)
			}
		}
	}
	out := Run(context.Background(), Config{}, Script{Source: "const o = null\nreturn 1 < 2 < o.x"})
	if out.Error == nil || out.Error.Line != 2 || out.Error.Column != 18 {
		t.Errorf("ended with %+v, want line 2, column 18", out.Error)
	}
}
