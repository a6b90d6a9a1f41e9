package inflate

import (
	"encoding/binary"
	"io"
)

// codes inflates a Huffman block until limit or its end.
func (r *Reader) codes(limit int) {
	for r.op < limit {
		// The fast loop needs 8 input bytes ahead at each turn; near the end of the
		// buffered input a turn of the careful one brings more.
		if r.il-r.ip >= 16 {
			if r.fast(limit); r.err != nil || r.state != inCodes {
				return
			}
			if r.op >= limit {
				return
			}
		}
		if r.symbol(); r.err != nil || r.state != inCodes {
			return
		}
	}
}

// fast inflates symbols while there is input for whole words.
func (r *Reader) fast(limit int) {
	in, out := r.in[:r.il], r.out
	ip, op, bits, nbits := r.ip, r.op, r.bits, r.nbits
	last := len(in) - 8
	lit, dist := &r.lit, &r.dist
loop:
	for op < limit && ip <= last {
		bits |= binary.LittleEndian.Uint64(in[ip:]) << nbits
		ip += int((63 - nbits) >> 3)
		nbits |= 56

		e := lit[bits&litMask]
		if e&flagLiteral != 0 {
			// Up to three literals fit in the 56 bits with room for a length after two.
			bits >>= e & 63
			nbits -= uint(e & 63)
			out[op] = byte(e >> 16)
			op++
			e = lit[bits&litMask]
			if e&flagLiteral != 0 {
				bits >>= e & 63
				nbits -= uint(e & 63)
				out[op] = byte(e >> 16)
				op++
				e = lit[bits&litMask]
				if e&flagLiteral != 0 {
					bits >>= e & 63
					nbits -= uint(e & 63)
					out[op] = byte(e >> 16)
					op++
					continue
				}
			}
		}
		if e&flagSub != 0 {
			e = lit[(uint64(e>>16)+bits>>litBits&(1<<(e>>8&15)-1))&(litSize-1)]
			if e&flagLiteral != 0 {
				bits >>= e & 63
				nbits -= uint(e & 63)
				out[op] = byte(e >> 16)
				op++
				continue
			}
		}
		if e&(flagEnd|flagValid) != flagValid {
			if e&flagEnd != 0 {
				bits >>= e & 63
				nbits -= uint(e & 63)
				r.endBlock()
			} else {
				r.err = ErrCorrupt
			}
			break loop
		}
		// A length: the code and its extra bits are used in one go.
		saved := bits
		bits >>= e & 63
		nbits -= uint(e & 63)
		extra := e >> 8 & 15
		length := int(e>>16) + int(saved>>(e&63-extra)&(1<<extra-1))

		if nbits < 28 { // a distance takes up to 15 + 13 bits
			if ip > last {
				// Too close to the end for a word: hand over to the careful path with
				// the length undone.
				bits, nbits = saved, nbits+uint(e&63)
				break loop
			}
			bits |= binary.LittleEndian.Uint64(in[ip:]) << nbits
			ip += int((63 - nbits) >> 3)
			nbits |= 56
		}
		d := dist[bits&distMask]
		if d&flagSub != 0 {
			d = dist[(uint64(d>>16)+bits>>distBits&(1<<(d>>8&15)-1))&(distSize-1)]
		}
		if d&flagValid == 0 {
			r.err = ErrCorrupt
			break loop
		}
		saved = bits
		bits >>= d & 63
		nbits -= uint(d & 63)
		extra = d >> 8 & 15
		back := int(d>>16) + int(saved>>(d&63-extra)&(1<<extra-1))
		if back > op {
			r.err = ErrCorrupt
			break loop
		}
		copyMatch(out, op, back, length)
		op += length
	}
	r.ip, r.op, r.bits, r.nbits = ip, op, bits, nbits
	// The word loads leave bits above nbits behind; the careful path counts on zeros.
	r.bits &= 1<<r.nbits - 1
}

// symbol inflates one symbol, with or without input left.
func (r *Reader) symbol() {
	r.refill()
	e := r.lit[r.bits&litMask]
	if e&flagSub != 0 {
		e = r.lit[(uint64(e>>16)+r.bits>>litBits&(1<<(e>>8&15)-1))&(litSize-1)]
	}
	if e&(flagLiteral|flagEnd|flagValid) == 0 {
		r.err = ErrCorrupt
		return
	}
	saved := r.bits
	r.bits >>= e & 63
	r.nbits -= uint(e & 63)
	switch {
	case r.past > 0 && r.overrun():
		r.err = io.ErrUnexpectedEOF
		return
	case e&flagLiteral != 0:
		r.out[r.op] = byte(e >> 16)
		r.op++
		return
	case e&flagEnd != 0:
		r.endBlock()
		return
	}
	extra := e >> 8 & 15
	length := int(e>>16) + int(saved>>(e&63-extra)&(1<<extra-1))
	r.refill()
	d := r.dist[r.bits&distMask]
	if d&flagSub != 0 {
		d = r.dist[(uint64(d>>16)+r.bits>>distBits&(1<<(d>>8&15)-1))&(distSize-1)]
	}
	if d&flagValid == 0 {
		r.err = ErrCorrupt
		return
	}
	saved = r.bits
	r.bits >>= d & 63
	r.nbits -= uint(d & 63)
	extra = d >> 8 & 15
	back := int(d>>16) + int(saved>>(d&63-extra)&(1<<extra-1))
	switch {
	case r.past > 0 && r.overrun():
		r.err = io.ErrUnexpectedEOF
	case back > r.op:
		r.err = ErrCorrupt
	default:
		copyMatch(r.out, r.op, back, length)
		r.op += length
	}
}

// copyMatch copies length bytes from back bytes before op. It may write up to slack
// bytes past the match's end, which later output overwrites.
func copyMatch(out []byte, op, back, length int) {
	from := op - back
	switch {
	case back >= 8 && length <= 40:
		// Most matches in a worksheet are shorter than 24 bytes.
		for n := 0; n < length; n += 8 {
			binary.LittleEndian.PutUint64(out[op+n:], binary.LittleEndian.Uint64(out[from+n:]))
		}
	case back >= length:
		copy(out[op:op+length], out[from:])
	default:
		// What was just copied is the source of the rest.
		for done := 0; done < length; {
			done += copy(out[op+done:op+length], out[from:op+done])
		}
	}
}
