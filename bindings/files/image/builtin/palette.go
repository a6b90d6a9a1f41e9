package builtin

import (
	"image"
	"image/color"

	"github.com/disintegration/imaging"
	"github.com/soniakeys/quant/median"
)

// sampleSide is the longest side of the picture that a palette is made from.
const sampleSide = 400

// indexed makes a picture of at most n colours, with its errors diffused (Floyd and
// Steinberg). One of them is transparent if pixels are.
func indexed(m *image.NRGBA, n int) *image.Paletted {
	n = max(2, min(n, 256))
	transparent := !m.Opaque()
	if transparent {
		n--
	}
	palette := median.Quantizer(n).Quantize(make(color.Palette, 0, n), solid(imaging.Fit(m, sampleSide, sampleSide, imaging.NearestNeighbor)))
	if transparent {
		palette = append(palette, color.NRGBA{})
	}
	return diffuse(m, palette, transparent)
}

// solid is a picture with its transparent pixels made one colour that it has.
func solid(m *image.NRGBA) image.Image {
	m = copied(m)
	var some [4]byte
	for i := 0; i+4 <= len(m.Pix); i += 4 {
		if m.Pix[i+3] >= 128 {
			copy(some[:], m.Pix[i:i+4])
			break
		}
	}
	some[3] = 255
	for i := 0; i+4 <= len(m.Pix); i += 4 {
		if m.Pix[i+3] < 128 {
			copy(m.Pix[i:], some[:])
		}
		m.Pix[i+3] = 255
	}
	return opaque(m)
}

// diffuse gives each pixel the nearest colour, and what it is off by to its neighbours. The
// nearest is looked up for the upper 5 bits of each channel.
func diffuse(m *image.NRGBA, palette color.Palette, transparent bool) *image.Paletted {
	out := image.NewPaletted(m.Rect, palette)
	colours := make([][3]int32, 0, len(palette))
	for i, c := range palette {
		if n := nrgbaOf(c); !transparent || i < len(palette)-1 {
			colours = append(colours, [3]int32{int32(n.R), int32(n.G), int32(n.B)})
		}
	}
	nearest := make([]int16, 1<<15)
	w := m.Rect.Dx()
	errs, next := make([][3]int32, w+2), make([][3]int32, w+2)
	for y := range m.Rect.Dy() {
		for x := range w {
			p := m.Pix[y*m.Stride+4*x:][:4]
			if transparent && p[3] < 128 {
				out.Pix[y*out.Stride+x] = byte(len(palette) - 1)
				continue
			}
			var want [3]int32
			for c := range want {
				want[c] = max(0, min(int32(p[c])+errs[x+1][c]/16, 255))
			}
			key := want[0]>>3<<10 | want[1]>>3<<5 | want[2]>>3
			if nearest[key] == 0 {
				nearest[key] = 1 + closest(colours, want)
			}
			index := nearest[key] - 1
			out.Pix[y*out.Stride+x] = byte(index)
			for c := range want {
				off := want[c] - colours[index][c]
				errs[x+2][c] += 7 * off
				next[x][c] += 3 * off
				next[x+1][c] += 5 * off
				next[x+2][c] += off
			}
		}
		errs, next = next, errs
		clear(next)
	}
	return out
}

func closest(colours [][3]int32, to [3]int32) int16 {
	best, at := int32(1<<30), 0
	for i, c := range colours {
		r, g, b := c[0]-to[0], c[1]-to[1], c[2]-to[2]
		if d := r*r + g*g + b*b; d < best {
			best, at = d, i
		}
	}
	return int16(at)
}
