package lang

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/dop251/goja"
)

var (
	regexpShell = shell("regexp")
	splitShell  = shell("split")
)

// patchSplit mends RegExp.prototype[Symbol.split], if the script splits by a literal; if
// not, that waits for the name RegExp.
func (r *realm) patchSplit() {
	if r.made["split"] == nil {
		r.made["split"] = r.run(splitShell(), r.intrinsic("RegExp"), r.intrinsic("Object").Get("defineProperty"), r.vm.ToValue(emptyMark))
	}
}

// amendRegExp puts a class before goja's RegExp, so that new RegExp(pattern, flags) takes
// what a literal takes. A literal's constructor is the class from the moment on that the
// script first names RegExp.
func amendRegExp(r *realm, class *goja.Object) goja.Value {
	r.patchSplit()
	return r.run(regexpShell(), class, r.bag(map[string]any{
		"translate": func(call goja.FunctionCall) goja.Value { return r.translated(call.Argument(0), call.Argument(1)) },
		"escape": func(call goja.FunctionCall) goja.Value {
			if !goja.IsString(call.Argument(0)) {
				panic(r.typeError("RegExp.escape takes a string, not %s", r.show(call.Argument(0))))
			}
			return r.vm.ToValue(escapeRegexp(call.Argument(0).String()))
		},
	}), r.intrinsic("Reflect").Get("construct"), r.intrinsic("Object").Get("defineProperty"))
}

// translated gives the arguments for goja's constructor, pattern and flags translated.
// Each is made a string once.
func (r *realm) translated(pattern, flags goja.Value) goja.Value {
	if object, ok := pattern.(*goja.Object); ok && object.ClassName() == "RegExp" {
		if goja.IsUndefined(flags) {
			flags = object.Get("flags")
		}
		pattern = object.Get("source") // translated when it was made
	}
	text, flagText := r.vm.ToValue("").(goja.String), ""
	if !goja.IsUndefined(pattern) {
		text = r.text(pattern)
	}
	if !goja.IsUndefined(flags) {
		flagText = flags.String()
	}
	newPattern, newFlags, changed, err := Translate(text.String(), flagText)
	if err != nil {
		panic(r.newError("SyntaxError", "%s", err.Error()))
	}
	if !changed {
		return r.vm.NewArray(text, flagText)
	}
	return r.vm.NewArray(newPattern, newFlags)
}

// escapeRegexp is https://tc39.es/proposal-regex-escaping/.
func escapeRegexp(text string) string {
	var out strings.Builder
	for i, c := range text {
		switch {
		case i == 0 && (c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'):
			fmt.Fprintf(&out, `\x%02x`, c)
		case strings.ContainsRune(`^$\.*+?()[]{}|/`, c):
			out.WriteByte('\\')
			out.WriteRune(c)
		case c == '\t':
			out.WriteString(`\t`)
		case c == '\n':
			out.WriteString(`\n`)
		case c == '\v':
			out.WriteString(`\v`)
		case c == '\f':
			out.WriteString(`\f`)
		case c == '\r':
			out.WriteString(`\r`)
		case strings.ContainsRune(",-=<>#&!%:;@~'`\"", c) || c <= 0xFF && unicode.IsSpace(c) || c == 0xA0:
			fmt.Fprintf(&out, `\x%02x`, c)
		case c == 0xFEFF || c == 0x2028 || c == 0x2029 || unicode.Is(unicode.Zs, c):
			fmt.Fprintf(&out, `\u%04x`, c)
		default:
			out.WriteRune(c)
		}
	}
	return out.String()
}
