package layout

import (
	"strings"
	"unicode"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/typeset"
)

// heading is one of the document's, for its outline and for links to it.
type heading struct {
	level int
	title string
	sheet *sheet
	y     float64
}

// link is a place on a page that leads somewhere.
type link struct {
	x, y, width, height float64
	to                  string // an address, or # and the anchor of a heading
}

// addLinks notes the links of a line.
func (s *sheet) addLinks(line typeset.Line, x, base float64) {
	for _, p := range line.Pieces {
		if p.Link != "" && len(s.links) < 5000 {
			s.links = append(s.links, link{x + p.X, base - line.Descent, p.Width, line.Ascent + line.Descent, p.Link})
		}
	}
}

// addHeading notes a heading. Its anchor is made as code hosts make it.
func (f *Flow) addHeading(level int, title string, y float64) {
	f.heads = append(f.heads, heading{level, title, f.sheet(), y})
	anchor := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, title)
	if _, taken := f.anchors[anchor]; !taken {
		f.anchors[anchor] = len(f.heads) - 1
	}
}

// Title is the text of the first heading, "" if there is none.
func (f *Flow) Title() string {
	if len(f.heads) == 0 {
		return ""
	}
	return f.heads[0].title
}

func (h heading) place() types.Array {
	return types.Array{h.sheet.page.Ref(), types.Name("XYZ"), types.Integer(0), types.Integer(int(h.y + 6)), nil}
}

func (f *Flow) writeLinks() {
	for _, s := range f.pages {
		var notes types.Array
		for _, l := range s.links {
			note := types.Dict{
				"Type": types.Name("Annot"), "Subtype": types.Name("Link"), "F": types.Integer(4),
				"Rect":   types.NewNumberArray(l.x, l.y, l.x+l.width, l.y+l.height),
				"Border": types.Array{types.Integer(0), types.Integer(0), types.Integer(0)},
			}
			anchor, local := strings.CutPrefix(l.to, "#")
			at, known := f.anchors[strings.ToLower(anchor)]
			switch {
			case local && known:
				note["Dest"] = f.heads[at].place()
			case local:
				continue
			default:
				note["A"] = types.Dict{"Type": types.Name("Action"), "S": types.Name("URI"), "URI": document.String(asciiURI(l.to))}
			}
			notes = append(notes, f.doc.Add(note))
		}
		if len(notes) > 0 {
			s.page.Dict["Annots"] = notes
		}
	}
}

// asciiURI escapes what is not ASCII, since an address in a PDF has nothing else.
func asciiURI(address string) string {
	var b strings.Builder
	for _, c := range []byte(address) {
		if c > ' ' && c < 0x7f {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte("0123456789ABCDEF"[c>>4])
			b.WriteByte("0123456789ABCDEF"[c&15])
		}
	}
	return b.String()
}

// writeOutline makes the headings the document's outline, a level within the one before
// that is higher.
func (f *Flow) writeOutline() {
	if len(f.heads) < 2 {
		return
	}
	type item struct {
		ref   types.IndirectRef
		dict  types.Dict
		level int
		count int
	}
	root := &item{ref: f.doc.Reserve(), dict: types.Dict{"Type": types.Name("Outlines")}}
	open := []*item{root}
	for _, h := range f.heads {
		for len(open) > 1 && open[len(open)-1].level >= h.level {
			open = open[:len(open)-1]
		}
		parent := open[len(open)-1]
		it := &item{ref: f.doc.Reserve(), level: h.level, dict: types.Dict{
			"Title": document.String(h.title), "Parent": parent.ref, "Dest": h.place(),
		}}
		if last, ok := parent.dict["Last"].(types.IndirectRef); ok {
			it.dict["Prev"] = last
			f.doc.Dict(last)["Next"] = it.ref
		} else {
			parent.dict["First"] = it.ref
		}
		parent.dict["Last"] = it.ref
		f.doc.Set(it.ref, it.dict)
		for _, above := range open {
			above.count++
			above.dict["Count"] = types.Integer(above.count)
		}
		open = append(open, it)
	}
	f.doc.Set(root.ref, root.dict)
	f.doc.Catalog["Outlines"] = root.ref
	f.doc.Catalog["PageMode"] = types.Name("UseNone")
}
