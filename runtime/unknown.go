package runtime

import (
	"strings"

	"github.com/dop251/goja"

	"github.com/sandboxd/sandboxd/problem"
)

// unknown is the function behind a name that is no operation, and behind the names below
// it, since it may have been meant as a namespace.
func (i *isolate) unknown(name string) goja.Value {
	function := i.function(name, func(goja.FunctionCall) goja.Value {
		message := name + " is not an operation"
		if nearest := i.cfg.Table.Nearest(name, 3); len(nearest) > 0 {
			message += "; did you mean " + strings.Join(nearest, " or ") + "?"
		} else if all := i.operationsBeside(name); 0 < len(all) && len(all) <= 6 {
			message += "; there are " + strings.Join(all, ", ")
		}
		panic(i.errorValue(problem.New(problem.UnknownOperation, "%s", message)))
	})
	below := i.vm.NewDynamicObject(belowUnknown{i, name})
	below.SetPrototype(function.Prototype())
	function.SetPrototype(below)
	return function
}

// belowUnknown stands behind the function of an unknown name and answers its members.
type belowUnknown struct {
	i    *isolate
	name string
}

var _ goja.DynamicObject = belowUnknown{}

// Get gives the unknown operation of the name below this one.
func (b belowUnknown) Get(key string) goja.Value {
	switch key {
	case "call", "apply", "bind":
		return nil
	}
	if inherits(key) {
		return nil
	}
	return b.i.unknown(b.name + "." + key)
}

func (b belowUnknown) Has(string) bool             { return false }
func (b belowUnknown) Set(string, goja.Value) bool { return false }
func (b belowUnknown) Delete(string) bool          { return false }
func (b belowUnknown) Keys() []string              { return nil }

// operationsBeside names the operations of a name's outermost namespace.
func (i *isolate) operationsBeside(name string) (names []string) {
	space, _, _ := strings.Cut(name, ".")
	for at := range i.cfg.Table {
		if strings.HasPrefix(i.cfg.Table[at].Name, space+".") {
			names = append(names, i.cfg.Table[at].Name)
		}
	}
	return names
}
