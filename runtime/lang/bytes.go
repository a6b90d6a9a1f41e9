package lang

import (
	"reflect"
	"strconv"
	"unsafe"

	"github.com/dop251/goja"
)

// bytes gives the memory behind an ArrayBuffer, a typed array or a DataView, not copied.
func (r *realm) bytes(v goja.Value) (data []byte, ok bool) {
	object, ok := v.(*goja.Object)
	if !ok {
		return nil, false
	}
	if buffer, ok := r.arrayBuffer(object); ok {
		return buffer.Bytes(), true
	}
	if view, ok := typedArrayBytes(object); ok {
		return view, true
	}
	return r.dataViewBytes(object)
}

var arrayBufferType = reflect.TypeFor[goja.ArrayBuffer]()

// typedArrayTypes are what goja exports typed arrays as.
var typedArrayTypes = map[reflect.Type]bool{
	reflect.TypeFor[[]byte](): true, reflect.TypeFor[[]int8](): true,
	reflect.TypeFor[[]uint16](): true, reflect.TypeFor[[]int16](): true,
	reflect.TypeFor[[]uint32](): true, reflect.TypeFor[[]int32](): true,
	reflect.TypeFor[[]float32](): true, reflect.TypeFor[[]float64](): true,
	reflect.TypeFor[[]int64](): true, reflect.TypeFor[[]uint64](): true,
}

// isTypedArray looks at the export type alone; an array that wraps a Go slice has another class.
func isTypedArray(object *goja.Object) bool {
	return typedArrayTypes[object.ExportType()] && object.ClassName() == "Object"
}

func (r *realm) arrayBuffer(object *goja.Object) (goja.ArrayBuffer, bool) {
	if object.ExportType() != arrayBufferType {
		return goja.ArrayBuffer{}, false
	}
	buffer, ok := object.Export().(goja.ArrayBuffer)
	return buffer, ok
}

// typedArrayBytes is the part of its buffer that a typed array shows.
func typedArrayBytes(object *goja.Object) (data []byte, ok bool) {
	if !isTypedArray(object) {
		return nil, false
	}
	// goja slices a detached buffer without looking. The script may have hidden the buffer
	// behind a member of its own; then it panics, and the checks of -race do not see it.
	if buffer, isObject := object.Get("buffer").(*goja.Object); isObject && buffer.ExportType() == arrayBufferType {
		if buffer.Export().(goja.ArrayBuffer).Detached() {
			return nil, true
		}
	}
	defer func() {
		if recover() != nil {
			data, ok = nil, true
		}
	}()
	switch view := object.Export().(type) {
	case []byte:
		return view, true
	case []int8:
		return raw(view), true
	case []uint16:
		return raw(view), true
	case []int16:
		return raw(view), true
	case []uint32:
		return raw(view), true
	case []int32:
		return raw(view), true
	case []float32:
		return raw(view), true
	case []float64:
		return raw(view), true
	case []int64:
		return raw(view), true
	case []uint64:
		return raw(view), true
	}
	return nil, false
}

// raw looks at numbers as the bytes they are in memory, which is what JavaScript defines.
func raw[T any](view []T) []byte {
	if len(view) == 0 {
		return nil
	}
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(&view[0])), len(view)*int(unsafe.Sizeof(one)))
}

func (r *realm) dataViewBytes(object *goja.Object) ([]byte, bool) {
	proto := r.intrinsic("DataView").Get("prototype").(*goja.Object)
	if object.Prototype() != proto {
		return nil, false
	}
	var data []byte
	ex := r.vm.Try(func() {
		buffer, _ := r.arrayBuffer(object.Get("buffer").(*goja.Object))
		offset, length := object.Get("byteOffset").ToInteger(), object.Get("byteLength").ToInteger()
		data = buffer.Bytes()[offset : offset+length]
	})
	return data, ex == nil
}

// text gives a value as a string with its UTF-16 units.
func (r *realm) text(v goja.Value) goja.String {
	if s, ok := v.ToString().(goja.String); ok {
		return s
	}
	return r.vm.ToValue(v.String()).(goja.String)
}

// uint8Array makes a Uint8Array that owns data.
func (r *realm) uint8Array(data []byte) *goja.Object {
	return r.construct(r.intrinsic("Uint8Array"), r.vm.ToValue(r.vm.NewArrayBuffer(data)))
}

// element is list[i].
func (r *realm) element(list *goja.Object, i int) goja.Value {
	if v := list.Get(strconv.Itoa(i)); v != nil {
		return v
	}
	return goja.Undefined()
}
