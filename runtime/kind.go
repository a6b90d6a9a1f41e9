package runtime

import (
	"reflect"
	"strconv"
	"time"

	"github.com/dop251/goja"
)

// kind is what a JavaScript value is, as far as no script can pretend.
type kind int

const (
	kindUndefined kind = iota
	kindNull
	kindBool
	kindNumber
	kindBigInt
	kindString
	kindSymbol
	kindFunction
	kindArray
	kindObject // plain, or of some class
	kindDate
	kindError
	kindMap
	kindSet
	kindPromise
	kindBytes // ArrayBuffer, DataView or Uint8Array
	kindNumbers
	kindRegExp
	kindBoxed // new String, new Number, new Boolean
	kindNamespace
)

var (
	typePromise   = reflect.TypeFor[*goja.Promise]()
	typeTime      = reflect.TypeFor[time.Time]()
	typeBuffer    = reflect.TypeFor[goja.ArrayBuffer]()
	typeProxy     = reflect.TypeFor[goja.Proxy]()
	typeMap       = reflect.TypeFor[[][2]any]() // goja's own export types of Map
	typeSet       = reflect.TypeFor[[]any]()    // and of Set, which has no class name of its own
	typeNamespace = reflect.TypeFor[*namespace]()
)

// kindOf classifies a value. It runs no script, but throws for a revoked Proxy.
func kindOf(v goja.Value) kind {
	switch v := v.(type) {
	case nil:
		return kindUndefined
	case goja.String:
		return kindString
	case *goja.Symbol:
		return kindSymbol
	case *goja.Object:
		return kindOfObject(v)
	}
	switch {
	case goja.IsUndefined(v):
		return kindUndefined
	case goja.IsNull(v):
		return kindNull
	case goja.IsNumber(v):
		return kindNumber
	case goja.IsBigInt(v):
		return kindBigInt
	}
	return kindBool
}

func kindOfObject(o *goja.Object) kind {
	switch o.ClassName() {
	case "Array":
		return kindArray
	case "Date":
		return kindDate
	case "Error":
		return kindError
	case "RegExp":
		return kindRegExp
	case "String", "Number", "Boolean":
		return kindBoxed
	case "Function", "AsyncFunction", "GeneratorFunction":
		return kindFunction
	}
	t := o.ExportType()
	switch t {
	case nil:
		return kindObject
	case typePromise:
		return kindPromise
	case typeTime:
		return kindDate
	case typeBuffer:
		return kindBytes
	case typeMap:
		return kindMap
	case typeSet:
		return kindSet
	case typeNamespace:
		return kindNamespace
	case typeProxy:
		if proxy, ok := o.Export().(goja.Proxy); ok && proxy.Target() != nil && kindOfObject(proxy.Target()) == kindArray {
			return kindArray
		}
		return kindObject
	}
	switch t.Kind() {
	case reflect.Func:
		return kindFunction
	case reflect.Slice:
		switch t.Elem().Kind() {
		case reflect.Uint8:
			return kindBytes
		case reflect.Int8, reflect.Int16, reflect.Uint16, reflect.Int32, reflect.Uint32,
			reflect.Int64, reflect.Uint64, reflect.Float32, reflect.Float64:
			return kindNumbers
		}
	}
	return kindObject
}

// lengthOf is an array's length.
func lengthOf(o *goja.Object) int64 { return o.Get("length").ToInteger() }

// at is an array's element.
func at(o *goja.Object, index int64) goja.Value { return o.Get(strconv.FormatInt(index, 10)) }

// bytesOf gives the bytes of what is kindBytes. They are the script's own and change with it.
func bytesOf(o *goja.Object) []byte {
	switch b := o.Export().(type) {
	case goja.ArrayBuffer:
		return b.Bytes()
	case []byte:
		return b
	}
	return nil
}

// number gives a number as int64 where it is whole and was held so, else as float64.
func number(v goja.Value) any {
	switch n := v.Export().(type) {
	case int64:
		return n
	case float64:
		return n
	}
	return v.ToFloat()
}
