package lang

import (
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja"
)

var prototypesShell = shell("prototypes")

// patchPrototypes changes what a script reaches by a literal. Only goja's templated
// prototypes are touched, which are cheap to bring into being.
func (r *realm) patchPrototypes() {
	if !r.mentions("ocale", "ellFormed") {
		return
	}
	patches := r.run(prototypesShell(), r.vm.ToValue(r.prototypeCall))
	for _, class := range []string{"Number", "BigInt", "Array", "Date", "String"} {
		prototype := r.intrinsic(class).Get("prototype").(*goja.Object)
		methods := patches.Get(class).(*goja.Object)
		for _, name := range methods.Keys() {
			r.define(prototype, name, methods.Get(name))
		}
	}
}

// mentions tells whether the script may spell one of the words.
func (r *realm) mentions(words ...string) bool {
	if r.opt.Source == "" {
		return true
	}
	for _, word := range words {
		if strings.Contains(r.opt.Source, word) {
			return true
		}
	}
	return false
}

// prototypeCall is the Go side of js/prototypes.js: (method, this, ...arguments).
func (r *realm) prototypeCall(call goja.FunctionCall) goja.Value {
	this, args := call.Argument(1), call.Arguments[2:]
	switch call.Argument(0).ToInteger() {
	case 0:
		return r.numberToLocaleString(this, args)
	case 1:
		return r.bigintToLocaleString(this, args)
	case 2:
		return r.dateToLocaleString(this, args, "any", "all")
	case 3:
		return r.dateToLocaleString(this, args, "date", "date")
	case 4:
		return r.dateToLocaleString(this, args, "time", "time")
	case 5:
		return r.localeCompare(this, args)
	case 6:
		return r.vm.ToValue(wellFormed(r.text(this)))
	case 7:
		return r.toWellFormed(r.text(this))
	case 8:
		return r.localeCase(this, args, false)
	case 9:
		return r.localeCase(this, args, true)
	}
	panic("unreachable")
}

func wellFormed(s goja.String) bool {
	for i, n := 0, s.Length(); i < n; i++ {
		unit := s.CharAt(i)
		switch {
		case unit >= 0xD800 && unit < 0xDC00 && i+1 < n && s.CharAt(i+1) >= 0xDC00 && s.CharAt(i+1) < 0xE000:
			i++
		case utf16.IsSurrogate(rune(unit)):
			return false
		}
	}
	return true
}

// toWellFormed replaces lone surrogates, as the way through UTF-8 does by itself.
func (r *realm) toWellFormed(s goja.String) goja.Value {
	if wellFormed(s) {
		return s
	}
	return r.vm.ToValue(s.String())
}
