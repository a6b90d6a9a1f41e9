package runtime

import (
	"strings"

	"github.com/dop251/goja"

	"github.com/sandboxd/sandboxd/problem"
)

// errorValue makes the Error that a script sees of a problem: with name, code, hint and
// details. The run's error is the problem itself if nobody catches it.
func (i *isolate) errorValue(p *problem.Error) goja.Value {
	return i.newError(p, "")
}

// operationError is errorValue for what an operation answered; its stack is the call's.
func (i *isolate) operationError(p *problem.Error, name string, site []goja.StackFrame) goja.Value {
	e := i.newError(p, name)
	var b strings.Builder
	b.WriteString(errorName + ": " + p.Message)
	for _, f := range i.frames(site) {
		b.WriteString("\n\t" + strings.TrimSpace(f.String()))
	}
	i.define(e, "stack", i.vm.ToValue(b.String()), goja.FLAG_FALSE)
	return e
}

const errorName = "SandboxError"

func (i *isolate) newError(p *problem.Error, operation string) *goja.Object {
	// NewTypeError is the one way to an Error that no script can have redefined.
	e := i.vm.NewTypeError("%s", p.Message)
	if proto := e.Prototype().Prototype(); proto != nil {
		e.SetPrototype(proto)
	}
	i.define(e, "name", i.vm.ToValue(errorName), goja.FLAG_FALSE)
	i.define(e, "code", i.vm.ToValue(string(p.Code)), goja.FLAG_TRUE)
	if p.Hint != "" {
		i.define(e, "hint", i.vm.ToValue(p.Hint), goja.FLAG_TRUE)
	}
	if len(p.Details) > 0 {
		i.define(e, "details", i.valueOf(plainDetails(p.Details)), goja.FLAG_TRUE)
	}
	if operation != "" {
		i.define(e, "operation", i.vm.ToValue(operation), goja.FLAG_TRUE)
	}
	if i.failures == nil {
		i.failures = map[*goja.Object]*problem.Error{}
	}
	i.failures[e] = p
	return e
}

func (i *isolate) define(o *goja.Object, name string, value goja.Value, enumerable goja.Flag) {
	o.DefineDataProperty(name, value, goja.FLAG_TRUE, goja.FLAG_TRUE, enumerable)
}
