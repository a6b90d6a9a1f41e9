// Package text edits text files in the bytes they came in: it finds out how a file is
// encoded, where its lines are, and changes lines without touching the others.
//
// Scan reads a file once and answers an Index: its Form (encoding, byte order mark, line
// ending) and a table of blocks that counts the lines in each. With that a range of lines
// in the middle of a large file costs one small read. A Buffer is such a table with
// changes laid over it; what was not changed stays in the file until it is written out.
// No byte is decoded or encoded that nobody asked for, so a file with a broken character
// somewhere keeps it.
//
// Imports nothing of this module. Start reading at Scan, then Buffer.
package text

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Encoding is how a file's bytes stand for characters.
type Encoding uint8

// The encodings that are read and written.
const (
	UTF8        Encoding = iota
	UTF16LE              // with or without a byte order mark
	UTF16BE              // with or without a byte order mark
	Windows1252          // Latin-1 as it is found in the wild, with € and curly quotes
	Latin1               // ISO 8859-1, for files that use bytes Windows-1252 leaves undefined
)

// String is the encoding's IANA name.
func (e Encoding) String() string {
	return [...]string{"UTF-8", "UTF-16LE", "UTF-16BE", "windows-1252", "ISO-8859-1"}[e]
}

// unit is the number of bytes of the smallest step: 2 in UTF-16, else 1.
func (e Encoding) unit() int {
	if e == UTF16LE || e == UTF16BE {
		return 2
	}
	return 1
}

// mark is the encoding's byte order mark, if it has one.
func (e Encoding) mark() string {
	switch e {
	case UTF8:
		return "\xEF\xBB\xBF"
	case UTF16LE:
		return "\xFF\xFE"
	case UTF16BE:
		return "\xFE\xFF"
	}
	return ""
}

// Decode gives bytes as a string. What is broken reads as U+FFFD.
func (e Encoding) Decode(b []byte) string {
	switch e {
	case UTF16LE, UTF16BE:
		out, _ := e.utf16().NewDecoder().Bytes(b) // it replaces, it does not fail
		return string(out)
	case Windows1252, Latin1:
		if isASCII(b) {
			return string(b)
		}
		table := e.charmap()
		var out strings.Builder
		out.Grow(len(b) + len(b)/8)
		for _, c := range b {
			out.WriteRune(table.DecodeByte(c))
		}
		return out.String()
	}
	if utf8.Valid(b) {
		return string(b)
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// Encode gives a string as bytes. ok is false if the encoding lacks a character of it,
// which is then in lacks.
func (e Encoding) Encode(s string) (b []byte, lacks rune, ok bool) {
	switch e {
	case UTF16LE, UTF16BE:
		b, _ = e.utf16().NewEncoder().Bytes([]byte(s)) // it has every character
		return b, 0, true
	case Windows1252, Latin1:
		table := e.charmap()
		b = make([]byte, 0, len(s))
		for _, r := range s {
			c, ok := table.EncodeRune(r)
			if !ok {
				return nil, r, false
			}
			b = append(b, c)
		}
		return b, 0, true
	}
	return []byte(s), 0, true
}

func (e Encoding) charmap() *charmap.Charmap {
	if e == Latin1 {
		return charmap.ISO8859_1
	}
	return charmap.Windows1252
}

func (e Encoding) utf16() encoding.Encoding {
	if e == UTF16BE {
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
}

// breaks counts the units of b that end a line.
func (e Encoding) breaks(b []byte, end byte) int {
	if e.unit() == 1 {
		return bytes.Count(b, []byte{end})
	}
	n := 0
	for at := 0; ; n++ {
		next := e.nextBreak(b[at:], end)
		if next < 0 {
			return n
		}
		at += next
	}
}

// nextBreak gives the offset behind the first line end in b, or -1. b begins at a unit.
func (e Encoding) nextBreak(b []byte, end byte) int {
	if e.unit() == 1 {
		if i := bytes.IndexByte(b, end); i >= 0 {
			return i + 1
		}
		return -1
	}
	low := 0 // which byte of a unit is the low one
	if e == UTF16BE {
		low = 1
	}
	for at := 0; ; {
		i := bytes.IndexByte(b[at:], end)
		if i < 0 {
			return -1
		}
		i += at
		if i%2 == low && i^1 < len(b) && b[i^1] == 0 {
			return i - low + 2
		}
		at = i + 1
	}
}

// units encodes an ASCII string, such as a line ending.
func (e Encoding) units(ascii string) []byte {
	b, _, _ := e.Encode(ascii)
	return b
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
