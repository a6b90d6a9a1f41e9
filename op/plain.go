package op

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Object is a plain object that keeps the order of its members.
type Object []Member

// Member is one member of an Object.
type Member struct {
	Name  string
	Value any
}

// MarshalJSON writes the members in their order.
func (o Object) MarshalJSON() ([]byte, error) { return AppendJSON(nil, o) }

var _ json.Marshaler = Object(nil)

func (o Object) get(name string) (any, bool) {
	for _, m := range o {
		if m.Name == name {
			return m.Value, true
		}
	}
	return nil, false
}

// maxDepth is how deep plain values may nest. It is far above what data needs and far
// below what would trouble a stack.
const maxDepth = 1000

var errDepth = fmt.Errorf("nested deeper than %d levels", maxDepth)

// AppendJSON appends the JSON of a plain value: nil, bool, int, int64, float64, string,
// []byte (as base64), []any, []string, [][]any, Object and json.RawMessage. As in
// JavaScript, a number that is not finite becomes null. It fails on other types and on
// values that nest too deep.
func AppendJSON(dst []byte, value any) ([]byte, error) { return appendJSON(dst, value, 0) }

func appendJSON(dst []byte, value any, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	switch v := value.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case float64:
		return appendNumber(dst, v), nil
	case string:
		return appendText(dst, v), nil
	case []byte:
		dst = append(dst, '"')
		dst = base64.StdEncoding.AppendEncode(dst, v)
		return append(dst, '"'), nil
	case json.RawMessage:
		if len(v) == 0 {
			return append(dst, "null"...), nil
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, v); err != nil {
			return nil, err
		}
		return append(dst, compact.Bytes()...), nil
	case []any:
		return appendList(dst, v, depth)
	case []string:
		return appendList(dst, v, depth)
	case [][]any:
		return appendList(dst, v, depth)
	case Object:
		dst = append(dst, '{')
		for i, m := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendText(dst, m.Name), ':')
			var err error
			if dst, err = appendJSON(dst, m.Value, depth+1); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	}
	return nil, fmt.Errorf("%T is not a plain value", value)
}

func appendList[T any](dst []byte, items []T, depth int) ([]byte, error) {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendJSON(dst, item, depth+1); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

// appendNumber writes a number as JSON.stringify does: 1e+21 from there on, and 0 for -0.
func appendNumber(dst []byte, n float64) []byte {
	switch abs := math.Abs(n); {
	case math.IsNaN(n) || math.IsInf(n, 0):
		return append(dst, "null"...)
	case n == 0:
		return append(dst, '0')
	case abs < 1e-6 || abs >= 1e21:
		text := strconv.FormatFloat(n, 'e', -1, 64)
		return append(dst, strings.Replace(text, "e-0", "e-", 1)...)
	}
	return strconv.AppendFloat(dst, n, 'f', -1, 64)
}

const hex = "0123456789abcdef"

// appendText writes a JSON string, readable: only what JSON or a line of a log demands is escaped.
func appendText(dst []byte, text string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			switch {
			case r == utf8.RuneError && size == 1:
				dst = append(append(dst, text[from:i]...), `\ufffd`...)
				from = i + size
			case r == '\u2028' || r == '\u2029':
				dst = append(append(dst, text[from:i]...), `\u202`...)
				dst = append(dst, hex[r&0xf])
				from = i + size
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7f {
			i++
			continue
		}
		dst = append(dst, text[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, hex[c>>4], hex[c&0xf])
		}
		i++
		from = i
	}
	return append(append(dst, text[from:]...), '"')
}

// errJSON stands for JSON that does not parse.
var errJSON = errors.New("not one JSON value")

// DecodeJSON reads one JSON value as a plain value; nothing at all is nil. Whole numbers
// that fit become int64, others and -0 float64. Of two members of one name the last one
// counts. Its errors hold no Go text.
func DecodeJSON(data []byte) (any, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	value, err := decodeValue(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errJSON
	}
	return value, nil
}

func decodeValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errDepth
	}
	token, err := d.Token()
	if err != nil {
		return nil, errJSON
	}
	switch t := token.(type) {
	case json.Number:
		return plainNumber(t)
	case json.Delim:
		if t == '[' {
			return decodeList(d, depth)
		}
		return decodeObject(d, depth)
	}
	return token, nil // nil, bool or string
}

func decodeList(d *json.Decoder, depth int) (any, error) {
	items := []any{}
	for d.More() {
		item, err := decodeValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, closed(d)
}

func decodeObject(d *json.Decoder, depth int) (any, error) {
	members, at := Object{}, map[string]int{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, errJSON
		}
		value, err := decodeValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		name := token.(string) // the decoder refuses other keys
		if i, again := at[name]; again {
			members[i].Value = value
			continue
		}
		at[name] = len(members)
		members = append(members, Member{name, value})
	}
	return members, closed(d)
}

func closed(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return errJSON
	}
	return nil
}

func plainNumber(n json.Number) (any, error) {
	if whole, err := n.Int64(); err == nil && n != "-0" {
		return whole, nil
	}
	f, err := n.Float64()
	if err != nil {
		return nil, fmt.Errorf("beyond what a number can hold: %s", cut(n.String()))
	}
	return f, nil
}
