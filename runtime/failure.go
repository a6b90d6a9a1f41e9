package runtime

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"github.com/sandboxd/sandboxd/problem"
)

// problemOf gives the run's error for what goja returned.
func (i *isolate) problemOf(err error) *problem.Error {
	if p := i.uncatchable(err); p != nil {
		return p
	}
	var exception *goja.Exception
	if errors.As(err, &exception) {
		p := i.failure(exception.Value())
		if p.Line == 0 {
			p = i.placed(p, exception.Stack())
		}
		return p
	}
	return problem.From(err)
}

// failure gives the run's error for a value that was thrown and that nobody caught. It
// may read the value's members, and so run script code; whatever that throws is ignored.
func (i *isolate) failure(value goja.Value) *problem.Error {
	var p *problem.Error
	if exception := i.vm.Try(func() { p = i.describeThrown(value) }); exception != nil || p == nil {
		p = problem.New(problem.ScriptError, "the script threw a value that cannot be read")
	}
	return i.withHints(p)
}

func (i *isolate) describeThrown(value goja.Value) *problem.Error {
	object, ok := value.(*goja.Object)
	if !ok || kindOfObject(object) != kindError {
		p := problem.New(problem.ScriptError, "the script threw %s", i.describe(value)).
			WithHint("Throw an Error, so that it carries a message and a stack: throw new Error(\"…\").")
		if i.thrown.is(value) {
			return i.placed(p, i.thrown.stack)
		}
		return p
	}
	stack := i.withoutConstructors(object, i.stackOf(object))
	p, ok := i.failures[object]
	if ok {
		copied := *p
		p = &copied
	} else {
		p = problem.New(problem.ScriptError, "%s", shortened(orNull(i.messageOf(object, 0))))
	}
	return placedAt(p, stack)
}

// ofUndefined is what goja says of a member of undefined, and of null as well.
var ofUndefined = regexp.MustCompile(`^(TypeError: Cannot (?:read|set) property '[^'\n]*' of undefined)$`)

func orNull(message string) string { return ofUndefined.ReplaceAllString(message, "$1 or null") }

// placedAt gives p, which is the caller's own, its place and its stack.
func placedAt(p *problem.Error, stack []frame) *problem.Error {
	if len(stack) > maxFrames {
		stack = stack[:maxFrames]
	}
	p.Stack = p.Message
	for _, f := range stack {
		if p.Line == 0 && f.line > 0 {
			p.Line, p.Column = f.line, f.column
		}
		p.Stack += "\n" + f.String()
	}
	return p
}

// maxMessage is how much of a message of the script's is told, in bytes.
const maxMessage = 4000

func shortened(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return cutText(message, maxMessage) + "…"
}

// maxCauses is how many causes of an error are told.
const maxCauses = 5

// messageOf is an error's name and message, with those of its causes.
func (i *isolate) messageOf(e *goja.Object, depth int) string {
	message := e.String()
	if errs := e.Get("errors"); kindOf(errs) == kindArray && depth < maxCauses {
		list := errs.(*goja.Object)
		for index := range min(lengthOf(list), maxCauses) {
			message += "\n- " + i.messageOfAny(at(list, index), depth+1)
		}
	}
	if cause := e.Get("cause"); cause != nil && !goja.IsUndefined(cause) && depth < maxCauses {
		message += "; cause: " + i.messageOfAny(cause, depth+1)
	}
	return message
}

func (i *isolate) messageOfAny(v goja.Value, depth int) string {
	if object, ok := v.(*goja.Object); ok && kindOfObject(object) == kindError {
		return i.messageOf(object, depth)
	}
	return i.describe(v)
}

// frame is a step of a stack, in the submitted source's coordinates.
type frame struct {
	function     string // "" for the script's own body
	file         string // "" for a native
	line, column int
}

func (f frame) String() string {
	place := f.file + ":" + strconv.Itoa(f.line) + ":" + strconv.Itoa(f.column)
	switch {
	case f.file == "":
		return "    at " + f.function + " (native)"
	case f.function == "":
		return "    at " + place
	}
	return "    at " + f.function + " (" + place + ")"
}

// frames keeps what a reader of the script can make sense of.
func (i *isolate) frames(stack []goja.StackFrame) []frame {
	var frames []frame
	for at := range stack {
		f := &stack[at]
		function := f.FuncName()
		if function == "<anonymous>" || function == "<native>" {
			function = ""
		}
		if f.SrcName() == "<native>" {
			frames = appendFrame(frames, frame{function: function})
			continue
		}
		if f.SrcName() != i.script.name() {
			continue
		}
		place := f.Position()
		frames = appendFrame(frames, frame{function, i.script.name(), place.Line, place.Column})
	}
	return frames
}

// appendFrame leaves out what is not the script's: natives without a name, the helpers of
// rewritten code, and code that esbuild added (it has no column).
func appendFrame(frames []frame, f frame) []frame {
	switch {
	case f.file == "" && (f.function == "" || f.function == "+=" || f.function == "throw"):
	case f.file != "" && (f.line < 1 || f.column < 1):
	default:
		frames = append(frames, f)
	}
	return frames
}

// A line of the stack that goja writes: "\tat name (file:line:column(pc))".
var (
	scriptFrame = regexp.MustCompile(`^\tat (?:(.*) \()?(.*):(\d+):(\d+)(?:\(\d+\))?\)?$`)
	nativeFrame = regexp.MustCompile(`^\tat (.*) \(native\)$`)
)

// stackOf reads the stack of an Error. It is a string that a script can change, and is
// believed only as far as it looks like one of goja's.
func (i *isolate) stackOf(e *goja.Object) []frame {
	stack := e.Get("stack")
	if kindOf(stack) != kindString {
		return nil
	}
	var frames []frame
	for line := range strings.SplitSeq(stack.String(), "\n") {
		if m := scriptFrame.FindStringSubmatch(line); m != nil && m[2] == i.script.name() {
			row, _ := strconv.Atoi(m[3])
			column, _ := strconv.Atoi(m[4])
			if i.within(row, column) {
				frames = appendFrame(frames, frame{m[1], m[2], row, column})
			}
		} else if m := nativeFrame.FindStringSubmatch(line); m != nil {
			frames = appendFrame(frames, frame{function: m[1]})
		}
	}
	return frames
}

// text is the script's source, for places in it.
func (i *isolate) text() *text {
	if i.source == nil {
		i.source = newText(i.script.Source)
	}
	return i.source
}

// within tells whether the script has such a place.
func (i *isolate) within(line, column int) bool {
	t := i.text()
	if line < 1 || line > len(t.starts) || column < 1 {
		return false
	}
	atLine, _ := t.place(min(t.starts[line-1]+column-1, len(t.standIn)))
	return atLine == line || column == 1
}

// withoutConstructors leaves out the steps inside the constructors of an error of a class
// of the script, as V8 does: what matters is where it was made with new.
func (i *isolate) withoutConstructors(e *goja.Object, frames []frame) []frame {
	class, ok := e.Get("constructor").(*goja.Object)
	if !ok || i.program == nil || !strings.HasPrefix(class.String(), "class") {
		return frames
	}
	rest := frames
	for len(rest) > 0 && (rest[0].file == "" || i.inConstructor(rest[0])) {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return frames
	}
	return rest
}

func (i *isolate) inConstructor(f frame) bool {
	unit := i.text().offset(f.line, f.column)
	for _, c := range i.program.constructors {
		if c[0] <= unit && unit < c[1] {
			return true
		}
	}
	return false
}

// placed gives p with the place and the stack of where the script was.
func (i *isolate) placed(p *problem.Error, stack []goja.StackFrame) *problem.Error {
	copied := *p
	return placedAt(&copied, i.frames(stack))
}

// maxFrames is how much of a stack is told.
const maxFrames = 20

// thrown is a value that is no Error, with where it was thrown last.
type thrown struct {
	value goja.Value
	stack []goja.StackFrame
}

func (t thrown) is(v goja.Value) bool { return t.value != nil && t.value.SameAs(v) }

// noteThrown is the helper through which rewritten code throws (see rewriter.thrown).
func (i *isolate) noteThrown(call goja.FunctionCall) goja.Value {
	value := call.Arguments[0]
	if object, ok := value.(*goja.Object); !ok || object.ClassName() != "Error" {
		i.thrown = thrown{value, i.vm.CaptureCallStack(0, nil)}
	}
	return value
}
