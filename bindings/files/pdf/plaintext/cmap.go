package plaintext

import "unicode/utf16"

// readUnicode reads what a ToUnicode map says of each code: bfchar and bfrange, as PDFium
// does. Maps that say one code twice, or that are put on others, are out of the ordinary.
func (d *Document) readUnicode(s *Stream) map[uint32][]rune {
	l := lexer{data: d.inflate(s)}
	m := unicodeMap{doc: d, texts: map[uint32][]rune{}}
	for count := 0; ; {
		t := l.next()
		switch {
		case t.kind == end:
			return m.texts
		case t.kind == name && len(t.bytes) > 6 && string(t.bytes[:6]) == "Adobe-" && string(t.bytes[max(0, len(t.bytes)-5):]) == "-UCS2":
			fail("a ToUnicode map on another")
		case t.kind == keyword && string(t.bytes) == "beginbfchar":
			m.entries(&l, count, m.char)
		case t.kind == keyword && string(t.bytes) == "beginbfrange":
			m.entries(&l, count, m.codes)
		case t.kind == keyword && string(t.bytes) == "usecmap":
			fail("a ToUnicode map on another")
		}
		if count = 0; t.kind == number {
			count = toInt(t.num)
		}
		l.scratch = l.scratch[:0]
	}
}

type unicodeMap struct {
	doc   *Document
	texts map[uint32][]rune
}

// entries reads as many as are announced: PDFium takes none if there are more or fewer.
func (m unicodeMap) entries(l *lexer, count int, read func(l *lexer, code uint32)) {
	for n := 0; ; n++ {
		l.scratch = l.scratch[:0]
		t := hexOrElse(l)
		if t.kind != text {
			if n != count || t.kind != keyword {
				fail("%d entries of a ToUnicode map instead of %d", n, count)
			}
			return
		}
		read(l, codeOf(t.bytes))
	}
}

func (m unicodeMap) char(l *lexer, code uint32) { m.set(code, hexOf(l)) }

func (m unicodeMap) codes(l *lexer, low uint32) {
	high := codeOf(hexOf(l))
	if high < low || high>>8 != low>>8 {
		fail("the range %x to %x", low, high)
	}
	switch t := hexOrElse(l); t.kind {
	case text:
		to := append([]byte(nil), t.bytes...)
		for code := low; code <= high; code++ {
			m.set(code, to)
			for i := len(to) - 1; i >= 0; i-- {
				if to[i]++; to[i] != 0 {
					break
				}
			}
		}
	case open:
		for code := low; code <= high; code++ {
			m.set(code, hexOf(l))
		}
		if l.next().kind != shut {
			fail("bfrange")
		}
	default:
		fail("bfrange")
	}
}

// hexOrElse reads a token. A string must be in hexadecimal, whole bytes without spaces:
// PDFium takes the digits as they stand.
func hexOrElse(l *lexer) token {
	l.skip()
	from := l.at
	t := l.next()
	if t.kind == text && (l.data[from] != '<' || l.at-from != 2*len(t.bytes)+2) {
		fail("a string of a ToUnicode map")
	}
	return t
}

func hexOf(l *lexer) []byte {
	t := hexOrElse(l)
	if t.kind != text {
		fail("no string in a ToUnicode map")
	}
	return t.bytes
}

// codeOf reads a code of up to four bytes.
func codeOf(b []byte) (code uint32) {
	if len(b) > 4 {
		fail("a code of %d bytes", len(b))
	}
	for _, c := range b {
		code = code<<8 | uint32(c)
	}
	return code
}

// set takes what a code means, as UTF-16.
func (m unicodeMap) set(code uint32, to []byte) {
	if len(to) == 0 {
		return
	}
	if len(to)%2 != 0 || len(to) > 64 {
		fail("what a code means")
	}
	m.doc.keep(3)
	units := make([]uint16, len(to)/2)
	for i := range units {
		units[i] = uint16(to[2*i])<<8 | uint16(to[2*i+1])
	}
	runes := utf16.Decode(units)
	if before, ok := m.texts[code]; ok && string(before) != string(runes) {
		fail("a code with two meanings")
	}
	m.texts[code] = runes
}
