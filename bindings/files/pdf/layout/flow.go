// Package layout lays Markdown, text and images out on the pages of a new document, as a
// person would: with headings that stay with what follows, tables whose head is repeated,
// and page numbers.
//
// A Flow fills one page after another from above. markdown.go walks what goldmark parsed,
// inline.go turns inlines into styled spans, table.go sets tables, outline.go knows
// headings and links.
//
// Imports document, typeset, picture, problem and goldmark. Start reading at Flow.
package layout

import (
	"context"
	"fmt"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/picture"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/typeset"
	"github.com/sandboxd/sandboxd/problem"
)

// Options are how a document looks. Lengths are in points.
type Options struct {
	Width, Height float64 // of a page
	Margin        float64
	Size          float64 // of the text
	Family        string  // "" is the preferred one
	Bold, Italic  bool    // of the text
	MonoFamily    string  // of code
	Header        string  // above each page
	Footer        string  // below each page, left of its number
	PageNumbers   bool
	MaxPages      int
	// Image gives a picture of the workspace.
	Image func(ctx context.Context, ref string) (*picture.Picture, error)
}

// Flow lays out content from above, on as many pages as it takes.
type Flow struct {
	doc  *document.Document
	set  *typeset.Setter
	opts Options
	ctx  context.Context

	pages   []*sheet
	y       float64 // the lower end of what is on the page; the next content is below
	top     bool    // nothing is on the page yet
	gap     float64 // the space that the content before wants below it
	joined  bool    // the next content follows without a gap
	depth   int     // of blocks within blocks
	bullets int     // lists with bullets within one another
	heads   []heading
	anchors map[string]int // index in heads
	source  []byte
}

// sheet is a page with the content that it gets.
type sheet struct {
	page          *document.Page
	content       []byte
	width, height float64
	links         []link
}

// New makes a flow that adds pages to the end of doc.
func New(ctx context.Context, doc *document.Document, set *typeset.Setter, opts Options) *Flow {
	return &Flow{doc: doc, set: set, opts: opts, ctx: ctx, anchors: map[string]int{}}
}

// text is the style of running text.
func (f *Flow) text() typeset.Style {
	return typeset.Style{Family: f.opts.Family, Size: f.opts.Size, Bold: f.opts.Bold, Italic: f.opts.Italic, Color: ink}
}

// The colours of a document.
var (
	ink   = typeset.Color{.1, .1, .12}
	faint = typeset.Color{.4, .42, .45}
	rule  = typeset.Color{.82, .83, .85}
	shade = typeset.Color{.955, .96, .967}
	blue  = typeset.Color{.05, .3, .65}
)

// NewPage begins a page of a size.
func (f *Flow) NewPage(width, height float64) error {
	if len(f.doc.Pages) >= f.opts.MaxPages {
		return problem.New(problem.TooComplex, "the document would have more than %d pages", f.opts.MaxPages).With("limit", f.opts.MaxPages)
	}
	if err := f.ctx.Err(); err != nil {
		return err
	}
	f.pages = append(f.pages, &sheet{page: f.doc.NewPage(len(f.doc.Pages), width, height), width: width, height: height})
	f.y, f.top, f.gap, f.joined = height-f.margin(width, height), true, 0, false
	return nil
}

// margin is narrower on a small page.
func (f *Flow) margin(width, height float64) float64 {
	return min(f.opts.Margin, width/5, height/5)
}

// sheet is the page under way.
func (f *Flow) sheet() *sheet { return f.pages[len(f.pages)-1] }

// next begins a page like the one under way.
func (f *Flow) next() error {
	s := f.sheet()
	return f.NewPage(s.width, s.height)
}

// column is where content lies: its left edge and its width.
type column struct{ x, width float64 }

// body is the column of the page.
func (f *Flow) body() column {
	s := f.sheet()
	m := f.margin(s.width, s.height)
	return column{m, s.width - 2*m}
}

// within is a column that begins further right.
func (c column) within(indent float64) column {
	indent = min(indent, c.width*.6)
	return column{c.x + indent, c.width - indent}
}

// room is how much of the page is left below the gap.
func (f *Flow) room() float64 {
	s := f.sheet()
	left := f.y - f.margin(s.width, s.height)
	if !f.top && !f.joined {
		left -= f.gap
	}
	return left
}

// space asks for at least so much space before what comes next. There is none at the top
// of a page.
func (f *Flow) space(height float64) { f.gap = max(f.gap, height) }

// take gives the upper end of a piece of the page of a height, on the next page if it does
// not fit on this one.
func (f *Flow) take(height float64) (y float64, err error) {
	if height > f.room() && !f.top {
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	f.join()
	f.top, f.joined = false, false
	y = f.y
	f.y -= height
	return y, nil
}

// join leaves the gap, so that what comes next follows right here; that begins at y.
func (f *Flow) join() (y float64) {
	if !f.top && !f.joined {
		f.y -= f.gap
	}
	f.gap, f.joined = 0, true
	return f.y
}

// keep begins a page if there is not so much room on this one.
func (f *Flow) keep(height float64) error {
	if !f.top && height > f.room() {
		return f.next()
	}
	return nil
}

// leading is the distance of the lines of running text, in font sizes.
const leading = 1.42

// lines sets spans in a column, and draws line by line. each may be nil; it is called
// with the upper end and the height of every line, before it is drawn.
func (f *Flow) lines(spans []typeset.Span, in column, size, leading float64, align string, each func(y, height float64)) error {
	set, err := f.set.Lines(spans, in.width)
	if err != nil {
		return err
	}
	height := size * leading
	if len(set) > 1 && f.room() < 2*height { // no single line at the foot of a page
		if err := f.keep(2 * height); err != nil {
			return err
		}
	}
	for _, line := range set {
		y, err := f.take(height)
		if err != nil {
			return err
		}
		if each != nil {
			each(y, height)
		}
		f.draw(line, in, y, height, size, align)
	}
	return nil
}

// draw draws a line in a box of the height of a line.
func (f *Flow) draw(line typeset.Line, in column, y, height, size float64, align string) {
	x := in.x
	switch {
	case align == "center":
		x += (in.width - line.Width) / 2
	case align == "right", align == "" && line.RTL:
		x += in.width - line.Width
	}
	s := f.sheet()
	base := y - height/2 - size*.34
	s.content = line.Draw(s.page, s.content, x, base)
	s.addLinks(line, x, base)
}

// fill draws a box behind what is drawn after it.
func (f *Flow) fill(color typeset.Color, x, y, width, height float64) {
	s := f.sheet()
	s.content = typeset.Box(s.content, color, x, y, width, height)
}

// Text lays out plain text: every line break begins a new line.
func (f *Flow) Text(text string) error {
	if err := f.ensure(); err != nil {
		return err
	}
	return f.lines([]typeset.Span{{Text: text, Style: f.text()}}, f.body(), f.opts.Size, leading, "", nil)
}

func (f *Flow) ensure() error {
	if len(f.pages) == 0 {
		return f.NewPage(f.opts.Width, f.opts.Height)
	}
	return nil
}

// Picture lays out an image as wide as the column at most.
func (f *Flow) Picture(ref string, in column, align string) error {
	img, err := f.opts.Image(f.ctx, ref)
	if err != nil {
		return err
	}
	width, height := float64(img.Width)*.75, float64(img.Height)*.75 // 96 pixels to the inch, as browsers take it
	s := f.sheet()
	most := s.height - 2*f.margin(s.width, s.height)
	scale := min(1, in.width/width, most/height)
	width, height = width*scale, height*scale
	y, err := f.take(height)
	if err != nil {
		return err
	}
	x := in.x
	if align == "center" {
		x += (in.width - width) / 2
	}
	s = f.sheet()
	s.content = img.Draw(s.page, s.content, x, y-height, width, height)
	return nil
}

// FullPicture fills the page's body with an image, in its middle.
func (f *Flow) FullPicture(ref string) error {
	img, err := f.opts.Image(f.ctx, ref)
	if err != nil {
		return err
	}
	s := f.sheet()
	m := f.margin(s.width, s.height)
	scale := min((s.width-2*m)/float64(img.Width), (s.height-2*m)/float64(img.Height))
	width, height := float64(img.Width)*scale, float64(img.Height)*scale
	s.content = img.Draw(s.page, s.content, (s.width-width)/2, (s.height-height)/2, width, height)
	f.y, f.top = 0, false
	return nil
}

// Finish draws what is around the content, and writes it into the pages.
func (f *Flow) Finish() error {
	for i, s := range f.pages {
		m := f.margin(s.width, s.height)
		style := typeset.Style{Family: f.opts.Family, Size: min(8.5, f.opts.Size*.85), Color: faint}
		put := func(text string, y float64, align string) error {
			if text == "" {
				return nil
			}
			lines, err := f.set.Lines([]typeset.Span{{Text: text, Style: style}}, 0)
			if err != nil {
				return err
			}
			x := m
			if align == "right" {
				x = s.width - m - lines[0].Width
			} else if align == "center" {
				x = (s.width - lines[0].Width) / 2
			}
			s.content = lines[0].Draw(s.page, s.content, x, y)
			return nil
		}
		if err := put(f.opts.Header, s.height-m*.55, ""); err != nil {
			return err
		}
		align := "center"
		if f.opts.Footer != "" {
			align = "right"
		}
		if err := put(f.opts.Footer, m*.45, ""); err != nil {
			return err
		}
		if f.opts.PageNumbers {
			if err := put(fmt.Sprintf("%d / %d", i+1, len(f.pages)), m*.45, align); err != nil {
				return err
			}
		}
		s.page.Draw(s.content)
		s.content = nil
	}
	f.writeLinks()
	f.writeOutline()
	return nil
}
