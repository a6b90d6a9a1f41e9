package typeset

import (
	"encoding/hex"
	"math"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
)

// Draw writes the line into the content of a page, its left end at x and its baseline at
// y, in coordinates of the page as a person sees it.
func (l Line) Draw(page *document.Page, to []byte, x, y float64) []byte {
	for _, p := range l.Pieces {
		if p.Fill != nil {
			to = Box(to, *p.Fill, x+p.X, y-l.Descent, p.Width, l.Ascent+l.Descent)
		}
	}
	for _, p := range l.Pieces {
		to = p.draw(page, to, x+p.X, y)
		thick := p.Size / 16
		if p.Underline {
			to = Box(to, p.Color, x+p.X, y-2*thick, p.Width, thick)
		}
		if p.Strike {
			to = Box(to, p.Color, x+p.X, y+p.Size*.28, p.Width, thick)
		}
	}
	return to
}

// Box writes a filled rectangle.
func Box(to []byte, color Color, x, y, width, height float64) []byte {
	to = color.fill(to)
	for _, v := range []float64{x, y, width, height} {
		to = append(document.AppendNumber(to, v), ' ')
	}
	return append(to, "re f\n"...)
}

func (c Color) fill(to []byte) []byte {
	for _, v := range c {
		to = append(document.AppendNumber(to, v), ' ')
	}
	return append(to, "rg\n"...)
}

func (p Piece) draw(page *document.Page, to []byte, x, y float64) []byte {
	if p.face == nil || len(p.glyphs) == 0 {
		return to
	}
	to = p.Color.fill(to)
	to = append(append(append(to, "BT /"...), page.Use("Font", p.face.ref)...), ' ')
	to = append(document.AppendNumber(to, p.Size), " Tf "...)
	matrix := document.Matrix{1, 0, 0, 1, x, y}
	if bold, italic := p.lacks(); bold || italic {
		if italic {
			matrix[2] = .2
		}
		if bold { // as strong as a stroke around it makes it
			for _, v := range p.Color {
				to = append(document.AppendNumber(to, v), ' ')
			}
			to = append(document.AppendNumber(append(to, "RG "...), p.Size/30), " w 2 Tr "...)
		}
	}
	for _, v := range matrix {
		to = append(document.AppendNumber(to, v), ' ')
	}
	to = append(to, "Tm\n"...)
	to = p.show(to)
	return append(to, "0 Tr ET\n"...)
}

// lacks tells what the style asks for and the font does not have.
func (p Piece) lacks() (bold, italic bool) {
	if p.face.font == nil {
		return false, false
	}
	return p.Bold && !p.face.font.Bold, p.Italic && !p.face.font.Italic
}

// show writes the glyphs. Where one does not follow the other as wide as the font says,
// the difference stands between them.
func (p Piece) show(to []byte) []byte {
	var pending []byte // codes
	open := false
	flush := func() {
		if len(pending) > 0 {
			to = append(hex.AppendEncode(append(to, '<'), pending), '>')
			pending = pending[:0]
		}
	}
	begin := func() {
		if !open {
			to = append(to, '[')
			open = true
		}
	}
	end := func() {
		if open {
			flush()
			to = append(to, "] TJ\n"...)
			open = false
		}
	}
	gap := 0.0 // what is still to be moved by, in thousandths of the size
	rise := 0.0
	for i, g := range p.glyphs {
		unit := p.scale * 1000 / p.Size
		code, width := p.code(i)
		if up := float64(g.YOffset) * p.scale; math.Abs(up-rise) > .001 {
			end()
			to = append(document.AppendNumber(to, up), " Ts\n"...)
			rise = up
		}
		gap += float64(g.XOffset) * unit
		begin()
		if math.Abs(gap) >= .5 {
			flush()
			to = document.AppendNumber(to, -math.Round(gap*10)/10)
			gap = 0
		}
		pending = append(pending, code...)
		gap += float64(g.Advance-g.XOffset)*unit - width
	}
	end()
	if rise != 0 {
		to = append(to, "0 Ts\n"...)
	}
	return to
}

// code gives the code of a glyph in the text, and how wide a viewer takes it.
func (p Piece) code(i int) ([]byte, float64) {
	g := p.glyphs[i]
	if p.face.standard != nil {
		return []byte{byte(g.GlyphID)}, p.face.standard.widths[byte(g.GlyphID)]
	}
	number := uint16(g.GlyphID)
	code := p.face.code(number, p.textOf(i))
	return []byte{byte(code >> 8), byte(code)}, math.Floor(p.face.width(number) + .5)
}

// textOf gives the text that a glyph stands for: a part of its cluster's, if the cluster
// has more glyphs.
func (p Piece) textOf(i int) string {
	g := p.glyphs[i]
	from, to := g.ClusterIndex, g.ClusterIndex+g.RuneCount
	if from < 0 || to > len(p.text) || from >= to {
		return ""
	}
	parts := lettersOf(p.text[from:to])
	if g.GlyphCount <= 1 {
		return strings.Join(parts, "")
	}
	first := i
	for first > 0 && p.glyphs[first-1].ClusterIndex == g.ClusterIndex {
		first--
	}
	nth := i - first
	if p.rtl { // a mark stands left of its letter, before it
		nth = g.GlyphCount - 1 - nth
	}
	at := min(max(nth, 0), len(parts))
	if nth == g.GlyphCount-1 {
		return strings.Join(parts[at:], "")
	}
	return strings.Join(parts[at:min(at+1, len(parts))], "")
}

// lettersOf takes a cluster's text apart into what its glyphs stand for.
func lettersOf(text []rune) []string {
	var parts []string
	for i := 0; i < len(text); i++ {
		if i+1 < len(text) {
			if whole, ok := ligatures[string(text[i:i+2])]; ok {
				parts = append(parts, whole)
				i++
				continue
			}
		}
		parts = append(parts, string(text[i]))
	}
	return parts
}

// ligatures are those of Arabic that have characters of their own. Readers turn text from the
// right around character by character, and would turn the parts of such a glyph around too.
var ligatures = map[string]string{
	"\u0644\u0622": "\uFEF5", "\u0644\u0623": "\uFEF7", "\u0644\u0625": "\uFEF9", "\u0644\u0627": "\uFEFB",
}
