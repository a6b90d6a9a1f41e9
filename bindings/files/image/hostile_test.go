package image_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	goimage "image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/image/bmp"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// noisy is a picture that does not compress to nothing.
func noisy(w, h int) *goimage.NRGBA {
	m := goimage.NewNRGBA(goimage.Rect(0, 0, w, h))
	seed := uint32(1)
	for i := range m.Pix {
		seed = seed*1664525 + 1013904223
		m.Pix[i] = byte(seed>>24)/4 + byte(i/4%w)/2
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	return m
}

func encoded(t testing.TB, encode func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func aPNG(t testing.TB, m goimage.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, m) })
}

func aJPEG(t testing.TB, m goimage.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, m, nil) })
}

func aGIF(t testing.TB, m goimage.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return gif.Encode(b, m, nil) })
}

// claiming is a PNG whose header says another size.
func claiming(t testing.TB, w, h uint32) []byte {
	data := aPNG(t, noisy(8, 8))
	binary.BigEndian.PutUint32(data[16:], w)
	binary.BigEndian.PutUint32(data[20:], h)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

// frames is a GIF of n frames of one pixel each on a screen of w × h.
func frames(w, h uint16, n int) []byte {
	b := []byte("GIF89a")
	b = binary.LittleEndian.AppendUint16(b, w)
	b = binary.LittleEndian.AppendUint16(b, h)
	b = append(b, 0x80, 0, 0, 0, 0, 0, 255, 255, 255)
	for range n {
		b = append(b, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0)
	}
	return append(b, 0x3b)
}

// beyondPalette is a BMP of 8 bits a pixel with a palette of two, and a pixel of another colour.
func beyondPalette(t testing.TB) []byte {
	m := goimage.NewPaletted(goimage.Rect(0, 0, 64, 64), color.Palette{color.Black, color.White})
	for i := range m.Pix {
		m.Pix[i] = 200
	}
	for len(m.Palette) < 256 {
		m.Palette = append(m.Palette, color.White)
	}
	data := encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, m) })
	binary.LittleEndian.PutUint32(data[46:], 2) // of the palette only two count
	short := append(bytes.Clone(data[:54+8]), data[54+1024:]...)
	binary.LittleEndian.PutUint32(short[10:], 54+8)
	return short
}

func cpuTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// TestBombsAreRefused has files that would take minutes or gigabytes end in under a second of
// CPU time, with the right code and without the memory.
func TestBombsAreRefused(t *testing.T) {
	photo := aJPEG(t, noisy(300, 200))
	bombs := map[string]struct {
		data []byte
		want problem.Code
	}{
		"65536² PNG":                  {claiming(t, 65536, 65536), problem.TooComplex},
		"2³¹ wide PNG":                {claiming(t, 1<<31, 1), problem.DamagedFile},
		"30000² PNG":                  {claiming(t, 30000, 30000), problem.TooComplex},
		"10^5 frames":                 {frames(1, 1, 100_000), problem.TooComplex},
		"1000 frames of 1000 × 1000":  {frames(1000, 1000, 1000), problem.TooComplex},
		"PNG of no size":              {claiming(t, 0, 10), problem.DamagedFile},
		"truncated JPEG":              {photo[:len(photo)/2], problem.DamagedFile},
		"truncated PNG":               {aPNG(t, noisy(300, 200))[:60_000], problem.DamagedFile},
		"truncated GIF":               {aGIF(t, noisy(300, 200))[:9_000], problem.DamagedFile},
		"a header alone":              {photo[:20], problem.DamagedFile},
		"magic alone":                 {[]byte("\x89PNG\r\n\x1a\n"), problem.DamagedFile},
		"a page of HTML":              {[]byte("<html><img src=x></html>"), problem.UnsupportedFormat},
		"a script with a GIF's magic": {[]byte("GIF89a=1;alert(document.cookie)//" + strings.Repeat(" ", 500)), problem.DamagedFile},
		"SVG":                         {[]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>`), problem.UnsupportedFormat},
		"empty":                       {nil, problem.UnsupportedFormat},
		"beyond a BMP's palette":      {beyondPalette(t), problem.DamagedFile},
		"PDF":                         {[]byte("%PDF-1.7\n" + strings.Repeat("x", 100)), problem.UnsupportedFormat},
	}
	onBoth(t, func(t *testing.T, r *run) {
		for name, bomb := range bombs {
			file := r.host.Add(t, name, bomb.data)
			for _, call := range [][]any{
				{"resize", file.ID, 10, 10}, {"toBase64", file.ID}, {"thumbnail", file.ID, 10}, {"convert", file.ID, "png"}, {"colors", file.ID},
				{"rotate", file.ID, 90}, {"montage", []string{file.ID}}, {"compare", file.ID, file.ID}, {"composite", file.ID, []o{{"fileId": file.ID}}},
			} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start := cpuTime()
				_, err := r.js(call[0].(string), call[1:]...)
				took := cpuTime() - start
				runtime.ReadMemStats(&after)
				e := problem.From(err)
				if e == nil || e.Code != bomb.want {
					t.Errorf("%s, %s: %v, want %s", name, call[0], err, bomb.want)
				} else if e.Code == problem.TooComplex && e.Details["limit"] == nil {
					t.Errorf("%s, %s: the limit is not told: %+v", name, call[0], e)
				}
				if took > time.Second && !testing.Short() {
					t.Errorf("%s, %s took %v", name, call[0], took)
				}
				if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
					t.Errorf("%s, %s allocated %d MB", name, call[0], grown>>20)
				}
			}
			if _, err := r.js("info", file.ID); err != nil && problem.CodeOf(err) != problem.DamagedFile && problem.CodeOf(err) != problem.UnsupportedFormat {
				t.Errorf("info of %s: %v", name, err)
			}
		}
	})
}

// TestPolyglotsAreWhatTheyBeginWith appends what other programs would take for something else.
func TestPolyglotsAreWhatTheyBeginWith(t *testing.T) {
	onBoth(t, func(t *testing.T, r *run) {
		for name, data := range map[string][]byte{"a.jpg": aJPEG(t, noisy(40, 30)), "a.gif": aGIF(t, noisy(40, 30)), "a.png": aPNG(t, noisy(40, 30))} {
			r.host.Add(t, name, append(data, "PK\x03\x04<script>alert(1)</script>"...))
			if out := r.do("resize", name, 20, nil, o{"as": "small " + name}); out["width"] != 20.0 || out["height"] != 15.0 {
				t.Errorf("%s: %v", name, out)
			}
			if data := r.host.Bytes(t, "small "+name); bytes.Contains(data, []byte("<script>")) {
				t.Errorf("%s: what was appended is still there", name)
			}
			if name == "a.jpg" {
				r.do("stripMetadata", name)
				if bytes.Contains(r.host.Bytes(t, name), []byte("<script>")) {
					t.Error("stripMetadata leaves what is behind the picture")
				}
			}
		}
	})
}

// TestResultsAreLimited has no result be larger than a picture or a file may be.
func TestResultsAreLimited(t *testing.T) {
	onBoth(t, func(t *testing.T, r *run) {
		r.env = op.NewEnv(r.host, limits.Limits{Pixels: 10_000, FileBytes: 30_000}, nil)
		r.host.Add(t, "a.png", aPNG(t, noisy(60, 60)))
		r.fails(problem.TooComplex, "resize", "a.png", 101, 100)
		r.do("resize", "a.png", 100, 100, o{"as": "at-the-limit.jpg"})
		r.fails(problem.TooComplex, "pad", "a.png", o{"all": 40})
		r.fails(problem.FileTooLarge, "resize", "a.png", 100, 100, o{"as": "noise.bmp"})
		r.fails(problem.TooComplex, "resize", "a.png", 20000, 1)
		r.fails(problem.InvalidArgument, "crop", "a.png", o{"left": 30, "top": 0, "width": 31, "height": 1})
		r.host.Add(t, "b.png", aPNG(t, noisy(101, 100)))
		if e := r.fails(problem.TooComplex, "resize", "b.png", 10, 10); !strings.Contains(e.Message, "101 × 100") || !strings.Contains(e.Message, "10000") {
			t.Errorf("size and limit are not told: %s", e.Message)
		}
	})
}

// TestMemoryIsLimited has the built-in engine refuse what it would need too much memory for.
func TestMemoryIsLimited(t *testing.T) {
	r := withBuiltin(t)
	r.env = op.NewEnv(r.host, limits.Limits{Memory: 8 << 20}, nil)
	r.host.Add(t, "a.png", aPNG(t, goimage.NewGray(goimage.Rect(0, 0, 1200, 1200))))
	r.fails(problem.TooComplex, "grayscale", "a.png")
}
