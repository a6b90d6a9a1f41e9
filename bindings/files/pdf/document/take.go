package document

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// taken is what a document made of another one's pages has of its catalog.
var taken = []string{"Lang", "OCProperties", "ViewerPreferences", "PageLayout"}

// Take makes a document of some of the pages, by their indexes, in that order. It shares
// the objects, so only one of the two may be used at a time. Form fields come with the
// pages that show them, links to pages that do not come along lead nowhere, and the
// document is encrypted as d is.
func (d *Document) Take(pages []int) *Document {
	d.nameDestinations()
	part := &Document{
		Catalog: types.Dict{}, Info: d.Info, store: d.store, over: map[int]types.Object{},
		id: d.id, version: d.version, lock: d.lock,
	}
	for _, key := range taken {
		if d.Catalog[key] != nil {
			part.Catalog[key] = d.Catalog[key]
		}
	}
	seen := map[int]bool{}
	for _, i := range pages {
		p := *d.Pages[i]
		p.doc = part
		if seen[p.number] { // the same page once more is an object of its own
			p.Dict = p.Dict.Clone().(types.Dict)
			delete(p.Dict, "Annots")
			p.number = d.Add(p.Dict).ObjectNumber.Value()
			d.nodes[p.number] = true
		}
		seen[p.number] = true
		part.Pages = append(part.Pages, &p)
	}
	part.takeForm(d)
	return part
}

// takeForm gives the document that form of d which is on its pages.
func (part *Document) takeForm(d *Document) {
	form := d.Dict(d.Catalog["AcroForm"])
	if form == nil {
		return
	}
	wanted := map[int]bool{} // fields and widgets, by number
	for _, p := range part.Pages {
		for _, o := range d.Array(p.Dict["Annots"]) {
			for depth := 0; depth < maxDepth; depth++ {
				r, ok := o.(types.IndirectRef)
				if !ok || wanted[r.ObjectNumber.Value()] {
					break
				}
				field := d.Dict(r)
				if field == nil || depth == 0 && d.Name(field["Subtype"]) != "Widget" {
					break
				}
				wanted[r.ObjectNumber.Value()] = true
				o = field["Parent"]
			}
		}
	}
	own := types.Dict{}
	for key, value := range form {
		if key != "Fields" && key != "XFA" && key != "CO" {
			own[key] = value
		}
	}
	fields := part.only(d.Array(form["Fields"]), wanted)
	if len(fields) == 0 {
		return
	}
	for number := range wanted {
		field, _ := part.objects[number].(types.Dict)
		if lazy, ok := part.object(number).(types.Dict); ok {
			field = lazy
		}
		kids := d.Array(field["Kids"])
		if few := part.only(kids, wanted); len(few) < len(kids) {
			own := types.Dict{}
			for key, value := range field {
				own[key] = value
			}
			own["Kids"] = few
			part.over[number] = own
		}
	}
	own["Fields"] = fields
	part.Catalog["AcroForm"] = own
}

// only gives the references of a list that are wanted.
func (d *Document) only(list types.Array, wanted map[int]bool) types.Array {
	few := types.Array{}
	for _, o := range list {
		if r, ok := o.(types.IndirectRef); ok && wanted[r.ObjectNumber.Value()] {
			few = append(few, r)
		}
	}
	return few
}
