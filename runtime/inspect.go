package runtime

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"
)

// How much of a value the console shows, as Node's util.inspect does.
const (
	inspectDepth  = 4     // levels below the value itself (Node: 2)
	inspectItems  = 100   // elements or members of one
	inspectText   = 10000 // characters of a string inside of something
	inspectWidth  = 76    // before members go on lines of their own
	inspectBudget = 1 << 17
)

// describe names a value in an error message.
func (i *isolate) describe(v goja.Value) string {
	text := i.inspect(v)
	if len(text) > 200 {
		text = cutText(text, 200) + "…"
	}
	return text
}

// inspect shows a value for people.
func (i *isolate) inspect(v goja.Value) (text string) {
	if i.vm.Try(func() { text = (&inspector{i: i, left: inspectBudget}).value(v, 0) }) != nil {
		return "[a value that cannot be shown]"
	}
	return text
}

type inspector struct {
	i    *isolate
	path []*goja.Object
	left int // characters that may still be made
}

func (s *inspector) value(v goja.Value, indent int) string {
	text := ""
	switch kindOf(v) {
	case kindUndefined:
		text = "undefined"
	case kindString:
		text = s.text(v.(goja.String))
	case kindNumber:
		if text = v.String(); text == "0" && 1/v.ToFloat() < 0 {
			text = "-0"
		}
	case kindBigInt:
		text = v.String() + "n"
	case kindNull, kindBool, kindSymbol:
		if text = v.String(); kindOf(v) == kindSymbol {
			text = "Symbol(" + strings.TrimSuffix(strings.TrimPrefix(text, "Symbol("), ")") + ")"
		}
	default:
		return s.object(v.(*goja.Object), indent)
	}
	s.left -= len(text)
	return text
}

func (s *inspector) text(v goja.String) string {
	more := ""
	if n := v.Length(); n > inspectText {
		v, more = v.Substring(0, inspectText), fmt.Sprintf("... %d more characters", n-inspectText)
	}
	return quoted(v.String()) + more
}

// quoted is a string in the quotes it does not contain.
func quoted(s string) string {
	quote := "'"
	if strings.Contains(s, "'") {
		switch {
		case !strings.Contains(s, `"`):
			quote = `"`
		case !strings.Contains(s, "`"):
			quote = "`"
		}
	}
	s = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\b", `\b`, "\x00", `\x00`, "\x1b", `\x1B`).Replace(s)
	if quote == "'" {
		s = strings.ReplaceAll(s, "'", `\'`)
	}
	return quote + s + quote
}

func (s *inspector) object(o *goja.Object, indent int) string {
	if slices.Contains(s.path, o) {
		return "[Circular]"
	}
	k := kindOfObject(o)
	if len(s.path) > inspectDepth || s.left < 0 {
		switch k {
		case kindArray:
			return "[Array]"
		case kindObject, kindMap, kindSet:
			return "[" + s.class(o, "Object") + "]"
		}
	}
	s.path = append(s.path, o)
	defer func() { s.path = s.path[:len(s.path)-1] }()

	switch k {
	case kindArray:
		return s.list(o, "", "[", "]", indent)
	case kindNumbers:
		return s.list(o, fmt.Sprintf("%s(%d) ", s.class(o, "TypedArray"), lengthOf(o)), "[", "]", indent)
	case kindBytes:
		b := bytesOf(o)
		text := fmt.Sprintf("%s(%d) [", s.class(o, "Uint8Array"), len(b))
		for at, c := range b[:min(len(b), 50)] {
			if at > 0 {
				text += ","
			}
			text += " " + strconv.Itoa(int(c))
		}
		if len(b) > 50 {
			text += fmt.Sprintf(", ... %d more items", len(b)-50)
		}
		return text + " ]"
	case kindFunction:
		return s.function(o)
	case kindDate:
		if t, ok := o.Export().(time.Time); ok {
			return isoTime(t)
		}
		return "Invalid Date"
	case kindRegExp:
		return o.String()
	case kindBoxed:
		return "[" + o.ClassName() + ": " + s.value(s.i.unboxed(o), indent) + "]"
	case kindError:
		return s.error(o, indent)
	case kindMap:
		return s.collection(o, "Map", indent)
	case kindSet:
		return s.collection(o, "Set", indent)
	case kindPromise:
		return s.promise(o, indent)
	case kindNamespace:
		n := o.Export().(*namespace)
		return "[" + n.name + ": " + strings.Join(n.Keys(), ", ") + "]"
	}
	return s.plain(o, indent)
}

// class is the name of an object's class, or otherwise the given one.
func (s *inspector) class(o *goja.Object, otherwise string) string {
	for proto := o.Prototype(); proto != nil; proto = proto.Prototype() {
		constructor, ok := proto.Get("constructor").(*goja.Object)
		if !ok {
			continue
		}
		if name := constructor.Get("name"); kindOf(name) == kindString && name.String() != "" {
			return name.String()
		}
	}
	return otherwise
}

func (s *inspector) function(o *goja.Object) string {
	name := ""
	if v := o.Get("name"); kindOf(v) == kindString {
		name = v.String()
	}
	kind := "Function"
	if strings.HasPrefix(o.String(), "class") {
		kind = "class"
	} else if strings.HasPrefix(o.String(), "async") {
		kind = "AsyncFunction"
	}
	switch {
	case kind == "class" && name != "":
		return "[class " + name + "]"
	case name == "":
		return "[" + kind + " (anonymous)]"
	}
	return "[" + kind + ": " + name + "]"
}

func (s *inspector) list(o *goja.Object, head, open, close string, indent int) string {
	length := lengthOf(o)
	var items []string
	for index := range min(length, inspectItems) {
		if s.left < 0 {
			items = append(items, "...")
			return s.join(head, open, close, items, indent)
		}
		items = append(items, s.value(at(o, index), indent+2))
	}
	if length > inspectItems {
		more := length - inspectItems
		items = append(items, fmt.Sprintf("... %d more item%s", more, plural(more)))
	}
	return s.join(head, open, close, items, indent)
}

func plural(n int64) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func (s *inspector) collection(o *goja.Object, class string, indent int) string {
	var items []string
	size := o.Get("size").ToInteger()
	s.i.vm.ForOf(o, func(v goja.Value) bool {
		if len(items) >= inspectItems || s.left < 0 {
			items = append(items, fmt.Sprintf("... %d more items", size-int64(len(items))))
			return false
		}
		if pair, ok := v.(*goja.Object); ok && class == "Map" {
			items = append(items, s.value(pair.Get("0"), indent+2)+" => "+s.value(pair.Get("1"), indent+2))
			return true
		}
		items = append(items, s.value(v, indent+2))
		return true
	})
	return s.join(fmt.Sprintf("%s(%d) ", class, size), "{", "}", items, indent)
}

func (s *inspector) promise(o *goja.Object, indent int) string {
	p, ok := o.Export().(*goja.Promise)
	switch {
	case !ok || p.State() == goja.PromiseStatePending:
		return "Promise { <pending> }"
	case p.State() == goja.PromiseStateRejected:
		return "Promise { <rejected> " + s.value(p.Result(), indent+2) + " }"
	}
	return "Promise { " + s.value(p.Result(), indent+2) + " }"
}

func (s *inspector) error(o *goja.Object, indent int) string {
	text := o.String()
	for _, f := range s.i.stackOf(o) {
		if f.file != "" {
			text += "\n" + f.String()
		}
	}
	if len(s.path) > 1 {
		text = "[" + o.String() + "]"
	}
	if cause := o.Get("cause"); kindOf(cause) != kindUndefined && len(s.path) <= inspectDepth {
		text += "\n" + strings.Repeat(" ", indent+2) + "[cause]: " + s.value(cause, indent+2)
	}
	if members := s.pairs(o, indent, "stack", "message", "cause", "name"); len(members) > 0 {
		text += s.join(" ", "{", "}", members, indent)
	}
	return text
}

func (s *inspector) plain(o *goja.Object, indent int) string {
	head := ""
	if o.Prototype() == nil {
		head = "[Object: null prototype] "
	} else if class := s.class(o, "Object"); class != "Object" {
		head = class + " "
	}
	return s.join(head, "{", "}", s.pairs(o, indent), indent)
}

var plainKey = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

func (s *inspector) pairs(o *goja.Object, indent int, without ...string) []string {
	var pairs []string
	keys := o.Keys()
	for _, key := range keys {
		if slices.Contains(without, key) {
			continue
		}
		if len(pairs) >= inspectItems || s.left < 0 {
			pairs = append(pairs, fmt.Sprintf("... %d more members", len(keys)-len(pairs)))
			break
		}
		name := key
		if !plainKey.MatchString(key) {
			name = quoted(key)
		}
		s.left -= len(name)
		pairs = append(pairs, name+": "+s.value(o.Get(key), indent+2))
	}
	return pairs
}

// join puts the parts on one line if they fit, else each on its own.
func (s *inspector) join(head, open, close string, items []string, indent int) string {
	if len(items) == 0 {
		return head + open + close
	}
	width := indent + len(head)
	long := false
	for _, item := range items {
		width += len(item) + 2
		long = long || strings.Contains(item, "\n")
	}
	if !long && width <= inspectWidth {
		return head + open + " " + strings.Join(items, ", ") + " " + close
	}
	inner := strings.Repeat(" ", indent+2)
	lines := items
	if open == "[" && !long && len(items) > 6 {
		lines = packed(items, inspectWidth-indent)
	}
	return head + open + "\n" + inner + strings.Join(lines, ",\n"+inner) + "\n" + strings.Repeat(" ", indent) + close
}

// packed puts several short items on each line.
func packed(items []string, width int) []string {
	var lines []string
	line := ""
	for _, item := range items {
		if line != "" && len(line)+len(item)+2 > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += ", "
		}
		line += item
	}
	return append(lines, line)
}
