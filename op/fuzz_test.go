package op_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// wellFormed holds what every refusal must be: short, of the right code, naming the call.
func wellFormed(t *testing.T, err *problem.Error) {
	t.Helper()
	if err.Code != problem.InvalidArgument || err.Message == "" || err.Hint == "" || err.Cause != nil {
		t.Errorf("refused with %#v", err)
	}
	if !utf8.ValidString(err.Message) || len(err.Message) > 4000 {
		t.Errorf("the message has %d bytes", len(err.Message))
	}
}

func FuzzBindTool(f *testing.F) {
	for _, seed := range []string{``, `null`, `{}`, `[]`, `{"id":"a","start_line":1}`, `{"name":"a","tags":["draft"]}`,
		`{"file_id":"a","start_cell":"A1","data":[[1,"x",null,{"a":[]}]],"style":{"font_color":"#fff","widths":{"A":1e2}}}`,
		`{"id":"a","offset":9007199254740993,"data":"AAE="}`, `{"ids":["a"],"ranges":[[1,2]],"fields":{"":null}}`,
		`{"key":"k","value":-0,"raw":[1.0,"\ud800",{"a":1,"a":2}]}`, `{"key":"k","value":1e400}`, "{\"key\":\"\xff\",\"value\":0}"} {
		f.Add([]byte(seed))
	}
	table := sample()
	f.Fuzz(func(t *testing.T, args []byte) {
		for i := range table {
			in, err := table[i].BindTool(args)
			if err != nil {
				wellFormed(t, err)
				continue
			}
			out, failure := table[i].Call(t.Context(), nil, in)
			if failure != nil {
				t.Fatal(failure)
			}
			text, failure := table[i].ResultTool(out)
			if failure != nil || !json.Valid(text) {
				t.Fatalf("answered %s, %v", text, failure)
			}
		}
	})
}

// FuzzBindJS makes a tree of plain values of the fuzzer's bytes and passes it everywhere.
func FuzzBindJS(f *testing.F) {
	f.Add([]byte("s1ao2abn3"))
	f.Add([]byte("\x05\x02id\x07\x01\x00\x06\x03"))
	f.Add(bytes.Repeat([]byte{6, 2}, 40))
	table := sample()
	f.Fuzz(func(t *testing.T, data []byte) {
		var args []any
		for len(data) > 0 && len(args) < 6 {
			var value any
			value, data = plant(data, 0)
			args = append(args, value)
		}
		for i := range table {
			before := append([]any(nil), args...)
			in, err := table[i].BindJS(args)
			if err != nil {
				wellFormed(t, err)
				continue
			}
			if _, failure := table[i].Call(t.Context(), nil, in); failure != nil {
				t.Fatal(failure)
			}
			for j := range before {
				if before[j] != nil && reflect.TypeOf(before[j]) != reflect.TypeOf(args[j]) {
					t.Fatal("the arguments were changed")
				}
			}
		}
	})
}

var someNames = []string{"id", "startLine", "endLine", "encoding", "content", "tags", "fontColor", "widths", "bold", ""}

// plant grows a plain value out of bytes.
func plant(data []byte, depth int) (any, []byte) {
	if len(data) == 0 || depth > 20 {
		return nil, nil
	}
	kind, data := data[0]%9, data[1:]
	n := 0
	if len(data) > 0 {
		n = int(data[0])
	}
	switch kind {
	case 1:
		return n%2 == 0, data
	case 2:
		return []any{0.0, 1.5, math.NaN(), math.Inf(1), 1e300, -1.0, float64(n)}[n%7], data
	case 3:
		return int64(n) << 32, data
	case 4:
		cut := min(n%8, len(data))
		return string(data[:cut]), data[cut:]
	case 5:
		return append([]byte{}, data[:min(n%4, len(data))]...), data
	case 6:
		items := []any{}
		for range n % 4 {
			var item any
			item, data = plant(data, depth+1)
			items = append(items, item)
		}
		return items, data
	case 7:
		object := op.Object{}
		for i := range n % 4 {
			var item any
			item, data = plant(data, depth+1)
			object = append(object, op.Member{Name: someNames[(n+i)%len(someNames)], Value: item})
		}
		return object, data
	}
	return nil, data
}

// FuzzJSON holds that reading and writing JSON is one and the same for plain values.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-0,1.5e300,"\u2028\ud83d\ude00\ud800",null,true]}`, `1e-7`, `123456789012345678901234567890`, `{"a":1,"a":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		value, err := op.DecodeJSON(data)
		if err != nil {
			return
		}
		text, err := op.AppendJSON(nil, value)
		if err != nil || !json.Valid(text) {
			t.Fatalf("%q became %q, %v", data, text, err)
		}
		again, err := op.DecodeJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := op.AppendJSON(nil, again); err != nil || !bytes.Equal(second, text) {
			t.Fatalf("%q became %q, then %q, %v", data, text, second, err)
		}
	})
}
