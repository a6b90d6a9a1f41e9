package lang

import (
	"github.com/dop251/goja"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

func argument(args []goja.Value, i int) goja.Value {
	if i < len(args) {
		return args[i]
	}
	return goja.Undefined()
}

// numberToLocaleString is Number.prototype.toLocaleString.
func (r *realm) numberToLocaleString(this goja.Value, args []goja.Value) goja.Value {
	if object, ok := this.(*goja.Object); ok && object.ClassName() == "Number" {
		this = r.call(r.member("Number", "valueOf"), object)
	}
	if !goja.IsNumber(this) {
		panic(r.typeError("Number.prototype.toLocaleString requires that 'this' be a Number"))
	}
	return r.vm.ToValue(r.numberFormatFor(args).format(r.numeric(this)))
}

func (r *realm) bigintToLocaleString(this goja.Value, args []goja.Value) goja.Value {
	if object, ok := this.(*goja.Object); ok && object.ClassName() == "BigInt" {
		this = r.call(r.member("BigInt", "valueOf"), object)
	}
	if !goja.IsBigInt(this) {
		panic(r.typeError("BigInt.prototype.toLocaleString requires that 'this' be a BigInt"))
	}
	return r.vm.ToValue(r.numberFormatFor(args).format(r.numeric(this)))
}

// numberFormatFor keeps the format of the commonest call, the one without arguments.
func (r *realm) numberFormatFor(args []goja.Value) *numberFormat {
	locales, options := argument(args, 0), argument(args, 1)
	if !goja.IsUndefined(locales) || !goja.IsUndefined(options) {
		return r.newNumberFormat(locales, options)
	}
	if r.plainNumbers == nil {
		r.plainNumbers = r.newNumberFormat(locales, options)
	}
	return r.plainNumbers
}

// dateToLocaleString is toLocaleString, toLocaleDateString and toLocaleTimeString of Date.
func (r *realm) dateToLocaleString(this goja.Value, args []goja.Value, required, defaults string) goja.Value {
	object, ok := this.(*goja.Object)
	if !ok || object.ClassName() != "Date" {
		panic(r.typeError("this is not a Date object."))
	}
	at, ok := r.instant(object)
	if !ok {
		return r.vm.ToValue("Invalid Date")
	}
	f := r.newDateFormat(argument(args, 0), argument(args, 1), required, defaults)
	return r.vm.ToValue(f.format(r, at))
}

// localeCase is toLocaleLowerCase and toLocaleUpperCase: few languages have rules of their own.
func (r *realm) localeCase(this goja.Value, args []goja.Value, upper bool) goja.Value {
	tag := language.Und
	if requested := r.requested(argument(args, 0)); len(requested) > 0 {
		tag = language.Make(requested[0])
	}
	if upper {
		return r.vm.ToValue(cases.Upper(tag).String(this.String()))
	}
	return r.vm.ToValue(cases.Lower(tag).String(this.String()))
}

// localeCompare is String.prototype.localeCompare.
func (r *realm) localeCompare(this goja.Value, args []goja.Value) goja.Value {
	locales, options := argument(args, 1), argument(args, 2)
	var c *collator
	if goja.IsUndefined(locales) && goja.IsUndefined(options) {
		if r.plainCollator == nil {
			r.plainCollator = r.newCollator(locales, options)
		}
		c = r.plainCollator
	} else {
		c = r.newCollator(locales, options)
	}
	return r.vm.ToValue(c.compare(this.String(), argument(args, 0).String()))
}
