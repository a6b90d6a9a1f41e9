package text

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
)

// headSize is what is looked at to tell text from binary.
const headSize = 64 << 10

// sniff decides by the first bytes; it answers a MIME type for what is not text.
func (f *Form) sniff(head []byte, size int64) (binary string) {
	*f = Form{Break: '\n'}
	switch {
	case bytes.HasPrefix(head, []byte("\xFF\xFE\x00\x00")), bytes.HasPrefix(head, []byte("\x00\x00\xFE\xFF")):
		return "text/plain; charset=utf-32"
	case bytes.HasPrefix(head, []byte(UTF16LE.mark())) && size%2 == 0:
		f.Encoding, f.BOM = UTF16LE, true
	case bytes.HasPrefix(head, []byte(UTF16BE.mark())) && size%2 == 0:
		f.Encoding, f.BOM = UTF16BE, true
	case bytes.HasPrefix(head, []byte(UTF8.mark())):
		f.BOM = true
	case bytes.HasPrefix(head, []byte("%PDF-")): // may be pure ASCII and is still not a text
		return "application/pdf"
	case bytes.IndexByte(head, 0) >= 0:
		e, ok := bareUTF16(head, size)
		if !ok {
			return binaryType(head)
		}
		f.Encoding = e
	}
	if f.Encoding.unit() == 2 && bytes.ContainsRune([]byte(f.Encoding.Decode(head)), 0) {
		return binaryType(head)
	}
	f.Newline = f.newline(head)
	return ""
}

// settleNewline makes what the first lines end with agree with what ends lines in the
// whole text, where breaks is the number of them.
func (f *Form) settleNewline(breaks int) {
	switch {
	case breaks == 0:
		f.Newline = ""
	case f.Break == '\r':
		f.Newline = "\r"
	case f.Newline != "\r\n":
		f.Newline = "\n"
	}
}

// newline tells how most lines of a piece of text end.
func (f Form) newline(b []byte) string {
	lf := f.Encoding.breaks(b, '\n')
	if lf == 0 {
		if f.Encoding.breaks(b, '\r') > 0 {
			return "\r"
		}
		return ""
	}
	if 2*bytes.Count(b, f.Encoding.units("\r\n")) > lf {
		return "\r\n"
	}
	return "\n"
}

// bareUTF16 recognises UTF-16 without a byte order mark by the zero bytes that every
// Latin letter, digit, space and line end has on one side and hardly any on the other.
func bareUTF16(head []byte, size int64) (Encoding, bool) {
	if size%2 != 0 || len(head) < 4 {
		return 0, false
	}
	even, odd := 0, 0
	for i := 0; i+1 < len(head); i += 2 {
		if head[i] == 0 && head[i+1] == 0 {
			return 0, false // U+0000 is in no text
		}
		if head[i] == 0 {
			even++
		}
		if head[i+1] == 0 {
			odd++
		}
	}
	e, zeros := UTF16LE, odd
	if even > odd {
		e, zeros = UTF16BE, even
	}
	// 40% of the units at least; a few on the other side are characters such as U+0100.
	if min(even, odd)*4 > zeros || zeros*5 < len(head) {
		return 0, false
	}
	text := e.Decode(head)
	if int64(len(head)) < size { // the cut may have split a pair of surrogates
		text = strings.TrimSuffix(text, "\uFFFD")
	}
	for _, r := range text {
		if r == utf8.RuneError || isControl(r) {
			return 0, false
		}
	}
	return e, true
}

// binaryType names what is not text.
func binaryType(head []byte) string {
	kind := mimetype.Detect(head).String()
	if strings.HasPrefix(kind, "text/") {
		return "application/octet-stream"
	}
	return kind
}

// isControl tells of characters that no text contains.
func isControl(r rune) bool {
	return r < ' ' && !strings.ContainsRune("\t\n\v\f\r\b\x1a\x1b", r) || r == 0x7f
}
