package xlsx

import (
	"bufio"
	"bytes"
	"io"
)

// maxToken is the longest tag, text or row that is looked at in one piece.
const maxToken = 32 << 20

// stream is a window over a part's bytes that moves on and grows as needed.
type stream struct {
	src  io.Reader
	buf  []byte
	r, w int   // buf[r:w] is there to be looked at
	base int64 // offset of buf[0] in the part
	eof  bool

	copy *bufio.Writer // what is passed is copied here; nil if it is not
	kept int           // with copy: buf[kept:r] was passed and is not copied yet
}

// flush copies what was passed since the last flush or drop.
func (s *stream) flush() error {
	_, err := s.copy.Write(s.buf[s.kept:s.r])
	s.kept = s.r
	return err
}

// drop leaves out what was passed since the last flush or drop.
func (s *stream) drop() { s.kept = s.r }

func newStream(src io.Reader, buf []byte) *stream {
	return &stream{src: src, buf: buf[:cap(buf)]}
}

// offset is that of buf[r] in the part.
func (s *stream) offset() int64 { return s.base + int64(s.r) }

// fill brings more bytes behind buf[w], moving what is there to the front. At the end
// of the part it answers io.EOF.
func (s *stream) fill() error {
	if s.eof {
		return io.EOF
	}
	keep := s.r
	if s.copy != nil {
		keep = s.kept
	}
	if keep > 0 && (s.w == len(s.buf) || keep > len(s.buf)/2) {
		s.base += int64(keep)
		s.w = copy(s.buf, s.buf[keep:s.w])
		s.r -= keep
		s.kept = 0
	}
	if s.w == len(s.buf) {
		if len(s.buf) >= maxToken {
			return tooComplex("the workbook has an element of more than %d MB", maxToken>>20)
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for range 100 {
		n, err := s.src.Read(s.buf[s.w:])
		s.w += n
		if err == io.EOF {
			s.eof = true
			if n > 0 {
				return nil
			}
			return io.EOF
		}
		if n > 0 || err != nil {
			return err
		}
	}
	return damaged("a part of the workbook does not end")
}

// want makes at least n bytes available; false without an error at the end of the part.
func (s *stream) want(n int) (bool, error) {
	for s.w-s.r < n {
		if err := s.fill(); err == io.EOF {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	return true, nil
}

// find gives where sep begins, counted from r, bringing more bytes until it does; -1 at
// the end of the part. It looks from skip on.
func (s *stream) find(sep []byte, skip int) (int, error) {
	for {
		if s.w-s.r > skip {
			if i := bytes.Index(s.buf[s.r+skip:s.w], sep); i >= 0 {
				return skip + i, nil
			}
			skip = max(skip, s.w-s.r-len(sep)+1)
		}
		if err := s.fill(); err == io.EOF {
			return -1, nil
		} else if err != nil {
			return -1, err
		}
	}
}

// discardThrough moves behind the next sep without keeping what is before it; false at
// the end of the part.
func (s *stream) discardThrough(sep []byte) (bool, error) {
	for {
		if i := bytes.Index(s.buf[s.r:s.w], sep); i >= 0 {
			s.r += i + len(sep)
			return true, nil
		}
		s.r = max(s.r, s.w-len(sep)+1)
		if err := s.fill(); err == io.EOF {
			s.r = s.w
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
}

// discard moves n bytes on.
func (s *stream) discard(n int64) error {
	for n > int64(s.w-s.r) {
		n -= int64(s.w - s.r)
		s.r = s.w
		if err := s.fill(); err != nil {
			return err
		}
	}
	s.r += int(n)
	return nil
}
