package inflate

import "io"

// Checkpoint is a place in a stream from which it can be read on.
type Checkpoint struct {
	Offset int64  // inflated bytes before it
	Window []byte // the last of them, up to 32 KB

	header int64 // bit position of the block's header
	bit    int64 // bit position of the next symbol, or of the next stored byte
	stored int   // bytes left of a stored block
	final  bool
	state  state
}

// Checkpoint tells where r has inflated to, which may be up to 128 KB ahead of what
// was read from it. Window is a copy. It gives false at the stream's end or after
// an error.
func (r *Reader) Checkpoint() (Checkpoint, bool) {
	if r.err != nil || r.state == atEnd {
		return Checkpoint{}, false
	}
	return Checkpoint{
		Offset: r.total,
		Window: append([]byte(nil), r.out[max(0, r.op-windowSize):r.op]...),
		header: r.header, bit: r.bitPos(), stored: r.stored, final: r.final, state: r.state,
	}, true
}

// Resume makes r read the stream of src from a checkpoint that was taken of it.
func (r *Reader) Resume(src io.ReaderAt, off, size int64, at Checkpoint) {
	r.Reset(src, off, size)
	if at.state == inCodes {
		// The block's tables are built anew from its header.
		r.seek(at.header)
		r.blockHeader()
	}
	if r.err == nil {
		r.seek(at.bit)
	}
	r.header, r.stored, r.final, r.state = at.header, at.stored, at.final, at.state
	r.op = copy(r.out, at.Window)
	r.rp = r.op
	r.total = at.Offset
}
