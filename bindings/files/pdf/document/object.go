package document

import (
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// serial writes objects down. number gives the object number that a reference has in the
// output, 0 for null; str writes a string.
type serial struct {
	out    []byte
	number func(old int) int
	str    func(out []byte, o types.Object) []byte
	keys   []string
}

func (s *serial) object(o types.Object) {
	switch o := o.(type) {
	case types.Dict:
		s.dict(o)
	case types.Array:
		s.out = append(s.out, '[')
		for i, item := range o {
			if i > 0 {
				s.out = append(s.out, ' ')
			}
			s.object(item)
		}
		s.out = append(s.out, ']')
	case types.IndirectRef:
		n := s.number(o.ObjectNumber.Value())
		if n == 0 {
			s.out = append(s.out, "null"...)
			return
		}
		s.out = strconv.AppendInt(s.out, int64(n), 10)
		s.out = append(s.out, " 0 R"...)
	case *types.IndirectRef:
		s.object(*o)
	case types.Name:
		s.name(string(o))
	case types.Integer:
		s.out = strconv.AppendInt(s.out, int64(o), 10)
	case types.Float:
		s.out = AppendNumber(s.out, float64(o))
	case types.Boolean:
		s.out = strconv.AppendBool(s.out, bool(o))
	case types.StringLiteral, types.HexLiteral:
		s.out = s.str(s.out, o)
	default: // nil; a stream where none may be
		s.out = append(s.out, "null"...)
	}
}

// dict writes a dictionary, its keys in order, so that equal documents are equal bytes.
func (s *serial) dict(d types.Dict) {
	from := len(s.keys)
	for key := range d {
		s.keys = append(s.keys, key)
	}
	to := len(s.keys)
	slices.Sort(s.keys[from:to])
	s.out = append(s.out, "<<"...)
	for i := from; i < to; i++ {
		key := s.keys[i]
		value := d[key]
		if value == nil {
			continue
		}
		s.name(key)
		switch value.(type) {
		case types.Dict, types.Array, types.Name, types.StringLiteral, types.HexLiteral:
		default:
			s.out = append(s.out, ' ')
		}
		s.object(value)
	}
	s.keys = s.keys[:from]
	s.out = append(s.out, ">>"...)
}

func (s *serial) name(n string) {
	s.out = append(s.out, '/')
	for i := range len(n) {
		c := n[i]
		if c <= ' ' || c >= 0x7f {
			s.out = append(s.out, '#', digits[c>>4], digits[c&15])
			continue
		}
		switch c {
		case '#', '/', '(', ')', '<', '>', '[', ']', '{', '}', '%':
			s.out = append(s.out, '#', digits[c>>4], digits[c&15])
		default:
			s.out = append(s.out, c)
		}
	}
}

const digits = "0123456789ABCDEF"

// plain writes a string as it was read.
func plain(out []byte, o types.Object) []byte {
	switch o := o.(type) {
	case types.StringLiteral:
		out = append(append(append(out, '('), o...), ')')
	case types.HexLiteral:
		out = append(append(append(out, '<'), o...), '>')
	}
	return out
}

// hexString writes bytes as a string.
func hexString(out, b []byte) []byte {
	return append(hex.AppendEncode(append(out, '<'), b), '>')
}
