package document

import (
	"maps"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Append puts all pages of src behind those of d, with its outline, its form, its layers
// and its attachments. src must not be used afterwards. renamed lists form fields of src
// whose names were taken in d.
func (d *Document) Append(src *Document) (renamed []Renamed) {
	d.nameDestinations()
	src.nameDestinations()
	base := d.last
	for number := range src.objects {
		o := src.object(number)
		d.objects[base+number] = shift(o, base)
	}
	d.last = base + src.last
	for number := range src.nodes {
		d.nodes[base+number] = true
	}
	src.Catalog, _ = shift(src.Catalog, base).(types.Dict)
	if src.Info != nil && d.Info == nil && len(d.Pages) == 0 {
		d.Info, _ = shift(src.Info, base).(types.Dict)
	}
	first := len(d.Pages) == 0
	for _, p := range src.Pages {
		d.Pages = append(d.Pages, &Page{Dict: d.objects[base+p.number].(types.Dict), doc: d, number: base + p.number})
	}
	if first {
		for _, key := range []string{"Lang", "ViewerPreferences", "PageLayout", "PageMode", "Metadata"} {
			if src.Catalog[key] != nil {
				d.Catalog[key] = src.Catalog[key]
			}
		}
	}
	if src.version == "2.0" {
		d.version = "2.0"
	}
	// Of the trees of a tagged document there can be one only, so none is kept.
	renamed = d.appendForm(src.Catalog["AcroForm"])
	d.appendOutline(src.Catalog["Outlines"])
	d.appendLayers(src.Catalog["OCProperties"])
	d.appendAttachments(src.Catalog["Names"])
	return renamed
}

// shift adds base to the numbers of all references in o.
func shift(o types.Object, base int) types.Object {
	switch o := o.(type) {
	case types.IndirectRef:
		return ref(o.ObjectNumber.Value() + base)
	case *types.IndirectRef:
		return ref(o.ObjectNumber.Value() + base)
	case types.Dict:
		for key, value := range o {
			switch value.(type) {
			case types.IndirectRef, types.Dict, types.Array, *types.IndirectRef:
				o[key] = shift(value, base)
			}
		}
	case types.Array:
		for i, item := range o {
			o[i] = shift(item, base)
		}
	case types.StreamDict:
		shift(o.Dict, base)
	case *types.StreamDict:
		shift(o.Dict, base)
	}
	return o
}

// appendOutline chains the items of another outline behind those that there are.
func (d *Document) appendOutline(o types.Object) {
	src := d.Dict(o)
	first, _ := src["First"].(types.IndirectRef)
	last, _ := src["Last"].(types.IndirectRef)
	firstItem, lastItem := d.Dict(first), d.Dict(last)
	if firstItem == nil || lastItem == nil {
		return
	}
	root, _ := d.Catalog["Outlines"].(types.IndirectRef)
	outline := d.Dict(root)
	if outline == nil {
		outline = types.Dict{"Type": types.Name("Outlines")}
		root = d.Add(outline)
		d.Catalog["Outlines"] = root
	}
	count := 0
	var at types.Object = first
	for seen := map[int]bool{}; ; {
		r, ok := at.(types.IndirectRef)
		item := d.Dict(r)
		if !ok || item == nil || seen[r.ObjectNumber.Value()] {
			break
		}
		seen[r.ObjectNumber.Value()] = true
		item["Parent"] = root
		count++
		if n, ok := d.Number(item["Count"]); ok && n > 0 && n < maxObjects {
			count += int(n)
		}
		at = item["Next"]
	}
	if end, ok := outline["Last"].(types.IndirectRef); ok && d.Dict(end) != nil {
		d.Dict(end)["Next"] = first
		firstItem["Prev"] = end
	} else {
		outline["First"] = first
	}
	outline["Last"] = last
	had, _ := d.Number(outline["Count"])
	outline["Count"] = types.Integer(int(had) + count)
}

// appendLayers joins optional content: its groups, and which of them are on and off.
func (d *Document) appendLayers(o types.Object) {
	src := d.Dict(o)
	if src == nil {
		return
	}
	own := d.Dict(d.Catalog["OCProperties"])
	if own == nil {
		d.Catalog["OCProperties"] = o
		return
	}
	own["OCGs"] = append(append(types.Array{}, d.Array(own["OCGs"])...), d.Array(src["OCGs"])...)
	config, other := d.Dict(own["D"]), d.Dict(src["D"])
	if config == nil {
		config = types.Dict{}
		own["D"] = config
	}
	for _, key := range []string{"ON", "OFF", "Order", "RBGroups", "Locked", "AS"} {
		if list := d.Array(other[key]); len(list) > 0 {
			config[key] = append(append(types.Array{}, d.Array(config[key])...), list...)
		}
	}
	if d.Name(other["BaseState"]) == "OFF" && d.Name(config["BaseState"]) != "OFF" {
		on := map[int]bool{}
		for _, o := range d.Array(other["ON"]) {
			if r, ok := o.(types.IndirectRef); ok {
				on[r.ObjectNumber.Value()] = true
			}
		}
		off := append(types.Array{}, d.Array(config["OFF"])...)
		for _, o := range d.Array(src["OCGs"]) {
			if r, ok := o.(types.IndirectRef); ok && !on[r.ObjectNumber.Value()] {
				off = append(off, r)
			}
		}
		config["OFF"] = off
	}
}

// appendAttachments joins embedded files; one whose name is taken gets a number.
func (d *Document) appendAttachments(o types.Object) {
	names := d.Dict(o)
	if names == nil || d.Get(names["EmbeddedFiles"]) == nil {
		return
	}
	list := types.Array{}
	taken := map[string]bool{}
	add := func(name string, file types.Object) {
		free := unused(name, taken)
		taken[free] = true
		list = append(list, types.NewHexLiteral([]byte(free)), file)
	}
	own := maps.Clone(d.Dict(d.Catalog["Names"]))
	if own == nil {
		own = types.Dict{}
	}
	d.nameTree(own["EmbeddedFiles"], add)
	d.nameTree(names["EmbeddedFiles"], add)
	sortNames(list)
	own["EmbeddedFiles"] = types.Dict{"Names": list}
	d.Catalog["Names"] = own
}
