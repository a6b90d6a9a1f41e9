package spreadsheet

import (
	"bytes"
	"context"
	"io"
	"os"
	"sync"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/csvfile"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/xlsx"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// document is a workbook that a run has changed and not saved yet. What it holds is its
// content as of the last time that all of it was written down (src), and the changes
// since then: edits of a workbook, or a csv document.
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
	csv   *csvfile.Document
	dirty bool // csv has changes that src has not
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
	if d.data != nil {
		d.data.Close()
	}
	d.src, d.data, d.book, d.csv = nil, nil, nil, nil
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
	// A book that was read before knows its rows already. It has a descriptor of its own.
	if book, ok := d.env.Cache.Get(cacheKeyOf(d.file)).(sheet.Book); ok {
		d.book = book
		return nil
	}
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
	if err := d.replace(ctx, d.write); err != nil {
		return nil, err
	}
	return d.book, nil
}

// view gives a book that shows all changes. It is valid until there are more.
func (d *document) view(ctx context.Context) (sheet.Book, error) {
	if err := d.load(ctx); err != nil {
		return nil, err
	}
	if wb, ok := d.book.(*xlsx.Workbook); ok && !d.edits.Empty() {
		return wb.With(&d.edits), nil
	}
	return d.current(ctx)
}

// replace makes what write writes the content, with nothing left to write down.
func (d *document) replace(ctx context.Context, write func(context.Context, io.Writer) error) error {
	var b bytes.Buffer
	if err := write(ctx, &capped{&b, d.env.Limits.FileBytes, d.file.Name}); err != nil {
		return d.failed(err)
	}
	src := bytes.NewReader(b.Bytes())
	book, err := openBook(ctx, d.env, d.file, src, int64(b.Len()))
	if err != nil {
		return err
	}
	if d.data != nil {
		d.data.Close()
		d.data = nil
	}
	d.src, d.size, d.book, d.edits, d.dirty = src, int64(b.Len()), book, xlsx.Edits{}, false
	return nil
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

// cells gives the workbook and the edits to lay over it, and writes down what has moved:
// cells are where the workbook has them.
func (d *document) cells(ctx context.Context) (*xlsx.Workbook, *xlsx.Edits, error) {
	if d.edits.Moved() {
		if _, err := d.current(ctx); err != nil {
			return nil, nil, err
		}
	}
	return d.workbook("this change")
}

// workbook gives the workbook and the edits to lay over it. Rows and columns may have
// moved: places in the edits are those of now.
func (d *document) workbook(what string) (*xlsx.Workbook, *xlsx.Edits, error) {
	wb, ok := d.book.(*xlsx.Workbook)
	if !ok {
		return nil, nil, valuesOnly(d.file.Name, what)
	}
	d.ahead = true
	return wb, &d.edits, nil
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
	ahead := d.ahead
	if err := change(d); err != nil {
		if !ahead {
			d.release() // nothing has changed
		}
		return err
	}
	if held {
		return nil
	}
	env.Hold(id, d)
	return env.Relieve(ctx, id, maxHeld)
}

// readHeld is read for a file that the run has changed. written says that look needs the
// changes written down, and not only a book that shows them.
func readHeld(ctx context.Context, env *op.Env, ref string, written bool, look func(host.File, sheet.Book) error) (done bool, err error) {
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
	show := d.view
	if written {
		show = d.current
	}
	book, err := show(ctx)
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
