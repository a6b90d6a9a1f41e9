package image

import (
	"encoding/binary"
	goimage "image"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/bidi"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/fonts"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// own are the fonts that are always there: Latin, Greek and Cyrillic.
var own = map[string]func() (*opentype.Font, error){
	"sans": sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(goregular.TTF) }),
	"bold": sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(gobold.TTF) }),
	"mono": sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(gomono.TTF) }),
}

// maxFallbacks is how many fonts one text takes beside its own.
const maxFallbacks = 4

// facesFor gives the faces to write a text with: our own, and of the fonts installed those that
// have the letters it lacks. A letter that none has is invalid_argument: better than a box in
// its place.
func facesFor(env *op.Env, name string, size float64, text string) (faces, error) {
	options := &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull}
	parsed, err := own[firstOf(name, "sans")]()
	if err != nil {
		return nil, cannotUse(err)
	}
	first, err := opentype.NewFace(parsed, options)
	if err != nil {
		return nil, cannotUse(err)
	}
	list := faces{first}
	for _, r := range text {
		if r == '\n' || r == '\r' || r == '\t' {
			continue
		}
		if _, ok := list.GlyphAdvance(r); ok {
			continue
		}
		face := fallback(env, name, r, options)
		if face == nil || len(list) > maxFallbacks {
			return nil, problem.New(problem.InvalidArgument, "text: there is no letter for %q (U+%04X) in the fonts", string(r), r).With("argument", "text")
		}
		list = append(list, face)
	}
	return list, nil
}

// visible leaves out characters that choose among the forms of the one before, join emoji or
// are no more than marks for what breaks lines: letter by letter, none of them is drawn.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector) || r == 0x20E3 || r >= 0x1F3FB && r <= 0x1F3FF { // keycaps, tones of skin
			return -1
		}
		return r
	}, text)
}

// joined are the scripts whose letters take their forms from those beside them.
var joined = []*unicode.RangeTable{unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi,
	unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan}

// canBeWritten refuses scripts that are written from the right or whose letters join: put
// one beside the other from the left they could not be read.
func canBeWritten(text string) error {
	for _, r := range text {
		p, _ := bidi.LookupRune(r)
		if class := p.Class(); class == bidi.R || class == bidi.AL || unicode.In(r, joined...) {
			return problem.New(problem.InvalidArgument, "text: %q (U+%04X) is of a script that cannot be written on pictures", string(r), r).
				WithHint("Write it on a page with files.pdf.create or files.pdf.addText, and draw that with files.pdf.renderPage.").With("argument", "text")
		}
	}
	return nil
}

func cannotUse(err error) error {
	return problem.New(problem.Internal, "the font cannot be used").WithCause(err)
}

// fallback is a face of an installed font that has a letter, or nil.
func fallback(env *op.Env, name string, r rune, options *opentype.FaceOptions) font.Face {
	set, err := engine.Of[*fonts.Set](env.Engines, fonts.Name)
	if err != nil {
		return nil
	}
	for _, f := range set.Choose(fonts.Style{Bold: name == "bold", Mono: name == "mono"}) {
		if !f.Has(r) {
			continue
		}
		if parsed, err := opentype.Parse(fontFile(f)); err == nil {
			if face, err := opentype.NewFace(parsed, options); err == nil {
				if _, ok := face.GlyphAdvance(r); ok {
					return face
				}
			}
		}
	}
	return nil
}

// fontFile puts together the tables that drawing takes as a file (ISO/IEC 14496-22).
func fontFile(f *fonts.Font) []byte {
	names := []string{"OS/2", "cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "name", "post"} // in order, as it must be
	var tables [][]byte
	for _, name := range names {
		table, err := f.Table(name)
		if err != nil {
			return nil
		}
		tables = append(tables, table)
	}
	n := len(names)
	file := binary.BigEndian.AppendUint32(nil, 0x00010000)
	for _, v := range []int{n, 128, 3, 16*n - 128} {
		file = binary.BigEndian.AppendUint16(file, uint16(v))
	}
	at := 12 + 16*n
	for i, name := range names {
		file = append(file, name...)
		file = binary.BigEndian.AppendUint32(file, 0) // checksums are not looked at
		file = binary.BigEndian.AppendUint32(file, uint32(at))
		file = binary.BigEndian.AppendUint32(file, uint32(len(tables[i])))
		at += (len(tables[i]) + 3) &^ 3
	}
	for _, table := range tables {
		file = append(file, table...)
		file = append(file, make([]byte, -len(table)&3)...)
	}
	return file
}

// faces are several as one: each letter is of the first that has it. Letters are not shaped.
type faces []font.Face

var _ font.Face = faces(nil)

func (f faces) of(r rune) font.Face {
	for _, face := range f {
		if _, ok := face.GlyphAdvance(r); ok {
			return face
		}
	}
	return f[0]
}

func (f faces) Close() error {
	for _, face := range f {
		face.Close()
	}
	return nil
}

func (f faces) Glyph(dot fixed.Point26_6, r rune) (goimage.Rectangle, goimage.Image, goimage.Point, fixed.Int26_6, bool) {
	return f.of(r).Glyph(dot, r)
}

func (f faces) GlyphBounds(r rune) (fixed.Rectangle26_6, fixed.Int26_6, bool) {
	return f.of(r).GlyphBounds(r)
}

func (f faces) GlyphAdvance(r rune) (fixed.Int26_6, bool) { return f.of(r).GlyphAdvance(r) }

func (f faces) Kern(r0, r1 rune) fixed.Int26_6 {
	if a := f.of(r0); a == f.of(r1) {
		return a.Kern(r0, r1)
	}
	return 0
}

// Metrics are such that the lines of all have room.
func (f faces) Metrics() font.Metrics {
	m := f[0].Metrics()
	for _, face := range f[1:] {
		o := face.Metrics()
		m.Height, m.Ascent, m.Descent = max(m.Height, o.Height), max(m.Ascent, o.Ascent), max(m.Descent, o.Descent)
	}
	return m
}
