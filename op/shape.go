package op

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// side is which of its two faces an operation shows.
type side int

const (
	sideJS   side = iota // JavaScript: positional arguments, camelCase
	sideTool             // a tool: one JSON object, snake_case
)

// kind is what a Go type is to a caller.
type kind int

const (
	kindString kind = iota
	kindBool
	kindInt
	kindFloat
	kindAny     // any plain value
	kindRaw     // json.RawMessage: any plain value, kept as JSON
	kindBytes   // []byte: a Uint8Array in JavaScript, base64 in JSON
	kindList    // a slice
	kindMap     // a map with string keys
	kindStruct  // an object with known members
	kindPointer // the same as its elem, or null
	kindVariant // one of several forms
)

// shape is a Go type with its tags read, once, when an operation is defined.
type shape struct {
	kind   kind
	typ    reflect.Type
	elem   *shape   // of a list, map or pointer
	fields []*field // of a struct, in order, with embedded structs flattened
	forms  []*shape // of a variant
	words  string   // what a variant must be, in an error
}

// field is a member of a struct.
type field struct {
	goName   string
	index    []int
	names    [2]string // by side
	doc      string
	enum     []string
	also     map[string]string // other words for those of enum
	aliases  []string          // other tool names of the member
	min, max *float64
	optional bool // omitempty, omitzero or, going in, a pointer
	options  bool // op:"options"
	result   bool // op:"result"

	omitEmpty, omitZero bool

	*shape
}

var (
	rawType   = reflect.TypeFor[json.RawMessage]()
	bytesType = reflect.TypeFor[[]byte]()
	gridType  = reflect.TypeFor[[][]any]()
)

// shapeOf reads a type. It fails on types that have no plain form.
func shapeOf(t reflect.Type) (*shape, error) { return shapeWithin(t, nil) }

func shapeWithin(t reflect.Type, outer []reflect.Type) (*shape, error) {
	s := &shape{typ: t}
	if t == rawType {
		s.kind = kindRaw
		return s, nil
	}
	if reflect.PointerTo(t).Implements(variantType) {
		return variantOf(t, outer)
	}
	var err error
	switch t.Kind() {
	case reflect.String:
		s.kind = kindString
	case reflect.Bool:
		s.kind = kindBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.kind = kindInt
	case reflect.Float64, reflect.Float32:
		s.kind = kindFloat
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return nil, fmt.Errorf("%s has no plain form", t)
		}
		s.kind = kindAny
	case reflect.Slice:
		if t == bytesType {
			s.kind = kindBytes
			break
		}
		s.kind = kindList
		s.elem, err = shapeWithin(t.Elem(), outer)
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return nil, fmt.Errorf("%s: only maps with string keys have a plain form", t)
		}
		s.kind = kindMap
		s.elem, err = shapeWithin(t.Elem(), outer)
	case reflect.Pointer:
		s.kind = kindPointer
		s.elem, err = shapeWithin(t.Elem(), outer)
		if err == nil && s.elem.kind == kindPointer {
			err = fmt.Errorf("%s points to a pointer", t)
		}
	case reflect.Struct:
		if slices.Contains(outer, t) {
			return nil, fmt.Errorf("%s contains itself", t)
		}
		s.kind = kindStruct
		s.fields, err = fieldsOf(t, append(outer[:len(outer):len(outer)], t))
	default:
		return nil, fmt.Errorf("%s has no plain form", t)
	}
	return s, err
}

func fieldsOf(t reflect.Type, outer []reflect.Type) ([]*field, error) {
	var fields []*field
	for i := range t.NumField() {
		sf := t.Field(i)
		tag, tagged := sf.Tag.Lookup("json")
		if sf.Anonymous && !tagged && sf.Tag.Get("op") == "" && sf.Type.Kind() == reflect.Struct {
			inner, err := fieldsOf(sf.Type, outer)
			if err != nil {
				return nil, err
			}
			for _, f := range inner {
				f.index = append([]int{i}, f.index...)
			}
			fields = append(fields, inner...)
			continue
		}
		if !sf.IsExported() && sf.Tag.Get("op") != "" {
			return nil, fmt.Errorf("%s.%s has a role but is not exported", t, sf.Name)
		}
		if !sf.IsExported() || tag == "-" && sf.Tag.Get("op") == "" {
			continue
		}
		f, err := readField(sf, tag, outer)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t, sf.Name, err)
		}
		f.index = []int{i}
		fields = append(fields, f)
	}
	return fields, uniqueNames(t, fields)
}

func readField(sf reflect.StructField, tag string, outer []reflect.Type) (*field, error) {
	f := &field{goName: sf.Name, doc: sf.Tag.Get("doc")}
	switch role := sf.Tag.Get("op"); role {
	case "":
	case "options":
		f.options = true
	case "result":
		f.result = true
	default:
		return nil, fmt.Errorf("op:%q is neither options nor result", role)
	}

	name, flags, _ := strings.Cut(tag, ",")
	if name == "" || name == "-" {
		if !f.options {
			return nil, fmt.Errorf("it has no json name")
		}
		name = "options"
	}
	js := sf.Tag.Get("js")
	if js == "" {
		js = camelCase(name)
	}
	f.names = [2]string{sideJS: js, sideTool: name}
	for flag := range strings.SplitSeq(flags, ",") {
		f.omitEmpty = f.omitEmpty || flag == "omitempty"
		f.omitZero = f.omitZero || flag == "omitzero"
	}
	f.optional = f.omitEmpty || f.omitZero

	if enum := sf.Tag.Get("enum"); enum != "" {
		f.enum = strings.Split(enum, ",")
	}
	var err error
	if f.also, err = otherWords(sf.Tag.Get("also"), f.enum); err != nil {
		return nil, err
	}
	if alias := sf.Tag.Get("alias"); alias != "" {
		f.aliases = strings.Split(alias, ",")
	}
	if f.min, err = bound(sf.Tag.Get("min")); err != nil {
		return nil, err
	}
	if f.max, err = bound(sf.Tag.Get("max")); err != nil {
		return nil, err
	}
	f.shape, err = shapeWithin(sf.Type, outer)
	return f, err
}

// otherWords reads an also tag: "north=top,south=bottom".
func otherWords(tag string, enum []string) (map[string]string, error) {
	if tag == "" {
		return nil, nil
	}
	words := map[string]string{}
	for pair := range strings.SplitSeq(tag, ",") {
		other, word, _ := strings.Cut(pair, "=")
		if !slices.Contains(enum, word) {
			return nil, fmt.Errorf("also %q is not of the form other=word with a word of its enum", pair)
		}
		words[other] = word
	}
	return words, nil
}

func bound(tag string) (*float64, error) {
	if tag == "" {
		return nil, nil
	}
	n, err := strconv.ParseFloat(tag, 64)
	if err != nil {
		return nil, fmt.Errorf("min or max %q is not a number", tag)
	}
	return &n, nil
}

func uniqueNames(t reflect.Type, fields []*field) error {
	for i, f := range fields {
		for _, g := range fields[:i] {
			if f.names[sideJS] == g.names[sideJS] || f.names[sideTool] == g.names[sideTool] ||
				f.hasAlias(sideTool, g.names[sideTool]) || g.hasAlias(sideTool, f.names[sideTool]) {
				return fmt.Errorf("%s: %s and %s have one name", t, g.goName, f.goName)
			}
		}
	}
	return nil
}

// bare is the shape below a pointer.
func (s *shape) bare() *shape {
	if s.kind == kindPointer {
		return s.elem
	}
	return s
}

// member finds a struct's field by its name on a side, or by an alias.
func (s *shape) member(on side, name string) (int, *field) {
	for i, f := range s.fields {
		if f.names[on] == name {
			return i, f
		}
	}
	for i, f := range s.fields {
		if f.hasAlias(on, name) {
			return i, f
		}
	}
	return -1, nil
}

func (f *field) hasAlias(on side, name string) bool {
	return slices.ContainsFunc(f.aliases, func(alias string) bool {
		return name == alias || on == sideJS && name == camelCase(alias)
	})
}

// required tells whether a field must be given. Options must if any of them must.
func (f *field) required() bool {
	if f.options {
		return slices.ContainsFunc(f.bare().fields, (*field).required)
	}
	return !f.optional && f.kind != kindPointer
}

// camelCase turns total_lines into totalLines.
func camelCase(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}
