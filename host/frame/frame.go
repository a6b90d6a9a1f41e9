// Package frame carries calls between two processes over a unix socketpair: requests
// and answers in both directions at once, cancellation, one-way notices, and file
// descriptors beside any request or answer.
//
// A frame is a header of 11 bytes and a payload:
//
//	u32 length   of all that follows, little endian
//	u8  kind     request, answer, failure, cancel or notice
//	u8  files    how many descriptors came with the frame (SCM_RIGHTS)
//	u8  method   length of the method's name; 0 except in requests and notices
//	u32 id       chosen by the caller; an answer, a failure and a cancel repeat it
//	method, then a JSON body
//
// The id and the method stand outside the JSON so that a frame is routed without parsing
// it and its body is decoded once, straight into the type that the method takes.
//
// The peer may be hostile. Whatever breaks the rules (a length, a kind, an id that nobody
// waits for, a descriptor that nobody asked for, too many requests at once) ends the
// connection with a Violation; nothing panics and no descriptor stays open.
//
// Imports problem alone. Start reading at Conn; the bytes are in parse.
package frame

import (
	"encoding/binary"
	"fmt"
)

const (
	// MaxFrame is the default for Options.MaxFrame, in bytes.
	MaxFrame = 32 << 20
	// MaxInFlight is the default for Options.MaxInFlight.
	MaxInFlight = 256

	// maxFailure is the largest JSON of an error. Its details are decoded as they come, and
	// two bytes of JSON can take forty of memory.
	maxFailure = 1 << 20

	lengthSize = 4
	headerSize = lengthSize + 7
)

type kind uint8

const (
	kindRequest kind = 1 + iota
	kindAnswer
	kindFailure
	kindCancel
	kindNotice
)

// Violation says how the peer broke the protocol. The connection is closed after one.
type Violation struct{ What string }

// Error is the violation's text, for the operator's log.
func (v *Violation) Error() string { return "frame: the peer broke the protocol: " + v.What }

func violation(format string, args ...any) error {
	return &Violation{What: fmt.Sprintf(format, args...)}
}

// message is a parsed frame. Its slices point into the buffer it was parsed from.
type message struct {
	kind   kind
	files  int
	id     uint32
	method []byte
	body   []byte
}

// parse reads the first frame of buf. size is how many bytes it takes, or 0 if there is
// not enough yet. A frame longer than max is refused as soon as its length is there.
func parse(buf []byte, max int) (m message, size int, err error) {
	if len(buf) < lengthSize {
		return m, 0, nil
	}
	length := binary.LittleEndian.Uint32(buf)
	if length < headerSize-lengthSize {
		return m, 0, violation("a frame of %d bytes is shorter than its header", length)
	}
	if int64(length) > int64(max)-lengthSize {
		return m, 0, violation("a frame of %d bytes is longer than the %d allowed", int64(length)+lengthSize, max)
	}
	size = lengthSize + int(length)
	if len(buf) < headerSize {
		return m, 0, nil
	}
	m.kind, m.files = kind(buf[4]), int(buf[5])
	named := int(buf[6])
	m.id = binary.LittleEndian.Uint32(buf[7:])
	switch m.kind {
	case kindRequest, kindNotice:
		if named == 0 {
			return m, 0, violation("a frame of kind %d names no method", m.kind)
		}
	case kindAnswer, kindFailure, kindCancel:
		if named != 0 {
			return m, 0, violation("a frame of kind %d names a method", m.kind)
		}
	default:
		return m, 0, violation("there is no frame of kind %d", m.kind)
	}
	if headerSize+named > size {
		return m, 0, violation("a method's name of %d bytes does not fit its frame", named)
	}
	if m.files > 0 && m.kind != kindRequest && m.kind != kindAnswer {
		return m, 0, violation("a frame of kind %d carries descriptors", m.kind)
	}
	if len(buf) < size {
		return m, 0, nil
	}
	m.method = buf[headerSize : headerSize+named]
	m.body = buf[headerSize+named : size]
	return m, size, nil
}

// begin appends a frame's header and method; seal fills in the length when the body is there.
func begin(buf []byte, k kind, files int, id uint32, method string) []byte {
	buf = append(buf, 0, 0, 0, 0, byte(k), byte(files), byte(len(method)), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(buf[len(buf)-4:], id)
	return append(buf, method...)
}

func seal(buf []byte) { binary.LittleEndian.PutUint32(buf, uint32(len(buf)-lengthSize)) }
