package pdf_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

type rendered struct {
	Base64, ID, Name string
	MimeType         string `json:"mime_type"`
	Width, Height    int
	Size             int
}

func (r rendered) image(t testing.TB) image.Image {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(r.Base64)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, data)
}

func decode(t testing.TB, data []byte) image.Image {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestRenderPage(t *testing.T) {
	r := newRun(t)
	// A red square 50 points from the left and 20 from the bottom, of 100 × 100.
	r.host.Add(t, "a.pdf", makePDF("", []page{{content: "1 0 0 rg 50 20 100 100 re f\n"}}))
	for args, size := range map[string]image.Point{
		`"dpi": 72`: {300, 200}, `"dpi": 144`: {600, 400}, `"max_width": 900`: {900, 600},
		`"dpi": 72, "max_width": 150`: {150, 100}, `"dpi": 72, "max_width": 1000`: {300, 200},
		`"dpi": 72, "format": "jpeg"`: {300, 200},
	} {
		var got rendered
		r.must("pdf_render_page", `{"file_id": "a.pdf", "page": 1, `+args+`}`, &got)
		img := got.image(t)
		if img.Bounds().Size() != size || got.Width != size.X || got.Height != size.Y {
			t.Errorf("%s: %v, answered %d × %d", args, img.Bounds().Size(), got.Width, got.Height)
		}
		scale := float64(size.X) / 300
		for at, want := range map[image.Point][3]uint32{{60, 170}: {255, 0, 0}, {140, 90}: {255, 0, 0}, {40, 170}: {255, 255, 255}, {60, 70}: {255, 255, 255}} {
			red, green, blue, _ := img.At(int(float64(at.X)*scale), int(float64(at.Y)*scale)).RGBA()
			if off(red>>8, want[0]) > 8 || off(green>>8, want[1]) > 8 || off(blue>>8, want[2]) > 8 {
				t.Errorf("%s: at %v: %d %d %d", args, at, red>>8, green>>8, blue>>8)
			}
		}
	}
	var got rendered
	r.must("pdf_render_page", `{"file_id": "a.pdf", "page": 1, "name": "out/a.jpg"}`, &got)
	if got.Base64 != "" || got.ID == "" || got.MimeType != "image/jpeg" || decode(t, r.bytes("out/a.jpg")).Bounds().Dx() != 450 {
		t.Errorf("%+v", got)
	}
	wantCode(t, r.tool("pdf_render_page", `{"file_id": "a.pdf", "page": 1, "name": "out/a.jpg"}`, &got), problem.Exists)
	wantCode(t, r.tool("pdf_render_page", `{"file_id": "a.pdf", "page": 1, "name": "a.txt"}`, &got), problem.InvalidArgument, ".png")
	wantCode(t, r.tool("pdf_render_page", `{"file_id": "a.pdf", "page": 2}`, &got), problem.InvalidArgument, "1 page")
}

func off(a, b uint32) uint32 { return max(a, b) - min(a, b) }

// The limit of pixels ends a call before any is drawn.
func TestPixelLimit(t *testing.T) {
	newRun(t)
	r := newRunWithin(t, limits.Limits{Pixels: 60_000})
	r.host.Add(t, "a.pdf", makePDF("", []page{{}}))
	r.host.Add(t, "huge.pdf", makePDF("", []page{{attributes: "/MediaBox[0 0 1e9 1e9]"}}))
	var got rendered
	r.must("pdf_render_page", `{"file_id": "a.pdf", "page": 1, "dpi": 72}`, &got)
	wantCode(t, r.tool("pdf_render_page", `{"file_id": "a.pdf", "page": 1, "dpi": 73}`, &got), problem.TooComplex, "dpi")
	wantCode(t, r.tool("pdf_render_page", `{"file_id": "huge.pdf", "page": 1}`, &got), problem.TooComplex)
}

// Text in fonts that are not in the file is drawn with those that are served; without
// them Chinese would be blank.
func TestFontsThatAreNotEmbedded(t *testing.T) {
	if len(engineFonts(t)) == 0 {
		t.Skip("there are no fonts: run make engines")
	}
	r := newRun(t)
	r.host.Add(t, "cjk.pdf", makePDF("", []page{{content: "BT /F 40 Tf 20 100 Td <4E2D65875B57> Tj ET"}},
		"<</Type/XObject/Subtype/Form/BBox[0 0 1 1]/Length 0>>stream\n\nendstream"))
	cjk := bytes.Replace(r.bytes("cjk.pdf"), []byte("/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding"),
		[]byte("/Subtype/Type0/BaseFont/STSong-Light/Encoding/UniGB-UCS2-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 4>>>>]"), 1)
	r.host.Add(t, "cjk.pdf", cjk)
	var got rendered
	r.must("pdf_render_page", `{"file_id": "cjk.pdf", "page": 1, "dpi": 72}`, &got)
	if dark := darkness(got.image(t)); dark < 0.005 {
		t.Errorf("the page is blank: %.4f of it is dark", dark)
	}
}

// darkness is how dark an image is, from 0 to 1.
func darkness(img image.Image) float64 {
	sum := 0.0
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			sum += 1 - gray(img, x, y)
		}
	}
	return sum / float64(b.Dx()*b.Dy())
}

func gray(img image.Image, x, y int) float64 {
	r, g, b, _ := img.At(x, y).RGBA()
	return (0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b)) / 0xffff
}

// difference compares two images by squares of 8 × 8 pixels, so that the edges of letters,
// which every renderer smooths in its own way, count little: the root of the mean of the
// squares of the differences of their mean grays, from 0 to 1.
func difference(a, b image.Image) float64 {
	const side = 8
	bounds := a.Bounds()
	var sum, n float64
	for y := 0; y+side <= bounds.Dy(); y += side {
		for x := 0; x+side <= bounds.Dx(); x += side {
			d := 0.0
			for dy := range side {
				for dx := range side {
					d += gray(a, x+dx, y+dy) - gray(b, x+dx, y+dy)
				}
			}
			d /= side * side
			sum += d * d
			n++
		}
	}
	return math.Sqrt(sum / n)
}

// differently are pages that the two draw differently by right or by fault of one.
var differently = map[string]string{
	"pc_utf8stringAndAnnotation.pdf":                    "poppler draws a highlight without an appearance as a black shape",
	"pl_PDF_2.0_UTF-8_string_and_annotation.pdf":        "the same page",
	"pj_bitmap-composite-and-xnor-halftone.pdf":         "poppler's JBIG2 is incomplete",
	"pj_bitmap-halftone-skip-grid-template3.pdf":        "poppler draws nothing",
	"pj_bitmap-symbol-symhuffuncompressed-texthuff.pdf": "poppler draws nothing",
	"pj_bug1844576.pdf":                                 "poppler draws no text in fields",
	"pj_issue19550.pdf":                                 "a font of two kinds: PDFium draws some of its letters",
	"pj_issue2884_reduced.pdf":                          "poppler has no font for it",
	"pj_issue5747.pdf":                                  "an image without bounds: what is beside it is anyone's",
	"pj_issue7074_reduced.pdf":                          "poppler draws nothing",
}

// TestRendersLikePoppler compares the first pages of the corpus with what poppler draws.
// The bound for a page is 0.08, which some come near to because their fonts are not in
// the file; for the median of all it is 0.02.
func TestRendersLikePoppler(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	pdftoppm, err := exec.LookPath("pdftoppm")
	if err != nil {
		t.Skip("there is no pdftoppm: apt-get install poppler-utils")
	}
	paths, _ := filepath.Glob(filepath.Join(corpus, "pdf", "*.pdf"))
	if len(paths) == 0 {
		t.Skip("the corpus is not here")
	}
	r := newRun(t)
	var all []float64
	for _, path := range paths {
		name := filepath.Base(path)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r.host.Add(t, name, data)
		var got rendered
		if err := r.tool("pdf_render_page", fmt.Sprintf(`{"file_id": %q, "page": 1, "dpi": 50}`, name), &got); err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		out := filepath.Join(t.TempDir(), "page")
		cmd := exec.Command(pdftoppm, "-png", "-singlefile", "-cropbox", "-f", "1", "-scale-to-x", fmt.Sprint(got.Width), "-scale-to-y", fmt.Sprint(got.Height), path, out)
		if err := cmd.Run(); err != nil {
			t.Logf("%s: pdftoppm: %v", name, err)
			continue
		}
		theirs, err := os.ReadFile(out + ".png")
		if err != nil {
			t.Logf("%s: pdftoppm drew nothing", name)
			continue
		}
		ours := got.image(t)
		other := decode(t, theirs)
		d := difference(ours, other)
		all = append(all, d)
		if d > 0.08 && differently[name] == "" {
			t.Errorf("%s differs by %.4f; dark are %.4f and %.4f of it", name, d, darkness(ours), darkness(other))
		}
		if keep := os.Getenv("KEEP_RENDERED"); keep != "" && d > 0.05 {
			base := filepath.Join(keep, strings.TrimSuffix(name, ".pdf"))
			raw, _ := base64.StdEncoding.DecodeString(got.Base64)
			_ = os.WriteFile(base+"-ours.png", raw, 0o600)
			_ = os.WriteFile(base+"-theirs.png", theirs, 0o600)
		}
	}
	slices.Sort(all)
	median, beyond := all[len(all)/2], slices.IndexFunc(all, func(d float64) bool { return d > 0.02 })
	t.Logf("%d pages, %d within 0.02, median %.4f", len(all), beyond, median)
	if median > 0.02 {
		t.Errorf("the median is %.4f", median)
	}
}

func engineFonts(t testing.TB) []string {
	t.Helper()
	places, err := placesOf()
	if err != nil || len(places.Fonts) == 0 {
		return nil
	}
	found, _ := filepath.Glob(filepath.Join(places.Fonts[0], "*.ttf"))
	return found
}
