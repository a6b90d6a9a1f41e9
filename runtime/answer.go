package runtime

import (
	"encoding/json"
	"math/big"

	"github.com/dop251/goja"

	"github.com/sandboxd/sandboxd/op"
)

// valueOf builds the JavaScript value of plain Go data: real arrays and objects with no Go
// value behind them. Members are defined rather than assigned, so that neither a setter
// that a script put on Object.prototype nor the name __proto__ means anything.
func (i *isolate) valueOf(plain any) goja.Value {
	switch v := plain.(type) {
	case nil:
		return goja.Null()
	case []byte:
		array, err := i.vm.New(i.vm.GlobalObject().Get("Uint8Array"), i.vm.ToValue(i.vm.NewArrayBuffer(v)))
		if err != nil {
			panic(err)
		}
		return array
	case []any:
		return arrayOf(i, v)
	case []string:
		return arrayOf(i, v)
	case [][]any:
		return arrayOf(i, v)
	case op.Object:
		object := i.vm.NewObject()
		for _, m := range v {
			object.DefineDataProperty(m.Name, i.valueOf(m.Value), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		}
		return object
	case json.RawMessage:
		decoded, err := op.DecodeJSON(v)
		if err != nil {
			return goja.Null()
		}
		return i.valueOf(decoded)
	}
	return i.vm.ToValue(plain)
}

func arrayOf[T any](i *isolate, items []T) goja.Value {
	values := make([]any, len(items))
	for at, item := range items {
		values[at] = i.valueOf(item)
	}
	return i.vm.NewArray(values...)
}

// exactInt gives a BigInt that fits 64 bits.
func exactInt(v goja.Value) (int64, bool) {
	n, ok := v.Export().(*big.Int)
	return n.Int64(), ok && n.IsInt64()
}
