package op

import "strings"

// usage is the operation's one-line form on a side, as hints of errors show it.
func (o *Operation) usage(on side) string {
	if on == sideTool {
		return o.Tool + " " + toolObject(o.toolFields())
	}
	return o.Name + "(" + typeWriter{way: taken}.parameters(o, "") + ")"
}

// callForm is the operation with the names of its arguments alone, as lists show it.
func (o *Operation) callForm() string {
	var names []string
	for _, f := range o.in.fields {
		name := f.names[sideJS]
		if !f.required() {
			name += "?"
		}
		names = append(names, name)
	}
	return o.Name + "(" + strings.Join(names, ", ") + ")"
}

// toolFields are the members of the tool's arguments: the options stand among them.
func (o *Operation) toolFields() []*field {
	var fields []*field
	for _, f := range o.in.fields {
		if f.options {
			fields = append(fields, f.bare().fields...)
		} else {
			fields = append(fields, f)
		}
	}
	return fields
}

// toolObject is a tool's arguments in a short form: {id: string, start_line?: integer}.
func toolObject(fields []*field) string {
	var members []string
	for _, f := range fields {
		text := f.names[sideTool]
		if !f.required() {
			text += "?"
		}
		members = append(members, text+": "+f.jsonType(f.shape))
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// jsonType names the JSON that a shape takes, in the style of a signature.
func (f *field) jsonType(s *shape) string {
	switch s.kind {
	case kindString:
		if f != nil && len(f.enum) > 0 {
			return union(f.enum)
		}
		return "string"
	case kindBool:
		return "boolean"
	case kindInt:
		return "integer"
	case kindFloat:
		return "number"
	case kindBytes:
		return "base64"
	case kindList:
		return arrayOf(f.jsonType(s.elem))
	case kindMap:
		return "{[name]: " + f.jsonType(s.elem) + "}"
	case kindStruct:
		return toolObject(s.fields)
	case kindVariant:
		return s.unionOf(f.jsonType)
	case kindPointer:
		return f.jsonType(s.elem)
	}
	return "any"
}
