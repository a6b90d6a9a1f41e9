package csvfile

import (
	"bytes"
	"io"

	"github.com/sandboxd/sandboxd/problem"
)

// maxRow is the longest row that is read, in bytes.
const maxRow = 32 << 20

// field is one cell as it stands in the file. It is valid until the next row.
type field struct {
	text   []byte // without its quotes
	raw    []byte // as it is written
	quoted bool
}

// scanner cuts a file into rows. A quote within a cell that does not begin with one is
// a character like others; what follows a closing quote belongs to the cell.
type scanner struct {
	src       io.Reader
	buf       []byte
	r, w      int
	base      int64 // offset of buf[0]
	eof       bool
	delimiter byte

	row    int    // of the row that next gave, from 1
	end    string // its line end; "" at the end of the file
	fields []field
}

// offset is where the next row begins.
func (s *scanner) offset() int64 { return s.base + int64(s.r) }

// next reads a row; ok is false at the end. An empty line is a row without cells.
func (s *scanner) next() (fields []field, ok bool, err error) {
	for {
		used, done := s.cut()
		if done {
			if used == 0 && s.end == "" {
				return nil, false, nil
			}
			s.r += used
			s.row++
			return s.fields, true, nil
		}
		if err := s.fill(); err != nil {
			return nil, false, err
		}
	}
}

// cut takes the row at r apart, if all of it is there.
func (s *scanner) cut() (used int, done bool) {
	s.fields, s.end = s.fields[:0], ""
	b := s.buf[s.r:s.w]
	if len(b) == 0 {
		return 0, s.eof
	}
	i := 0
	for {
		start := i
		f := field{}
		if i < len(b) && b[i] == '"' {
			f.quoted = true
			i++
			doubled := false
			for {
				j := bytes.IndexByte(b[i:], '"')
				if j < 0 {
					if !s.eof {
						return 0, false
					}
					i = len(b)
					f.text = b[start+1 : i]
					break
				}
				i += j + 1
				if i >= len(b) && !s.eof {
					return 0, false
				}
				if i < len(b) && b[i] == '"' {
					doubled = true
					i++
					continue
				}
				f.text = b[start+1 : i-1]
				break
			}
			if doubled {
				f.text = bytes.ReplaceAll(f.text, []byte(`""`), []byte(`"`))
			}
			closed := i
			for i < len(b) && b[i] != s.delimiter && b[i] != '\n' && b[i] != '\r' {
				i++
			}
			if i > closed {
				f.text = append(f.text[:len(f.text):len(f.text)], b[closed:i]...)
			}
		} else {
			for i < len(b) && b[i] != s.delimiter && b[i] != '\n' && b[i] != '\r' {
				i++
			}
			f.text = b[start:i]
		}
		if i >= len(b) {
			if !s.eof {
				return 0, false
			}
			f.raw = b[start:i]
			s.fields = append(s.fields, f)
			return i, true
		}
		f.raw = b[start:i]
		switch b[i] {
		case '\n':
			s.end = "\n"
		case '\r':
			if i+1 >= len(b) && !s.eof {
				return 0, false
			}
			s.end = "\r"
			if i+1 < len(b) && b[i+1] == '\n' {
				s.end = "\r\n"
			}
		default:
			s.fields = append(s.fields, f)
			i++
			continue
		}
		if len(s.fields) > 0 || len(f.raw) > 0 {
			s.fields = append(s.fields, f)
		}
		return i + len(s.end), true
	}
}

// fill brings more bytes; it is called when a row is not complete.
func (s *scanner) fill() error {
	if s.r > 0 {
		s.base += int64(s.r)
		s.w = copy(s.buf, s.buf[s.r:s.w])
		s.r = 0
	}
	if s.w == len(s.buf) {
		if len(s.buf) >= maxRow {
			return problem.New(problem.DamagedFile, "row %d is longer than %d MB; a quote in it may never be closed", s.row+1, maxRow>>20)
		}
		s.buf = append(s.buf, make([]byte, max(len(s.buf), 4096))...)
	}
	// To the brim: each turn looks at the row from its beginning again.
	n, err := io.ReadFull(s.src, s.buf[s.w:])
	s.w += n
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		s.eof = true
		return nil
	}
	return err
}

func needsQuotes(text []byte, delimiter byte) bool {
	return bytes.IndexByte(text, delimiter) >= 0 || bytes.ContainsAny(text, "\"\r\n") ||
		len(text) > 0 && (text[0] == ' ' || text[len(text)-1] == ' ')
}
