// Package pattern makes regular expressions of what scripts write: RE2, with the escapes
// that JavaScript has for characters.
//
// Imports problem and nothing else of this module. Start reading at Compile.
package pattern

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/sandboxd/sandboxd/problem"
)

// maxPattern is the longest pattern, in bytes.
const maxPattern = 10_000

// jsEscape finds what JavaScript writes as \uXXXX or \u{X…}, and every other escape in
// order to step over it.
var jsEscape = regexp.MustCompile(`\\(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|(?s:.))`)

// Compile makes a pattern of RE2, which takes time linear in the text whatever the
// pattern. A pattern it cannot take is invalid_argument that says why.
func Compile(pattern string, ignoreCase bool) (*regexp.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, problem.New(problem.InvalidArgument, "pattern: expected at most %d bytes, got %d", maxPattern, len(pattern))
	}
	re2 := jsEscape.ReplaceAllStringFunc(pattern, func(escape string) string {
		if m := jsEscape.FindStringSubmatch(escape); m[1]+m[2] != "" {
			return `\x{` + m[1] + m[2] + `}`
		}
		if escape == `\/` {
			return "/"
		}
		return escape
	})
	if ignoreCase {
		re2 = "(?i)" + re2
	}
	re, err := regexp.Compile(re2)
	if err == nil {
		return re, nil
	}
	why := "it is not a valid regular expression"
	var bad *syntax.Error
	if errors.As(err, &bad) {
		why = patternProblem(bad, pattern)
	}
	return nil, problem.New(problem.InvalidArgument, "pattern: %s", why).
		WithHint("Patterns are RE2: no look-ahead, look-behind or back-references. Search with a simpler pattern and filter the matches in JavaScript.").
		WithCause(err)
}

func patternProblem(bad *syntax.Error, pattern string) string {
	where := bad.Expr
	switch bad.Code {
	case syntax.ErrInvalidPerlOp, syntax.ErrInvalidNamedCapture:
		for _, look := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
			if strings.HasPrefix(where, look) || strings.Contains(pattern, look) {
				return "look-ahead and look-behind, as in " + look + "…), are not supported"
			}
		}
		return "the group " + where + " is not supported"
	case syntax.ErrInvalidEscape:
		if len(where) == 2 && where[1] >= '1' && where[1] <= '9' || strings.HasPrefix(where, `\k`) {
			return "back-references, as in " + where + ", are not supported"
		}
		return "the escape " + where + " is not known"
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
		return "a parenthesis has no partner"
	case syntax.ErrMissingBracket:
		return "a [ has no ]"
	case syntax.ErrMissingRepeatArgument, syntax.ErrInvalidRepeatOp:
		return where + " has nothing to repeat"
	case syntax.ErrInvalidRepeatSize:
		return "the repetition " + where + " is out of range; the most is 1000"
	case syntax.ErrInvalidCharRange, syntax.ErrInvalidCharClass:
		return "the character class " + where + " is not valid"
	case syntax.ErrLarge, syntax.ErrNestingDepth:
		return "it is too complex"
	case syntax.ErrTrailingBackslash:
		return `it ends in a single \`
	}
	return "it is not a valid regular expression"
}
