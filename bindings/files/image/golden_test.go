package image_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	goimage "image"
	"image/color"
	"image/gif"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
)

var update = flag.Bool("update", false, "renew the goldens, from libvips")

// goldens are calls whose answer and picture stand in testdata/goldens: answers.txtar has what
// was answered, but for sizes in bytes, and NAME.png what the picture looks like. Both engines
// are held to them: libvips, which made them, within 50 dB, the built-in one within builtin.
var goldens = []struct {
	name    string
	builtin float64 // dB
	call    []any   // the last options get as: NAME.png
}{
	{"resize-cover", 34, []any{"resize", "photo.jpg", 60, 60, o{}}},
	{"resize-contain", 34, []any{"resize", "photo.jpg", 80, 80, o{"fit": "contain", "background": "navy"}}},
	{"resize-inside", 34, []any{"resize", "photo.jpg", 50, 50, o{"fit": "inside"}}},
	{"resize-outside", 34, []any{"resize", "photo.jpg", 50, 50, o{"fit": "outside", "kernel": "mitchell"}}},
	{"resize-fill", 34, []any{"resize", "photo.jpg", 30, 90, o{"fit": "fill", "kernel": "cubic"}}},
	{"resize-position", 34, []any{"resize", "photo.jpg", 60, 100, o{"position": "left"}}},
	{"resize-not-larger", 40, []any{"resize", "photo.jpg", 500, nil, o{"withoutEnlargement": true}}},
	{"resize-upright", 34, []any{"resize", "held.jpg", nil, 80, o{"autoOrient": true}}},
	{"resize-alpha", 34, []any{"resize", "logo.png", 24, 24, o{}}},
	{"thumbnail", 34, []any{"thumbnail", "photo.jpg", 48, 48, o{}}},
	{"crop", 40, []any{"crop", "photo.jpg", o{"left": 30, "top": 20, "width": 70, "height": 50}, o{}}},
	{"crop-upright", 40, []any{"crop", "held.jpg", o{"left": 0, "top": 0, "width": 60, "height": 90}, o{"autoOrient": true}}},
	{"trim", 45, []any{"trim", "framed.png", o{}}},
	{"pad", 45, []any{"pad", "logo.png", o{"all": 5, "left": 11}, o{"background": "#FFD70080"}}},
	{"convert", 40, []any{"convert", "photo.jpg", "png", o{}}},
	{"convert-palette", 24, []any{"convert", "photo.jpg", "png", o{"palette": 64}}},
	{"extractFrame", 45, []any{"extractFrame", "played.gif", 2, o{}}},
	{"rotate-90", 40, []any{"rotate", "photo.jpg", 90, o{}}},
	{"rotate-minus-90", 40, []any{"rotate", "photo.jpg", -90, o{}}},
	{"rotate-20", 26, []any{"rotate", "photo.jpg", 20, o{"background": "white"}}},
	{"flip-vertical", 40, []any{"flip", "photo.jpg", "vertical", o{}}},
	{"flip-both", 40, []any{"flip", "photo.jpg", "both", o{}}},
	{"autoOrient", 40, []any{"autoOrient", "held.jpg", o{}}},
	{"blur", 36, []any{"blur", "photo.jpg", 4, o{}}},
	{"blur-alpha", 34, []any{"blur", "logo.png", 2, o{}}},
	{"sharpen", 34, []any{"sharpen", "photo.jpg", o{"sigma": 1.5, "amount": 1.2}}},
	{"grayscale", 40, []any{"grayscale", "photo.jpg", o{}}},
	{"adjust", 36, []any{"adjust", "photo.jpg", o{"brightness": 1.1, "contrast": 1.3, "saturation": 0.4}, o{}}},
	{"composite", 38, []any{"composite", "photo.jpg", []o{{"fileId": "logo.png", "position": "bottom-right"}, {"fileId": "logo.png", "left": -10, "top": 8, "opacity": 0.5}}, o{}}},
	{"composite-multiply", 36, []any{"composite", "photo.jpg", []o{{"fileId": "logo.png", "blend": "multiply", "width": 100}}, o{}}},
	{"composite-soft-light", 36, []any{"composite", "photo.jpg", []o{{"fileId": "logo.png", "blend": "soft-light"}}, o{}}},
	{"composite-color-dodge", 34, []any{"composite", "photo.jpg", []o{{"fileId": "logo.png", "blend": "color-dodge"}}, o{}}},
	{"composite-tile", 32, []any{"composite", "photo.jpg", []o{{"fileId": "logo.png", "tile": true, "left": 7, "top": 3, "blend": "difference"}}, o{}}},
	{"composite-mask", 36, []any{"composite", "photo.jpg", []o{{"fileId": "logo.png", "blend": "dest-in", "left": 60, "top": 40}}, o{}}},
	{"montage", 30, []any{"montage", []string{"photo.jpg", "held.jpg", "logo.png"}, o{"columns": 2, "cellWidth": 60, "labels": true}}},
	{"drawText", 40, []any{"drawText", "photo.jpg", []o{{"text": "Größe 12\nЖук Ω", "left": 10, "top": 12, "size": 18, "color": "white", "background": "#00000080"}}, o{}}},
	{"drawRect", 40, []any{"drawRect", "photo.jpg", []o{{"left": 30, "top": 40, "width": 60, "height": 40, "label": "cat 0.93"}, {"left": 100, "top": 10, "width": 90, "height": 30, "color": "lime", "fill": "#00FF0040"}}, o{}}},
	{"stripMetadata", 40, []any{"stripMetadata", "held.jpg", o{}}},
	{"compare", 34, []any{"compare", "photo.jpg", "changed.png", o{"threshold": 120}}},
	{"colors", 0, []any{"colors", "framed.png", 3}},
	{"info", 0, []any{"info", "held.jpg"}},
	{"metadata", 0, []any{"metadata", "held.jpg"}},
	{"resize-animation", 30, []any{"resize", "played.gif", 20, 15, o{}}},
}

// scene is a picture with gradients, edges, texture and strong colours.
func scene(w, h int) *goimage.NRGBA {
	m := goimage.NewNRGBA(goimage.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			fx, fy := float64(x)/float64(w), float64(y)/float64(h)
			r, g, b := 60+150*fx, 70+120*fy, 200-140*fy
			if math.Hypot(fx-0.68, (fy-0.45)*float64(h)/float64(w)) < 0.17 {
				r, g, b = 230, 120+60*fy, 60
			}
			if fy > 0.75+0.08*math.Sin(fx*9) {
				r, g, b = 40, 110, 50
			}
			grain := 8 * math.Sin(fx*57) * math.Sin(fy*43)
			m.SetNRGBA(x, y, color.NRGBA{byte(r + grain), byte(g + grain), byte(b + grain), 255})
		}
	}
	return m
}

func addGoldenInputs(t *testing.T, r *run) {
	photo := aJPEG(t, scene(200, 150))
	r.host.Add(t, "photo.jpg", photo)
	r.host.Add(t, "held.jpg", picture.WithEXIF(photo, picture.JPEG, picture.OrientedEXIF(nil, 6)))
	logo := goimage.NewNRGBA(goimage.Rect(0, 0, 48, 48))
	framed := scene(90, 70)
	for y := range 70 {
		for x := range 90 {
			if x < 48 && y < 48 {
				d := math.Hypot(float64(x)-23.5, float64(y)-23.5)
				logo.SetNRGBA(x, y, color.NRGBA{byte(5 * x), 60, byte(255 - 5*y), byte(255 * max(0, min(1, 24-d)))})
			}
			if x < 9 || y < 12 || x >= 80 || y >= 65 {
				framed.SetNRGBA(x, y, color.NRGBA{250, 250, 245, 255})
			}
		}
	}
	r.host.Add(t, "logo.png", aPNG(t, logo))
	r.host.Add(t, "framed.png", aPNG(t, framed))
	changed := scene(200, 150)
	for y := 60; y < 90; y++ {
		for x := 20; x < 50; x++ {
			changed.SetNRGBA(x, y, color.NRGBA{255, 0, 255, 255})
		}
	}
	r.host.Add(t, "changed.png", aPNG(t, changed))
	r.host.Add(t, "played.gif", animation(t))
}

// animation is a GIF of four frames, of which the later ones cover a part.
func animation(t testing.TB) []byte {
	palette := color.Palette{color.Transparent, color.Black, color.White, color.RGBA{220, 30, 30, 255}, color.RGBA{30, 90, 220, 255}}
	g := &gif.GIF{Config: goimage.Config{Width: 40, Height: 30}, LoopCount: 0}
	for i := range 4 {
		area := goimage.Rect(0, 0, 40, 30)
		if i > 0 {
			area = goimage.Rect(8*i, 5, 8*i+10, 20)
		}
		p := goimage.NewPaletted(area, palette)
		for j := range p.Pix {
			p.Pix[j] = byte(1 + i)
		}
		g.Image, g.Delay, g.Disposal = append(g.Image, p), append(g.Delay, 10+i), append(g.Disposal, gif.DisposalNone)
	}
	return encoded(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, g) })
}

func TestGoldens(t *testing.T) {
	const dir = "testdata/goldens"
	archive, err := txtar.ParseFile(filepath.Join(dir, "answers.txtar"))
	if err != nil && !*update {
		t.Fatal(err)
	}
	answers := map[string]string{}
	if archive != nil {
		for _, f := range archive.Files {
			answers[f.Name] = string(f.Data)
		}
	}
	fresh := &txtar.Archive{Comment: []byte("What the calls of golden_test.go answer, but for sizes in bytes.\n\n")}
	onBoth(t, func(t *testing.T, r *run) {
		isVips := filepath.Base(t.Name()) == "libvips"
		addGoldenInputs(t, r)
		for _, g := range goldens {
			file := g.name + ".png"
			call := append([]any(nil), g.call...)
			opts, pictured := call[len(call)-1].(o)
			if g.name == "resize-animation" {
				file = g.name + ".gif"
			} else if g.name == "stripMetadata" {
				file = g.name + ".jpg"
			}
			if pictured {
				with := o{"as": file}
				for k, v := range opts {
					with[k] = v
				}
				call[len(call)-1] = with
			}
			out, err := r.js(call[0].(string), call[1:]...)
			if err != nil {
				t.Errorf("%s: %v", g.name, err)
				continue
			}
			text := answerText(t, out)
			if pictured {
				if data, _ := json.Marshal(r.do("info", file)["frames"]); string(data) != "1" {
					r.do("extractFrame", file, 3, o{"as": "frame of " + g.name + ".png"})
					file = "frame of " + g.name + ".png"
				}
				if filepath.Ext(file) == ".jpg" {
					r.do("convert", file, "png", o{"as": g.name + " again.png"})
					file = g.name + " again.png"
				}
			}
			path := filepath.Join(dir, g.name+".png")
			if *update && isVips {
				fresh.Files = append(fresh.Files, txtar.File{Name: g.name, Data: []byte(text)})
				if pictured {
					if err := os.WriteFile(path, r.host.Bytes(t, file), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				continue
			}
			if *update {
				continue
			}
			measured := g.name == "colors" || g.name == "compare" // of decoded pixels, which differ a little
			if text != answers[g.name] && (isVips || !measured) {
				t.Errorf("%s answers\n%swant\n%s", g.name, text, answers[g.name])
			}
			if pictured {
				bound := g.builtin
				if isVips {
					bound = 50
				}
				looksLike(t, g.name, path, r.host.Bytes(t, file), bound)
			}
		}
	})
	if *update && len(fresh.Files) > 0 {
		if err := os.WriteFile(filepath.Join(dir, "answers.txtar"), txtar.Format(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// answerText is an answer without what differs between engines and libraries' versions.
func answerText(t *testing.T, out map[string]any) string {
	t.Helper()
	delete(out, "size")
	delete(out, "engine")
	delete(out, "id")
	if file, ok := out["file"].(map[string]any); ok {
		delete(file, "size")
		delete(file, "id")
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

func looksLike(t *testing.T, name, path string, got []byte, bound float64) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	want, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	a, b := decodePNG(t, data), decodePNG(t, got)
	if a.Rect.Size() != b.Rect.Size() {
		t.Errorf("%s is of %v, want %v", name, b.Rect.Size(), want.Bounds().Size())
		return
	}
	if db := psnr(a, b); db < bound {
		t.Errorf("%s: %.1f dB from its golden, want %v", name, db, bound)
		if dir := os.Getenv("KEEP"); dir != "" {
			os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%s.png", filepath.Base(t.Name()), name)), got, 0o644)
		}
	}
}
