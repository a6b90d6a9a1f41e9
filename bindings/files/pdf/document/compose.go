package document

import (
	"bytes"
	"maps"
	"strconv"

	"github.com/klauspost/compress/zlib"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Stream makes a stream of the document, compressed.
func (d *Document) Stream(dict types.Dict, content []byte) types.StreamDict {
	if dict == nil {
		dict = types.Dict{}
	}
	if packed := d.deflate(content); len(packed) < len(content) {
		content = packed
		dict["Filter"] = types.Name("FlateDecode")
	}
	return types.StreamDict{Dict: dict, Raw: content}
}

// deflate keeps its writer, since a new one takes a megabyte: of the time to split a
// document into its pages that was half.
func (s *store) deflate(content []byte) []byte {
	var b bytes.Buffer
	if s.packer == nil {
		s.packer = zlib.NewWriter(&b)
	} else {
		s.packer.Reset(&b)
	}
	s.packer.Write(content) // a buffer takes everything
	s.packer.Close()
	return b.Bytes()
}

// Draw adds content over what the page shows. It is in the coordinates of the page as a
// person sees it; see Matrix.
func (p *Page) Draw(content []byte) { p.add(content, false) }

// DrawUnder adds content under what the page shows.
func (p *Page) DrawUnder(content []byte) { p.add(content, true) }

func (p *Page) add(content []byte, under bool) {
	var b bytes.Buffer
	b.WriteString("q\n")
	if m := p.Matrix(); m != (Matrix{1, 0, 0, 1, 0, 0}) {
		b.Write(m.Concat(nil))
	}
	b.Write(content)
	b.WriteString("Q\n")
	p.wrap()
	stream := p.doc.Add(p.doc.Stream(nil, b.Bytes()))
	parts := p.contents()
	if under {
		p.Dict["Contents"] = append(types.Array{stream}, parts...)
		return
	}
	p.Dict["Contents"] = append(parts, stream)
}

// contents are the page's content streams, as an array of its own.
func (p *Page) contents() types.Array {
	switch c := p.doc.Get(p.Dict["Contents"]).(type) {
	case types.Array:
		return append(types.Array{}, c...)
	case nil:
		return types.Array{}
	}
	return types.Array{p.Dict["Contents"]}
}

// wrap encloses what the page holds, so that whatever state it leaves does not matter to
// what is added.
func (p *Page) wrap() {
	if p.wrapped {
		return
	}
	p.wrapped = true
	parts := p.contents()
	if len(parts) == 0 {
		return
	}
	before := p.doc.Add(types.StreamDict{Dict: types.Dict{}, Raw: []byte("q\n")})
	after := p.doc.Add(types.StreamDict{Dict: types.Dict{}, Raw: []byte("\nQ\n")})
	p.Dict["Contents"] = append(append(types.Array{before}, parts...), after)
}

// Use makes a resource known to the page and gives the name by which its content may use
// it. category is Font, XObject or ExtGState.
func (p *Page) Use(category string, resource types.IndirectRef) string {
	resources := p.ownResources()
	group, _ := resources[category].(types.Dict)
	if group == nil {
		group = types.Dict{}
		resources[category] = group
	}
	for name, o := range group {
		if o == resource {
			return name
		}
	}
	for i := len(group) + 1; ; i++ {
		name := "Sb" + category[:1] + strconv.Itoa(i)
		if _, taken := group[name]; !taken {
			group[name] = resource
			return name
		}
	}
}

// ownResources gives the page's resources, made its own: they and their groups may have
// been shared with other pages.
func (p *Page) ownResources() types.Dict {
	shared := p.doc.Dict(p.Dict["Resources"])
	if p.resources && shared != nil {
		return shared
	}
	own := types.Dict{}
	maps.Copy(own, shared)
	for _, category := range []string{"Font", "XObject", "ExtGState"} {
		if group := p.doc.Dict(own[category]); group != nil {
			own[category] = maps.Clone(group)
		}
	}
	p.Dict["Resources"] = own
	p.resources = true
	return own
}

// Concat writes the operator that applies m.
func (m Matrix) Concat(to []byte) []byte {
	for _, v := range m {
		to = append(AppendNumber(to, v), ' ')
	}
	return append(to, "cm\n"...)
}

// AppendNumber writes a number, to the fifth digit after the point at most.
func AppendNumber(to []byte, v float64) []byte {
	start := len(to)
	to = strconv.AppendFloat(to, v, 'f', 5, 64)
	end := len(to)
	for to[end-1] == '0' {
		end--
	}
	if to[end-1] == '.' {
		end--
	}
	if string(to[start:end]) == "-0" {
		return append(to[:start], '0')
	}
	return to[:end]
}
