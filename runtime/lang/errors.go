package lang

import (
	"fmt"

	"github.com/dop251/goja"

	"github.com/sandboxd/sandboxd/problem"
)

func (r *realm) typeError(format string, args ...any) *goja.Object {
	return r.newError("TypeError", format, args...)
}

func (r *realm) rangeError(format string, args ...any) *goja.Object {
	return r.newError("RangeError", format, args...)
}

func (r *realm) newError(class, format string, args ...any) *goja.Object {
	return r.construct(r.intrinsic(class), r.vm.ToValue(fmt.Sprintf(format, args...)))
}

// unsupported is the error for what the standard has and this implementation has not.
func (r *realm) unsupported(format string, args ...any) *goja.Object {
	return r.rangeError(format+" is not supported in this sandbox", args...)
}

// missing is the error for a call without its required argument.
func (r *realm) missing(argument string) *goja.Object {
	return r.typeError("The %q argument must be specified", argument)
}

// invalid throws invalid_argument at the script.
func (r *realm) invalid(format string, args ...any) {
	r.throw(problem.New(problem.InvalidArgument, format, args...))
}

func (r *realm) throw(p *problem.Error) {
	if r.opt.Throw != nil {
		panic(r.opt.Throw(p))
	}
	e := r.newError("Error", "%s", p.Message)
	e.Set("code", string(p.Code))
	e.Set("hint", p.Hint)
	panic(e)
}

// show names a value in an error message: briefly, and without running script code.
func (r *realm) show(v goja.Value) string {
	switch v := v.(type) {
	case nil:
		return "undefined"
	case *goja.Object:
		if _, ok := goja.AssertFunction(v); ok {
			return "a function"
		}
		switch v.ExportType() {
		case promiseType:
			return "#<Promise>"
		case mapType:
			return "#<Map>"
		}
		return "#<" + v.ClassName() + ">"
	case *goja.Symbol:
		return "Symbol(" + v.String() + ")"
	}
	if goja.IsString(v) {
		s := []rune(v.String())
		if len(s) > 40 {
			return fmt.Sprintf("%q", string(s[:40])+"…")
		}
		return fmt.Sprintf("%q", string(s))
	}
	return v.String()
}

var domExceptionShell = shell("domexception")

func makeDOMException(r *realm) goja.Value {
	return r.once("domexception", "DOMException", func() *goja.Object {
		return r.run(domExceptionShell(), r.intrinsic("Error"), r.intrinsic("Object"))
	})
}

// domError is a DOMException with one of the standard's names, such as DataCloneError.
func (r *realm) domError(name, format string, args ...any) *goja.Object {
	class := makeDOMException(r).(*goja.Object)
	return r.construct(class, r.vm.ToValue(fmt.Sprintf(format, args...)), r.vm.ToValue(name))
}
