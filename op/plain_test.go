package op_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/op"
)

func TestObjectsKeepTheirOrder(t *testing.T) {
	object := obj{{"z", []string{"a"}}, {"a", [][]any{{1, nil}}}, {"bytes", []byte{0, 1}}, {"raw", json.RawMessage(` [ 1 ] `)}, {"", json.RawMessage(nil)}}
	want := `{"z":["a"],"a":[[1,null]],"bytes":"AAE=","raw":[1],"":null}`
	if got, err := json.Marshal(object); err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	value, err := op.DecodeJSON([]byte(want))
	check(t, err)
	if got, err := op.AppendJSON([]byte("="), value); err != nil || string(got) != "="+want {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestWhatIsNoPlainValue(t *testing.T) {
	deep := any("x")
	for range 1100 {
		deep = []any{deep}
	}
	for name, value := range map[string]any{"a struct": listed{}, "bad raw JSON": json.RawMessage("{"), "too deep": deep,
		"inside": obj{{"x", []any{make(chan int)}}}} {
		if text, err := op.AppendJSON(nil, value); err == nil {
			t.Errorf("%s became %.40s", name, text)
		}
	}
	for _, text := range []string{"{", "[1,]", `{"a"}`, `{"a":1,}`, "nul", "1 2", `{1:2}`, "]", `"` + "\n" + `"`, "1e999", strings.Repeat(`{"a":`, 1100)} {
		if value, err := op.DecodeJSON([]byte(text)); err == nil || strings.Contains(err.Error(), "invalid character") {
			t.Errorf("%.20s is %v, %v", text, value, err)
		}
	}
}

// Lists that come ready are held to the same limits as others.
func TestReadyListsAreChecked(t *testing.T) {
	if _, err := bindJS[createIn](t, "f", "a", obj{{"tags", []string{"final", "x"}}}); err == nil {
		t.Error("a ready list of strings went past its enum")
	}
	if _, err := bindJS[mergeIn](t, "f", []any{}, [][]any{{0.0}}); err == nil {
		t.Error("a ready table went past its minimum")
	}
	if got, err := bindJS[mergeIn](t, "f", []any{}, [][]any{{1.0}}); err != nil || got.Ranges[0][0] != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
}
