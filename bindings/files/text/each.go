package text

import (
	"context"
	"slices"
)

// readStep is how many bytes EachLine reads at once.
const readStep = 256 << 10

// EachLine calls do with each line, without its line end, until do answers false. A line
// is UTF-8 (a file's own broken bytes aside) and is valid during the call only.
func (b *Buffer) EachLine(ctx context.Context, do func(number int, line []byte) bool) error {
	unit := b.Form.Encoding.unit()
	buf := make([]byte, 0, readStep)
	number := 0
	for off := b.Form.start(); off < b.size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		// What is in buf is the beginning of a line; it grows for one that is long.
		buf = slices.Grow(buf, readStep)
		step := int(min(int64(cap(buf)-len(buf))/int64(unit)*int64(unit), b.size-off))
		had := len(buf)
		buf = buf[:had+step]
		if err := readFull(b, buf[had:], off); err != nil {
			return err
		}
		off += int64(step)

		rest, search := buf, had // up to search there is no line end
		for {
			next := b.Form.Encoding.nextBreak(rest[search:], b.Form.Break)
			if next < 0 {
				break
			}
			number++
			if !do(number, b.Form.line(rest[:search+next])) {
				return nil
			}
			rest, search = rest[search+next:], 0
		}
		buf = append(buf[:0], rest...)
	}
	if len(buf) > 0 {
		do(number+1, b.Form.line(buf))
	}
	return nil
}

// line gives a line's bytes as UTF-8 without the line end.
func (f Form) line(raw []byte) []byte {
	if f.Encoding != UTF8 && (f.Encoding.unit() == 2 || !isASCII(raw)) {
		raw = []byte(f.Encoding.Decode(raw))
	}
	if n := len(raw); n > 0 && raw[n-1] == f.Break {
		raw = raw[:n-1]
		if f.Break == '\n' && n > 1 && raw[n-2] == '\r' {
			raw = raw[:n-2]
		}
	}
	return raw
}
