// Package typeset sets text of any script: it chooses fonts by what they cover, shapes,
// orders right-to-left runs, breaks lines, and writes the result into the pages of a
// document with the fonts in it, cut down to what is used.
//
// A Setter belongs to one document. It makes Lines of Spans, and a Line draws itself.
// subset.go and face.go put fonts into the document, standard.go knows those that every
// viewer has.
//
// Imports document, fonts, problem, go-text and pdfcpu. Start reading at Setter.Lines.
package typeset

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"
	textbidi "golang.org/x/text/unicode/bidi"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/fonts"
	"github.com/sandboxd/sandboxd/problem"
)

// Color is red, green and blue from 0 to 1.
type Color [3]float64

// Style is how text looks.
type Style struct {
	Family string // a standard family, one that is installed, or "" for the preferred one
	Size   float64
	Bold   bool
	Italic bool
	Mono   bool
	Color  Color

	Underline bool
	Strike    bool
	Fill      *Color // behind the text
	Link      string // an address that the text leads to
}

// Span is a piece of text in one style.
type Span struct {
	Text string
	Style
}

// Setter sets text for one document. It is not safe for concurrent use.
type Setter struct {
	doc       *document.Document
	set       func() (*fonts.Set, error)
	faces     map[*fonts.Font]*face
	byShape   map[*font.Font]*face
	standards map[string]*face
	choices   map[fonts.Style]*choice

	shaper  shaping.HarfbuzzShaper
	split   shaping.Segmenter
	wrapper shaping.LineWrapper
	nesting bidi.Paragraph
}

// New makes a setter. set gives the fonts; it is called when one is needed that not every
// viewer has.
func New(doc *document.Document, set func() (*fonts.Set, error)) *Setter {
	return &Setter{doc: doc, set: set, faces: map[*fonts.Font]*face{}, byShape: map[*font.Font]*face{},
		standards: map[string]*face{}, choices: map[fonts.Style]*choice{}}
}

// Line is one line of text.
type Line struct {
	Width   float64
	Ascent  float64 // above the baseline
	Descent float64 // below it
	RTL     bool    // the paragraph reads from the right
	Last    bool    // of its paragraph
	Pieces  []Piece // from left to right
}

// Piece is a part of a line in one font.
type Piece struct {
	Style
	X     float64 // from the line's left
	Width float64

	face   *face
	scale  float64 // of the shaped units to points
	glyphs []shaping.Glyph
	text   []rune // of the paragraph
	rtl    bool
	runes  shaping.Range
}

// detail is how many units a point has in shaping, which counts in whole units.
const detail = 64

// maxParagraph is how many characters are set as one paragraph; a longer one is broken.
const maxParagraph = 20_000

// Lines sets text in lines of at most width points; 0 is any width. Line breaks in the
// text begin new paragraphs. The error is engine_missing without fonts, or
// invalid_argument for a character that no font has.
func (s *Setter) Lines(spans []Span, width float64) ([]Line, error) {
	var lines []Line
	var text []rune
	var owner []int // the span of each rune
	flush := func() error {
		set, err := s.paragraph(spans, text, owner, width)
		lines = append(lines, set...)
		text, owner = nil, nil
		return err
	}
	for i, span := range spans {
		for _, r := range clean(span.Text) {
			if r == '\n' || len(text) >= maxParagraph && unicode.IsSpace(r) || len(text) >= 2*maxParagraph {
				if err := flush(); err != nil {
					return nil, err
				}
				if r == '\n' {
					continue
				}
			}
			text, owner = append(text, r), append(owner, i)
		}
		if i == len(spans)-1 {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	return lines, nil
}

// clean takes away what has no place in a line.
func clean(text string) string {
	// A keycap about a digit is an emoji of two fonts, which come to lie beside each other.
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "    ", "\u2028", "\n", "\u2029", "\n", "\ufeff", "", "\ufe0f\u20e3", "", "\u20e3", "").Replace(text)
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}

func (s *Setter) paragraph(spans []Span, text []rune, owner []int, width float64) ([]Line, error) {
	rtl := fromRight(text)
	if len(text) == 0 {
		line := Line{RTL: rtl, Last: true}
		if len(spans) > 0 {
			line.Ascent, line.Descent = spans[0].Size*.75, spans[0].Size*.25
		}
		return []Line{line}, nil
	}
	direction := di.DirectionLTR
	if rtl {
		direction = di.DirectionRTL
	}
	var runs []shaping.Output
	// Direction and script are those of the paragraph, whatever its spans look like.
	whole := shaping.Input{Text: text, RunEnd: len(text), Direction: direction, Language: language.NewLanguage("en")}
	for _, run := range slices.Clone(s.split.Split(whole, anyFace{})) {
		for from := run.RunStart; from < run.RunEnd; {
			to := from
			for to < run.RunEnd && owner[to] == owner[from] {
				to++
			}
			part := run
			part.RunStart, part.RunEnd = from, to
			shaped, err := s.shape(part, spans[owner[from]].Style)
			if err != nil {
				return nil, err
			}
			runs = append(runs, shaped...)
			from = to
		}
	}
	limit := fixed.Int26_6(math.MaxInt32)
	if width > 0 && width < 100_000 {
		limit = fixed.Int26_6(width * detail * 64)
	}
	config := shaping.WrapConfig{Direction: direction, BreakPolicy: shaping.WhenNecessary}
	wrapped, _ := s.wrapper.WrapParagraphF(config, limit, text, shaping.NewSliceIterator(runs))
	levels := s.levels(text, rtl)
	lines := make([]Line, len(wrapped))
	for i, outputs := range wrapped {
		lines[i] = s.line(inOrder(outputs, levels), spans, text, owner)
		lines[i].RTL, lines[i].Last = rtl, i == len(wrapped)-1
	}
	return lines, nil
}

// fromRight tells a text whose first letter is of a script that is written from the right.
func fromRight(text []rune) bool {
	for _, r := range text {
		p, _ := textbidi.LookupRune(r)
		switch p.Class() {
		case textbidi.L:
			return false
		case textbidi.R, textbidi.AL:
			return true
		}
	}
	return false
}

// anyFace is for splitting by what is not a matter of fonts.
type anyFace struct{}

func (anyFace) ResolveFace(rune) *font.Face { return nil }

// shape shapes a run of one direction, script and style.
func (s *Setter) shape(in shaping.Input, style Style) ([]shaping.Output, error) {
	in.Size = fixed.I(max(int(style.Size*detail+.5), 1))
	if !Standard(style.Family) {
		return s.shapeEmbedded(in, style)
	}
	instead := style
	instead.Family, instead.Mono = "", style.Mono || strings.EqualFold(style.Family, "courier")
	if in.Direction != di.DirectionLTR {
		return s.shapeEmbedded(in, instead)
	}
	var shaped []shaping.Output
	for _, part := range standardParts(in.Text[in.RunStart:in.RunEnd]) {
		from := in.RunStart
		in.RunStart += part.length
		if part.codes != nil {
			shaped = append(shaped, s.shapeStandard(s.openStandard(style), part.codes, in.Text, from, in.Size))
			continue
		}
		piece := in
		piece.RunStart, piece.RunEnd = from, in.RunStart
		more, err := s.shapeEmbedded(piece, instead)
		if err != nil {
			return nil, err
		}
		shaped = append(shaped, more...)
	}
	return shaped, nil
}

// shapeEmbedded shapes a run in fonts that go into the document.
func (s *Setter) shapeEmbedded(in shaping.Input, style Style) ([]shaping.Output, error) {
	pick, err := s.choose(style)
	if err != nil {
		return nil, err
	}
	pick.err = nil
	var shaped []shaping.Output
	for _, part := range shaping.SplitByFace(in, pick) {
		if pick.err != nil {
			return nil, pick.err
		}
		out := s.shaper.ShapeNoExtents(part)
		mark(out.Glyphs, part.Text)
		if !style.Mono {
			narrow(&out, part.Text)
		}
		shaped = append(shaped, out)
	}
	return shaped, pick.err
}

// mark gives glyphs of anything but spaces a size: the wrapper tells by it what may hang
// over the end of a line.
func mark(glyphs []shaping.Glyph, text []rune) {
	for i := range glyphs {
		if at := glyphs[i].ClusterIndex; at < len(text) && !unicode.IsSpace(text[at]) {
			glyphs[i].Width, glyphs[i].Height = 1, 1
		}
	}
}

// narrow makes spaces as wide as text has them: a space goes with the word before it, and
// fonts of symbols and emoji have some as wide as a symbol.
func narrow(out *shaping.Output, text []rune) {
	for i := range out.Glyphs {
		g := &out.Glyphs[i]
		if most := out.Size / 3; g.Advance > most && g.ClusterIndex < len(text) && text[g.ClusterIndex] == ' ' {
			out.Advance -= g.Advance - most
			g.Advance, g.XAdvance = most, most
		}
	}
}

// choice finds the font for each character in a style.
type choice struct {
	setter *Setter
	list   []*fonts.Font
	known  map[rune]*font.Face
	err    error
}

var _ shaping.Fontmap = (*choice)(nil)

func (s *Setter) choose(style Style) (*choice, error) {
	key := fonts.Style{Family: style.Family, Bold: style.Bold, Italic: style.Italic, Mono: style.Mono}
	if c := s.choices[key]; c != nil {
		return c, nil
	}
	set, err := s.set()
	if err != nil {
		return nil, err
	}
	c := &choice{setter: s, list: set.Choose(key), known: map[rune]*font.Face{}}
	s.choices[key] = c
	return c, nil
}

// ResolveFace gives the first font that has r.
func (c *choice) ResolveFace(r rune) *font.Face {
	if f, ok := c.known[r]; ok {
		return f
	}
	for _, f := range c.list {
		if !f.Has(r) {
			continue
		}
		opened, err := c.setter.open(f)
		if err != nil {
			continue // a font that cannot be read covers nothing
		}
		c.setter.byShape[opened.shape.Font] = opened
		c.known[r] = opened.shape
		return opened.shape
	}
	if invisible(r) && len(c.list) > 0 {
		if opened, err := c.setter.open(c.list[0]); err == nil {
			c.setter.byShape[opened.shape.Font] = opened
			return opened.shape
		}
	}
	if c.err == nil {
		c.err = problem.New(problem.InvalidArgument, "no font here has the character %q (U+%04X)", r, r).
			WithHint("Leave it out, or install a font with TrueType outlines that has it.").With("character", string(r))
	}
	return nil
}

// invisible tells characters that need no glyph.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector) || r == ' ' || r == '\u00a0'
}

// line makes a line of what is on it, from left to right.
func (s *Setter) line(outputs shaping.Line, spans []Span, text []rune, owner []int) Line {
	var line Line
	for _, out := range outputs {
		if len(out.Glyphs) == 0 {
			continue
		}
		style := spans[owner[out.Runes.Offset]].Style
		p := Piece{Style: style, X: line.Width, scale: style.Size / float64(out.Size.Round()) / 64,
			glyphs: append([]shaping.Glyph{}, out.Glyphs...), text: text, runes: out.Runes,
			rtl: out.Direction == di.DirectionRTL}
		if out.Face == nil {
			p.face = s.openStandard(style)
		} else {
			p.face = s.byShape[out.Face.Font]
		}
		for _, g := range p.glyphs {
			p.Width += float64(g.Advance) * p.scale
		}
		line.Width += p.Width
		line.Ascent = max(line.Ascent, float64(out.LineBounds.Ascent)*p.scale)
		line.Descent = max(line.Descent, -float64(out.LineBounds.Descent)*p.scale)
		line.Pieces = append(line.Pieces, p)
	}
	return line
}

// Fonts lists the fonts that the setter has used.
func (s *Setter) Fonts() []string {
	used := map[*face]bool{}
	for _, f := range s.standards {
		used[f] = true
	}
	for _, f := range s.faces {
		used[f] = true
	}
	return names(used)
}

// Fonts lists the fonts that lines are set in.
func Fonts(lines []Line) []string {
	used := map[*face]bool{}
	for _, line := range lines {
		for _, p := range line.Pieces {
			used[p.face] = true
		}
	}
	return names(used)
}

func names(used map[*face]bool) []string {
	list := []string{}
	for f := range used {
		if f.standard != nil {
			list = append(list, f.standard.name)
			continue
		}
		name := f.font.Family
		if f.font.Bold {
			name += " Bold"
		}
		if f.font.Italic {
			name += " Italic"
		}
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
