package scaledjpeg

// zigzag tells where the coefficients in file order stand in a block of 4 × 4; 255 is outside of
// it, in frequencies that no scale here takes (T.81, figure A.6).
var zigzag = [64]byte{
	0, 1, 4, 8, 5, 2, 3, 6,
	9, 12, 255, 13, 10, 7, 255, 255,
	255, 11, 14, 255, 255, 255, 255, 255,
	15, 255, 255, 255, 255, 255, 255, 255,
	255, 255, 255, 255, 255, 255, 255, 255,
	255, 255, 255, 255, 255, 255, 255, 255,
	255, 255, 255, 255, 255, 255, 255, 255,
	255, 255, 255, 255, 255, 255, 255, 255,
}

// scan decodes all MCUs.
func (d *decoder) scan() error {
	across, down := d.mcus()
	left, next := d.restart, byte(0)
	for my := range down {
		for mx := range across {
			if d.restart > 0 && left == 0 {
				if !d.bits.marker(0xd0 + next) {
					return errDamaged
				}
				left, next = d.restart, (next+1)&7
				for _, c := range d.comps {
					c.last = 0
				}
			}
			left--
			for _, c := range d.comps {
				for by := range c.v {
					for bx := range c.h {
						at := (my*c.v+by)*c.side*c.stride + (mx*c.h+bx)*c.side
						if !d.block(c, c.pix[at:]) {
							return errDamaged
						}
					}
				}
			}
		}
		if d.bits.over > d.bits.n {
			return errDamaged // it ends early
		}
	}
	return nil
}

// block decodes one block into its place in the plane.
func (d *decoder) block(c *component, dst []byte) bool {
	var f [16]int32
	r, quant := &d.bits, &d.quant[c.quant]
	r.fill()
	size := r.symbol(d.huff[0][c.dc])
	if size < 0 || size > 15 {
		return false
	}
	c.last += r.value(size)
	f[0] = c.last * quant[0]
	ac := d.huff[1][c.ac]
	for k := 1; k < 64; k++ {
		if r.n < 32 {
			r.fill()
		}
		s := r.symbol(ac)
		if s < 0 {
			return false
		}
		run, size := s>>4, s&15
		if size == 0 {
			if run != 15 {
				break
			}
			k += 15
			continue
		}
		if k += run; k > 63 {
			return false
		}
		if to := zigzag[k]; to != 255 {
			f[to] = r.value(size) * quant[k]
		} else {
			r.skip(size)
		}
	}
	switch c.side {
	case 1:
		dst[0] = level(f[0] * 2)
	case 2:
		a, b := f[0]+f[4], f[0]-f[4]
		e, g := f[1]+f[5], f[1]-f[5]
		dst[0], dst[1] = level((a+e)*2), level((a-e)*2)
		dst[c.stride], dst[c.stride+1] = level((b+g)*2), level((b-g)*2)
	default:
		inverse4(&f, dst, c.stride)
	}
	return true
}

// level makes a sample of 16 times its value about the middle.
func level(v int32) byte {
	v = (v+8)>>4 + 128
	return byte(max(0, min(v, 255)))
}

// Cosines of π/8, 2π/8 and 3π/8, times 2¹².
const (
	cos1 = 3784
	cos2 = 2896
	cos3 = 1567
)

// inverse4 is the inverse DCT of the lowest 4 × 4 frequencies.
func inverse4(f *[16]int32, dst []byte, stride int) {
	var t [16]int32 // times 2⁶
	for x := range 4 {
		t[x], t[4+x], t[8+x], t[12+x] = inverse(f[x], f[4+x], f[8+x], f[12+x], 6)
	}
	for y := range 4 {
		a, b, c, d := inverse(t[4*y], t[4*y+1], t[4*y+2], t[4*y+3], 12)
		row := dst[y*stride:][:4]
		// A quarter of the sum (T.81, A.3.3), of 2⁶, is 2⁸ for a sample.
		row[0], row[1], row[2], row[3] = level(a>>4), level(b>>4), level(c>>4), level(d>>4)
	}
}

// inverse is the transform in one dimension, shifted down.
func inverse(f0, f1, f2, f3 int32, shift uint) (a, b, c, d int32) {
	e0, e1 := int64(f0+f2)*cos2, int64(f0-f2)*cos2
	o0, o1 := int64(f1)*cos1+int64(f3)*cos3, int64(f1)*cos3-int64(f3)*cos1
	return int32((e0 + o0) >> shift), int32((e1 + o1) >> shift), int32((e1 - o1) >> shift), int32((e0 - o0) >> shift)
}
