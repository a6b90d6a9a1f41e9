package lang

import (
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

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

// pluralCategory gives the cardinal category of a number as it is written: digits before
// and after the decimal point. The rules are those of
// https://www.unicode.org/cldr/charts/latest/supplemental/language_plural_rules.html.
func pluralCategory(locale, integer, fraction string) string {
	language, _, _ := strings.Cut(locale, "-")
	if len(integer) > 15 {
		integer = integer[len(integer)-15:] // the rules look at the last digits and at 0, 1, 2
		integer = "1" + integer
	}
	i, _ := strconv.ParseInt(integer, 10, 64)
	v := len(fraction)
	f, _ := strconv.ParseInt("0"+fraction, 10, 64)
	t := strings.TrimRight(fraction, "0")
	whole := t == "" // n is i
	is := func(n int64) bool { return whole && i == n }
	million := i != 0 && i%1_000_000 == 0 && v == 0
	in := func(n, lo, hi int64) bool { return n >= lo && n <= hi }
	switch language {
	case "en", "de", "nl", "sv", "fi":
		return pick("one", i == 1 && v == 0)
	case "it", "ca":
		return pick("one", i == 1 && v == 0, "many", million)
	case "pt":
		if locale == "pt-PT" {
			return pick("one", i == 1 && v == 0, "many", million)
		}
		return pick("one", i == 0 || i == 1, "many", million)
	case "fr":
		return pick("one", i == 0 || i == 1, "many", million)
	case "es":
		return pick("one", is(1), "many", million)
	case "da":
		return pick("one", is(1) || !whole && (i == 0 || i == 1))
	case "nb", "no", "hu", "tr", "el", "bg":
		return pick("one", is(1))
	case "hi":
		return pick("one", i == 0 || is(1))
	case "he":
		return pick("one", i == 1 && v == 0 || i == 0 && v != 0, "two", i == 2 && v == 0)
	case "cs", "sk":
		return pick("one", i == 1 && v == 0, "few", in(i, 2, 4) && v == 0, "many", v != 0)
	case "pl":
		return pick("one", i == 1 && v == 0,
			"few", v == 0 && in(i%10, 2, 4) && !in(i%100, 12, 14),
			"many", v == 0)
	case "ru", "uk":
		return pick("one", v == 0 && i%10 == 1 && i%100 != 11,
			"few", v == 0 && in(i%10, 2, 4) && !in(i%100, 12, 14),
			"many", v == 0)
	case "hr":
		return pick("one", v == 0 && i%10 == 1 && i%100 != 11 || f%10 == 1 && f%100 != 11,
			"few", v == 0 && in(i%10, 2, 4) && !in(i%100, 12, 14) || in(f%10, 2, 4) && !in(f%100, 12, 14))
	case "ro":
		return pick("one", i == 1 && v == 0, "few", v != 0 || is(0) || i != 1 && in(i%100, 1, 19))
	}
	return "other"
}

// ordinalCategory gives the category of 1st, 2nd, 3rd, …
func ordinalCategory(locale string, n int64) string {
	language, _, _ := strings.Cut(locale, "-")
	n10, n100 := n%10, n%100
	switch language {
	case "en":
		return pick("one", n10 == 1 && n100 != 11, "two", n10 == 2 && n100 != 12, "few", n10 == 3 && n100 != 13)
	case "sv":
		return pick("one", (n10 == 1 || n10 == 2) && n100 != 11 && n100 != 12)
	case "it":
		return pick("many", n == 8 || n == 11 || n == 80 || n == 800)
	case "fr", "ro", "vi":
		return pick("one", n == 1)
	case "hu":
		return pick("one", n == 1 || n == 5)
	case "uk":
		return pick("few", n10 == 3 && n100 != 13)
	case "hi":
		return pick("one", n == 1, "two", n == 2 || n == 3, "few", n == 4, "many", n == 6)
	}
	return "other"
}

// ordinalCategories lists what ordinalCategory can answer.
func ordinalCategories(locale string) []string {
	var list []string
	for _, category := range []string{"few", "many", "one", "two", "other"} {
		for n := range int64(1001) {
			if ordinalCategory(locale, n) == category {
				list = append(list, category)
				break
			}
		}
	}
	return list
}

// pick gives the first name whose condition holds, and other if none does.
func pick(cases ...any) string {
	for i := 0; i < len(cases); i += 2 {
		if cases[i+1].(bool) {
			return cases[i].(string)
		}
	}
	return "other"
}
