package csvfile

import (
	"context"
	"io"
	"sort"
	"strings"
	"sync"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
	"github.com/sandboxd/sandboxd/problem"
)

// Options describe a file that is opened.
type Options struct {
	Name string // the file's; its ending .tsv tells the delimiter of a file that leaves it open
}

// Table is an open csv or tsv file. It is safe for concurrent use, and reads from the
// file that it was opened with as long as it is used.
type Table struct {
	src     io.ReaderAt
	size    int64
	start   int64 // where the first row begins
	name    string
	dialect Dialect

	mu     sync.Mutex
	points []point
	used   sheet.Range
	known  bool
}

var _ sheet.Book = (*Table)(nil)

// point is where a row begins.
type point struct {
	row    int
	offset int64
}

// pointEvery is how many bytes lie between two points of the index: reading a row
// through it passes half of them, 0.1 ms.
const pointEvery = 256 << 10

// Open finds out how a file is written. Errors: not_text, damaged_file.
func Open(ctx context.Context, src io.ReaderAt, size int64, opt Options) (*Table, error) {
	d, start, err := sniff(ctx, src, size, opt.Name)
	if err != nil {
		return nil, err
	}
	name := opt.Name
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	if name == "" {
		name = "Sheet1"
	}
	return &Table{src: src, size: size, start: start, name: name, dialect: d}, nil
}

// Dialect tells how the file is written.
func (t *Table) Dialect() Dialect { return t.dialect }

// Sheets lists the one sheet, named like the file without its ending.
func (t *Table) Sheets() []sheet.Info {
	return []sheet.Info{{Name: t.name, State: sheet.Visible, Kind: sheet.Worksheet}}
}

// Merged is always empty.
func (t *Table) Merged(context.Context, int) ([]sheet.Range, error) { return nil, nil }

// Text gives a cell's value as the file would have it.
func (t *Table) Text(c sheet.Cell) string { return t.dialect.Format(c.Value) }

// Size is about how many bytes of memory the table keeps.
func (t *Table) Size() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return 4096 + int64(len(t.points))*16
}

func (t *Table) utf16() bool { return t.dialect.Encoding == UTF16LE || t.dialect.Encoding == UTF16BE }

// scan reads rows from the last known place before row on. fn answers sheet.Stop to end.
func (t *Table) scan(ctx context.Context, row int, fn func(row int, fields []field) error) error {
	from := point{1, t.start}
	if !t.utf16() {
		t.mu.Lock()
		if i := sort.Search(len(t.points), func(i int) bool { return t.points[i].row > row }); i > 0 {
			from = t.points[i-1]
		}
		t.mu.Unlock()
	}
	var src io.Reader = io.NewSectionReader(t.src, from.offset, t.size-from.offset)
	if t.utf16() {
		src = decoder(t.dialect.Encoding, src)
	}
	s := &scanner{src: &watched{ctx, src}, buf: make([]byte, 64<<10), base: from.offset, delimiter: t.dialect.Delimiter, row: from.row - 1}
	last := from.offset
	for {
		fields, ok, err := s.next()
		if err != nil {
			return problem.From(err)
		}
		if !ok {
			return nil
		}
		if err := fn(s.row, fields); err == sheet.Stop {
			return nil
		} else if err != nil {
			return err
		}
		if s.offset()-last >= pointEvery && !t.utf16() {
			last = s.offset()
			t.addPoint(point{s.row + 1, last})
		}
	}
}

func (t *Table) addPoint(p point) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.points); n == 0 || p.offset >= t.points[n-1].offset+pointEvery {
		t.points = append(t.points, p)
	}
}

// watched ends a reading when its context does.
type watched struct {
	ctx context.Context
	r   io.Reader
}

func (w *watched) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.r.Read(p)
	if err != nil && err != io.EOF {
		err = unreadable(err)
	}
	return n, err
}

// cell gives a field's text.
func (t *Table) cell(f field) string {
	if t.dialect.Encoding == Windows1252 {
		return text1252(f.text)
	}
	return string(f.text) // sniff has looked: it is UTF-8
}

// Rows hands out the rows of a range that have values.
func (t *Table) Rows(ctx context.Context, i int, within sheet.Range, fn sheet.RowFunc) error {
	if err := t.only(i); err != nil {
		return err
	}
	var cells []sheet.Cell
	var arena sheet.Arena
	keep := arena.Add
	if t.dialect.Encoding == Windows1252 {
		keep = text1252
	}
	return t.scan(ctx, within.MinRow, func(row int, fields []field) error {
		if row < within.MinRow {
			return nil
		}
		if row > within.MaxRow {
			return sheet.Stop
		}
		cells = cells[:0]
		for k := max(within.MinCol, 1) - 1; k < min(within.MaxCol, len(fields)); k++ {
			if len(fields[k].text) > 0 {
				cells = append(cells, sheet.Cell{Value: t.dialect.typed(fields[k].text, keep), Col: int32(k + 1)})
			}
		}
		if len(cells) == 0 {
			return nil
		}
		return fn(row, cells)
	})
}

// Cell gives one cell. Its text is what the file has.
func (t *Table) Cell(ctx context.Context, i int, at sheet.Ref) (sheet.Detail, error) {
	d := sheet.Detail{NumberFormat: "General"}
	if err := t.only(i); err != nil {
		return d, err
	}
	err := t.scan(ctx, at.Row, func(row int, fields []field) error {
		if row < at.Row {
			return nil
		}
		if row == at.Row && at.Col <= len(fields) {
			d.Text = t.cell(fields[at.Col-1])
			d.Value = t.dialect.Typed(d.Text)
		}
		return sheet.Stop
	})
	return d, err
}

// Used gives the range that has values. It looks at the whole file once.
func (t *Table) Used(ctx context.Context, i int) (sheet.Range, bool, error) {
	if err := t.only(i); err != nil {
		return sheet.Range{}, false, err
	}
	t.mu.Lock()
	used, known := t.used, t.known
	t.mu.Unlock()
	if known {
		return used, used.MinRow > 0, nil
	}
	err := t.scan(ctx, 1, func(row int, fields []field) error {
		first, last := 0, 0
		for k := range fields {
			if len(fields[k].text) > 0 {
				first = k + 1
				break
			}
		}
		for k := len(fields) - 1; k >= 0 && first > 0; k-- {
			if len(fields[k].text) > 0 {
				last = k + 1
				break
			}
		}
		if first > 0 {
			used.Include(first, row)
			used.Include(last, row)
		}
		return nil
	})
	if err != nil {
		return sheet.Range{}, false, err
	}
	t.mu.Lock()
	t.used, t.known = used, true
	t.mu.Unlock()
	return used, used.MinRow > 0, nil
}

func (t *Table) only(i int) error {
	if i != 0 {
		return problem.New(problem.NotFound, "there is no sheet %d; a csv file has one", i)
	}
	return nil
}
