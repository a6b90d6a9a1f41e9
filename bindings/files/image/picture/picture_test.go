package picture_test

import (
	"bytes"
	goimage "image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/HugoSmits86/nativewebp"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/problem"
)

// samples are small pictures of every format that can be written here, and those of the corpus
// that are not large.
func samples(t testing.TB) map[string][]byte {
	t.Helper()
	m := goimage.NewNRGBA(goimage.Rect(0, 0, 13, 7))
	for i := range m.Pix {
		m.Pix[i] = byte(i * 7)
	}
	list := map[string][]byte{}
	for name, encode := range map[string]func(b *bytes.Buffer) error{
		"jpeg": func(b *bytes.Buffer) error { return jpeg.Encode(b, m, nil) },
		"png":  func(b *bytes.Buffer) error { return png.Encode(b, m) },
		"gif":  func(b *bytes.Buffer) error { return gif.Encode(b, m, nil) },
		"tiff": func(b *bytes.Buffer) error { return tiff.Encode(b, m, nil) },
		"bmp":  func(b *bytes.Buffer) error { return bmp.Encode(b, m) },
		"webp": func(b *bytes.Buffer) error { return nativewebp.Encode(b, m, nil) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		list[name] = b.Bytes()
	}
	paths, _ := filepath.Glob("../../../../../shared/corpus/image/*")
	for _, p := range paths {
		if data, err := os.ReadFile(p); err == nil && len(data) < 100_000 {
			list[filepath.Base(p)] = data
		}
	}
	return list
}

func TestHeaders(t *testing.T) {
	for _, format := range []picture.Format{"jpeg", "png", "gif", "tiff", "bmp", "webp"} {
		h, err := picture.ReadHeader(samples(t)[string(format)])
		if err != nil || h.Format != format || h.Width != 13 || h.Height != 7 || h.Frames != 1 {
			t.Errorf("%s: %+v, %v", format, h, err)
		}
	}
}

// TestMetadataIsCarried puts an orientation into files, finds it there, and takes it out.
func TestMetadataIsCarried(t *testing.T) {
	for _, format := range []picture.Format{"jpeg", "png", "webp"} {
		plain := samples(t)[string(format)]
		exif := picture.OrientedEXIF(nil, 6)
		carrying := picture.WithEXIF(plain, format, exif)
		h, err := picture.ReadHeader(carrying)
		if err != nil || h.Orientation != 6 || h.Width != 13 {
			t.Fatalf("%s: %+v, %v", format, h, err)
		}
		upright := picture.WithEXIF(plain, format, picture.OrientedEXIF(h.EXIF, 1))
		if h, _ = picture.ReadHeader(upright); h.Orientation != 1 {
			t.Errorf("%s: turned upright it says %d", format, h.Orientation)
		}
		stripped, ok := picture.Strip(upright, h)
		h, err = picture.ReadHeader(stripped)
		if !ok || err != nil || h.EXIF != nil || h.Width != 13 {
			t.Errorf("%s: stripped it is %+v, %v, %v", format, h, ok, err)
		}
		if again, _ := picture.Strip(stripped, h); !bytes.Equal(again, stripped) {
			t.Errorf("%s: stripping what is stripped changes it", format)
		}
	}
}

// FuzzHeader reads headers of anything: it must answer soundly, with a known code, and what
// metadata it cuts out must leave a file of the same size of picture.
func FuzzHeader(f *testing.F) {
	for _, data := range samples(f) {
		f.Add(data)
	}
	f.Add([]byte("\x00\x00\x00\x1cftypavif\x00\x00\x00\x00avifmif1\x00\x00\x00\x08meta"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := picture.ReadHeader(data)
		if err != nil {
			if code := problem.CodeOf(err); code != problem.DamagedFile && code != problem.UnsupportedFormat {
				t.Fatalf("%v", err)
			}
			return
		}
		if h.Width <= 0 || h.Height <= 0 || h.Frames <= 0 || h.Channels < 1 || h.Depth < 8 || h.Space == "" || h.Pixels() <= 0 && h.Frames < 1000 {
			t.Fatalf("%+v", h)
		}
		stripped, ok := picture.Strip(data, h)
		if !ok {
			return
		}
		h2, err := picture.ReadHeader(stripped)
		if err != nil || h2.Width != h.Width || h2.Height != h.Height || max(h2.Orientation, 1) != max(h.Orientation, 1) || h2.Frames != h.Frames {
			t.Fatalf("%+v becomes %+v, %v", h, h2, err)
		}
	})
}
