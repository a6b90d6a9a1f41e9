package document

import (
	"errors"
	"math"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Page is a page of a document. What it inherited from the page tree is in its own
// dictionary.
type Page struct {
	Dict   types.Dict
	doc    *Document
	number int // of its object

	wrapped   bool // what was in it before cannot change the state for what is added
	resources bool // its resources are its own, not shared with other pages
}

// inherited are the attributes that a page may have from a node of the page tree.
var inherited = []string{"Resources", "MediaBox", "CropBox", "Rotate"}

// maxTree is how deep a page tree may be; honest ones have less than ten levels.
const maxTree = 5000

// maxDepth is how deep other trees may be.
const maxDepth = 64

// readPages lists the pages in their order and moves what they inherit into them.
func (d *Document) readPages(limit int) error {
	root, isRef := d.Catalog["Pages"].(types.IndirectRef)
	if !isRef {
		return damaged(errors.New("no page tree"))
	}
	open := map[int]bool{} // the nodes on the way, against circles
	var walk func(r types.IndirectRef, from types.Dict, depth int) error
	walk = func(r types.IndirectRef, from types.Dict, depth int) error {
		number := r.ObjectNumber.Value()
		node, _ := d.Get(r).(types.Dict)
		if node == nil || open[number] || depth > maxTree {
			return nil
		}
		kids, isNode := d.Get(node["Kids"]).(types.Array)
		if d.Name(node["Type"]) == "Page" && d.Get(node["Contents"]) != nil {
			isNode = false
		}
		if !isNode {
			if d.Name(node["Type"]) == "Pages" {
				d.nodes[number] = true
				return nil // an empty node
			}
			if len(d.Pages) == limit {
				return ErrPages
			}
			if d.nodes[number] { // the same page a second time
				node = node.Clone().(types.Dict)
				number = d.Add(node).ObjectNumber.Value()
			}
			d.nodes[number] = true
			for _, key := range inherited {
				if node[key] == nil && from[key] != nil {
					node[key] = from[key]
				}
			}
			switch d.Get(node["Contents"]).(type) {
			case types.StreamDict, types.Array:
			default:
				delete(node, "Contents")
			}
			d.Pages = append(d.Pages, &Page{Dict: node, doc: d, number: number})
			return nil
		}
		d.nodes[number], open[number] = true, true
		defer delete(open, number)
		here := types.Dict{}
		for _, key := range inherited {
			switch own := node[key].(type) {
			case nil:
				here[key] = from[key]
			case types.Dict, types.Array:
				// Many pages will have it: no two may hold one map.
				node[key] = d.Add(own)
				here[key] = node[key]
			default:
				here[key] = own
			}
		}
		for _, kid := range kids {
			if r, ok := kid.(types.IndirectRef); ok {
				if err := walk(r, here, depth+1); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := walk(root, nil, 0); err != nil {
		return err
	}
	if len(d.Pages) == 0 {
		return damaged(errors.New("no pages"))
	}
	return nil
}

// NewPage makes an empty page and puts it at an index of Pages. Width and height are in
// points.
func (d *Document) NewPage(at int, width, height float64) *Page {
	dict := types.Dict{
		"Type":      types.Name("Page"),
		"MediaBox":  types.Array{types.Integer(0), types.Integer(0), number(width), number(height)},
		"Resources": types.Dict{},
	}
	page := &Page{Dict: dict, doc: d, wrapped: true, resources: true}
	page.number = d.Add(dict).ObjectNumber.Value()
	d.nodes[page.number] = true
	d.Pages = append(d.Pages[:at:at], append([]*Page{page}, d.Pages[at:]...)...)
	return page
}

// Ref is the reference to the page, for destinations.
func (p *Page) Ref() types.IndirectRef { return ref(p.number) }

// Rotation is by how many degrees the page is turned clockwise when it is shown: 0, 90,
// 180 or 270.
func (p *Page) Rotation() int {
	r, _ := p.doc.Number(p.Dict["Rotate"])
	if math.IsNaN(r) || math.Abs(r) > 1e6 {
		return 0
	}
	turn := int(math.Round(r/90)) * 90 % 360
	if turn < 0 {
		turn += 360
	}
	return turn
}

// Rotate turns the page clockwise by a multiple of 90 degrees.
func (p *Page) Rotate(degrees int) {
	turn := ((p.Rotation()+degrees)%360 + 360) % 360
	if turn == 0 {
		delete(p.Dict, "Rotate")
		return
	}
	p.Dict["Rotate"] = types.Integer(turn)
}

// box is a rectangle in the page's own coordinates.
type box struct{ x0, y0, x1, y1 float64 }

func (p *Page) box(key string) (box, bool) {
	a := p.doc.Array(p.Dict[key])
	if len(a) < 4 {
		return box{}, false
	}
	var v [4]float64
	for i := range v {
		n, ok := p.doc.Number(a[i])
		if !ok || math.IsNaN(n) || math.Abs(n) > 1e7 {
			return box{}, false
		}
		v[i] = n
	}
	b := box{min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]), max(v[1], v[3])}
	return b, b.x1-b.x0 > 0 && b.y1-b.y0 > 0
}

// visible is the part of the page that is shown: the crop box, within the media box.
func (p *Page) visible() box {
	media, ok := p.box("MediaBox")
	if !ok {
		media = box{0, 0, 612, 792} // as viewers take it
	}
	crop, ok := p.box("CropBox")
	if !ok {
		return media
	}
	crop = box{max(crop.x0, media.x0), max(crop.y0, media.y0), min(crop.x1, media.x1), min(crop.y1, media.y1)}
	if crop.x1 <= crop.x0 || crop.y1 <= crop.y0 {
		return media
	}
	return crop
}

// Size is the width and height in points of the page as a person sees it.
func (p *Page) Size() (width, height float64) {
	b := p.visible()
	width, height = b.x1-b.x0, b.y1-b.y0
	if p.Rotation()%180 != 0 {
		return height, width
	}
	return width, height
}

// Matrix takes coordinates of the page as a person sees it, in points from its
// bottom-left corner, to those of its content.
func (p *Page) Matrix() Matrix {
	b := p.visible()
	switch p.Rotation() {
	case 90:
		return Matrix{0, 1, -1, 0, b.x1, b.y0}
	case 180:
		return Matrix{-1, 0, 0, -1, b.x1, b.y1}
	case 270:
		return Matrix{0, -1, 1, 0, b.x0, b.y1}
	}
	return Matrix{1, 0, 0, 1, b.x0, b.y0}
}

// Matrix is a transformation as PDF writes it: a b c d e f.
type Matrix [6]float64

// Times is m followed by n.
func (m Matrix) Times(n Matrix) Matrix {
	return Matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// Turned is a counter-clockwise rotation by degrees about the origin.
func Turned(degrees float64) Matrix {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return Matrix{cos, sin, -sin, cos, 0, 0}
}

// Moved is a translation.
func Moved(x, y float64) Matrix { return Matrix{1, 0, 0, 1, x, y} }

// number makes a number as short as it can be written.
func number(v float64) types.Object {
	if v == math.Trunc(v) && math.Abs(v) < 1e9 {
		return types.Integer(int(v))
	}
	return types.Float(v)
}
