package image_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/image/builtin"
	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/bindings/files/image/vips"
	"github.com/sandboxd/sandboxd/engine/enginetest"
	"github.com/sandboxd/sandboxd/problem"
)

// fuzzDecoder has an engine decode anything of a format whose header is in bounds: whole, made
// smaller, and its second frame. A decoder may refuse with a known code, and must not end the
// process.
func fuzzDecoder(f *testing.F, format picture.Format, eng picture.Engine) {
	m := noisy(24, 17)
	for _, as := range []picture.Encoding{{Format: format}, {Format: format, Lossless: true}, {Format: format, Progressive: true}, {Format: format, Colors: 9}} {
		if eng.Writes(as) != nil {
			continue
		}
		out, err := eng.Encode(f.Context(), picture.Job{Source: picture.OfPixels(m)}, as)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(append([]byte(nil), out.Data...))
		out.Release()
	}
	paths, _ := filepath.Glob(corpus + "/*")
	for _, p := range paths {
		if data, err := os.ReadFile(p); err == nil && len(data) < 20_000 && picture.Sniff(data) == format {
			f.Add(data)
		}
	}
	f.Add(frames(9, 9, 3))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := picture.ReadHeader(data)
		if err != nil || h.Format != format || h.Pixels() > 1<<18 || h.Frames > 20 || eng.Reads(h) != nil {
			return
		}
		source := picture.Source{Data: data, Header: h}
		for _, job := range []picture.Job{
			{Source: source},
			{Source: source, Steps: []picture.Step{picture.Scale{Width: max(1, h.Width/5), Height: max(1, h.Height/5)}}},
			{Source: source, Frame: h.Frames - 1, Steps: []picture.Step{picture.Turn{Quarters: 1}, picture.Blur{Sigma: 1}}},
		} {
			m, err := eng.Pixels(t.Context(), job)
			switch code := problem.CodeOf(err); code {
			case "", problem.DamagedFile, problem.EngineMissing, problem.TooComplex, problem.MemoryLimit:
			default:
				t.Fatalf("%v", err)
			}
			if err == nil && len(m.Pix) == 0 {
				t.Fatal("no pixels")
			}
		}
	})
}

func FuzzBuiltinJPEG(f *testing.F) { fuzzDecoder(f, picture.JPEG, builtin.Engine{}) }
func FuzzBuiltinPNG(f *testing.F)  { fuzzDecoder(f, picture.PNG, builtin.Engine{}) }
func FuzzBuiltinGIF(f *testing.F)  { fuzzDecoder(f, picture.GIF, builtin.Engine{}) }
func FuzzBuiltinWebP(f *testing.F) { fuzzDecoder(f, picture.WebP, builtin.Engine{}) }
func FuzzBuiltinTIFF(f *testing.F) { fuzzDecoder(f, picture.TIFF, builtin.Engine{}) }
func FuzzBuiltinBMP(f *testing.F)  { fuzzDecoder(f, picture.BMP, builtin.Engine{}) }

func fuzzVips(f *testing.F, format picture.Format) {
	at := enginetest.Places(f)
	if at.Libvips == "" {
		f.Skip("libvips is not installed: make engines")
	}
	v, err := vips.Engine().Load(at)
	if err != nil {
		f.Skip(err)
	}
	fuzzDecoder(f, format, v.(*vips.Vips))
}

func FuzzVipsJPEG(f *testing.F) { fuzzVips(f, picture.JPEG) }
func FuzzVipsPNG(f *testing.F)  { fuzzVips(f, picture.PNG) }
func FuzzVipsGIF(f *testing.F)  { fuzzVips(f, picture.GIF) }
func FuzzVipsWebP(f *testing.F) { fuzzVips(f, picture.WebP) }
func FuzzVipsTIFF(f *testing.F) { fuzzVips(f, picture.TIFF) }
func FuzzVipsAVIF(f *testing.F) { fuzzVips(f, picture.AVIF) }
