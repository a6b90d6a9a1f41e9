package lang

import (
	"encoding/base64"
	"strings"

	"github.com/dop251/goja"
)

// btoa encodes a string of code units below 256 as base64.
func btoa(r *realm, call goja.FunctionCall) goja.Value {
	if len(call.Arguments) == 0 {
		panic(r.missing("input"))
	}
	s := r.text(call.Arguments[0])
	data := make([]byte, s.Length())
	for i := range data {
		unit := s.CharAt(i)
		if unit > 0xFF {
			panic(r.domError("InvalidCharacterError", "Invalid character: btoa takes characters up to U+00FF; encode text with TextEncoder first"))
		}
		data[i] = byte(unit)
	}
	return r.vm.ToValue(base64.StdEncoding.EncodeToString(data))
}

// atob is the forgiving-base64 decode of https://infra.spec.whatwg.org/#forgiving-base64-decode.
func atob(r *realm, call goja.FunctionCall) goja.Value {
	if len(call.Arguments) == 0 {
		panic(r.missing("input"))
	}
	text := strings.Map(func(c rune) rune {
		switch c {
		case ' ', '\t', '\n', '\f', '\r':
			return -1
		}
		return c
	}, call.Arguments[0].String())
	if len(text)%4 == 0 {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	}
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		panic(r.domError("InvalidCharacterError", "The string to be decoded is not correctly encoded."))
	}
	return r.latin1(data)
}

// latin1 is the string whose code units are the bytes of data.
func (r *realm) latin1(data []byte) goja.Value {
	units := make([]uint16, len(data))
	for i, b := range data {
		units[i] = uint16(b)
	}
	return goja.StringFromUTF16(units)
}
