package op

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sandboxd/sandboxd/problem"
)

// mismatch is a value that is not what an operation takes. Its path grows as it returns
// from the depth of the arguments.
type mismatch struct {
	path     string // options.startLine, data[3]
	expected string
	got      any
	came     bool // something came, null included

	unknown string   // instead: a member that does not exist
	known   []string // those that do
	note    string   // instead: anything else
}

// below puts m, found in a part of something, at that part's path.
func (m *mismatch) below(path string) *mismatch {
	if path != "" && m.path != "" && m.path[0] != '[' {
		path += "."
	}
	m.path = path + m.path
	return m
}

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// memberPath is the path below a map for a key.
func memberPath(key string) string {
	if identifier.MatchString(key) {
		return key
	}
	return "[" + quote(key) + "]"
}

// refuse turns a mismatch into the error that the caller reads.
func (o *Operation) refuse(on side, m *mismatch) *problem.Error {
	name, usage := o.Name, o.usage(sideJS)
	if on == sideTool {
		name, usage = o.Tool, o.usage(sideTool)
	}
	var e *problem.Error
	advice := ""
	switch {
	case m.note != "":
		e = problem.New(problem.InvalidArgument, "%s: %s", name, m.note)
	case m.unknown != "":
		word, of := "argument", ""
		if m.path != "" {
			word, of = "member", " of "+strconv.Quote(m.path)
		}
		if on == sideJS && len(o.in.fields) > 0 {
			if last := o.in.fields[len(o.in.fields)-1]; last.options && m.path == last.names[sideJS] {
				word, of = "option", ""
			}
		}
		e = problem.New(problem.InvalidArgument, "%s: there is no %s %s%s; %s",
			name, word, quote(cut(m.unknown)), of, choose(m.unknown, m.known))
		e = e.With("argument", strings.TrimPrefix(m.path+"."+m.unknown, "."))
	case !m.came:
		e = problem.New(problem.InvalidArgument, "%s: argument %q is missing; it must be %s", name, m.path, m.expected)
	case m.path == "":
		e = problem.New(problem.InvalidArgument, "%s: expected %s, got %s", name, m.expected, came(on, m.got))
	default:
		e = problem.New(problem.InvalidArgument, "%s: argument %q must be %s, got %s", name, m.path, m.expected, came(on, m.got))
		advice = o.advice(on, m)
	}
	if m.path != "" && m.unknown == "" {
		e = e.With("argument", m.path)
	}
	if m.expected != "" {
		e = e.With("expected", m.expected)
	}
	return e.WithHint("%sUsage: %s", advice, usage)
}

// advice is for the one mistake that is made most: a file, as files.list answers it, in place of its id.
func (o *Operation) advice(on side, m *mismatch) string {
	object, ok := m.got.(Object)
	if !ok || on != sideJS || m.expected != "a string" {
		return ""
	}
	if _, hasID := object.get("id"); hasID {
		return "Pass its id, not the whole object. "
	}
	return ""
}

func (o *Operation) tooMany(n int) *problem.Error {
	takes := "no arguments"
	if max := len(o.in.fields); max == 1 {
		takes = "at most 1 argument"
	} else if max > 1 {
		takes = "at most " + strconv.Itoa(max) + " arguments"
	}
	return problem.New(problem.InvalidArgument, "%s: takes %s, got %d", o.Name, takes, n).
		WithHint("Usage: %s", o.usage(sideJS))
}

// choose names what an unknown name may have meant, or all that there is.
func choose(unknown string, known []string) string {
	if len(known) == 0 {
		return "there are none"
	}
	if near := nearest(unknown, known, 1); len(near) > 0 {
		return "did you mean " + quote(near[0]) + "?"
	}
	return "there are " + strings.Join(known, ", ")
}

// expected says what a shape takes. f is the field whose limits apply.
func (f *field) expected(s *shape, on side) string {
	switch s.kind {
	case kindString:
		if f != nil && len(f.enum) > 0 {
			return oneOf(f.enum)
		}
		return "a string"
	case kindBool:
		return "true or false"
	case kindInt:
		return "an integer" + f.interval()
	case kindFloat:
		return "a finite number" + f.interval()
	case kindBytes:
		if on == sideJS {
			return "a Uint8Array or a base64 string"
		}
		return "a base64 string"
	case kindList:
		if s.typ == gridType {
			return "an array of rows, each an array of values"
		}
		return "an array" + f.each(s.elem, on)
	case kindMap:
		return "an object" + f.each(s.elem, on)
	case kindStruct:
		return "an object " + s.outline(on)
	case kindPointer:
		return f.expected(s.elem, on)
	case kindVariant:
		return s.words
	}
	return "a value"
}

// each says what the elements of an array or object must be.
func (f *field) each(elem *shape, on side) string {
	if elem.kind == kindAny || elem.kind == kindRaw {
		return ""
	}
	return ", each item " + f.expected(elem, on)
}

// outline lists the members of an object: {left, top, width?}.
func (s *shape) outline(on side) string {
	var names []string
	for _, f := range s.fields {
		name := f.names[on]
		if !f.required() {
			name += "?"
		}
		names = append(names, name)
	}
	return "{" + strings.Join(names, ", ") + "}"
}

func names(fields []*field, on side) []string {
	var names []string
	for _, f := range fields {
		names = append(names, f.names[on])
	}
	return names
}

func oneOf(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	last := len(quoted) - 1
	return "one of " + strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

// interval says which numbers are allowed.
func (f *field) interval() string {
	switch {
	case f == nil || f.min == nil && f.max == nil:
		return ""
	case f.max == nil:
		return " of at least " + trimFloat(*f.min)
	case f.min == nil:
		return " of at most " + trimFloat(*f.max)
	}
	return " from " + trimFloat(*f.min) + " to " + trimFloat(*f.max)
}

func trimFloat(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// allowed gives a text as an enum writes it, or false if it is none of its words. Case
// does not count, nor whether words are divided by a hyphen, an underscore or a space.
func (f *field) allowed(text string) (string, bool) {
	if f == nil || len(f.enum) == 0 || slices.Contains(f.enum, text) {
		return text, true
	}
	divided := strings.NewReplacer("_", "-", " ", "-").Replace(text)
	if word, ok := f.also[strings.ToLower(divided)]; ok {
		return word, true
	}
	for _, word := range f.enum {
		if strings.EqualFold(divided, word) {
			return word, true
		}
	}
	return "", false
}

func (f *field) allowsNumber(n float64) bool {
	return f == nil || (f.min == nil || n >= *f.min) && (f.max == nil || n <= *f.max)
}

func (f *field) unlimited() bool {
	return f == nil || len(f.enum) == 0 && f.min == nil && f.max == nil
}

// cutAt is how many characters of a caller's value a message shows.
const cutAt = 60

func cut(text string) string {
	n := 0
	for i := range text {
		if n++; n > cutAt {
			return text[:i] + "…"
		}
	}
	return text
}

func quote(text string) string { return string(appendText(nil, text)) }

// came describes a value that a caller passed, in a few words.
func came(on side, value any) string {
	switch v := value.(type) {
	case nil:
		if on == sideTool {
			return "null"
		}
		return "null or undefined"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return "the string " + quote(cut(v))
	case []byte:
		return fmt.Sprintf("a Uint8Array of %d bytes", len(v))
	case float64:
		return "the number " + jsNumber(v)
	case int, int64:
		return fmt.Sprintf("the number %d", v)
	case Object:
		return "the object " + sketch(v)
	}
	return "the array " + sketch(value)
}

// jsNumber is a number as JavaScript prints it.
func jsNumber(n float64) string {
	text := string(appendNumber(nil, n))
	if text != "null" {
		return text
	}
	return strings.Replace(strings.TrimPrefix(fmt.Sprint(n), "+"), "Inf", "Infinity", 1)
}

// sketch is the beginning of a value's JSON. It looks at no more than it shows.
func sketch(value any) string {
	var b strings.Builder
	draw(&b, value, 0)
	return cut(b.String())
}

func draw(b *strings.Builder, value any, depth int) {
	full := func() bool { return b.Len() > cutAt*utf8.UTFMax }
	if full() {
		return
	}
	if depth > 4 {
		b.WriteString("…")
		return
	}
	list := func(n int, at func(int) any) {
		b.WriteByte('[')
		for i := 0; i < n && !full(); i++ {
			if i > 0 {
				b.WriteString(", ")
			}
			draw(b, at(i), depth+1)
		}
		b.WriteByte(']')
	}
	switch v := value.(type) {
	case Object:
		b.WriteByte('{')
		for i, m := range v {
			if full() {
				break
			}
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(quote(cut(m.Name)) + ": ")
			draw(b, m.Value, depth+1)
		}
		b.WriteByte('}')
	case []any:
		list(len(v), func(i int) any { return v[i] })
	case []string:
		list(len(v), func(i int) any { return v[i] })
	case [][]any:
		list(len(v), func(i int) any { return v[i] })
	case string:
		b.WriteString(quote(cut(v)))
	case nil:
		b.WriteString("null")
	case float64:
		b.WriteString(jsNumber(v))
	case []byte:
		fmt.Fprintf(b, "Uint8Array(%d)", len(v))
	default:
		fmt.Fprint(b, v)
	}
}
