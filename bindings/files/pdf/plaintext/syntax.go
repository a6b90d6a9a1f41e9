package plaintext

import (
	"bytes"
	"math"
)

// The objects of a PDF. Numbers are float64, booleans bool, and null is nil.
type (
	Name   string
	String []byte
	Array  []any
	Dict   map[Name]any
	Ref    int // an object's number
	Stream struct {
		Dict Dict
		raw  []byte
	}
)

type kind uint8

const (
	end kind = iota
	number
	name
	text
	keyword // also true, false and null
	open    // [
	shut    // ]
	openDict
	shutDict
)

// token is a piece of syntax.
type token struct {
	kind  kind
	whole bool // a number without a point
	num   float64
	bytes []byte // of a name, a text or a keyword; good until scratch is emptied
}

// lexer divides data into tokens.
type lexer struct {
	data    []byte
	at      int
	scratch []byte // what had to be unescaped
	left    *int   // how many values there may still be in objects
}

const (
	regular = iota
	space
	delimiter
)

var classes = func() (c [256]uint8) {
	for _, b := range []byte("\x00\t\n\f\r ") {
		c[b] = space
	}
	for _, b := range []byte("()<>[]{}/%") {
		c[b] = delimiter
	}
	return c
}()

func (l *lexer) skip() {
	for l.at < len(l.data) {
		c := l.data[l.at]
		switch {
		case classes[c] == space:
			l.at++
		case c == '%':
			for l.at < len(l.data) && l.data[l.at] != '\n' && l.data[l.at] != '\r' {
				l.at++
			}
		default:
			return
		}
	}
}

// next gives the next token.
func (l *lexer) next() token {
	l.skip()
	if l.at >= len(l.data) {
		return token{}
	}
	c := l.data[l.at]
	if classes[c] == regular {
		return l.regular()
	}
	l.at++
	switch c {
	case '/':
		return token{kind: name, bytes: l.name()}
	case '(':
		return token{kind: text, bytes: l.literal()}
	case '[':
		return token{kind: open}
	case ']':
		return token{kind: shut}
	case '<':
		if l.at < len(l.data) && l.data[l.at] == '<' {
			l.at++
			return token{kind: openDict}
		}
		return token{kind: text, bytes: l.hex()}
	case '>':
		if l.at < len(l.data) && l.data[l.at] == '>' {
			l.at++
			return token{kind: shutDict}
		}
	}
	fail("a stray %q", c)
	return token{}
}

// regular reads a number or a keyword.
func (l *lexer) regular() token {
	from := l.at
	for l.at < len(l.data) && classes[l.data[l.at]] == regular {
		l.at++
	}
	word := l.data[from:l.at]
	c := word[0]
	if c > '9' || c < '+' || c == ',' || c == '/' {
		return token{kind: keyword, bytes: word}
	}
	v, whole := parseNumber(word)
	return token{kind: number, num: v, whole: whole}
}

// parseNumber reads a number as the standard has it; what others make of more than that
// differs.
func parseNumber(word []byte) (v float64, whole bool) {
	i := 0
	if word[0] == '+' || word[0] == '-' {
		i++
	}
	digits, scale := 0, 0.0
	for ; i < len(word); i++ {
		c := word[i]
		switch {
		case c >= '0' && c <= '9':
			v = v*10 + float64(c-'0')
			scale *= 10
			digits++
		case c == '.' && scale == 0:
			scale = 1
		default:
			fail("the number %.20q", word)
		}
	}
	if digits == 0 || digits > 30 {
		fail("the number %.20q", word)
	}
	whole = scale == 0
	if scale > 1 {
		v /= scale
	}
	if word[0] == '-' {
		v = -v
	}
	return v, whole
}

func (l *lexer) name() []byte {
	from := l.at
	escaped := false
	for l.at < len(l.data) && classes[l.data[l.at]] == regular {
		escaped = escaped || l.data[l.at] == '#'
		l.at++
	}
	raw := l.data[from:l.at]
	if !escaped {
		return raw
	}
	from = len(l.scratch)
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) && digit(raw[i+1]) >= 0 && digit(raw[i+2]) >= 0 {
			l.scratch = append(l.scratch, byte(digit(raw[i+1])<<4|digit(raw[i+2])))
			i += 2
			continue
		}
		l.scratch = append(l.scratch, raw[i])
	}
	return l.scratch[from:]
}

// digit is the value of a hexadecimal digit, or -1.
func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func (l *lexer) hex() []byte {
	out, high := l.scratch, -1
	from := len(out)
	for l.at < len(l.data) {
		c := l.data[l.at]
		l.at++
		if c == '>' {
			if high >= 0 {
				out = append(out, byte(high<<4))
			}
			l.scratch = out
			return out[from:]
		}
		d := digit(c)
		switch {
		case d < 0 && classes[c] == space:
		case d < 0:
			fail("%q in a hexadecimal string", c)
		case high < 0:
			high = d
		default:
			out = append(out, byte(high<<4|d))
			high = -1
		}
	}
	fail("a string without an end")
	return nil
}

// literal reads a string in parentheses. Ends of lines in it stay as they are, since codes of
// two bytes are written so.
func (l *lexer) literal() []byte {
	if n := bytes.IndexAny(l.data[l.at:], `()\`); n >= 0 && l.data[l.at+n] == ')' {
		l.at += n + 1
		return l.data[l.at-n-1 : l.at-1]
	}
	out, depth := l.scratch, 1
	from := len(out)
	for l.at < len(l.data) {
		c := l.data[l.at]
		l.at++
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.scratch = out
				return out[from:]
			}
		case '\\':
			out = l.escape(out)
			continue
		}
		out = append(out, c)
	}
	fail("a string without an end")
	return nil
}

func (l *lexer) escape(out []byte) []byte {
	if l.at >= len(l.data) {
		return out
	}
	c := l.data[l.at]
	l.at++
	switch c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\n':
		return out
	case '\r':
		if l.at < len(l.data) && l.data[l.at] == '\n' {
			l.at++
		}
		return out
	}
	if c < '0' || c > '7' {
		return append(out, c)
	}
	v := int(c - '0')
	for range 2 {
		if l.at >= len(l.data) || l.data[l.at] < '0' || l.data[l.at] > '7' {
			break
		}
		v = v<<3 | int(l.data[l.at]-'0')
		l.at++
	}
	return append(out, byte(v))
}

// object reads an object, which may be a reference.
func (l *lexer) object() any { return l.objectOf(l.next(), 0) }

func (l *lexer) objectOf(t token, depth int) any {
	if depth > maxNesting {
		fail("too deep")
	}
	if *l.left--; *l.left < 0 {
		fail("too many values")
	}
	switch t.kind {
	case number:
		if t.whole && t.num >= 0 {
			if r, ok := l.reference(t.num); ok {
				return r
			}
		}
		return t.num
	case name:
		return Name(t.bytes)
	case text:
		return String(bytes.Clone(t.bytes))
	case open:
		list := Array{}
		for t = l.next(); t.kind != shut; t = l.next() {
			list = append(list, l.objectOf(t, depth+1))
		}
		return list
	case openDict:
		*l.left -= dictValues
		dict := Dict{}
		for t = l.next(); t.kind != shutDict; t = l.next() {
			if t.kind != name {
				fail("a key that is no name")
			}
			key := Name(t.bytes)
			dict[key] = l.objectOf(l.next(), depth+1)
		}
		return dict
	case keyword:
		switch string(t.bytes) {
		case "true":
			return true
		case "false":
			return false
		case "null":
			return nil
		}
	}
	fail("%.20q where an object should be", t.bytes)
	return nil
}

// reference reads the rest of "1 0 R", if it is there.
func (l *lexer) reference(n float64) (Ref, bool) {
	at := l.at
	if n <= math.MaxInt32 && at < len(l.data) && classes[l.data[at]] == space {
		l.skip()
		if c := l.at; c < len(l.data) && l.data[c] >= '0' && l.data[c] <= '9' {
			if t := l.next(); t.kind == number && t.whole {
				l.skip()
				if l.at < len(l.data) && l.data[l.at] == 'R' && (l.at+1 == len(l.data) || classes[l.data[l.at+1]] != regular) {
					l.at++
					return Ref(n), true
				}
			}
		}
	}
	l.at = at
	return 0, false
}

// word reads a keyword, which must be this one.
func (l *lexer) word(want string) {
	if t := l.next(); t.kind != keyword || string(t.bytes) != want {
		fail("no %s", want)
	}
}

// integer reads a whole number that is not negative.
func (l *lexer) integer() int {
	t := l.next()
	if t.kind != number || !t.whole || t.num < 0 || t.num > math.MaxInt32 {
		fail("no whole number")
	}
	return int(t.num)
}
