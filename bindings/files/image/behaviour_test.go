package image_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	goimage "image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"math"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/fonts"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/engine/enginetest"
	"github.com/sandboxd/sandboxd/problem"
)

func TestInPlaceIsAVersionAndAsIsAFile(t *testing.T) {
	onBoth(t, func(t *testing.T, r *run) {
		file := r.host.Add(t, "a.png", aPNG(t, scene(40, 30)))
		if out := r.do("resize", "a.png", 20, nil); out["id"] != file.ID || out["name"] != "a.png" || out["width"] != 20.0 || out["height"] != 15.0 || out["format"] != "png" || out["size"].(float64) <= 0 {
			t.Errorf("%v", out)
		}
		if out := r.do("convert", "a.png", "jpeg"); out["id"] != file.ID || out["name"] != "a.jpg" || out["format"] != "jpeg" || out["renamed_from"] != "a.png" {
			t.Errorf("converted in place it is %v", out)
		}
		if versions, err := r.host.Versions(t.Context(), file.ID); err != nil || len(versions) < 3 {
			t.Errorf("%d versions, %v", len(versions), err)
		}
		r.do("flip", file.ID, "horizontal", o{"as": "b.png"})
		if e := r.fails(problem.Exists, "flip", file.ID, "horizontal", o{"as": "b.png"}); e.Details["id"] == nil {
			t.Errorf("%+v", e)
		}
		r.host.Add(t, "a.gif", aGIF(t, scene(9, 9)))
		r.fails(problem.Exists, "convert", "a.gif", "jpg") // it would become a.jpg
		r.fails(problem.InvalidArgument, "convert", file.ID, "png", o{"as": "c.webp"})
		r.fails(problem.InvalidArgument, "resize", file.ID, nil, nil)
		r.fails(problem.InvalidArgument, "pad", file.ID, o{"all": 3}, o{"background": "reddish"})
		r.fails(problem.NotFound, "info", "nothing.png")
		first := r.do("thumbnail", file.ID, 8)
		if second := r.do("thumbnail", file.ID, 8); first["name"] != "a thumbnail.jpg" || second["name"] != "a thumbnail (2).jpg" {
			t.Errorf("%v, %v", first, second)
		}
	})
}

// TestMetadataStaysUnlessItIsStripped resizes a picture that was taken sideways.
func TestMetadataStaysUnlessItIsStripped(t *testing.T) {
	onBoth(t, func(t *testing.T, r *run) {
		addGoldenInputs(t, r)
		r.do("resize", "held.jpg", 50, nil, o{"as": "small.jpg"})
		if out := r.do("info", "small.jpg"); out["orientation"] != 6.0 {
			t.Errorf("resized it is held %v", out["orientation"])
		}
		r.do("autoOrient", "held.jpg", o{"as": "upright.jpg"})
		if out := r.do("info", "upright.jpg"); out["orientation"] != 1.0 || out["width"] != 150.0 {
			t.Errorf("upright it is %v", out)
		}
		r.do("convert", "held.jpg", "gif", o{"as": "held.gif"}) // which cannot say how it was held
		if out := r.do("info", "held.gif"); out["width"] != 150.0 || out["height"] != 200.0 {
			t.Errorf("as a GIF it is %v", out)
		}
		shown := r.do("toBase64", "held.jpg", o{"maxHeight": 100})
		data, err := base64.StdEncoding.DecodeString(shown["base64"].(string))
		if err != nil {
			t.Fatal(err)
		}
		if h, err := picture.ReadHeader(data); err != nil || h.EXIF != nil || h.Width != 75 || h.Height != 100 || shown["mime_type"] != "image/jpeg" || int(shown["size"].(float64)) != len(data) {
			t.Errorf("shown it is %+v, %v", h, err)
		}
	})
}

// TestAnimationsStayAnimated resizes, crops and turns all frames.
func TestAnimationsStayAnimated(t *testing.T) {
	onBoth(t, func(t *testing.T, r *run) {
		addGoldenInputs(t, r)
		in := r.do("info", "played.gif")
		if in["frames"] != 4.0 || in["loop"] != 0.0 || len(in["delays"].([]any)) != 4 || in["delays"].([]any)[3] != 130.0 {
			t.Fatalf("%v", in)
		}
		for name, call := range map[string][]any{
			"resized": {"resize", "played.gif", 20, nil}, "cropped": {"crop", "played.gif", o{"left": 5, "top": 5, "width": 20, "height": 15}},
			"turned": {"rotate", "played.gif", 90}, "grey": {"grayscale", "played.gif"},
		} {
			out := r.do(call[0].(string), append(call[1:], o{"as": name + ".gif"})...)
			after := r.do("info", name+".gif")
			if after["frames"] != 4.0 || after["loop"] != 0.0 || after["width"] != out["width"] || after["height"] != out["height"] || after["delays"].([]any)[3] != 130.0 {
				t.Errorf("%s: %v, then %v", name, out, after)
			}
		}
		r.do("convert", "played.gif", "png", o{"as": "still.png"})
		r.fails(problem.InvalidArgument, "extractFrame", "played.gif", 5)
		r.fails(problem.UnsupportedFormat, "trim", "played.gif")
	})
}

func TestAnimatedWebP(t *testing.T) {
	r := withVips(t)
	addGoldenInputs(t, r)
	r.do("convert", "played.gif", "webp", o{"as": "played.webp"})
	r.do("resize", "played.webp", 10, nil, o{"as": "small.webp"})
	if out := r.do("info", "small.webp"); out["frames"] != 4.0 || out["width"] != 10.0 {
		t.Errorf("%v", out)
	}
	without := withBuiltin(t)
	without.host.Add(t, "played.webp", r.host.Bytes(t, "played.webp"))
	without.fails(problem.EngineMissing, "resize", "played.webp", 10, nil)
	if out := without.do("info", "played.webp"); out["frames"] != 4.0 {
		t.Errorf("%v", out)
	}
}

// TestWhatAnEngineCannotDoIsSaid has nothing be replaced silently.
func TestWhatAnEngineCannotDoIsSaid(t *testing.T) {
	r := withBuiltin(t)
	r.host.Add(t, "a.png", aPNG(t, scene(20, 20)))
	for _, call := range [][]any{
		{"convert", "a.png", "webp"}, {"convert", "a.png", "avif"}, {"resize", "a.png", 5, nil, o{"as": "a.avif"}},
		{"convert", "a.png", "jpeg", o{"progressive": true}},
	} {
		if e := r.fails(problem.EngineMissing, call[0].(string), call[1:]...); e.Hint == "" {
			t.Errorf("%v: %+v", call, e)
		}
	}
	r.do("convert", "a.png", "webp", o{"lossless": true, "as": "a.webp"})
	both := withVips(t)
	both.host.Add(t, "a.webp", r.host.Bytes(t, "a.webp"))
	both.do("convert", "a.webp", "png", o{"as": "back.png"})
	if db := psnr(decodePNG(t, both.host.Bytes(t, "back.png")), scene(20, 20)); db < 99 {
		t.Errorf("lossless is %.1f dB off", db)
	}
	for _, format := range []string{"avif", "webp", "gif", "tiff", "bmp"} {
		both.do("convert", "back.png", format, o{"as": "all." + format})
		if out := both.do("info", "all."+format); out["format"] != format || out["width"] != 20.0 {
			t.Errorf("%s: %v", format, out)
		}
		both.do("resize", "all."+format, 10, nil, o{"as": "small from " + format + ".png"})
	}
}

// TestTransparencyMeetsABackground converts to a format that has none.
func TestTransparencyMeetsABackground(t *testing.T) {
	onBoth(t, func(t *testing.T, r *run) {
		r.host.Add(t, "clear.png", aPNG(t, goimage.NewNRGBA(goimage.Rect(0, 0, 8, 8))))
		for background, want := range map[string]color.NRGBA{"": {255, 255, 255, 255}, "#102030": {16, 32, 48, 255}} {
			opts := o{"as": "flat" + background + ".jpg", "quality": 100}
			if background != "" {
				opts["background"] = background
			}
			r.do("convert", "clear.png", "jpeg", opts)
			r.do("convert", opts["as"], "png", o{"as": "flat" + background + ".png"})
			got := decodePNG(t, r.host.Bytes(t, "flat"+background+".png")).NRGBAAt(4, 4)
			near := func(a, b byte) bool { return int(a)-int(b) < 4 && int(b)-int(a) < 4 }
			if !near(got.R, want.R) || !near(got.G, want.G) || !near(got.B, want.B) {
				t.Errorf("on %q it is %v, want %v", background, got, want)
			}
		}
	})
}

// TestDepthsAndColours reads 16 bits and CMYK as 8 bits of sRGB.
func TestDepthsAndColours(t *testing.T) {
	deep := goimage.NewNRGBA64(goimage.Rect(0, 0, 16, 16))
	for i := range 256 {
		deep.SetNRGBA64(i%16, i/16, color.NRGBA64{uint16(i) << 8, 0x8000, 0x1234, 0xffff})
	}
	onBoth(t, func(t *testing.T, r *run) {
		r.host.Add(t, "deep.png", aPNG(t, deep))
		if out := r.do("info", "deep.png"); out["color_depth"] != 16.0 || out["space"] != "rgb16" {
			t.Errorf("%v", out)
		}
		r.do("flip", "deep.png", "horizontal", o{"as": "flat.png"})
		if got := decodePNG(t, r.host.Bytes(t, "flat.png")).NRGBAAt(0, 8); got.R != 0x8f || got.G != 0x80 || got.B != 0x12 {
			t.Errorf("it is %v", got)
		}
		r.host.Add(t, "ink.jpg", corpusFile(t, "Channel_digital_image_CMYK_color_no_profile.jpg"))
		r.do("convert", "ink.jpg", "png", o{"as": "light.png"})
		if out := r.do("info", "light.png"); out["space"] != "srgb" {
			t.Errorf("%v", out)
		}
	})
}

func TestStripMetadataLeavesPixels(t *testing.T) {
	r := withBuiltin(t)
	data := corpusFile(t, "Landscape_9.jpg")
	r.host.Add(t, "a.jpg", data)
	if out := r.do("metadata", "a.jpg"); out["camera"] != "Canon EOS 5D Mark III" || out["icc"].(map[string]any)["description"] == "" || out["exif"].(map[string]any)["Model"] == nil {
		t.Errorf("%v", out)
	}
	r.do("stripMetadata", "a.jpg", o{"as": "b.jpg"})
	if out := r.do("metadata", "b.jpg"); out["exif"] != nil || out["camera"] != nil || out["icc"] == nil {
		t.Errorf("%v", out)
	}
	if out := r.do("compare", "a.jpg", "b.jpg"); out["equal"] != true {
		t.Errorf("%v", out)
	}
	if b := r.host.Bytes(t, "b.jpg"); bytes.Contains(b, []byte("Canon")) || len(b) >= len(data) {
		t.Error("it still says who made it")
	}
}

// TestMarksMayBeAnywhere draws outside, and what has no letters is told.
func TestMarksMayBeAnywhere(t *testing.T) {
	onBoth(t, func(t *testing.T, r *run) {
		addGoldenInputs(t, r)
		r.do("drawRect", "photo.jpg", []o{{"left": -50, "top": -50, "width": 10, "height": 10}, {"left": 190, "top": 140, "width": 5000, "height": 5000, "label": "far"}}, o{"as": "1.png"})
		r.do("drawRect", "photo.jpg", []o{{"left": 9000, "top": 9000, "width": 10, "height": 10}}, o{"as": "2.png"})
		r.do("drawText", "photo.jpg", []o{{"text": "a long line of words that is broken", "left": 150, "top": 130, "width": 40, "size": 200, "align": "right"}}, o{"as": "3.png"})
		r.fails(problem.InvalidArgument, "drawText", "photo.jpg", []o{{"text": "漢字", "left": 0, "top": 0}}) // no fonts are installed here
		r.fails(problem.InvalidArgument, "drawText", "photo.jpg", []o{})
	})
}

// TestOtherScriptsAreWritten takes letters from the fonts that are installed.
func TestOtherScriptsAreWritten(t *testing.T) {
	at := enginetest.Places(t)
	if len(at.Fonts) == 0 {
		t.Skip("no fonts are installed: make engines")
	}
	r := withBuiltin(t)
	r.env.Engines = engine.NewSet([]engine.Engine{fonts.Engine()}, at)
	r.host.Add(t, "white.png", aPNG(t, goimage.NewGray(goimage.Rect(0, 0, 200, 60))))
	r.do("drawText", "white.png", []o{{"text": "A 漢字 ไทย", "left": 5, "top": 5, "size": 30, "color": "white"}}, o{"as": "written.png"})
	m := decodePNG(t, r.host.Bytes(t, "written.png"))
	lit := func(from, to int) (n int) {
		for y := range 60 {
			for x := from; x < to; x++ {
				if m.NRGBAAt(x, y).R > 128 {
					n++
				}
			}
		}
		return n
	}
	if lit(5, 28) < 50 || lit(32, 90) < 200 || lit(95, 160) < 60 {
		t.Errorf("lit pixels: %d, %d, %d", lit(5, 28), lit(32, 90), lit(95, 160))
	}
	r.host.Add(t, "日本.png", aPNG(t, scene(20, 20)))
	r.do("montage", []string{"日本.png"}, o{"labels": true})
}

// TestWhereAPhotoWasTaken reads a position south and west, below the sea.
func TestWhereAPhotoWasTaken(t *testing.T) {
	r := withBuiltin(t)
	r.host.Add(t, "a.jpg", picture.WithEXIF(aJPEG(t, scene(9, 9)), picture.JPEG, gpsEXIF()))
	out := r.do("metadata", "a.jpg")
	gps, ok := out["gps"].(map[string]any)
	if !ok {
		t.Fatalf("%v", out)
	}
	near := func(a any, b float64) bool { return math.Abs(a.(float64)-b) < 1e-6 }
	if !near(gps["latitude"], -33.8568) || !near(gps["longitude"], -70.5) || !near(gps["altitude"], -12.5) {
		t.Errorf("%v", gps)
	}
	r.do("stripMetadata", "a.jpg")
	if out := r.do("metadata", "a.jpg"); out["gps"] != nil || bytes.Contains(r.host.Bytes(t, "a.jpg"), []byte("Exif")) {
		t.Errorf("stripped: %v", out)
	}
}

// gpsEXIF is an EXIF structure with a directory of a position (Exif 2.3, 4.6.6).
func gpsEXIF() []byte {
	b := binary.BigEndian
	tiff := []byte("MM\x00*\x00\x00\x00\x08")
	tiff = append(tiff, 0, 1, 0x88, 0x25, 0, 4, 0, 0, 0, 1, 0, 0, 0, 26, 0, 0, 0, 0) // where the directory is
	entry := func(tag, kind uint16, count uint32, value ...byte) {
		tiff = b.AppendUint32(b.AppendUint16(b.AppendUint16(tiff, tag), kind), count)
		tiff = append(append(tiff, value...), make([]byte, 4-len(value))...)
	}
	const data = 26 + 2 + 6*12 + 4
	tiff = append(tiff, 0, 6)
	entry(1, 2, 2, 'S')
	entry(2, 5, 3, 0, 0, 0, data)
	entry(3, 2, 2, 'W')
	entry(4, 5, 3, 0, 0, 0, data+24)
	entry(5, 1, 1, 1)
	entry(6, 5, 1, 0, 0, 0, data+48)
	tiff = append(tiff, 0, 0, 0, 0)
	for _, n := range []uint32{33, 1, 51, 1, 2448, 100, 70, 1, 30, 1, 0, 1, 25, 2} {
		tiff = b.AppendUint32(tiff, n)
	}
	return tiff
}

// TestPadLeavesOutASide of none, which counted as one that is not given.
func TestPadLeavesOutASide(t *testing.T) {
	r := withBuiltin(t)
	r.host.Add(t, "a.png", aPNG(t, noisy(10, 10)))
	if out := r.do("pad", "a.png", o{"all": 5, "top": 0}); out["width"] != 20.0 || out["height"] != 15.0 {
		t.Errorf("%v", out)
	}
}

// TestOrientationIsDoneOnce converts photos that lie to formats that carry no EXIF here: what
// was turned was told to be turned once more.
func TestOrientationIsDoneOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, r *run) {
		photo := aJPEG(t, scene(60, 40))
		exif := []byte("Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00")
		for orientation := byte(1); orientation <= 8; orientation++ {
			exif[24] = orientation
			segment := append([]byte{0xff, 0xe1, 0, byte(len(exif) + 2)}, exif...)
			name := fmt.Sprintf("%d.jpg", orientation)
			r.host.Add(t, name, append(append(photo[:2:2], segment...), photo[2:]...))
			upright := r.do("autoOrient", name, o{"as": name + ".png"})
			for _, format := range []string{"avif", "tiff", "gif", "bmp"} {
				made, err := r.js("convert", name, format, o{"as": name + "." + format})
				if problem.CodeOf(err) == problem.EngineMissing {
					continue
				} else if err != nil {
					t.Fatal(err)
				}
				info := r.do("info", made["id"])
				if info["width"] != upright["width"] || info["height"] != upright["height"] || info["width"] != made["width"] || info["orientation"] != nil && info["orientation"] != 1.0 {
					t.Errorf("%s as %s: %v", name, format, info)
				}
				if same := r.do("compare", upright["id"], made["id"]); same["psnr"] != nil && same["psnr"].(float64) < 24 {
					t.Errorf("%s as %s looks otherwise: %v", name, format, same)
				}
			}
		}
	})
}

// TestAnimationsAreNotLost has the built-in engine, which writes no animated WebP, say so: the
// first frame alone was written.
func TestAnimationsAreNotLost(t *testing.T) {
	onBoth(t, func(t *testing.T, r *run) {
		g := &gif.GIF{Delay: []int{5, 5, 5}}
		for i := range g.Delay {
			m := goimage.NewPaletted(goimage.Rect(0, 0, 9, 7), palette.WebSafe)
			for j := range m.Pix {
				m.Pix[j] = byte(40 * (i + 1))
			}
			g.Image = append(g.Image, m)
		}
		r.host.Add(t, "a.gif", encoded(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, g) }))
		made, err := r.js("convert", "a.gif", "webp", o{"lossless": true, "as": "a.webp"})
		if problem.CodeOf(err) == problem.EngineMissing {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if info := r.do("info", made["id"]); info["frames"] != 3.0 {
			t.Errorf("%v", info)
		}
	})
}
