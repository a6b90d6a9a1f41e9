package pdfium

// Annotation is something that was laid on a page: a note, a highlight, a link.
type Annotation struct {
	Kind     string // as PDF calls it: Text, Link, Highlight, …
	Box      Rect
	Contents string
	Author   string
	Subject  string
	Modified string // as PDF has dates
	Hidden   bool
	Color    [3]uint8
	HasColor bool
	Marked   string // the page's text that a highlight, underline or strike-out is on
	Target          // of a link
}

// annotationKinds are the names of PDFium's numbers.
var annotationKinds = []string{"Unknown", "Text", "Link", "FreeText", "Line", "Square", "Circle", "Polygon", "PolyLine",
	"Highlight", "Underline", "Squiggly", "StrikeOut", "Stamp", "Caret", "Ink", "Popup", "FileAttachment", "Sound",
	"Movie", "Widget", "Screen", "PrinterMark", "TrapNet", "Watermark", "ThreeD", "RichMedia", "XFAWidget", "Redact"}

const maxAnnotations = 20_000

// Annotations lists a page's, form fields and the windows of notes aside.
func (d *Document) Annotations(page int) (all []Annotation, err error) {
	defer guard(&err)
	p, err := d.enterPage(page)
	if err != nil {
		return nil, err
	}
	f := d.m.frame(p)
	for i := range min(d.m.FPDFPage_GetAnnotCount(p), maxAnnotations) {
		annotation := d.m.FPDFPage_GetAnnot(p, i)
		if annotation == 0 {
			continue
		}
		kind := annotationKinds[0]
		if n := d.m.FPDFAnnot_GetSubtype(annotation); n > 0 && n < len(annotationKinds) {
			kind = annotationKinds[n]
		}
		if kind != "Widget" && kind != "Popup" && kind != "XFAWidget" {
			a, err := d.annotation(annotation, page, kind, f)
			if err != nil {
				return nil, err
			}
			all = append(all, a)
		}
		d.m.FPDFPage_CloseAnnot(annotation)
	}
	return all, nil
}

func (d *Document) annotation(annotation ptr, page int, kind string, f frame) (Annotation, error) {
	text := func(key string) string { return d.string(annotation, key) }
	r := d.rectOf(annotation)
	a := Annotation{Kind: kind, Box: f.rect(r), Contents: text("Contents"), Author: text("T"), Subject: text("Subj"), Modified: text("M"),
		Hidden: d.m.FPDFAnnot_GetFlags(annotation)&annotationHidden != 0, Target: Target{Page: -1}}
	out := d.m.alloc(16)
	defer d.m.drop(out)
	key := d.m.putString("C")
	defer d.m.drop(key)
	if d.m.FPDFAnnot_HasKey(annotation, key) != 0 && d.m.FPDFAnnot_GetColor(annotation, 0, out, out+4, out+8, out+12) != 0 {
		v := d.m.ints(out, 3)
		a.Color, a.HasColor = [3]uint8{uint8(v[0]), uint8(v[1]), uint8(v[2])}, true
	}
	switch kind {
	case "Link":
		if link := d.m.FPDFAnnot_GetLink(annotation); link != 0 {
			a.Target = d.target(d.m.FPDFLink_GetDest(d.doc, link), d.m.FPDFLink_GetAction(link))
		}
	case "Highlight", "Underline", "Squiggly", "StrikeOut":
		t, err := d.enterText(page)
		if err != nil {
			return a, err
		}
		a.Marked = d.within(t, r)
	}
	return a, nil
}

// within is the text in a rectangle of the page's own coordinates.
func (d *Document) within(t ptr, r Rect) string {
	n := d.m.FPDFText_GetBoundedText(t, r.Left, r.Top, r.Right, r.Bottom, 0, 0)
	if n <= 0 || n > maxChars {
		return ""
	}
	buf := d.m.alloc(2*n + 2)
	defer d.m.drop(buf)
	n = min(n, d.m.FPDFText_GetBoundedText(t, r.Left, r.Top, r.Right, r.Bottom, buf, n))
	units := d.m.wideAll(buf, n)
	for len(units) > 0 && units[len(units)-1] == 0 {
		units = units[:len(units)-1]
	}
	return plain(units)
}
