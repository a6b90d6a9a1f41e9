package runtime

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/dop251/goja"

	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// maxAtOnce is how many operations of a run are at work at the same time; more wait.
const maxAtOnce = 64

// addNamespaces adds files, db, state and whatever else the table names to the globals.
func (i *isolate) addNamespaces(make map[string]func() goja.Value) {
	last := ""
	for at := range i.cfg.Table {
		o := &i.cfg.Table[at]
		name, _, within := strings.Cut(o.Name, ".")
		switch {
		case name == last: // the table is in the order of namespaces, mostly
		case !within:
			make[name] = func() goja.Value { return i.global(name, i.operation(o)) }
		case make[name] == nil:
			make[name] = func() goja.Value { return i.guarded(name) }
		}
		last = name
	}
}

// guarded makes a namespace that cannot be assigned to by accident, as in
// `files = await files.list()`. A variable of the script may have its name.
func (i *isolate) guarded(name string) goja.Value {
	object := i.namespace(name)
	get := i.vm.ToValue(func(goja.FunctionCall) goja.Value { return object })
	set := i.vm.ToValue(func(goja.FunctionCall) goja.Value {
		panic(i.vm.NewTypeError("%s is the sandbox's own; declare a variable of your own: const my_%s = …", name, name))
	})
	i.vm.GlobalObject().DefineAccessorProperty(name, get, set, goja.FLAG_FALSE, goja.FLAG_FALSE)
	return object
}

// namespace is the object behind files or files.spreadsheet. Its members are made when
// they are first named.
type namespace struct {
	i       *isolate
	name    string
	members map[string]goja.Value
}

var _ goja.DynamicObject = (*namespace)(nil)

func (i *isolate) namespace(name string) *goja.Object {
	return i.vm.NewDynamicObject(&namespace{i: i, name: name, members: map[string]goja.Value{}})
}

// Get gives an operation or a namespace below this one. A name that is neither gives a
// function that says so when it is called, with the names that may have been meant.
func (n *namespace) Get(key string) goja.Value {
	if value, ok := n.members[key]; ok {
		return value
	}
	full := n.name + "." + key
	var value goja.Value
	if o, ok := n.i.cfg.Table.Lookup(full); ok {
		value = n.i.operation(o)
	} else if n.Has(key) {
		value = n.i.namespace(full)
	} else if inherits(key) {
		return nil
	} else {
		value = n.i.unknown(full)
	}
	n.members[key] = value
	return value
}

// inherits names what JavaScript itself asks of objects.
func inherits(key string) bool {
	switch key {
	case "then", "toJSON", "constructor", "toString", "toLocaleString", "valueOf", "hasOwnProperty",
		"isPrototypeOf", "propertyIsEnumerable", "__proto__", "inspect", "length", "name", "prototype":
		return true
	}
	return key == "" || strings.HasPrefix(key, "__")
}

// Has tells whether there is an operation or a namespace of this name.
func (n *namespace) Has(key string) bool {
	full := n.name + "." + key
	for i := range n.i.cfg.Table {
		name := n.i.cfg.Table[i].Name
		if name == full || len(name) > len(full) && name[len(full)] == '.' && name[:len(full)] == full {
			return true
		}
	}
	return false
}

// Keys lists the members in the order of the table.
func (n *namespace) Keys() []string {
	var keys []string
	seen := map[string]bool{}
	for i := range n.i.cfg.Table {
		rest, ok := strings.CutPrefix(n.i.cfg.Table[i].Name, n.name+".")
		if !ok {
			continue
		}
		key, _, _ := strings.Cut(rest, ".")
		if !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	return keys
}

// Set refuses: a script that assigns to files.list has made a mistake.
func (n *namespace) Set(key string, _ goja.Value) bool {
	panic(n.i.vm.NewTypeError("%s.%s cannot be assigned to: %s is the sandbox's own", n.name, key, n.name))
}

// Delete refuses.
func (n *namespace) Delete(string) bool { return false }

// operation is the JavaScript function of an operation: it reads its arguments once, and
// answers a promise that the operation's own goroutine settles through the loop.
func (i *isolate) operation(o *op.Operation) goja.Value {
	return i.function(o.Name, func(call goja.FunctionCall) goja.Value {
		i.count(o.Name)
		promise, resolve, reject := i.vm.NewPromise()
		value := i.vm.ToValue(promise)
		site := i.vm.CaptureCallStack(0, nil)
		fail := func(p *problem.Error) {
			i.report(reject(i.operationError(p, o.Name, site)))
		}
		args, failure := i.arguments(o.Name, call.Arguments)
		if failure != nil {
			fail(failure)
			return value
		}
		in, failure := o.BindJS(args)
		if failure != nil {
			fail(failure)
			return value
		}
		i.recent.add(o.Name, promise, site)

		var out any
		var err error
		i.loop.start(i.inOrder(o, func() {
			select {
			case i.slots <- struct{}{}:
				defer func() { <-i.slots }()
				out, err = i.perform(o, in)
			case <-i.ctx.Done():
				err = endOf(i.ctx)
			}
		}), func() {
			if err != nil {
				fail(problem.From(err))
				return
			}
			i.report(resolve(i.valueOf(out)))
		})
		return value
	})
}

// perform runs an operation to its plain result. A panic in it is its own error: parsers
// of hostile files do panic.
func (i *isolate) perform(o *op.Operation, in op.Input) (out any, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = problem.New(problem.Internal, "%s failed unexpectedly", o.Name).
				WithHint("The file may be damaged, or hit a fault of its parser; the operator's log has the cause.").
				WithCause(fmt.Errorf("panic in %s: %v\n%s", o.Name, x, debug.Stack()))
		}
	}()
	answer, err := o.Call(i.ctx, i.cfg.Env, in)
	if err != nil {
		return nil, err
	}
	return o.ResultJS(answer), nil
}

// count counts a call, and ends the run at one too many: the error is set, so that no
// catch makes it undone, and the interrupt stops whatever would go on.
func (i *isolate) count(name string) {
	if i.callCount >= i.cfg.Limits.HostCalls {
		i.end(problem.New(problem.CallLimit, "the run made more than %d calls", i.cfg.Limits.HostCalls))
	}
	i.callCount++
	i.calls[name]++
	if i.cfg.Counted != nil {
		i.cfg.Counted(name)
	}
}

// end ends the run with p from inside a native function. It does not return.
func (i *isolate) end(p *problem.Error) {
	if i.loop.fatal == nil {
		i.loop.fatal = i.placed(p, i.vm.CaptureCallStack(0, nil))
	}
	i.vm.Interrupt(stopped{i.loop.fatal})
	panic(i.vm.NewTypeError("%s", p.Message))
}

// report remembers an error that no script could catch, met while a promise was settled.
func (i *isolate) report(err error) {
	if err != nil && i.loop.fatal == nil {
		i.loop.fatal = i.problemOf(err)
	}
}
