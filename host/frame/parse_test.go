package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

func framed(k kind, files int, id uint32, method, body string) []byte {
	buf := append(begin(nil, k, files, id, method), body...)
	seal(buf)
	return buf
}

func TestParse(t *testing.T) {
	whole := framed(kindRequest, 1, 7, "stat", `{"ref":"a"}`)
	m, size, err := parse(append(whole, "rest"...), 1<<10)
	if err != nil || size != len(whole) || m.kind != kindRequest || m.files != 1 || m.id != 7 || string(m.method) != "stat" || string(m.body) != `{"ref":"a"}` {
		t.Fatalf("%+v, %d, %v", m, size, err)
	}
	for n := range whole {
		if _, size, err := parse(whole[:n], 1<<10); size != 0 || err != nil {
			t.Fatalf("%d bytes of %d: %d, %v", n, len(whole), size, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	long := framed(kindNotice, 0, 0, "m", "")
	binary.LittleEndian.PutUint32(long, 1<<31)
	method := framed(kindRequest, 0, 1, "m", "")
	method[6] = 200
	for name, c := range map[string]struct {
		buf  []byte
		want string
	}{
		"short":             {[]byte{1, 0, 0, 0}, "shorter than its header"},
		"zero":              {make([]byte, 64), "shorter than its header"},
		"long":              {long[:4], "longer than"},
		"unknown kind":      {framed(99, 0, 1, "", ""), "no frame of kind 99"},
		"no method":         {framed(kindRequest, 0, 1, "", ""), "names no method"},
		"a method too many": {framed(kindAnswer, 0, 1, "m", ""), "names a method"},
		"method overflows":  {method, "does not fit"},
		"files on a cancel": {framed(kindCancel, 1, 1, "", ""), "carries descriptors"},
		"files on a notice": {framed(kindNotice, 1, 0, "m", ""), "carries descriptors"},
	} {
		_, _, err := parse(c.buf, 1<<20)
		var v *Violation
		if !errors.As(err, &v) || !strings.Contains(v.What, c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// FuzzParse: whatever comes, parse stays within the buffer and consumes what it says.
func FuzzParse(f *testing.F) {
	f.Add(framed(kindRequest, 0, 1, "list", `{}`))
	f.Add(framed(kindAnswer, 1, 1, "", `{"id":"x"}`))
	f.Add([]byte{255, 255, 255, 255, 1, 1, 1, 1, 1, 1, 1})
	f.Fuzz(func(t *testing.T, buf []byte) {
		const max = 1 << 12
		m, size, err := parse(buf, max)
		switch {
		case err != nil && size != 0:
			t.Fatal("an error and a size")
		case size > len(buf) || size > max:
			t.Fatalf("a frame of %d bytes in %d", size, len(buf))
		case size > 0:
			again := append(begin(nil, m.kind, m.files, m.id, string(m.method)), m.body...)
			seal(again)
			if !bytes.Equal(again, buf[:size]) {
				t.Fatalf("%x written again is %x", buf[:size], again)
			}
		}
	})
}
