package lang

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/sentences"
	"github.com/clipperhouse/uax29/v2/words"
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

// pluralRules is an Intl.PluralRules.
type pluralRules struct {
	*numberFormat
	kind string
}

func (r *realm) newPluralRules(locales, options goja.Value) *pluralRules {
	o := r.intlOptions("Intl.PluralRules", options)
	o.refuse("notation", "standard")
	p := &pluralRules{kind: o.oneOf("type", "cardinal", "cardinal", "ordinal"), numberFormat: &numberFormat{style: "decimal", notation: "standard"}}
	p.name, p.data = r.locale(locales)
	p.readDigits(o)
	return p
}

func (p *pluralRules) choose(d decimal) string {
	if d.special != "" {
		return "other"
	}
	rounded := p.rounded(d)
	integer, fraction := p.digits(rounded)
	if p.kind == "cardinal" {
		return pluralCategory(p.data.Locale, integer, fraction)
	}
	if fraction != "" {
		return "other"
	}
	n := int64(0)
	for _, c := range integer {
		n = (n*10 + int64(c-'0')) % 1_000_000_000
	}
	return ordinalCategory(p.data.Locale, n)
}

func (p *pluralRules) resolved(r *realm) goja.Value {
	o := r.vm.NewObject()
	o.Set("locale", p.name)
	o.Set("type", p.kind)
	o.Set("minimumIntegerDigits", p.minInteger)
	if p.maxSignificant == 0 {
		o.Set("minimumFractionDigits", p.minFraction)
		o.Set("maximumFractionDigits", p.maxFraction)
	} else {
		o.Set("minimumSignificantDigits", p.minSignificant)
		o.Set("maximumSignificantDigits", p.maxSignificant)
	}
	known := p.data.Plural
	if p.kind == "ordinal" {
		known = ordinalCategories(p.data.Locale)
	}
	categories := make([]any, 0, 6)
	for _, category := range []string{"few", "many", "one", "two", "zero", "other"} {
		for _, k := range known {
			if k == category {
				categories = append(categories, category)
			}
		}
	}
	o.Set("pluralCategories", r.vm.NewArray(categories...))
	return o
}

// segment is a piece of text at an offset in UTF-16 units.
type segment struct {
	text     string
	at       int
	wordLike bool
}

// segments splits text at the boundaries of https://unicode.org/reports/tr29/.
func segments(text, granularity string) (list []segment) {
	at := 0
	add := func(s string) {
		word := granularity == "word" && strings.ContainsFunc(s, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) })
		list = append(list, segment{s, at, word})
		for _, c := range s {
			at++
			if c > 0xFFFF {
				at++
			}
		}
	}
	switch granularity {
	case "word":
		for tokens := words.FromString(text); tokens.Next(); {
			add(tokens.Value())
		}
	case "sentence":
		for tokens := sentences.FromString(text); tokens.Next(); {
			add(tokens.Value())
		}
	default:
		for tokens := graphemes.FromString(text); tokens.Next(); {
			add(tokens.Value())
		}
	}
	return list
}

// needsDictionary tells whether words cannot be found by the rules alone, as in Chinese.
func needsDictionary(text string) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf && unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			return true
		}
	}
	return false
}

// segment(text, granularity) answers an array of {segment, index, input, isWordLike?}.
func (r *realm) segment(call goja.FunctionCall) goja.Value {
	text, granularity := call.Argument(0).String(), call.Argument(1).String()
	if granularity == "word" && needsDictionary(text) {
		panic(r.unsupported("Splitting Chinese, Japanese or Thai text into words"))
	}
	list := []any{}
	for _, s := range segments(text, granularity) {
		o := r.vm.NewObject()
		o.Set("segment", s.text)
		o.Set("index", s.at)
		o.Set("input", text)
		if granularity == "word" {
			o.Set("isWordLike", s.wordLike)
		}
		list = append(list, o)
	}
	return r.vm.NewArray(list...)
}
