package lang_test

import (
	"strings"
	"testing"

	"github.com/dop251/goja"

	"github.com/sandboxd/sandboxd/runtime/lang"
)

// A translated pattern is one that goja takes wherever it takes the pattern itself.
func FuzzTranslate(f *testing.F) {
	for _, seed := range []string{`\p{L}+`, `[^\p{Lu}\d]`, `[\w--[a-z]]`, `^a$`, `a|`, `[[a-c]&&\p{L}]`, `\u{1F600}`, `(?<x>a)\k<x>`, `[^]`, `\P{sc=Grek}`, `x{0,}`} {
		f.Add(seed, "gu")
		f.Add(seed, "m")
		f.Add(seed, "v")
	}
	f.Fuzz(func(t *testing.T, pattern, flags string) {
		if len(pattern) > 200 || strings.ContainsAny(flags, "d") {
			return
		}
		vm := goja.New()
		plain := func(pattern, flags string) error {
			_, err := vm.New(vm.Get("RegExp"), vm.ToValue(pattern), vm.ToValue(flags))
			return err
		}
		translated, newFlags, changed, err := lang.Translate(pattern, flags)
		if err != nil || !changed || plain(pattern, strings.ReplaceAll(flags, "v", "u")) != nil {
			return
		}
		if err := plain(translated, newFlags); err != nil {
			t.Errorf("/%s/%s became /%s/%s: %v", pattern, flags, translated, newFlags, err)
		}
	})
}

// What toCSV writes, parseCSV reads back.
func FuzzCSV(f *testing.F) {
	f.Add("a", "b\"c", "d,e\n", ";")
	f.Add("", " ", "\r\n", "\t")
	f.Add("é", "'", "=1", "|")
	f.Fuzz(func(t *testing.T, a, b, c, delimiter string) {
		if len(delimiter) != 1 || delimiter[0] >= 0x80 || strings.ContainsAny(delimiter, "\"\r\n\x00") {
			return
		}
		vm := fresh()
		for name, value := range map[string]string{"a": a, "b": b, "c": c, "delimiter": delimiter} {
			vm.Set(name, strings.ToValidUTF8(value, "?"))
		}
		got := evaluate(t, vm, `(() => {
			const rows = [["x", "y", "z"], [a, b, c]];
			const back = parseCSV(toCSV(rows, { delimiter }), { delimiter, header: false, skipEmpty: false });
			return JSON.stringify(back) === JSON.stringify(rows) || toCSV(rows, { delimiter });
		})()`)
		if got != "true" {
			t.Errorf("%q %q %q by %q: %q", a, b, c, delimiter, got)
		}
	})
}
