package scaledjpeg

// lookBits is the length of codes that are found at once.
const lookBits = 10

// huffman is a table of codes.
type huffman struct {
	// look has, for the next bits, a code's length in its upper and its symbol in its lower
	// byte; 0 is a longer code.
	look   [1 << lookBits]uint16
	max    [18]int32 // the largest code of a length, or -1
	first  [17]int32 // what to add to a code of a length for its symbol's place
	values []byte
}

func (d *decoder) tables(p []byte) error {
	for len(p) > 0 {
		if len(p) < 17 || p[0]>>4 > 1 || p[0]&15 > 3 {
			return errDamaged
		}
		total := 0
		for _, n := range p[1:17] {
			total += int(n)
		}
		if total > 256 || len(p) < 17+total {
			return errDamaged
		}
		h, err := newHuffman(p[1:17], p[17:17+total])
		if err != nil {
			return err
		}
		d.huff[p[0]>>4][p[0]&15] = h
		p = p[17+total:]
	}
	return nil
}

// newHuffman makes a table of how many codes there are of each length, and their symbols
// (T.81, annex C).
func newHuffman(counts, values []byte) (*huffman, error) {
	h := &huffman{values: values}
	code, at := int32(0), 0
	for length := 1; length <= 16; length++ {
		n := int(counts[length-1])
		h.max[length] = -1
		if n > 0 {
			h.first[length] = int32(at) - code
			for range n {
				if code >= 1<<length {
					return nil, errDamaged
				}
				if length <= lookBits {
					from := code << (lookBits - length)
					for i := range int32(1) << (lookBits - length) {
						h.look[from+i] = uint16(length)<<8 | uint16(values[at])
					}
				}
				code++
				at++
			}
			h.max[length] = code - 1
		}
		code <<= 1
	}
	return h, nil
}

// reader hands out the bits of a scan, without the bytes that are stuffed into it.
type reader struct {
	data []byte
	at   int
	acc  uint64 // bits not yet taken, at its upper end
	n    int    // how many of them
	over int    // bits handed out that there were not
}

// fill makes sure that there are 48 bits. Behind the end of the data, or at a marker, they are 0.
func (r *reader) fill() {
	for r.n <= 56 {
		var b byte
		switch {
		case r.at >= len(r.data):
			r.over += 8
		case r.data[r.at] != 0xff:
			b = r.data[r.at]
			r.at++
		case r.at+1 < len(r.data) && r.data[r.at+1] == 0:
			b = 0xff
			r.at += 2
		default:
			r.over += 8
		}
		r.acc |= uint64(b) << (56 - r.n)
		r.n += 8
	}
}

func (r *reader) skip(n int) {
	r.acc <<= n
	r.n -= n
}

// symbol decodes a code; fill has been called. It gives -1 for bits that are no code.
func (r *reader) symbol(h *huffman) int {
	if e := h.look[r.acc>>(64-lookBits)]; e != 0 {
		r.skip(int(e >> 8))
		return int(e & 0xff)
	}
	for length := lookBits + 1; length <= 16; length++ {
		if code := int32(r.acc >> (64 - length)); code <= h.max[length] {
			r.skip(length)
			return int(h.values[code+h.first[length]])
		}
	}
	return -1
}

// value takes a number of so many bits (T.81, figure F.12).
func (r *reader) value(bits int) int32 {
	if bits == 0 {
		return 0
	}
	v := int32(r.acc >> (64 - bits))
	r.skip(bits)
	if v < 1<<(bits-1) {
		v -= 1<<bits - 1
	}
	return v
}

// marker drops what is left of a byte and passes over a restart marker.
func (r *reader) marker(want byte) bool {
	if r.over > r.n { // bits were taken that there were not
		return false
	}
	r.acc, r.n, r.over = 0, 0, 0
	for r.at+1 < len(r.data) && r.data[r.at] == 0xff && r.data[r.at+1] == 0xff {
		r.at++
	}
	if r.at+1 >= len(r.data) || r.data[r.at] != 0xff || r.data[r.at+1] != want {
		return false
	}
	r.at += 2
	return true
}
