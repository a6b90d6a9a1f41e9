package op

import "strings"

// usage is the operation's one-line signature on a side.
func (o *Operation) usage(on side) string {
	if on == sideTool {
		return o.Tool + " " + toolObject(o.in)
	}
	return o.Name + "(" + o.parameters() + ")"
}

// parameters are the JavaScript function's, as TypeScript writes them.
func (o *Operation) parameters() string {
	var params []string
	for i, f := range o.in.fields {
		text := f.names[sideJS]
		if !f.required() {
			text += "?"
		}
		text += ": " + f.typeScript(f.shape, taken)
		if !f.required() && i < len(o.in.fields)-1 && f.kind != kindAny && f.kind != kindRaw {
			text += " | null" // so that a later one can be given without it
		}
		params = append(params, text)
	}
	return strings.Join(params, ", ")
}

// toolObject is a tool's arguments in a short form: {id: string, start_line?: integer}.
func toolObject(s *shape) string {
	var members []string
	for _, f := range s.fields {
		if f.options {
			for _, g := range f.bare().fields {
				members = append(members, toolMember(g))
			}
			continue
		}
		members = append(members, toolMember(f))
	}
	return "{" + strings.Join(members, ", ") + "}"
}

func toolMember(f *field) string {
	text := f.names[sideTool]
	if !f.required() {
		text += "?"
	}
	return text + ": " + f.jsonType(f.shape)
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
		return toolObject(s)
	case kindPointer:
		return f.jsonType(s.elem)
	}
	return "any"
}

func union(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " | ")
}

func arrayOf(item string) string {
	if strings.Contains(item, " | ") && !strings.HasPrefix(item, "{") {
		item = "(" + item + ")"
	}
	return item + "[]"
}
