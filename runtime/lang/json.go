package lang

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// amendJSON makes JSON.parse say what it met and where, which goja's own words, those of
// Go's decoder, leave out.
func amendJSON(r *realm, class *goja.Object) goja.Value {
	parse, _ := goja.AssertFunction(class.Get("parse"))
	r.define(class, "parse", r.function("parse", 2, func(call goja.FunctionCall) goja.Value {
		text := call.Argument(0).ToString()
		value, err := parse(call.This, text, call.Argument(1))
		if err == nil {
			return value
		}
		if thrown := (*goja.Exception)(nil); errors.As(err, &thrown) {
			if message := jsonFault(text.String()); message != "" { // else a reviver threw it
				panic(r.newError("SyntaxError", "%s", message))
			}
			if goja.IsUndefined(call.Argument(1)) {
				panic(r.newError("SyntaxError", "JSON holds a number that is too large"))
			}
		}
		panic(err)
	}))
	return class
}

// jsonFault says what is wrong with a text as JSON, much as V8 does; "" if nothing is.
func jsonFault(text string) string {
	var raw json.RawMessage
	var fault *json.SyntaxError
	if !errors.As(json.Unmarshal([]byte(text), &raw), &fault) {
		return ""
	}
	at := int(fault.Offset) - 1
	if at < 0 || at >= len(text) || strings.HasPrefix(fault.Error(), "unexpected end") {
		return "Unexpected end of JSON input"
	}
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	token, _ := utf8.DecodeRuneInString(text[at:])
	before := text[:at]
	line := strings.Count(before, "\n") + 1
	start := strings.LastIndexByte(before, '\n') + 1
	return fmt.Sprintf("Unexpected token %s in JSON at position %d (line %d column %d)",
		strconv.QuoteRune(token), units(before), line, units(before[start:])+1)
}

// units is the length of a text in UTF-16 code units.
func units(text string) (n int) {
	for _, c := range text {
		n++
		if c > 0xFFFF {
			n++
		}
	}
	return n
}
