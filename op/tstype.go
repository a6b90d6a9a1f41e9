package op

import "strings"

// direction says which way a value goes: what must be given differs from what is promised.
type direction int

const (
	taken    direction = iota // an argument
	answered                  // a result
)

// typeWriter writes TypeScript types: on one line, or over several with the members' docs.
type typeWriter struct {
	way  direction
	tall bool
}

// lineWidth is where a tall writer breaks an object type that has no docs to show.
const lineWidth = 90

// write gives the type of a shape. f is the field whose enum applies; indent stands before
// the lines after the first.
func (w typeWriter) write(f *field, s *shape, indent string) string {
	switch s.kind {
	case kindString:
		if f != nil && len(f.enum) > 0 {
			return union(f.enum)
		}
		return "string"
	case kindBool:
		return "boolean"
	case kindInt, kindFloat:
		return "number"
	case kindBytes:
		if w.way == taken {
			return "Uint8Array | string"
		}
		return "Uint8Array"
	case kindList:
		return arrayOf(w.write(f, s.elem, indent))
	case kindMap:
		return "Record<string, " + w.write(f, s.elem, indent) + ">"
	case kindStruct:
		return w.object(s, indent)
	case kindVariant:
		return s.unionOf(func(form *shape) string { return w.write(f, form, indent) })
	case kindPointer:
		if w.way == taken {
			return w.write(f, s.elem, indent)
		}
		return w.write(f, s.elem, indent) + " | null"
	}
	return "any"
}

func (w typeWriter) object(s *shape, indent string) string {
	if len(s.fields) == 0 {
		return "{}"
	}
	line := "{ "
	flat := typeWriter{way: w.way}
	for i, f := range s.fields {
		if i > 0 {
			line += "; "
		}
		line += flat.member(f, "")
	}
	line += " }"
	if !w.tall || !s.hasDocs() && len(indent)+len(line) <= lineWidth {
		return line
	}
	var b strings.Builder
	b.WriteString("{\n")
	inner := indent + "  "
	for _, f := range s.fields {
		if f.doc != "" {
			b.WriteString(inner + "/** " + inComment(f.doc) + " */\n")
		}
		b.WriteString(inner + w.member(f, inner) + ";\n")
	}
	b.WriteString(indent + "}")
	return b.String()
}

// member is a member of an object type, without what ends it.
func (w typeWriter) member(f *field, indent string) string {
	name, shape := f.names[sideJS], f.shape
	if !identifier.MatchString(name) {
		name = quote(name)
	}
	switch {
	case w.way == taken && !f.required():
		name += "?"
	case w.way == answered && f.optional:
		name, shape = name+"?", f.bare() // a nil pointer is absent
	}
	return name + ": " + w.write(f, shape, indent)
}

// hasDocs tells whether a struct has a documented member at any depth.
func (s *shape) hasDocs() bool {
	for s.elem != nil {
		s = s.elem
	}
	for _, f := range s.fields {
		if f.doc != "" || f.hasDocs() {
			return true
		}
	}
	return false
}

// parameters are the JavaScript function's, as TypeScript writes them.
func (w typeWriter) parameters(o *Operation, indent string) string {
	var params []string
	for i, f := range o.in.fields {
		text := w.member(f, indent)
		if !f.required() && i < len(o.in.fields)-1 && f.kind != kindAny && f.kind != kindRaw {
			text += " | null" // so that a later one can be given without it
		}
		params = append(params, text)
	}
	return strings.Join(params, ", ")
}

// result is what the JavaScript function answers.
func (w typeWriter) result(o *Operation, indent string) string {
	for _, f := range o.out.fields {
		if f.result {
			return w.write(f, f.shape, indent)
		}
	}
	return w.write(nil, o.out, indent)
}

// signature is the whole function on one line, as in help and in the reference.
func (o *Operation) signature() string {
	return o.Name + "(" + typeWriter{way: taken}.parameters(o, "") + "): Promise<" +
		typeWriter{way: answered}.result(o, "") + ">"
}

func union(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " | ")
}

func arrayOf(item string) string {
	if strings.Contains(item, " | ") && !(strings.HasPrefix(item, "{") && strings.HasSuffix(item, "}")) {
		item = "(" + item + ")"
	}
	return item + "[]"
}

// inComment keeps a text from ending the comment that it stands in.
func inComment(text string) string { return strings.ReplaceAll(text, "*/", `*\/`) }
