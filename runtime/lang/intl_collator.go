package lang

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dop251/goja"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/rangetable"
)

// collator is an Intl.Collator with its options resolved.
type collator struct {
	name        string
	usage       string
	sensitivity string
	numeric     bool
	language    string
	traditional bool // Chinese sorted by strokes
	full, loose *collate.Collator
}

func (r *realm) newCollator(locales, options goja.Value) *collator {
	c := &collator{}
	var data *localeData
	c.name, data = r.locale(locales)
	o := r.intlOptions("Intl.Collator", options)
	c.usage = o.oneOf("usage", "sort", "sort", "search")
	o.refuse("collation", "default")
	c.numeric, _ = o.boolean("numeric")
	o.refuse("caseFirst", "false")
	c.sensitivity = o.oneOf("sensitivity", "variant", "base", "accent", "case", "variant")
	o.refuse("ignorePunctuation", "false")
	c.language, _, _ = strings.Cut(data.Locale, "-")
	c.traditional = data.Locale == "zh-TW" || data.Locale == "zh-HK"
	return c
}

// rootASCII tells whether a language sorts ASCII as the root does. In the others ch, dz, aa
// and the like are letters of their own, or I is not a big i.
func (c *collator) rootASCII() bool {
	switch c.language {
	case "cs", "sk", "hu", "da", "nb", "hr", "tr":
		return false
	}
	return true
}

// compare gives -1, 0 or 1.
func (c *collator) compare(a, b string) int {
	if !c.numeric && c.rootASCII() {
		if result, ok := compareASCII(a, b, c.sensitivity); ok {
			return result
		}
	}
	if c.full == nil {
		c.full = c.build(c.sensitivity)
	}
	if c.sensitivity == "case" {
		a, b = withoutMarks(a), withoutMarks(b)
	}
	if order := scriptOrders[c.language]; order != nil {
		if result := c.compareScripts(a, b, order); result != 0 {
			return result
		}
	}
	result := c.full.CompareString(a, b)
	if c.language == "da" && (c.sensitivity == "variant" || c.sensitivity == "case") {
		if apart := c.looser().CompareString(a, b); apart != 0 {
			return apart
		}
		return -result // Danish puts capitals first
	}
	return result
}

func (c *collator) build(sensitivity string) *collate.Collator {
	var options []collate.Option
	switch sensitivity {
	case "base":
		options = append(options, collate.Loose)
	case "accent":
		options = append(options, collate.IgnoreCase)
	}
	if c.numeric {
		options = append(options, collate.Numeric)
	}
	name := c.language
	switch {
	case name == "nb":
		name = "nn" // the table is the same, and found under this name alone
	case c.traditional:
		name = "zh-Hant"
	}
	return collate.New(language.Make(name), options...)
}

func (c *collator) looser() *collate.Collator {
	if c.loose == nil {
		c.loose = c.build("accent")
	}
	return c.loose
}

func withoutMarks(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(strings.ReplaceAll(s, "ß", "ss")))
}

// scriptOrders are the scripts that a language sorts before all others, where that is not
// the order of the root: the package collate does not know of them.
var scriptOrders = map[string][]*unicode.RangeTable{
	"ru": {unicode.Cyrillic}, "uk": {unicode.Cyrillic}, "bg": {unicode.Cyrillic}, "el": {unicode.Greek},
	"zh": {unicode.Han}, "ko": {rangetable.Merge(unicode.Hangul, unicode.Han)}, "hi": {unicode.Devanagari},
	"ja": {unicode.Latin, kana, unicode.Han},
}

var kana = rangetable.Merge(unicode.Hiragana, unicode.Katakana)

// compareScripts compares by script where the first difference of a and b, beyond accents
// and case, is between letters of two scripts. Otherwise it gives 0.
func (c *collator) compareScripts(a, b string, order []*unicode.RangeTable) int {
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x != y && c.looser().CompareString(a[:n], b[:m]) != 0 {
			if !unicode.IsLetter(x) || !unicode.IsLetter(y) {
				return 0
			}
			return cmp.Compare(scriptRank(x, order), scriptRank(y, order))
		}
		a, b = a[n:], b[m:]
	}
	return 0
}

func scriptRank(c rune, order []*unicode.RangeTable) int {
	for i, script := range order {
		if unicode.Is(script, c) {
			return i
		}
	}
	return len(order)
}

// asciiOrder are the printable ASCII characters in the order of the root collation; a
// letter in lower case stands for both.
const asciiOrder = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"

var asciiWeights = func() (weights [128]byte) {
	for i := range len(asciiOrder) {
		weights[asciiOrder[i]] = byte(i + 1)
	}
	for c := 'A'; c <= 'Z'; c++ {
		weights[c] = weights[c+'a'-'A']
	}
	return weights
}()

// compareASCII compares printable ASCII, which is most of what is sorted, without tables.
func compareASCII(a, b, sensitivity string) (result int, ok bool) {
	byCase := 0
	n := min(len(a), len(b))
	for i := range n {
		x, y := a[i], b[i]
		if x < ' ' || y < ' ' || x > '~' || y > '~' {
			return 0, false
		}
		if x == y {
			continue
		}
		wx, wy := asciiWeights[x], asciiWeights[y]
		if wx != wy {
			if !plainASCII(a[i:]) || !plainASCII(b[i:]) { // an accent may yet follow
				return 0, false
			}
			if wx < wy {
				return -1, true
			}
			return 1, true
		}
		if byCase == 0 { // small before capital
			byCase = -1
			if x < y {
				byCase = 1
			}
		}
	}
	if !plainASCII(a[n:]) || !plainASCII(b[n:]) {
		return 0, false
	}
	switch {
	case len(a) < len(b):
		return -1, true
	case len(a) > len(b):
		return 1, true
	case sensitivity == "base" || sensitivity == "accent":
		return 0, true
	}
	return byCase, true
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func (c *collator) resolved(r *realm) goja.Value {
	o := r.vm.NewObject()
	o.Set("locale", c.name)
	o.Set("usage", c.usage)
	o.Set("sensitivity", c.sensitivity)
	o.Set("ignorePunctuation", false)
	o.Set("collation", "default")
	o.Set("numeric", c.numeric)
	o.Set("caseFirst", "false")
	return o
}
