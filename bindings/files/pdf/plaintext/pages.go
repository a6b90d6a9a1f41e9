package plaintext

import "context"

// page is one of the document's.
type page struct {
	contents  any // a stream, or an array of streams, by reference
	resources Dict
	box       rect // what is shown of it, in its own coordinates
	turns     int  // by 90 degrees clockwise
}

// readPages lists the pages of the tree, whose counts must be right.
func (d *Document) readPages(ctx context.Context, root Ref, limit int) {
	catalog, _ := d.get(root).(Dict)
	if catalog == nil {
		fail("no catalog")
	}
	if p, _ := d.get(catalog["ViewerPreferences"]).(Dict); p["Direction"] != nil && d.get(p["Direction"]) != Name("L2R") {
		fail("from right to left")
	}
	top, ok := catalog["Pages"].(Ref)
	if !ok {
		fail("no page tree")
	}
	seen := map[Ref]bool{}
	var walk func(r, above Ref, from Dict, depth int)
	walk = func(r, above Ref, from Dict, depth int) {
		proceed(ctx)
		node, _ := d.get(r).(Dict)
		if node == nil || seen[r] || depth > maxNesting {
			fail("the page tree")
		}
		if parent, _ := node["Parent"].(Ref); parent != above && depth > 0 {
			fail("a page's parent") // from which PDFium takes what it inherits
		}
		seen[r] = true
		here := Dict{}
		for _, key := range []Name{"Resources", "MediaBox", "CropBox", "Rotate"} {
			var ok bool
			if here[key], ok = node[key]; !ok { // a null is not inherited
				here[key] = from[key]
			}
		}
		switch d.get(node["Type"]) {
		case Name("Pages"):
			kids, _ := d.get(node["Kids"]).(Array)
			before := len(d.pages)
			for _, kid := range kids {
				page, ok := kid.(Ref)
				if !ok {
					fail("a page that is no object")
				}
				walk(page, r, here, depth+1)
			}
			if count, ok := d.get(node["Count"]).(float64); !ok || toInt(count) != len(d.pages)-before {
				fail("the count of pages")
			}
		case Name("Page"):
			if len(d.pages) == limit || node["Kids"] != nil {
				fail("the page tree")
			}
			d.pages = append(d.pages, d.newPage(node, here))
		default:
			fail("the page tree")
		}
	}
	walk(top, 0, nil, 0)
	if len(d.pages) == 0 {
		fail("no pages")
	}
}

func (d *Document) newPage(node, inherited Dict) page {
	p := page{contents: node["Contents"]}
	p.resources, _ = d.get(inherited["Resources"]).(Dict)
	var ok bool
	if p.box, ok = d.rect(inherited["MediaBox"]); !ok {
		p.box = rect{0, 0, 612, 792} // as PDFium has it
	}
	if crop, ok := d.rect(inherited["CropBox"]); ok {
		if crop = crop.intersect(p.box); crop.empty() {
			fail("the crop box")
		}
		p.box = crop
	}
	turn, _ := d.get(inherited["Rotate"]).(float64)
	if p.turns = toInt(turn) / 90 % 4; p.turns < 0 {
		p.turns += 4
	}
	if p.box.width() > maxSide || p.box.height() > maxSide || node["UserUnit"] != nil {
		fail("the page's size")
	}
	return p
}

// maxSide is how long a side of a page may be; the standard has 14,400.
const maxSide = 20_000

// rect gives the rectangle that o is or refers to.
func (f *file) rect(o any) (r rect, ok bool) {
	a, _ := f.get(o).(Array)
	if len(a) != 4 {
		return rect{}, false
	}
	var v [4]float32
	for i := range v {
		n, ok := f.get(a[i]).(float64)
		if !ok {
			return rect{}, false
		}
		v[i] = float32(n)
	}
	r = rect{min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]), max(v[1], v[3])}
	return r, !r.empty()
}
