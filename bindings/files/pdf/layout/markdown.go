package layout

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extended "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/typeset"
	"github.com/sandboxd/sandboxd/problem"
)

// maxDepth is how deep blocks may lie within blocks.
const maxDepth = 40

// Markdown lays out a text in Markdown as code hosts know it, with tables, task lists and
// strikethrough. <!-- pagebreak --> begins a page.
func (f *Flow) Markdown(source string) error {
	if err := f.ensure(); err != nil {
		return err
	}
	f.source = []byte(source)
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(f.source))
	return f.blocks(root, f.body(), f.text())
}

func (f *Flow) blocks(parent ast.Node, in column, style typeset.Style) error {
	if f.depth++; f.depth > maxDepth {
		return problem.New(problem.TooComplex, "lists and quotes are nested deeper than %d levels", maxDepth)
	}
	defer func() { f.depth-- }()
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if err := f.ctx.Err(); err != nil {
			return err
		}
		if err := f.block(n, in, style); err != nil {
			return err
		}
	}
	return nil
}

func (f *Flow) block(n ast.Node, in column, style typeset.Style) error {
	size := f.opts.Size
	switch n := n.(type) {
	case *ast.Heading:
		return f.heading(n, in, style)
	case *ast.Paragraph:
		f.space(size * .7)
		err := f.paragraph(n, in, style)
		f.space(size * .7)
		return err
	case *ast.TextBlock: // the text of a tight list's item
		return f.paragraph(n, in, style)
	case *ast.List:
		return f.list(n, in, style)
	case *ast.Blockquote:
		return f.quote(n, in, style)
	case *ast.FencedCodeBlock:
		return f.codeBlock(n, in)
	case *ast.CodeBlock:
		return f.codeBlock(n, in)
	case *ast.ThematicBreak:
		f.space(size)
		y, err := f.take(1)
		f.fill(rule, in.x, y-.8, in.width, .8)
		f.space(size)
		return err
	case *extended.Table:
		return f.table(n, in, style)
	case *ast.HTMLBlock:
		return f.htmlBlock(n)
	}
	return f.blocks(n, in, style)
}

var headingSizes = [...]float64{0, 2, 1.5, 1.22, 1.08, 1, .92}

func (f *Flow) heading(n *ast.Heading, in column, style typeset.Style) error {
	size := f.opts.Size
	style.Size, style.Bold = size*headingSizes[n.Level], true
	if n.Level == 6 {
		style.Color = faint
	}
	f.space(style.Size*.6 + size*.7)
	spans := f.spans(n, style)
	lines, err := f.set.Lines(spans, in.width)
	if err != nil {
		return err
	}
	const tight = 1.25
	// The heading stays with two lines of what follows.
	if err := f.keep(float64(len(lines))*style.Size*tight + 3*size*leading); err != nil {
		return err
	}
	first := true
	err = f.lines(spans, in, style.Size, tight, "", func(y, _ float64) {
		if first {
			f.addHeading(n.Level, plainText(spans), y)
			first = false
		}
	})
	if err != nil {
		return err
	}
	if n.Level <= 2 {
		y, err := f.take(style.Size * .3)
		if err != nil {
			return err
		}
		f.fill(rule, in.x, y-style.Size*.3, in.width, .7)
	}
	f.space(size * .55)
	return nil
}

func (f *Flow) paragraph(n ast.Node, in column, style typeset.Style) error {
	for _, p := range f.inlines(n, style) {
		if p.image != "" {
			f.space(f.opts.Size * .5)
			if err := f.Picture(p.image, in, ""); err != nil {
				return err
			}
			f.space(f.opts.Size * .5)
			continue
		}
		if plainText(p.spans) == "" {
			continue
		}
		if err := f.lines(p.spans, in, style.Size, leading, "", nil); err != nil {
			return err
		}
	}
	return nil
}

func (f *Flow) list(n *ast.List, in column, style typeset.Style) error {
	size := style.Size
	if !n.IsOrdered() {
		f.bullets++
		defer func() { f.bullets-- }()
	}
	f.space(size * .35)
	number := n.Start
	indent := size * 1.5
	if n.IsOrdered() {
		last, err := f.set.Lines([]typeset.Span{{Text: fmt.Sprintf("%d. ", n.Start+n.ChildCount()), Style: style}}, 0)
		if err != nil {
			return err
		}
		indent = max(indent, last[0].Width+size*.3)
	}
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		var mark string
		switch {
		case isTask(item):
		case n.IsOrdered():
			mark = fmt.Sprintf("%d.", number)
		default:
			mark = f.bullet()
		}
		number++
		marks, err := f.set.Lines([]typeset.Span{{Text: mark, Style: style}}, 0)
		if err != nil {
			return err
		}
		inner := in.within(indent)
		if !n.IsTight {
			f.space(size * .5)
		}
		if err := f.keep(size * leading); err != nil {
			return err
		}
		// The mark stands where the item's first line will be.
		y, height := f.join(), size*leading
		f.draw(marks[0], column{inner.x - marks[0].Width - size*.45, marks[0].Width}, y, height, size, "left")
		if err := f.blocks(item, inner, style); err != nil {
			return err
		}
		if f.joined { // an empty item
			if _, err := f.take(height); err != nil {
				return err
			}
		}
		if n.IsTight {
			f.gap = size * .18
		}
	}
	f.space(size * .6)
	return nil
}

// bullet is the mark of an item, by how deep its list lies.
func (f *Flow) bullet() string {
	return [...]string{"•", "–", "·"}[min(f.bullets-1, 2)]
}

func isTask(item ast.Node) bool {
	first := item.FirstChild()
	if first == nil || first.FirstChild() == nil {
		return false
	}
	_, task := first.FirstChild().(*extended.TaskCheckBox)
	return task
}

func (f *Flow) quote(n *ast.Blockquote, in column, style typeset.Style) error {
	size := f.opts.Size
	f.space(size * .7)
	if err := f.keep(style.Size * leading); err != nil {
		return err
	}
	style.Color = faint
	page, from := len(f.pages), f.join()
	if err := f.blocks(n, in.within(size*1.3), style); err != nil {
		return err
	}
	// A bar on each page that the quote is on.
	for i := page; i <= len(f.pages); i++ {
		s := f.pages[i-1]
		m := f.margin(s.width, s.height)
		upper, lower := s.height-m, m
		if i == page {
			upper = from
		}
		if i == len(f.pages) {
			lower = f.y
		}
		if upper > lower {
			s.content = typeset.Box(s.content, rule, in.x, lower, 2.5, upper-lower)
		}
	}
	f.space(size * .7)
	return nil
}

func (f *Flow) codeBlock(n ast.Node, in column) error {
	size := f.opts.Size
	style := f.code(f.text())
	var b strings.Builder
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		b.Write(segment.Value(f.source))
	}
	pad := size * .6
	f.space(size * .7)
	shaded := func(y, height float64) { f.fill(shade, in.x, y-height, in.width, height+.2) }
	edge := func() error {
		if f.room() < pad+style.Size*leading {
			if err := f.keep(f.room() + 1); err != nil {
				return err
			}
		}
		y, err := f.take(pad)
		shaded(y, pad)
		return err
	}
	if err := f.keep(2*pad + style.Size*leading); err != nil {
		return err
	}
	if err := edge(); err != nil {
		return err
	}
	code := strings.TrimRight(b.String(), "\n")
	inner := column{in.x + pad, in.width - 2*pad}
	if err := f.lines([]typeset.Span{{Text: code, Style: style}}, inner, style.Size, leading, "left", shaded); err != nil {
		return err
	}
	if f.room() >= pad {
		y, err := f.take(pad)
		if err != nil {
			return err
		}
		shaded(y, pad)
	}
	f.space(size * .7)
	return nil
}

var pageBreak = regexp.MustCompile(`(?i)<!--\s*(page-?break|newpage)\s*-->|page-break-(after|before)\s*:\s*always`)

// htmlBlock knows breaks of pages; other HTML is not shown.
func (f *Flow) htmlBlock(n *ast.HTMLBlock) error {
	var b strings.Builder
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		b.Write(segment.Value(f.source))
	}
	if n.HasClosure() {
		b.Write(n.ClosureLine.Value(f.source))
	}
	if pageBreak.MatchString(b.String()) && !f.top {
		return f.next()
	}
	return nil
}
