package lang

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
)

// RewriteRegexp makes a literal of a parsed script mean in goja what it means in
// JavaScript; see Translate. It is to be called before the script is compiled, and changes
// no position. An error is a SyntaxError of the script, at the literal.
func RewriteRegexp(re *ast.RegExpLiteral) error {
	pattern, flags, changed, err := Translate(re.Pattern, re.Flags)
	if changed {
		re.Pattern, re.Flags = pattern, flags
	}
	return err
}

// Translate turns a regular expression of JavaScript into one that means the same in
// goja, which
//
//   - takes \p{…} and \P{…} for the letters p and P: they become classes of characters,
//   - has no v flag: it becomes u, with set operations worked out,
//   - stops [^] at U+1FFFF,
//   - knows only \n as a line end for ^ and $ under the m flag, so that a pattern with
//     them never matches in a file with CRLF,
//   - skips an empty match right behind another match, so that "a b".split(/\s*/) has an
//     empty string in it: a pattern that can match nothing gets a look-ahead in front,
//     which takes it to goja's other matcher.
//
// The error text is fit for a SyntaxError of the script.
func Translate(pattern, flags string) (newPattern, newFlags string, changed bool, err error) {
	if nesting(pattern) > maxNesting {
		return "", "", false, fmt.Errorf("Invalid regular expression: groups are nested more than %d deep", maxNesting)
	}
	sets := strings.ContainsRune(flags, 'v')
	unicode := sets || strings.ContainsRune(flags, 'u')
	multiline := strings.ContainsRune(flags, 'm') && strings.ContainsAny(pattern, "^$")
	if matchesNothing(pattern, flags) {
		defer func() {
			if err == nil {
				if !changed {
					newPattern, newFlags = pattern, flags
				}
				newPattern, changed = emptyMark+newPattern+")", true
			}
		}()
	}
	if !multiline && !sets && !(unicode && (strings.Contains(pattern, `\p`) || strings.Contains(pattern, `\P`) || strings.Contains(pattern, "[^]"))) {
		return pattern, flags, false, nil
	}
	if sets && strings.Count(flags, "v")+strings.Count(flags, "u") > 1 {
		return "", "", false, fmt.Errorf("Invalid regular expression flags '%s': u and v exclude each other", flags)
	}
	t := translator{src: pattern, unicode: unicode, sets: sets, multiline: multiline}
	if err := t.pattern(); err != nil {
		return "", "", false, fmt.Errorf("Invalid regular expression: /%s/: %w", pattern, err)
	}
	return t.out.String(), strings.Replace(flags, "v", "u", 1), true, nil
}

// maxNesting bounds groups and classes inside one another: goja and this package recurse
// on them, and an overflow of Go's stack ends the process.
const maxNesting = 500

// nesting is how deep opening brackets of any kind stand inside one another, at most.
func nesting(pattern string) (deepest int) {
	depth := 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '(', '[':
			depth++
			deepest = max(deepest, depth)
		case ')', ']':
			depth--
		}
	}
	return deepest
}

// emptyMark begins a translated pattern that can match the empty string.
const emptyMark = "(?=)(?:"

// matchesNothing tells whether a pattern that goja would give to Go's regexp can match the
// empty string.
func matchesNothing(pattern, flags string) bool {
	if pattern != "" && !strings.ContainsAny(pattern, `*?|{^$\(`) || strings.ContainsAny(flags, "v") || strings.HasPrefix(pattern, emptyMark) {
		return false
	}
	transformed, err := parser.TransformRegExp(pattern, strings.ContainsRune(flags, 's'), strings.ContainsRune(flags, 'u'))
	if err != nil {
		return false // goja has another matcher for it, or an error
	}
	parsed, err := syntax.Parse(transformed, syntax.Perl)
	return err == nil && nullable(parsed)
}

func nullable(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpStar, syntax.OpQuest, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	case syntax.OpCapture, syntax.OpPlus:
		return nullable(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || nullable(re.Sub[0])
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !nullable(sub) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, nullable)
	}
	return false
}

// translator walks a pattern from left to right and writes what goja takes.
type translator struct {
	src                      string
	pos                      int
	out                      strings.Builder
	unicode, sets, multiline bool
}

func (t *translator) pattern() error {
	for t.pos < len(t.src) {
		var err error
		switch c := t.src[t.pos]; {
		case c == '\\':
			err = t.escape()
		case c == '[':
			err = t.class()
		case c == '^' && t.multiline:
			t.out.WriteString(`(?:^|(?<=[\r\u2028\u2029]))`)
			t.pos++
		case c == '$' && t.multiline:
			t.out.WriteString(`(?=[\r\u2028\u2029]|$)`)
			t.pos++
		default:
			t.out.WriteByte(c)
			t.pos++
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// escape copies an escape outside of classes, save for \p and \P.
func (t *translator) escape() error {
	if t.unicode && t.pos+1 < len(t.src) && (t.src[t.pos+1] == 'p' || t.src[t.pos+1] == 'P') {
		set, err := t.property()
		if err != nil {
			return err
		}
		writeClass(&t.out, set)
		return nil
	}
	end := min(t.pos+2, len(t.src))
	t.out.WriteString(t.src[t.pos:end])
	t.pos = end
	return nil
}

// property reads \p{…} or \P{…}.
func (t *translator) property() (runes, error) {
	negated := t.src[t.pos+1] == 'P'
	rest := t.src[t.pos+2:]
	end := strings.IndexByte(rest, '}')
	if !strings.HasPrefix(rest, "{") || end < 0 {
		return nil, fmt.Errorf("Invalid property name")
	}
	set, err := propertyRunes(rest[1:end])
	if err != nil {
		return nil, err
	}
	t.pos += 2 + end + 1
	if negated {
		set = set.negated()
	}
	return set, nil
}

// class reads [...] outside of other classes.
func (t *translator) class() error {
	switch {
	case t.sets:
		set, err := t.setClass()
		if err != nil {
			return err
		}
		writeClass(&t.out, set)
		return nil
	case t.unicode && strings.HasPrefix(t.src[t.pos:], "[^]"):
		t.out.WriteString(`[\u{0}-\u{10FFFF}]`)
		t.pos += 3
		return nil
	}
	t.out.WriteByte('[')
	t.pos++
	if t.pos < len(t.src) && t.src[t.pos] == '^' {
		t.out.WriteByte('^')
		t.pos++
	}
	for t.pos < len(t.src) && t.src[t.pos] != ']' {
		if t.src[t.pos] != '\\' {
			t.out.WriteByte(t.src[t.pos])
			t.pos++
			continue
		}
		if t.unicode && t.pos+1 < len(t.src) && (t.src[t.pos+1] == 'p' || t.src[t.pos+1] == 'P') {
			set, err := t.property()
			if err != nil {
				return err
			}
			writeRanges(&t.out, set)
			continue
		}
		end := min(t.pos+2, len(t.src))
		t.out.WriteString(t.src[t.pos:end])
		t.pos = end
	}
	return nil // the closing bracket is copied by the caller's loop
}
