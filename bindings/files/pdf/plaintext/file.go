package plaintext

import (
	"bytes"
	"io"
	"math"
	"strconv"
)

// file is where the objects of a document are.
type file struct {
	data    []byte
	entries []entry // by object number
	packs   map[int]*pack
	cache   map[Ref]any
	loading map[Ref]bool

	unpacker io.ReadCloser
	most     int64 // bytes of one stream, and of all object streams, inflated
	budget   int64 // how many bytes may still be inflated
	packed   int64 // bytes of object streams
	listed   int   // entries of all tables
	tables   uint16
	values   int // how many values objects may still have
}

// entry says where an object is: at an offset, or in an object stream.
type entry struct {
	kind  uint8  // 0 for what is not known yet
	table uint16 // which one says so, the newest being 1
	index int32  // within the stream
	at    int    // offset, or the stream's number
}

const (
	unused = iota + 1
	inFile
	inStream
	disputed // not to be sure of it
)

const (
	maxObjects = 1_000_000
	maxTables  = 1000 // an update adds one
)

// readTables reads the cross-reference tables, the newest first, and gives the reference to
// the catalog.
func (f *file) readTables() (root Ref) {
	if !bytes.HasPrefix(f.data, []byte("%PDF-")) {
		fail("no header")
	}
	f.packs, f.cache, f.loading = map[int]*pack{}, map[Ref]any{}, map[Ref]bool{}
	tail := f.data[max(0, len(f.data)-2048):]
	at := bytes.LastIndex(tail, []byte("startxref"))
	if at < 0 {
		fail("no startxref")
	}
	l := lexer{data: tail, at: at + len("startxref")}
	next := l.integer()
	seen := map[int]bool{}
	for first := true; next >= 0; first = false {
		if seen[next] || len(seen) == maxTables || next >= len(f.data) {
			fail("the table at %d", next)
		}
		seen[next] = true
		f.tables++
		trailer := f.readTable(next)
		if trailer["Encrypt"] != nil || trailer["XRefStm"] != nil {
			fail("encrypted or hybrid")
		}
		if first {
			root, _ = trailer["Root"].(Ref)
		}
		switch prev := trailer["Prev"].(type) {
		case nil:
			next = -1
		case float64:
			next = toInt(prev)
		default:
			fail("the previous table")
		}
	}
	return root
}

func (f *file) readTable(at int) (trailer Dict) {
	l := &lexer{data: f.data, at: at, left: &f.values}
	t := l.next()
	switch {
	case t.kind == keyword && string(t.bytes) == "xref":
		return f.readPlain(l)
	case t.kind == number:
		l.integer()
		l.word("obj")
		s, ok := f.body(l).(*Stream)
		if !ok || s.Dict["Type"] != Name("XRef") {
			fail("no table")
		}
		f.readStream(s)
		return s.Dict
	}
	fail("no table")
	return nil
}

// readPlain reads a table of lines of 20 bytes.
func (f *file) readPlain(l *lexer) Dict {
	for {
		t := l.next()
		if t.kind == keyword && string(t.bytes) == "trailer" {
			trailer, _ := l.object().(Dict)
			return trailer
		}
		if t.kind != number {
			fail("the table")
		}
		first, n := toInt(t.num), l.integer()
		l.skip()
		if first < 0 || first+n > maxObjects || n > (len(l.data)-l.at)/20 {
			fail("the table's size")
		}
		f.grow(first+n, n)
		for i := range n {
			line := l.data[l.at : l.at+20]
			l.at += 20
			offset, err := strconv.Atoi(string(line[:10]))
			if err != nil || line[10] != ' ' || line[16] != ' ' || classes[line[18]] != space || classes[line[19]] != space {
				fail("a line of the table")
			}
			e := entry{kind: inFile, at: offset}
			if line[17] == 'f' {
				e.kind = unused
			} else if line[17] != 'n' {
				fail("a line of the table")
			}
			f.add(first+i, e)
		}
	}
}

// readStream reads a table that is a stream.
func (f *file) readStream(s *Stream) {
	w, _ := s.Dict["W"].(Array)
	if len(w) != 3 {
		fail("the table's columns")
	}
	var columns [3]int
	for i := range columns {
		v, _ := w[i].(float64)
		if v < 0 || v > 7 {
			fail("the table's columns")
		}
		columns[i] = toInt(v)
	}
	size, _ := s.Dict["Size"].(float64)
	index, ok := s.Dict["Index"].(Array)
	if !ok {
		index = Array{0.0, size}
	}
	data := f.inflate(s)
	for i := 0; i+1 < len(index); i += 2 {
		from, _ := index[i].(float64)
		n, _ := index[i+1].(float64)
		first, count := toInt(from), toInt(n)
		row := columns[0] + columns[1] + columns[2]
		if first < 0 || count < 0 || first+count > maxObjects || row == 0 || count > len(data)/row {
			fail("the table's size")
		}
		f.grow(first+count, count)
		for k := range count {
			v := [3]int{1, 0, 0}
			for c, width := range columns {
				if width > 0 {
					v[c] = 0
				}
				for range width {
					v[c], data = v[c]<<8|int(data[0]), data[1:]
				}
			}
			switch v[0] {
			case 0:
				f.add(first+k, entry{kind: unused})
			case 1:
				f.add(first+k, entry{kind: inFile, at: v[1]})
			case 2:
				f.add(first+k, entry{kind: inStream, at: v[1], index: int32(min(v[2], math.MaxInt32))})
			default:
				fail("a line of the table")
			}
		}
	}
}

// grow makes room for n objects, of which a table has more entries.
func (f *file) grow(n, more int) {
	if f.listed += more; f.listed > 2*maxObjects {
		fail("too many objects")
	}
	if n > len(f.entries) {
		f.entries = append(f.entries, make([]entry, n-len(f.entries))...)
	}
}

// add takes an entry, unless a newer table has another. A table with two is out of the
// ordinary, and so is one without an object that an older table has: PDFium may take that.
func (f *file) add(number int, e entry) {
	e.table = f.tables
	switch known := &f.entries[number]; {
	case known.kind == 0:
		*known = e
	case known.table == e.table && *known != e, known.kind == unused && e.kind != unused:
		known.kind = disputed
	}
}

// toInt cuts a number off, as PDFium does.
func toInt(v float64) int {
	if math.IsNaN(v) || math.Abs(v) > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(v)
}
