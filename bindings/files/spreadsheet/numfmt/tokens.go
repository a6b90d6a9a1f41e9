package numfmt

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

type kind uint8

const (
	literal   kind = iota
	digit          // text is 0, # or ?
	point          // the decimal point
	comma          // groups or scales
	percent        //
	exponent       // text is E+ or E-
	slash          // of a fraction
	textValue      // @
	generalValue
	datePart // text is what stands there in lower case: yyyy, mm, am/pm, [h], .00
)

type token struct {
	kind kind
	text string
}

// section is one part of a code between semicolons.
type section struct {
	tokens []token
	cond   condition
	date   bool
}

func (s *section) has(k kind) bool {
	for _, t := range s.tokens {
		if t.kind == k {
			return true
		}
	}
	return false
}

// numeric tells whether the section shows a number's digits.
func (s *section) numeric() bool { return s.has(digit) || s.has(generalValue) || s.date }

// split takes a code apart.
func split(code string) []section {
	sections := make([]section, 1, 4)
	s := &sections[0]
	add := func(k kind, text string) { s.tokens = append(s.tokens, token{k, text}) }
	for i := 0; i < len(code); {
		rest := code[i:]
		c := code[i]
		switch {
		case c == ';':
			sections = append(sections, section{})
			s = &sections[len(sections)-1]
			i++
		case c == '"':
			end := strings.IndexByte(rest[1:], '"')
			if end < 0 {
				end = len(rest) - 1
			}
			add(literal, rest[1:1+end])
			i += min(end+2, len(rest))
		case c == '\\' || c == '!' && len(rest) > 1:
			char := firstRune(rest[1:])
			add(literal, char)
			i += 1 + len(char)
		case c == '_': // as wide as the next character
			add(literal, " ")
			i += 1 + len(firstRune(rest[1:]))
		case c == '*': // fills the cell; a text has no width to fill
			i += 1 + len(firstRune(rest[1:]))
		case c == '[':
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				add(literal, rest)
				return finish(sections)
			}
			s.bracket(rest[1:end])
			i += end + 1
		case hasFold(rest, "general"):
			add(generalValue, "")
			i += len("general")
		case hasFold(rest, "am/pm"), hasFold(rest, "a/p"):
			if hasFold(rest, "am/pm") {
				add(datePart, "AM/PM")
				i += 5
			} else {
				add(datePart, rest[:3])
				i += 3
			}
		case (c == 'E' || c == 'e') && len(rest) > 1 && (rest[1] == '+' || rest[1] == '-') && s.has(digit):
			add(exponent, "E"+rest[1:2])
			i += 2
		case strings.IndexByte("yYmMdDhHsSeEbBgGaA", c) >= 0:
			n := 1
			for n < len(rest) && rest[n]|0x20 == c|0x20 {
				n++
			}
			if c|0x20 == 'a' && n < 3 { // aaa is the day's name in East Asian codes
				add(literal, rest[:n])
			} else {
				add(datePart, strings.ToLower(rest[:n]))
			}
			i += n
		case c == '0' || c == '#' || c == '?':
			add(digit, rest[:1])
			i++
		case c == '.':
			n := 1
			for n < len(rest) && rest[n] == '0' {
				n++
			}
			if n > 1 && s.afterSeconds() {
				add(datePart, rest[:n])
				i += n
				break
			}
			add(point, ".")
			i++
		case c == ',':
			add(comma, ",")
			i++
		case c == '%':
			add(percent, "%")
			i++
		case c == '/':
			add(slash, "/")
			i++
		case c == '@':
			add(textValue, "")
			i++
		default:
			char := firstRune(rest)
			add(literal, char)
			i += len(char)
		}
	}
	return finish(sections)
}

func firstRune(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// bracket reads what stands in brackets: a condition, a currency with its locale, an
// elapsed time; colours and numeral systems are not shown.
func (s *section) bracket(text string) {
	switch {
	case text == "":
	case text[0] == '$':
		currency, _, _ := strings.Cut(text[1:], "-")
		s.tokens = append(s.tokens, token{literal, currency})
	case text[0] == '<' || text[0] == '>' || text[0] == '=':
		n := 1
		if len(text) > 1 && (text[1] == '=' || text[1] == '>') {
			n = 2
		}
		if limit, err := strconv.ParseFloat(strings.TrimSpace(text[n:]), 64); err == nil {
			s.cond = condition{text[:n], limit}
		}
	default:
		low := strings.ToLower(text)
		if strings.Trim(low, "h") == "" || strings.Trim(low, "m") == "" || strings.Trim(low, "s") == "" {
			s.tokens = append(s.tokens, token{datePart, "[" + low + "]"})
		}
	}
}

// afterSeconds tells whether the last date part is one of seconds, with nothing of a
// number since.
func (s *section) afterSeconds() bool {
	for i := len(s.tokens) - 1; i >= 0; i-- {
		switch t := s.tokens[i]; t.kind {
		case datePart:
			return strings.Contains(t.text, "s")
		case digit, point:
			return false
		}
	}
	return false
}

// finish settles what only the whole section tells: which m are minutes, and whether
// signs belong to a date.
func finish(sections []section) []section {
	for k := range sections {
		s := &sections[k]
		last := -1 // the date part before
		for i, t := range s.tokens {
			if t.kind != datePart {
				continue
			}
			s.date = true
			switch t.text[0] {
			case 'm':
				if len(t.text) <= 2 && last >= 0 && strings.ContainsAny(s.tokens[last].text, "hs") {
					s.tokens[i].text = "n" + t.text[1:] // n and nm are minutes
				}
			case 's', '[':
				if t.text[0] == '[' && t.text[1] != 's' {
					break
				}
				if last >= 0 && (s.tokens[last].text == "m" || s.tokens[last].text == "mm") {
					s.tokens[last].text = "n" + s.tokens[last].text[1:]
				}
			}
			if t.text[0] != 'a' && t.text[0] != 'A' {
				last = i
			}
		}
		if !s.date {
			continue
		}
		for i, t := range s.tokens {
			switch t.kind {
			case slash, comma, point, percent:
				s.tokens[i].kind = literal
			}
		}
	}
	return sections
}
