package plaintext

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// boxOf is about where the ink of a character is, in thousandths of the font's size, and
// whether fonts agree on it. PDFium asks the font's program; the rules of assemble need no
// more than how high and how low a text reaches.
func boxOf(r rune, width int) (left, bottom, right, top int, agreed bool) {
	if r <= ' ' || r == 0xA0 || unicode.IsSpace(r) {
		return 0, 0, 0, 0, true
	}
	bottom, top, agreed = heights(r)
	margin := min(width/12, 60)
	return margin, bottom, width - margin, top, agreed
}

// What the height of a text may be less than boxOf makes of it, as a part of it.
const (
	slackOfKnown = 0.12 // of characters that fonts agree on
	slackOfSome  = 0.35 // of several others: some reach about as far as expected
	slackOfFew   = 1    // of one or two others
)

func heights(r rune) (bottom, top int, agreed bool) {
	for _, class := range shapes {
		if strings.ContainsRune(class.runes, r) {
			return class.bottom, class.top, true
		}
	}
	if r >= 0xC0 && r < 0x2000 {
		if parts := []rune(norm.NFD.String(string(r))); len(parts) > 1 {
			bottom, top, agreed = heights(parts[0])
			for _, mark := range parts[1:] {
				switch class := norm.NFD.PropertiesString(string(mark)).CCC(); {
				case class == 202, class == 220, class == 240: // below, or attached there
					bottom = -212
				case unicode.IsUpper(parts[0]):
					top = 900
				case len(parts) > 2: // one above the other, or not
					top, agreed = 820, false
				default:
					top = 730
				}
			}
			return bottom, top, agreed
		}
	}
	switch {
	case r >= 0x2E80: // Chinese, Japanese and Korean
		return -100, 850, false
	case r < 0x80, unicode.IsUpper(r) && r < 0x530: // capitals, digits and whatever is as high
		return -12, 720, true
	}
	return -14, 730, false
}

var shapes = []struct {
	runes       string
	bottom, top int
}{
	{"acemnorsuvwxzıæœøĸ", -12, 530},
	{"авгезиклмнопстхчшъыьэюяєѕљњ", -12, 530},
	{"αειικνοπστυω", -12, 530},
	{"gpqyрудцщџγημρςχφψ", -212, 530},
	{"bdhklfißþðđħłбђћіδθλ", -14, 730},
	{"jβζξ", -212, 730},
	{"ДЦЩЏ", -190, 720},
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
	{"©®", -12, 720},
	{"()[]{}|/", -190, 740},
	{"Q", -110, 720},
}
