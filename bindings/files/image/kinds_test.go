package image_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	goimage "image"
	"image/color/palette"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/problem"
)

// field is an entry of a TIFF directory.
type field struct {
	tag, kind uint16
	value     uint32
}

// aTIFF is a file of grey pages without compression, each w × h of its size; a page's pixels are
// those of the file, and need not be there.
func aTIFF(big bool, sizes ...goimage.Point) []byte {
	le := binary.LittleEndian
	data := []byte("II*\x00\x00\x00\x00\x00")
	if big {
		data = []byte("II+\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	}
	pixels := uint32(len(data))
	data = append(data, bytes.Repeat([]byte{0, 90, 180, 250}, 500)...)
	link := 4
	if big {
		link = 8
	}
	for _, size := range sizes {
		w, h := uint32(size.X), uint32(size.Y)
		fields := []field{{256, 4, w}, {257, 4, h}, {258, 3, 8}, {259, 3, 1}, {262, 3, 1}, {273, 4, pixels}, {277, 3, 1}, {278, 4, h}, {279, 4, w * h}}
		at := uint32(len(data))
		le.PutUint32(data[link:], at)
		if big {
			data = le.AppendUint64(data, uint64(len(fields)))
		} else {
			data = le.AppendUint16(data, uint16(len(fields)))
		}
		for _, f := range fields {
			data = le.AppendUint16(le.AppendUint16(data, f.tag), f.kind)
			if big {
				data = le.AppendUint64(le.AppendUint64(data, 1), uint64(f.value))
			} else {
				data = le.AppendUint32(le.AppendUint32(data, 1), f.value)
			}
		}
		link = len(data)
		data = append(data, make([]byte, 8)...)
	}
	return data
}

// TestPagesHaveSizesOfTheirOwn held a page against the first one's size: what it was fitted to
// was wrong, and a page beyond all limits was decoded.
func TestPagesHaveSizesOfTheirOwn(t *testing.T) {
	onBoth(t, func(t *testing.T, r *run) {
		r.host.Add(t, "a.tif", aTIFF(false, goimage.Pt(10, 10), goimage.Pt(40, 20), goimage.Pt(60_000, 7_500)))
		if out := r.do("info", "a.tif"); out["frames"] != 3.0 || out["width"] != 10.0 {
			t.Errorf("%v", out)
		}
		r.fails(problem.TooComplex, "extractFrame", "a.tif", 3)
		r.fails(problem.TooComplex, "toBase64", "a.tif", o{"frame": 3})
		if e := r.fails(problem.InvalidArgument, "extractFrame", "a.tif", 4); e.Details["frames"] != 3 {
			t.Errorf("%+v", e)
		}
		if r.fails(problem.InvalidArgument, "toBase64", "a.tif", o{"frame": 4}).Details["frames"] != 3 {
			t.Error("how many there are is not told")
		}
		out, err := r.js("toBase64", "a.tif", o{"frame": 2, "maxWidth": 20})
		if problem.CodeOf(err) == problem.EngineMissing {
			return
		}
		if err != nil || out["width"] != 20.0 || out["height"] != 10.0 {
			t.Errorf("%v, %v", out, err)
		}
		if out := r.do("extractFrame", "a.tif", 2, o{"as": "b.png"}); out["width"] != 40.0 || out["height"] != 20.0 {
			t.Errorf("%v", out)
		}
	})
}

// TestManyPages are more than a decoder should walk over.
func TestManyPages(t *testing.T) {
	sizes := make([]goimage.Point, 20_000)
	for i := range sizes {
		sizes[i] = goimage.Pt(2, 2)
	}
	onBoth(t, func(t *testing.T, r *run) {
		r.host.Add(t, "a.tif", aTIFF(false, sizes...))
		if e := r.fails(problem.TooComplex, "resize", "a.tif", 10, 10); e.Details["limit"] == nil || !strings.Contains(e.Message, "20000") {
			t.Errorf("%+v", e)
		}
	})
}

// TestBigTIFF said that such files are damaged.
func TestBigTIFF(t *testing.T) {
	onBoth(t, func(t *testing.T, r *run) {
		r.host.Add(t, "a.tif", aTIFF(true, goimage.Pt(40, 20), goimage.Pt(10, 10)))
		if out := r.do("info", "a.tif"); out["frames"] != 2.0 || out["width"] != 40.0 || out["height"] != 20.0 || out["color_depth"] != 8.0 {
			t.Errorf("%v", out)
		}
		out, err := r.js("convert", "a.tif", "png", o{"as": "a.png"})
		if problem.CodeOf(err) == problem.EngineMissing && t.Name() == "TestBigTIFF/builtin" {
			return
		}
		if err != nil || out["width"] != 40.0 {
			t.Errorf("%v, %v", out, err)
		}
	})
}

// TestPixelsThatAreNotThere were grey where the file had an end, or its strips too few bytes.
func TestPixelsThatAreNotThere(t *testing.T) {
	photo := aJPEG(t, noisy(300, 200))
	onBoth(t, func(t *testing.T, r *run) {
		r.host.Add(t, "a.jpg", append(bytes.Clone(photo[:len(photo)/2]), 0xff, 0xd9))
		r.host.Add(t, "a.tif", aTIFF(false, goimage.Pt(3000, 2000)))
		for _, name := range []string{"a.jpg", "a.tif"} {
			r.fails(problem.DamagedFile, "resize", name, 30, nil)
			r.fails(problem.DamagedFile, "convert", name, "png")
		}
	})
}

// TestLongSides ended the process, or said that a sound picture was damaged.
func TestLongSides(t *testing.T) {
	onBoth(t, func(t *testing.T, r *run) {
		r.host.Add(t, "high.png", claiming(t, 1, 99_999_999))
		r.host.Add(t, "wide.png", claiming(t, 99_999_999, 1))
		for _, call := range [][]any{{"convert", "png"}, {"resize", 20, nil}, {"colors"}, {"toBase64"}} {
			for _, name := range []string{"high.png", "wide.png"} {
				e := r.fails(problem.TooComplex, call[0].(string), append([]any{name}, call[1:]...)...)
				if e.Details["limit"] == nil || !strings.Contains(e.Message, "99999999") {
					t.Errorf("%+v", e)
				}
			}
		}
		r.host.Add(t, "long.png", aPNG(t, goimage.NewGray(goimage.Rect(0, 0, 70_000, 2))))
		for format, limit := range map[string]int{"jpeg": 65_500, "gif": 65_535, "webp": 16_383, "avif": 16_384} {
			_, err := r.js("convert", "long.png", format, o{"lossless": format == "webp"})
			e := problem.From(err)
			if e != nil && e.Code == problem.EngineMissing && format == "avif" {
				continue
			}
			if e == nil || e.Code != problem.TooComplex || e.Details["limit"] != limit || e.Hint == "" {
				t.Errorf("%s: %+v", format, e)
			}
		}
		r.do("convert", "long.png", "tiff")
	})
}

// aBMP is 32 × 16 pixels of some bits, compressed in some way or not.
func aBMP(header, bits, compression uint32, pixels int) []byte {
	b := append([]byte("BM"), make([]byte, 12+header)...)
	le := binary.LittleEndian
	le.PutUint32(b[10:], uint32(len(b)))
	le.PutUint32(b[14:], header)
	if header == 12 {
		copy(b[18:], []byte{32, 0, 16, 0, 1, 0, byte(bits), 0})
	} else {
		le.PutUint32(b[18:], 32)
		le.PutUint32(b[22:], 16)
		le.PutUint16(b[26:], 1)
		le.PutUint16(b[28:], uint16(bits))
		le.PutUint32(b[30:], compression)
	}
	return append(b, make([]byte, pixels)...)
}

// TestKindsOfBMP said of those that are not decoded that they are damaged, and took memory for
// pixels that files only claimed.
func TestKindsOfBMP(t *testing.T) {
	onBoth(t, func(t *testing.T, r *run) {
		r.host.Add(t, "sound.bmp", aBMP(40, 24, 0, 32*16*3))
		r.do("convert", "sound.bmp", "png", o{"as": "sound.png"})
		for name, data := range map[string][]byte{"rle.bmp": aBMP(40, 8, 1, 600), "16.bmp": aBMP(40, 16, 0, 32*16*2), "os2.bmp": aBMP(12, 24, 0, 32*16*3)} {
			r.host.Add(t, name, data)
			if e := r.fails(problem.UnsupportedFormat, "convert", name, "png", o{"as": "x.png"}); !strings.Contains(e.Hint, "PNG") {
				t.Errorf("%s: %+v", name, e)
			}
		}
		r.host.Add(t, "cut.bmp", aBMP(40, 24, 0, 900))
		r.fails(problem.DamagedFile, "colors", "cut.bmp")
		claims := aBMP(40, 32, 0, 100)
		binary.LittleEndian.PutUint32(claims[18:], 6000)
		binary.LittleEndian.PutUint32(claims[22:], 6000)
		r.host.Add(t, "claims.bmp", claims)
		r.fails(problem.DamagedFile, "colors", "claims.bmp")
		binary.LittleEndian.PutUint32(claims[18:], 10000)
		binary.LittleEndian.PutUint32(claims[22:], 10000)
		r.host.Add(t, "large.bmp", claims)
		r.fails(problem.TooComplex, "colors", "large.bmp")
	})
}

// TestKindsOfJPEG has those that no decoder here knows be unsupported with libvips, and a matter
// of the engine without it.
func TestKindsOfJPEG(t *testing.T) {
	onBoth(t, func(t *testing.T, r *run) {
		photo := aJPEG(t, noisy(30, 20))
		photo[bytes.Index(photo, []byte{0xff, 0xc0})+4] = 12 // bits of a sample
		r.host.Add(t, "a.jpg", photo)
		want := problem.UnsupportedFormat
		if strings.HasSuffix(t.Name(), "builtin") {
			want = problem.EngineMissing
		}
		r.fails(want, "convert", "a.jpg", "png")
	})
}

// TestCutInterlacedPNG was internal, since libvips does not say what is wrong.
func TestCutInterlacedPNG(t *testing.T) {
	r := withVips(t)
	r.host.Add(t, "whole.png", aPNG(t, noisy(90, 60)))
	r.do("convert", "whole.png", "png", o{"as": "interlaced.png", "progressive": true})
	data := r.host.Bytes(t, "interlaced.png")
	r.host.Add(t, "cut.png", data[:len(data)/2])
	for _, call := range [][]any{{"convert", "png"}, {"resize", 30, nil}, {"blur", 2}, {"rotate", 90}, {"toBase64"}} {
		r.fails(problem.DamagedFile, call[0].(string), append([]any{"cut.png"}, call[1:]...)...)
	}
}

// TestCutWebP was handed on as it is.
func TestCutWebP(t *testing.T) {
	onBoth(t, func(t *testing.T, r *run) {
		r.host.Add(t, "a.png", aPNG(t, noisy(90, 60)))
		r.do("convert", "a.png", "webp", o{"as": "a.webp", "lossless": true})
		data := r.host.Bytes(t, "a.webp")
		r.host.Add(t, "cut.webp", data[:len(data)*9/10])
		r.fails(problem.DamagedFile, "toBase64", "cut.webp")
		r.do("stripMetadata", "a.webp")
	})
}

// TestCanvasOfGIF has the size that libvips takes where a GIF's own says nothing; it was damaged
// with libvips and that size without.
func TestCanvasOfGIF(t *testing.T) {
	whole := goimage.NewPaletted(goimage.Rect(0, 0, 9, 7), palette.WebSafe)
	for canvas, want := range map[goimage.Point]goimage.Point{{X: 1024, Y: 768}: {X: 9, Y: 7}, {X: 3000, Y: 20}: {X: 9, Y: 7}, {X: 100, Y: 90}: {X: 100, Y: 90}, {}: {X: 9, Y: 7}} {
		data := aGIF(t, whole)
		binary.LittleEndian.PutUint16(data[6:], uint16(canvas.X))
		binary.LittleEndian.PutUint16(data[8:], uint16(canvas.Y))
		onBoth(t, func(t *testing.T, r *run) {
			r.host.Add(t, "a.gif", data)
			if out := r.do("info", "a.gif"); out["width"] != float64(want.X) || out["height"] != float64(want.Y) {
				t.Errorf("%v: %v", canvas, out)
			}
			if canvas == (goimage.Point{}) && strings.Contains(t.Name(), "builtin") {
				return // the standard library wants one
			}
			if out := r.do("convert", "a.gif", "png", o{"as": "a.png"}); out["width"] != float64(want.X) || out["height"] != float64(want.Y) {
				t.Errorf("%v: %v", canvas, out)
			}
		})
	}
}

// JPEGs have their colours at half the size at every quality, as sharp and the built-in
// engine write them: libvips alone would take other ways from 90 on, and 1.5 times the bytes.
func TestJPEGColoursAtHighQuality(t *testing.T) {
	onBoth(t, func(t *testing.T, r *run) {
		r.host.Add(t, "photo.png", aPNG(t, noisy(64, 64)))
		for _, quality := range []int{80, 95} {
			as := fmt.Sprint(quality, ".jpg")
			if _, err := r.js("convert", "photo.png", "jpeg", o{"quality": quality, "as": as}); err != nil {
				t.Fatal(err)
			}
			data := r.host.Bytes(t, as)
			sof := max(bytes.Index(data, []byte{0xff, 0xc0, 0, 17}), bytes.Index(data, []byte{0xff, 0xc2, 0, 17}))
			if sof < 0 || data[sof+11] != 0x22 {
				t.Errorf("quality %d: samples of the first component are not 2 × 2", quality)
			}
		}
	})
}
