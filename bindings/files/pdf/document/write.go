package document

import (
	"bufio"
	"context"
	"crypto/md5"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"maps"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// packed is how many objects go into one object stream.
const packed = 200

// Write writes the document: the pages in Pages, and whatever they, the catalog and the
// information dictionary still refer to. References to pages that are not there any more
// become null. The errors are w's, ctx's and those of BeforeWrite.
func (d *Document) Write(ctx context.Context, w io.Writer) error {
	for _, f := range d.finish {
		if err := f(); err != nil {
			return err
		}
	}
	out := &writer{doc: d, ctx: ctx, w: bufio.NewWriterSize(w, 16<<10), sum: crc32.New(crc32.MakeTable(crc32.Castagnoli))}
	return out.write()
}

// writer numbers objects as it meets them.
type writer struct {
	doc     *Document
	ctx     context.Context
	w       *bufio.Writer
	sum     hash.Hash
	offset  int64
	numbers []int32      // by old number; 0 is not met yet, -1 is null
	nulls   []int        // the old numbers that are null
	kept    map[int]bool // the pages that are written
	queue   []int        // old numbers by new number - 1
	places  []place
	pack    []int  // new numbers in the object stream under way
	heads   []byte // its index
	bodies  []byte
}

// place is where an object of the output lies.
type place struct {
	in     int   // number of the object stream, 0 for none
	offset int64 // in the file, or its index in the stream
}

func (o *writer) write() error {
	d := o.doc
	o.kept = make(map[int]bool, len(d.Pages))
	kids := make(types.Array, len(d.Pages))
	tree := d.Reserve()
	for i, p := range d.Pages {
		o.kept[p.number] = true
		kids[i] = p.Ref()
		p.Dict["Parent"] = tree
		if p.Dict["Type"] == nil {
			p.Dict["Type"] = types.Name("Page")
		}
	}
	d.Set(tree, types.Dict{"Type": types.Name("Pages"), "Count": types.Integer(len(kids)), "Kids": kids})
	d.Catalog["Type"] = types.Name("Catalog")
	d.Catalog["Pages"] = tree
	delete(d.Catalog, "Version")
	root := d.Add(d.Catalog)
	var info types.IndirectRef
	if d.Info != nil {
		info = d.Add(d.Info)
	}
	if len(d.numbers) <= d.last {
		d.numbers = make([]int32, d.last+1+d.last/8)
	}
	o.numbers = d.numbers
	defer o.clear()

	o.raw([]byte("%PDF-" + d.version + "\n%\xe2\xe3\xcf\xd3\n"))
	trailer := types.Dict{"Type": types.Name("XRef"), "Root": ref(o.number(root.ObjectNumber.Value()))}
	if d.Info != nil {
		trailer["Info"] = ref(o.number(info.ObjectNumber.Value()))
	}
	for i := 0; i < len(o.queue); i++ {
		if i%512 == 0 && o.ctx.Err() != nil {
			return o.ctx.Err()
		}
		if old := o.queue[i]; old >= 0 {
			if err := o.object(i+1, d.object(old)); err != nil {
				return err
			}
		}
	}
	o.endPack()
	return o.end(trailer)
}

// number gives an object's number in the output; it is written later. 0 is null.
func (o *writer) number(old int) int {
	if same, ok := o.doc.same[old]; ok {
		old = same
	}
	if old <= 0 || old > o.doc.last {
		return 0
	}
	switch n := o.numbers[old]; {
	case n > 0:
		return int(n)
	case n < 0:
		return 0
	}
	if o.doc.nodes[old] && !o.kept[old] || o.doc.object(old) == nil {
		o.numbers[old] = -1
		o.nulls = append(o.nulls, old)
		return 0
	}
	n := o.extra()
	o.queue[n-1] = old
	o.numbers[old] = int32(n)
	return n
}

// clear leaves the numbers as they were, for the next writer.
func (o *writer) clear() {
	for _, old := range o.queue {
		if old >= 0 {
			o.numbers[old] = 0
		}
	}
	for _, old := range o.nulls {
		o.numbers[old] = 0
	}
}

// extra gives the number of an object that is not of the document.
func (o *writer) extra() int {
	o.queue = append(o.queue, -1)
	o.places = append(o.places, place{})
	return len(o.queue)
}

func (o *writer) object(number int, obj types.Object) error {
	if s, ok := obj.(*types.StreamDict); ok {
		obj = *s
	}
	if s, ok := obj.(types.StreamDict); ok {
		return o.stream(number, s.Dict, s.Raw, true)
	}
	s := serial{out: o.bodies, number: o.number, str: plain}
	o.heads = strconv.AppendInt(o.heads, int64(number), 10)
	o.heads = append(strconv.AppendInt(append(o.heads, ' '), int64(len(o.bodies)), 10), ' ')
	s.object(obj)
	o.bodies = append(s.out, '\n')
	o.pack = append(o.pack, number)
	if len(o.pack) == packed {
		o.endPack()
	}
	return nil
}

// endPack writes the object stream under way.
func (o *writer) endPack() {
	if len(o.pack) == 0 {
		return
	}
	number := o.extra()
	for i, n := range o.pack {
		o.places[n-1] = place{in: number, offset: int64(i)}
	}
	content := o.doc.Stream(types.Dict{
		"Type": types.Name("ObjStm"), "N": types.Integer(len(o.pack)), "First": types.Integer(len(o.heads)),
	}, append(o.heads, o.bodies...))
	o.stream(number, content.Dict, content.Raw, true)
	o.pack, o.heads, o.bodies = o.pack[:0], o.heads[:0], o.bodies[:0]
}

// stream writes an object that is a stream.
func (o *writer) stream(number int, dict types.Dict, raw []byte, secret bool) error {
	// Parts of a document are many and small: packed they cost the host half as much.
	if o.doc.over != nil && dict["Filter"] == nil && len(raw) > 512 && dict["Type"] != types.Name("Metadata") {
		if packed := o.doc.deflate(raw); len(packed) < len(raw) {
			dict, raw = maps.Clone(dict), packed
			dict["Filter"] = types.Name("FlateDecode")
			delete(dict, "DecodeParms")
		}
	}
	o.places[number-1] = place{offset: o.offset}
	s := serial{number: o.number, str: plain}
	if lock := o.doc.lock; lock != nil && secret {
		s.str = func(out []byte, str types.Object) []byte {
			return hexString(out, lock.string(number, stringBytes(str)))
		}
		var err error
		if raw, err = lock.stream(number, dict, raw); err != nil {
			return err
		}
	}
	s.out = append(strconv.AppendInt(s.out, int64(number), 10), " 0 obj\n"...)
	length := dict["Length"]
	dict["Length"] = types.Integer(len(raw))
	s.dict(dict)
	dict["Length"] = length
	s.out = append(s.out, "\nstream\n"...)
	o.raw(s.out)
	o.raw(raw)
	o.raw([]byte("\nendstream\nendobj\n"))
	return nil
}

func (o *writer) raw(b []byte) {
	o.w.Write(b) // bufio keeps the first error for Flush
	o.sum.Write(b)
	o.offset += int64(len(b))
}

// end writes the cross-reference stream.
func (o *writer) end(trailer types.Dict) error {
	if lock := o.doc.lock; lock != nil {
		n := o.extra()
		o.places[n-1] = place{offset: o.offset}
		s := serial{number: func(int) int { return 0 }, str: plain}
		s.out = append(strconv.AppendInt(nil, int64(n), 10), " 0 obj\n"...)
		s.dict(lock.dict)
		o.raw(append(s.out, "\nendobj\n"...))
		trailer["Encrypt"] = ref(n)
	}
	// What is written has another id than anything else; to make it of a fast checksum will do.
	sum := md5.Sum(fmt.Append(o.sum.Sum(nil), o.offset))
	var digest types.Object = types.NewHexLiteral(sum[:])
	first := digest
	if o.doc.id != nil {
		first = o.doc.id
	}
	trailer["ID"] = types.Array{first, digest}
	number := o.extra()
	start := o.offset
	o.places[number-1] = place{offset: start}
	if start > 1<<32-1 {
		return errors.New("a PDF of more than 4 GB")
	}
	table := make([]byte, 0, 7*(len(o.places)+1))
	table = append(table, 0, 0, 0, 0, 0, 0xff, 0xff)
	for _, p := range o.places {
		if p.in == 0 {
			table = append(table, 1)
			table = binary.BigEndian.AppendUint32(table, uint32(p.offset))
			table = append(table, 0, 0)
			continue
		}
		table = append(table, 2)
		table = binary.BigEndian.AppendUint32(table, uint32(p.in))
		table = binary.BigEndian.AppendUint16(table, uint16(p.offset))
	}
	trailer["Size"] = types.Integer(len(o.places) + 1)
	trailer["W"] = types.Array{types.Integer(1), types.Integer(4), types.Integer(2)}
	xref := o.doc.Stream(trailer, table)
	// The trailer's references are numbers of the output already.
	s := serial{number: func(n int) int { return n }, str: plain}
	s.out = append(strconv.AppendInt(nil, int64(number), 10), " 0 obj\n"...)
	xref.Dict["Length"] = types.Integer(len(xref.Raw))
	s.dict(xref.Dict)
	o.raw(append(s.out, "\nstream\n"...))
	o.raw(xref.Raw)
	o.raw([]byte("\nendstream\nendobj\nstartxref\n" + strconv.FormatInt(start, 10) + "\n%%EOF\n"))
	return o.w.Flush()
}
