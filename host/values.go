package host

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// SQL values keep their type across frames, which plain JSON would lose: an integer is
// written without a point and a real always with a point or an exponent (3 and 3.0), so
// that each is read back as int64 or float64. An infinite real is 9e999, as SQLite writes
// it. Bytes are {"base64": "…"}.

// MarshalJSON writes parameters so that UnmarshalJSON gives the same types back.
func (q Query) MarshalJSON() ([]byte, error) {
	buf := append([]byte(nil), `{"sql":`...)
	buf = appendText(buf, q.SQL)
	var err error
	if q.Params != nil {
		if buf, err = appendValues(append(buf, `,"params":`...), q.Params); err != nil {
			return nil, err
		}
	}
	if q.Named != nil {
		buf = append(buf, `,"named":{`...)
		first := true
		for name, value := range q.Named {
			if !first {
				buf = append(buf, ',')
			}
			first = false
			buf = append(appendText(buf, name), ':')
			if buf, err = appendValue(buf, value); err != nil {
				return nil, err
			}
		}
		buf = append(buf, '}')
	}
	return append(buf, '}'), nil
}

// UnmarshalJSON reads parameters as nil, bool, int64, float64, string or Blob. An integer
// beyond 64 bits stays a json.Number; arrays and objects stay what they are.
func (q *Query) UnmarshalJSON(data []byte) error {
	var wire struct {
		SQL    string         `json:"sql"`
		Params []any          `json:"params"`
		Named  map[string]any `json:"named"`
	}
	if err := decodeExact(data, &wire); err != nil {
		return err
	}
	typeValues(wire.Params)
	for name, value := range wire.Named {
		wire.Named[name] = typeValue(value)
	}
	*q = Query{SQL: wire.SQL, Params: wire.Params, Named: wire.Named}
	return nil
}

// MarshalJSON writes cells so that UnmarshalJSON gives the same types back.
func (r QueryResult) MarshalJSON() ([]byte, error) {
	buf := []byte{'{'}
	var err error
	if r.Columns != nil {
		buf = append(buf, `"columns":[`...)
		for i, name := range r.Columns {
			if i > 0 {
				buf = append(buf, ',')
			}
			buf = appendText(buf, name)
		}
		buf = append(buf, `],"rows":[`...)
		for i, row := range r.Rows {
			if i > 0 {
				buf = append(buf, ',')
			}
			if buf, err = appendValues(buf, row); err != nil {
				return nil, err
			}
		}
		buf = append(buf, "],"...)
	}
	if r.Truncated {
		buf = append(buf, `"truncated":true,`...)
	}
	buf = append(buf, `"changes":`...)
	buf = strconv.AppendInt(buf, r.Changes, 10)
	buf = append(buf, `,"last_insert_rowid":`...)
	buf = strconv.AppendInt(buf, r.LastInsertID, 10)
	return append(buf, '}'), nil
}

// UnmarshalJSON reads cells as nil, bool, int64, float64, string or Blob.
func (r *QueryResult) UnmarshalJSON(data []byte) error {
	type plain QueryResult // without this method
	var wire plain
	if err := decodeExact(data, &wire); err != nil {
		return err
	}
	for _, row := range wire.Rows {
		typeValues(row)
	}
	*r = QueryResult(wire)
	return nil
}

func decodeExact(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec.Decode(into)
}

func typeValues(values []any) {
	for i, value := range values {
		values[i] = typeValue(value)
	}
}

// typeValue gives a decoded JSON value its SQL type.
func typeValue(value any) any {
	switch v := value.(type) {
	case json.Number:
		return Number(v)
	case map[string]any:
		if text, ok := v["base64"].(string); ok && len(v) == 1 {
			return Blob{Base64: text}
		}
	}
	return value
}

// Number gives a JSON number as SQL has it: int64 if it is written as an integer, float64
// if it is written with a point or an exponent. An integer beyond 64 bits stays as it is.
func Number(n json.Number) any {
	if strings.ContainsAny(string(n), ".eE") {
		f, err := strconv.ParseFloat(string(n), 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) { // out of range is infinite, or 0
			return n
		}
		return f
	}
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		return i
	}
	return n
}

func appendValues(buf []byte, values []any) ([]byte, error) {
	buf = append(buf, '[')
	var err error
	for i, value := range values {
		if i > 0 {
			buf = append(buf, ',')
		}
		if buf, err = appendValue(buf, value); err != nil {
			return nil, err
		}
	}
	return append(buf, ']'), nil
}

func appendValue(buf []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(buf, "null"...), nil
	case bool:
		return strconv.AppendBool(buf, v), nil
	case int64:
		return strconv.AppendInt(buf, v, 10), nil
	case int:
		return strconv.AppendInt(buf, int64(v), 10), nil
	case float64:
		return appendReal(buf, v), nil
	case string:
		return appendText(buf, v), nil
	case []byte:
		return appendBytes(buf, base64.StdEncoding.EncodeToString(v)), nil
	case Blob:
		return appendBytes(buf, v.Base64), nil
	}
	text, err := json.Marshal(value)
	return append(buf, text...), err
}

func appendReal(buf []byte, f float64) []byte {
	switch {
	case math.IsNaN(f): // SQL has no NaN
		return append(buf, "null"...)
	case math.IsInf(f, 1):
		return append(buf, "9e999"...)
	case math.IsInf(f, -1):
		return append(buf, "-9e999"...)
	}
	start := len(buf)
	buf = strconv.AppendFloat(buf, f, 'g', -1, 64)
	if !bytes.ContainsAny(buf[start:], ".e") {
		buf = append(buf, ".0"...)
	}
	return buf
}

func appendBytes(buf []byte, base64 string) []byte {
	return append(appendText(append(buf, `{"base64":`...), base64), '}')
}

func appendText(buf []byte, s string) []byte {
	text, _ := json.Marshal(s) // a string always has a JSON form
	return append(buf, text...)
}
