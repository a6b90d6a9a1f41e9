package op

import "strings"

// direction says which way a value goes: what must be given differs from what is promised.
type direction int

const (
	taken    direction = iota // an argument
	answered                  // a result
)

// typeScript is the TypeScript type of a shape, on one line. f is the field whose enum applies.
func (f *field) typeScript(s *shape, way direction) string {
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
		if way == taken {
			return "Uint8Array | string"
		}
		return "Uint8Array"
	case kindList:
		return arrayOf(f.typeScript(s.elem, way))
	case kindMap:
		return "Record<string, " + f.typeScript(s.elem, way) + ">"
	case kindStruct:
		return s.typeScript(way)
	case kindPointer:
		if way == taken {
			return f.typeScript(s.elem, way)
		}
		return f.typeScript(s.elem, way) + " | null"
	}
	return "any"
}

func (s *shape) typeScript(way direction) string {
	if len(s.fields) == 0 {
		return "{}"
	}
	var members []string
	for _, f := range s.fields {
		members = append(members, f.declaration(way))
	}
	return "{ " + strings.Join(members, "; ") + " }"
}

// declaration is a member of an object type.
func (f *field) declaration(way direction) string {
	name, shape := f.names[sideJS], f.shape
	if !identifier.MatchString(name) {
		name = quote(name)
	}
	switch {
	case way == taken && !f.required():
		name += "?"
	case way == answered && f.optional:
		name, shape = name+"?", f.bare() // a nil pointer is absent
	}
	return name + ": " + f.typeScript(shape, way)
}
