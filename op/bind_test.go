package op_test

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type obj = op.Object

func ptr[T any](v T) *T { return &v }

// bindJS binds and gives the In as the operation sees it.
func bindJS[In any](t *testing.T, name string, args ...any) (In, *problem.Error) {
	t.Helper()
	var got In
	o := recorder(name, "tool", &got)
	in, err := o.BindJS(args)
	if err != nil {
		return got, err
	}
	if _, err := o.Call(context.Background(), nil, in); err != nil {
		t.Fatal(err)
	}
	return got, nil
}

func bindTool[In any](t *testing.T, tool, args string) (In, *problem.Error) {
	t.Helper()
	var got In
	o := recorder("js", tool, &got)
	in, err := o.BindTool([]byte(args))
	if err != nil {
		return got, err
	}
	if _, err := o.Call(context.Background(), nil, in); err != nil {
		t.Fatal(err)
	}
	return got, nil
}

func accepts[In any](name string, want In, args ...any) func(*testing.T) {
	return func(t *testing.T) {
		got, err := bindJS[In](t, name, args...)
		if err != nil {
			t.Fatalf("refused: %v", err)
		}
		if !reflect.DeepEqual(want, got) {
			t.Errorf("\ngot  %#v\nwant %#v", got, want)
		}
	}
}

func acceptsTool[In any](want In, args string) func(*testing.T) {
	return func(t *testing.T) {
		got, err := bindTool[In](t, "tool", args)
		if err != nil {
			t.Fatalf("refused: %v", err)
		}
		if !reflect.DeepEqual(want, got) {
			t.Errorf("\ngot  %#v\nwant %#v", got, want)
		}
	}
}

func TestBindJS(t *testing.T) {
	grid := []any{[]any{1.0, "a", nil}, []any{}}
	for name, test := range map[string]func(*testing.T){
		"positional":                 accepts("f", idIn{ID: "a"}, "a"),
		"trailing undefined":         accepts("f", idIn{ID: "a"}, "a", nil, nil),
		"options absent":             accepts("f", readIn{ID: "a"}, "a"),
		"options null":               accepts("f", readIn{ID: "a"}, "a", nil),
		"options":                    accepts("f", readIn{"a", readOptions{2, ptr(3), "utf-8"}}, "a", obj{{"startLine", 2.0}, {"endLine", int64(3)}, {"encoding", "utf-8"}}),
		"an option null":             accepts("f", readIn{ID: "a"}, "a", obj{{"endLine", nil}, {"startLine", nil}}),
		"optional left out":          accepts("f", listIn{}),
		"options before an optional": accepts("f", createIn{Name: "a", Options: createOptions{Content: "x"}}, "a", obj{{"content", "x"}}),
		"an optional by name":        accepts("f", createIn{Name: "a", Mime: ptr("text/csv"), Options: createOptions{Content: "x"}}, "a", obj{{"content", "x"}, {"mime", "text/csv"}}),
		"optional null":              accepts("f", createIn{Name: "a", Options: createOptions{Tags: []string{"draft"}}}, "a", nil, obj{{"tags", []any{"draft"}}}),
		"a grid":                     accepts("f", rangeIn{ID: "a", Cell: "A1", Data: [][]any{{1.0, "a", nil}, {}}}, "a", "A1", grid),
		"a ready grid":               accepts("f", rangeIn{ID: "a", Cell: "A1", Data: [][]any{{1.0}}}, "a", "A1", [][]any{{1.0}}),
		"a struct":                   accepts("f", rangeIn{ID: "a", Cell: "A1", Data: [][]any{}, Style: &style{true, "#fff", map[string]float64{"A": 1.5}}}, "a", "A1", []any{}, obj{{"bold", true}, {"fontColor", "#fff"}, {"widths", obj{{"A", 1.5}}}}),
		"any":                        accepts("f", anyIn{Key: "k", Value: obj{{"x", []any{1.0}}}, Raw: []byte(`{"b":1,"a":[null]}`)}, "k", obj{{"x", []any{1.0}}}, obj{{"b", 1.0}, {"a", []any{nil}}}),
		"any null":                   accepts("f", anyIn{Key: "k", Raw: []byte(`null`)}, "k", nil, nil),
		"lists":                      accepts("f", mergeIn{IDs: []string{"a", "b"}, Ranges: [][]int{{1, 2}, {3}}, Fields: map[string]any{"x": true}, Deep: []map[string]int{{"y": 2}}}, []any{"a", "b"}, []any{[]any{1.0, 2.0}, []any{3.0}}, obj{{"x", true}}, []any{obj{{"y", 2.0}}}),
		"a ready list":               accepts("f", mergeIn{IDs: []string{"a"}}, []string{"a"}),
		"bytes":                      accepts("f", bytesIn{ID: "a", Data: []byte{0, 1}}, "a", 0.0, []byte{0, 1}),
		"bytes as base64":            accepts("f", bytesIn{ID: "a", Data: []byte{0, 1}}, "a", 0.0, "AAE="),
		"bytes as bare base64":       accepts("f", bytesIn{ID: "a", Data: []byte{0, 1}}, "a", 0.0, "AAE"),
		"the largest safe integer":   accepts("f", bytesIn{ID: "a", Offset: 1<<53 - 1, Data: []byte{}}, "a", float64(1<<53-1), ""),
		"nothing":                    accepts("f", nothing{}, nil),
	} {
		t.Run(name, test)
	}
}

func TestBindTool(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"flat options":    acceptsTool(readIn{"a", readOptions{2, ptr(3), ""}}, `{"end_line":3,"id":"a","start_line":2.0}`),
		"options absent":  acceptsTool(readIn{ID: "a"}, `{"id":"a"}`),
		"optional null":   acceptsTool(readIn{ID: "a"}, `{"id":"a","start_line":null,"end_line":null}`),
		"empty":           acceptsTool(listIn{}, ``),
		"null":            acceptsTool(listIn{}, ` null `),
		"last of a name":  acceptsTool(idIn{ID: "b"}, `{"id":"a","id":"b"}`),
		"exact integers":  acceptsTool(anyIn{Key: "k", Value: int64(9007199254740993)}, `{"key":"k","value":9007199254740993}`),
		"fractions":       acceptsTool(anyIn{Key: "k", Value: 1.5}, `{"key":"k","value":1.5}`),
		"any null":        acceptsTool(anyIn{Key: "k"}, `{"key":"k","value":null}`),
		"ordered objects": acceptsTool(anyIn{Key: "k", Value: obj{{"z", int64(1)}, {"a", []any{}}}}, `{"key":"k","value":{"z":1,"a":[]}}`),
		"nested":          acceptsTool(rangeIn{ID: "a", Cell: "A1", Data: [][]any{{int64(1)}}, Style: &style{FontColor: "#fff"}}, `{"file_id":"a","start_cell":"A1","data":[[1]],"style":{"font_color":"#fff"}}`),
		"base64":          acceptsTool(bytesIn{ID: "a", Data: []byte{0, 1}}, `{"id":"a","offset":0,"data":"AAE="}`),
	} {
		t.Run(name, test)
	}
}

func refuses[In any](args ...any) func(*testing.T) *problem.Error {
	return func(t *testing.T) *problem.Error {
		_, err := bindJS[In](t, "f", args...)
		return err
	}
}

func refusesTool[In any](args string) func(*testing.T) *problem.Error {
	return func(t *testing.T) *problem.Error {
		_, err := bindTool[In](t, "f", args)
		return err
	}
}

// The messages are what models learn the operations from, so they are held to the letter.
func TestWrongArguments(t *testing.T) {
	long := strings.Repeat("é", 100)
	for message, call := range map[string]func(*testing.T) *problem.Error{
		`f: argument "id" is missing; it must be a string`:                                                    refuses[readIn](),
		`f: argument "id" must be a string, got null or undefined`:                                            refuses[readIn](nil, obj{}),
		`f: argument "id" must be a string, got the number 42`:                                                refuses[readIn](42.0),
		`f: argument "id" must be a string, got the number 4.5`:                                               refuses[readIn](4.5),
		`f: argument "id" must be a string, got the number -7`:                                                refuses[readIn](int64(-7)),
		`f: argument "id" must be a string, got true`:                                                         refuses[readIn](true),
		`f: argument "id" must be a string, got the object {"id": "x", "size": 3}`:                            refuses[readIn](obj{{"id", "x"}, {"size", 3.0}}),
		`f: argument "id" must be a string, got the array ["a", 1, null]`:                                     refuses[idIn]([]any{"a", 1.0, nil}),
		`f: takes at most 1 argument, got 2`:                                                                  refuses[idIn]("a", "b"),
		`f: takes at most 2 arguments, got 4`:                                                                 refuses[readIn]("a", nil, nil, 1.0),
		`f: takes no arguments, got 1`:                                                                        refuses[nothing](obj{}),
		`f: there is no option "startline"; did you mean "startLine"?`:                                        refuses[readIn]("a", obj{{"startline", 1.0}}),
		`f: there is no option "start_line"; did you mean "startLine"?`:                                       refuses[readIn]("a", obj{{"start_line", 1.0}}),
		`f: there is no option "foo"; there are startLine, endLine, encoding`:                                 refuses[readIn]("a", obj{{"foo", 1.0}}),
		`f: argument "options" must be an object {startLine?, endLine?, encoding?}, got the number 5`:         refuses[readIn]("a", 5.0),
		`f: argument "options.startLine" must be an integer of at least 1, got the string "five"`:             refuses[readIn]("a", obj{{"startLine", "five"}}),
		`f: argument "options.startLine" must be an integer of at least 1, got the number 1.5`:                refuses[readIn]("a", obj{{"startLine", 1.5}}),
		`f: argument "options.startLine" must be an integer of at least 1, got the number 0`:                  refuses[readIn]("a", obj{{"startLine", 0.0}}),
		`f: argument "options.startLine" must be an integer of at least 1, got the number NaN`:                refuses[readIn]("a", obj{{"startLine", math.NaN()}}),
		`f: argument "options.endLine" must be an integer of at least 1, got the number Infinity`:             refuses[readIn]("a", obj{{"endLine", math.Inf(1)}}),
		`f: argument "options.endLine" must be an integer of at least 1, got the number 1e+300`:               refuses[readIn]("a", obj{{"endLine", 1e300}}),
		`f: argument "options.encoding" must be one of "utf-8", "utf-16" or "latin-1", got the string "utf8"`: refuses[readIn]("a", obj{{"encoding", "utf8"}}),
		`f: argument "options.tags[1]" must be one of "draft" or "final", got the string "x"`:                 refuses[createIn]("a", obj{{"tags", []any{"final", "x"}}}),
		`f: argument "mime" must be a string, got the array []`:                                               refuses[createIn]("a", []any{}, obj{}),
		`f: argument "data" must be a Uint8Array or a base64 string, got the string "%%%"`:                    refuses[bytesIn]("a", 0.0, "%%%"),
		`f: argument "ratio" must be a finite number from 0 to 1, got the number 2`:                           refuses[bytesIn]("a", 0.0, "", 2.0),
		`f: argument "ratio" must be a finite number from 0 to 1, got the number NaN`:                         refuses[bytesIn]("a", 0.0, "", math.NaN()),
		`f: argument "small" must be an integer, got the number 128`:                                          refuses[bytesIn]("a", 0.0, "", nil, 128.0),
		`f: argument "data" must be an array of rows, each an array of values, got the string "x"`:            refuses[rangeIn]("a", "A1", "x"),
		`f: argument "data[1]" must be an array of values, got the number 3`:                                  refuses[rangeIn]("a", "A1", []any{[]any{}, 3.0}),
		`f: argument "style" must be an object {bold?, fontColor, widths?}, got true`:                         refuses[rangeIn]("a", "A1", []any{}, true),
		`f: argument "style.fontColor" is missing; it must be a string`:                                       refuses[rangeIn]("a", "A1", []any{}, obj{}),
		`f: there is no member "colour" of "style"; there are bold, fontColor, widths`:                        refuses[rangeIn]("a", "A1", []any{}, obj{{"colour", ""}}),
		`f: argument "style.widths[\"a b\"]" must be a finite number, got the string "x"`:                     refuses[rangeIn]("a", "A1", []any{}, obj{{"fontColor", ""}, {"widths", obj{{"a b", "x"}}}}),
		`f: argument "style.widths.a" must be a finite number, got null or undefined`:                         refuses[rangeIn]("a", "A1", []any{}, obj{{"fontColor", ""}, {"widths", obj{{"a", nil}}}}),
		`f: argument "ids" must be an array, each item a string, got the string "a"`:                          refuses[mergeIn]("a"),
		`f: argument "ids[1]" must be a string, got null or undefined`:                                        refuses[mergeIn]([]any{"a", nil}),
		`f: argument "ranges[0][1]" must be an integer of at least 1, got the number 0`:                       refuses[mergeIn]([]any{}, []any{[]any{1.0, 0.0}}),
		`f: argument "deep[0].n" must be an integer, got false`:                                               refuses[mergeIn]([]any{}, nil, nil, []any{obj{{"n", false}}}),
		`f: argument "flag" must be true or false, got a Uint8Array of 3 bytes`:                               refuses[mergeIn]([]any{}, nil, nil, nil, []byte("abc")),
		`f: argument "flag" must be true or false, got the string "` + strings.Repeat("é", 60) + `…"`:         refuses[mergeIn]([]any{}, nil, nil, nil, long),
		`f: argument "value" is missing; it must be a value`:                                                  refuses[anyIn]("k"),

		`f: argument "start_line" must be an integer of at least 1, got the string "5"`:   refusesTool[readIn](`{"id":"a","start_line":"5"}`),
		`f: there is no argument "startLine"; did you mean "start_line"?`:                 refusesTool[readIn](`{"id":"a","startLine":5}`),
		`f: there is no argument "path"; there are id, start_line, end_line, encoding`:    refusesTool[readIn](`{"id":"a","path":5}`),
		`f: there is no argument "options"; there are id, start_line, end_line, encoding`: refusesTool[readIn](`{"id":"a","options":{}}`),
		`f: expected an object of arguments, got the array [1]`:                           refusesTool[readIn](`[1]`),
		`f: argument "id" must be a string, got null`:                                     refusesTool[readIn](`{"id":null}`),
		`f: the arguments are not one JSON value`:                                         refusesTool[readIn](`{"id":"a"} {}`),
		`f: the arguments are nested deeper than 1000 levels`:                             refusesTool[anyIn](`{"key":"k","value":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`),
		`f: the arguments are beyond what a number can hold: 1e999`:                       refusesTool[anyIn](`{"key":"k","value":1e999}`),
		`f: argument "style.font_color" is missing; it must be a string`:                  refusesTool[rangeIn](`{"file_id":"a","start_cell":"A1","data":[],"style":{}}`),
		`f: there is no member "fontColor" of "style"; did you mean "font_color"?`:        refusesTool[rangeIn](`{"file_id":"a","start_cell":"A1","data":[],"style":{"fontColor":""}}`),
		`f: argument "data" must be a base64 string, got the array [1, 2]`:                refusesTool[bytesIn](`{"id":"a","offset":0,"data":[1,2]}`),
		`f: there is no argument "x"; there are none`:                                     refusesTool[nothing](`{"x":1}`),
	} {
		t.Run(message, func(t *testing.T) {
			err := call(t)
			if err == nil {
				t.Fatal("accepted")
			}
			if err.Code != problem.InvalidArgument || err.Message != message {
				t.Errorf("\ngot  %s: %s\nwant %s", err.Code, err.Message, message)
			}
			if !strings.Contains(err.Hint, "Usage: f") {
				t.Errorf("the hint has no usage: %s", err.Hint)
			}
		})
	}
}
