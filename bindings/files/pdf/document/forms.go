package document

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Renamed is a form field that got another name, because its own was taken. The names
// of the fields below it begin with the new one.
type Renamed struct{ From, To string }

// appendForm joins the form of another document, whose objects are in d already.
func (d *Document) appendForm(o types.Object) (renamed []Renamed) {
	src := d.Dict(o)
	fields := d.Array(src["Fields"])
	if len(fields) == 0 {
		return nil
	}
	form := d.Dict(d.Catalog["AcroForm"])
	if form == nil {
		form = types.Dict{"Fields": types.Array{}}
		d.Catalog["AcroForm"] = d.Add(form)
	}
	own, taken := d.Array(form["Fields"]), d.fieldNames
	if taken == nil {
		taken = map[string]bool{}
		d.fieldNames = taken
		for _, o := range own {
			if name, ok := d.Text(d.Dict(o)["T"]); ok {
				taken[name] = true
			}
		}
	}
	fonts := d.appendFormFonts(form, src)
	for _, o := range fields {
		r, ok := o.(types.IndirectRef)
		field := d.Dict(o)
		if field == nil {
			continue
		}
		if !ok {
			r = d.Add(field)
		}
		if name, ok := d.Text(field["T"]); ok && name != "" {
			if free := unused(name, taken); free != name {
				field["T"] = String(free)
				renamed = append(renamed, Renamed{From: name, To: free})
				name = free
			}
			taken[name] = true
		}
		// What fields had from their form they have themselves now.
		for _, key := range []string{"DA", "Q"} {
			if field[key] == nil && src[key] != nil {
				field[key] = src[key]
			}
		}
		if len(fonts) > 0 {
			d.renameFonts(field, fonts, 0)
		}
		own = append(own, r)
	}
	form["Fields"] = own
	if order := d.Array(src["CO"]); len(order) > 0 {
		form["CO"] = append(append(types.Array{}, d.Array(form["CO"])...), order...)
	}
	if need, _ := d.Get(src["NeedAppearances"]).(types.Boolean); bool(need) {
		form["NeedAppearances"] = types.Boolean(true)
	}
	if flags, ok := d.Number(src["SigFlags"]); ok {
		had, _ := d.Number(form["SigFlags"])
		form["SigFlags"] = types.Integer(int(had) | int(flags))
	}
	return renamed
}

// appendFormFonts joins the resources by which fields are drawn. A font whose name means
// another font already gets another name; fonts maps such names.
func (d *Document) appendFormFonts(form, src types.Dict) (fonts map[string]string) {
	others := d.Dict(src["DR"])
	if others == nil {
		return nil
	}
	fonts = map[string]string{}
	own := maps.Clone(d.Dict(form["DR"]))
	if own == nil {
		own = types.Dict{}
	}
	for _, category := range slices.Sorted(maps.Keys(others)) {
		group := d.Dict(others[category])
		if group == nil {
			continue
		}
		mine := maps.Clone(d.Dict(own[category]))
		if mine == nil {
			mine = types.Dict{}
		}
		for _, name := range slices.Sorted(maps.Keys(group)) {
			switch {
			case mine[name] == nil:
				mine[name] = group[name]
			case category == "Font" && !d.alike(mine[name], group[name]):
				free := name
				for i := 2; mine[free] != nil || group[free] != nil; i++ {
					free = fmt.Sprintf("%s_%d", name, i)
				}
				mine[free] = group[name]
				fonts[name] = free
			}
		}
		own[category] = mine
	}
	form["DR"] = own
	return fonts
}

// alike tells whether two fonts are written the same, what they refer to included.
func (d *Document) alike(a, b types.Object) bool {
	return bytes.Equal(d.print(a, nil, 0), d.print(b, nil, 0))
}

// print writes an object with what it refers to, to a depth that tells fonts apart.
func (d *Document) print(o types.Object, to []byte, depth int) []byte {
	o = d.Get(o)
	if depth > 4 {
		return to
	}
	switch o := o.(type) {
	case types.Dict:
		for _, key := range slices.Sorted(maps.Keys(o)) {
			if key != "Parent" {
				to = d.print(o[key], append(append(to, '/'), key...), depth+1)
			}
		}
		return append(to, '>')
	case types.StreamDict:
		return append(to, o.Raw...)
	case types.Array:
		for _, item := range o {
			to = d.print(item, append(to, ' '), depth+1)
		}
		return append(to, ']')
	}
	s := serial{out: to, number: func(int) int { return 0 }, str: plain}
	s.object(o)
	return s.out
}

// renameFonts changes the names of fonts in the default appearances of a field and of
// those below it.
func (d *Document) renameFonts(field types.Dict, fonts map[string]string, depth int) {
	if look := stringBytes(d.Get(field["DA"])); len(look) > 0 {
		words := strings.Fields(string(look))
		for i, word := range words {
			if to, ok := fonts[strings.TrimPrefix(word, "/")]; ok && strings.HasPrefix(word, "/") {
				words[i] = "/" + to
			}
		}
		field["DA"] = types.NewHexLiteral([]byte(strings.Join(words, " ")))
	}
	if depth > maxDepth {
		return
	}
	for _, kid := range d.Array(field["Kids"]) {
		if dict := d.Dict(kid); dict != nil {
			d.renameFonts(dict, fonts, depth+1)
		}
	}
}

// unused is name, with a number if it is taken.
func unused(name string, taken map[string]bool) string {
	free := name
	for i := 2; taken[free]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	return free
}

// sortNames puts the pairs of a name tree's leaf in the order that it must have.
func sortNames(list types.Array) {
	type pair struct{ name, value types.Object }
	pairs := make([]pair, 0, len(list)/2)
	for i := 0; i+1 < len(list); i += 2 {
		pairs = append(pairs, pair{list[i], list[i+1]})
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return bytes.Compare(stringBytes(a.name), stringBytes(b.name)) })
	for i, p := range pairs {
		list[2*i], list[2*i+1] = p.name, p.value
	}
}
