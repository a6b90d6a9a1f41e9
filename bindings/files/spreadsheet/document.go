package spreadsheet

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/csvfile"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
	"github.com/xuri/excelize/v2"
)

// document is a workbook that a run has changed and not saved yet. What it holds is its
// content as of the last time that all of it was written down (src), and the changes
// since then in one of three forms: edits of cells, an open excelize workbook, or a csv
// document.
type document struct {
	env *op.Env
	id  string

	mu   sync.Mutex
	file host.File
	src  io.ReaderAt // nil until the file is opened
	size int64
	data *os.File   // what src reads from; nil if that is in memory
	book sheet.Book // of src

	edits xlsx.Edits
	whole *excelize.File
	csv   *csvfile.Document
	dirty bool // whole or csv has changes that src has not
	ahead bool // src or the changes differ from what was saved
}

var _ op.Held = (*document)(nil)

// maxHeld is how many workbooks a run holds changed and unsaved.
const maxHeld = 8

// Save makes the content a new version of the file.
func (d *document) Save(ctx context.Context, direct host.Host) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.ahead {
		return nil
	}
	stage, err := direct.Stage(ctx)
	if err != nil {
		return err
	}
	defer stage.Data.Close()
	if err := d.write(ctx, stage.Data); err != nil {
		return d.failed(err)
	}
	if _, err := direct.Put(ctx, d.id, stage.ID); err != nil {
		return err
	}
	d.release()
	return nil
}

// write writes all of the content as it is now.
func (d *document) write(ctx context.Context, w io.Writer) error {
	wb, isWorkbook := d.book.(*xlsx.Workbook)
	switch {
	case d.csv != nil && d.dirty:
		return d.csv.Write(w)
	case d.whole != nil && d.dirty:
		return guard(func() error { return d.whole.Write(w) })
	case isWorkbook && !d.edits.Empty():
		return wb.Rewrite(ctx, w, &d.edits)
	}
	_, err := io.Copy(w, io.NewSectionReader(d.src, 0, d.size))
	return err
}

func (d *document) failed(err error) error {
	if e := problem.From(err); e.Code != problem.Internal {
		return e
	}
	return problem.New(problem.Internal, "%q cannot be written", d.file.Name).WithCause(err)
}

// release forgets the content: the next operation opens the file anew.
func (d *document) release() {
	if d.whole != nil {
		d.whole.Close()
	}
	if d.data != nil {
		d.data.Close()
	}
	d.src, d.data, d.book, d.whole, d.csv = nil, nil, nil, nil, nil
	d.edits = xlsx.Edits{}
	d.dirty, d.ahead = false, false
}

// load opens the file.
func (d *document) load(ctx context.Context) error {
	if d.src != nil {
		return nil
	}
	from := d.env.Host // if another document is held for the file, its changes come first
	if d.env.HeldOf(d.id) == op.Held(d) {
		from = d.env.Direct
	}
	opened, err := from.Open(ctx, d.id, 0)
	if err != nil {
		return err
	}
	d.file, d.data, d.src, d.size = opened.File, opened.Data, opened.Data, opened.File.Size
	if d.book, err = openBook(ctx, d.env, d.file, d.src, d.size); err != nil {
		d.release()
	}
	return err
}

// current gives the book with all changes in it.
func (d *document) current(ctx context.Context) (sheet.Book, error) {
	if err := d.load(ctx); err != nil {
		return nil, err
	}
	if !d.dirty && d.edits.Empty() {
		return d.book, nil
	}
	var b bytes.Buffer
	if err := d.write(ctx, &capped{&b, d.env.Limits.FileBytes, d.file.Name}); err != nil {
		return nil, d.failed(err)
	}
	src := bytes.NewReader(b.Bytes())
	book, err := openBook(ctx, d.env, d.file, src, int64(b.Len()))
	if err != nil {
		return nil, err
	}
	if d.data != nil {
		d.data.Close()
		d.data = nil
	}
	d.src, d.size, d.book, d.edits, d.dirty = src, int64(b.Len()), book, xlsx.Edits{}, false
	return book, nil
}

// capped is a writer that ends at the size that a file may have.
type capped struct {
	b    *bytes.Buffer
	max  int64
	name string
}

func (c *capped) Write(p []byte) (int, error) {
	if int64(c.b.Len()+len(p)) > c.max {
		return 0, problem.New(problem.FileTooLarge, "%q would have more than %d bytes", c.name, c.max).With("limit", c.max)
	}
	return c.b.Write(p)
}

// cells gives the workbook and the edits to lay over it, and settles what another form
// of change has left.
func (d *document) cells(ctx context.Context) (*xlsx.Workbook, *xlsx.Edits, error) {
	if d.whole != nil {
		if _, err := d.current(ctx); err != nil {
			return nil, nil, err
		}
		d.whole.Close()
		d.whole = nil
	}
	wb, ok := d.book.(*xlsx.Workbook)
	if !ok {
		return nil, nil, valuesOnly(d.file.Name, "this change")
	}
	d.ahead = true
	return wb, &d.edits, nil
}

// excelizeFactor is how many times a worksheet's XML excelize takes in memory (1433 MB
// for one of 80 MB).
const excelizeFactor = 18

// all gives the workbook as excelize has it.
func (d *document) all(ctx context.Context, what string) (*excelize.File, error) {
	if d.whole != nil {
		d.dirty, d.ahead = true, true
		return d.whole, nil
	}
	book, err := d.current(ctx)
	if err != nil {
		return nil, err
	}
	wb, ok := book.(*xlsx.Workbook)
	if !ok {
		return nil, valuesOnly(d.file.Name, what)
	}
	if need := wb.Inflated() * excelizeFactor; need > d.env.Limits.Memory*3/4 {
		return nil, problem.New(problem.TooComplex, "%q is too large for %s: it would take some %d MB of memory", d.file.Name, what, need>>20).
			WithHint("Write values and formats with writeRange, writeCell and setFormat, which take any size.")
	}
	err = guard(func() (err error) {
		d.whole, err = excelize.OpenReader(io.NewSectionReader(d.src, 0, d.size), excelize.Options{
			// Without these, excelize would unpack large parts into temporary files.
			UnzipSizeLimit: d.env.Limits.InflatedBytes, UnzipXMLSizeLimit: d.env.Limits.InflatedBytes,
		})
		return err
	})
	if err != nil {
		return nil, problem.New(problem.DamagedFile, "%q cannot be changed, since parts of it are damaged", d.file.Name).WithCause(err)
	}
	d.dirty, d.ahead = true, true
	return d.whole, nil
}

// guard turns a panic of a format library into an error.
func guard(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("excelize panicked: %v", p)
		}
	}()
	return fn()
}

// table gives the csv document to change; nil if the file is a workbook.
func (d *document) table(ctx context.Context) (*csvfile.Document, error) {
	if d.csv == nil {
		t, ok := d.book.(*csvfile.Table)
		if !ok {
			return nil, nil
		}
		doc, err := csvfile.Load(ctx, t)
		if err != nil {
			return nil, err
		}
		d.csv = doc
	}
	return d.csv, nil
}

func valuesOnly(name, what string) error {
	return problem.New(problem.UnsupportedFormat, "%q holds values only, as csv files do: %s is not possible", name, what).
		WithHint("Write values, or use an .xlsx workbook.")
}

// edit changes a workbook. change is called with the file loaded; changes of one file
// take turns.
func edit(ctx context.Context, env *op.Env, ref string, change func(d *document) error) error {
	id, err := idOf(ctx, env, ref)
	if err != nil {
		return err
	}
	unlock, err := env.Lock(ctx, id)
	if err != nil {
		return err
	}
	defer unlock()
	d, held := env.HeldOf(id).(*document)
	if !held {
		d = &document{env: env, id: id}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.load(ctx); err != nil {
		return err
	}
	if err := change(d); err != nil {
		if !held {
			d.release()
		}
		return err
	}
	if held {
		return nil
	}
	env.Hold(id, d)
	return env.Relieve(ctx, id, maxHeld)
}

// readHeld is read for a file that the run has changed.
func readHeld(ctx context.Context, env *op.Env, ref string, look func(host.File, sheet.Book) error) (done bool, err error) {
	id, err := idOf(ctx, env, ref)
	if err != nil {
		return false, err
	}
	d, ok := env.HeldOf(id).(*document)
	if !ok {
		return false, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	book, err := d.current(ctx)
	if err != nil {
		return true, err
	}
	return true, look(d.file, book)
}

// idOf gives the id of the file that ref names, which may be its id. It does not settle:
// a document that is held stays unsaved.
func idOf(ctx context.Context, env *op.Env, ref string) (string, error) {
	if _, held := env.HeldOf(ref).(*document); held {
		return ref, nil
	}
	file, err := env.Direct.Stat(ctx, ref)
	return file.ID, err
}
