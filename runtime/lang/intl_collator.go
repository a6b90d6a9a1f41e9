package lang

import (
	"strings"

	"github.com/dop251/goja"
	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// collator is an Intl.Collator with its options resolved.
type collator struct {
	name        string
	usage       string
	sensitivity string
	numeric     bool
	ascii       bool // the language sorts ASCII as the root does
	full        *collate.Collator
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
	language, _, _ := strings.Cut(data.Locale, "-")
	switch language {
	case "cs", "sk", "hu", "da", "nb", "hr": // ch, dz, aa and others are letters of their own
	default:
		c.ascii = true
	}
	return c
}

// compare gives -1, 0 or 1.
func (c *collator) compare(a, b string) int {
	if c.ascii && !c.numeric {
		if result, ok := compareASCII(a, b, c.sensitivity); ok {
			return result
		}
	}
	if c.full == nil {
		c.full = c.build()
	}
	return c.full.CompareString(a, b)
}

func (c *collator) build() *collate.Collator {
	var options []collate.Option
	switch c.sensitivity {
	case "base":
		options = append(options, collate.Loose)
	case "accent":
		options = append(options, collate.IgnoreCase)
	case "case":
		options = append(options, collate.IgnoreDiacritics)
	}
	if c.numeric {
		options = append(options, collate.Numeric)
	}
	return collate.New(language.Make(c.name), options...)
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
