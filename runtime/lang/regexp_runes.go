package lang

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// runes is a set of code points as sorted, disjoint, inclusive ranges.
type runes []runeRange

type runeRange struct{ lo, hi rune }

// runesOf makes the set of any ranges.
func runesOf(ranges ...runeRange) runes {
	slices.SortFunc(ranges, func(a, b runeRange) int { return int(a.lo) - int(b.lo) })
	var set runes
	for _, r := range ranges {
		if n := len(set); n > 0 && r.lo <= set[n-1].hi+1 {
			set[n-1].hi = max(set[n-1].hi, r.hi)
			continue
		}
		set = append(set, r)
	}
	return set
}

func (s runes) union(other runes) runes { return runesOf(append(slices.Clone(s), other...)...) }

func (s runes) negated() runes {
	var set runes
	next := rune(0)
	for _, r := range s {
		if r.lo > next {
			set = append(set, runeRange{next, r.lo - 1})
		}
		next = r.hi + 1
	}
	if next <= unicode.MaxRune {
		set = append(set, runeRange{next, unicode.MaxRune})
	}
	return set
}

func (s runes) intersection(other runes) runes {
	return s.negated().union(other.negated()).negated()
}

func (s runes) difference(other runes) runes { return s.intersection(other.negated()) }

func tableRunes(tables ...*unicode.RangeTable) runes {
	var ranges []runeRange
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			ranges = append(ranges, runeRange{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			ranges = append(ranges, runeRange{r, r})
		}
	}
	for _, table := range tables {
		for _, r := range table.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range table.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return runesOf(ranges...)
}

// writeClass writes a set as a class of a pattern with the u flag.
func writeClass(out *strings.Builder, set runes) {
	if len(set) == 0 {
		out.WriteString(`[^\u{0}-\u{10FFFF}]`)
		return
	}
	out.WriteByte('[')
	writeRanges(out, set)
	out.WriteByte(']')
}

// writeRanges writes a set as the inside of a class. Letters stand for themselves, which
// keeps the hundreds of ranges of \p{L} at a few kilobytes.
func writeRanges(out *strings.Builder, set runes) {
	for _, r := range set {
		writeRune(out, r.lo)
		if r.hi > r.lo {
			if r.hi > r.lo+1 {
				out.WriteByte('-')
			}
			writeRune(out, r.hi)
		}
	}
}

func writeRune(out *strings.Builder, r rune) {
	ascii := r < 0x80
	switch {
	case ascii && (r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'):
		out.WriteByte(byte(r))
	case !ascii && r <= 0xFFFF && unicode.IsLetter(r):
		out.WriteRune(r)
	default:
		fmt.Fprintf(out, `\u{%X}`, r)
	}
}
