package lang

import (
	"bytes"
	"reflect"
	"unicode/utf8"

	"github.com/dop251/goja"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

var textShell = shell("text")

func makeText(member string) func(*realm) goja.Value {
	return func(r *realm) goja.Value {
		return r.once("text", member, func() *goja.Object {
			return r.run(textShell(), r.bag(map[string]any{
				"encode":     r.encodeText,
				"encodeInto": r.encodeTextInto,
				"decoder":    r.newTextDecoder,
			}))
		})
	}
}

func (r *realm) encodeText(call goja.FunctionCall) goja.Value {
	return r.uint8Array([]byte(call.Argument(0).String()))
}

// encodeTextInto answers {read, written}: UTF-16 units read and bytes written.
func (r *realm) encodeTextInto(call goja.FunctionCall) goja.Value {
	source := call.Argument(0).String()
	target, _ := call.Argument(1).(*goja.Object)
	if target == nil || !isTypedArray(target) || target.ExportType() != reflect.TypeFor[[]byte]() {
		panic(r.typeError(`The "dest" argument must be an instance of Uint8Array.`))
	}
	into, _ := r.bytes(target)
	read, written := 0, 0
	for _, c := range source {
		n := utf8.RuneLen(c)
		if written+n > len(into) {
			break
		}
		utf8.EncodeRune(into[written:], c)
		written += n
		read++
		if c > 0xFFFF {
			read++
		}
	}
	result := r.vm.NewObject()
	result.Set("read", read)
	result.Set("written", written)
	return result
}

// textDecoder is the state of a TextDecoder between the chunks of a stream.
type textDecoder struct {
	name      string
	encoding  encoding.Encoding
	fatal     bool
	ignoreBOM bool

	decoder transform.Transformer // nil between streams
	pending []byte                // bytes of a character that has not ended
	started bool                  // past the place of a byte order mark
}

// newTextDecoder answers the canonical name and the function that decodes one chunk.
func (r *realm) newTextDecoder(call goja.FunctionCall) goja.Value {
	label := call.Argument(0).String()
	found, err := htmlindex.Get(label)
	name, _ := htmlindex.Name(found)
	if err != nil || name == "replacement" || name == "x-user-defined" {
		panic(r.rangeError("The %q encoding is not supported", label))
	}
	d := &textDecoder{name: name, encoding: found, fatal: call.Argument(1).ToBoolean(), ignoreBOM: call.Argument(2).ToBoolean()}
	switch name {
	case "utf-8":
		d.encoding = unicode.UTF8
	case "utf-16le":
		d.encoding = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "utf-16be":
		d.encoding = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return r.vm.NewArray(name, r.function("decode", 2, func(call goja.FunctionCall) goja.Value {
		var data []byte
		if input := call.Argument(0); !goja.IsUndefined(input) {
			var ok bool
			if data, ok = r.bytes(input); !ok {
				panic(r.typeError("TextDecoder.decode takes an ArrayBuffer, a typed array or a DataView, not %s", r.show(input)))
			}
		}
		text, ok := d.decode(data, call.Argument(1).ToBoolean())
		if !ok {
			panic(r.typeError("The encoded data was not valid for encoding %s", d.name))
		}
		return r.vm.ToValue(text)
	}))
}

func (d *textDecoder) decode(chunk []byte, more bool) (text string, ok bool) {
	if d.decoder == nil {
		d.decoder = d.encoding.NewDecoder().Transformer
		d.pending, d.started = nil, false
	}
	src := append(d.pending, chunk...)
	out, rest := transformAll(d.decoder, src, !more)
	if d.fatal && !d.valid(src[:len(src)-rest], out) {
		d.decoder = nil
		return "", false
	}
	d.pending = bytes.Clone(src[len(src)-rest:])
	if !d.started && len(out) > 0 {
		d.started = true
		if !d.ignoreBOM && len(d.name) > 4 && d.name[:4] == "utf-" {
			out = bytes.TrimPrefix(out, []byte("\uFEFF"))
		}
	}
	if !more {
		d.decoder = nil
	}
	return string(out), true
}

// transformAll runs a transformer over src and says how many bytes at its end must wait
// for more input.
func transformAll(t transform.Transformer, src []byte, atEOF bool) (out []byte, rest int) {
	out = make([]byte, 0, len(src)+len(src)/2+16)
	for {
		nDst, nSrc, err := t.Transform(out[len(out):cap(out)], src, atEOF)
		out = out[:len(out)+nDst]
		src = src[nSrc:]
		switch err {
		case transform.ErrShortDst:
			out = append(make([]byte, 0, 2*cap(out)+64), out...)
		default: // done, or transform.ErrShortSrc
			return out, len(src)
		}
	}
}

// valid tells replacement characters that decoding put in from those that were there.
func (d *textDecoder) valid(src, out []byte) bool {
	replaced := bytes.Count(out, []byte("\uFFFD"))
	switch d.name {
	case "utf-8":
		return utf8.Valid(src)
	case "utf-16le":
		return replaced == countUnit(src, 0xFD, 0xFF)
	case "utf-16be":
		return replaced == countUnit(src, 0xFF, 0xFD)
	}
	return replaced == 0
}

func countUnit(src []byte, first, second byte) (n int) {
	for i := 0; i+1 < len(src); i += 2 {
		if src[i] == first && src[i+1] == second {
			n++
		}
	}
	return n
}
