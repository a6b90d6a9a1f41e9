package image_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	goimage "image"
	"image/png"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/image/builtin"
	"github.com/sandboxd/sandboxd/problem"
)

// sharp is a Node process that does the same with sharp.
type sharp struct {
	t   testing.TB
	in  io.WriteCloser
	out *bufio.Scanner
}

func startSharp(t testing.TB) *sharp {
	t.Helper()
	peers, err := filepath.Abs("../../../bench/peers")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(peers, "node_modules", "sharp")); err != nil {
		t.Skip("sharp is not installed: npm ci in bench/peers")
	}
	cmd := exec.CommandContext(t.Context(), "node", "testdata/sharp.mjs", peers)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip("node is not installed: ", err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	s := bufio.NewScanner(out)
	s.Buffer(nil, 1<<30)
	return &sharp{t, in, s}
}

type sharpAnswer struct {
	Info          map[string]any
	Width, Height int
	Channels      int
	Data          []byte
	Error         string
}

func (s *sharp) ask(file, op string, args any) sharpAnswer {
	s.t.Helper()
	request, err := json.Marshal(o{"file": file, "op": op, "args": args})
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.in.Write(append(request, '\n')); err != nil {
		s.t.Fatal(err)
	}
	if !s.out.Scan() {
		s.t.Fatal("sharp ended: ", s.out.Err())
	}
	var a sharpAnswer
	if err := json.Unmarshal(s.out.Bytes(), &a); err != nil {
		s.t.Fatal(err)
	}
	return a
}

// fourChannels makes RGBA of grey, grey with alpha, or RGB.
func fourChannels(data []byte, channels int) []byte {
	if channels == 4 {
		return data
	}
	var out []byte
	for i := 0; i+channels <= len(data); i += channels {
		p := data[i : i+channels]
		switch channels {
		case 1:
			out = append(out, p[0], p[0], p[0], 255)
		case 2:
			out = append(out, p[0], p[0], p[0], p[1])
		case 3:
			out = append(out, p[0], p[1], p[2], 255)
		}
	}
	return out
}

// pictures are the corpus' names.
func pictures(t testing.TB) []string {
	t.Helper()
	paths, _ := filepath.Glob(corpus + "/*")
	if len(paths) == 0 {
		t.Skip("the corpus is not here")
	}
	var names []string
	for _, p := range paths {
		names = append(names, filepath.Base(p))
	}
	return names
}

// psnr compares pictures as they look on a background of mid grey.
func psnr(a, b *goimage.NRGBA) float64 {
	var squares float64
	for i := 0; i+4 <= len(a.Pix); i += 4 {
		for c := range 3 {
			on := func(p []byte) float64 { return (float64(p[c])*float64(p[3]) + 128*(255-float64(p[3]))) / 255 }
			d := on(a.Pix[i:i+4]) - on(b.Pix[i:i+4])
			squares += d * d
		}
	}
	if squares == 0 {
		return math.Inf(1)
	}
	return 10 * math.Log10(255*255*3*float64(len(a.Pix)/4)/squares)
}

func decodePNG(t testing.TB, data []byte) *goimage.NRGBA {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out, err := builtin.ToNRGBA(m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAgreesWithSharp does the same to every picture of the corpus as sharp does: what libvips
// gives must be within 35 dB. The built-in engine has decoders and filters of its own, so its
// bound is 27 dB. For it CMYK is left out, since it knows no profiles of tables, and so is
// enlarging: libvips is half a pixel off there.
func TestAgreesWithSharp(t *testing.T) {
	if testing.Short() {
		t.Skip("it does several hundred pictures on three sides")
	}
	names := pictures(t)
	peer := startSharp(t)
	overlay, err := filepath.Abs(filepath.Join(corpus, "d.png"))
	if err != nil {
		t.Fatal(err)
	}
	worst := map[string]float64{"libvips": math.Inf(1), "builtin": math.Inf(1)}
	engines := map[string]*run{"libvips": withVips(t), "builtin": withBuiltin(t)}
	for _, r := range engines {
		r.host.Add(t, "overlay.png", corpusFile(t, "d.png"))
	}
	for _, name := range names {
		path, _ := filepath.Abs(filepath.Join(corpus, name))
		data := corpusFile(t, name)
		info := peer.ask(path, "info", nil)
		if info.Error != "" || info.Info["width"].(float64)*info.Info["height"].(float64) > 5e7 {
			continue
		}
		w, h := int(info.Info["width"].(float64)), int(info.Info["height"].(float64))
		for _, r := range engines {
			r.host.Add(t, name, data)
		}
		for i, c := range []struct {
			op   string
			args any   // sharp's
			ours []any // after the file, before the options
			opts o
		}{
			{"convert", nil, []any{"png"}, o{}},
			{"resize", o{"width": 120}, []any{120, nil}, o{}},
			{"resize", o{"width": 64, "height": 90, "fit": "cover"}, []any{64, 90}, o{"fit": "cover"}},
			{"resize", o{"width": 90, "height": 64, "fit": "contain", "background": "#505050"}, []any{90, 64}, o{"fit": "contain", "background": "#505050"}},
			{"resize", o{"width": 50, "height": 90, "fit": "fill", "kernel": "cubic"}, []any{50, 90}, o{"fit": "fill", "kernel": "cubic"}},
			{"resize", o{"width": 70, "height": 50, "fit": "inside"}, []any{70, 50}, o{"fit": "inside"}},
			{"resize", o{"width": 70, "height": 50, "fit": "outside", "withoutEnlargement": true}, []any{70, 50}, o{"fit": "outside", "withoutEnlargement": true}},
			{"resize", o{"width": 53, "kernel": "nearest"}, []any{53, nil}, o{"kernel": "nearest"}},
			{"crop", o{"left": w / 4, "top": h / 3, "width": w / 2, "height": h / 2}, []any{o{"left": w / 4, "top": h / 3, "width": w / 2, "height": h / 2}}, o{}},
			{"rotate", o{"angle": 90}, []any{90}, o{}},
			{"flip", nil, []any{"horizontal"}, o{}},
			{"autoOrient", nil, nil, o{}},
			{"composite", o{"input": overlay, "left": 3, "top": 5}, []any{[]o{{"fileId": "overlay.png", "left": 3, "top": 5}}}, o{}},
			{"pad", o{"top": 3, "left": 5, "right": 1, "bottom": 2, "background": "#909090"}, []any{o{"top": 3, "left": 5, "right": 1, "bottom": 2}}, o{"background": "#909090"}},
			{"grayscale", nil, nil, o{}},
			{"blur", o{"sigma": 2}, []any{2}, o{}},
		} {
			if w*h > 5e5 && (i < 1 || i > 3) {
				continue // smaller ones show what these would
			}
			if c.op == "grayscale" && info.Info["hasAlpha"] == true {
				continue // sharp drops the alpha
			}
			theirs := peer.ask(path, c.op, c.args)
			if theirs.Error != "" {
				continue // an overlay that is larger, for one
			}
			theirs.Data = fourChannels(theirs.Data, theirs.Channels)
			want := &goimage.NRGBA{Pix: theirs.Data, Stride: 4 * theirs.Width, Rect: goimage.Rect(0, 0, theirs.Width, theirs.Height)}
			for engine, r := range engines {
				bound := 35.0
				if engine == "builtin" {
					bound = 27
					larger := c.op == "resize" && (theirs.Width > w || theirs.Height > h || c.opts["fit"] == "contain" && w < 90)
					nearest := c.opts["kernel"] == "nearest" // of which pixels, is a matter of the decoder's sizes
					if larger || nearest || info.Info["space"] == "cmyk" {
						continue
					}
				}
				as := fmt.Sprintf("%s %d.png", name, i)
				opts := o{"as": as}
				for k, v := range c.opts {
					opts[k] = v
				}
				if _, err := r.js(c.op, append(append([]any{name}, c.ours...), opts)...); err != nil {
					if problem.CodeOf(err) != problem.EngineMissing || engine != "builtin" {
						t.Errorf("%s %s %s: %v", engine, name, c.op, err)
					}
					continue
				}
				got := decodePNG(t, r.host.Bytes(t, as))
				if got.Rect.Size() != want.Rect.Size() {
					t.Errorf("%s %s %s %v: %v, sharp has %v", engine, name, c.op, c.opts, got.Rect.Size(), want.Rect.Size())
					continue
				}
				if db := psnr(got, want); db < bound {
					t.Errorf("%s %s %s %v: %.1f dB from sharp", engine, name, c.op, c.args, db)
				} else {
					worst[engine] = min(worst[engine], db)
				}
			}
		}
	}
	t.Logf("the worst of those within bounds: %v", worst)
}

// TestInfoIsSharps compares what is said of every picture of the corpus.
func TestInfoIsSharps(t *testing.T) {
	names := pictures(t)
	peer := startSharp(t)
	r := withBuiltin(t)
	for _, name := range names {
		path, _ := filepath.Abs(filepath.Join(corpus, name))
		theirs := peer.ask(path, "info", nil).Info
		if theirs == nil {
			continue
		}
		r.host.Add(t, name, corpusFile(t, name))
		ours := r.do("info", name)
		for field, other := range map[string]string{"width": "width", "height": "height", "format": "format", "channels": "channels", "space": "space", "has_alpha": "hasAlpha",
			"orientation": "orientation", "density": "density", "progressive": "isProgressive", "has_profile": "hasProfile", "palette": "isPalette"} {
			a, b := ours[field], theirs[other]
			if field == "palette" && b == nil {
				b = false
			}
			if field == "density" && a == nil {
				continue // sharp has 72, or what a number without a unit makes of inches
			}
			if fmt.Sprint(a) != fmt.Sprint(b) {
				t.Errorf("%s: %s is %v, sharp's %s %v", name, field, a, other, b)
			}
		}
		depth := map[string]float64{"uchar": 8, "ushort": 16}[fmt.Sprint(theirs["depth"])]
		if ours["color_depth"] != depth {
			t.Errorf("%s: %v bits, sharp has %v", name, ours["color_depth"], theirs["depth"])
		}
		if pages, ok := theirs["pages"].(float64); ok && ours["frames"] != pages && !strings.HasSuffix(name, ".TIF") {
			t.Errorf("%s: %v frames, sharp has %v", name, ours["frames"], pages)
		}
	}
}

// TestDensityThatSaysNothing is what libvips writes where it knows of none: a pixel a millimetre.
func TestDensityThatSaysNothing(t *testing.T) {
	r := withBuiltin(t)
	for density, want := range map[uint16]any{25: nil, 26: 26.0, 300: 300.0} {
		photo := aJPEG(t, noisy(10, 10))
		jfif := binary.BigEndian.AppendUint16([]byte("\xff\xe0\x00\x10JFIF\x00\x01\x01\x01"), density)
		jfif = append(binary.BigEndian.AppendUint16(jfif, density), 0, 0)
		r.host.Add(t, "a.jpg", append(append(photo[:2:2], jfif...), photo[2:]...))
		if out := r.do("info", "a.jpg"); out["density"] != want {
			t.Errorf("%d: %v", density, out)
		}
	}
}

// TestAVIFIsSharps compares what both engines' encoders make at their defaults: colours were of
// half the size here.
func TestAVIFIsSharps(t *testing.T) {
	peer := startSharp(t)
	r := withVips(t)
	r.host.Add(t, "a.png", aPNG(t, scene(120, 90)))
	path := filepath.Join(t.TempDir(), "a.avif")
	if answer := peer.ask(writeTo(t, filepath.Join(t.TempDir(), "a.png"), r.host.Bytes(t, "a.png")), "avif", o{"to": path}); answer.Error != "" {
		t.Fatal(answer.Error)
	}
	theirs, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r.host.Add(t, "theirs.avif", theirs)
	r.do("convert", "a.png", "avif", o{"as": "ours.avif"})
	if same := r.do("compare", "theirs.avif", "ours.avif"); same["psnr"] != nil && same["psnr"].(float64) < 40 {
		t.Errorf("%v", same)
	}
}

func writeTo(t *testing.T, path string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
