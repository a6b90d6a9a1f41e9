package lang

import (
	"crypto/rand"
	"io"
	"time"

	"github.com/dop251/goja"

	"github.com/sandboxd/sandboxd/problem"
)

// Options are what the language needs of its surroundings. The zero value is useful.
type Options struct {
	// Now is the clock of performance.now and of Intl.DateTimeFormat. Defaults to time.Now.
	Now func() time.Time
	// Random is the source of crypto. Defaults to crypto/rand.
	Random io.Reader
	// Source is the text of the script. Prototypes that it cannot reach, because no name of
	// theirs that is changed here is in it, are left alone, which halves the cost of a small
	// run. Defaults to changing them all.
	Source string
	// Throw turns a problem into the value that is thrown at the script. Defaults to an
	// Error with the members code and hint.
	Throw func(*problem.Error) goja.Value
}

// Install adds everything to a fresh runtime. It replaces the runtime's global object, so
// it must come before whatever else is put there.
//
// Prototypes that a script reaches without naming a global, by a literal for example, are
// changed here; everything else waits until its global is first looked up.
func Install(vm *goja.Runtime, opt Options) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Random == nil {
		opt.Random = rand.Reader
	}
	r := &realm{vm: vm, opt: opt, native: vm.GlobalObject(), start: opt.Now(), made: map[string]goja.Value{}, zones: map[string]namedZone{}}
	r.objectProto = r.native.Prototype()
	r.patchPrototypes()
	r.watchIterators()
	if r.mentions("split(/") {
		r.patchSplit()
	}
	r.native.SetPrototype(nil)
	lazy := vm.NewDynamicObject((*lazyGlobals)(r))
	lazy.SetPrototype(r.objectProto)
	r.global = vm.CreateObject(lazy)
	vm.SetGlobalObject(r.global)
}

// realm is one runtime with what has been made for it so far.
type realm struct {
	vm          *goja.Runtime
	opt         Options
	native      *goja.Object // goja's own global object
	global      *goja.Object // the one that the script sees
	objectProto *goja.Object
	start       time.Time
	made        map[string]goja.Value // results of shells, by name

	cloneDepth    int
	zones         map[string]namedZone
	plainNumbers  *numberFormat // of toLocaleString without arguments
	plainCollator *collator     // of localeCompare without arguments
}

// lazyGlobals stands between the global object and Object.prototype. A global that the
// script looks up for the first time is not on the global object yet and so ends here; it
// is made and put where it belongs.
type lazyGlobals realm

var _ goja.DynamicObject = (*lazyGlobals)(nil)

func (l *lazyGlobals) Get(name string) goja.Value { return (*realm)(l).lookup(name) }

func (l *lazyGlobals) Has(name string) bool {
	if _, ours := added[name]; ours {
		return true
	}
	return l.native.Get(name) != nil
}

// Set and Delete are never reached: the object stands behind the global object, and an
// assignment to a global lands in front of it.
func (l *lazyGlobals) Set(string, goja.Value) bool { return false }
func (l *lazyGlobals) Delete(string) bool          { return false }
func (l *lazyGlobals) Keys() []string              { return nil }

// lookup makes a global on its first use. The answer is nil if there is none of the name.
func (r *realm) lookup(name string) goja.Value {
	if make, ours := added[name]; ours {
		value := make(r)
		r.global.DefineDataProperty(name, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
		return value
	}
	value := r.native.Get(name)
	if value == nil {
		return nil
	}
	if amend, ours := amended[name]; ours {
		value = amend(r, value.(*goja.Object))
	}
	free := goja.FLAG_TRUE
	if name == "undefined" || name == "NaN" || name == "Infinity" {
		free = goja.FLAG_FALSE
	}
	r.global.DefineDataProperty(name, value, free, free, goja.FLAG_FALSE)
	return value
}

// intrinsic gives one of goja's own globals, whatever the script did to its name.
func (r *realm) intrinsic(name string) *goja.Object { return r.native.Get(name).(*goja.Object) }
