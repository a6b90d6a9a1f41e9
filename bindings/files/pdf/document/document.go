// Package document is a PDF as a graph of objects that can be changed and written anew.
//
// pdfcpu reads a file into its objects, lenient about what is broken; here they are
// changed in place and what the pages still need is written by Write. Nothing is validated or
// decoded on the way, so a file that pdfcpu's own operations refuse is kept as it is, and
// streams are copied as they came.
//
// Open and New make a Document; pages.go knows its pages and how a person sees them;
// compose.go adds content to them; take.go and merge.go make documents of others' pages;
// security.go locks and unlocks; write.go writes.
//
// Imports problem and pdfcpu. Start reading at Document, then Write.
package document

import (
	"context"
	"fmt"
	"strings"

	"github.com/klauspost/compress/zlib"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Document is a PDF in memory. It is not safe for concurrent use.
type Document struct {
	Catalog types.Dict
	Info    types.Dict // nil if there is none
	Pages   []*Page

	*store
	over    map[int]types.Object // instead of the store's; of a document that shares it
	id      types.Object         // the first half of the trailer's ID, a string; nil if there is none
	version string               // "1.7"
	lock    *lock                // nil if it is not encrypted
	finish  []func() error

	fieldNames map[string]bool // of the form's fields; nil until one is appended
}

// store holds the objects of a document, and of those that are made of its pages.
type store struct {
	objects map[int]types.Object // by object number; what is missing is null
	last    int                  // the highest object number
	nodes   map[int]bool         // objects that are pages, or nodes of the page tree as read
	same    map[int]int          // objects that another one stands for
	numbers []int32              // what a writer needs, kept for the next
	packer  *zlib.Writer
}

// New makes a document without pages.
func New() *Document {
	return &Document{
		Catalog: types.Dict{"Type": types.Name("Catalog")},
		store:   newStore(0), version: "1.7",
	}
}

func newStore(size int) *store {
	return &store{objects: make(map[int]types.Object, size), nodes: map[int]bool{}, same: map[int]int{}}
}

// Add makes an object of the document and gives the reference to it.
func (d *Document) Add(o types.Object) types.IndirectRef {
	d.last++
	d.objects[d.last] = o
	return ref(d.last)
}

// Reserve gives a reference to an object that Set makes later.
func (d *Document) Reserve() types.IndirectRef {
	d.last++
	return ref(d.last)
}

// Set makes o the object that r refers to.
func (d *Document) Set(r types.IndirectRef, o types.Object) { d.objects[r.ObjectNumber.Value()] = o }

// BeforeWrite has f called by every Write, in the order of these calls, before anything is
// written.
func (d *Document) BeforeWrite(f func() error) { d.finish = append(d.finish, f) }

func ref(number int) types.IndirectRef {
	return types.IndirectRef{ObjectNumber: types.Integer(number)}
}

// maxHops is how many references are followed to an object.
const maxHops = 16

// Get gives the object that o refers to, or o itself; nil is the null object.
func (d *Document) Get(o types.Object) types.Object {
	for range maxHops {
		r, ok := o.(types.IndirectRef)
		if !ok {
			return o
		}
		o = d.object(r.ObjectNumber.Value())
	}
	return nil
}

// object gives an object by its number, read to the end.
func (d *Document) object(number int) types.Object {
	if o, ok := d.over[number]; ok {
		return o
	}
	o := d.objects[number]
	lazy, ok := o.(types.LazyObjectStreamObject)
	if !ok {
		return o
	}
	decoded, err := decodeLazy(&lazy)
	if err != nil {
		decoded = nil // what cannot be read is null, as for a viewer
	}
	d.objects[number] = decoded
	return decoded
}

func decodeLazy(lazy *types.LazyObjectStreamObject) (o types.Object, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("pdfcpu panicked: %v", p)
		}
	}()
	return lazy.DecodedObject(context.Background())
}

// Dict gives the dictionary that o is or refers to, that of a stream too; nil if it is none.
func (d *Document) Dict(o types.Object) types.Dict {
	switch o := d.Get(o).(type) {
	case types.Dict:
		return o
	case types.StreamDict:
		return o.Dict
	case *types.StreamDict:
		return o.Dict
	}
	return nil
}

// Array gives the array that o is or refers to, or nil.
func (d *Document) Array(o types.Object) types.Array {
	a, _ := d.Get(o).(types.Array)
	return a
}

// Name gives the name that o is or refers to, or "".
func (d *Document) Name(o types.Object) string {
	n, _ := d.Get(o).(types.Name)
	return string(n)
}

// Number gives the number that o is or refers to.
func (d *Document) Number(o types.Object) (float64, bool) {
	switch n := d.Get(o).(type) {
	case types.Integer:
		return float64(n), true
	case types.Float:
		return float64(n), true
	}
	return 0, false
}

// Text gives the text of the string or name that o is or refers to.
func (d *Document) Text(o types.Object) (string, bool) {
	var text string
	var err error
	switch s := d.Get(o).(type) {
	case types.StringLiteral:
		text, err = types.StringLiteralToString(s)
	case types.HexLiteral:
		text, err = types.HexLiteralToString(s)
	case types.Name:
		text = string(s)
	default:
		return "", false
	}
	return text, err == nil
}

// stringBytes gives the bytes of a string.
func stringBytes(o types.Object) []byte {
	switch s := o.(type) {
	case types.StringLiteral:
		b, err := types.Unescape(string(s))
		if err == nil {
			return b
		}
	case types.HexLiteral:
		b, err := s.Bytes()
		if err == nil {
			return b
		}
	}
	return nil
}

// String makes a text string: as it is if it is ASCII, else as UTF-16.
func String(text string) types.Object {
	for _, r := range text {
		if r < ' ' || r > '~' {
			return types.NewHexLiteral([]byte(types.EncodeUTF16String(text)))
		}
	}
	return types.StringLiteral(literal.Replace(text))
}

var literal = strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`)

// Encrypted tells whether the document is, or will be, encrypted.
func (d *Document) Encrypted() bool { return d.lock != nil }
