package op

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Variant is a type of argument that can be written in several ways, such as pages, which
// may be 3, [1, 2] or "1-3,7-". A pointer to it has these methods. Schemas and
// TypeScript show it as the union of its forms.
type Variant interface {
	// Forms gives a zero value of each Go type that it is bound from, and what it must be
	// in the words of an error: "a number, or a range such as \"1-3\"".
	Forms() (types []any, expected string)
	// Take keeps what came, as a value of the first of those types that takes it.
	Take(value any)
}

var variantType = reflect.TypeFor[Variant]()

// variantOf reads the forms of a variant.
func variantOf(t reflect.Type, outer []reflect.Type) (*shape, error) {
	types, expected := reflect.New(t).Interface().(Variant).Forms()
	s := &shape{kind: kindVariant, typ: t, words: expected}
	for _, form := range types {
		if form == nil {
			return nil, fmt.Errorf("%s has a form without a type", t)
		}
		shape, err := shapeWithin(reflect.TypeOf(form), outer)
		if err != nil {
			return nil, err
		}
		s.forms = append(s.forms, shape)
	}
	if len(s.forms) < 2 || expected == "" {
		return nil, fmt.Errorf("%s has fewer than two forms, or does not say what is expected", t)
	}
	return s, nil
}

// setVariant takes the first form that fits. If none does, and the value is a list as one
// of them is, what is wrong is an item of it.
func setVariant(dst reflect.Value, s *shape, f *field, on side, value any) *mismatch {
	wrong := &mismatch{expected: s.words, got: value, came: true}
	for _, form := range s.forms {
		into := reflect.New(form.typ).Elem()
		inForm := set(into, form, f, on, value)
		if inForm == nil {
			dst.Addr().Interface().(Variant).Take(into.Interface())
			return nil
		}
		if form.kind == kindList && strings.HasPrefix(inForm.path, "[") {
			wrong = inForm
		}
	}
	return wrong
}

// variantSchema is the union of the forms.
func (f *field) variantSchema(s *shape, way direction) *jsonschema.Schema {
	union := &jsonschema.Schema{}
	for _, form := range s.forms {
		union.AnyOf = append(union.AnyOf, f.shapeSchema(form, way))
	}
	return union
}

// unionOf writes the forms as a union, each as write has it.
func (s *shape) unionOf(write func(*shape) string) string {
	var parts []string
	for _, form := range s.forms {
		parts = append(parts, write(form))
	}
	return strings.Join(parts, " | ")
}
