package lang

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"io"
	"reflect"
	"strings"

	"github.com/dop251/goja"
	"github.com/google/uuid"
)

var cryptoShell = shell("crypto")

// makeCrypto gives randomUUID, getRandomValues and subtle.digest of the Web Cryptography API.
func makeCrypto(r *realm) goja.Value {
	return r.run(cryptoShell(), r.bag(map[string]any{
		"randomUUID": func(goja.FunctionCall) goja.Value {
			id, err := uuid.NewRandomFromReader(r.opt.Random)
			if err != nil {
				panic(r.domError("OperationError", "no randomness is available"))
			}
			return r.vm.ToValue(id.String())
		},
		"fill":   r.fillRandom,
		"digest": r.digest,
	}), r.intrinsic("Promise"))
}

var floatTypes = map[reflect.Type]bool{reflect.TypeFor[[]float32](): true, reflect.TypeFor[[]float64](): true}

func (r *realm) fillRandom(call goja.FunctionCall) goja.Value {
	object, _ := call.Argument(0).(*goja.Object)
	if object == nil || !isTypedArray(object) || floatTypes[object.ExportType()] {
		panic(r.domError("TypeMismatchError", "The data argument must be an integer-type TypedArray"))
	}
	data, _ := r.bytes(object)
	if len(data) > 65536 {
		panic(r.domError("QuotaExceededError", "The requested length exceeds 65,536 bytes"))
	}
	if _, err := io.ReadFull(r.opt.Random, data); err != nil {
		panic(r.domError("OperationError", "no randomness is available"))
	}
	return object
}

// digest hashes bytes, or the UTF-8 of a string, which the standard does not take but
// scripts pass. MD5 is not of the standard either; files are compared by it all the same.
func (r *realm) digest(call goja.FunctionCall) goja.Value {
	algorithm := call.Argument(0)
	if object, ok := algorithm.(*goja.Object); ok {
		if name := object.Get("name"); name != nil {
			algorithm = name
		}
	}
	data, ok := r.bytes(call.Argument(1))
	if !ok {
		if !goja.IsString(call.Argument(1)) {
			panic(r.typeError("crypto.subtle.digest: the data must be an ArrayBuffer, a typed array or a string, not %s", r.show(call.Argument(1))))
		}
		data = []byte(call.Argument(1).String())
	}
	var sum []byte
	switch strings.ToUpper(algorithm.String()) {
	case "MD5":
		s := md5.Sum(data)
		sum = s[:]
	case "SHA-1":
		s := sha1.Sum(data)
		sum = s[:]
	case "SHA-256":
		s := sha256.Sum256(data)
		sum = s[:]
	case "SHA-384":
		s := sha512.Sum384(data)
		sum = s[:]
	case "SHA-512":
		s := sha512.Sum512(data)
		sum = s[:]
	default:
		panic(r.domError("NotSupportedError", "Unrecognized algorithm name %s: use SHA-256, SHA-384, SHA-512, SHA-1 or MD5", r.show(algorithm)))
	}
	return r.vm.ToValue(r.vm.NewArrayBuffer(sum))
}
