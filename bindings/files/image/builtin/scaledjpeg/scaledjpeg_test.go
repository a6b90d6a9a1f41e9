package scaledjpeg_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/image/builtin/scaledjpeg"
)

func scene(w, h int) image.Image {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			fx, fy := float64(x)/float64(w), float64(y)/float64(h)
			m.Set(x, y, color.RGBA{byte(128 + 100*math.Sin(fx*9)), byte(255 * fy), byte(128 + 90*math.Cos((fx+fy)*7)), 255})
		}
	}
	return m
}

// psnr compares with the averages of n × n pixels of the whole picture.
func psnr(whole, small image.Image, n int) float64 {
	var squares, count float64
	b := small.Bounds()
	for y := range b.Dy() {
		for x := range b.Dx() {
			var r, g, bl float64
			for dy := range n {
				for dx := range n {
					cr, cg, cb, _ := whole.At(x*n+dx, y*n+dy).RGBA()
					r, g, bl = r+float64(cr>>8), g+float64(cg>>8), bl+float64(cb>>8)
				}
			}
			area := float64(n * n)
			cr, cg, cb, _ := small.At(x, y).RGBA()
			for _, d := range []float64{r/area - float64(cr>>8), g/area - float64(cg>>8), bl/area - float64(cb>>8)} {
				squares += d * d
				count++
			}
		}
	}
	return 10 * math.Log10(255*255*count/squares)
}

func TestSmallPicturesLookLikeTheWhole(t *testing.T) {
	var photo, grey bytes.Buffer
	if err := jpeg.Encode(&photo, scene(203, 149), &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	flat := image.NewGray(image.Rect(0, 0, 50, 41))
	for i := range flat.Pix {
		flat.Pix[i] = byte(i%50*3 + i/50*2)
	}
	if err := jpeg.Encode(&grey, flat, nil); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"photo": photo.Bytes(), "grey": grey.Bytes()}
	paths, _ := filepath.Glob("../../../../../../shared/corpus/image/*.jp*g")
	for _, p := range paths {
		if data, err := os.ReadFile(p); err == nil && len(data) < 200_000 {
			files[filepath.Base(p)] = data
		}
	}
	decoded := 0
	for name, data := range files {
		whole, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil {
			continue
		}
		for _, n := range []int{2, 4, 8} {
			small, err := scaledjpeg.Decode(data, n)
			if errors.Is(err, scaledjpeg.ErrUnsupported) && name != "photo" && name != "grey" {
				continue
			}
			if err != nil {
				t.Errorf("%s at 1/%d: %v", name, n, err)
				continue
			}
			decoded++
			size := whole.Bounds().Size()
			if got := small.Bounds().Size(); got != image.Pt(max(1, size.X/n), max(1, size.Y/n)) {
				t.Errorf("%s at 1/%d is of %v", name, n, got)
			}
			// Averages are not what low frequencies are, and the sharper a picture the less.
			if db := psnr(whole, small, n); db < 24 || db < 38 && (name == "photo" || name == "grey") {
				t.Errorf("%s at 1/%d: %.1f dB from averages", name, n, db)
			}
		}
	}
	if decoded < 6 {
		t.Errorf("%d were decoded", decoded)
	}
}

func TestWhatEndsEarlyIsDamaged(t *testing.T) {
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, scene(200, 150), nil); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{2, 100, 640, photo.Len() / 2, photo.Len() - 200} {
		if _, err := scaledjpeg.Decode(photo.Bytes()[:size], 4); err == nil {
			t.Errorf("%d of %d bytes are decoded", size, photo.Len())
		}
	}
}

// FuzzDecode has it bear anything.
func FuzzDecode(f *testing.F) {
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, scene(40, 30), nil); err != nil {
		f.Fatal(err)
	}
	f.Add(photo.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := jpeg.DecodeConfig(bytes.NewReader(data)); err != nil || c.Width*c.Height > 1<<16 {
			return
		}
		for _, n := range []int{2, 4, 8} {
			_, _ = scaledjpeg.Decode(data, n)
		}
	})
}
