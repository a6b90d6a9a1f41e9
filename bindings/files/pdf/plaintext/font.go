package plaintext

import "unicode"

// font is what a font says of its codes.
type font struct {
	doc  *Document
	dict Dict
	why  string // not to be sure of it; "" if it can be used
	wide bool   // codes of two bytes

	unicode  map[uint32][]rune // what ToUnicode says
	encoding [256]rune         // of a simple font without it: 0 for none, unknown for not sure
	cjk      bool              // codes that ToUnicode leaves out may mean something
	widths   widths
	spaces   float32 // the width of a space, in thousandths; -1 if there is none

	known map[uint32]*glyph
	small [256]*glyph
}

const unknown = -1

// glyph is what is known of a code. Lengths are thousandths of the font's size.
type glyph struct {
	code                     uint32
	text                     []rune
	width                    int
	left, bottom, right, top int
	agreed                   bool // what fonts make of it reaches about from bottom to top
}

// Flags of a font descriptor.
const (
	symbolic    = 1 << 2
	nonsymbolic = 1 << 5
	allCaps     = 1 << 16
)

// load reads the font, and says why it cannot be relied on.
func (f *font) load() string {
	d := f.doc
	if f.dict == nil {
		return "it is missing"
	}
	d.keep(100)
	if s, ok := d.get(f.dict["ToUnicode"]).(*Stream); ok {
		f.unicode = d.readUnicode(s)
	}
	switch d.get(f.dict["Subtype"]) {
	case Name("Type0"):
		if why := f.loadWide(); why != "" {
			return why
		}
	case Name("Type1"), Name("MMType1"), Name("TrueType"):
		if why := f.loadSimple(); why != "" {
			return why
		}
	default:
		return "its type"
	}
	f.findSpace()
	return ""
}

func (f *font) loadWide() string {
	d := f.doc
	f.wide, f.known = true, map[uint32]*glyph{}
	list, _ := d.get(f.dict["DescendantFonts"]).(Array)
	if len(list) != 1 || d.get(f.dict["Encoding"]) != Name("Identity-H") || f.unicode == nil {
		return "its encoding"
	}
	inner, _ := d.get(list[0]).(Dict)
	system, _ := d.get(inner["CIDSystemInfo"]).(Dict)
	switch ordering := d.get(system["Ordering"]).(type) {
	case String:
		switch string(ordering) {
		case "GB1", "CNS1", "Japan1", "Korea1":
			f.cjk = true
		}
	case Name:
		f.cjk = true
	}
	if inner == nil || !f.widths.readWide(d, inner) {
		return "its widths"
	}
	return ""
}

func (f *font) loadSimple() string {
	d := f.doc
	descriptor, _ := d.get(f.dict["FontDescriptor"]).(Dict)
	base, _ := d.get(f.dict["BaseFont"]).(Name)
	embedded := descriptor["FontFile"] != nil || descriptor["FontFile2"] != nil || descriptor["FontFile3"] != nil
	trueType := d.get(f.dict["Subtype"]) == Name("TrueType")
	standard := standardFont(base)
	flags := 0
	switch {
	case descriptor["Flags"] != nil || descriptor != nil && standard == "":
		flags = d.number(descriptor["Flags"], nonsymbolic)
	case standard != "":
		flags = nonsymbolic
	}
	if flags&allCaps != 0 && !embedded {
		return "small capitals"
	}
	if base == "Symbol" || base == "ZapfDingbats" {
		f.encode(nil, nil, true, false)
	} else {
		codes, names, ok := f.readEncoding(flags, embedded, trueType)
		if !ok {
			return "its encoding"
		}
		f.encode(codes, names, flags&symbolic != 0, trueType)
		if trueType && flags&nonsymbolic == 0 {
			// What the codes mean is then up to the font's own tables.
			latin := (codes == winAnsi || codes == macRoman) && len(names) == 0
			for c := range f.encoding {
				if !latin || c >= 0x7F {
					f.encoding[c] = unknown
				}
			}
		}
	}
	if !f.widths.readSimple(d, f.dict, descriptor, standard, &f.encoding) {
		return "its widths"
	}
	return ""
}

// findSpace finds the width of the font's space.
func (f *font) findSpace() {
	f.spaces = -1
	code, found := uint32(0), false
	for c, text := range f.unicode {
		if len(text) == 1 && text[0] == ' ' && c != 0 && (!found || c < code) {
			code, found = c, true
		}
	}
	switch {
	case found:
	case f.wide: // PDFium takes the first glyph
	default:
		for c, r := range f.encoding {
			if r == ' ' || r == unknown && c == ' ' && f.widths.of(' ') > 0 {
				code, found = uint32(c), true
				break
			}
		}
		if !found {
			return
		}
	}
	f.spaces = float32(f.widths.of(code))
}

// glyphs adds those of a string.
func (f *font) glyphs(items []item, text []byte) []item {
	if !f.wide {
		for _, c := range text {
			g := f.small[c]
			if g == nil {
				g = f.newGlyph(uint32(c))
				f.small[c] = g
			}
			items = append(items, item{glyph: g})
		}
		return items
	}
	if len(text)%2 != 0 {
		fail("half a code")
	}
	for i := 0; i < len(text); i += 2 {
		code := uint32(text[i])<<8 | uint32(text[i+1])
		g := f.known[code]
		if g == nil {
			g = f.newGlyph(code)
			f.known[code] = g
		}
		items = append(items, item{glyph: g})
	}
	return items
}

func (f *font) newGlyph(code uint32) *glyph {
	f.doc.keep(2)
	g := &glyph{code: code, text: f.unicode[code], width: f.widths.of(code)}
	if g.width == unknown {
		fail("the width of code %d", code)
	}
	if g.text == nil {
		r := unknown
		switch {
		case !f.wide:
			r = int(f.encoding[code])
		case !f.cjk:
			r = 0
		}
		switch r {
		case unknown:
			fail("code %d of a font", code)
		case 0: // PDFium takes the code for the character
			r = int(code)
		}
		g.text = []rune{rune(r)}
	}
	for _, r := range g.text {
		if !ordinary(r) {
			fail("the character %U", r)
		}
		if unicode.IsSpace(r) != unicode.IsSpace(g.text[0]) {
			fail("a glyph for a space and more") // it may have ink or not
		}
	}
	g.left, g.bottom, g.right, g.top, g.agreed = boxOf(g.text[0], g.width)
	return g
}

// ordinary tells whether a character is of a script that is written from left to right, with
// shapes that boxOf knows.
func ordinary(r rune) bool {
	switch {
	case r == 0, r == 0xFB05:
		return false
	case r >= 0x200E && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069: // marks of directions
		return false
	}
	for _, block := range blocks {
		if r <= block.last {
			return r >= block.first
		}
	}
	return false
}

var blocks = []struct{ first, last rune }{
	{0, 0x58F},         // Latin, Greek, Cyrillic, Armenian
	{0x10A0, 0x10FF},   // Georgian
	{0x1D00, 0x2BFF},   // more of these, punctuation, symbols
	{0x2E80, 0x9FFF},   // Chinese and Japanese
	{0xAC00, 0xD7A3},   // Korean
	{0xE000, 0xFB06},   // private ones, as symbols are, more Chinese, ligatures
	{0xFE30, 0xFE4F},   // Chinese punctuation
	{0xFF00, 0xFFFD},   // wide Latin
	{0x1D400, 0x1D7FF}, // letters of mathematics
}
