package pdf

import (
	"context"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type getFormFieldsIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Options secret `json:"options,omitempty" op:"options"`
}

// field is a form field: all widgets of one name.
type field struct {
	Name     string   `json:"name" doc:"By which fillForm takes it"`
	Type     string   `json:"type" enum:"text,date,checkbox,radio,combo,list,button,signature" doc:"What kind of field it is"`
	Value    any      `json:"value" doc:"A string; true or false for a checkbox; a list of strings for a list; null if nothing is chosen, and for buttons and signatures"`
	Options  []string `json:"options,omitempty" doc:"What can be chosen"`
	Label    string   `json:"label,omitempty" doc:"What a person is told the field is for"`
	Page     int      `json:"page" doc:"Where it is shown first, counted from 1"`
	Box      box      `json:"box" doc:"Its place there"`
	Places   int      `json:"places,omitempty" doc:"In how many places it is shown, if in several"`
	Required bool     `json:"required,omitempty"`
	ReadOnly bool     `json:"read_only,omitempty" doc:"A person cannot change it; fillForm can"`

	Multiline bool   `json:"multiline,omitempty" doc:"A text that may have several lines"`
	MaxLength int    `json:"max_length,omitempty" doc:"How many characters a text may have"`
	Multiple  bool   `json:"multiple,omitempty" doc:"A list of which several options can be chosen"`
	Editable  bool   `json:"editable,omitempty" doc:"A combo that also takes what is not among its options"`
	Format    string `json:"format,omitempty" doc:"How a date is written, such as dd.mm.yyyy"`

	widgets []pdfium.Widget
}

type getFormFieldsOut struct {
	Fields []field `json:"fields" op:"result" doc:"In the order of the pages"`
	repair
}

func getFormFields(ctx context.Context, env *op.Env, in getFormFieldsIn) (out getFormFieldsOut, err error) {
	err = read(ctx, env, in.FileID, in.Options.Password, func(v *view) error {
		out.Repaired = v.repaired
		fields, err := fieldsOf(v.file.Name, v.doc)
		if err == nil {
			err = findLimits(ctx, fields, v.doc)
		}
		for _, f := range fields {
			out.Fields = append(out.Fields, *f)
		}
		return err
	})
	return out, err
}

// fieldsOf reads a document's form.
func fieldsOf(name string, doc *pdfium.Document) ([]*field, error) {
	kind, err := doc.FormType()
	if err != nil || kind == pdfium.NoForm {
		return nil, err
	}
	widgets, err := doc.Widgets()
	if err != nil {
		return nil, err
	}
	if len(widgets) == 0 && kind == pdfium.XFAFull {
		return nil, problem.New(problem.UnsupportedFormat, "the form of %q is of XFA alone, which only Adobe's programs can show", name).
			WithHint("Ask for a copy with an ordinary form, or printed to PDF.")
	}
	var fields []*field
	byName := map[string]*field{}
	for _, w := range widgets {
		f := byName[w.Name]
		if f == nil {
			f = newField(w)
			byName[w.Name] = f
			fields = append(fields, f)
		}
		f.widgets = append(f.widgets, w)
	}
	for _, f := range fields {
		f.Value, f.Options = f.value(), f.options()
		if len(f.widgets) > 1 {
			f.Places = len(f.widgets)
		}
	}
	return fields, nil
}

func newField(w pdfium.Widget) *field {
	f := &field{Name: w.Name, Label: w.Label, Page: w.Page + 1, Box: boxOf(w.Box),
		Required: w.Flags&pdfium.FieldRequired != 0, ReadOnly: w.Flags&pdfium.FieldReadOnly != 0}
	switch w.Type {
	case pdfium.TextField:
		f.Type, f.MaxLength, f.Multiline = "text", w.MaxLength, w.Flags&pdfium.TextMultiline != 0
		if f.Format = dateFormat(w.Format); f.Format != "" {
			f.Type = "date"
		}
	case pdfium.CheckBox:
		f.Type = "checkbox"
	case pdfium.RadioButton:
		f.Type = "radio"
	case pdfium.ComboBox:
		f.Type, f.Editable = "combo", w.Flags&pdfium.ChoiceEditable != 0
	case pdfium.ListBox:
		f.Type, f.Multiple = "list", w.Flags&pdfium.ChoiceMultiple != 0
	case pdfium.SignatureField:
		f.Type = "signature"
	default:
		f.Type = "button"
	}
	return f
}

// options are what can be chosen: of radio buttons, and of check boxes of one name that
// exclude each other, what their values are called.
func (f *field) options() []string {
	switch f.Type {
	case "combo", "list":
		return f.widgets[0].Options
	case "radio", "checkbox":
		var options []string
		for _, w := range f.widgets {
			if name := exportName(w.Export); name != "" && !slices.Contains(options, name) {
				options = append(options, name)
			}
		}
		if f.Type == "checkbox" && len(options) == 1 {
			return nil
		}
		return options
	}
	return nil
}

func (f *field) value() any {
	switch w := f.widgets[0]; f.Type {
	case "text", "date":
		return lineEnds.Replace(w.Value)
	case "combo":
		if len(w.Selected) > 0 {
			return w.Options[w.Selected[0]]
		}
		if w.Value != "" {
			return w.Value
		}
		return nil
	case "list":
		chosen := []any{}
		for _, i := range w.Selected {
			if !slices.Contains(chosen, any(w.Options[i])) { // options may be called alike
				chosen = append(chosen, w.Options[i])
			}
		}
		return chosen
	case "radio", "checkbox":
		for _, w := range f.widgets {
			if w.Checked && (f.Type == "radio" || f.options() != nil) {
				return exportName(w.Export)
			}
			if w.Checked {
				return true
			}
		}
		if f.Type == "checkbox" {
			return false
		}
	}
	return nil
}

// exportName is what a button's value is called. Some programs write names of bytes as
// #xx twice, so that once is left.
func exportName(export string) string {
	if !strings.Contains(export, "#") {
		return export
	}
	decoded := escaped.ReplaceAllStringFunc(export, func(code string) string {
		b, err := hex.DecodeString(code[1:])
		if err != nil {
			return code
		}
		return string(b)
	})
	if !utf8.ValidString(decoded) {
		return export
	}
	return decoded
}

var escaped = regexp.MustCompile(`#[0-9A-Fa-f]{2}`)

// dateFormat finds the format in the script of a date's field; "" if it is of another kind.
func dateFormat(script string) string {
	if m := formatEx.FindStringSubmatch(script); m != nil {
		return m[1]
	}
	if m := formatNumber.FindStringSubmatch(script); m != nil && int(m[1][0]-'0') < len(numberedFormats) {
		return numberedFormats[m[1][0]-'0']
	}
	return ""
}

var (
	formatEx     = regexp.MustCompile(`AFDate_FormatEx\(\s*["']([^"']+)["']`)
	formatNumber = regexp.MustCompile(`AFDate_Format\(\s*(\d)\s*\)`)

	// numberedFormats are those of AFDate_Format.
	numberedFormats = []string{"m/d", "m/d/yy", "mm/dd/yy", "mm/yy", "d-mmm", "d-mmm-yy", "dd-mmm-yy", "yy-mm-dd", "mmm-yy", "mmmm-yy"}
)
