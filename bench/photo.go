package main

import (
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
)

// photograph writes pictures with the detail of photos: clouds of noise at every scale, edges,
// and the grain of a sensor.
func (l *lab) photograph() error {
	for name, size := range map[string]image.Point{"p12.jpg": {4000, 3000}, "p48.jpg": {8000, 6000}} {
		m := photo(size.X, size.Y)
		if err := l.draw(name, func(w io.Writer) error { return jpeg.Encode(w, m, &jpeg.Options{Quality: 90}) }); err != nil {
			return err
		}
	}
	over := image.NewNRGBA(image.Rect(0, 0, 1200, 900))
	for y := range 900 {
		for x := range 1200 {
			d := math.Hypot(float64(x-600)/600, float64(y-450)/450)
			over.SetNRGBA(x, y, color.NRGBA{byte(x / 5), byte(y / 4), 120, byte(255 * max(0, min(1, 1.2-d)))})
		}
	}
	return l.draw("over.png", func(w io.Writer) error { return png.Encode(w, over) })
}

func (l *lab) draw(name string, encode func(io.Writer) error) error {
	f, err := os.Create(l.path(name))
	if err != nil {
		return err
	}
	defer f.Close()
	return encode(f)
}

func photo(w, h int) *image.YCbCr {
	m := image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio420)
	random := rand.New(rand.NewPCG(1, 2))
	luma, blue, red := clouds(random, 9), clouds(random, 4), clouds(random, 4)
	for y := range h {
		for x := range w {
			fx, fy := float64(x)/float64(w), float64(y)/float64(h)
			v := 60 + 140*luma(fx, fy)
			if math.Mod(fx*7+fy*3, 1) < 0.3 { // edges
				v *= 0.7
			}
			m.Y[y*m.YStride+x] = byte(max(0, min(v+random.NormFloat64()*2.5, 255)))
			if x%2 == 0 && y%2 == 0 {
				m.Cb[y/2*m.CStride+x/2], m.Cr[y/2*m.CStride+x/2] = byte(90+70*blue(fx, fy)), byte(90+70*red(fx, fy))
			}
		}
	}
	return m
}

// clouds is noise of several octaves, of about 0 to 1 over the unit square.
func clouds(random *rand.Rand, octaves int) func(x, y float64) float64 {
	grids := make([][]float64, octaves)
	for i := range grids {
		side := 2<<i + 2
		grids[i] = make([]float64, side*side)
		for j := range grids[i] {
			grids[i][j] = random.Float64()
		}
	}
	return func(x, y float64) float64 {
		sum, weight := 0.0, 0.5
		for i, grid := range grids {
			n := 2 << i
			gx, gy := x*float64(n), y*float64(n)
			ix, iy := int(gx), int(gy)
			fx, fy := gx-float64(ix), gy-float64(iy)
			at := grid[iy*(n+2)+ix:]
			top, bottom := at[0]+(at[1]-at[0])*fx, at[n+2]+(at[n+3]-at[n+2])*fx
			sum += weight * (top + (bottom-top)*fy)
			weight *= 0.6
		}
		return sum
	}
}
