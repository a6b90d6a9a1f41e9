package pdf_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/problem"
)

// formPDF has a field of every kind on two pages, without appearances.
func formPDF() []byte {
	const da = "/DA(/Helv 12 Tf 0 g)"
	widget := func(x, y, w, h int, rest string) string {
		return fmt.Sprintf("<</Type/Annot/Subtype/Widget/F 4/Rect[%d %d %d %d]%s>>", x, y, x+w, y+h, rest)
	}
	box := func(on string) string {
		return fmt.Sprintf("/AP<</N<</%s 24 0 R/Off 25 0 R>>>>/AS/Off", on)
	}
	appearance := "<</Type/XObject/Subtype/Form/BBox[0 0 12 12]/Length %d>>stream\n%s\nendstream"
	objects := []string{
		/* 10 */ "<</Fields[11 0 R 12 0 R 13 0 R 14 0 R 15 0 R 18 0 R 19 0 R 20 0 R 21 0 R 22 0 R 23 0 R]/DR<</Font<</Helv 3 0 R>>>>/DA(/Helv 12 Tf 0 g)>>",
		/* 11 */ widget(10, 170, 130, 20, "/FT/Tx/T(name)/TU(Your name)/Ff 2"+da),
		/* 12 */ widget(10, 110, 130, 50, "/FT/Tx/T(notes)/Ff 4096/V(old)"+da),
		/* 13 */ widget(10, 80, 130, 20, "/FT/Tx/T(born)"+da+"/AA<</F<</S/JavaScript/JS(AFDate_FormatEx\\(\"dd.mm.yyyy\"\\);)>>>>"),
		/* 14 */ widget(150, 170, 12, 12, "/FT/Btn/T(agree)/V/Off"+box("Yes")),
		/* 15 */ "<</FT/Btn/T(size)/Ff 49152/V/Off/Kids[16 0 R 17 0 R]>>",
		/* 16 */ widget(150, 150, 12, 12, "/Parent 15 0 R"+box("small")),
		/* 17 */ widget(170, 150, 12, 12, "/Parent 15 0 R"+box("large")),
		/* 18 */ widget(150, 120, 120, 20, "/FT/Ch/T(country)/Ff 131072/Opt[[(no)(Norway)][(se)(Sweden)]]"+da),
		/* 19 */ widget(150, 95, 120, 20, "/FT/Ch/T(colour)/Ff 393216/Opt[(red)(green)]"+da),
		/* 20 */ widget(150, 40, 120, 50, "/FT/Ch/T(toppings)/Ff 2097152/Opt[(ham)(cheese)(olives)]"+da),
		/* 21 */ widget(10, 50, 60, 20, "/FT/Tx/T(code)/MaxLen 4"+da),
		/* 22 */ widget(80, 50, 60, 20, "/FT/Tx/T(total)/Ff 1/V(0)"+da),
		/* 23 */ "<</FT/Tx/T(everywhere)/Kids[26 0 R 27 0 R]" + da + ">>",
		/* 24 */ fmt.Sprintf(appearance, 18, "0 g 2 2 8 8 re f  "),
		/* 25 */ fmt.Sprintf(appearance, 2, "  "),
		/* 26 */ widget(10, 10, 100, 20, "/Parent 23 0 R"),
		/* 27 */ widget(10, 10, 100, 20, "/Parent 23 0 R"),
	}
	return makePDF("/AcroForm 10 0 R", []page{
		{attributes: "/Annots[11 0 R 12 0 R 13 0 R 14 0 R 16 0 R 17 0 R 18 0 R 19 0 R 20 0 R 21 0 R 22 0 R 26 0 R]"},
		{attributes: "/Annots[27 0 R]"},
	}, objects...)
}

type formField struct {
	Name, Type, Label, Format string
	Value                     any
	Options                   []string
	Page, Places              int
	MaxLength                 int `json:"max_length"`
	Required, Multiline       bool
	ReadOnly                  bool `json:"read_only"`
	Multiple, Editable        bool
}

func (r *run) fields(name string) map[string]formField {
	r.t.Helper()
	var got struct{ Fields []formField }
	r.must("pdf_get_form_fields", fmt.Sprintf(`{"file_id": %q}`, name), &got)
	byName := map[string]formField{}
	for _, f := range got.Fields {
		byName[f.Name] = f
	}
	return byName
}

func TestGetFormFields(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "form.pdf", formPDF())
	want := map[string]formField{
		"name":       {Name: "name", Type: "text", Label: "Your name", Value: "", Page: 1, Required: true},
		"notes":      {Name: "notes", Type: "text", Value: "old", Page: 1, Multiline: true},
		"born":       {Name: "born", Type: "date", Value: "", Page: 1, Format: "dd.mm.yyyy"},
		"agree":      {Name: "agree", Type: "checkbox", Value: false, Page: 1},
		"size":       {Name: "size", Type: "radio", Options: []string{"small", "large"}, Page: 1, Places: 2},
		"country":    {Name: "country", Type: "combo", Options: []string{"Norway", "Sweden"}, Page: 1},
		"colour":     {Name: "colour", Type: "combo", Options: []string{"red", "green"}, Page: 1, Editable: true},
		"toppings":   {Name: "toppings", Type: "list", Value: []any{}, Options: []string{"ham", "cheese", "olives"}, Page: 1, Multiple: true},
		"code":       {Name: "code", Type: "text", Value: "", Page: 1, MaxLength: 4},
		"total":      {Name: "total", Type: "text", Value: "0", Page: 1, ReadOnly: true},
		"everywhere": {Name: "everywhere", Type: "text", Value: "", Page: 1, Places: 2},
	}
	got := r.fields("form.pdf")
	for name, w := range want {
		if !reflect.DeepEqual(got[name], w) {
			t.Errorf("%+v, want %+v", got[name], w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d fields", len(got))
	}
	r.host.Add(t, "plain.pdf", makePDF("", []page{{}}))
	if got := r.fields("plain.pdf"); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestFillForm(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "form.pdf", formPDF())
	fill := func(values string) {
		t.Helper()
		var out struct{ Filled int }
		r.must("pdf_fill_form", `{"file_id": "form.pdf", "fields": `+values+`}`, &out)
		var given map[string]any
		if err := json.Unmarshal([]byte(values), &given); err != nil || out.Filled != len(given) {
			t.Errorf("%d filled of %s", out.Filled, values)
		}
	}
	want := func(values map[string]any) {
		t.Helper()
		got := r.fields("form.pdf")
		for name, v := range values {
			if !reflect.DeepEqual(got[name].Value, v) {
				t.Errorf("%s is %#v, want %#v", name, got[name].Value, v)
			}
		}
	}
	fill(`{"name": "Ada Ärger", "notes": "one\ntwo", "born": "1815-12-10", "agree": true, "size": "large", "country": "Sweden",
		"colour": "mauve", "toppings": ["cheese", "olives"], "code": 1234, "total": "99.50", "everywhere": "both"}`)
	want(map[string]any{"name": "Ada Ärger", "notes": "one\ntwo", "born": "10.12.1815", "agree": true, "size": "large", "country": "Sweden",
		"colour": "mauve", "toppings": []any{"cheese", "olives"}, "code": "1234", "total": "99.50", "everywhere": "both"})
	if f := r.fields("form.pdf")["total"]; !f.ReadOnly {
		t.Error("a field that was read only is so no more")
	}
	// What is drawn is there without any form: flattened, it is text of the page.
	var text textAnswer
	r.must("pdf_fill_form", `{"file_id": "form.pdf", "fields": {}, "flatten": true}`, &struct{}{})
	r.must("pdf_extract_text", `{"file_id": "form.pdf"}`, &text)
	for _, word := range []string{"Ada Ärger", "one", "two", "10.12.1815", "Sweden", "mauve", "cheese", "1234", "99.50", "both"} {
		if !strings.Contains(text.Pages[0].Text, word) {
			t.Errorf("%q is not drawn: %q", word, text.Pages[0].Text)
		}
	}
	if text.Pages[1].Text != "both" {
		t.Errorf("the second page shows %q", text.Pages[1].Text)
	}
	if got := r.fields("form.pdf"); len(got) != 0 {
		t.Errorf("%d fields are left", len(got))
	}
}

func TestFillFormAgain(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "form.pdf", formPDF())
	for i, values := range []string{
		`{"agree": true, "size": "small", "country": "Norway", "toppings": ["ham"], "name": "a", "everywhere": "x"}`,
		`{"agree": true, "size": "small", "country": "Sweden", "toppings": "olives", "name": "a", "everywhere": "x"}`,
		`{"agree": false, "size": "large", "country": null, "toppings": [], "name": "", "everywhere": ""}`,
		`{"agree": false, "size": null, "country": "", "toppings": ["ham", "cheese", "olives"], "name": "b", "everywhere": "y"}`,
		`{"agree": "Yes", "size": "small", "colour": "red"}`,
	} {
		r.must("pdf_fill_form", `{"file_id": "form.pdf", "fields": `+values+`}`, &struct{}{})
		var want map[string]any
		if err := json.Unmarshal([]byte(values), &want); err != nil {
			t.Fatal(err)
		}
		got := r.fields("form.pdf")
		for name, v := range want {
			switch {
			case v == "olives":
				v = []any{"olives"}
			case v == "Yes":
				v = true
			case name == "country" && v == "":
				v = nil
			}
			if !reflect.DeepEqual(got[name].Value, v) {
				t.Errorf("%d: %s is %#v, want %#v", i+1, name, got[name].Value, v)
			}
		}
	}
	r.end()
	if v := r.host.Bytes(t, "form.pdf"); len(v) == 0 {
		t.Error("nothing was saved")
	}
}

func TestWrongValues(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "form.pdf", formPDF())
	r.host.Add(t, "plain.pdf", makePDF("", []page{{}}))
	for values, words := range map[string][]string{
		`{"nme": "x"}`:            {`no field "nme"`, `"name"`, `"toppings"`},
		`{"size": "medium"}`:      {`"small", "large"`, `"medium"`},
		`{"size": true}`:          {`"small", "large"`},
		`{"country": "Denmark"}`:  {`"Norway", "Sweden"`},
		`{"toppings": ["jam"]}`:   {`"ham", "cheese", "olives"`, `"jam"`},
		`{"agree": "maybe"}`:      {"true or false"},
		`{"code": "12345"}`:       {"4 characters"},
		`{"name": "two\nlines"}`:  {"one line"},
		`{"name": {"a": 1}}`:      {"a text"},
		`{"born": "tomorrow"}`:    {"dd.mm.yyyy"},
		`{"born": "2023-02-30"}`:  {"dd.mm.yyyy"},
		`{"name": "x", "y": "z"}`: {`no field "y"`},
	} {
		err := r.tool("pdf_fill_form", `{"file_id": "form.pdf", "fields": `+values+`}`, &struct{}{})
		wantCode(t, err, problem.InvalidArgument, words...)
	}
	if got := r.fields("form.pdf")["name"].Value; got != "" {
		t.Errorf("a form of which a value was wrong was filled: %q", got)
	}
	wantCode(t, r.tool("pdf_fill_form", `{"file_id": "plain.pdf", "fields": {"a": "b"}}`, &struct{}{}), problem.UnsupportedFormat, "no form")
}

// TestFillCorpus fills every field of every form with a value that it takes, and reads it
// back.
func TestFillCorpus(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(corpus, "pdf", "*.pdf"))
	if len(paths) == 0 {
		t.Skip("the corpus is not here")
	}
	r := newRun(t)
	forms, filled := 0, 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		r.host.Add(t, name, data)
		var got struct{ Fields []formField }
		if err := r.tool("pdf_get_form_fields", fmt.Sprintf(`{"file_id": %q}`, name), &got); err != nil || len(got.Fields) == 0 {
			continue
		}
		values := map[string]any{}
		for _, f := range got.Fields {
			if v, ok := someValue(f); ok {
				values[f.Name] = v
			}
		}
		if len(values) == 0 {
			continue
		}
		args, err := json.Marshal(map[string]any{"file_id": name, "fields": values})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.tool("pdf_fill_form", string(args), &struct{}{}); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		forms++
		now := r.fields(name)
		for field, v := range values {
			filled++
			if now[field].Type == "date" {
				continue
			}
			if !reflect.DeepEqual(now[field].Value, v) {
				t.Errorf("%s: %q is %#v, want %#v", name, field, now[field].Value, v)
			}
		}
	}
	t.Logf("%d fields of %d forms", filled, forms)
}

// someValue is a value that a field takes.
func someValue(f formField) (any, bool) {
	switch f.Type {
	case "text":
		text := "Zoë 42"
		if f.MaxLength > 0 && f.MaxLength < 6 {
			text = "424242"[:f.MaxLength]
		}
		return text, true
	case "date":
		return "2024-02-29", true
	case "checkbox":
		if len(f.Options) > 0 {
			return f.Options[len(f.Options)-1], true
		}
		return true, true
	case "radio", "combo":
		if len(f.Options) == 0 {
			return nil, false
		}
		return f.Options[len(f.Options)-1], true
	case "list":
		if len(f.Options) == 0 {
			return nil, false
		}
		return []any{f.Options[len(f.Options)-1]}, true
	}
	return nil, false
}

// In a field with a box for each letter, letters that not every viewer has were left out.
func TestLettersOfAllScriptsAreInTheirBoxes(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "comb.pdf", makePDF("/AcroForm<</Fields[10 0 R]/DA(/F 12 Tf 0 g)/DR<</Font<</F 3 0 R>>>>>>", []page{{attributes: "/Annots[10 0 R]"}},
		"<</Type/Annot/Subtype/Widget/FT/Tx/T(code)/Ff 16777216/MaxLen 8/Rect[20 100 180 120]/F 4/DA(/F 12 Tf 0 g)>>"))
	r.must("pdf_fill_form", `{"file_id": "comb.pdf", "fields": {"code": "aŁ→山5"}, "flatten": true}`, &struct{}{})
	var out textAnswer
	r.must("pdf_extract_text", `{"file_id": "comb.pdf", "layout": "boxes"}`, &out)
	checked(t, r.bytes("comb.pdf"))
	if len(out.Pages[0].Words) == 0 {
		t.Fatal("nothing is drawn")
	}
	letters, boxes := 0, 0
	for _, word := range out.Pages[0].Words {
		letters += len([]rune(word.Text))
		middle := word.X + word.Width/2 - 20 // a box is 20 wide
		if box := middle / 20; len([]rune(word.Text)) == 1 && math.Abs(box-math.Floor(box)-.5) < .15 {
			boxes++
		}
	}
	if letters != 5 || boxes != 5 {
		t.Errorf("%+v", out.Pages[0].Words)
	}
}

// Fields were drawn in the font of the page's labels, which has but their letters: dates
// lost their figures, and lists were empty.
func TestValuesShowWhateverTheFontOfTheFormHas(t *testing.T) {
	r := newRun(t)
	var looks [2]struct{ Base64 string }
	for i, date := range []string{"2000-12-31", "2004-12-31"} { // the labels have no 0 and no 4
		r.host.Add(t, date, corpusFile(t, "ps_bulgarian.pdf"))
		r.must("pdf_fill_form", `{"file_id": "`+date+`", "fields": {"dob1": "`+date+`"}}`, &struct{}{})
		r.must("pdf_render_page", `{"file_id": "`+date+`", "page": 1}`, &looks[i])
	}
	if looks[0] == looks[1] {
		t.Error("two dates look alike")
	}
	r.host.Add(t, "form.pdf", corpusFile(t, "ps_bulgarian.pdf"))
	r.must("pdf_fill_form", `{"file_id": "form.pdf", "fields": {"dob1": "2024-12-31", "city11": ["Сао Пауло"]}, "flatten": true}`, &struct{}{})
	checked(t, r.bytes("form.pdf"))
	var out textAnswer
	r.must("pdf_extract_text", `{"file_id": "form.pdf", "pages": 1}`, &out)
	for _, word := range []string{"31.12.2024", "Сан Франциско", "Сао Пауло"} {
		if !strings.Contains(out.Pages[0].Text, word) {
			t.Errorf("%q is not drawn: %q", word, out.Pages[0].Text)
		}
	}
}

// How long a text may be is the field's to say, or a field's above it: a widget of its own
// does not repeat it.
func TestALimitThatTheFieldInherits(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "form.pdf", makePDF("/AcroForm 10 0 R", []page{{attributes: "/Annots[12 0 R 13 0 R 16 0 R]"}},
		"<</Fields[11 0 R 14 0 R]/DA(/Helv 12 Tf 0 g)>>",
		"<</FT/Tx/T(zip)/MaxLen 5/Kids[12 0 R 13 0 R]>>",
		"<</Type/Annot/Subtype/Widget/Parent 11 0 R/Rect[20 100 180 120]/F 4>>",
		"<</Type/Annot/Subtype/Widget/Parent 11 0 R/Rect[20 60 180 80]/F 4>>",
		"<</T(codes)/FT/Tx/MaxLen 3/Kids[15 0 R]>>",
		"<</T(first)/Parent 14 0 R/Kids[16 0 R]>>",
		"<</Type/Annot/Subtype/Widget/Parent 15 0 R/Rect[20 20 180 40]/F 4>>"))
	if fields := r.fields("form.pdf"); fields["zip"].MaxLength != 5 || fields["codes.first"].MaxLength != 3 {
		t.Errorf("%+v", fields)
	}
	err := r.tool("pdf_fill_form", `{"file_id": "form.pdf", "fields": {"zip": "123456"}}`, &struct{}{})
	wantCode(t, err, problem.InvalidArgument, "at most 5 characters")
	r.must("pdf_fill_form", `{"file_id": "form.pdf", "fields": {"zip": "12345", "codes.first": "abc"}}`, &struct{}{})
	if fields := r.fields("form.pdf"); fields["zip"].Value != "12345" || fields["codes.first"].Value != "abc" {
		t.Errorf("%+v", fields)
	}
}
