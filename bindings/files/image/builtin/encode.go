package builtin

import (
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"github.com/HugoSmits86/nativewebp"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
)

// write encodes frames; formats that do not animate take the first.
func write(w io.Writer, frames []*image.NRGBA, as picture.Encoding) error {
	m := frames[0]
	switch as.Format {
	case picture.JPEG:
		quality := as.Quality
		if quality == 0 {
			quality = 80
		}
		return jpeg.Encode(w, opaque(flatten(m, as.Background)), &jpeg.Options{Quality: quality})
	case picture.PNG:
		enc := png.Encoder{CompressionLevel: png.BestSpeed}
		switch {
		case as.Colors > 0:
			enc.CompressionLevel = png.DefaultCompression
			return enc.Encode(w, indexed(m, as.Colors))
		case isGray(m):
			return enc.Encode(w, gray(m))
		case m.Opaque():
			return enc.Encode(w, opaque(m))
		}
		return enc.Encode(w, m)
	case picture.WebP:
		return nativewebp.Encode(w, m, nil)
	case picture.GIF:
		return writeGIF(w, frames, as)
	case picture.TIFF:
		return tiff.Encode(w, m, &tiff.Options{Compression: tiff.Deflate, Predictor: true})
	case picture.BMP:
		return EncodeBMP(w, m, as.Background)
	}
	return missing("%s cannot be written", as.Format)
}

// EncodeBMP writes a BMP, for both engines.
func EncodeBMP(w io.Writer, m *image.NRGBA, background color.NRGBA) error {
	return bmp.Encode(w, opaque(flatten(m, background)))
}

// opaque is an opaque picture in the type that encoders are fastest with.
func opaque(m *image.NRGBA) *image.RGBA {
	return &image.RGBA{Pix: m.Pix, Stride: m.Stride, Rect: m.Rect}
}

func isGray(m *image.NRGBA) bool {
	for i := 0; i+4 <= len(m.Pix); i += 4 {
		if m.Pix[i] != m.Pix[i+1] || m.Pix[i] != m.Pix[i+2] || m.Pix[i+3] != 255 {
			return false
		}
	}
	return true
}

func gray(m *image.NRGBA) *image.Gray {
	g := image.NewGray(m.Rect)
	for i := range g.Pix {
		g.Pix[i] = m.Pix[4*i]
	}
	return g
}

func writeGIF(w io.Writer, frames []*image.NRGBA, as picture.Encoding) error {
	colors := as.Colors
	if colors == 0 {
		colors = 256
	}
	size := frames[0].Rect.Size()
	g := &gif.GIF{Config: image.Config{Width: size.X, Height: size.Y}}
	if as.Loop != 1 {
		g.LoopCount = max(as.Loop-1, 0)
	} else {
		g.LoopCount = -1
	}
	for i, m := range frames {
		delay := 0
		if i < len(as.Delays) {
			delay = as.Delays[i] / 10
		}
		g.Image = append(g.Image, indexed(m, colors))
		g.Delay = append(g.Delay, delay)
		g.Disposal = append(g.Disposal, gif.DisposalBackground)
	}
	return gif.EncodeAll(w, g)
}
