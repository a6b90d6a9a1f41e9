package pdf

import (
	"bytes"
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/typeset"
	"github.com/sandboxd/sandboxd/op"
)

// shown is what a field shows: a text, or the options of a list.
type shown struct {
	text    string
	options []string
	chosen  []int // of the options
	rare    bool  // there are letters that not every viewer has
}

// foreign are the fields whose values PDFium may not draw so that every viewer shows them,
// by name: with letters that not every viewer has, or in a font of the file. Fields that
// show something else than their text stay as PDFium draws them.
func foreign(settings []setting) map[string]shown {
	fields := map[string]shown{}
	for _, s := range settings {
		w := s.field.widgets[0]
		show := shown{text: s.text}
		letters := s.text
		switch s.field.Type {
		case "text", "date":
			if w.Flags&pdfium.TextPassword != 0 {
				continue
			}
		case "combo":
			if s.chosen != nil {
				show.text = s.field.Options[s.chosen[0]]
				letters = show.text
			}
		case "list":
			show = shown{options: s.field.Options, chosen: s.chosen}
			letters = strings.Join(s.field.Options, "")
		default:
			continue
		}
		show.rare = strings.ContainsFunc(letters, func(r rune) bool { return r > 0xFF && r != '€' })
		if show.rare || letters != "" && !everywhere(w.Look) {
			fields[s.field.Name] = show
		}
	}
	return fields
}

var lookFont = regexp.MustCompile(`/(\S+)\s+[-\d.]+\s+Tf`)

// everywhere tells an appearance in a font that every viewer has, by the names that
// programs give it in forms.
func everywhere(look string) bool {
	m := lookFont.FindStringSubmatch(look)
	if m == nil {
		return false
	}
	switch m[1] {
	case "Helv", "HeBo", "HeOb", "HeBO", "TiRo", "TiBo", "TiIt", "TiBI", "Cour", "CoBo", "CoOb", "CoBO", "ZaDb", "Arial", "TimesNewRoman", "CourierNew":
		return true
	}
	family, _, _ := strings.Cut(m[1], "-")
	return typeset.Standard(family)
}

// embed draws such texts anew, in fonts that come with the file, so that every viewer
// shows them. Where there is no font for one, its field stays as PDFium drew it.
func (s source) embed(ctx context.Context, env *op.Env, data []byte, fields map[string]shown) ([]byte, error) {
	d, err := s.graphOf(ctx, env, data)
	if err != nil {
		return data, nil
	}
	set := setter(env, d)
	drawn := 0
	for _, page := range d.Pages {
		for _, o := range d.Array(page.Dict["Annots"]) {
			widget := d.Dict(o)
			if d.Name(widget["Subtype"]) != "Widget" {
				continue
			}
			if show, ok := fields[fieldName(d, widget)]; ok && (show.rare || mayLackLetters(d, widget)) && redraw(d, set, widget, show) {
				drawn++
			}
		}
	}
	if drawn == 0 {
		return data, nil
	}
	return written(ctx, env.Limits.FileBytes, d, s.file.Name)
}

// maxParents is how deep fields may lie in each other.
const maxParents = 32

// fieldName is a widget's name with those of the fields around it.
func fieldName(d *document.Document, widget types.Dict) string {
	var parts []string
	for range maxParents {
		if part, ok := d.Text(widget["T"]); ok {
			parts = append([]string{part}, parts...)
		}
		if widget = d.Dict(widget["Parent"]); widget == nil {
			break
		}
	}
	return strings.Join(parts, ".")
}

// inheritedEntry is an entry of a widget, of a field around it, or of the form.
func inheritedEntry(d *document.Document, widget types.Dict, key string) types.Object {
	for range maxParents {
		if o := widget[key]; o != nil {
			return d.Get(o)
		}
		if widget = d.Dict(widget["Parent"]); widget == nil {
			break
		}
	}
	return d.Get(d.Dict(d.Catalog["AcroForm"])[key])
}

var subsetName = regexp.MustCompile(`^[A-Z]{6}\+`)

// mayLackLetters tells whether PDFium has drawn a widget in a font that was cut down to what
// was needed when it was made, or has codes of its own: it may be that of the page's
// labels, whose name the field's has.
func mayLackLetters(d *document.Document, widget types.Dict) bool {
	drawn, ok := d.Get(d.Dict(widget["AP"])["N"]).(types.StreamDict)
	if !ok {
		return false
	}
	for _, o := range d.Dict(d.Dict(drawn.Dict["Resources"])["Font"]) {
		font := d.Dict(o)
		if d.Name(font["Subtype"]) == "Type0" || subsetName.MatchString(d.Name(font["BaseFont"])) {
			return true
		}
	}
	return false
}

// redraw puts what a field shows into the appearance that PDFium made, in the place of PDFium's.
func redraw(d *document.Document, set *typeset.Setter, widget types.Dict, show shown) bool {
	appearance := d.Dict(widget["AP"])
	old, ok := d.Get(appearance["N"]).(types.StreamDict)
	if !ok || old.Decode() != nil {
		return false
	}
	from, to := bytes.Index(old.Content, []byte("/Tx BMC")), bytes.LastIndex(old.Content, []byte("EMC"))
	box := d.Array(old.Dict["BBox"])
	if from < 0 || to < from || len(box) != 4 {
		return false
	}
	var at [4]float64
	for i, o := range box {
		at[i], _ = d.Number(o)
	}
	draw := fieldText
	if show.options != nil {
		draw = listText
	}
	fonts, content, ok := draw(d, set, widget, show, at[2]-at[0], at[3]-at[1])
	if !ok {
		return false
	}
	all := append([]byte(nil), old.Content[:from]...)
	all = append(append(all, "/Tx BMC\nq\n"...), document.Moved(at[0], at[1]).Concat(nil)...)
	all = append(append(append(all, content...), "Q\n"...), old.Content[to:]...)
	resources := types.Dict{}
	maps.Copy(resources, d.Dict(old.Dict["Resources"]))
	resources["Font"] = fonts
	form := types.Dict{"Type": types.Name("XObject"), "Subtype": types.Name("Form"), "BBox": box, "Resources": resources}
	if m := d.Array(old.Dict["Matrix"]); m != nil {
		form["Matrix"] = m
	}
	appearance["N"] = d.Add(d.Stream(form, all))
	return true
}

// fieldText sets a field's text within a width and height, and gives the fonts that the
// content uses.
func fieldText(d *document.Document, set *typeset.Setter, widget types.Dict, show shown, width, height float64) (fonts types.Object, content []byte, ok bool) {
	const margin = 2
	text := show.text
	look, _ := d.Text(inheritedEntry(d, widget, "DA"))
	style := defaultLook(look)
	flags, _ := d.Number(inheritedEntry(d, widget, "Ff"))
	multiline := int(flags)&pdfium.TextMultiline != 0
	room := max(width-2*margin, 1)
	auto := style.Size <= 0
	if auto {
		style.Size = min(12, max(4, .7*height))
	}
	wrap := 0.0
	if multiline {
		wrap = room
	} else {
		text = strings.ReplaceAll(text, "\n", " ")
	}
	// What a line is drawn with lands in a page's resources: one that is thrown away.
	scratch := d.NewPage(len(d.Pages), width, height)
	defer func() { d.Pages = d.Pages[:len(d.Pages)-1] }()
	align, _ := d.Number(inheritedEntry(d, widget, "Q"))
	content = append(content, clip(width, height)...)
	if boxes, _ := d.Number(inheritedEntry(d, widget, "MaxLen")); int(flags)&textComb != 0 && !multiline && boxes >= 1 && boxes <= maxComb {
		content, err := comb(set, scratch, content, text, style, width, height, int(boxes), int(align))
		return d.Dict(scratch.Dict["Resources"])["Font"], content, err == nil
	}
	lines, err := set.Lines([]typeset.Span{{Text: text, Style: style}}, wrap)
	if err == nil && auto && !multiline && lines[0].Width > room {
		style.Size = max(2, style.Size*room/lines[0].Width)
		lines, err = set.Lines([]typeset.Span{{Text: text, Style: style}}, wrap)
	}
	if err != nil {
		return nil, nil, false
	}
	y := (height-lines[0].Ascent-lines[0].Descent)/2 + lines[0].Descent
	if multiline {
		y = height - margin - lines[0].Ascent
	}
	for _, line := range lines {
		x := float64(margin)
		switch {
		case align == 1:
			x = (width - line.Width) / 2
		case align == 2 || line.RTL:
			x = width - margin - line.Width
		}
		content = line.Draw(scratch, content, x, y)
		y -= 1.2 * style.Size
	}
	return d.Dict(scratch.Dict["Resources"])["Font"], content, true
}

// listText sets the options of a list one below the other, those that are chosen on a ground
// of their own. What has no room is left out, from above if what is chosen lies below.
func listText(d *document.Document, set *typeset.Setter, widget types.Dict, show shown, width, height float64) (fonts types.Object, content []byte, ok bool) {
	look, _ := d.Text(inheritedEntry(d, widget, "DA"))
	style := defaultLook(look)
	if style.Size <= 0 {
		style.Size = 12
	}
	scratch := d.NewPage(len(d.Pages), width, height)
	defer func() { d.Pages = d.Pages[:len(d.Pages)-1] }()
	content = clip(width, height)
	step := 1.2 * style.Size
	room := max(int((height-2)/step), 1)
	first := 0
	if len(show.chosen) > 0 {
		first = max(slices.Min(show.chosen)-room+1, 0)
	}
	y := height - 1
	for i := first; i < len(show.options) && y > 0; i++ {
		own := style
		if slices.Contains(show.chosen, i) {
			content = typeset.Box(content, typeset.Color{0, .2, .44}, 1, y-step, width-2, step)
			own.Color = typeset.Color{1, 1, 1}
		}
		lines, err := set.Lines([]typeset.Span{{Text: strings.ReplaceAll(show.options[i], "\n", " "), Style: own}}, 0)
		if err != nil {
			return nil, nil, false
		}
		content = lines[0].Draw(scratch, content, 2, y-.9*style.Size)
		y -= step
	}
	return d.Dict(scratch.Dict["Resources"])["Font"], content, true
}

const (
	textComb = 1 << 24 // the flag of a text field that has a box for each character
	maxComb  = 1000    // boxes at most
)

// comb sets each character in a box of its own, as wide as the others.
func comb(set *typeset.Setter, page *document.Page, content []byte, text string, style typeset.Style, width, height float64, boxes, align int) ([]byte, error) {
	letters := []rune(text)
	first := 0
	switch align {
	case 1:
		first = max(boxes-len(letters), 0) / 2
	case 2:
		first = max(boxes-len(letters), 0)
	}
	for i, letter := range letters[:min(len(letters), boxes)] {
		lines, err := set.Lines([]typeset.Span{{Text: string(letter), Style: style}}, 0)
		if err != nil {
			return nil, err
		}
		middle := (float64(first+i) + .5) * width / float64(boxes)
		content = lines[0].Draw(page, content, middle-lines[0].Width/2, (height-.7*style.Size)/2)
	}
	return content, nil
}

// clip keeps what follows within the field.
func clip(width, height float64) []byte {
	out := []byte("1 1 ")
	out = append(document.AppendNumber(out, max(width-2, 0)), ' ')
	return append(document.AppendNumber(out, max(height-2, 0)), " re W n\n"...)
}

var (
	lookSize  = regexp.MustCompile(`([-\d.]+)\s+Tf`)
	lookGray  = regexp.MustCompile(`([\d.]+)\s+g(\s|$)`)
	lookColor = regexp.MustCompile(`([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+rg(\s|$)`)
)

// defaultLook reads the size and colour of a field's default appearance.
func defaultLook(look string) (style typeset.Style) {
	style.Family = "Helvetica" // and where that has not the letters, one that has
	number := func(text string) float64 {
		v, _ := strconv.ParseFloat(text, 64)
		return min(max(v, 0), 1000)
	}
	if m := lookSize.FindStringSubmatch(look); m != nil {
		style.Size = number(m[1])
	}
	if m := lookGray.FindStringSubmatch(look); m != nil {
		g := min(number(m[1]), 1)
		style.Color = typeset.Color{g, g, g}
	}
	if m := lookColor.FindStringSubmatch(look); m != nil {
		for i := range style.Color {
			style.Color[i] = min(number(m[i+1]), 1)
		}
	}
	return style
}
