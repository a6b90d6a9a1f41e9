package op

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Definition is an operation as LLM APIs and MCP want their tools.
type Definition struct {
	Name         string             `json:"name"`
	Description  string             `json:"description"`
	InputSchema  *jsonschema.Schema `json:"input_schema"`
	OutputSchema *jsonschema.Schema `json:"output_schema,omitempty"`
}

// Definition gives the operation as a tool. The schemas are shared and must not be changed.
func (o *Operation) Definition() Definition {
	description := o.Doc.Summary
	if o.Doc.Details != "" {
		description += "\n\n" + o.Doc.Details
	}
	return Definition{o.Tool, description, o.InSchema(), o.OutSchema()}
}

// Definitions gives every operation as a tool, in the table's order.
func (t Table) Definitions() []Definition {
	list := make([]Definition, len(t))
	for i := range t {
		list[i] = t[i].Definition()
	}
	return list
}

// InSchema is the JSON Schema (draft 2020-12) of the tool's arguments. It is made once,
// shared, and must not be changed.
func (o *Operation) InSchema() *jsonschema.Schema { return o.inSchema() }

// OutSchema is the JSON Schema (draft 2020-12) of the tool's answer. It is made once,
// shared, and must not be changed.
func (o *Operation) OutSchema() *jsonschema.Schema { return o.outSchema() }

// objectSchema is the schema of a struct. Answers must have every member that is not
// left out when empty; arguments those that are not optional.
func objectSchema(fields []*field, way direction) *jsonschema.Schema {
	object := &jsonschema.Schema{
		Type:                 "object",
		Properties:           map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
	for _, f := range fields {
		name := f.names[sideTool]
		object.Properties[name] = f.schema(way)
		object.PropertyOrder = append(object.PropertyOrder, name)
		if way == taken && f.required() || way == answered && !f.optional {
			object.Required = append(object.Required, name)
		}
	}
	return object
}

func (f *field) schema(way direction) *jsonschema.Schema {
	shape := f.shape
	if f.optional || way == taken {
		shape = f.bare() // a nil pointer is absent, not null
	}
	schema := f.shapeSchema(shape, way)
	if f.doc != "" {
		schema.Description = f.doc
	}
	return schema
}

func (f *field) shapeSchema(s *shape, way direction) *jsonschema.Schema {
	switch s.kind {
	case kindString:
		schema := &jsonschema.Schema{Type: "string"}
		for _, word := range f.enum {
			schema.Enum = append(schema.Enum, word)
		}
		return schema
	case kindBool:
		return &jsonschema.Schema{Type: "boolean"}
	case kindInt:
		return &jsonschema.Schema{Type: "integer", Minimum: f.min, Maximum: f.max}
	case kindFloat:
		return &jsonschema.Schema{Type: "number", Minimum: f.min, Maximum: f.max}
	case kindBytes:
		return &jsonschema.Schema{Type: "string", ContentEncoding: "base64"}
	case kindList:
		return &jsonschema.Schema{Type: "array", Items: f.shapeSchema(s.elem, way)}
	case kindMap:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: f.shapeSchema(s.elem, way)}
	case kindStruct:
		return objectSchema(s.fields, way)
	case kindVariant:
		return f.variantSchema(s, way)
	case kindPointer:
		return orNull(f.shapeSchema(s.elem, way))
	}
	// An empty schema would be written as true, which some LLM APIs do not read.
	return &jsonschema.Schema{Description: "Any JSON value."}
}

// orNull lets a schema take null as well.
func orNull(s *jsonschema.Schema) *jsonschema.Schema {
	if s.Type != "" {
		s.Types, s.Type = []string{s.Type, "null"}, ""
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, nil) {
		s.Enum = append(s.Enum, nil)
	}
	return s
}
