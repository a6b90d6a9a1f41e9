package host

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

// values are SQL values whose type or exactness plain JSON would lose.
var values = []any{
	nil, true, false, "", "O'Brien \x00 \u2028 <&>", "😀",
	int64(0), int64(3), int64(-1), int64(1)<<53 + 1, int64(math.MaxInt64), int64(math.MinInt64),
	0.0, 3.0, -2.5, 1e21, 1e300, 5e-324, math.MaxFloat64, math.Inf(1), math.Inf(-1),
	Blob{Base64: ""}, Blob{Base64: "AAECAw=="},
}

func TestQueryKeepsTypes(t *testing.T) {
	named := map[string]any{}
	for i, v := range values {
		named[string(rune('a'+i))] = v
	}
	for _, query := range []Query{{SQL: "SELECT ?"}, {SQL: "SELECT ?", Params: values}, {SQL: "SELECT :a", Named: named}} {
		text, err := json.Marshal(query)
		if err != nil {
			t.Fatal(err)
		}
		var back Query
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !reflect.DeepEqual(query, back) {
			t.Errorf("sent %#v\n got %#v\n  as %s", query, back, text)
		}
	}
}

func TestQueryResultKeepsTypes(t *testing.T) {
	for _, result := range []QueryResult{
		{Changes: 3, LastInsertID: math.MaxInt64},
		{Columns: []string{"a"}, Rows: [][]any{}},
		{Columns: make([]string, len(values)), Rows: [][]any{values, values}, Truncated: true},
	} {
		text, err := json.Marshal(&result)
		if err != nil {
			t.Fatal(err)
		}
		var back QueryResult
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !reflect.DeepEqual(result, back) {
			t.Errorf("sent %#v\n got %#v\n  as %s", result, back, text)
		}
	}
}

func TestQueryFromPlainJSON(t *testing.T) {
	var query Query
	err := json.Unmarshal([]byte(`{"sql":"x","params":[1,1.0,1e3,18446744073709551616,[1],{"base64":"AA==","x":1}]}`), &query)
	if err != nil {
		t.Fatal(err)
	}
	want := []any{int64(1), 1.0, 1000.0, json.Number("18446744073709551616"), []any{json.Number("1")},
		map[string]any{"base64": "AA==", "x": json.Number("1")}}
	if !reflect.DeepEqual(query.Params, want) {
		t.Errorf("got %#v, want %#v", query.Params, want)
	}
}

// A NaN has no SQL value; SQLite itself stores NULL.
func TestNaNIsNull(t *testing.T) {
	text, err := json.Marshal(Query{Params: []any{math.NaN()}})
	if err != nil || string(text) != `{"sql":"","params":[null]}` {
		t.Errorf("got %s, %v", text, err)
	}
}
