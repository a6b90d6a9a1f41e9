package pdfium

// FieldType is what kind of form field a widget belongs to.
type FieldType int

// The kinds, as PDFium numbers them.
const (
	UnknownField FieldType = iota
	PushButton
	CheckBox
	RadioButton
	ComboBox
	ListBox
	TextField
	SignatureField
)

// Flags of fields, as PDF has them.
const (
	FieldReadOnly    = 1 << 0
	FieldRequired    = 1 << 1
	TextMultiline    = 1 << 12
	TextPassword     = 1 << 13
	ButtonNoToggle   = 1 << 14 // a radio that is on cannot be switched off
	ChoiceEditable   = 1 << 18
	ChoiceMultiple   = 1 << 21
	widgetSubtype    = 20
	annotationHidden = 1 << 1
)

// Widget is one of the places where a form field is shown. A field may have several, as
// radio buttons do, which then share its Name.
type Widget struct {
	Page, Index int // which annotation of which page it is
	Name        string
	Label       string // what a person is told it is for; often empty
	Type        FieldType
	Flags       int
	Box         Rect
	Hidden      bool
	Value       string   // of the field, as PDF has it
	Checked     bool     // this box or button
	Export      string   // what the field's value is when this box or button is checked
	Options     []string // of combo and list boxes, as they are shown
	Selected    []int    // indexes of Options
	MaxLength   int      // of a text; 0 is any, or what its field says
	Field       int      // the number of the object that a text's field is; 0 if it has none
	Format      string   // the script that formats it, such as AFDate_FormatEx("dd.mm.yyyy")
	Look        string   // its own default appearance, such as "/Helv 0 Tf 0 g"; "" if it is the form's
}

// maxWidgets is how many widgets a document may have.
const maxWidgets = 100_000

// Widgets lists the form's fields where they are shown, page by page.
func (d *Document) Widgets() (all []Widget, err error) {
	defer guard(&err)
	if err := d.enterForm(); err != nil || d.form == 0 {
		return nil, err
	}
	for page := range d.m.FPDF_GetPageCount(d.doc) {
		var f frame
		for i := range d.m.EPDFPage_GetAnnotCountRaw(d.doc, page) {
			annotation := d.m.EPDFPage_GetAnnotRaw(d.doc, page, i)
			if annotation == 0 {
				continue
			}
			if d.m.FPDFAnnot_GetSubtype(annotation) == widgetSubtype {
				if f == (frame{}) {
					f = d.rawFrame(page)
				}
				if w, ok := d.widget(annotation, f); ok && len(all) < maxWidgets {
					w.Page, w.Index = page, i
					all = append(all, w)
				}
			}
			d.m.FPDFPage_CloseAnnot(annotation)
		}
	}
	for i, w := range all {
		if w.Type == CheckBox || w.Type == RadioButton {
			d.button(&all[i])
		}
	}
	return all, nil
}

// button fills in what is known of check boxes and radio buttons only where they are
// shown, on a page that is entered. Where the page cannot be, they stay off.
func (d *Document) button(w *Widget) {
	_ = d.withWidget(*w, func(_, annotation ptr) error {
		w.Checked = d.m.FPDFAnnot_IsChecked(d.form, annotation) != 0
		w.Export = d.m.wideOf(func(buf ptr, size int) int {
			return d.m.FPDFAnnot_GetFormFieldExportValue(d.form, annotation, buf, size)
		})
		return nil
	})
}

// widget reads one; it is none if no field is behind it.
func (d *Document) widget(annotation ptr, f frame) (w Widget, ok bool) {
	w.Type = FieldType(d.m.FPDFAnnot_GetFormFieldType(d.form, annotation))
	if w.Type <= UnknownField || w.Type > SignatureField {
		return w, false
	}
	text := func(ask func(form, annotation, buf ptr, size int) int) string {
		return d.m.wideOf(func(buf ptr, size int) int { return ask(d.form, annotation, buf, size) })
	}
	w.Name = text(d.m.FPDFAnnot_GetFormFieldName)
	w.Label = text(d.m.FPDFAnnot_GetFormFieldAlternateName)
	w.Flags = d.m.FPDFAnnot_GetFormFieldFlags(d.form, annotation)
	w.Hidden = d.m.FPDFAnnot_GetFlags(annotation)&annotationHidden != 0
	w.Box = f.rect(d.rectOf(annotation))
	switch w.Type {
	case ComboBox, ListBox, TextField:
		w.Look = d.string(annotation, "DA")
	}
	switch w.Type {
	case ComboBox, ListBox:
		w.Value = text(d.m.FPDFAnnot_GetFormFieldValue)
		for i := range min(d.m.FPDFAnnot_GetOptionCount(d.form, annotation), 10_000) {
			w.Options = append(w.Options, d.m.wideOf(func(buf ptr, size int) int {
				return d.m.FPDFAnnot_GetOptionLabel(d.form, annotation, i, buf, size)
			}))
			if d.m.FPDFAnnot_IsOptionSelected(d.form, annotation, i) != 0 {
				w.Selected = append(w.Selected, i)
			}
		}
	case TextField:
		w.Value = text(d.m.FPDFAnnot_GetFormFieldValue)
		w.MaxLength = d.number(annotation, "MaxLen")
		w.Field = d.m.EPDFAnnot_GetFormFieldObjectNumber(d.form, annotation)
		w.Format = d.m.wideOf(func(buf ptr, size int) int {
			return d.m.FPDFAnnot_GetFormAdditionalActionJavaScript(d.form, annotation, actionFormat, buf, size)
		})
	}
	return w, true
}

// actionFormat is the event of a field's being shown, as fpdf_annot.h numbers them.
const actionFormat = 13

// rectOf is an annotation's rectangle in the page's own coordinates.
func (d *Document) rectOf(annotation ptr) Rect {
	out := d.m.alloc(16)
	defer d.m.drop(out)
	if d.m.FPDFAnnot_GetRect(annotation, out) == 0 {
		return Rect{}
	}
	v := d.m.floats(out, 4) // left, top, right, bottom
	return Rect{min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]), max(v[1], v[3])}
}

// string reads a text of an annotation's dictionary; "" if there is none.
func (d *Document) string(annotation ptr, key string) string {
	name := d.m.putString(key)
	defer d.m.drop(name)
	return d.m.wideOf(func(buf ptr, size int) int { return d.m.FPDFAnnot_GetStringValue(annotation, name, buf, size) })
}

// number reads an integer of an annotation's dictionary; 0 if there is none.
func (d *Document) number(annotation ptr, key string) int {
	name := d.m.putString(key)
	defer d.m.drop(name)
	out := d.m.alloc(4)
	defer d.m.drop(out)
	if d.m.FPDFAnnot_GetNumberValue(annotation, name, out) == 0 {
		return 0
	}
	return int(d.m.floats(out, 1)[0])
}

// rawFrame is frame for a page that is not entered.
func (d *Document) rawFrame(page int) frame {
	out := d.m.alloc(16)
	defer d.m.drop(out)
	f := frame{quarters: d.m.EPDF_GetPageRotationByIndex(d.doc, page) & 3, box: Rect{0, 0, 612, 792}}
	read := func(box int) (Rect, bool) {
		if d.m.EPDF_GetPageBoxByIndex(d.doc, page, box, out) == 0 {
			return Rect{}, false
		}
		v := d.m.floats(out, 4) // left, top, right, bottom
		return Rect{min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]), max(v[1], v[3])}, true
	}
	if media, ok := read(0); ok && !media.Empty() {
		f.box = media
	}
	if crop, ok := read(1); ok && !crop.Empty() {
		both := Rect{max(f.box.Left, crop.Left), max(f.box.Bottom, crop.Bottom), min(f.box.Right, crop.Right), min(f.box.Top, crop.Top)}
		if !both.Empty() {
			f.box = both
		}
	}
	return f
}

// withWidget hands a widget's annotation to change, on its page.
func (d *Document) withWidget(w Widget, change func(page, annotation ptr) error) error {
	if err := d.enterForm(); err != nil {
		return err
	}
	page, err := d.enterPage(w.Page)
	if err != nil || d.form == 0 {
		return ErrPage
	}
	annotation := d.m.FPDFPage_GetAnnot(page, w.Index)
	if annotation == 0 {
		return ErrPage
	}
	defer func() {
		if d.m.broken == nil {
			d.m.FPDFPage_CloseAnnot(annotation)
		}
	}()
	return change(page, annotation)
}

// SetValue gives a widget's field a value as PDF has it, and the widget the appearance
// that goes with it. Other widgets of the field need Redraw.
func (d *Document) SetValue(w Widget, value string) (err error) {
	defer guard(&err)
	return d.withWidget(w, func(_, annotation ptr) error {
		text := d.m.putWide(value)
		defer d.m.drop(text)
		if d.m.EPDFAnnot_SetFormFieldValue(d.form, annotation, text) == 0 {
			return ErrField
		}
		d.m.EPDFAnnot_GenerateFormFieldAP(annotation)
		return nil
	})
}

// Type types a value into a text field, or into a combo box that takes any, as a person
// would: PDFium draws the field anew.
func (d *Document) Type(w Widget, value string) (err error) {
	defer guard(&err)
	return d.withWidget(w, func(page, annotation ptr) error {
		text := d.m.putWide(value)
		defer d.m.drop(text)
		return d.focused(w, annotation, func() error {
			d.m.FORM_SelectAllText(d.form, page)
			d.m.FORM_ReplaceSelection(d.form, page, text)
			return nil
		})
	})
}

// Select selects the options of a combo or list box by their indexes, and no others.
func (d *Document) Select(w Widget, options []int) (err error) {
	defer guard(&err)
	return d.withWidget(w, func(page, annotation ptr) error {
		return d.focused(w, annotation, func() error {
			wanted := map[int]bool{}
			for _, i := range options {
				wanted[i] = true
			}
			if w.Type == ListBox {
				for _, i := range w.Selected {
					if !wanted[i] {
						d.m.FORM_SetIndexSelected(d.form, page, i, 0)
					}
				}
			}
			for _, i := range options {
				if d.m.FORM_SetIndexSelected(d.form, page, i, 1) == 0 {
					return ErrField
				}
			}
			return nil
		})
	})
}

// Toggle switches a check box or radio button, as a person who presses the space bar on it.
func (d *Document) Toggle(w Widget) (err error) {
	defer guard(&err)
	return d.withWidget(w, func(page, annotation ptr) error {
		return d.focused(w, annotation, func() error {
			d.m.FORM_OnChar(d.form, page, ' ', 0)
			return nil
		})
	})
}

// focused does something with the focus on a widget, which it takes only if its field may
// be written to: that is lifted for the time.
func (d *Document) focused(w Widget, annotation ptr, do func() error) error {
	if w.Flags&FieldReadOnly != 0 {
		d.m.FPDFAnnot_SetFormFieldFlags(d.form, annotation, w.Flags&^FieldReadOnly)
		defer func() {
			if d.m.broken == nil {
				d.m.FPDFAnnot_SetFormFieldFlags(d.form, annotation, w.Flags)
			}
		}()
	}
	if d.m.FORM_SetFocusedAnnot(d.form, annotation) == 0 {
		return ErrField
	}
	err := do()
	d.m.FORM_ForceToKillFocus(d.form)
	return err
}

// Flatten makes form fields and annotations part of the page's content.
func (d *Document) Flatten(page int) (err error) {
	defer guard(&err)
	if err := d.enterForm(); err != nil {
		return err
	}
	p, err := d.enterPage(page)
	if err != nil {
		return err
	}
	const forDisplay, failed = 0, 0
	if d.m.FPDFPage_Flatten(p, forDisplay) == failed {
		return ErrPage
	}
	d.leavePage()
	return nil
}
