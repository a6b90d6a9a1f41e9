package lang

import "github.com/dop251/goja"

// amendObject adds Object.groupBy.
func amendObject(r *realm, object *goja.Object) goja.Value {
	r.method(object, "groupBy", 2, func(call goja.FunctionCall) goja.Value {
		type group struct {
			key    goja.Value
			values []any
		}
		var order []*group
		groups := map[any]*group{}
		r.groupEach(call, func(key, item goja.Value) {
			var id any = key
			if symbol, ok := key.(*goja.Symbol); !ok {
				key = key.ToString()
				id = key.Export()
			} else {
				id = symbol
			}
			g := groups[id]
			if g == nil {
				g = &group{key: key}
				groups[id] = g
				order = append(order, g)
			}
			g.values = append(g.values, item)
		})
		result := r.vm.CreateObject(nil)
		for _, g := range order {
			values := r.vm.NewArray(g.values...)
			if symbol, ok := g.key.(*goja.Symbol); ok {
				result.SetSymbol(symbol, values)
			} else {
				result.Set(g.key.String(), values)
			}
		}
		return result
	})
	return object
}

// amendMap adds Map.groupBy.
func amendMap(r *realm, class *goja.Object) goja.Value {
	r.method(class, "groupBy", 2, func(call goja.FunctionCall) goja.Value {
		result := r.construct(class)
		get, set, push := r.member("Map", "get"), r.member("Map", "set"), r.member("Array", "push")
		r.groupEach(call, func(key, item goja.Value) {
			values := r.call(get, result, key)
			if goja.IsUndefined(values) {
				r.call(set, result, key, r.vm.NewArray(item))
				return
			}
			r.call(push, values, item)
		})
		return result
	})
	return class
}

func (r *realm) groupEach(call goja.FunctionCall, add func(key, item goja.Value)) {
	items, callback := call.Argument(0), call.Argument(1)
	if goja.IsUndefined(items) || goja.IsNull(items) {
		panic(r.typeError("%s is not iterable", items))
	}
	if _, ok := goja.AssertFunction(callback); !ok {
		panic(r.typeError("%s is not a function", r.show(callback)))
	}
	index := 0
	r.vm.ForOf(items, func(item goja.Value) bool {
		add(r.call(callback, goja.Undefined(), item, r.vm.ToValue(index)), item)
		index++
		return true
	})
}
