package xlsx

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/sandboxd/sandboxd/bindings/files/spreadsheet/sheet"
)

// sharedStrings is the table of texts that cells refer to by number. It is read only as
// far as somebody asked for: writers number strings by their first use, so that the top
// of a sheet needs the top of the table.
type sharedStrings struct {
	wb   *Workbook
	part *part // nil if the workbook has none
	max  int64

	mu      sync.Mutex
	body    *body // open while there is more
	x       *xmlScanner
	done    bool
	err     error
	arena   sheet.Arena
	scratch []byte
	loaded  atomic.Pointer[[]string] // all strings read so far; only ever appended to
	bytes   atomic.Int64
}

// snapshot gives the strings read so far.
func (t *sharedStrings) snapshot() []string {
	if list := t.loaded.Load(); list != nil {
		return *list
	}
	return nil
}

func (t *sharedStrings) size() int64 { return t.bytes.Load() }

// need reads on until string i is there, or the table ends, and gives what was read.
func (t *sharedStrings) need(ctx context.Context, i int) ([]string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := t.snapshot()
	if i < len(list) || t.done || t.part == nil {
		return list, t.err
	}
	if t.x == nil {
		// The reader outlives this call: cancelling the call must not end it.
		b, err := t.wb.archive.open(context.WithoutCancel(ctx), t.part, nil)
		if err != nil {
			return list, t.end(err)
		}
		t.body = b
		src, _, err := asUTF8(b)
		if err != nil {
			return list, t.end(err)
		}
		t.x = &xmlScanner{stream: newStream(src, make([]byte, 64<<10))}
	}
	// A few more than asked for, so that neighbours do not come here one by one.
	for until := i + 1000; len(list) <= until; {
		if len(list)%1000 == 0 && ctx.Err() != nil {
			t.publish(list)
			return list, ctx.Err()
		}
		text, ok, err := t.nextItem()
		if err != nil || !ok {
			t.publish(list)
			return list, t.end(err)
		}
		list = append(list, text)
		if t.arena.Size()+int64(cap(list))*16 > t.max {
			return list, t.end(tooComplex("the workbook's texts take more than %d MB", t.max>>20))
		}
	}
	t.publish(list)
	return list, nil
}

func (t *sharedStrings) publish(list []string) {
	t.loaded.Store(&list)
	t.bytes.Store(t.arena.Size() + int64(cap(list))*16)
}

func (t *sharedStrings) end(err error) error {
	t.done, t.err = true, err
	if t.body != nil {
		t.body.close()
		t.body = nil
	}
	t.x = nil
	return err
}

// nextItem reads the next <si>; false at the end of the table.
func (t *sharedStrings) nextItem() (text string, ok bool, err error) {
	x := t.x
	for {
		if err := x.next(); err != nil {
			return "", false, err
		}
		switch {
		case x.kind == endOfPart:
			return "", false, nil
		case x.kind == startTag && string(x.name) == "si":
			var err error
			t.scratch, err = x.richText(t.scratch[:0])
			return t.arena.Add(unescapeX(t.scratch)), true, err
		}
	}
}

// richText gives the text of an <si> or <is> element whose start tag was read last, up
// to its end: that of its runs, without the phonetic ones.
func (x *xmlScanner) richText(into []byte) ([]byte, error) {
	for depth := x.depth; ; {
		if err := x.next(); err != nil {
			return into, err
		}
		switch {
		case x.kind == endOfPart:
			return into, damaged("the workbook's texts end within one")
		case x.kind == endTag && x.depth < depth:
			return into, nil
		case x.kind != startTag:
		case string(x.name) == "rPh":
			if err := x.skip(); err != nil {
				return into, err
			}
		case string(x.name) == "t":
			for inner := x.depth; ; {
				if err := x.next(); err != nil {
					return into, err
				}
				if x.kind == charData {
					into = append(into, x.text...)
				} else if x.kind == endOfPart || x.kind == endTag && x.depth < inner {
					break
				}
			}
		}
	}
}
