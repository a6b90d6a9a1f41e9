package lang

import (
	"embed"
	"sync"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

//go:embed js/*.js
var shellSources embed.FS

// SourcePrefix begins the source name of every shell, so that whoever shows a script's
// stack can leave their frames out.
const SourcePrefix = "sandbox:"

// shell compiles js/name.js at its first use. A shell is a function expression that takes
// the natives it needs and answers what it makes.
func shell(name string) func() *goja.Program {
	return sync.OnceValue(func() *goja.Program {
		src, err := shellSources.ReadFile("js/" + name + ".js")
		if err != nil {
			panic(err)
		}
		ast, err := goja.Parse(SourcePrefix+name, string(src), parser.WithDisableSourceMaps)
		if err != nil {
			panic(err)
		}
		program, err := goja.CompileAST(ast, true)
		if err != nil {
			panic(err)
		}
		return program
	})
}

// run gives what a shell makes of args.
func (r *realm) run(program *goja.Program, args ...goja.Value) *goja.Object {
	function, err := r.vm.RunProgram(program)
	if err != nil {
		panic(err)
	}
	return r.call(function, goja.Undefined(), args...).(*goja.Object)
}

// once gives member of what a shell makes, running the shell if it has not run yet.
func (r *realm) once(name, member string, make func() *goja.Object) goja.Value {
	made, ok := r.made[name]
	if !ok {
		made = make()
		r.made[name] = made
	}
	return made.(*goja.Object).Get(member)
}

// call calls a function value; what it throws goes on as it is.
func (r *realm) call(function, this goja.Value, args ...goja.Value) goja.Value {
	callable, ok := goja.AssertFunction(function)
	if !ok {
		panic(r.typeError("%s is not a function", r.show(function)))
	}
	value, err := callable(this, args...)
	if err != nil {
		panic(err)
	}
	return value
}

// construct is new constructor(...args).
func (r *realm) construct(constructor *goja.Object, args ...goja.Value) *goja.Object {
	object, err := r.vm.New(constructor, args...)
	if err != nil {
		panic(err)
	}
	return object
}

// native is a function implemented in Go.
type native = func(goja.FunctionCall) goja.Value

// function makes a JavaScript function of fn with a name and a length of its own; goja
// would give it the name of the Go function.
func (r *realm) function(name string, length int, fn native) *goja.Object {
	f := r.vm.ToValue(fn).(*goja.Object)
	f.DefineDataProperty("name", r.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	f.DefineDataProperty("length", r.vm.ToValue(length), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	return f
}

// adder is a global that is one function.
func adder(name string, length int, fn func(*realm, goja.FunctionCall) goja.Value) func(*realm) goja.Value {
	return func(r *realm) goja.Value {
		return r.function(name, length, func(call goja.FunctionCall) goja.Value { return fn(r, call) })
	}
}

// method puts a function on an object as built-in methods are: writable, not enumerable.
func (r *realm) method(on *goja.Object, name string, length int, fn native) {
	if on.Get(name) == nil {
		r.define(on, name, r.function(name, length, fn))
	}
}

func (r *realm) define(on *goja.Object, name string, value goja.Value) {
	on.DefineDataProperty(name, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}

// bag makes an object without prototype, for handing natives to a shell.
func (r *realm) bag(members map[string]any) *goja.Object {
	bag := r.vm.CreateObject(nil)
	for name, member := range members {
		if fn, ok := member.(native); ok {
			bag.Set(name, r.function(name, 0, fn))
		} else {
			bag.Set(name, member)
		}
	}
	return bag
}
