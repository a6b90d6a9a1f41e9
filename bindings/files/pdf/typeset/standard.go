package typeset

import (
	"strings"
	"unicode"

	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/shaping"
	metrics "github.com/pdfcpu/pdfcpu/pkg/font"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/encoding/charmap"
)

// standard is one of the fonts that every viewer has: no file, and the characters of
// Windows-1252 only.
type standard struct {
	name   string
	widths [256]float64 // in thousandths of the size
}

// standardNames are the fonts by family: regular, bold, italic, both.
var standardNames = map[string][4]string{
	"helvetica": {"Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Helvetica-BoldOblique"},
	"times":     {"Times-Roman", "Times-Bold", "Times-Italic", "Times-BoldItalic"},
	"courier":   {"Courier", "Courier-Bold", "Courier-Oblique", "Courier-BoldOblique"},
}

// Standard tells whether a family is one that every viewer has: Helvetica, Times or
// Courier. Text in it that needs other characters is written in a font that is embedded.
func Standard(family string) bool {
	_, ok := standardNames[strings.ToLower(family)]
	return ok
}

// part is a stretch of a text, in a standard font if it has codes there.
type part struct {
	length int
	codes  []byte
}

// standardParts divides a text into what a standard font has and what it has not. With a
// letter that it has not all is left to another font, since a word looks odd in two; a
// symbol such as an arrow stands alone.
func standardParts(text []rune) (parts []part) {
	for _, r := range text {
		code, ok := charmap.Windows1252.EncodeRune(r)
		ok = ok && code >= ' ' && code != 0x7f && code != 0xad
		if !ok && (unicode.IsLetter(r) || unicode.IsMark(r) && !unicode.Is(unicode.Variation_Selector, r)) {
			return []part{{length: len(text)}}
		}
		if last := len(parts) - 1; last < 0 || ok != (parts[last].codes != nil) {
			parts = append(parts, part{})
		}
		p := &parts[len(parts)-1]
		if p.length++; ok {
			p.codes = append(p.codes, code)
		}
	}
	return parts
}

// openStandard makes a standard font known to the document.
func (s *Setter) openStandard(style Style) *face {
	i := 0
	if style.Bold {
		i++
	}
	if style.Italic {
		i += 2
	}
	name := standardNames[strings.ToLower(style.Family)][i]
	if known := s.standards[name]; known != nil {
		return known
	}
	std := &standard{name: name}
	for code := range std.widths {
		if w, err := metrics.CharWidth(name, rune(code)); err == nil {
			std.widths[code] = float64(w)
		}
	}
	f := &face{standard: std, ref: s.doc.Add(types.Dict{
		"Type": types.Name("Font"), "Subtype": types.Name("Type1"), "BaseFont": types.Name(name), "Encoding": types.Name("WinAnsiEncoding"),
	})}
	s.standards[name] = f
	return f
}

// shapeStandard shapes a text by its codes.
func (s *Setter) shapeStandard(f *face, codes []byte, text []rune, from int, size fixed.Int26_6) shaping.Output {
	out := shaping.Output{Size: size, Direction: di.DirectionLTR, Runes: shaping.Range{Offset: from, Count: len(codes)}}
	for i, code := range codes {
		advance := fixed.Int26_6(f.standard.widths[code] * float64(size) / 1000)
		out.Glyphs = append(out.Glyphs, shaping.Glyph{
			Advance: advance, XAdvance: advance, ClusterIndex: from + i, RuneCount: 1, GlyphCount: 1, GlyphID: font.GID(code),
		})
		out.Advance += advance
	}
	mark(out.Glyphs, text)
	out.LineBounds = shaping.Bounds{Ascent: size * 3 / 4, Descent: -size / 4}
	return out
}
