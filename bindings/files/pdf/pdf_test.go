package pdf_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/pdf"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/fonts"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/engine/enginetest"
	"github.com/sandboxd/sandboxd/host/hosttest"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/op/optest"
	"github.com/sandboxd/sandboxd/problem"
)

const corpus = "../../../../shared/corpus"

var table = pdf.Operations()

func TestTableIsSound(t *testing.T) {
	if err := table.Check(); err != nil {
		t.Fatal(err)
	}
}

func TestExamplesCompile(t *testing.T) { optest.Examples(t, table) }

var placesOf = sync.OnceValues(enginetest.InModule)

// engines are loaded once for all tests.
var engines = sync.OnceValue(func() *engine.Set {
	places, err := placesOf()
	if err != nil {
		panic(err)
	}
	return engine.NewSet([]engine.Engine{pdfium.Engine(), fonts.Engine()}, places)
})

// run is one run in a workspace of its own.
type run struct {
	t    testing.TB
	host *hosttest.Memory
	env  *op.Env
}

// newRun skips the test where there is no PDFium.
func newRun(t testing.TB) *run {
	t.Helper()
	r := newRunWithin(t, limits.Limits{})
	if _, err := engine.Of[*pdfium.Library](r.env.Engines, pdfium.Name); errors.Is(err, engine.ErrMissing) {
		t.Skip("there is no pdfium.wasm: run make engines")
	}
	return r
}

func newRunWithin(t testing.TB, l limits.Limits) *run {
	t.Helper()
	h := hosttest.New(t)
	r := &run{t, h, op.NewEnv(h, l, op.NewCache(128<<20))}
	r.env.Engines = engines()
	return r
}

// end settles, as the end of a run does.
func (r *run) end() {
	r.t.Helper()
	if err := r.env.Settle(context.Background(), ""); err != nil {
		r.t.Fatal(err)
	}
}

// bytes are a file's, with all that was done to it.
func (r *run) bytes(name string) []byte {
	r.t.Helper()
	r.end()
	return r.host.Bytes(r.t, name)
}

// js calls an operation by its JavaScript name; the answer is plain values.
func (r *run) js(name string, args ...any) (any, error) {
	r.t.Helper()
	o, ok := table.Lookup("files.pdf." + name)
	if !ok {
		r.t.Fatalf("there is no operation %s", name)
	}
	in, wrong := o.BindJS(args)
	if wrong != nil {
		return nil, wrong
	}
	out, err := o.Call(context.Background(), r.env, in)
	if err != nil {
		return nil, err
	}
	return o.ResultJS(out), nil
}

// tool calls an operation by its tool name and reads the answer into out.
func (r *run) tool(name, args string, out any) error {
	r.t.Helper()
	o, ok := table.LookupTool(name)
	if !ok {
		r.t.Fatalf("there is no tool %s", name)
	}
	in, wrong := o.BindTool(json.RawMessage(args))
	if wrong != nil {
		return wrong
	}
	answer, err := o.Call(context.Background(), r.env, in)
	if err != nil {
		return err
	}
	text, err := o.ResultTool(answer)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, out)
}

// must is tool for calls that must succeed.
func (r *run) must(name, args string, out any) {
	r.t.Helper()
	if err := r.tool(name, args, out); err != nil {
		r.t.Fatalf("%s %s: %v", name, args, err)
	}
}

// corpusFile skips the test where the corpus is not there.
func corpusFile(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(corpus, "pdf", name))
	if err != nil {
		t.Skip("the corpus is not here")
	}
	return data
}

func wantCode(t testing.TB, err error, code problem.Code, words ...string) {
	t.Helper()
	var e *problem.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	for _, word := range words {
		if !strings.Contains(e.Message+" "+e.Hint, word) {
			t.Errorf("%q does not say %q", e.Message+" "+e.Hint, word)
		}
	}
}

// page is one of a PDF that a test makes.
type page struct {
	attributes string // of its dictionary, such as /Rotate 90; a MediaBox of 300 × 200 is there unless they have one
	content    string
}

// makePDF makes a PDF of pages. The fonts F (Helvetica) and C (Courier) are there; more
// objects follow from number 10 on, and catalog is what the catalog says beside the pages.
func makePDF(catalog string, pages []page, objects ...string) []byte {
	var b bytes.Buffer
	offsets := map[int]int{}
	object := func(number int, text string) {
		offsets[number] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", number, text)
	}
	first := 10 + len(objects)
	kids := make([]string, len(pages))
	for i := range pages {
		kids[i] = fmt.Sprintf("%d 0 R", first+2*i)
	}
	b.WriteString("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n")
	object(1, "<</Type/Catalog/Pages 2 0 R"+catalog+">>")
	object(2, fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", len(pages), strings.Join(kids, " ")))
	object(3, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	object(4, "<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>")
	object(5, "<</Title(A test)/Author(Someone)/CreationDate(D:20240131120000+02'00')>>")
	for i, text := range objects {
		object(10+i, text)
	}
	for i, p := range pages {
		if !strings.Contains(p.attributes, "/MediaBox") {
			p.attributes += "/MediaBox[0 0 300 200]"
		}
		object(first+2*i, fmt.Sprintf("<</Type/Page/Parent 2 0 R/Resources<</Font<</F 3 0 R/C 4 0 R>>/XObject<</X 10 0 R>>>>/Contents %d 0 R%s>>", first+2*i+1, p.attributes))
		object(first+2*i+1, fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(p.content), p.content))
	}
	size := first + 2*len(pages)
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", size)
	for n := 1; n < size; n++ {
		if at, ok := offsets[n]; ok {
			fmt.Fprintf(&b, "%010d 00000 n \n", at)
		} else {
			b.WriteString("0000000000 00000 f \n")
		}
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R/Info 5 0 R>>\nstartxref\n%d\n%%%%EOF\n", size, xref)
	return b.Bytes()
}

// say is content that shows a text.
func say(x, y float64, text string) string {
	return fmt.Sprintf("BT /F 24 Tf %v %v Td (%s) Tj ET\n", x, y, text)
}
