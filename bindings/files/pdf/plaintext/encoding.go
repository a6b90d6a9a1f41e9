package plaintext

import "golang.org/x/text/encoding/charmap"

// readEncoding gives the named encoding that a simple font has, nil for the one in the
// font's program, and the names of those characters that differ.
func (f *font) readEncoding(flags int, embedded, trueType bool) (codes *[256]rune, names map[int]Name, ok bool) {
	if flags&symbolic == 0 {
		codes = standardEncoding
	}
	named := func(o any) bool {
		switch f.doc.get(o) {
		case Name("WinAnsiEncoding"):
			codes = winAnsi
		case Name("MacRomanEncoding"):
			codes = macRoman
		case Name("MacExpertEncoding"), Name("PDFDocEncoding"):
			return false
		}
		return true
	}
	switch e := f.doc.get(f.dict["Encoding"]).(type) {
	case nil:
		if !embedded && codes == nil {
			codes = winAnsi
		}
	case Name:
		return codes, nil, named(e)
	case Dict:
		if !named(e["BaseEncoding"]) {
			return nil, nil, false
		}
		if (!embedded || trueType) && codes == nil {
			codes = standardEncoding
		}
		differences, _ := f.doc.get(e["Differences"]).(Array)
		if len(differences) > 1000 {
			return nil, nil, false
		}
		names = map[int]Name{}
		at := 0
		for _, o := range differences {
			switch o := f.doc.get(o).(type) {
			case Name:
				names[at] = o
				at++
			case float64:
				at = toInt(o)
			}
		}
	default:
		return nil, nil, false
	}
	return codes, names, true
}

// encode says what each code is. builtin tells whether the font's program has a say where
// there is no name.
func (f *font) encode(codes *[256]rune, names map[int]Name, builtin, trueType bool) {
	for c := range f.encoding {
		switch name, differs := names[c]; {
		case differs && name == ".notdef":
			f.encoding[c] = ' '
			if builtin || trueType {
				f.encoding[c] = unknown
			}
		case differs:
			f.encoding[c] = runeOf(name)
		case codes != nil:
			f.encoding[c] = codes[c]
		}
		if f.encoding[c] == 0 && builtin {
			f.encoding[c] = unknown
		}
	}
}

// winAnsi, macRoman and standardEncoding are those of ISO 32000-2, annex D, by code: 0 where
// there is no character. What two tables disagree about is unknown.
var (
	winAnsi = func() *[256]rune {
		t := latin(charmap.Windows1252)
		for _, c := range []int{0x7F, 0x81, 0x8D, 0x8F, 0x90, 0x9D} {
			t[c] = '•'
		}
		t[0xA0], t[0xAD] = ' ', '-'
		return t
	}()
	macRoman = func() *[256]rune {
		t := latin(charmap.Macintosh)
		t[0x7F], t[0xCA], t[0xDB] = 0, ' ', '¤'
		for _, c := range []int{0xAD, 0xB0, 0xB2, 0xB3, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xBD, 0xC3, 0xC5, 0xC6, 0xD7, 0xF0} {
			t[c] = unknown
		}
		return t
	}()
	standardEncoding = func() *[256]rune {
		t := &[256]rune{}
		for c := ' '; c < 0x7F; c++ {
			t[c] = c
		}
		t['\''], t['`'] = '’', '‘'
		at := 0xA0
		for _, r := range " ¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ –†‡· ¶•‚„”»…‰ ¿ `´ˆ˜¯˘˙¨ ˚¸ ˝˛ˇ—                Æ ª    ŁØŒº     æ   ı  łøœß" {
			if r != ' ' {
				t[at] = r
			}
			at++
		}
		return t
	}()
)

func latin(m *charmap.Charmap) *[256]rune {
	t := &[256]rune{}
	for c := ' '; c < 256; c++ {
		if r := m.DecodeByte(byte(c)); r != '\uFFFD' {
			t[c] = r
		}
	}
	return t
}
