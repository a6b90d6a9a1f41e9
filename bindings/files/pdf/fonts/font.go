package fonts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/font/opentype/tables"
)

// Font is one font of a file. It is safe for concurrent use.
type Font struct {
	Family string
	Bold   bool
	Italic bool
	Mono   bool

	loader *opentype.Loader // of all tables
	light  *opentype.Loader // without the outlines
	cover  func() font.Cmap
	shape  func() (*font.Font, error)
}

func table(ld *opentype.Loader, tag string) ([]byte, error) {
	return ld.RawTable(opentype.MustNewTag(tag))
}

// read reads of each font what it is called; what it covers is read when it is asked for.
func (s *Set) read() []*Font {
	var all []*Font
	for _, f := range s.files {
		whole, light := loaders(f, false), loaders(f, true)
		for i, ld := range whole {
			if len(light) != len(whole) {
				break
			}
			if font := describe(ld, light[i]); font != nil {
				all = append(all, font)
			}
		}
	}
	return all
}

// loaders gives the fonts of a file; light ones have no outlines.
func loaders(f *os.File, light bool) (list []*opentype.Loader) {
	defer func() {
		if recover() != nil {
			list = nil // a font file that go-text cannot bear is not there
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	var src opentype.Resource = io.NewSectionReader(f, 0, info.Size())
	if light {
		src = &withoutOutlines{SectionReader: io.NewSectionReader(f, 0, info.Size())}
	}
	list, err = opentype.NewLoaders(src)
	if err != nil {
		return nil
	}
	return list
}

// withoutOutlines is a font file as it would be without the tables that shaping does not
// need. To read them takes most of the time: 150 ms of Noto Sans SC, and 20 MB.
type withoutOutlines struct{ *io.SectionReader }

// Read hides names of tables. go-text reads the entries of a directory by it, one by one,
// and everything else by ReadAt.
func (w *withoutOutlines) Read(p []byte) (int, error) {
	n, err := w.SectionReader.Read(p)
	if n == len("glyf")+3*4 {
		switch string(p[:4]) {
		case "glyf", "loca", "gvar":
			p[0] = '-'
		}
	}
	return n, err
}

func describe(ld, light *opentype.Loader) (f *Font) {
	defer func() {
		if recover() != nil {
			f = nil
		}
	}()
	if !ld.HasTable(opentype.MustNewTag("glyf")) || !ld.HasTable(opentype.MustNewTag("loca")) {
		return nil
	}
	os2, err := table(ld, "OS/2")
	if err != nil || len(os2) < 64 {
		return nil
	}
	// fsType: the font may not be embedded.
	if binary.BigEndian.Uint16(os2[8:])&0xf == 2 {
		return nil
	}
	about, _ := font.Describe(ld, nil)
	if about.Family == "" {
		return nil
	}
	post, _ := table(ld, "post")
	f = &Font{
		Family: about.Family, Bold: about.Aspect.Weight >= 600, Italic: about.Aspect.Style == font.StyleItalic,
		Mono: len(post) >= 16 && binary.BigEndian.Uint32(post[12:]) != 0, loader: ld, light: light,
	}
	f.cover = sync.OnceValue(f.readCover)
	f.shape = sync.OnceValues(f.readShape)
	return f
}

// Has tells whether the font has a glyph for a character.
func (f *Font) Has(r rune) bool {
	cover := f.cover()
	if cover == nil {
		return false
	}
	_, ok := cover.Lookup(r)
	return ok
}

func (f *Font) readCover() (cover font.Cmap) {
	defer func() {
		if recover() != nil {
			cover = nil
		}
	}()
	raw, err := table(f.loader, "cmap")
	if err != nil {
		return nil
	}
	cmap, _, err := tables.ParseCmap(raw)
	if err != nil {
		return nil
	}
	raw, err = table(f.loader, "OS/2")
	if err != nil {
		return nil
	}
	os2, _, err := tables.ParseOs2(raw)
	if err != nil {
		return nil
	}
	if cover, _, err = font.ProcessCmap(cmap, os2.FontPage()); err != nil {
		return nil
	}
	return cover
}

// Face gives the font as go-text shapes with it. A face is for one user at a time.
func (f *Font) Face() (*font.Face, error) {
	shape, err := f.shape()
	if err != nil {
		return nil, err
	}
	return font.NewFace(shape), nil
}

func (f *Font) readShape() (shape *font.Font, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("fonts: %s: %v", f.Family, p)
		}
	}()
	shape, err = font.NewFont(f.light)
	if err != nil {
		return nil, fmt.Errorf("fonts: %s: %w", f.Family, err)
	}
	return shape, nil
}

// Table reads a table of the font's file.
func (f *Font) Table(tag string) ([]byte, error) {
	raw, err := table(f.loader, tag)
	if err != nil {
		return nil, fmt.Errorf("fonts: %s: table %s: %w", f.Family, tag, err)
	}
	if len(raw) == 0 {
		return nil, errors.New("fonts: " + f.Family + ": table " + tag + " is empty")
	}
	return raw, nil
}
