package lang

import (
	"strings"

	"github.com/dop251/goja"
)

// listFormat is an Intl.ListFormat.
type listFormat struct {
	name        string
	data        *localeData
	kind, style string
}

func (r *realm) newListFormat(locales, options goja.Value) *listFormat {
	f := &listFormat{}
	f.name, f.data = r.locale(locales)
	o := r.intlOptions("Intl.ListFormat", options)
	f.kind = o.oneOf("type", "conjunction", "conjunction", "disjunction", "unit")
	f.style = o.oneOf("style", "long", "long", "short", "narrow")
	return f
}

func (f *listFormat) parts(items []string) (parts []part) {
	patterns := f.data.Lists[f.kind+" "+f.style]
	for i, item := range items {
		switch {
		case i == 0:
		case len(items) == 2:
			parts = append(parts, part{"literal", f.agree(patterns[0], item)})
		case i == 1:
			parts = append(parts, part{"literal", patterns[1]})
		case i == len(items)-1:
			parts = append(parts, part{"literal", f.agree(patterns[3], item)})
		default:
			parts = append(parts, part{"literal", patterns[2]})
		}
		parts = append(parts, part{"element", item})
	}
	return parts
}

// agree turns the Spanish "y" into "e" before an i, and "o" into "u" before an o.
func (f *listFormat) agree(literal, next string) string {
	if !strings.HasPrefix(f.data.Locale, "es") {
		return literal
	}
	next = strings.ToLower(next)
	switch {
	case strings.HasSuffix(literal, " y ") && (strings.HasPrefix(next, "i") || strings.HasPrefix(next, "hi") && !strings.HasPrefix(next, "hia") && !strings.HasPrefix(next, "hie")):
		return strings.TrimSuffix(literal, "y ") + "e "
	case strings.HasSuffix(literal, " o ") && (strings.HasPrefix(next, "o") || strings.HasPrefix(next, "ho") || strings.HasPrefix(next, "8") || next == "11" || strings.HasPrefix(next, "11 ")):
		return strings.TrimSuffix(literal, "o ") + "u "
	}
	return literal
}

func (f *listFormat) resolved(r *realm) goja.Value {
	o := r.vm.NewObject()
	o.Set("locale", f.name)
	o.Set("type", f.kind)
	o.Set("style", f.style)
	return o
}

// strings reads an iterable of strings.
func (r *realm) strings(v goja.Value) (list []string) {
	if goja.IsUndefined(v) {
		return nil
	}
	r.vm.ForOf(v, func(item goja.Value) bool {
		if !goja.IsString(item) {
			panic(r.typeError("Iterable yielded %s which is not a string", r.show(item)))
		}
		list = append(list, item.String())
		return true
	})
	return list
}
