package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
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
		decoded, err := decodeJSON(v)
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

// maxJSONDepth is how deep args may nest.
const maxJSONDepth = 1000

// decodeJSON reads one JSON value as plain data that keeps the order of members.
func decodeJSON(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	value, err := decodeValue(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	return value, nil
}

func decodeValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxJSONDepth {
		return nil, errors.New("nested too deep")
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Number:
		if whole, err := t.Int64(); err == nil && t.String() != "-0" {
			return whole, nil
		}
		return t.Float64()
	case json.Delim:
		if t == '[' {
			items := []any{}
			for d.More() {
				item, err := decodeValue(d, depth+1)
				if err != nil {
					return nil, err
				}
				items = append(items, item)
			}
			_, err := d.Token()
			return items, err
		}
		members := op.Object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := decodeValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			members = append(members, op.Member{Name: name.(string), Value: value})
		}
		_, err := d.Token()
		return members, err
	}
	return token, nil
}

// exactInt gives a BigInt that fits 64 bits.
func exactInt(v goja.Value) (int64, bool) {
	n, ok := v.Export().(*big.Int)
	return n.Int64(), ok && n.IsInt64()
}
