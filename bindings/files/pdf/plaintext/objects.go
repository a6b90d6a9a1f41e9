package plaintext

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/zlib"
)

// maxHops is how many references are followed to an object.
const maxHops = 16

// get gives the object that o refers to, or o itself.
func (f *file) get(o any) any {
	for range maxHops {
		r, ok := o.(Ref)
		if !ok {
			return o
		}
		o = f.object(r)
	}
	fail("references to references")
	return nil
}

// object reads an object by its number; one that is not there is null.
func (f *file) object(r Ref) any {
	if o, ok := f.cache[r]; ok {
		return o
	}
	if int(r) >= len(f.entries) || f.loading[r] || len(f.loading) == maxNesting {
		fail("object %d", r)
	}
	f.loading[r] = true
	defer delete(f.loading, r)
	var o any
	switch e := f.entries[r]; e.kind {
	case inFile:
		if e.at <= 0 || e.at >= len(f.data) {
			fail("object %d", r)
		}
		l := &lexer{data: f.data, at: e.at, left: &f.values}
		if l.integer() != int(r) {
			fail("object %d is another one", r)
		}
		l.integer()
		l.word("obj")
		o = f.body(l)
	case inStream:
		o = f.pack(e.at).object(r, int(e.index), &f.values)
	case disputed:
		fail("object %d", r)
	}
	f.cache[r] = o
	return o
}

// body reads an object, up to its endobj or endstream.
func (f *file) body(l *lexer) any {
	o := l.object()
	t := l.next()
	if t.kind != keyword {
		fail("an object without an end")
	}
	dict, isDict := o.(Dict)
	if !isDict || string(t.bytes) != "stream" {
		if string(t.bytes) != "endobj" {
			fail("an object without an end")
		}
		return o
	}
	if l.at < len(l.data) && l.data[l.at] == '\r' {
		l.at++
	}
	if l.at >= len(l.data) || l.data[l.at] != '\n' {
		fail("where a stream begins")
	}
	l.at++
	n, ok := f.get(dict["Length"]).(float64)
	if !ok || n < 0 || toInt(n) > len(l.data)-l.at {
		fail("a stream's length")
	}
	raw := l.data[l.at : l.at+toInt(n)]
	l.at += len(raw)
	l.word("endstream")
	return &Stream{dict, raw}
}

// pack is an object stream.
type pack struct {
	data    []byte
	numbers []Ref
	offsets []int
}

func (f *file) pack(number int) *pack {
	if p := f.packs[number]; p != nil {
		return p
	}
	if number >= len(f.entries) || f.entries[number].kind != inFile {
		fail("object stream %d", number)
	}
	s, ok := f.object(Ref(number)).(*Stream)
	if !ok || f.get(s.Dict["Type"]) != Name("ObjStm") {
		fail("object stream %d", number)
	}
	n, _ := f.get(s.Dict["N"]).(float64)
	first, _ := f.get(s.Dict["First"]).(float64)
	p := &pack{data: f.inflate(s)}
	if f.packed += int64(len(p.data)); f.packed > f.most {
		fail("object streams that are too long")
	}
	if n < 0 || first < 0 || toInt(first) > len(p.data) || toInt(n) > len(p.data)/4+1 {
		fail("object stream %d", number)
	}
	if f.values -= 2 * toInt(n); f.values < 0 {
		fail("too many values")
	}
	l := lexer{data: p.data[:toInt(first)]}
	for range toInt(n) {
		p.numbers = append(p.numbers, Ref(l.integer()))
		p.offsets = append(p.offsets, l.integer()+toInt(first))
	}
	f.packs[number] = p
	return p
}

func (p *pack) object(r Ref, index int, left *int) any {
	if index >= len(p.numbers) || p.numbers[index] != r || p.offsets[index] > len(p.data) {
		fail("object %d is not in its stream", r)
	}
	l := lexer{data: p.data, at: p.offsets[index], left: left}
	return l.object()
}

// inflate gives the data of a stream, which is not compressed, or by Flate.
func (f *file) inflate(s *Stream) []byte {
	filter, params := f.get(s.Dict["Filter"]), f.get(s.Dict["DecodeParms"])
	if list, ok := filter.(Array); ok {
		if len(list) > 1 {
			fail("several filters")
		}
		filter = nil
		if len(list) == 1 {
			filter = f.get(list[0])
		}
		if list, ok := params.(Array); ok {
			params = nil
			if len(list) > 0 {
				params = f.get(list[0])
			}
		}
	}
	if s.Dict["F"] != nil {
		fail("a stream elsewhere")
	}
	switch filter {
	case nil:
		if f.budget -= int64(len(s.raw)); f.budget < 0 {
			fail("streams that are too long")
		}
		return s.raw
	case Name("FlateDecode"), Name("Fl"):
	default:
		fail("the filter %v", filter)
	}
	var err error
	if f.unpacker == nil { // its tables are large
		f.unpacker, err = zlib.NewReader(bytes.NewReader(s.raw))
	} else {
		err = f.unpacker.(zlib.Resetter).Reset(bytes.NewReader(s.raw), nil)
	}
	if err != nil {
		fail("a stream: %v", err)
	}
	var out bytes.Buffer
	out.Grow(int(min(int64(4*len(s.raw)), f.most)) + 512)
	n, err := io.Copy(&out, io.LimitReader(f.unpacker, f.most+1))
	if f.budget -= n; err != nil || n > f.most || f.budget < 0 {
		fail("a stream: too long, or %v", err)
	}
	return f.unpredict(out.Bytes(), params)
}

// unpredict undoes what PNG's filters did to the lines of a table.
func (f *file) unpredict(data []byte, params any) []byte {
	p, _ := params.(Dict)
	predictor := f.number(p["Predictor"], 1)
	if predictor == 1 {
		return data
	}
	columns := f.number(p["Columns"], 1)
	if predictor < 10 || columns < 1 || columns > 1000 || f.number(p["Colors"], 1) != 1 || f.number(p["BitsPerComponent"], 8) != 8 {
		fail("a predictor")
	}
	before := make([]byte, columns)
	out := data[:0]
	for len(data) > columns {
		line := data[1 : columns+1]
		switch data[0] {
		case 0:
		case 2: // the only one that writers use
			for i := range line {
				line[i] += before[i]
			}
		default:
			fail("a predictor")
		}
		copy(before, line)
		out = append(out, line...)
		data = data[columns+1:]
	}
	if len(data) > 0 {
		fail("a line that is too short for its predictor")
	}
	return out
}

// number gives the whole number that o is or refers to, or the default.
func (f *file) number(o any, otherwise int) int {
	if v, ok := f.get(o).(float64); ok {
		return toInt(v)
	}
	return otherwise
}
