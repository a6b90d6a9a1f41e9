package op_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
)

func answering[Out any]() op.Operation {
	return op.Define("f", "f", do[nothing, Out], op.Doc{Summary: "Answers.", Cost: op.CostLookup, Examples: example("1")})
}

func TestResultJS(t *testing.T) {
	rows := [][]any{{int64(1), "a", nil}, {2.5, true}}
	for name, c := range map[string]struct {
		op        op.Operation
		out, want any
	}{
		"camelCase":        {answering[readOut](), readOut{"x", 3}, obj{{"content", "x"}, {"totalLines", int64(3)}}},
		"the result alone": {answering[listOut](), listOut{[]listed{{"1", "a", 2, "text/csv"}}}, []any{obj{{"id", "1"}, {"name", "a"}, {"size", int64(2)}, {"mime_type", "text/csv"}}}},
		"an empty result":  {answering[listOut](), listOut{}, []any{}},
		"no bytes":         {answering[bytesOut](), bytesOut{}, []byte{}},
		"nothing":          {answering[nothing](), nothing{}, obj{}},
		"nil members": {answering[anyOut](), anyOut{}, obj{{"value", nil}, {"raw", nil}, {"names", []string{}},
			{"items", []any{}}, {"by", obj{}}, {"maybe", nil}, {"row_count", int64(0)}}},
		"every member": {answering[anyOut](), anyOut{Value: 7, Raw: []byte(`{"b":1,"a":1.5}`), Rows: [][]any{}, Names: []string{"n"},
			By: map[string]float64{"y": 1, "x": 2}, Maybe: &listed{ID: "1"}, Left: ptr(0), embedded: embedded{4}},
			obj{{"value", int64(7)}, {"raw", obj{{"b", int64(1)}, {"a", 1.5}}}, {"rows", [][]any{}}, {"names", []string{"n"}},
				{"items", []any{}}, {"by", obj{{"x", 2.0}, {"y", 1.0}}},
				{"maybe", obj{{"id", "1"}, {"name", ""}, {"size", int64(0)}, {"mime_type", ""}}}, {"left", int64(0)}, {"row_count", int64(4)}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.op.ResultJS(c.out); !reflect.DeepEqual(got, c.want) {
				t.Errorf("\ngot  %#v\nwant %#v", got, c.want)
			}
		})
	}

	type table struct {
		Rows [][]any `json:"rows" op:"result"`
	}
	o := answering[table]()
	if got := o.ResultJS(table{rows}).([][]any); &got[0] != &rows[0] {
		t.Error("a table of plain cells was copied")
	}
	mixed := [][]any{{"a"}, {"b", host.Blob{Base64: "AA=="}, 3, time.Unix(0, 0), map[string]any{"x": 1}}, nil}
	want := [][]any{{"a"}, {"b", obj{{"base64", "AA=="}}, int64(3), "1970-01-01T00:00:00.000Z", obj{{"x", int64(1)}}}, {}}
	if got := o.ResultJS(table{mixed}); !reflect.DeepEqual(got, want) {
		t.Errorf("\ngot  %#v\nwant %#v", got, want)
	}
	if _, ok := mixed[1][1].(host.Blob); !ok || mixed[2] != nil {
		t.Error("the operation's own table was changed")
	}
}

func TestResultTool(t *testing.T) {
	for name, c := range map[string]struct {
		op   op.Operation
		out  any
		want string
	}{
		"snake_case":    {answering[readOut](), readOut{"a <b> & \"c\"\n\u2028\x00\xff é", 3}, `{"content":"a <b> & \"c\"\n\u2028\u0000\ufffd é","total_lines":3}`},
		"whole struct":  {answering[listOut](), listOut{}, `{"files":[]}`},
		"bytes":         {answering[bytesOut](), bytesOut{[]byte{0, 1}}, `{"data":"AAE="}`},
		"never null":    {answering[anyOut](), anyOut{}, `{"value":null,"raw":null,"names":[],"items":[],"by":{},"maybe":null,"row_count":0}`},
		"odd numbers":   {answering[anyOut](), anyOut{Rows: [][]any{{math.NaN(), math.Inf(-1), 1e21, 1e-7, math.Copysign(0, -1), 0.1, int64(math.MaxInt64)}}}, `{"value":null,"raw":null,"rows":[[null,null,1e+21,1e-7,0,0.1,9223372036854775807]],"names":[],"items":[],"by":{},"maybe":null,"row_count":0}`},
		"compact as is": {answering[anyOut](), anyOut{Raw: []byte(` {"b": [1.0, 9007199254740993] } `)}, `{"value":null,"raw":{"b":[1.0,9007199254740993]},"names":[],"items":[],"by":{},"maybe":null,"row_count":0}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.op.ResultTool(c.out)
			if err != nil || string(got) != c.want {
				t.Errorf("\ngot  %s %v\nwant %s", got, err, c.want)
			}
		})
	}
}

func TestResultsWithoutAPlainForm(t *testing.T) {
	o := answering[anyOut]()
	loop := []any{nil}
	loop[0] = loop
	for name, value := range map[string]any{"a channel": make(chan int), "a loop": loop} {
		if _, err := o.ResultTool(anyOut{Value: value}); err == nil {
			t.Errorf("%s became JSON", name)
		}
	}
	defer func() {
		if r, _ := recover().(string); !strings.Contains(r, "chan int has no plain form") {
			t.Errorf("recovered %q", r)
		}
	}()
	o.ResultJS(anyOut{Value: make(chan int)})
}
