// Package op is the operation table: what an operation is, and everything that
// derives from one.
//
// An operation is one typed Go function over an In and an Out struct. Its JavaScript
// function, its tool, the JSON Schemas of both sides, its TypeScript declaration and
// its reference page derive from the two structs and the Doc. All reflection of the
// project is in this package.
//
// # In structs
//
// Exported fields in order are the JavaScript function's positional arguments. A field
// tagged `op:"options"` is a struct whose fields are the members of the trailing options
// object; in the tool they stand flat beside the others. A field's tool name is its json
// tag, its JavaScript name is the js tag or else the json name in camelCase. A field with
// omitempty, with omitzero or of pointer type is optional; optional ones follow the
// required ones. `doc:"…"` describes it, `enum:"a,b"` lists its values, `min:"1"` and
// `max:"9"` bound its numbers; the last three hold for the items of a list as well. Words of
// an enum are taken in any case, and others for them by `also:"north=top"`. A member of an
// object is taken under a further name, which other libraries have for it, by
// `alias:"gravity"`. Schemas and declarations know nothing of these.
//
// Fields may be string, bool, int of any size, float64, []byte (a Uint8Array or base64),
// any, json.RawMessage, and structs, slices, maps with string keys and pointers of these,
// and, going in, a Variant, which is written in one of several forms.
// A field of type any takes any plain value: nil, bool, int64, float64, string, []any,
// Object, and in JavaScript []byte. The fields of an embedded struct count as the
// outer's own.
//
// # Out structs
//
// Fields are named alike. A field tagged `op:"result"` is, alone, what the JavaScript
// function answers; the tool answers the whole struct. A member that may be missing has
// omitempty, or omitzero where an empty list should stay; any other nil slice is [].
//
// # What derives
//
// Define reads the two types into shapes (shape.go) and refuses what is unsound
// (sound.go). From the shapes come binding (bind.go, mismatch.go), results (result.go),
// schemas (schema.go), TypeScript (typescript.go, tstype.go), the reference page
// (reference.go) and the sandbox's help (help.go, search.go, nearest.go). Between the
// caller and the structs stand plain values (plain.go). Env is what an operation works on.
//
// Imports problem, limits and host. Start reading at Define.
package op

import (
	"context"
	"reflect"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// Func is an operation's implementation. It runs inside a worker, concurrently with
// others of its run, and answers *problem.Error for whatever the caller should read.
type Func[In, Out any] func(ctx context.Context, env *Env, in In) (Out, error)

// Cost says roughly what a call costs, for readers and for choosing between operations.
type Cost string

// The cost classes.
const (
	CostLookup  Cost = "lookup"  // metadata only: microseconds
	CostRead    Cost = "read"    // reads the part asked for
	CostWrite   Cost = "write"   // makes a new version
	CostParse   Cost = "parse"   // works through a whole document, cached afterwards
	CostNetwork Cost = "network" // leaves the machine
)

// Doc is what a person or a model reads about an operation.
type Doc struct {
	Summary  string    // one sentence, shown in lists and as the tool's description
	Details  string    // more, in Markdown; optional
	Examples []Example // at least one
	Cost     Cost

	ReadOnly    bool // changes nothing
	Destructive bool // may take something away (a version of it is still kept)
	Idempotent  bool // a second same call changes nothing more
}

// Example is a piece of script that calls the operation.
type Example struct {
	Title string
	Code  string
}

// Operation is an entry of the table.
type Operation struct {
	Name string // in JavaScript: files.readText
	Tool string // as a tool: file_read_text
	Doc  Doc

	in, out *shape

	inSchema, outSchema func() *jsonschema.Schema

	call func(ctx context.Context, env *Env, in reflect.Value) (any, error)
}

// Define makes an operation of a function. It panics when In or Out break the rules
// above: that is a mistake of the program, found by the first test.
func Define[In, Out any](name, tool string, fn Func[In, Out], doc Doc) Operation {
	o := Operation{
		Name: name,
		Tool: tool,
		Doc:  doc,
		call: func(ctx context.Context, env *Env, in reflect.Value) (any, error) {
			return fn(ctx, env, in.Interface().(In))
		},
	}
	o.mustBeSound(reflect.TypeFor[In](), reflect.TypeFor[Out]())
	args, answer := o.toolFields(), o.out.fields
	o.inSchema = sync.OnceValue(func() *jsonschema.Schema { return objectSchema(args, taken) })
	o.outSchema = sync.OnceValue(func() *jsonschema.Schema { return objectSchema(answer, answered) })
	return o
}
