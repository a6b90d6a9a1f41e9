package builtin

import (
	"image"
	"math"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
)

// lay composites a layer onto m, in place, as W3C Compositing and Blending Level 1 says.
func lay(m, top *image.NRGBA, l picture.Layer) {
	size := top.Rect.Size()
	area := image.Rectangle{Min: image.Pt(l.X, l.Y), Max: image.Pt(l.X, l.Y).Add(size)}
	everywhere := l.Tile || l.Blend == picture.DestIn // which takes away where the layer is not
	if everywhere {
		area = m.Rect
	}
	area = area.Intersect(m.Rect)
	mix := blends[l.Blend]
	none := [4]byte{}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			tx, ty := x-l.X, y-l.Y
			if l.Tile {
				tx, ty = wrap(tx, size.X), wrap(ty, size.Y)
			}
			src := none[:]
			if tx >= 0 && ty >= 0 && tx < size.X && ty < size.Y {
				src = top.Pix[top.PixOffset(top.Rect.Min.X+tx, top.Rect.Min.Y+ty):][:4]
			}
			dst := m.Pix[m.PixOffset(x, y):][:4]
			alpha := float64(src[3]) / 255 * l.Opacity
			switch {
			case l.Blend == picture.DestIn:
				dst[3] = clamp(float64(dst[3]) * alpha)
			case l.Blend == picture.DestOut:
				dst[3] = clamp(float64(dst[3]) * (1 - alpha))
			case alpha == 0:
			case alpha == 1 && mix == nil:
				copy(dst, src)
			default:
				blend(dst, src, alpha, mix)
			}
		}
	}
}

func wrap(v, n int) int { return (v%n + n) % n }

// blend mixes one pixel; mix is a separable blend function of backdrop and source, out of 1.
func blend(dst, src []byte, as float64, mix func(b, s float64) float64) {
	ab := float64(dst[3]) / 255
	ao := as + ab*(1-as)
	for c := range 3 {
		s, b := float64(src[c])/255, float64(dst[c])/255
		over := s
		if mix != nil {
			over = (1-ab)*s + ab*mix(b, s)
		}
		dst[c] = clamp((as*over + ab*b*(1-as)) / ao * 255)
	}
	dst[3] = clamp(ao * 255)
}

var blends = map[picture.Blend]func(b, s float64) float64{
	picture.Multiply:   func(b, s float64) float64 { return b * s },
	picture.Screen:     screen,
	picture.Overlay:    func(b, s float64) float64 { return hardLight(s, b) },
	picture.Darken:     math.Min,
	picture.Lighten:    math.Max,
	picture.HardLight:  hardLight,
	picture.Difference: func(b, s float64) float64 { return math.Abs(b - s) },
	picture.Exclusion:  func(b, s float64) float64 { return b + s - 2*b*s },
	picture.Add:        func(b, s float64) float64 { return min(1, b+s) },
	picture.ColorDodge: func(b, s float64) float64 {
		switch {
		case b == 0:
			return 0
		case s == 1:
			return 1
		}
		return min(1, b/(1-s))
	},
	picture.ColorBurn: func(b, s float64) float64 {
		switch {
		case b == 1:
			return 1
		case s == 0:
			return 0
		}
		return 1 - min(1, (1-b)/s)
	},
	picture.SoftLight: func(b, s float64) float64 {
		if s <= 0.5 {
			return b - (1-2*s)*b*(1-b)
		}
		d := math.Sqrt(b)
		if b <= 0.25 {
			d = ((16*b-12)*b + 4) * b
		}
		return b + (2*s-1)*(d-b)
	},
}

func screen(b, s float64) float64 { return b + s - b*s }

func hardLight(b, s float64) float64 {
	if s <= 0.5 {
		return b * 2 * s
	}
	return screen(b, 2*s-1)
}
