package document

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// nameDestinations writes the place itself wherever the document names a destination:
// names are of one document, and do not survive a merge or a split.
func (d *Document) nameDestinations() {
	names := d.destinations()
	if len(names) == 0 {
		return
	}
	for number := range d.objects {
		d.placeDestinations(d.object(number), names, 0)
	}
	d.placeDestinations(d.Catalog, names, 0)
	delete(d.Catalog, "Dests")
	if tree := d.Dict(d.Catalog["Names"]); tree != nil {
		delete(tree, "Dests")
	}
}

// destinations are the places that have names.
func (d *Document) destinations() map[string]types.Array {
	found := map[string]types.Array{}
	add := func(name string, o types.Object) {
		if dict := d.Dict(o); dict != nil {
			o = dict["D"]
		}
		if place := d.Array(o); len(place) > 0 {
			found[name] = place
		}
	}
	for name, o := range d.Dict(d.Catalog["Dests"]) {
		add(name, o)
	}
	if names := d.Dict(d.Catalog["Names"]); names != nil {
		d.nameTree(names["Dests"], func(name string, o types.Object) { add(name, o) })
	}
	return found
}

// nameTree hands out the entries of a name tree.
func (d *Document) nameTree(root types.Object, each func(name string, o types.Object)) {
	seen := map[int]bool{}
	var walk func(o types.Object, depth int)
	walk = func(o types.Object, depth int) {
		if r, ok := o.(types.IndirectRef); ok {
			if seen[r.ObjectNumber.Value()] {
				return
			}
			seen[r.ObjectNumber.Value()] = true
		}
		node := d.Dict(o)
		if node == nil || depth > maxDepth {
			return
		}
		list := d.Array(node["Names"])
		for i := 0; i+1 < len(list); i += 2 {
			each(string(stringBytes(d.Get(list[i]))), list[i+1])
		}
		for _, kid := range d.Array(node["Kids"]) {
			walk(kid, depth+1)
		}
	}
	walk(root, 0)
}

// placeDestinations replaces names within an object, not in what it refers to.
func (d *Document) placeDestinations(o types.Object, names map[string]types.Array, depth int) {
	if depth > maxDepth {
		return
	}
	switch o := o.(type) {
	case types.StreamDict:
		d.placeDestinations(o.Dict, names, depth+1)
	case types.Array:
		for _, item := range o {
			d.placeDestinations(item, names, depth+1)
		}
	case types.Dict:
		key := "Dest"
		if o["S"] == types.Name("GoTo") {
			key = "D"
		}
		var name string
		switch value := d.Get(o[key]).(type) {
		case types.Name:
			name = string(value)
		case types.StringLiteral, types.HexLiteral:
			name = string(stringBytes(value))
		}
		if place := names[name]; name != "" && place != nil {
			o[key] = append(types.Array{}, place...)
		}
		for _, value := range o {
			d.placeDestinations(value, names, depth+1)
		}
	}
}
