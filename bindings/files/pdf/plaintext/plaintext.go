// Package plaintext reads the text of ordinary PDFs without PDFium, and knows which ones are
// ordinary.
//
// Opening a document in PDFium and having it load the fonts of every page takes most of the
// time of reading its text, and none of what it loads is needed where the file says what its
// characters mean. So this package reads the objects it needs (syntax.go, file.go,
// objects.go, pages.go), runs the content of a page for its text alone (content.go, show.go)
// with what the fonts say of codes and widths (font.go and what it calls), and puts words and
// lines together by PDFium's rules (assemble.go, breaks.go), so that both answer the same.
// Whatever is damaged, encrypted or out of the ordinary is ErrUnsure, for the whole
// document, and PDFium has to read it.
//
// A document of 33 pages takes a ninth of the time that PDFium needs, one of two pages an
// eleventh (measured; 455 of 545 documents of the suites of pdf.js, pdf-lib and pdfcpu are
// read, all but one of them word by word as PDFium reads them).
//
// Everything is linear in the file and bounded by Options. Imports the standard library,
// klauspost/compress, golang.org/x/text and pdfcpu's metrics of the standard fonts. Start
// reading at Open, then Document.Text.
package plaintext

import (
	"context"
	"errors"
	"fmt"
)

// ErrUnsure is what Open and Text answer for a document that is not ordinary. It says
// nothing about the document being good or bad.
var ErrUnsure = errors.New("plaintext: not an ordinary document")

func unsure(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsure, fmt.Sprintf(format, args...))
}

// Options bound what is read. What is beyond them is ErrUnsure.
type Options struct {
	MaxPages int   // Defaults to 5,000.
	MaxBytes int64 // of one stream, inflated; all may have eight times as much. Defaults to 64 MB.
}

const (
	maxOperators = 20_000_000 // of a document
	maxValues    = 2_000_000  // numbers, names and the like in its objects
	dictValues   = 8          // what a dictionary counts besides
	maxKept      = 1_000_000  // widths, meanings and glyphs of all fonts
	maxText      = 1 << 20    // characters of a page, and what else is between them
	objectChars  = 8          // what each text counts besides
	maxForms     = 16         // forms within forms
	maxNesting   = 64         // arrays and dictionaries within each other
)

func (o Options) complete() Options {
	if o.MaxPages <= 0 {
		o.MaxPages = 5000
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 64 << 20
	}
	return o
}

// Document is a PDF that is read for its text. It is not safe for concurrent use.
type Document struct {
	file
	pages     []page
	fonts     map[Ref]*font
	operators int
	kept      int // of maxKept
}

// Open reads a document's structure. It keeps data, which must not change any more. Errors
// are ErrUnsure, wrapped, and ctx's.
func Open(ctx context.Context, data []byte, opts Options) (d *Document, err error) {
	opts = opts.complete()
	d = &Document{fonts: map[Ref]*font{}}
	d.data, d.most, d.budget, d.values = data, opts.MaxBytes, 8*opts.MaxBytes, maxValues
	defer catch(&err)
	root := d.readTables()
	d.readPages(ctx, root, opts.MaxPages)
	return d, ctx.Err()
}

// Pages is how many pages the document has.
func (d *Document) Pages() int { return len(d.pages) }

// Text is the text of a page, which is counted from 0, its lines ended by "\n". Errors are
// ErrUnsure, wrapped, and ctx's.
func (d *Document) Text(ctx context.Context, page int) (text string, err error) {
	defer catch(&err)
	p := &d.pages[page]
	r := runner{doc: d, ctx: ctx}
	r.page(p)
	return assemble(ctx, p, r.objects), ctx.Err()
}

// keep bounds what is kept of fonts, of which n is about 50 bytes each.
func (d *Document) keep(n int) {
	if d.kept += n; d.kept > maxKept {
		fail("too much in the fonts")
	}
}

// proceed ends the work when ctx is done.
func proceed(ctx context.Context) {
	if err := ctx.Err(); err != nil {
		panic(stop{err})
	}
}

// stop is how deeply nested code ends: a panic that catch turns into the error.
type stop struct{ error }

// give up on the document.
func fail(format string, args ...any) { panic(stop{unsure(format, args...)}) }

func catch(err *error) {
	switch p := recover().(type) {
	case nil:
	case stop:
		*err = p.error
	default:
		panic(p)
	}
}
