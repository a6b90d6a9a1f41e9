package csvfile

import (
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

func codec(e Encoding) encoding.Encoding {
	switch e {
	case UTF16LE:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case UTF16BE:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case Windows1252:
		return charmap.Windows1252
	}
	return encoding.Nop
}

func decoder(e Encoding, r io.Reader) io.Reader { return codec(e).NewDecoder().Reader(r) }

// text1252 decodes a cell of a file in windows-1252.
func text1252(raw []byte) string {
	ascii := true
	for _, c := range raw {
		if c >= 0x80 {
			ascii = false
			break
		}
	}
	if ascii {
		return string(raw)
	}
	out := make([]rune, len(raw))
	for i, c := range raw {
		out[i] = charmap.Windows1252.DecodeByte(c)
	}
	return string(out)
}
