package pdf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/problem"
)

// setting is a value that a field is to have, checked.
type setting struct {
	field  *field
	text   string // of a text, and of a combo that takes any
	chosen []int  // indexes of the options of a combo or list; nil if text says it
	button string // the export value of the box or button to be on; "" is none
}

// settingOf checks a value for a field. The error names what the field takes.
func settingOf(f *field, value any) (setting, error) {
	s := setting{field: f}
	switch f.Type {
	case "text":
		text, ok := textValue(value)
		if !ok {
			return s, f.wrong(value, "a text")
		}
		s.text = text
		return s, f.fits(text)
	case "date":
		text, ok := textValue(value)
		if !ok {
			return s, f.wrong(value, "a date")
		}
		if s.text, ok = dateText(text, f.Format); !ok {
			return s, f.wrong(value, fmt.Sprintf("a date as 2006-12-31 or as %s", f.Format))
		}
		return s, f.fits(s.text)
	case "checkbox", "radio":
		return s, s.press(value)
	case "combo":
		text, ok := textValue(value)
		if !ok {
			return s, f.wrong(value, f.choices())
		}
		if i := slices.Index(f.Options, text); i >= 0 {
			s.chosen = []int{i}
		} else if s.text = text; !f.Editable && text != "" {
			return s, f.wrong(value, f.choices())
		}
		return s, nil
	case "list":
		return s, s.choose(value)
	}
	return s, problem.New(problem.InvalidArgument, "fields: %q is a %s, which has no value to fill", f.Name, f.Type).With("argument", "fields")
}

// textValue takes numbers for text, as they are written, and null for "".
func textValue(value any) (string, bool) {
	switch v := value.(type) {
	case nil:
		return "", true
	case string:
		return strings.ReplaceAll(v, "\r\n", "\n"), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}

// fits checks a text against what the field may hold.
func (f *field) fits(text string) error {
	if n := utf8.RuneCountInString(text); f.MaxLength > 0 && n > f.MaxLength {
		return f.wrong(text, fmt.Sprintf("at most %s", plural(f.MaxLength, "character")))
	}
	if !f.Multiline && strings.ContainsAny(text, "\n\r") {
		return f.wrong(text, "a text of one line")
	}
	return nil
}

// press reads the value of a check box or of radio buttons.
func (s *setting) press(value any) error {
	f := s.field
	names := map[string]string{}
	for _, w := range f.widgets {
		names[exportName(w.Export)], names[w.Export] = w.Export, w.Export
	}
	expected := "true or false"
	if len(f.Options) > 0 {
		expected = f.choices()
	}
	switch v := value.(type) {
	case nil:
		return nil
	case bool:
		if !v {
			return nil
		}
		if len(f.Options) <= 1 {
			s.button = f.widgets[0].Export
			return nil
		}
	case string:
		if export, ok := names[v]; ok && v != "" {
			s.button = export
			return nil
		}
		if f.Type == "checkbox" && (v == "Off" || v == "false" || v == "") {
			return nil
		}
		if f.Type == "checkbox" && v == "true" && len(f.Options) == 0 {
			s.button = f.widgets[0].Export
			return nil
		}
	case int64:
		return s.press(strconv.FormatInt(v, 10))
	}
	return f.wrong(value, expected)
}

// choose reads the value of a list: an option or several.
func (s *setting) choose(value any) error {
	f := s.field
	values, ok := value.([]any)
	if !ok {
		values = []any{value}
		if value == nil || value == "" {
			values = nil
		}
	}
	s.chosen = []int{}
	for _, v := range values {
		text, ok := textValue(v)
		i := slices.Index(f.Options, text)
		if !ok || i < 0 {
			return f.wrong(v, f.choices())
		}
		if !slices.Contains(s.chosen, i) {
			s.chosen = append(s.chosen, i)
		}
	}
	if len(s.chosen) > 1 && !f.Multiple {
		return f.wrong(value, "one option alone: "+f.choices())
	}
	return nil
}

// choices names what can be chosen.
func (f *field) choices() string {
	if len(f.Options) == 0 {
		return "nothing, since there are no options"
	}
	text := "one of " + quoted(f.Options, 30)
	if f.Editable {
		text += " or another text"
	}
	return text
}

func (f *field) wrong(value any, expected string) error {
	got := fmt.Sprintf("%v", value)
	if text, ok := value.(string); ok {
		got = strconv.Quote(text)
	}
	if len(got) > 80 {
		got = got[:80] + "…"
	}
	e := problem.New(problem.InvalidArgument, "fields: %q takes %s, got %s", f.Name, expected, got).
		With("argument", "fields").With("field", f.Name)
	if len(f.Options) > 0 {
		e = e.With("options", f.Options)
	}
	return e
}

// quoted lists names, the first few of them.
func quoted(names []string, limit int) string {
	var b strings.Builder
	for i, name := range names {
		if i == limit {
			fmt.Fprintf(&b, " and %d more", len(names)-limit)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(name))
	}
	return b.String()
}

// dateText writes a date as a field's format has it. A text that is written so already
// stays; "" empties the field.
func dateText(text, format string) (string, bool) {
	if text == "" {
		return "", true
	}
	layout := dateLayout(format)
	if _, err := time.Parse(layout, text); err == nil {
		return text, true
	}
	for _, iso := range []string{time.DateOnly, "2006-01-02T15:04:05.999Z07:00", "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
		if t, err := time.Parse(iso, text); err == nil {
			return t.Format(layout), true
		}
	}
	return "", false
}

// dateLayout turns the format of a date into Go's. An m behind hours is minutes.
func dateLayout(format string) string {
	var b strings.Builder
	hours := false
	for i := 0; i < len(format); {
		n := 1
		for i+n < len(format) && format[i+n] == format[i] {
			n++
		}
		unit := format[i : i+n]
		if strings.ContainsRune("Hh", rune(unit[0])) {
			hours = true
		}
		if layout, ok := dateUnits[unit]; ok && !(hours && (unit == "mm" || unit == "m")) {
			b.WriteString(layout)
		} else if hours && unit == "mm" {
			b.WriteString("04")
		} else if hours && unit == "m" {
			b.WriteString("4")
		} else {
			b.WriteString(unit)
		}
		i += n
	}
	return b.String()
}

var dateUnits = map[string]string{
	"d": "2", "dd": "02", "ddd": "Mon", "dddd": "Monday", "m": "1", "mm": "01", "mmm": "Jan", "mmmm": "January",
	"yy": "06", "yyyy": "2006", "H": "15", "HH": "15", "h": "3", "hh": "03", "MM": "04", "M": "4", "ss": "05", "s": "5", "tt": "pm",
}

// apply makes a document's field have the value.
func (s setting) apply(doc *pdfium.Document) error {
	f := s.field
	switch f.Type {
	case "text", "date":
		return s.write(doc)
	case "combo", "list":
		if f.Type == "combo" && s.chosen == nil {
			if s.text == "" {
				return doc.SetValue(f.widgets[0], "")
			}
			return s.write(doc)
		}
		for _, w := range s.onePerPage() {
			if err := doc.Select(w, s.chosen); err != nil {
				return err
			}
		}
		return nil
	}
	return s.switchOn(doc)
}

// onePerPage are the first widgets of the field on each of its pages: a change at one
// redraws those that are on its page alone.
func (s setting) onePerPage() (list []pdfium.Widget) {
	for _, w := range s.field.widgets {
		if !slices.ContainsFunc(list, func(other pdfium.Widget) bool { return other.Page == w.Page }) {
			list = append(list, w)
		}
	}
	return list
}

// write types a text. On the second page that shows the field it is there already, and
// only a change draws it.
func (s setting) write(doc *pdfium.Document) error {
	for i, w := range s.onePerPage() {
		if i > 0 || w.Value == s.text {
			other := ""
			if s.text == "" {
				other = "0"
			}
			if err := doc.Type(w, other); err != nil {
				return err
			}
		}
		if err := doc.Type(w, s.text); err != nil {
			return err
		}
	}
	return nil
}

// switchOn presses the button that is to be on, or the one that is not to stay so.
func (s setting) switchOn(doc *pdfium.Document) error {
	on := slices.IndexFunc(s.field.widgets, func(w pdfium.Widget) bool { return w.Checked })
	for _, w := range s.field.widgets {
		if s.button != "" && w.Export == s.button {
			if w.Checked {
				return nil
			}
			return doc.Toggle(w)
		}
	}
	if on < 0 {
		return nil
	}
	if w := s.field.widgets[on]; w.Type == pdfium.RadioButton {
		return doc.SetValue(w, "Off") // a person could not switch it off
	}
	return doc.Toggle(s.field.widgets[on])
}
