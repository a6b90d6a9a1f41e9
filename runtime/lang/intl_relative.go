package lang

import (
	"strings"

	"github.com/dop251/goja"
)

// relativeFormat is an Intl.RelativeTimeFormat.
type relativeFormat struct {
	name           string
	data           *localeData
	style, numeric string
	numbers        *numberFormat
}

func (r *realm) newRelativeFormat(locales, options goja.Value) *relativeFormat {
	f := &relativeFormat{}
	f.name, f.data = r.locale(locales)
	o := r.intlOptions("Intl.RelativeTimeFormat", options)
	o.refuse("numberingSystem", "latn")
	f.style = o.oneOf("style", "long", "long", "short", "narrow")
	f.numeric = o.oneOf("numeric", "always", "always", "auto")
	f.numbers = r.newNumberFormat(locales, goja.Undefined())
	return f
}

func (f *relativeFormat) parts(r *realm, value, unitValue goja.Value) []part {
	unit := strings.TrimSuffix(unitValue.String(), "s")
	styles, ok := f.data.Relative[unit]
	if !ok {
		panic(r.rangeError("Invalid unit argument for Intl.RelativeTimeFormat.prototype.format() '%s'", unitValue.String()))
	}
	d := r.numeric(value)
	if d.special != "" {
		panic(r.rangeError("Invalid number value: RelativeTimeFormat takes a finite number"))
	}
	forms := styles[map[string]int{"long": 0, "short": 1, "narrow": 2}[f.style]]
	if f.numeric == "auto" {
		key, _ := d.written(1, 0)
		_, fraction := d.written(1, 0)
		if d.negative && !d.zero() {
			key = "-" + key
		}
		if word, ok := forms.Words[key]; ok && fraction == "" {
			return []part{{"literal", word}}
		}
	}
	pattern := forms.Future
	if d.negative {
		pattern = forms.Past
	}
	d.negative = false
	number, category, _ := f.numbers.number(d)
	return fill(pattern.of(category), "literal", func(string) []part { return number })
}

func (f *relativeFormat) resolved(r *realm) goja.Value {
	o := r.vm.NewObject()
	o.Set("locale", f.name)
	o.Set("style", f.style)
	o.Set("numeric", f.numeric)
	o.Set("numberingSystem", "latn")
	return o
}
