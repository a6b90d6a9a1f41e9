//go:build !nolibvips && (linux || darwin) && (amd64 || arm64)

package vips

import (
	"fmt"
	"strconv"
	"strings"
)

// operation is one libvips operation with its arguments, on its way to being run.
type operation struct {
	s    *session
	name string
	ptr  uintptr
	err  error
}

// op begins an operation.
func (s *session) op(name string) *operation {
	o := &operation{s: s, name: name, ptr: s.v.operationNew(name)}
	if o.ptr == 0 {
		o.err = fmt.Errorf("%s: %w", name, s.v.failure())
	}
	return o
}

// object gives an argument that is an image or a source.
func (o *operation) object(name string, kind, object uintptr) *operation {
	if o.err == nil {
		var value gvalue
		o.s.v.valueInit(&value, kind)
		o.s.v.valueSetObject(&value, object)
		o.s.v.setProperty(o.ptr, name, &value)
		o.s.v.valueUnset(&value)
	}
	return o
}

func (o *operation) image(name string, image uintptr) *operation {
	return o.object(name, o.s.v.imageType(), image)
}

// images gives an argument that is an array of images.
func (o *operation) images(name string, list []uintptr) *operation {
	if o.err == nil {
		array := o.s.v.arrayImageNew(&list[0], int32(len(list)))
		var value gvalue
		o.s.v.valueInit(&value, o.s.v.arrayImageType())
		o.s.v.valueSetBoxed(&value, array)
		o.s.v.setProperty(o.ptr, name, &value)
		o.s.v.valueUnset(&value)
		o.s.v.areaUnref(array)
	}
	return o
}

// set gives any other argument: a number, a truth, an enumeration's nickname, numbers.
func (o *operation) set(name string, value any) *operation {
	if o.err != nil {
		return o
	}
	var text string
	switch value := value.(type) {
	case string:
		text = value
	case int:
		text = strconv.Itoa(value)
	case bool:
		text = strconv.FormatBool(value)
	case float64:
		text = strconv.FormatFloat(value, 'g', -1, 64)
	case []float64:
		list := make([]string, len(value))
		for i, n := range value {
			list[i] = strconv.FormatFloat(n, 'g', -1, 64)
		}
		text = strings.Join(list, " ")
	default:
		panic(fmt.Sprintf("vips: %s of %s is a %T", name, o.name, value))
	}
	if o.s.v.setFromString(o.ptr, name, text) != 0 {
		o.err = fmt.Errorf("%s: %s: %w", o.name, name, o.s.v.failure())
	}
	return o
}

// run builds the operation, hands it to read, and lets it go.
func (o *operation) run(read func()) error {
	if o.ptr == 0 {
		return o.err
	}
	if o.err == nil {
		if o.s.v.buildOperation(&o.ptr) != 0 {
			o.err = fmt.Errorf("%s: %w", o.name, o.s.v.failure())
		} else {
			read()
		}
	}
	o.s.v.unrefOutputs(o.ptr)
	o.s.v.unref(o.ptr)
	o.ptr = 0
	return o.err
}

// out runs the operation for its image, which the session keeps.
func (o *operation) out() (image uintptr, err error) {
	err = o.run(func() {
		var value gvalue
		o.s.v.valueInit(&value, o.s.v.imageType())
		o.s.v.getProperty(o.ptr, "out", &value)
		image = o.s.keep(o.s.v.ref(o.s.v.valueGetObject(&value)))
		o.s.v.valueUnset(&value)
	})
	return image, err
}

// number reads a whole number of an operation that has run.
func (o *operation) number(name string) int {
	var value gvalue
	o.s.v.valueInit(&value, intType)
	defer o.s.v.valueUnset(&value)
	o.s.v.getProperty(o.ptr, name, &value)
	return int(o.s.v.valueGetInt(&value))
}

// intType is G_TYPE_INT, a fundamental type of glib: 6 << 2.
const intType = 6 << 2

// numbers reads an array of an operation that has run.
func (o *operation) numbers(name string) []float64 {
	var value gvalue
	o.s.v.valueInit(&value, o.s.v.arrayDoubleType())
	defer o.s.v.valueUnset(&value)
	o.s.v.getProperty(o.ptr, name, &value)
	array := o.s.v.valueGetBoxed(&value)
	if array == 0 {
		return nil
	}
	var n int32
	first := o.s.v.arrayDoubleGet(array, &n)
	return append([]float64(nil), sliceOf(first, int(n))...)
}
