package op_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// places is an argument that is written in three ways.
type places struct{ came any }

var _ op.Variant = (*places)(nil)

func (p *places) Forms() ([]any, string) {
	return []any{0, "", []int(nil)}, `a place such as 3, "first", or an array of places`
}

func (p *places) Take(value any) { p.came = value }

type placesIn struct {
	ID      string `json:"id"`
	Options struct {
		At places `json:"at,omitempty" min:"1" doc:"Where."`
	} `json:"options,omitempty" op:"options"`
}

func at(value any) (in placesIn) {
	in.ID, in.Options.At.came = "a", value
	return in
}

func TestAnArgumentInSeveralForms(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"a number":      accepts("f", at(3), "a", obj{{"at", 3.0}}),
		"a string":      accepts("f", at("first"), "a", obj{{"at", "first"}}),
		"a list":        accepts("f", at([]int{1, 2}), "a", obj{{"at", []any{1.0, int64(2)}}}),
		"none":          accepts("f", placesIn{ID: "a"}, "a"),
		"null":          accepts("f", placesIn{ID: "a"}, "a", obj{{"at", nil}}),
		"a tool's list": acceptsTool(at([]int{4}), `{"id":"a","at":[4]}`),
	} {
		t.Run(name, test)
	}
	for message, call := range map[string]func(*testing.T) *problem.Error{
		`f: argument "options.at" must be a place such as 3, "first", or an array of places, got true`:         refuses[placesIn]("a", obj{{"at", true}}),
		`f: argument "options.at" must be a place such as 3, "first", or an array of places, got the number 0`: refuses[placesIn]("a", obj{{"at", 0.0}}),
		`f: argument "options.at[1]" must be an integer of at least 1, got the string "x"`:                     refuses[placesIn]("a", obj{{"at", []any{1.0, "x"}}}),
		`f: argument "at" must be a place such as 3, "first", or an array of places, got the object {}`:        refusesTool[placesIn](`{"id":"a","at":{}}`),
	} {
		if err := call(t); err == nil || err.Message != message {
			t.Errorf("\ngot  %v\nwant %s", err, message)
		}
	}
}

func TestTheFormsAreShown(t *testing.T) {
	var in placesIn
	o := recorder("files.look", "file_look", &in)
	schema, err := json.Marshal(o.InSchema().Properties["at"])
	if err != nil {
		t.Fatal(err)
	}
	want := `{"anyOf":[{"type":"integer","minimum":1},{"type":"string"},{"type":"array","items":{"type":"integer","minimum":1}}],"description":"Where."}`
	if !sameJSON(t, string(schema), want) {
		t.Errorf("\ngot  %s\nwant %s", schema, want)
	}
	if types := (op.Table{o}).TypeScript(); !strings.Contains(types, "at?: number | string | number[];") {
		t.Errorf("the declaration: %s", types)
	}
	_, wrong := o.BindTool([]byte(`{"id":1}`))
	if !strings.Contains(wrong.Hint, "at?: integer | string | integer[]") {
		t.Errorf("the usage: %s", wrong.Hint)
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var plain [2]any
	for i, text := range []string{a, b} {
		if err := json.Unmarshal([]byte(text), &plain[i]); err != nil {
			t.Fatal(err)
		}
	}
	x, _ := json.Marshal(plain[0])
	y, _ := json.Marshal(plain[1])
	return string(x) == string(y)
}

type layerIn struct {
	Layers []struct {
		FileID   string `json:"file_id" alias:"input"`
		Position string `json:"position,omitempty" alias:"gravity" enum:"center,top-left" also:"northwest=top-left,centre=center"`
	} `json:"layers"`
}

// What other libraries call a member or a word, and how they write it, is what many a
// caller writes at first.
func TestOtherWords(t *testing.T) {
	want := func(position string) layerIn {
		in := layerIn{Layers: make([]struct {
			FileID   string `json:"file_id" alias:"input"`
			Position string `json:"position,omitempty" alias:"gravity" enum:"center,top-left" also:"northwest=top-left,centre=center"`
		}, 1)}
		in.Layers[0].FileID, in.Layers[0].Position = "a", position
		return in
	}
	for name, test := range map[string]func(*testing.T){
		"as it is called":  accepts("f", want("top-left"), []any{obj{{"fileId", "a"}, {"position", "top-left"}}}),
		"an alias":         accepts("f", want("center"), []any{obj{{"input", "a"}, {"gravity", "center"}}}),
		"another case":     accepts("f", want("top-left"), []any{obj{{"fileId", "a"}, {"position", "Top-Left"}}}),
		"a space":          accepts("f", want("top-left"), []any{obj{{"fileId", "a"}, {"position", "top left"}}}),
		"an underscore":    accepts("f", want("top-left"), []any{obj{{"fileId", "a"}, {"position", "TOP_LEFT"}}}),
		"another word":     accepts("f", want("top-left"), []any{obj{{"fileId", "a"}, {"position", "NorthWest"}}}),
		"a tool's alias":   acceptsTool(want("center"), `{"layers":[{"input":"a","gravity":"centre"}]}`),
		"the last of both": accepts("f", want("center"), []any{obj{{"fileId", "a"}, {"position", "top-left"}, {"gravity", "center"}}}),
	} {
		t.Run(name, test)
	}
	err := refuses[layerIn]([]any{obj{{"fileId", "a"}, {"position", "middle"}}})(t)
	if want := `f: argument "layers[0].position" must be one of "center" or "top-left", got the string "middle"`; err == nil || err.Message != want {
		t.Errorf("\ngot  %v\nwant %s", err, want)
	}
}

type styleIn struct {
	Font string `json:"font,omitempty"`
	Size int    `json:"size,omitempty"`
}

// fontSize was said to mean font.
func TestAWrongNameMeansItsLastWord(t *testing.T) {
	err := refusesTool[styleIn](`{"fontSize":12}`)(t)
	if err == nil || !strings.Contains(err.Message, `did you mean "size"?`) {
		t.Errorf("got %v", err)
	}
}
