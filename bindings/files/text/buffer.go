package text

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// maxBlock is the size at which a block in memory is split.
const maxBlock = 2 * blockSize

// block is a run of a buffer's bytes: in memory, or still in the file below.
type block struct {
	data   []byte // nil while it is in the file
	off    int64  // where it is in the file
	n      int    // bytes
	breaks int    // line ends; not kept for bytes that are not text
}

// Buffer is the content of a file with changes laid over it. A change touches the block
// it falls into; the rest stays in the file. It is not safe for concurrent use.
type Buffer struct {
	Form   Form
	base   io.ReaderAt
	blocks []block
	size   int64
	plain  bool // bytes, no lines
	owned  bool // blocks is this buffer's own and not an index's
	max    int64
}

// TooLarge is the error of a change after which the content would be over its limit.
type TooLarge struct{ Size, Max int64 }

func (e *TooLarge) Error() string { return fmt.Sprintf("%d bytes; the limit is %d", e.Size, e.Max) }

var _ io.ReaderAt = (*Buffer)(nil)

// NewBuffer is the content of a scanned text file. File must stay open.
func NewBuffer(file io.ReaderAt, x *Index) *Buffer {
	return &Buffer{Form: x.Form, base: file, blocks: x.blocks, size: x.Size}
}

// NewBytes is the content of any file, without lines. File must stay open.
func NewBytes(file io.ReaderAt, size int64) *Buffer {
	b := &Buffer{base: file, size: size, plain: true, owned: true}
	for off := int64(0); off < size; off += blockSize {
		b.blocks = append(b.blocks, block{off: off, n: int(min(blockSize, size-off))})
	}
	return b
}

// Limit makes changes fail with TooLarge after which there would be more than max bytes.
func (b *Buffer) Limit(max int64) { b.max = max }

func (b *Buffer) fits(size int64) error {
	if b.max > 0 && size > b.max {
		return &TooLarge{size, b.max}
	}
	return nil
}

// Size is the number of bytes.
func (b *Buffer) Size() int64 { return b.size }

// Plain tells whether the buffer knows no lines.
func (b *Buffer) Plain() bool { return b.plain }

// ReadAt implements io.ReaderAt over the changed content.
func (b *Buffer) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("offset %d is negative", off)
	}
	i, at := b.find(off)
	for ; n < len(p) && i < len(b.blocks); i, at = i+1, 0 {
		bl := &b.blocks[i]
		want := min(len(p)-n, bl.n-at)
		if bl.data != nil {
			copy(p[n:n+want], bl.data[at:])
		} else if err := readFull(b.base, p[n:n+want], bl.off+int64(at)); err != nil {
			return n, err
		}
		n += want
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteTo writes the changed content out.
func (b *Buffer) WriteTo(ctx context.Context, w io.Writer) error {
	var buf []byte
	for _, bl := range b.blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		data := bl.data
		if data == nil {
			buf = slices.Grow(buf[:0], bl.n)[:bl.n]
			if err := readFull(b.base, buf, bl.off); err != nil {
				return err
			}
			data = buf
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	return nil
}

// find gives the block that holds a byte, and the byte's place in it. The place behind
// the last byte is the end of the last block.
func (b *Buffer) find(off int64) (i, at int) {
	for i := range b.blocks {
		n := int64(b.blocks[i].n)
		if off < n || off == n && i == len(b.blocks)-1 {
			return i, int(off)
		}
		off -= n
	}
	return len(b.blocks), 0
}

// Splice puts data in the place of the bytes from from up to to. It keeps data.
// After an error nothing has changed.
func (b *Buffer) Splice(from, to int64, data []byte) error {
	if from < 0 || to < from || to > b.size {
		return fmt.Errorf("bytes %d to %d of %d", from, to, b.size)
	}
	size := b.size + int64(len(data)) - (to - from)
	if err := b.fits(size); err != nil {
		return err
	}
	if len(b.blocks) == 0 {
		b.setAll(data)
		return nil
	}
	i, at := b.find(from)
	j, until := i, at
	if to > from {
		j, until = b.find(to)
	}
	first, err := b.bytes(i)
	if err != nil {
		return err
	}
	if !b.owned {
		b.blocks, b.owned = slices.Clone(b.blocks), true
	}
	if i == j && len(first)-(until-at)+len(data) <= maxBlock {
		b.within(i, at, until, first, data)
	} else {
		last, err := b.bytes(j)
		if err != nil {
			return err
		}
		pieces := b.join(first[:at], data, last[until:])
		b.blocks = slices.Replace(b.blocks, i, j+1, pieces...)
	}
	b.size = size
	return nil
}

// setAll makes data, which it keeps, the whole content.
func (b *Buffer) setAll(data []byte) {
	b.blocks, b.size, b.owned = b.cut(data), int64(len(data)), true
}

// within changes one block in place.
func (b *Buffer) within(i, at, until int, old, data []byte) {
	breaks := b.blocks[i].breaks - b.count(old[at:until]) + b.count(data)
	fresh := slices.Replace(old, at, until, data...)
	if len(fresh) == 0 {
		b.blocks = slices.Delete(b.blocks, i, i+1)
		return
	}
	b.blocks[i] = block{data: fresh, n: len(fresh), breaks: breaks}
}

// bytes gives a block's bytes, to be changed by the caller only if it then owns the block.
func (b *Buffer) bytes(i int) ([]byte, error) {
	bl := b.blocks[i]
	if bl.data != nil {
		return bl.data, nil
	}
	data := make([]byte, bl.n)
	return data, readFull(b.base, data, bl.off)
}

// join makes blocks of what stays before, what is new and what stays behind. The small
// remains are put together with the new bytes; a large new piece is not copied.
func (b *Buffer) join(before, data, after []byte) []block {
	if len(data) > 4*maxBlock {
		return slices.Concat(b.cut(slices.Clone(before)), b.cut(data), b.cut(slices.Clone(after)))
	}
	return b.cut(slices.Concat(before, data, after))
}

// cut makes blocks of bytes in memory. No two of them share room to grow.
func (b *Buffer) cut(data []byte) []block {
	var blocks []block
	for piece := range slices.Chunk(data, blockSize) {
		blocks = append(blocks, block{data: piece, n: len(piece), breaks: b.count(piece)})
	}
	return blocks
}

func (b *Buffer) count(data []byte) int {
	if b.plain {
		return 0
	}
	return b.Form.Encoding.breaks(data, b.Form.Break)
}
