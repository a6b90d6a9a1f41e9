package lang

import (
	"math"
	"strings"

	"github.com/dop251/goja"
)

// intlOptions reads an options object as ECMA-402 does: each member once, by name.
type intlOptions struct {
	*realm
	class  string // for messages
	object *goja.Object
}

func (r *realm) intlOptions(class string, v goja.Value) intlOptions {
	o := intlOptions{realm: r, class: class}
	switch v := v.(type) {
	case nil:
	case *goja.Object:
		o.object = v
	default:
		if goja.IsNull(v) {
			panic(r.typeError("Cannot convert undefined or null to object"))
		}
	}
	return o
}

func (o intlOptions) get(name string) goja.Value {
	if o.object == nil {
		return nil
	}
	v := o.object.Get(name)
	if v == nil || goja.IsUndefined(v) {
		return nil
	}
	return v
}

// oneOf reads a string option. The first of values is not the default; otherwise is.
func (o intlOptions) oneOf(name, otherwise string, values ...string) string {
	v := o.get(name)
	if v == nil {
		return otherwise
	}
	s := v.String()
	for _, value := range values {
		if s == value {
			return s
		}
	}
	panic(o.rangeError("Value %s out of range for %s options property %s (one of %s)", s, o.class, name, strings.Join(values, ", ")))
}

// integer reads a number option within bounds; ok is false if it is not given.
func (o intlOptions) integer(name string, lo, hi int) (n int, ok bool) {
	v := o.get(name)
	if v == nil {
		return 0, false
	}
	f := v.ToFloat()
	if math.IsNaN(f) || f < float64(lo) || f > float64(hi) {
		panic(o.rangeError("%s value is out of range.", name))
	}
	return int(math.Floor(f)), true
}

func (o intlOptions) boolean(name string) (value, ok bool) {
	v := o.get(name)
	if v == nil {
		return false, false
	}
	return v.ToBoolean(), true
}

// refuse throws for options that exist in the standard and not here, unless they are asked
// for what happens anyway.
func (o intlOptions) refuse(name string, harmless ...string) {
	v := o.get(name)
	if v == nil {
		return
	}
	for _, h := range harmless {
		if v.String() == h {
			return
		}
	}
	panic(o.unsupported("The %s option %s: %s", o.class, name, o.show(v)))
}
