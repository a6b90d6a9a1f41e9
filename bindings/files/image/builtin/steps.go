package builtin

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"sync"

	"github.com/disintegration/imaging"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
)

var filters = map[picture.Kernel]imaging.ResampleFilter{"": imaging.Lanczos, picture.Lanczos3: imaging.Lanczos, picture.Cubic: imaging.CatmullRom,
	picture.Mitchell: imaging.MitchellNetravali, picture.Linear: imaging.Linear, picture.Nearest: imaging.NearestNeighbor}

func (e Engine) step(ctx context.Context, m *image.NRGBA, step picture.Step) (*image.NRGBA, error) {
	switch step := step.(type) {
	case picture.Scale:
		if m.Rect.Dx() == step.Width && m.Rect.Dy() == step.Height {
			return m, nil
		}
		filter := filters[step.Kernel]
		if filter.Support == 3 && step.Width >= m.Rect.Dx() && step.Height >= m.Rect.Dy() {
			filter = imaging.CatmullRom // which does not ring where there is nothing to lose
		}
		return imaging.Resize(m, step.Width, step.Height, filter), nil
	case picture.Crop:
		return imaging.Crop(m, step.Rect), nil
	case picture.Extend:
		return imaging.Paste(imaging.New(step.Width, step.Height, step.Background), m, image.Pt(step.X, step.Y)), nil
	case picture.Turn:
		switch step.Quarters & 3 { // imaging turns the other way round
		case 1:
			return imaging.Rotate270(m), nil
		case 2:
			return imaging.Rotate180(m), nil
		case 3:
			return imaging.Rotate90(m), nil
		}
		return m, nil
	case picture.Flip:
		if step.Horizontal {
			m = imaging.FlipH(m)
		}
		if step.Vertical {
			m = imaging.FlipV(m)
		}
		return m, nil
	case picture.Rotate:
		return imaging.Rotate(m, -step.Degrees, step.Background), nil
	case picture.Blur:
		return imaging.Blur(m, step.Sigma), nil
	case picture.Sharpen:
		return sharpen(m, step), nil
	case picture.Grayscale:
		return grayscale(m), nil
	case picture.Adjust:
		return adjust(m, step), nil
	case picture.Trim:
		return trim(m, step), nil
	case picture.Flatten:
		return flatten(m, step.Background), nil
	case picture.Layers:
		m = copied(m)
		for _, l := range step.Layers {
			top, err := e.run(ctx, l.Job)
			if err != nil {
				return nil, err
			}
			lay(m, top[0], l)
		}
		return m, nil
	}
	return nil, fmt.Errorf("there is no step %T", step)
}

// perPixel makes a picture whose pixels are those of m, changed by change.
func perPixel(m *image.NRGBA, change func(p []byte)) *image.NRGBA {
	m = copied(m)
	for i := 0; i+4 <= len(m.Pix); i += 4 {
		change(m.Pix[i : i+4 : i+4])
	}
	return m
}

func clamp(v float64) byte { return byte(max(0, min(v+0.5, 255))) }

func sharpen(m *image.NRGBA, step picture.Sharpen) *image.NRGBA {
	out := imaging.Blur(m, step.Sigma)
	for i := 0; i+4 <= len(out.Pix); i += 4 {
		for c := i; c < i+3; c++ {
			out.Pix[c] = clamp(float64(m.Pix[c])*(1+step.Amount) - float64(out.Pix[c])*step.Amount)
		}
		out.Pix[i+3] = m.Pix[i+3]
	}
	return out
}

// linear are the light intensities of sRGB's values (IEC 61966-2-1), out of 1.
var linear = sync.OnceValue(func() *[256]float64 {
	var table [256]float64
	for i := range table {
		v := float64(i) / 255
		if v <= 0.04045 {
			table[i] = v / 12.92
		} else {
			table[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return &table
})

// encoded are sRGB's values of light intensities, in steps of 1/4095.
var encoded = sync.OnceValue(func() *[4096]byte {
	var table [4096]byte
	for i := range table {
		v := float64(i) / 4095
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		table[i] = clamp(v * 255)
	}
	return &table
})

// place is where a light intensity stands in encoded.
func place(light float64) int { return int(max(0, min(light, 1))*4095 + 0.5) }

func grayscale(m *image.NRGBA) *image.NRGBA {
	linear, encoded := linear(), encoded()
	return perPixel(m, func(p []byte) {
		v := encoded[place(0.2126*linear[p[0]]+0.7152*linear[p[1]]+0.0722*linear[p[2]])]
		p[0], p[1], p[2] = v, v, v
	})
}

func adjust(m *image.NRGBA, step picture.Adjust) *image.NRGBA {
	a, b := step.Brightness*step.Contrast, 127.5*(1-step.Contrast)
	s := picture.SaturationMatrix(step.Saturation)
	return perPixel(m, func(p []byte) {
		r, g, bl := a*float64(p[0])+b, a*float64(p[1])+b, a*float64(p[2])+b
		p[0], p[1], p[2] = clamp(s[0]*r+s[1]*g+s[2]*bl), clamp(s[3]*r+s[4]*g+s[5]*bl), clamp(s[6]*r+s[7]*g+s[8]*bl)
	})
}

func flatten(m *image.NRGBA, c color.NRGBA) *image.NRGBA {
	return perPixel(m, func(p []byte) {
		if a := uint32(p[3]); a < 255 {
			p[0] = byte((uint32(p[0])*a + uint32(c.R)*(255-a) + 127) / 255)
			p[1] = byte((uint32(p[1])*a + uint32(c.G)*(255-a) + 127) / 255)
			p[2] = byte((uint32(p[2])*a + uint32(c.B)*(255-a) + 127) / 255)
			p[3] = 255
		}
	})
}

func trim(m *image.NRGBA, step picture.Trim) *image.NRGBA {
	back := color.NRGBA{R: m.Pix[0], G: m.Pix[1], B: m.Pix[2], A: 255}
	if step.Background != nil {
		back = *step.Background
	}
	flat := flatten(m, back)
	differs := func(x, y int) bool {
		p := flat.Pix[flat.PixOffset(x, y):][:3]
		far := func(a, b byte) bool { return math.Abs(float64(a)-float64(b)) > step.Threshold }
		return far(p[0], back.R) || far(p[1], back.G) || far(p[2], back.B)
	}
	box := image.Rectangle{Min: flat.Rect.Max, Max: flat.Rect.Min}
	for y := range flat.Rect.Max.Y {
		for x := range flat.Rect.Max.X {
			if differs(x, y) {
				box.Min.X, box.Min.Y = min(box.Min.X, x), min(box.Min.Y, y)
				box.Max.X, box.Max.Y = max(box.Max.X, x+1), max(box.Max.Y, y+1)
			}
		}
	}
	if box.Empty() {
		return m // it is all background
	}
	return imaging.Crop(m, box)
}

func nrgbaOf(c color.Color) color.NRGBA { return color.NRGBAModel.Convert(c).(color.NRGBA) }
