package lang_test

import "testing"

func TestJSONParseSaysWhatIsWrongAndWhere(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`{bad`, `SyntaxError: Unexpected token 'b' in JSON at position 1 (line 1 column 2)`},
		{`{"a": 1,}`, `SyntaxError: Unexpected token '}' in JSON at position 8 (line 1 column 9)`},
		{`[1, 2`, `SyntaxError: Unexpected end of JSON input`},
		{``, `SyntaxError: Unexpected end of JSON input`},
		{`undefined`, `SyntaxError: Unexpected token 'u' in JSON at position 0 (line 1 column 1)`},
		{"{\n  \"é😀\": 'x'\n}", `SyntaxError: Unexpected token '\'' in JSON at position 11 (line 2 column 10)`},
		{`[1] []`, `SyntaxError: Unexpected token '[' in JSON at position 4 (line 1 column 5)`},
		{"<!DOCTYPE html>", `SyntaxError: Unexpected token '<' in JSON at position 0 (line 1 column 1)`},
		{"\"a\nb\"", `SyntaxError: Unexpected token '\n' in JSON at position 2 (line 1 column 3)`},
		{`[😀]`, `SyntaxError: Unexpected token '😀' in JSON at position 1 (line 1 column 2)`},
	} {
		vm := fresh()
		vm.Set("text", c.source)
		if got := evaluate(t, vm, "JSON.parse(text)"); got != c.want {
			t.Errorf("%q: %s\nwant %s", c.source, got, c.want)
		}
	}
}

func TestJSONParseIsItselfOtherwise(t *testing.T) {
	cases(t, `
JSON.parse.name + JSON.parse.length → parse2
JSON.parse('[1, {"a": null}]')[1].a → null
JSON.parse('{"a": 2}', (k, v) => k ? v * 2 : v).a → 4
JSON.parse({ toString() { return '"text"' } }) → text
JSON.parse('1', () => { throw new SyntaxError('mine') }) → SyntaxError: mine
JSON.parse("{") instanceof Object → SyntaxError: Unexpected end of JSON input
(() => { try { JSON.parse("{") } catch (e) { return e instanceof SyntaxError } })() → true
JSON.parse("1e999") → SyntaxError: JSON holds a number that is too large
(() => { delete JSON.parse; return typeof JSON.parse })() → undefined
`)
}
