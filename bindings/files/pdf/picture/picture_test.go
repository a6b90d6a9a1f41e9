package picture_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/picture"
)

// quarters has another colour in each corner: red, green above blue, clear.
func quarters() image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, 40, 20))
	for y := range 20 {
		for x := range 40 {
			c := color.NRGBA{255, 0, 0, 255}
			switch {
			case x >= 20 && y < 10:
				c = color.NRGBA{0, 255, 0, 255}
			case x < 20 && y >= 10:
				c = color.NRGBA{0, 0, 255, 255}
			case x >= 20 && y >= 10:
				c = color.NRGBA{255, 255, 255, 0}
			}
			img.Set(x, y, c)
		}
	}
	return img
}

func encoded(t *testing.T, encode func(b *bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// render draws a document of one page by poppler, a pixel for a point.
func render(t *testing.T, d *document.Document) image.Image {
	t.Helper()
	if _, err := exec.LookPath("pdftoppm"); err != nil {
		t.Skip("poppler is not installed: apt-get install poppler-utils")
	}
	var out bytes.Buffer
	if err := d.Write(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page")
	if err := os.WriteFile(path+".pdf", out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if report, err := exec.Command("pdftoppm", "-r", "72", "-png", "-singlefile", path+".pdf", path).CombinedOutput(); err != nil || len(report) > 0 {
		t.Fatal(err, string(report))
	}
	f, err := os.Open(path + ".png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func near(a, b color.Color) bool {
	x, y := color.NRGBAModel.Convert(a).(color.NRGBA), color.NRGBAModel.Convert(b).(color.NRGBA)
	diff := func(a, b uint8) bool { return max(a, b)-min(a, b) < 40 }
	return diff(x.R, y.R) && diff(x.G, y.G) && diff(x.B, y.B)
}

func TestImagesAreSeenAsTheyAre(t *testing.T) {
	red, green, blue, white := color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 255, 0, 255}, color.NRGBA{0, 0, 255, 255}, color.NRGBA{255, 255, 255, 255}
	photo := encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, quarters(), &jpeg.Options{Quality: 95}) })
	turned := append(append([]byte{}, photo[:2]...), "\xff\xe1\x00\x22Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"...)
	turned = append(turned, photo[2:]...)
	for _, c := range []struct {
		name          string
		data          []byte
		width, height int
		corners       [4]color.Color // above left and right, below left and right; nil is anything
	}{
		{"png", encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, quarters()) }), 40, 20, [4]color.Color{red, green, blue, white}},
		{"gif", encoded(t, func(b *bytes.Buffer) error { return gif.Encode(b, quarters(), nil) }), 40, 20, [4]color.Color{red, green, blue, nil}},
		{"jpeg", photo, 40, 20, [4]color.Color{red, green, blue, nil}},
		{"jpeg of a camera on its side", turned, 20, 40, [4]color.Color{blue, red, nil, green}},
	} {
		d := document.New()
		page := d.NewPage(0, 100, 100)
		p, err := picture.Add(d, c.data, 1000, 1<<20)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if p.Width != c.width || p.Height != c.height {
			t.Errorf("%s: %d × %d", c.name, p.Width, p.Height)
		}
		w, h := float64(p.Width), float64(p.Height)
		page.Draw(p.Draw(page, nil, 10, 20, w, h))
		img := render(t, d)
		top, bottom := 100-20-int(h)+4, 100-20-5
		for i, at := range []image.Point{{14, top}, {10 + int(w) - 5, top}, {14, bottom}, {10 + int(w) - 5, bottom}} {
			if got := img.At(at.X, at.Y); c.corners[i] != nil && !near(got, c.corners[i]) {
				t.Errorf("%s: corner %d is %v, want %v", c.name, i, got, c.corners[i])
			}
		}
	}
}

func TestWhatIsNoImage(t *testing.T) {
	d := document.New()
	if _, err := picture.Add(d, []byte("no image"), 1000, 1<<20); !errors.Is(err, picture.ErrFormat) {
		t.Error(err)
	}
	big := encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, quarters()) })
	if _, err := picture.Add(d, big, 799, 1<<20); !errors.Is(err, picture.ErrPixels) {
		t.Error(err)
	}
	if _, err := picture.Add(d, big, 1000, 7000); !errors.Is(err, picture.ErrPixels) {
		t.Error(err)
	}
	if _, err := picture.Add(d, big[:len(big)-30], 1000, 1<<20); !errors.Is(err, picture.ErrFormat) {
		t.Error(err)
	}
}

func FuzzAdd(f *testing.F) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, quarters(), nil); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = picture.Add(document.New(), data, 10_000, 1<<20) // does not panic
	})
}
