package runtime

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja/file"
)

// text is a source text whose offsets can be told in bytes, in UTF-16 units, and as line
// and column. goja counts columns in bytes; editors, V8 and source maps count UTF-16
// units. Programs are therefore given positions in a stand-in of the source that has one
// ASCII byte for each unit, and goja's own arithmetic is right.
type text struct {
	source  string
	ascii   bool
	standIn string
	starts  []int // unit offset at which each line starts
	units   []int // unit offset of each byte; nil if ascii
}

func newText(source string) *text {
	t := &text{source: source, ascii: isASCII(source), standIn: source}
	if !t.ascii {
		t.project()
	}
	t.starts = append(t.starts, 0)
	for i := 0; i < len(t.standIn); i++ {
		switch c := t.standIn[i]; {
		case c == '\n', c == '\r' && (i+1 == len(t.standIn) || t.standIn[i+1] != '\n'):
			t.starts = append(t.starts, i+1)
		}
	}
	return t
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (t *text) project() {
	var b strings.Builder
	t.units = make([]int, len(t.source)+1)
	for i := 0; i < len(t.source); {
		r, size := utf8.DecodeRuneInString(t.source[i:])
		for k := range size {
			t.units[i+k] = b.Len()
		}
		switch {
		case r < utf8.RuneSelf:
			b.WriteByte(byte(r))
		case r == '\u2028' || r == '\u2029':
			b.WriteByte('\n') // ECMAScript ends a line here
		case r > 0xFFFF:
			b.WriteString("__")
		default:
			b.WriteByte('_')
		}
		i += size
	}
	t.units[len(t.source)] = b.Len()
	t.standIn = b.String()
}

// unit gives the unit offset of a byte offset, which is brought into range.
func (t *text) unit(offset int) int {
	offset = min(max(offset, 0), len(t.source))
	if t.ascii {
		return offset
	}
	return t.units[offset]
}

// place gives the 1-based line and column of a unit offset.
func (t *text) place(unit int) (line, column int) {
	line = sort.SearchInts(t.starts, unit+1)
	return line, unit - t.starts[line-1] + 1
}

// offset gives the unit offset of a 1-based line and column, which are brought into range.
func (t *text) offset(line, column int) int {
	line = min(max(line, 1), len(t.starts))
	return min(t.starts[line-1]+max(column, 1)-1, len(t.standIn))
}

// file is what a program of this source gets as its file, named as stacks name it.
func (t *text) file(name string) *file.File { return file.NewFile(name, t.standIn, 1) }
