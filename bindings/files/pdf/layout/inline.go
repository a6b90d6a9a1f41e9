package layout

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/typeset"
)

// part is a piece of a paragraph: spans of text, or an image.
type part struct {
	spans []typeset.Span
	image string
	label string // what stands for the image in a table
}

// inlines turns the inlines below a node into parts.
func (f *Flow) inlines(n ast.Node, style typeset.Style) []part {
	w := &inliner{flow: f}
	w.walk(n, style, 0)
	w.flush()
	return w.parts
}

// spans are the inlines below a node as text alone.
func (f *Flow) spans(n ast.Node, style typeset.Style) []typeset.Span {
	var spans []typeset.Span
	for _, p := range f.inlines(n, style) {
		if p.image != "" {
			spans = append(spans, typeset.Span{Text: p.label, Style: style})
		}
		spans = append(spans, p.spans...)
	}
	return spans
}

type inliner struct {
	flow  *Flow
	parts []part
	spans []typeset.Span
}

func (w *inliner) flush() {
	if len(w.spans) > 0 {
		w.parts = append(w.parts, part{spans: w.spans})
		w.spans = nil
	}
}

func (w *inliner) add(text string, style typeset.Style) {
	if text != "" {
		w.spans = append(w.spans, typeset.Span{Text: text, Style: style})
	}
}

func (w *inliner) walk(n ast.Node, style typeset.Style, depth int) {
	if depth > maxDepth {
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, style, depth)
	}
}

func (w *inliner) node(c ast.Node, style typeset.Style, depth int) {
	src := w.flow.source
	switch c := c.(type) {
	case *ast.Text:
		w.add(html.UnescapeString(unescape(string(c.Segment.Value(src)), c.IsRaw())), style)
		switch {
		case c.HardLineBreak():
			w.add("\n", style)
		case c.SoftLineBreak():
			w.add(" ", style)
		}
	case *ast.String:
		w.add(string(c.Value), style)
	case *ast.CodeSpan:
		code := w.flow.code(style)
		code.Fill = &shade
		w.add(strings.ReplaceAll(string(c.Text(src)), "\n", " "), code)
	case *ast.Emphasis:
		if c.Level >= 2 {
			style.Bold = true
		} else {
			style.Italic = true
		}
		w.walk(c, style, depth+1)
	case *extension.Strikethrough:
		style.Strike = true
		w.walk(c, style, depth+1)
	case *ast.Link:
		style.Link, style.Color = string(c.Destination), blue
		w.walk(c, style, depth+1)
	case *ast.AutoLink:
		style.Link, style.Color = string(c.URL(src)), blue
		if c.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(style.Link, "mailto:") {
			style.Link = "mailto:" + style.Link
		}
		w.add(string(c.Label(src)), style)
	case *ast.Image:
		w.flush()
		w.parts = append(w.parts, part{image: string(c.Destination), label: string(c.Text(src))})
	case *extension.TaskCheckBox:
		mark := "☐ "
		if c.IsChecked {
			mark = "☑ "
		}
		w.add(mark, style)
	case *ast.RawHTML:
		var tag strings.Builder
		for i := range c.Segments.Len() {
			segment := c.Segments.At(i)
			tag.Write(segment.Value(src))
		}
		if name := strings.ToLower(tag.String()); strings.HasPrefix(name, "<br") {
			w.add("\n", style)
		}
	default:
		w.walk(c, style, depth+1)
	}
}

// unescape takes the backslashes before punctuation away.
func unescape(text string, raw bool) string {
	if raw || !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", text[i+1]) >= 0 {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// code is the style of code within a style.
func (f *Flow) code(style typeset.Style) typeset.Style {
	style.Family, style.Mono, style.Size = f.opts.MonoFamily, true, style.Size*.88
	return style
}

func plainText(spans []typeset.Span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
