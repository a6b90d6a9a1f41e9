package sandboxd_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/sandboxd/sandboxd"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/problem"
)

// TestPictureBombsInAWorker has a worker look at files that would take gigabytes: it ends in the
// right code, in under a second of CPU time, in little memory, and lives on.
func TestPictureBombsInAWorker(t *testing.T) {
	var small bytes.Buffer
	if err := png.Encode(&small, image.NewGray(image.Rect(0, 0, 100, 100))); err != nil {
		t.Fatal(err)
	}
	huge := bytes.Clone(small.Bytes())
	binary.BigEndian.PutUint32(huge[16:], 65536)
	binary.BigEndian.PutUint32(huge[20:], 65536)
	binary.BigEndian.PutUint32(huge[29:], crc32.ChecksumIEEE(huge[12:29]))
	frames := append([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff"),
		bytes.Repeat([]byte{0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0}, 100_000)...)
	for installed, engines := range map[string]*engine.Places{"as installed": nil, "without libvips": {}} {
		h := open(t, sandboxd.Config{Engines: engines, Concurrency: 1})
		for name, bomb := range map[string]struct {
			data []byte
			want problem.Code
		}{
			"huge.png":   {huge, problem.TooComplex},
			"frames.gif": {append(frames, 0x3b), problem.TooComplex},
			"cut.png":    {small.Bytes()[:60], problem.DamagedFile},
			"page.png":   {[]byte("<html></html>"), problem.UnsupportedFormat},
		} {
			put(t, h, name, bomb.data)
			for _, call := range []string{`resize(%q, 10, 10)`, `toBase64(%q, { maxWidth: 10 })`, `convert(%q, "jpeg")`, `rotate(%q, 90)`} {
				answer := h.Run(t.Context(), sandboxd.Run{Script: `await files.image.` + fmt.Sprintf(call, name)})
				if problem.CodeOf(asError(answer.Error)) != bomb.want {
					t.Errorf("%s, %s of %s: %v, want %s", installed, call, name, answer.Error, bomb.want)
				}
				if answer.Receipt.CPUTime > 1000 && !testing.Short() || answer.Receipt.PeakMemory > 150<<20 {
					t.Errorf("%s, %s of %s took %.0f ms and %d MB", installed, call, name, answer.Receipt.CPUTime, answer.Receipt.PeakMemory>>20)
				}
			}
		}
	}
}

// TestLargePhotosTakeLittleMemory resizes 48 MP in less than 150 MB.
func TestLargePhotosTakeLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes a picture of 48 MP")
	}
	m := image.NewYCbCr(image.Rect(0, 0, 8000, 6000), image.YCbCrSubsampleRatio420)
	for i := range m.Y {
		m.Y[i] = byte(i/8000/24) + byte(i*i>>7)&15
	}
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, m, nil); err != nil {
		t.Fatal(err)
	}
	h := open(t, sandboxd.Config{Concurrency: 1})
	put(t, h, "photo.jpg", photo.Bytes())
	answer := must(t, h.Run(t.Context(), sandboxd.Run{Script: `const { engine } = await files.image.info("photo.jpg");
		const { width, height } = await files.image.resize("photo.jpg", 800, null, { as: "small.jpg" });
		return [engine, width, height]`}))
	var result []any
	if err := json.Unmarshal(answer.Result, &result); err != nil || result[1] != 800.0 || result[2] != 600.0 {
		t.Fatalf("%s, %v", answer.Result, err)
	}
	if result[0] == "builtin" {
		t.Skip("libvips is not installed: make engines")
	}
	if peak := answer.Receipt.PeakMemory; peak > 150<<20 {
		t.Errorf("it took %d MB", peak>>20)
	}
}
