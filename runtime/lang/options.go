package lang

import (
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// options are the members of an options object, each read once.
type options struct {
	*realm
	function string
	members  map[string]goja.Value
}

// options reads an options object. Members that the function does not know are refused:
// a misspelt option would be silently without effect.
func (r *realm) options(function string, v goja.Value, known ...string) options {
	o := options{r, function, map[string]goja.Value{}}
	object, ok := v.(*goja.Object)
	if !ok {
		if v != nil && !goja.IsUndefined(v) && !goja.IsNull(v) {
			r.invalid("%s: options must be an object, but %s came", function, r.show(v))
		}
		return o
	}
next:
	for _, name := range object.Keys() {
		for _, k := range known {
			if name == k {
				if value := object.Get(name); !goja.IsUndefined(value) {
					o.members[name] = value
				}
				continue next
			}
		}
		r.invalid("%s: there is no option %q; the options are %s", function, name, strings.Join(known, ", "))
	}
	return o
}

func (o options) flag(name string, otherwise bool) bool {
	v, ok := o.members[name]
	if !ok {
		return otherwise
	}
	b, ok := exported(v).(bool)
	if !ok {
		o.invalid("%s: options.%s must be true or false, but %s came", o.function, name, o.show(v))
	}
	return b
}

// character reads an option of one character, or of none.
func (o options) character(name, otherwise string) string {
	v, ok := o.members[name]
	if !ok {
		return otherwise
	}
	s := v.String()
	if !goja.IsString(v) || utf8.RuneCountInString(s) > 1 {
		o.invalid("%s: options.%s must be one character, but %s came", o.function, name, o.show(v))
	}
	return s
}

func (o options) count(name string, otherwise int) int {
	v, ok := o.members[name]
	if !ok {
		return otherwise
	}
	n, ok := exported(v).(int64)
	if !ok || n < 0 {
		o.invalid("%s: options.%s must be a whole number from 0, but %s came", o.function, name, o.show(v))
	}
	return int(n)
}

// exported gives a primitive as a Go value. An object is not looked into: exporting one
// copies all of it, and it may be an array of a billion holes.
func exported(v goja.Value) any {
	if _, ok := v.(*goja.Object); ok {
		return nil
	}
	return v.Export()
}
