package typeset

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/go-text/typesetting/font"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/fonts"
)

// face is a font in a document: of a file, with the glyphs that were used so far, or one
// of the standard ones, which every viewer has.
type face struct {
	ref      types.IndirectRef
	standard *standard

	font   *fonts.Font
	shape  *font.Face
	upem   float64
	glyphs []uint16 // by the code that the text has for them
	texts  []string // what they stand for
	codes  map[glyph]uint16
}

// glyph is a glyph of a font where it stands for a text: to copy and search a PDF, each
// code has one text.
type glyph struct {
	number uint16
	text   string
}

// open makes a font known to the document; what is in it is known when that is written.
func (s *Setter) open(f *fonts.Font) (*face, error) {
	if known := s.faces[f]; known != nil {
		return known, nil
	}
	shape, err := f.Face()
	if err != nil {
		return nil, err
	}
	fc := &face{ref: s.doc.Reserve(), font: f, shape: shape, upem: float64(shape.Upem()),
		glyphs: []uint16{0}, texts: []string{""}, codes: map[glyph]uint16{}}
	s.faces[f] = fc
	s.doc.BeforeWrite(func() error { return fc.embed(s.doc) })
	return fc, nil
}

// code gives the code for a glyph.
func (f *face) code(number uint16, text string) uint16 {
	key := glyph{number, text}
	code, known := f.codes[key]
	if !known && len(f.glyphs) < 0xfff0 {
		code = uint16(len(f.glyphs))
		f.codes[key] = code
		f.glyphs, f.texts = append(f.glyphs, number), append(f.texts, text)
	}
	return code
}

// width is how wide a viewer takes a glyph, in thousandths of the size.
func (f *face) width(number uint16) float64 {
	return float64(f.shape.HorizontalAdvance(font.GID(number))) * 1000 / f.upem
}

// embed writes the font into the document: ISO 32000-2, 9.7.
func (f *face) embed(doc *document.Document) error {
	file, err := subset(f.font, f.glyphs)
	if err != nil {
		return err
	}
	name := tag(f.glyphs) + f.name()
	var widths types.Array
	for _, number := range f.glyphs {
		widths = append(widths, types.Integer(int(f.width(number)+.5)))
	}
	scale := 1000 / f.upem
	extents, _ := f.shape.FontHExtents()
	head, err := f.font.Table("head")
	if err != nil || len(head) < 44 {
		return errSubset
	}
	box := func(at int) types.Object {
		return types.Integer(int(float64(int16(uint16(head[at])<<8|uint16(head[at+1]))) * scale))
	}
	descriptor := types.Dict{
		"Type": types.Name("FontDescriptor"), "FontName": types.Name(name), "Flags": types.Integer(f.flags()),
		"FontBBox": types.Array{box(36), box(38), box(40), box(42)}, "ItalicAngle": types.Integer(0),
		"Ascent": types.Integer(int(float64(extents.Ascender) * scale)), "Descent": types.Integer(int(float64(extents.Descender) * scale)),
		"CapHeight": types.Integer(int(f.shape.LineMetric(font.CapHeight) * float32(scale))), "StemV": types.Integer(80),
		"FontFile2": doc.Add(doc.Stream(types.Dict{"Length1": types.Integer(len(file))}, file)),
	}
	if f.font.Italic {
		descriptor["ItalicAngle"] = types.Integer(-12)
	}
	cid := types.Dict{
		"Type": types.Name("Font"), "Subtype": types.Name("CIDFontType2"), "BaseFont": types.Name(name),
		"CIDSystemInfo":  types.Dict{"Registry": types.StringLiteral("Adobe"), "Ordering": types.StringLiteral("Identity"), "Supplement": types.Integer(0)},
		"FontDescriptor": doc.Add(descriptor), "DW": types.Integer(1000), "W": types.Array{types.Integer(0), widths},
		"CIDToGIDMap": types.Name("Identity"),
	}
	doc.Set(f.ref, types.Dict{
		"Type": types.Name("Font"), "Subtype": types.Name("Type0"), "BaseFont": types.Name(name), "Encoding": types.Name("Identity-H"),
		"DescendantFonts": types.Array{doc.Add(cid)}, "ToUnicode": doc.Add(doc.Stream(nil, f.toUnicode())),
	})
	return nil
}

func (f *face) flags() int {
	flags := 1 << 2 // symbolic: it has codes of its own
	if f.font.Mono {
		flags |= 1
	}
	if f.font.Italic {
		flags |= 1 << 6
	}
	return flags
}

func (f *face) name() string {
	name := strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f && !strings.ContainsRune("()<>[]{}/%#+-", r) {
			return r
		}
		return -1
	}, f.font.Family)
	switch {
	case f.font.Bold && f.font.Italic:
		name += "-BoldItalic"
	case f.font.Bold:
		name += "-Bold"
	case f.font.Italic:
		name += "-Italic"
	}
	return name
}

// toUnicode maps codes to text: ISO 32000-2, 9.10.3.
func (f *face) toUnicode() []byte {
	var b bytes.Buffer
	b.WriteString("/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n" +
		"1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n")
	var lines []string
	for code, text := range f.texts {
		if text == "" {
			continue
		}
		var units []byte
		for _, u := range utf16.Encode([]rune(text)) {
			units = append(units, byte(u>>8), byte(u))
		}
		lines = append(lines, fmt.Sprintf("<%04X> <%s>\n", code, strings.ToUpper(hex.EncodeToString(units))))
	}
	for len(lines) > 0 {
		n := min(len(lines), 100)
		fmt.Fprintf(&b, "%d beginbfchar\n%sendbfchar\n", n, strings.Join(lines[:n], ""))
		lines = lines[n:]
	}
	b.WriteString("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n")
	return b.Bytes()
}
