package op

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
)

var (
	jsName   = regexp.MustCompile(`^[a-z][A-Za-z0-9]*(\.[a-z][A-Za-z0-9]*)*$`)
	toolName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
)

// maxFields is what binding tells apart in one word of bits.
const maxFields = 64

// mustBeSound reads both types and panics with what is wrong with the operation.
func (o *Operation) mustBeSound(in, out reflect.Type) {
	if err := o.read(in, out); err != nil {
		panic(fmt.Sprintf("op.Define(%q, %q): %v", o.Name, o.Tool, err))
	}
}

func (o *Operation) read(in, out reflect.Type) (err error) {
	if !jsName.MatchString(o.Name) {
		return fmt.Errorf("the JavaScript name is not of the form files.readText")
	}
	if !toolName.MatchString(o.Tool) {
		return fmt.Errorf("the tool name is not of the form file_read_text")
	}
	if err := o.Doc.sound(); err != nil {
		return err
	}
	if in.Kind() != reflect.Struct || out.Kind() != reflect.Struct {
		return fmt.Errorf("In and Out must be structs")
	}
	if o.in, err = shapeOf(in); err != nil {
		return fmt.Errorf("In: %w", err)
	}
	if o.out, err = shapeOf(out); err != nil {
		return fmt.Errorf("Out: %w", err)
	}
	if err := soundIn(o.in); err != nil {
		return fmt.Errorf("In: %w", err)
	}
	if err := soundOut(o.out); err != nil {
		return fmt.Errorf("Out: %w", err)
	}
	return nil
}

func (d Doc) sound() error {
	switch {
	case d.Summary == "":
		return fmt.Errorf("Doc.Summary is missing")
	case len(d.Examples) == 0:
		return fmt.Errorf("Doc.Examples is empty")
	case !slices.Contains([]Cost{CostLookup, CostRead, CostWrite, CostParse, CostNetwork}, d.Cost):
		return fmt.Errorf("Doc.Cost %q is not a cost class", d.Cost)
	case d.ReadOnly && d.Destructive:
		return fmt.Errorf("Doc says both ReadOnly and Destructive")
	}
	for _, example := range d.Examples {
		if example.Code == "" {
			return fmt.Errorf("Doc.Examples has one without code")
		}
	}
	return nil
}

func soundIn(s *shape) error {
	optional := ""
	for i, f := range s.fields {
		switch {
		case f.result:
			return fmt.Errorf("%s: op:\"result\" belongs to Out", f.goName)
		case len(f.aliases) > 0:
			return fmt.Errorf("%s: only members of objects have aliases", f.goName)
		case f.options && i < len(s.fields)-1:
			return fmt.Errorf("%s: the options must be the last field", f.goName)
		case f.options && f.bare().kind != kindStruct:
			return fmt.Errorf("%s: the options must be a struct", f.goName)
		case f.required() && optional != "":
			return fmt.Errorf("%s is required but follows %s, which is optional", f.goName, optional)
		case f.options:
			if err := soundOptions(s, f); err != nil {
				return err
			}
		case !f.required():
			optional = f.goName
		}
	}
	return soundFields(s)
}

// soundOptions checks that the options' members can stand flat beside the arguments.
func soundOptions(s *shape, options *field) error {
	for _, f := range options.bare().fields {
		if _, other := s.member(sideTool, f.names[sideTool]); other != nil && other != options {
			return fmt.Errorf("%s and %s have one tool name", other.goName, f.goName)
		}
	}
	return nil
}

func soundOut(s *shape) error {
	if s.hasVariant() {
		return fmt.Errorf("only arguments are written in several forms")
	}
	results := 0
	for _, f := range s.fields {
		if f.options {
			return fmt.Errorf("%s: op:\"options\" belongs to In", f.goName)
		}
		if f.result {
			results++
		}
	}
	if results > 1 {
		return fmt.Errorf("more than one field is the result")
	}
	return soundFields(s)
}

// hasVariant tells whether a shape has a variant at any depth.
func (s *shape) hasVariant() bool {
	for s.elem != nil {
		s = s.elem
	}
	return s.kind == kindVariant || slices.ContainsFunc(s.fields, func(f *field) bool { return f.hasVariant() })
}

// soundFields checks what holds for the fields of a struct at any depth.
func soundFields(s *shape) error {
	if len(s.fields) > maxFields {
		return fmt.Errorf("%s has more than %d fields", s.typ, maxFields)
	}
	for _, f := range s.fields {
		inner := f.shape
		for inner.elem != nil {
			inner = inner.elem
		}
		switch {
		case len(f.enum) > 0 && inner.kind != kindString:
			return fmt.Errorf("%s: enum is for strings", f.goName)
		case (f.min != nil || f.max != nil) && inner.kind != kindInt && inner.kind != kindFloat && inner.kind != kindVariant:
			return fmt.Errorf("%s: min and max are for numbers", f.goName)
		}
		if inner.kind == kindStruct {
			for _, g := range inner.fields {
				if g.options || g.result {
					return fmt.Errorf("%s.%s: only a field of In or Out itself has a role", f.goName, g.goName)
				}
			}
			if err := soundFields(inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// Check reports what is wrong with the table as a whole: two operations of one name,
// or one whose name is also a namespace.
func (t Table) Check() error {
	names, tools := map[string]bool{}, map[string]bool{}
	for _, o := range t {
		if names[o.Name] {
			return fmt.Errorf("two operations are called %s", o.Name)
		}
		if tools[o.Tool] {
			return fmt.Errorf("two tools are called %s", o.Tool)
		}
		names[o.Name], tools[o.Tool] = true, true
	}
	for _, o := range t {
		for _, space := range o.spaces() {
			if names[space] {
				return fmt.Errorf("%s is an operation and the namespace of %s", space, o.Name)
			}
		}
	}
	return nil
}
