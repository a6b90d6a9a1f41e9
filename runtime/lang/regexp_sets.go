package lang

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The class escapes of JavaScript under the u and v flags.
var (
	digitRunes = runes{{'0', '9'}}
	wordRunes  = runes{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}
	spaceRunes = runesOf(append(tableRunes(unicode.Zs), runeRange{'\t', '\r'}, runeRange{0x2028, 0x2029}, runeRange{0xFEFF, 0xFEFF})...)
)

// setClass reads a class of the v flag, nested classes and operators included, as
// https://tc39.es/ecma262/#prod-ClassSetExpression has it. Strings of more than one
// character are refused: goja has no class of them.
func (t *translator) setClass() (runes, error) {
	t.pos++ // [
	negated := t.accept("^")
	set, err := t.setOperands()
	if err != nil {
		return nil, err
	}
	if !t.accept("]") {
		return nil, fmt.Errorf("Unterminated character class")
	}
	if negated {
		set = set.negated()
	}
	return set, nil
}

// setOperands reads operands up to the closing bracket; the operators && and -- may not be
// mixed with one another or with juxtaposition.
func (t *translator) setOperands() (set runes, err error) {
	operator := ""
	for n := 0; t.pos < len(t.src) && t.src[t.pos] != ']'; n++ {
		next := ""
		switch {
		case t.accept("&&"):
			next = "&&"
		case t.accept("--"):
			next = "--"
		}
		if n == 0 && next != "" || n > 1 && next != operator {
			return nil, fmt.Errorf("Invalid set operation in character class")
		}
		operator = next
		operand, single, err := t.setOperand()
		if err != nil {
			return nil, err
		}
		if operator == "" && single >= 0 && t.pos+1 < len(t.src) && t.src[t.pos] == '-' && t.src[t.pos+1] != '-' && t.src[t.pos+1] != ']' {
			t.pos++
			_, last, err := t.setOperand()
			if err != nil {
				return nil, err
			}
			if last < single {
				return nil, fmt.Errorf("Range out of order in character class")
			}
			operand = runes{{single, last}}
		}
		switch {
		case operator == "&&":
			set = set.intersection(operand)
		case operator == "--":
			set = set.difference(operand)
		default:
			set = set.union(operand)
		}
	}
	return set, nil
}

// setOperand reads one operand; single is its code point if it is one character, else -1.
func (t *translator) setOperand() (set runes, single rune, err error) {
	if t.pos >= len(t.src) {
		return nil, -1, fmt.Errorf("Unterminated character class")
	}
	switch t.src[t.pos] {
	case '[':
		set, err = t.setClass()
		return set, -1, err
	case '\\':
		return t.setEscape()
	case '(', ')', '{', '}', '/', '|', ']', '-':
		return nil, -1, fmt.Errorf("Invalid character in character class")
	}
	c, size := utf8.DecodeRuneInString(t.src[t.pos:])
	t.pos += size
	return runes{{c, c}}, c, nil
}

func (t *translator) setEscape() (set runes, single rune, err error) {
	if t.pos+1 >= len(t.src) {
		return nil, -1, fmt.Errorf("\\ at end of pattern")
	}
	c, size := utf8.DecodeRuneInString(t.src[t.pos+1:])
	switch c {
	case 'p', 'P':
		set, err = t.property()
		return set, -1, err
	case 'q':
		return t.setStrings()
	}
	t.pos += 1 + size
	switch c {
	case 'd':
		return digitRunes, -1, nil
	case 'D':
		return digitRunes.negated(), -1, nil
	case 'w':
		return wordRunes, -1, nil
	case 'W':
		return wordRunes.negated(), -1, nil
	case 's':
		return spaceRunes, -1, nil
	case 'S':
		return spaceRunes.negated(), -1, nil
	case 'x':
		c, err = t.hex(2)
	case 'u':
		c, err = t.codePoint()
	case 'c':
		if t.pos < len(t.src) {
			c = rune(t.src[t.pos] & 31)
			t.pos++
		}
	default:
		if at := strings.IndexRune("bfnrtv0", c); at >= 0 {
			c = rune("\b\f\n\r\t\v\x00"[at])
		}
	}
	return runes{{c, c}}, c, err
}

// setStrings reads \q{a|b}.
func (t *translator) setStrings() (runes, rune, error) {
	rest := t.src[t.pos+2:]
	end := strings.IndexByte(rest, '}')
	if !strings.HasPrefix(rest, "{") || end < 0 {
		return nil, -1, fmt.Errorf("Invalid escape")
	}
	var set runes
	for _, s := range strings.Split(rest[1:end], "|") {
		if utf8.RuneCountInString(s) != 1 || s == `\` {
			return nil, -1, fmt.Errorf("\\q{} of more than one character is not supported in this sandbox")
		}
		c, _ := utf8.DecodeRuneInString(s)
		set = set.union(runes{{c, c}})
	}
	t.pos += 2 + end + 1
	return set, -1, nil
}

// codePoint reads what follows \u: four digits, a surrogate pair, or {digits}.
func (t *translator) codePoint() (rune, error) {
	if t.accept("{") {
		end := strings.IndexByte(t.src[t.pos:], '}')
		if end < 0 {
			return 0, fmt.Errorf("Invalid Unicode escape")
		}
		c, err := t.hex(end)
		t.pos++
		if c > unicode.MaxRune {
			return 0, fmt.Errorf("Invalid Unicode escape")
		}
		return c, err
	}
	c, err := t.hex(4)
	if err == nil && c >= 0xD800 && c < 0xDC00 && strings.HasPrefix(t.src[t.pos:], `\u`) {
		t.pos += 2
		low, err := t.hex(4)
		return 0x10000 + (c-0xD800)<<10 + (low - 0xDC00), err
	}
	return c, err
}

func (t *translator) hex(digits int) (rune, error) {
	if t.pos+digits > len(t.src) {
		return 0, fmt.Errorf("Invalid Unicode escape")
	}
	n, err := strconv.ParseUint(t.src[t.pos:t.pos+digits], 16, 32)
	if err != nil {
		return 0, fmt.Errorf("Invalid Unicode escape")
	}
	t.pos += digits
	return rune(n), nil
}

func (t *translator) accept(s string) bool {
	if strings.HasPrefix(t.src[t.pos:], s) {
		t.pos += len(s)
		return true
	}
	return false
}
