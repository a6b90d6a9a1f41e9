//go:build !nolibvips && (linux || darwin) && (amd64 || arm64)

package vips

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// gvalue is a GValue: a type and two words.
type gvalue [3]uint64

// calls are the C functions that are used. None is variadic.
type calls struct {
	setenv         func(name, value string, overwrite int32) int32
	init           func(name string) int32
	version        func(part int32) int32
	setConcurrency func(int32)
	cacheMax       func(int32)
	cacheMaxMem    func(uintptr)
	cacheMaxFiles  func(int32)
	blockUntrusted func(int32)
	blockSet       func(class string, state int32)
	logHandler     func(handler, data uintptr) uintptr

	errorCopy  func() uintptr
	errorClear func()
	free       func(uintptr)
	ref        func(uintptr) uintptr
	unref      func(uintptr)

	operationNew   func(name string) uintptr
	setFromString  func(object uintptr, name, value string) int32
	setProperty    func(object uintptr, name string, value *gvalue)
	getProperty    func(object uintptr, name string, value *gvalue)
	buildOperation func(operation *uintptr) int32
	unrefOutputs   func(object uintptr)

	valueInit      func(value *gvalue, kind uintptr) uintptr
	valueUnset     func(value *gvalue)
	valueSetObject func(value *gvalue, object uintptr)
	valueGetObject func(value *gvalue) uintptr
	valueSetBoxed  func(value *gvalue, boxed uintptr)
	valueGetBoxed  func(value *gvalue) uintptr
	valueGetInt    func(value *gvalue) int32

	imageType, sourceType, blobType, arrayImageType, arrayDoubleType func() uintptr
	typeFromName                                                     func(name string) uintptr

	sourceFromMemory func(data unsafe.Pointer, length uintptr) uintptr
	imageFromMemory  func(data unsafe.Pointer, length uintptr, width, height, bands, format int32) uintptr
	copyMemory       func(image uintptr) uintptr
	writeToMemory    func(image uintptr, size *uintptr) uintptr
	arrayImageNew    func(images *uintptr, n int32) uintptr
	areaUnref        func(area uintptr)
	blobGet          func(blob uintptr, length *uintptr) uintptr
	arrayDoubleGet   func(array uintptr, n *int32) *float64

	width, height, bands, format, interpretation, hasAlpha, pageHeight func(image uintptr) int32
	typeOf                                                             func(image uintptr, name string) uintptr
	setInt                                                             func(image uintptr, name string, value int32)
	setArrayInt                                                        func(image uintptr, name string, array *int32, n int32)
	remove                                                             func(image uintptr, name string) int32
	setKill                                                            func(image uintptr, kill int32)
}

func (c *calls) bind(lib uintptr) error {
	for name, fn := range map[string]any{
		"setenv": &c.setenv, "vips_init": &c.init, "vips_version": &c.version, "vips_concurrency_set": &c.setConcurrency,
		"vips_cache_set_max": &c.cacheMax, "vips_cache_set_max_mem": &c.cacheMaxMem, "vips_cache_set_max_files": &c.cacheMaxFiles,
		"vips_block_untrusted_set": &c.blockUntrusted, "vips_operation_block_set": &c.blockSet, "g_log_set_default_handler": &c.logHandler,
		"vips_error_buffer_copy": &c.errorCopy, "vips_error_clear": &c.errorClear, "g_free": &c.free, "g_object_ref": &c.ref, "g_object_unref": &c.unref,
		"vips_operation_new": &c.operationNew, "vips_object_set_argument_from_string": &c.setFromString,
		"g_object_set_property": &c.setProperty, "g_object_get_property": &c.getProperty,
		"vips_cache_operation_buildp": &c.buildOperation, "vips_object_unref_outputs": &c.unrefOutputs,
		"g_value_init": &c.valueInit, "g_value_unset": &c.valueUnset, "g_value_set_object": &c.valueSetObject, "g_value_get_object": &c.valueGetObject,
		"g_value_set_boxed": &c.valueSetBoxed, "g_value_get_boxed": &c.valueGetBoxed, "g_value_get_int": &c.valueGetInt,
		"vips_image_get_type": &c.imageType, "vips_source_get_type": &c.sourceType, "vips_blob_get_type": &c.blobType,
		"vips_array_image_get_type": &c.arrayImageType, "vips_array_double_get_type": &c.arrayDoubleType, "g_type_from_name": &c.typeFromName,
		"vips_source_new_from_memory": &c.sourceFromMemory, "vips_image_new_from_memory": &c.imageFromMemory,
		"vips_image_copy_memory": &c.copyMemory, "vips_image_write_to_memory": &c.writeToMemory,
		"vips_array_image_new": &c.arrayImageNew, "vips_area_unref": &c.areaUnref, "vips_blob_get": &c.blobGet, "vips_array_double_get": &c.arrayDoubleGet,
		"vips_image_get_width": &c.width, "vips_image_get_height": &c.height, "vips_image_get_bands": &c.bands, "vips_image_get_format": &c.format,
		"vips_image_get_interpretation": &c.interpretation, "vips_image_hasalpha": &c.hasAlpha, "vips_image_get_page_height": &c.pageHeight,
		"vips_image_get_typeof": &c.typeOf, "vips_image_set_int": &c.setInt, "vips_image_set_array_int": &c.setArrayInt,
		"vips_image_remove": &c.remove, "vips_image_set_kill": &c.setKill,
	} {
		f, err := purego.Dlsym(lib, name)
		if err != nil {
			return fmt.Errorf("it has no %s", name)
		}
		purego.RegisterFunc(fn, f)
	}
	return nil
}

// failure is what libvips says went wrong. Its buffer is shared by all threads.
func (c *calls) failure() error {
	p := c.errorCopy()
	if p == 0 {
		return errUntold
	}
	defer c.free(p)
	if reason := strings.TrimSpace(text(p)); reason != "" {
		return errors.New(reason)
	}
	return errUntold
}

// errUntold is a failure without a reason.
var errUntold = errors.New("libvips does not say why")

// text copies a C string.
func text(p uintptr) string {
	n := 0
	for *(*byte)(at(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(at(p, 0)), n))
}

// at is a place in C memory.
func at(p uintptr, offset int) unsafe.Pointer {
	return unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&p)), offset)
}

// bytesAt is C memory as a slice, valid until it is freed.
func bytesAt(p uintptr, n int) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(at(p, 0)), n)
}
