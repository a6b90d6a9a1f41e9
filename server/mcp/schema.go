package mcp

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// errorSchema is a problem.Error in short.
var errorSchema = &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{
	"code":    {Type: "string"},
	"message": {Type: "string"},
	"hint":    {Type: "string"},
}, PropertyOrder: []string{"code", "message", "hint"}, Required: []string{"code", "message"}}

// orError lets an answer's schema take a failure as well: clients check structured content
// against the schema whether the call failed or not.
func orError(answer *jsonschema.Schema) *jsonschema.Schema {
	both := *answer
	both.Properties = map[string]*jsonschema.Schema{"error": errorSchema}
	for name, property := range answer.Properties {
		both.Properties[name] = property
	}
	both.PropertyOrder = append(slices.Clone(answer.PropertyOrder), "error")
	if len(answer.Required) > 0 {
		both.Required = nil
		both.AnyOf = []*jsonschema.Schema{{Required: answer.Required}, {Required: []string{"error"}}}
	}
	return &both
}

// portable is a copy of a schema in the words that every client reads. Some refuse a
// schema without any keyword, and a list of types; both become alternatives of one type.
func portable(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil {
		return nil
	}
	p := *s
	p.Items, p.AdditionalProperties = portable(s.Items), s.AdditionalProperties
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not == nil { // which is written as false
		p.AdditionalProperties = portable(s.AdditionalProperties)
	}
	if s.Properties != nil {
		p.Properties = map[string]*jsonschema.Schema{}
		for name, property := range s.Properties {
			p.Properties[name] = portable(property)
		}
	}
	switch {
	case len(s.Types) > 0:
		p.Types = nil
		for _, name := range s.Types {
			p.AnyOf = append(p.AnyOf, &jsonschema.Schema{Type: name})
		}
	case s.Type == "" && len(s.AnyOf) == 0 && s.Enum == nil:
		p.AnyOf = anyValue
		if p.Description == "Any JSON value." {
			p.Description = ""
		}
	}
	return &p
}

// anyValue is any JSON.
var anyValue = []*jsonschema.Schema{{Type: "string"}, {Type: "number"}, {Type: "boolean"}, {Type: "null"},
	{Type: "object"}, {Type: "array"}}
