package pdf

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type fillFormIn struct {
	FileID  string         `json:"file_id" doc:"File id or name"`
	Fields  map[string]any `json:"fields" doc:"Values by the names of the fields: a string for a text, combo or radio, true or false for a checkbox, a list of strings for a list, an ISO date such as 2024-12-31 for a date; null empties a field"`
	Options struct {
		Flatten bool `json:"flatten,omitempty" doc:"Make all fields part of the page, so that nobody can change them any more. Defaults to false."`
		secret
	} `json:"options,omitempty" op:"options"`
}

type fillFormOut struct {
	Filled int `json:"filled" doc:"Number of fields that were given a value"`
	repair
}

func fillForm(ctx context.Context, env *op.Env, in fillFormIn) (out fillFormOut, err error) {
	lib, err := library(env)
	if err != nil {
		return out, err
	}
	err = edit(ctx, env, in.FileID, in.Options.Password, func(src source) ([]byte, error) {
		leave, err := lib.Enter(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
		doc, err := src.open(env)
		if err != nil {
			return nil, err
		}
		defer doc.Close()
		if out.Repaired, err = doc.Repaired(); err != nil {
			return nil, err
		}
		settings, err := settingsOf(ctx, src.file.Name, doc, in.Fields)
		if err != nil {
			return nil, err
		}
		if err := fill(ctx, doc, src.file.Name, settings); err != nil {
			return nil, err
		}
		out.Filled = len(settings)
		texts := foreign(settings)
		if in.Options.Flatten && len(texts) == 0 {
			if err := flatten(ctx, doc); err != nil {
				return nil, err
			}
		}
		data, err := doc.Save()
		if err != nil || len(texts) == 0 {
			return data, err
		}
		if src.data, err = src.embed(ctx, env, data, texts); err != nil || !in.Options.Flatten {
			return src.data, err
		}
		return src.flattened(ctx, env)
	})
	return out, err
}

// settingsOf checks all values before any is set.
func settingsOf(ctx context.Context, name string, doc *pdfium.Document, values map[string]any) ([]setting, error) {
	fields, err := fieldsOf(name, doc)
	if err != nil {
		return nil, err
	}
	if err := findLimits(ctx, fields, doc); err != nil {
		return nil, err
	}
	if len(fields) == 0 {
		return nil, problem.New(problem.UnsupportedFormat, "%q has no form", name).
			WithHint("Write on its pages with addText, or use a PDF with a form.")
	}
	var settings []setting
	for _, key := range slices.Sorted(maps.Keys(values)) {
		i := slices.IndexFunc(fields, func(f *field) bool { return f.Name == key })
		if i < 0 {
			names := make([]string, len(fields))
			for i, f := range fields {
				names[i] = f.Name
			}
			return nil, problem.New(problem.InvalidArgument, "fields: %q has no field %q", name, key).
				WithHint("Its fields are %s.", quoted(names, 50)).With("argument", "fields").With("field", key)
		}
		s, err := settingOf(fields[i], values[key])
		if err != nil {
			return nil, err
		}
		settings = append(settings, s)
	}
	// In the order of the pages, each of which is then parsed once.
	slices.SortStableFunc(settings, func(a, b setting) int { return a.field.Page - b.field.Page })
	return settings, nil
}

// fill sets the values and makes sure that the document has them.
func fill(ctx context.Context, doc *pdfium.Document, name string, settings []setting) error {
	for _, s := range settings {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.apply(doc); err != nil && doc.Broken() {
			return err
		}
	}
	now, err := fieldsOf(name, doc)
	if err != nil {
		return err
	}
	for _, s := range settings {
		i := slices.IndexFunc(now, func(f *field) bool { return f.Name == s.field.Name })
		if i >= 0 && s.met(now[i]) {
			continue
		}
		// What a person could not do may still be written.
		if err := doc.SetValue(s.field.widgets[0], s.raw()); err != nil && doc.Broken() {
			return err
		}
		if again, err := fieldsOf(name, doc); err != nil {
			return err
		} else if i < 0 || !s.met(again[i]) {
			return problem.New(problem.UnsupportedFormat, "the field %q of %q does not keep its value, since the form is damaged or of an unusual kind", s.field.Name, name)
		}
	}
	return nil
}

// met is whether a field has the value.
func (s setting) met(now *field) bool {
	switch now.Type {
	case "combo":
		if s.chosen != nil {
			return now.Value == any(now.Options[s.chosen[0]])
		}
		return now.Value == any(s.text) || now.Value == nil && s.text == ""
	case "list":
		chosen := []any{}
		for _, i := range slices.Sorted(slices.Values(s.chosen)) {
			chosen = append(chosen, now.Options[i])
		}
		return reflect.DeepEqual(now.Value, any(chosen))
	case "checkbox", "radio":
		on := 0
		for _, w := range now.widgets {
			if w.Checked && w.Export != s.button {
				return false
			}
			if w.Checked {
				on++
			}
		}
		return s.button == "" || on > 0
	}
	return sameText(now.Value, s.text)
}

// raw is the value as PDF has it.
func (s setting) raw() string {
	switch {
	case s.field.Type == "checkbox" || s.field.Type == "radio":
		if s.button == "" {
			return "Off"
		}
		return s.button
	case len(s.chosen) > 0:
		return s.field.Options[s.chosen[0]]
	}
	return s.text
}

// flatten makes the fields of every page part of it.
func flatten(ctx context.Context, doc *pdfium.Document) error {
	pages, err := doc.Pages()
	if err != nil {
		return err
	}
	for i := range pages {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := doc.Flatten(i); err != nil {
			return err
		}
	}
	return nil
}

// flattened is the source with its fields made part of their pages.
func (s source) flattened(ctx context.Context, env *op.Env) ([]byte, error) {
	doc, err := s.open(env)
	if err != nil {
		return nil, err
	}
	defer doc.Close()
	if err := flatten(ctx, doc); err != nil {
		return nil, err
	}
	return doc.Save()
}

// sameText compares texts but for how lines end, which PDF has in several ways.
func sameText(value any, text string) bool {
	have, ok := value.(string)
	return ok && lineEnds.Replace(have) == lineEnds.Replace(text)
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")
