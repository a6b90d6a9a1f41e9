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
