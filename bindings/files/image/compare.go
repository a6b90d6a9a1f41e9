package image

import (
	"context"
	goimage "image"
	"math"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/op"
)

type compareIn struct {
	A       string `json:"a" doc:"File id or name"`
	B       string `json:"b" doc:"File id or name of the picture to compare with; it is scaled to the size of a if it has another"`
	Options struct {
		Threshold *float64 `json:"threshold,omitempty" min:"0" max:"255" doc:"How far pixels may be apart in each channel and still count as the same. Defaults to 10."`
		saveOptions
	} `op:"options"`
}

type compareOut struct {
	Equal           bool     `json:"equal" doc:"Every pixel is exactly the same, and the sizes are"`
	SameSize        bool     `json:"same_size"`
	Difference      float64  `json:"difference" doc:"0 is the same, 1 is black against white: the mean over all pixels and channels"`
	DifferentPixels int64    `json:"different_pixels" doc:"Pixels beyond the threshold"`
	DifferentRatio  float64  `json:"different_ratio" doc:"Of all pixels, 0 to 1"`
	PSNR            *float64 `json:"psnr,omitempty" doc:"Peak signal to noise, in dB: above 40 people see no difference. Missing where pixels are equal."`
	SSIM            float64  `json:"ssim" doc:"Structural similarity of the luminance: 1 is the same"`
	Region          *struct {
		Left   int `json:"left"`
		Top    int `json:"top"`
		Width  int `json:"width"`
		Height int `json:"height"`
	} `json:"region,omitempty" doc:"The smallest part that has all pixels beyond the threshold"`
	File *fileOut `json:"file,omitempty" doc:"The picture of differences, if as names one: a in pale grey with what differs in red"`
}

func compare(ctx context.Context, env *op.Env, in compareIn) (out compareOut, err error) {
	eng := engineOf(env)
	a, err := open(ctx, env, eng, in.A)
	if err != nil {
		return out, err
	}
	b, err := open(ctx, env, eng, in.B)
	if err != nil {
		return out, err
	}
	w, h := a.header.UprightSize()
	bw, bh := b.header.UprightSize()
	out.SameSize = w == bw && h == bh
	pa, err := a.pixels(ctx, env, eng, 0, picture.Upright(a.header.Orientation)...)
	if err != nil {
		return out, err
	}
	steps, err := fitting{width: w, height: h, fit: "fill"}.steps(bw, bh, b.header.Orientation)
	if err != nil {
		return out, err
	}
	pb, err := b.pixels(ctx, env, eng, 0, steps...)
	if err != nil {
		return out, err
	}
	diff := out.measure(pa, pb, orElse(in.Options.Threshold, 10), in.Options.As != "")
	if diff == nil {
		return out, nil
	}
	format, err := in.Options.format(picture.PNG)
	if err != nil {
		return out, err
	}
	enc, err := in.Options.encoding(format, picture.Header{})
	if err != nil {
		return out, err
	}
	made, err := encode(ctx, eng, picture.Job{Source: picture.OfPixels(diff)}, enc)
	if err != nil {
		return out, err
	}
	defer made.Release()
	file, err := save(ctx, env, a.file, plan{save: in.Options.saveOptions}, format, made.Data)
	out.File = &fileOut{file.ID, file.Name, made.Width, made.Height, string(format), file.Size}
	return out, err
}

// measure fills in the figures, and draws the differences if asked to.
func (out *compareOut) measure(a, b *goimage.NRGBA, threshold float64, paint bool) (diff *goimage.NRGBA) {
	w, h := a.Rect.Dx(), a.Rect.Dy()
	if paint {
		diff = goimage.NewNRGBA(a.Rect)
	}
	var absolute, squares float64
	box := goimage.Rectangle{Min: goimage.Pt(w, h)}
	for y := range h {
		for x := range w {
			p, q := a.Pix[y*a.Stride+4*x:][:4], b.Pix[y*b.Stride+4*x:][:4]
			var worst int
			if p[3] != 0 || q[3] != 0 { // colours that nobody sees are equal
				for c := range 4 {
					d := int(p[c]) - int(q[c])
					absolute += math.Abs(float64(d))
					squares += float64(d * d)
					worst = max(worst, d, -d)
				}
			}
			beyond := float64(worst) > threshold
			if beyond {
				out.DifferentPixels++
				box.Min.X, box.Min.Y = min(box.Min.X, x), min(box.Min.Y, y)
				box.Max.X, box.Max.Y = max(box.Max.X, x+1), max(box.Max.Y, y+1)
			}
			if paint {
				pale := byte(200 + (299*int(p[0])+587*int(p[1])+114*int(p[2]))/1000/5)
				to := diff.Pix[y*diff.Stride+4*x:][:4]
				to[0], to[1], to[2], to[3] = pale, pale, pale, 255
				if beyond {
					to[0], to[1], to[2] = 255, 0, 0
				}
			}
		}
	}
	n := float64(w) * float64(h)
	out.Difference = absolute / (n * 4 * 255)
	out.DifferentRatio = float64(out.DifferentPixels) / n
	out.Equal = squares == 0 && out.SameSize
	if squares > 0 {
		psnr := 10 * math.Log10(255*255*n*4/squares)
		out.PSNR = &psnr
	}
	out.SSIM = ssim(a, b)
	if out.DifferentPixels > 0 {
		out.Region = &struct {
			Left   int `json:"left"`
			Top    int `json:"top"`
			Width  int `json:"width"`
			Height int `json:"height"`
		}{box.Min.X, box.Min.Y, box.Dx(), box.Dy()}
	}
	return diff
}

// ssim is the mean structural similarity (Wang et al. 2004) over blocks of 8 × 8 of the
// luminance.
func ssim(a, b *goimage.NRGBA) float64 {
	const c1, c2 = (0.01 * 255) * (0.01 * 255), (0.03 * 255) * (0.03 * 255)
	luma := func(m *goimage.NRGBA, x, y int) float64 {
		p := m.Pix[y*m.Stride+4*x:][:4]
		return (0.299*float64(p[0]) + 0.587*float64(p[1]) + 0.114*float64(p[2])) * float64(p[3]) / 255
	}
	var sum float64
	var blocks int
	for y0 := 0; y0 < a.Rect.Dy(); y0 += 8 {
		for x0 := 0; x0 < a.Rect.Dx(); x0 += 8 {
			var n, sa, sb, saa, sbb, sab float64
			for y := y0; y < min(y0+8, a.Rect.Dy()); y++ {
				for x := x0; x < min(x0+8, a.Rect.Dx()); x++ {
					va, vb := luma(a, x, y), luma(b, x, y)
					n, sa, sb, saa, sbb, sab = n+1, sa+va, sb+vb, saa+va*va, sbb+vb*vb, sab+va*vb
				}
			}
			ma, mb := sa/n, sb/n
			va, vb, cov := saa/n-ma*ma, sbb/n-mb*mb, sab/n-ma*mb
			sum += (2*ma*mb + c1) * (2*cov + c2) / ((ma*ma + mb*mb + c1) * (va + vb + c2))
			blocks++
		}
	}
	return sum / float64(blocks)
}
