package pdfium

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// isHyphen tells the marks that PDFium puts for a hyphen at the end of a line and the end
// of the line.
func isHyphen(r rune) bool { return r == 0x02 || r == 0xFFFE }

// wideAll reads n UTF-16 units, zeros included.
func (m *module) wideAll(p ptr, n int) []uint16 {
	data := m.bytes(p, 2*max(n, 0))
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(data[2*i:])
	}
	return units
}

// plain makes text of PDFium's units: lines end in "\n", hyphens are hyphens, and control
// characters, which come from fonts that do not say what their glyphs mean, are left out.
func plain(units []uint16) string {
	var b strings.Builder
	b.Grow(len(units))
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		if utf16.IsSurrogate(r) {
			next := rune(0)
			if i+1 < len(units) {
				next = rune(units[i+1])
			}
			if r = utf16.DecodeRune(r, next); r != '\uFFFD' {
				i++
			}
		}
		if isHyphen(r) && i+1 < len(units) {
			b.WriteString("-\n")
		} else if r = shown(r); r >= 0 {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// shown is a character as text has it; -1 is none.
func shown(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case isHyphen(r):
		return '-'
	case r < ' ' || r == 0x7F || r == 0xFFFF || r == 0xAD: // soft hyphens are not seen
		return -1
	}
	return r
}

// readable is plain for characters: the halves of a pair become one.
func readable(chars []Char) []Char {
	out := make([]Char, 0, len(chars)+16)
	for i := 0; i < len(chars); i++ {
		c := chars[i]
		if utf16.IsSurrogate(c.Rune) && i+1 < len(chars) {
			if r := utf16.DecodeRune(c.Rune, chars[i+1].Rune); r != '\uFFFD' {
				c.Rune, c.Box = r, c.Box.Union(chars[i+1].Box)
				i++
			}
		}
		hyphen := isHyphen(c.Rune)
		if c.Rune = shown(c.Rune); c.Rune >= 0 {
			out = append(out, c)
		}
		if hyphen && i+1 < len(chars) {
			out = append(out, Char{Rune: '\n', Inserted: true})
		}
	}
	return out
}
