package plaintext

import (
	"strings"
	"unicode"
)

// boxOf is about where the ink of a character is, in thousandths of the font's size. PDFium
// asks the font's program; the rules of assemble need no more than how high and how low a
// text reaches.
func boxOf(r rune, width int) (left, bottom, right, top int) {
	if r <= ' ' || r == 0xA0 || unicode.IsSpace(r) {
		return 0, 0, 0, 0
	}
	bottom, top = heights(r)
	margin := min(width/12, 60)
	return margin, bottom, width - margin, top
}

func heights(r rune) (bottom, top int) {
	for _, class := range shapes {
		if strings.ContainsRune(class.runes, r) {
			return class.bottom, class.top
		}
	}
	switch {
	case unicode.IsUpper(r) && r > 0xBF:
		return -12, 900 // most have accents
	case r >= 0x2E80: // Chinese, Japanese and Korean
		return -100, 850
	case r >= 0xC0:
		return -14, 730
	}
	return -12, 720 // capitals, digits and whatever is as high
}

var shapes = []struct {
	runes       string
	bottom, top int
}{
	{"acemnorsuvwxzıα", -12, 530},
	{"gpqyç", -212, 530},
	{"j", -212, 720},
	{"t", -12, 650},
	{".…", 0, 110},
	{",‚„", -140, 110},
	{":", 0, 500},
	{";", -140, 500},
	{"-–—\u00AD−¬", 210, 310},
	{"_", -130, -70},
	{"'\"’‘“”*^°´`", 440, 720},
	{"+=<>~×÷±", 60, 480},
	{"•·", 200, 530},
	{"()[]{}|/", -190, 740},
	{"Q", -110, 720},
}
