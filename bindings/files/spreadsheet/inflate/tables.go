package inflate

import (
	"io"
	"math/bits"
)

// A table entry holds, from the lowest bit: 6 bits, how many bits it uses (a length's or
// distance's extra bits included); 2 spare; 4 bits, how many of them are extra, or for
// a pointer how many index the subtable; 4 flags; 16 bits, the literal, the base of
// the length or distance, or where the subtable begins.
type entry = uint32

const (
	flagLiteral entry = 1 << 12
	flagEnd     entry = 1 << 13
	flagSub     entry = 1 << 14
	flagValid   entry = 1 << 15 // a length or a distance
)

const (
	litBits  = 11
	litMask  = 1<<litBits - 1
	litSize  = 4096 // at most 2342 are used (zlib's enough.c: 288 symbols, 11 bits)
	distBits = 8
	distMask = 1<<distBits - 1
	distSize = 512 // at most 402 are used (30 symbols, 8 bits)
	maxCode  = 15
)

type litTable [litSize]entry
type distTable [distSize]entry

// litEntry is a literal/length symbol's entry without its code length.
func litEntry(sym int) entry {
	switch {
	case sym < 256:
		return flagLiteral | entry(sym)<<16
	case sym == 256:
		return flagEnd
	case sym <= 285:
		return flagValid | lengthBase[sym-257]<<16 | lengthExtra[sym-257]<<8 | lengthExtra[sym-257]
	}
	return 0
}

func distEntry(sym int) entry {
	if sym >= 30 {
		return 0
	}
	return flagValid | distBase[sym]<<16 | distExtra[sym]<<8 | distExtra[sym]
}

func codeEntry(sym int) entry { return flagLiteral | entry(sym)<<16 }

var lengthBase = [29]entry{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59,
	67, 83, 99, 115, 131, 163, 195, 227, 258}
var lengthExtra = [29]entry{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
var distBase = [30]entry{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769,
	1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
var distExtra = [30]entry{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}

// build fills a table of 1<<root entries and the subtables behind them from code
// lengths. Like zlib it refuses a code that has too many or too few symbols, except
// one that has a single symbol of one bit, or none.
func build(table []entry, root int, lengths []uint8, symbol func(int) entry) bool {
	var count [maxCode + 1]int
	for _, n := range lengths {
		count[n]++
	}
	count[0] = 0
	var next [maxCode + 2]int
	left, used := 1, 0
	for n := 1; n <= maxCode; n++ {
		left = left<<1 - count[n]
		if left < 0 {
			return false
		}
		next[n+1] = (next[n] + count[n]) << 1
		used += count[n]
	}
	if left > 0 && !(used == 0 || used == 1 && count[1] == 1) {
		return false
	}
	clear(table[:1<<root])

	// Subtables are as wide as the longest code that begins with their prefix.
	free := 1 << root
	var sub [1 << litBits]uint8 // by reversed prefix: the longest code's bits beyond root
	long := false
	code := next
	for _, n := range lengths {
		if n == 0 {
			continue
		}
		c := code[n]
		code[n]++
		if int(n) > root {
			long = true
			prefix := reverse(c>>(int(n)-root), root)
			sub[prefix] = max(sub[prefix], n-uint8(root))
		}
	}
	if long {
		for prefix := range sub[:1<<root] {
			if sub[prefix] == 0 {
				continue
			}
			size := 1 << sub[prefix]
			if free+size > len(table) {
				return false
			}
			clear(table[free : free+size])
			table[prefix] = flagSub | entry(sub[prefix])<<8 | entry(free)<<16
			free += size
		}
	}
	for sym, n := range lengths {
		if n == 0 {
			continue
		}
		c := reverse(next[n], int(n))
		next[n]++
		e := symbol(sym)
		if e != 0 {
			e += entry(n)
		}
		if int(n) <= root {
			for i := c; i < 1<<root; i += 1 << n {
				table[i] = e
			}
			continue
		}
		pointer := table[c&(1<<root-1)]
		base, width := int(pointer>>16), pointer>>8&15
		if e != 0 {
			// A whole code is used at once, its prefix included.
			for i := c >> root; i < 1<<width; i += 1 << (int(n) - root) {
				table[base+i] = e
			}
		}
	}
	return true
}

func reverse(code, n int) int {
	return int(bits.Reverse16(uint16(code)) >> (16 - n))
}

// codeOrder is the order in which a header gives the lengths of the code lengths' code.
var codeOrder = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// blockHeader reads a block's header and builds its tables.
func (r *Reader) blockHeader() {
	r.header = r.bitPos()
	r.final = r.take(1) == 1
	switch r.take(2) {
	case 0:
		r.storedHeader()
	case 1:
		var lengths [288]uint8
		for i := range lengths {
			switch {
			case i < 144:
				lengths[i] = 8
			case i < 256:
				lengths[i] = 9
			case i < 280:
				lengths[i] = 7
			default:
				lengths[i] = 8
			}
		}
		build(r.lit[:], litBits, lengths[:], litEntry)
		for i := range lengths[:32] {
			lengths[i] = 5
		}
		build(r.dist[:], distBits, lengths[:32], distEntry)
		r.state = inCodes
	case 2:
		if !r.dynamicHeader() {
			if r.err == nil {
				r.err = ErrCorrupt
			}
			return
		}
		r.state = inCodes
	default:
		r.err = ErrCorrupt
	}
	if r.past > 0 && r.overrun() {
		r.err = io.ErrUnexpectedEOF
	}
}

func (r *Reader) storedHeader() {
	drop := r.nbits % 8
	r.bits >>= drop
	r.nbits -= drop
	size, check := r.take(16), r.take(16)
	if size^check != 0xffff {
		r.err = ErrCorrupt
		return
	}
	// Whole bytes that were taken ahead go back to the input.
	n := int(r.nbits/8) - r.past
	if n < 0 || n > r.ip {
		r.err = io.ErrUnexpectedEOF
		return
	}
	r.ip -= n
	r.bits, r.nbits, r.past = 0, 0, 0
	r.stored = size
	r.state = inStored
}

func (r *Reader) dynamicHeader() bool {
	nlit, ndist, ncode := r.take(5)+257, r.take(5)+1, r.take(4)+4
	if nlit > 286 || ndist > 30 {
		return false
	}
	var lengths [286 + 30]uint8
	for i := range ncode {
		lengths[codeOrder[i]] = uint8(r.take(3))
	}
	var codes [128]entry
	if !build(codes[:], 7, lengths[:19], codeEntry) {
		return false
	}
	clear(lengths[:19])
	for i := 0; i < nlit+ndist; {
		r.refill()
		e := codes[r.bits&127]
		if e == 0 {
			return false
		}
		r.take(uint(e & 63))
		sym := int(e >> 16)
		if sym < 16 {
			lengths[i] = uint8(sym)
			i++
			continue
		}
		var value uint8
		var repeat int
		switch sym {
		case 16:
			if i == 0 {
				return false
			}
			value, repeat = lengths[i-1], 3+r.take(2)
		case 17:
			repeat = 3 + r.take(3)
		default:
			repeat = 11 + r.take(7)
		}
		if i+repeat > nlit+ndist {
			return false
		}
		for range repeat {
			lengths[i] = value
			i++
		}
	}
	return lengths[256] != 0 &&
		build(r.lit[:], litBits, lengths[:nlit], litEntry) &&
		build(r.dist[:], distBits, lengths[nlit:nlit+ndist], distEntry)
}
