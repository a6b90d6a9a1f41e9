package xlsx

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/numfmt"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// styleTable is what the styles part says, read when the first cell is.
type styleTable struct {
	part *part // nil if the workbook has none

	mu    sync.Mutex
	table atomic.Pointer[styles]
}

// styles are the formats that cells name by number.
type styles struct {
	xfs     []xf
	fonts   []font
	fills   []string // #RRGGBB, "" for none
	codes   map[int]string
	formats map[int]*numfmt.Format // by numFmtId
	isDate  []bool                 // by xf
	bytes   int64
}

// xf is a cell's format: which number format, font and fill, and how it is aligned.
type xf struct {
	numFmt, font, fill   int32
	horizontal, vertical string
	wrap                 bool
}

type font struct {
	name                            string
	size                            float64
	bold, italic, underline, strike bool
	color                           string
}

const maxStyles = 1 << 18 // of each kind; Excel allows 65,490

// dates tells of each style whether numbers are dates.
func (t *styleTable) dates(ctx context.Context, wb *Workbook) ([]bool, error) {
	s, err := t.get(ctx, wb)
	if err != nil {
		return nil, err
	}
	return s.isDate, nil
}

func (t *styleTable) get(ctx context.Context, wb *Workbook) (*styles, error) {
	if s := t.table.Load(); s != nil {
		return s, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.table.Load(); s != nil {
		return s, nil
	}
	s := &styles{codes: map[int]string{}, formats: map[int]*numfmt.Format{}}
	if t.part != nil {
		if err := wb.scan(ctx, t.part, s.read); err != nil {
			return nil, err
		}
	}
	s.isDate = make([]bool, len(s.xfs))
	for i, x := range s.xfs {
		id := int(x.numFmt)
		if s.formats[id] == nil {
			s.formats[id] = numfmt.Parse(s.code(id))
		}
		s.isDate[i] = s.formats[id].IsDate()
	}
	if s.formats[0] == nil {
		s.formats[0] = numfmt.Parse("General")
	}
	s.bytes = int64(len(s.xfs))*64 + int64(len(s.fonts))*64 + int64(len(s.codes)+len(s.formats))*400
	t.table.Store(s)
	return s, nil
}

func (t *styleTable) size() int64 {
	if s := t.table.Load(); s != nil {
		return s.bytes
	}
	return 0
}

// code gives the number format code of a style. Valid once a cell was read.
func (t *styleTable) code(style uint32) string {
	s := t.table.Load()
	if s == nil || int(style) >= len(s.xfs) {
		return "General"
	}
	return s.code(int(s.xfs[style].numFmt))
}

func (s *styles) code(id int) string {
	if code, ok := s.codes[id]; ok {
		return code
	}
	if code := numfmt.Builtin(id); code != "" {
		return code
	}
	return "General"
}

// Text gives a cell's value as a person sees it: by its number format, and without the
// spaces around it that align columns.
func (wb *Workbook) Text(c sheet.Cell) string {
	return textOf(c, wb.styles.format(c.Style))
}

// textOf is the text of a cell by a format, which may be nil.
func textOf(c sheet.Cell, f *numfmt.Format) string {
	switch c.Kind {
	case sheet.Number, sheet.Date:
		if f == nil {
			return c.Plain()
		}
		return strings.TrimSpace(f.Number(c.Num))
	case sheet.String:
		if f == nil {
			return c.Value.Text
		}
		return f.Text(c.Value.Text)
	}
	return c.Plain()
}

func (t *styleTable) format(style uint32) *numfmt.Format {
	s := t.table.Load()
	switch {
	case s == nil:
		return nil
	case int(style) >= len(s.xfs):
		return s.formats[0]
	}
	return s.formats[int(s.xfs[style].numFmt)]
}

// look gives how a style differs from the default one (that of number 0), nil if it does not.
func (t *styleTable) look(style uint32) *sheet.Style {
	s := t.table.Load()
	if s == nil || int(style) >= len(s.xfs) {
		return nil
	}
	x, base := s.xfs[style], s.xfs[0]
	f, plain := at(s.fonts, x.font), at(s.fonts, base.font)
	look := sheet.Style{
		Bold: f.bold, Italic: f.italic, Underline: f.underline, Strike: f.strike,
		Fill: at(s.fills, x.fill), Horizontal: x.horizontal, Vertical: x.vertical, Wrap: x.wrap,
	}
	if f.name != plain.name {
		look.Font = f.name
	}
	if f.size != plain.size {
		look.FontSize = f.size
	}
	if f.color != plain.color {
		look.Color = f.color
	}
	if look == (sheet.Style{}) {
		return nil
	}
	return &look
}

func at[T any](list []T, i int32) (zero T) {
	if i < 0 || int(i) >= len(list) {
		return zero
	}
	return list[i]
}

// read reads the styles part.
func (s *styles) read(x *xmlScanner) error {
	for {
		if err := x.next(); err != nil {
			return err
		}
		if x.kind == endOfPart {
			return nil
		}
		if x.kind != startTag || x.depth != 2 {
			continue
		}
		var err error
		switch string(x.name) {
		case "numFmts":
			err = x.each("numFmt", func() error {
				if len(s.codes) == maxStyles {
					return tooManyStyles()
				}
				s.codes[x.number("numFmtId", -1)] = string(unescapeX([]byte(x.get("formatCode"))))
				return nil
			})
		case "fonts":
			err = x.each("font", func() error {
				if len(s.fonts) == maxStyles {
					return tooManyStyles()
				}
				f, err := s.readFont(x)
				s.fonts = append(s.fonts, f)
				return err
			})
		case "fills":
			err = x.each("fill", func() error {
				if len(s.fills) == maxStyles {
					return tooManyStyles()
				}
				f, err := s.readFill(x)
				s.fills = append(s.fills, f)
				return err
			})
		case "cellXfs":
			err = x.each("xf", func() error {
				if len(s.xfs) == maxStyles {
					return tooManyStyles()
				}
				format := xf{numFmt: int32(x.number("numFmtId", 0)), font: int32(x.number("fontId", 0)), fill: int32(x.number("fillId", 0))}
				err := x.each("alignment", func() error {
					format.horizontal, format.vertical, format.wrap = x.get("horizontal"), x.get("vertical"), x.flag("wrapText", false)
					return nil
				})
				s.xfs = append(s.xfs, format)
				return err
			})
		}
		if err != nil {
			return err
		}
	}
}

func tooManyStyles() error { return tooComplex("the workbook has more than %d styles", maxStyles) }

// each runs fn at the start of every child of a name, up to the end of the element whose
// start tag was read last. fn may read on to the child's end.
func (x *xmlScanner) each(name string, fn func() error) error {
	for depth := x.depth; ; {
		if err := x.next(); err != nil {
			return err
		}
		switch {
		case x.kind == endOfPart || x.kind == endTag && x.depth < depth:
			return nil
		case x.kind == startTag && x.depth == depth+1 && (name == "" || string(x.name) == name):
			if err := fn(); err != nil {
				return err
			}
		}
	}
}

func (s *styles) readFont(x *xmlScanner) (f font, err error) {
	err = x.each("", func() error {
		switch string(x.name) {
		case "name", "rFont":
			f.name = x.get("val")
		case "sz":
			f.size, _ = strconv.ParseFloat(x.get("val"), 64)
		case "b":
			f.bold = x.flag("val", true)
		case "i":
			f.italic = x.flag("val", true)
		case "strike":
			f.strike = x.flag("val", true)
		case "u":
			f.underline = x.get("val") != "none"
		case "color":
			f.color = colorOf(x)
		}
		return nil
	})
	return f, err
}

func (s *styles) readFill(x *xmlScanner) (color string, err error) {
	err = x.each("patternFill", func() error {
		kind := x.get("patternType")
		return x.each("fgColor", func() error {
			if kind != "none" && kind != "" {
				color = colorOf(x)
			}
			return nil
		})
	})
	return color, err
}

// colorOf gives a colour as #RRGGBB; one of the theme as theme:4, since what it looks
// like depends on the theme.
func colorOf(x *xmlScanner) string {
	if rgb := x.get("rgb"); len(rgb) == 8 {
		return "#" + rgb[2:]
	} else if len(rgb) == 6 {
		return "#" + rgb
	}
	if theme := x.get("theme"); theme != "" {
		return "theme:" + clip(theme)
	}
	if indexed := x.get("indexed"); indexed != "" && indexed != "64" && indexed != "65" {
		return "indexed:" + clip(indexed)
	}
	return ""
}
