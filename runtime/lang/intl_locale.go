package lang

import (
	"embed"
	"encoding/json"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/dop251/goja"
)

//go:embed locales/*.json
var localeFiles embed.FS

// localeData is what locales/generate.mjs writes of one locale. In patterns, names in braces
// stand for what is filled in and the rest is literal.
type localeData struct {
	Locale  string
	Plural  []string // the cardinal categories
	Numbers struct {
		Symbols struct {
			Decimal, Group, Minus, Plus, Percent, Nan, Infinity, Exponent string
			CurrencyGroup, CurrencyDecimal                                string // "" is as in other numbers
			MinGroup, Secondary                                           int
			AccountingSecondary                                           int // 0 is as in other numbers
		}
		// Positive, negative, and with a plus: {0} {-} {+} {%} {c}.
		Percent, Currency, Accounting, CurrencyCode, AccountingCode [3]string
		CurrencyCompact, CurrencyCompactCode                        [3]string
		Currencies                                                  map[string]symbolPair
		Names                                                       map[string]forms
		Compact                                                     map[string][]*compactForm // by display, then by power of ten
		Units                                                       map[string][3]forms       // short, long, narrow
	}
	Dates    dateData
	Lists    map[string][4]string        // "type style": of two; start, middle and end of more
	Relative map[string][3]relativeForms // by unit: long, short, narrow
}

// symbolPair is a currency's symbol and its narrow one.
type symbolPair struct{ symbol, narrow string }

func (p *symbolPair) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		err := json.Unmarshal(data, &p.symbol)
		p.narrow = p.symbol
		return err
	}
	return json.Unmarshal(data, &[]*string{&p.symbol, &p.narrow})
}

// forms are texts by plural category; a single one is under other.
type forms map[string]string

func (f *forms) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		var one string
		err := json.Unmarshal(data, &one)
		*f = forms{"other": one}
		return err
	}
	return json.Unmarshal(data, (*map[string]string)(f))
}

func (f forms) of(category string) string {
	if text, ok := f[category]; ok {
		return text
	}
	return f["other"]
}

// compactForm says how a power of ten is shortened: how many integer digits stay, and the
// word.
type compactForm struct {
	digits int
	forms  forms
}

func (c *compactForm) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&c.digits, &c.forms})
}

type relativeForms struct {
	Future, Past forms
	Words        map[string]string // of -2 to 2
}

// locales are the loaders of each locale's data, which parse it once per process.
var locales = sync.OnceValue(func() map[string]func() *localeData {
	entries, err := localeFiles.ReadDir("locales")
	if err != nil {
		panic(err)
	}
	table := map[string]func() *localeData{}
	for _, entry := range entries {
		name := entry.Name()
		table[strings.TrimSuffix(name, ".json")] = sync.OnceValue(func() *localeData {
			text, err := localeFiles.ReadFile("locales/" + name)
			if err != nil {
				panic(err)
			}
			data := new(localeData)
			if err := json.Unmarshal(text, data); err != nil {
				panic(name + ": " + err.Error())
			}
			return data
		})
	}
	return table
})

const defaultLocale = "en-US"

// regions are what a language alone means, and what is written like another locale.
var regions = map[string]string{
	"en": "en-US", "de": "de-DE", "fr": "fr-FR", "es": "es-ES", "it": "it-IT", "pt": "pt-BR", "nl": "nl-NL", "sv": "sv-SE",
	"da": "da-DK", "nb": "nb-NO", "no": "nb-NO", "no-NO": "nb-NO", "fi": "fi-FI", "pl": "pl-PL", "cs": "cs-CZ", "sk": "sk-SK",
	"hu": "hu-HU", "ro": "ro-RO", "bg": "bg-BG", "hr": "hr-HR", "tr": "tr-TR", "ru": "ru-RU", "uk": "uk-UA", "el": "el-GR",
	"ja": "ja-JP", "zh": "zh-CN", "zh-Hans": "zh-CN", "zh-Hans-CN": "zh-CN", "zh-Hant": "zh-TW", "zh-Hant-TW": "zh-TW",
	"zh-Hant-HK": "zh-HK", "ko": "ko-KR", "id": "id-ID", "vi": "vi-VN", "hi": "hi-IN",
	"de-LU": "de-DE", "de-BE": "de-DE", "und": "en-US",
}

// locale is the first of the requested locales: its name as the script wrote it, in
// canonical case, and its data. An unknown one throws, where an engine with all the
// world's data would go on with another locale and nobody would notice.
func (r *realm) locale(requested goja.Value) (name string, data *localeData) {
	list := r.requested(requested)
	if len(list) == 0 {
		return defaultLocale, locales()[defaultLocale]()
	}
	name = list[0]
	key := name
	if long, ok := regions[key]; ok {
		key = long
	}
	load, ok := locales()[key]
	if !ok {
		known := make([]string, 0, len(locales()))
		for name := range locales() {
			known = append(known, name)
		}
		sort.Strings(known)
		panic(r.unsupported("The locale %q (there are %s)", name, strings.Join(known, " ")))
	}
	return name, load()
}

// requested gives the canonical names in a locales argument.
func (r *realm) requested(v goja.Value) (list []string) {
	if v == nil || goja.IsUndefined(v) {
		return nil
	}
	add := func(v goja.Value) {
		if _, isObject := v.(*goja.Object); !goja.IsString(v) && !isObject {
			panic(r.typeError("Incorrect locale information provided"))
		}
		name, ok := canonicalLocale(v.String())
		if !ok {
			panic(r.rangeError("Incorrect locale information provided: %s", r.show(v)))
		}
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	object, isObject := v.(*goja.Object)
	if !isObject {
		if goja.IsNull(v) {
			panic(r.typeError("Cannot convert undefined or null to object"))
		}
		add(v)
		return list
	}
	length := int(object.Get("length").ToInteger())
	for i := range min(length, 100) {
		add(r.element(object, i))
	}
	return list
}

// canonicalLocale puts a language tag into its usual case. Extensions, which choose
// calendars and digits, are kept and then found in no table.
func canonicalLocale(tag string) (string, bool) {
	parts := strings.Split(tag, "-")
	for i, part := range parts {
		if len(part) < 1 || len(part) > 8 || strings.ContainsFunc(part, func(c rune) bool {
			return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9')
		}) {
			return "", false
		}
		switch {
		case i == 0:
			if len(part) < 2 || len(part) == 4 || strings.ContainsAny(part, "0123456789") {
				return "", false
			}
			parts[i] = strings.ToLower(part)
		case len(part) == 2:
			parts[i] = strings.ToUpper(part)
		case len(part) == 4:
			parts[i] = strings.ToUpper(part[:1]) + strings.ToLower(part[1:])
		default:
			parts[i] = strings.ToLower(part)
		}
	}
	return strings.Join(parts, "-"), true
}

// part is a piece of formatted text, as formatToParts lists them.
type part struct{ kind, text string }

func joinParts(parts []part) string {
	var text strings.Builder
	for _, p := range parts {
		text.WriteString(p.text)
	}
	return text.String()
}

// partsValue makes the array of formatToParts.
func (r *realm) partsValue(parts []part, more func(part, *goja.Object)) goja.Value {
	list := make([]any, 0, len(parts))
	for _, p := range parts {
		object := r.vm.NewObject()
		object.Set("type", p.kind)
		object.Set("value", p.text)
		if more != nil {
			more(p, object)
		}
		list = append(list, object)
	}
	return r.vm.NewArray(list...)
}

// fill walks over a pattern: field gives the parts of a name in braces.
func fill(pattern, literal string, field func(name string) []part) (parts []part) {
	for pattern != "" {
		open := strings.IndexByte(pattern, '{')
		if open < 0 {
			return appendLiteral(parts, literal, pattern)
		}
		parts = appendLiteral(parts, literal, pattern[:open])
		end := strings.IndexByte(pattern, '}')
		parts = append(parts, field(pattern[open+1:end])...)
		pattern = pattern[end+1:]
	}
	return parts
}

// appendLiteral adds literal text. With a kind other than literal, the words in it are of
// that kind and only the space around them is literal, as in "5 km".
func appendLiteral(parts []part, kind, text string) []part {
	if text == "" {
		return parts
	}
	if kind != "literal" {
		word := strings.TrimFunc(text, isSpace)
		if word != "" {
			before, after, _ := strings.Cut(text, word)
			parts = appendLiteral(parts, "literal", before)
			parts = append(parts, part{kind, word})
			return appendLiteral(parts, "literal", after)
		}
	}
	if n := len(parts); n > 0 && parts[n-1].kind == "literal" {
		parts[n-1].text += text
		return parts
	}
	return append(parts, part{"literal", text})
}

func isSpace(c rune) bool { return c == ' ' || c == 0xA0 || c == 0x202F }
