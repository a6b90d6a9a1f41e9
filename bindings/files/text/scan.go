package text

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gabriel-vasile/mimetype"
)

// blockSize is the bytes of a block: what a read of one line reads at most, and the
// step of the line table. 64 KB reads in about 10 µs.
const blockSize = 64 << 10

// Form is how a text is written down.
type Form struct {
	Encoding Encoding
	BOM      bool   // the file begins with a byte order mark
	Break    byte   // the unit that ends a line: \n, or \r in files of the old Mac, which have no \n
	Newline  string // what most of its first lines end with: "\n", "\r\n", "\r", or "" if there is one line
}

// start is the offset of the first character.
func (f Form) start() int64 {
	if f.BOM {
		return int64(len(f.Encoding.mark()))
	}
	return 0
}

// Index is what one pass over a file found. It does not change and may be shared.
type Index struct {
	Form   Form
	Size   int64  // bytes
	Lines  int    // 0 for an empty text; a last line needs no line end to count
	Binary string // the MIME type of what is not text, or ""
	blocks []block
}

// Memory is about how many bytes the index takes.
func (x *Index) Memory() int64 { return int64(len(x.blocks))*64 + 200 }

// Scan reads a file of size bytes once. Binary content is an answer, not an error.
func Scan(ctx context.Context, file io.ReaderAt, size int64) (*Index, error) {
	head := make([]byte, min(size, headSize))
	if err := readFull(file, head, 0); err != nil {
		return nil, err
	}
	x := &Index{Size: size}
	if kind := x.Form.sniff(head, size); kind != "" {
		x.Binary = kind
		return x, nil
	}
	s := scanner{Index: x, file: file}
	if err := s.count(ctx); err != nil {
		return nil, err
	}
	if s.broken && x.Form.Encoding == UTF8 && !x.Form.BOM {
		if err := s.chooseLegacy(ctx, head); err != nil || x.Binary != "" {
			return x, err
		}
	}
	if s.zeros > size/1000 && x.Form.Encoding.unit() == 1 {
		return &Index{Size: size, Binary: binaryType(head)}, nil
	}
	x.Form.settleNewline(x.Lines)
	open, err := x.Form.unterminated(file, size)
	if err != nil {
		return nil, err
	}
	if open {
		x.Lines++
	}
	return x, nil
}

// scanner is one pass over a file.
type scanner struct {
	*Index
	file   io.ReaderAt
	broken bool  // some of it is not UTF-8
	zeros  int64 // bytes that are zero
}

// count fills the table of blocks and looks whether the bytes are UTF-8.
func (s *scanner) count(ctx context.Context) error {
	var valid utf8Check
	err := s.eachBlock(ctx, func(off int64, b []byte) error {
		s.blocks = append(s.blocks, block{off: off, n: len(b), breaks: s.Form.Encoding.breaks(b, '\n')})
		s.Lines += s.blocks[len(s.blocks)-1].breaks
		s.zeros += int64(bytes.Count(b, []byte{0}))
		if s.Form.Encoding == UTF8 && !s.broken {
			s.broken = !valid.next(b)
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.broken = s.broken || !valid.end()
	if s.Lines > 0 {
		return nil
	}
	// Not one \n: the old Mac's \r ends lines, if there are any.
	i := 0
	return s.eachBlock(ctx, func(_ int64, b []byte) error {
		s.blocks[i].breaks = s.Form.Encoding.breaks(b, '\r')
		if s.Lines += s.blocks[i].breaks; s.Lines > 0 {
			s.Form.Break = '\r'
		}
		i++
		return nil
	})
}

// chooseLegacy decides what bytes are that are not UTF-8 throughout: UTF-8 with some
// damage if it holds more whole multi-byte characters than broken bytes, else
// Windows-1252, or binary if it holds what no text does.
func (s *scanner) chooseLegacy(ctx context.Context, head []byte) error {
	for _, c := range head {
		if isControl(rune(c)) {
			s.Binary = binaryType(head)
			return nil
		}
	}
	whole, broken, undefined := 0, 0, false
	err := s.eachBlock(ctx, func(_ int64, b []byte) error {
		for len(b) > 0 {
			if b[0] < utf8.RuneSelf {
				b = b[1:]
				continue
			}
			r, n := utf8.DecodeRune(b)
			if r == utf8.RuneError && n == 1 {
				broken++
			} else {
				whole++
			}
			for _, c := range b[:n] {
				undefined = undefined || c == 0x81 || c == 0x8d || c == 0x8f || c == 0x90 || c == 0x9d
			}
			b = b[n:]
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case whole > broken:
		return nil
	case !strings.HasPrefix(mimetype.Detect(head).String(), "text/") && mimetype.Detect(head).String() != "application/octet-stream":
		s.Binary = binaryType(head)
	case undefined:
		s.Form.Encoding = Latin1
	default:
		s.Form.Encoding = Windows1252
	}
	return nil
}

func (s *scanner) eachBlock(ctx context.Context, do func(off int64, b []byte) error) error {
	buf := make([]byte, min(s.Size, 16*blockSize))
	for off := int64(0); off < s.Size; off += int64(len(buf)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := buf[:min(int64(len(buf)), s.Size-off)]
		if err := readFull(s.file, part, off); err != nil {
			return err
		}
		for at := 0; at < len(part); at += blockSize {
			if err := do(off+int64(at), part[at:min(at+blockSize, len(part))]); err != nil {
				return err
			}
		}
	}
	return nil
}

// unterminated tells whether the text ends without a line end.
func (f Form) unterminated(data io.ReaderAt, size int64) (bool, error) {
	if size <= f.start() {
		return false, nil
	}
	end := f.Encoding.units(string(rune(f.Break)))
	last := make([]byte, len(end))
	if err := readFull(data, last, size-int64(len(end))); err != nil {
		return false, err
	}
	return !bytes.Equal(last, end), nil
}

// utf8Check validates UTF-8 that comes in pieces.
type utf8Check struct{ rest []byte }

func (c *utf8Check) next(b []byte) bool {
	for len(c.rest) > 0 && !utf8.FullRune(c.rest) && len(b) > 0 {
		c.rest, b = append(c.rest, b[0]), b[1:]
	}
	if !utf8.FullRune(c.rest) && len(c.rest) > 0 {
		return true
	}
	if !utf8.Valid(c.rest) {
		return false
	}
	c.rest = c.rest[:0]
	for back := 1; back <= 3 && back <= len(b); back++ {
		if tail := b[len(b)-back:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				c.rest = append(c.rest, tail...)
				b = b[:len(b)-back]
			}
			break
		}
	}
	return utf8.Valid(b)
}

func (c *utf8Check) end() bool { return len(c.rest) == 0 }

// readFull reads all of b. A file that is shorter than was said is an error.
func readFull(r io.ReaderAt, b []byte, off int64) error {
	n, err := r.ReadAt(b, off)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}
