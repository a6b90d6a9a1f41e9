package op_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/op"
)

func defining[In, Out any](name, tool string, doc op.Doc) func() {
	return func() { op.Define(name, tool, do[In, Out], doc) }
}

type hidden struct {
	X string `json:"x"`
}

type tree struct {
	Children []tree `json:"children"`
}

func TestDefineRefusesWhatIsUnsound(t *testing.T) {
	doc := op.Doc{Summary: "S.", Cost: op.CostLookup, Examples: example("1")}
	with := func(change func(*op.Doc)) op.Doc {
		d := doc
		change(&d)
		return d
	}
	type ok = nothing
	for want, define := range map[string]func(){
		"the JavaScript name is not of the form":  defining[ok, ok]("Files.readText", "a", doc),
		"the JavaScript name is not of the form ": defining[ok, ok]("files..a", "a", doc),
		"the tool name is not of the form":        defining[ok, ok]("a", "readText", doc),
		"Doc.Summary is missing":                  defining[ok, ok]("a", "a", with(func(d *op.Doc) { d.Summary = "" })),
		"Doc.Examples is empty":                   defining[ok, ok]("a", "a", with(func(d *op.Doc) { d.Examples = nil })),
		"Doc.Examples has one without code":       defining[ok, ok]("a", "a", with(func(d *op.Doc) { d.Examples = example("") })),
		"is not a cost class":                     defining[ok, ok]("a", "a", with(func(d *op.Doc) { d.Cost = "cheap" })),
		"both ReadOnly and Destructive":           defining[ok, ok]("a", "a", with(func(d *op.Doc) { d.ReadOnly, d.Destructive = true, true })),
		"must be structs":                         defining[string, ok]("a", "a", doc),
		"must be structs ":                        defining[ok, []string]("a", "a", doc),
		"it has no json name":                     defining[struct{ X string }, ok]("a", "a", doc),
		"chan int has no plain form": defining[struct {
			X chan int `json:"x"`
		}, ok]("a", "a", doc),
		"uint has no plain form": defining[struct {
			X uint `json:"x"`
		}, ok]("a", "a", doc),
		"time.Time": defining[ok, struct {
			X []func() time.Time `json:"x"`
		}]("a", "a", doc),
		"only maps with string keys": defining[struct {
			X map[int]string `json:"x"`
		}, ok]("a", "a", doc),
		"points to a pointer": defining[struct {
			X **int `json:"x"`
		}, ok]("a", "a", doc),
		"contains itself": defining[ok, tree]("a", "a", doc),
		"only arguments are written in several forms": defining[ok, struct {
			X []places `json:"x"`
		}]("a", "a", doc),
		"only members of objects have aliases": defining[struct {
			X string `json:"x" alias:"y"`
		}, ok]("a", "a", doc),
		"a word of its enum": defining[struct {
			X string `json:"x" enum:"a,b" also:"c=d"`
		}, ok]("a", "a", doc),
		"have one name": defining[struct {
			X []struct {
				Y string `json:"y" alias:"z"`
				Z string `json:"z"`
			} `json:"x"`
		}, ok]("a", "a", doc),
		"context.Context has no plain form": defining[struct {
			X context.Context `json:"x"`
		}, ok]("a", "a", doc),
		`op:"option" is neither`: defining[struct {
			X hidden `op:"option"`
		}, ok]("a", "a", doc),
		"has a role but is not exported": defining[struct {
			hidden `op:"options"`
		}, ok]("a", "a", doc),
		"the options must be the last field": defining[struct {
			O hidden `op:"options"`
			X string `json:"y"`
		}, ok]("a", "a", doc),
		"the options must be a struct": defining[struct {
			O string `op:"options"`
		}, ok]("a", "a", doc),
		"X and X have one tool name": defining[struct {
			X string `json:"x"`
			O hidden `op:"options"`
		}, ok]("a", "a", doc),
		"X and Y have one name": defining[struct {
			X string `json:"x"`
			Y string `json:"y" js:"x"`
		}, ok]("a", "a", doc),
		"is required but follows X": defining[struct {
			X *string `json:"x"`
			Y string  `json:"y"`
		}, ok]("a", "a", doc),
		"is required but follows X, ": defining[struct {
			X string `json:"w,omitempty"`
			O hidden `op:"options"`
		}, ok]("a", "a", doc),
		`op:"result" belongs to Out`: defining[struct {
			X string `json:"x" op:"result"`
		}, ok]("a", "a", doc),
		`op:"options" belongs to In`: defining[ok, struct {
			O hidden `op:"options"`
		}]("a", "a", doc),
		"more than one field is the result": defining[ok, struct {
			X string `json:"x" op:"result"`
			Y string `json:"y" op:"result"`
		}]("a", "a", doc),
		"only a field of In or Out itself has a role": defining[ok, struct {
			X []listOut `json:"x"`
		}]("a", "a", doc),
		"enum is for strings": defining[struct {
			X int `json:"x" enum:"1,2"`
		}, ok]("a", "a", doc),
		"min and max are for numbers": defining[struct {
			X []string `json:"x" min:"1"`
		}, ok]("a", "a", doc),
		`min or max "one" is not a number`: defining[struct {
			X int `json:"x" min:"one"`
		}, ok]("a", "a", doc),
	} {
		t.Run(want, func(t *testing.T) {
			defer func() {
				message, _ := recover().(string)
				if !strings.Contains(message, strings.TrimRight(want, " ,")) || !strings.HasPrefix(message, "op.Define(") {
					t.Errorf("panicked with %q", message)
				}
			}()
			define()
			t.Error("it was taken")
		})
	}
}

// A required option makes the options required, as a missing one would be found anyway.
func TestRequiredOptions(t *testing.T) {
	type in struct {
		ID      string `json:"id"`
		Options hidden `op:"options"`
	}
	if _, err := bindJS[in](t, "f", "a"); err == nil || err.Message != `f: argument "options" is missing; it must be an object {x}` {
		t.Errorf("got %v", err)
	}
	if _, err := bindTool[in](t, "f", `{"id":"a"}`); err == nil || err.Message != `f: argument "x" is missing; it must be a string` {
		t.Errorf("got %v", err)
	}
	if got, err := bindTool[in](t, "f", `{"id":"a","x":"y"}`); err != nil || got.Options.X != "y" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestTable(t *testing.T) {
	table := sample()
	check(t, table.Check())
	for i := range table {
		if o, ok := table.Lookup(table[i].Name); !ok || o != &table[i] {
			t.Errorf("%s is not found", table[i].Name)
		}
		if o, ok := table.LookupTool(table[i].Tool); !ok || o != &table[i] {
			t.Errorf("%s is not found", table[i].Tool)
		}
	}
	if _, ok := table.Lookup("file_list"); ok {
		t.Error("a tool's name was taken for a function's")
	}
	one := func(name, tool string) op.Operation {
		return op.Define(name, tool, do[nothing, nothing], op.Doc{Summary: "S.", Cost: op.CostLookup, Examples: example("1")})
	}
	for want, table := range map[string]op.Table{
		"two operations are called a.b":                  {one("a.b", "x"), one("a.b", "y")},
		"two tools are called x":                         {one("a.b", "x"), one("a.c", "x")},
		"a.b is an operation and the namespace of a.b.c": {one("a.b.c", "x"), one("a.b", "y")},
	} {
		if err := table.Check(); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
