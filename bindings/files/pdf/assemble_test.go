package pdf_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// blank makes a PDF of empty pages, each with its number in its content.
func blank(t testing.TB, pages int, change func(p *document.Page)) []byte {
	t.Helper()
	d := document.New()
	for i := range pages {
		p := d.NewPage(i, 400, 300)
		p.Dict["Resources"] = types.Dict{"Font": types.Dict{"F1": types.Dict{
			"Type": types.Name("Font"), "Subtype": types.Name("Type1"), "BaseFont": types.Name("Helvetica"),
		}}}
		p.Draw(fmt.Appendf(nil, "BT /F1 10 Tf 10 10 Td (page-%d) Tj ET\n", i+1))
		if change != nil {
			change(p)
		}
	}
	var b bytes.Buffer
	if err := d.Write(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sound has qpdf look at a file.
func (r *run) sound(name string, args ...string) {
	r.t.Helper()
	if _, err := exec.LookPath("qpdf"); err != nil {
		r.t.Log("qpdf is not installed, so its check is left out: apt-get install qpdf")
		return
	}
	path := filepath.Join(r.t.TempDir(), "out.pdf")
	if err := os.WriteFile(path, r.bytes(name), 0o600); err != nil {
		r.t.Fatal(err)
	}
	if out, err := exec.Command("qpdf", append(args, "--check", path)...).CombinedOutput(); err != nil {
		r.t.Errorf("%s: qpdf --check: %v\n%.600s", name, err, out)
	}
}

// texts are the texts of a file's pages.
func (r *run) texts(name string) []string {
	r.t.Helper()
	var out struct{ Pages []struct{ Text string } }
	r.must("pdf_extract_text", fmt.Sprintf(`{"file_id": %q}`, name), &out)
	var texts []string
	for _, p := range out.Pages {
		texts = append(texts, strings.TrimSpace(p.Text))
	}
	return texts
}

func (r *run) wantTexts(name string, want ...string) {
	r.t.Helper()
	if got := r.texts(name); fmt.Sprint(got) != fmt.Sprint(want) {
		r.t.Errorf("%s: the pages are %q, want %q", name, got, want)
	}
	r.sound(name)
}

func TestPagesAreAddedDeletedTurnedAndOrdered(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "a.pdf", blank(t, 3, nil))
	var added struct {
		Page, PageCount int
		Width, Height   float64
	}
	r.must("pdf_add_page", `{"file_id": "a.pdf", "size": "A5", "orientation": "landscape", "at": 2}`, &added)
	if added.Page != 2 || added.Width != 595.28 || added.Height != 419.53 {
		t.Errorf("%+v", added)
	}
	r.wantTexts("a.pdf", "page-1", "", "page-2", "page-3")
	r.must("pdf_delete_page", `{"file_id": "a.pdf", "page_num": 1}`, &added)
	r.must("pdf_reorder_pages", `{"file_id": "a.pdf", "order": [3, 1, 2]}`, &added)
	r.wantTexts("a.pdf", "page-3", "", "page-2")
	r.must("pdf_rotate_pages", `{"file_id": "a.pdf", "degrees": -90, "pages": [1, 1, 3]}`, &added)
	var about struct{ Pages []struct{ Rotation int } }
	r.must("pdf_info", `{"file_id": "a.pdf"}`, &about)
	if got := fmt.Sprint(about.Pages); got != "[{270} {0} {270}]" {
		t.Errorf("rotations %s", got)
	}
	for args, message := range map[string]string{
		`pdf_delete_page {"file_id": "a.pdf", "page_num": 4}`:                                                                "got 4",
		`pdf_reorder_pages {"file_id": "a.pdf", "order": [1, 2]}`:                                                            "page 3 is missing",
		`pdf_reorder_pages {"file_id": "a.pdf", "order": [1, 2, 2]}`:                                                         "twice",
		`pdf_rotate_pages {"file_id": "a.pdf", "degrees": 45}`:                                                               "45",
		`pdf_add_page {"file_id": "a.pdf", "size": "A99"}`:                                                                   "A99",
		`pdf_add_page {"file_id": "a.pdf", "at": 9}`:                                                                         "at is 9",
		`pdf_add_text {"file_id": "a.pdf", "page": 1, "text": "x", "position": {"x": 1, "y": 1}, "style": {"font": "Nope"}}`: "Nope",
	} {
		tool, in, _ := strings.Cut(args, " ")
		if err := r.tool(tool, in, nil); problem.CodeOf(err) != problem.InvalidArgument || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v", args, err)
		}
	}
	r.host.Add(t, "one.pdf", blank(t, 1, nil))
	if err := r.tool("pdf_delete_page", `{"file_id": "one.pdf", "page_num": 1}`, nil); problem.CodeOf(err) != problem.InvalidArgument {
		t.Errorf("the only page: %v", err)
	}
}

// turned are pages as they come from scanners and print shops.
func turned() map[string]func(p *document.Page) {
	all := map[string]func(p *document.Page){}
	for _, degrees := range []int{0, 90, 180, 270} {
		for name, boxes := range map[string][2]types.Array{
			"plain":   {},
			"shifted": {types.NewNumberArray(-100, -50, 300, 250), nil},
			"cropped": {types.NewNumberArray(0, 0, 600, 500), types.NewNumberArray(120, 80, 520, 380)},
		} {
			all[fmt.Sprintf("%s %d", name, degrees)] = func(p *document.Page) {
				if boxes[0] != nil {
					p.Dict["MediaBox"] = boxes[0]
				}
				if boxes[1] != nil {
					p.Dict["CropBox"] = boxes[1]
				}
				p.Dict["Rotate"] = types.Integer(degrees)
			}
		}
	}
	return all
}

func TestPlacesAreThoseOfThePageAsItIsSeen(t *testing.T) {
	for name, change := range turned() {
		r := newRun(t)
		r.host.Add(t, "a.pdf", blank(t, 1, change))
		r.must("pdf_add_text", `{"file_id": "a.pdf", "page": 1, "text": "HERE", "position": {"x": 50, "y": 60}, "style": {"size": 20, "color": "#ff0000"}}`, &struct{}{})
		var found struct {
			Matches []struct {
				Boxes []struct{ X, Y, Width, Height float64 }
			}
		}
		r.must("pdf_search", `{"file_id": "a.pdf", "text": "HERE"}`, &found)
		if len(found.Matches) != 1 || len(found.Matches[0].Boxes) != 1 {
			t.Errorf("%s: %+v", name, found)
			continue
		}
		// The H begins a little to the right of its place, and letters without descenders stand on the line.
		if b := found.Matches[0].Boxes[0]; math.Abs(b.X-50) > 3 || math.Abs(b.Y-60) > 6 || b.Width < 50 || b.Width > 62 || b.Height < 10 || b.Height > 26 {
			t.Errorf("%s: the text is at %+v", name, b)
		}
		// Seen upright: the ink is where it was put.
		img := r.render("a.pdf")
		if got := inked(img, color.NRGBA{255, 0, 0, 255}); !closeTo(got, image.Rect(51, img.Bounds().Dy()-75, 105, img.Bounds().Dy()-60), 4) {
			t.Errorf("%s: the ink is at %v of %v", name, got, img.Bounds())
		}
	}
}

// render draws the first page, a pixel for a point.
func (r *run) render(name string) image.Image {
	r.t.Helper()
	var out struct{ Base64 []byte }
	r.must("pdf_render_page", fmt.Sprintf(`{"file_id": %q, "page": 1, "dpi": 72}`, name), &out)
	img, err := png.Decode(bytes.NewReader(out.Base64))
	if err != nil {
		r.t.Fatal(err)
	}
	return img
}

// inked is where there is a colour, more or less.
func inked(img image.Image, c color.NRGBA) image.Rectangle {
	var area image.Rectangle
	far := func(a, b uint8) bool { return max(a, b)-min(a, b) > 100 }
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if p := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA); !far(p.R, c.R) && !far(p.G, c.G) && !far(p.B, c.B) {
				area = area.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return area
}

func closeTo(a, b image.Rectangle, by int) bool {
	off := func(x, y int) bool { return max(x, y)-min(x, y) > by }
	return !off(a.Min.X, b.Min.X) && !off(a.Min.Y, b.Min.Y) && !off(a.Max.X, b.Max.X) && !off(a.Max.Y, b.Max.Y)
}

// swatch is an image of one colour.
func swatch(t testing.TB, width, height int, c color.Color) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		img.Set(i%width, i/width, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestImagesAreWhereTheyWerePut(t *testing.T) {
	blue := color.NRGBA{0, 0, 255, 255}
	for name, change := range turned() {
		r := newRun(t)
		r.host.Add(t, "a.pdf", blank(t, 1, change))
		r.host.Add(t, "blue.png", swatch(t, 40, 20, blue))
		var at struct{ X, Y, Width, Height float64 }
		r.must("pdf_add_image", `{"file_id": "a.pdf", "page": 1, "image_file_id": "blue.png", "position": {"x": 30, "y": 50}, "size": {"width": 80}}`, &at)
		if at.Width != 80 || at.Height != 40 {
			t.Errorf("%s: %+v", name, at)
		}
		img := r.render("a.pdf")
		if got := inked(img, blue); !closeTo(got, image.Rect(30, img.Bounds().Dy()-90, 110, img.Bounds().Dy()-50), 1) {
			t.Errorf("%s: the image is at %v", name, got)
		}
	}
	r := newRun(t)
	r.host.Add(t, "a.pdf", blank(t, 1, nil))
	r.host.Add(t, "note.txt", []byte("no image"))
	if err := r.tool("pdf_add_image", `{"file_id": "a.pdf", "page": 1, "image_file_id": "note.txt", "position": {"x": 0, "y": 0}}`, nil); problem.CodeOf(err) != problem.UnsupportedFormat {
		t.Errorf("%v", err)
	}
	small := newRunWithin(t, limits.Limits{Pixels: 700})
	small.host.Add(t, "a.pdf", blank(t, 1, nil))
	small.host.Add(t, "blue.png", swatch(t, 40, 20, blue))
	if err := small.tool("pdf_add_image", `{"file_id": "a.pdf", "page": 1, "image_file_id": "blue.png", "position": {"x": 0, "y": 0}}`, nil); problem.CodeOf(err) != problem.TooComplex {
		t.Errorf("%v", err)
	}
}

func TestAStandardFontGoesByItsNameInPDFToo(t *testing.T) {
	for name, style := range map[string]string{
		"Helvetica-Bold":   `{"font": "Helvetica", "bold": true}`,
		"Times-Roman":      `{"font": "Times"}`,
		"Times-BoldItalic": `{"font": "Times", "bold": true, "italic": true}`,
		"Courier-Oblique":  `{"font": "Courier", "italic": true}`,
	} {
		var named, styled struct {
			Width float64
			Fonts []string
		}
		r := newRun(t)
		r.host.Add(t, "a.pdf", blank(t, 1, nil))
		const add = `{"file_id": "a.pdf", "page": 1, "text": "Width", "position": {"x": 50, "y": 60}, "style": %s}`
		r.must("pdf_add_text", fmt.Sprintf(add, fmt.Sprintf(`{"font": %q}`, name)), &named)
		r.must("pdf_add_text", fmt.Sprintf(add, style), &styled)
		if named.Width != styled.Width || fmt.Sprint(named.Fonts) != fmt.Sprint(styled.Fonts) || len(named.Fonts) != 1 {
			t.Errorf("%s: %+v, and %s: %+v", name, named, style, styled)
		}
	}
}

func TestTextOfEveryScriptIsWritten(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "a.pdf", blank(t, 1, nil))
	for i, text := range []string{"Grüße 5 €", "Привет", "中文字体", "한국어", "office"} {
		var out struct{ Fonts []string }
		r.must("pdf_add_text", fmt.Sprintf(`{"file_id": "a.pdf", "page": 1, "text": %q, "position": {"x": 50, "y": %d}}`, text, 40+30*i), &out)
		var found struct{ Matches []json.RawMessage }
		r.must("pdf_search", fmt.Sprintf(`{"file_id": "a.pdf", "text": %q}`, text), &found)
		if len(found.Matches) != 1 || len(out.Fonts) == 0 {
			t.Errorf("%q in %v: %d times", text, out.Fonts, len(found.Matches))
		}
	}
	r.sound("a.pdf")
	if size := len(r.bytes("a.pdf")); size > 40_000 {
		t.Errorf("the file has %d bytes: fonts are not cut down", size)
	}
	err := r.tool("pdf_add_text", `{"file_id": "a.pdf", "page": 1, "text": "a 𒀀", "position": {"x": 1, "y": 1}}`, nil)
	if problem.CodeOf(err) != problem.InvalidArgument || !strings.Contains(err.Error(), "𒀀") {
		t.Errorf("%v", err)
	}
}

func TestWatermarks(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "a.pdf", blank(t, 2, nil))
	r.host.Add(t, "blue.png", swatch(t, 40, 20, color.NRGBA{0, 0, 255, 255}))
	var out struct{ PageCount int }
	r.must("pdf_watermark", `{"file_id": "a.pdf", "text": "DRAFT", "color": "#ff0000", "opacity": 1, "pages": [1]}`, &out)
	r.must("pdf_watermark", `{"file_id": "a.pdf", "image": "blue.png", "position": "top-right", "scale": 0.2, "opacity": 1, "layer": "under"}`, &out)
	img := r.render("a.pdf")
	if got := inked(img, color.NRGBA{255, 0, 0, 255}); got.Dx() < 200 || got.Dy() < 150 || math.Abs(float64(got.Min.X+got.Max.X)/2-200) > 12 {
		t.Errorf("the text is at %v", got)
	}
	if got := inked(img, color.NRGBA{0, 0, 255, 255}); !closeTo(got, image.Rect(296, 24, 376, 64), 2) {
		t.Errorf("the image is at %v", got)
	}
	if got := r.texts("a.pdf"); !strings.Contains(got[0], "DRAFT") || strings.Contains(got[1], "DRAFT") {
		t.Errorf("%q", got)
	}
	r.sound("a.pdf")
	if err := r.tool("pdf_watermark", `{"file_id": "a.pdf"}`, nil); problem.CodeOf(err) != problem.InvalidArgument {
		t.Errorf("%v", err)
	}
}

func TestMetadataIsSet(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "a.pdf", blank(t, 1, nil))
	r.must("pdf_set_metadata", `{"file_id": "a.pdf", "metadata": {"title": "Größe (1) \\", "author": "A", "created_on": "2024-01-31T12:00:00+02:00"}}`, &struct{}{})
	r.must("pdf_set_metadata", `{"file_id": "a.pdf", "metadata": {"author": "", "keywords": "x, y"}}`, &struct{}{})
	var about struct {
		Title, Author, Keywords string
		CreatedOn               string `json:"created_on"`
	}
	r.must("pdf_info", `{"file_id": "a.pdf"}`, &about)
	if about.Title != `Größe (1) \` || about.Author != "" || about.Keywords != "x, y" || about.CreatedOn != "2024-01-31T10:00:00.000Z" {
		t.Errorf("%+v", about)
	}
	if err := r.tool("pdf_set_metadata", `{"file_id": "a.pdf", "metadata": {"created_on": "yesterday"}}`, nil); problem.CodeOf(err) != problem.InvalidArgument {
		t.Errorf("%v", err)
	}
}

func TestEncryptingAndDecrypting(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "a.pdf", blank(t, 2, nil))
	r.must("pdf_encrypt", `{"file_id": "a.pdf", "user_password": "ü", "owner_password": "o"}`, &struct{}{})
	r.sound("a.pdf", "--password=ü")
	for _, args := range []string{`{"file_id": "a.pdf", "page_num": 1}`, `{"file_id": "a.pdf", "page_num": 1, "password": "x"}`} {
		if err := r.tool("pdf_delete_page", args, nil); problem.CodeOf(err) != problem.PasswordRequired {
			t.Errorf("%s: %v", args, err)
		}
	}
	r.must("pdf_delete_page", `{"file_id": "a.pdf", "page_num": 1, "password": "ü"}`, &struct{}{})
	r.sound("a.pdf", "--password=o")
	var about struct {
		PageCount int `json:"page_count"`
		Encrypted bool
	}
	r.must("pdf_info", `{"file_id": "a.pdf", "password": "o"}`, &about)
	if about.PageCount != 1 || !about.Encrypted {
		t.Errorf("%+v", about)
	}
	r.host.Add(t, "b.pdf", blank(t, 1, nil))
	var merged struct {
		PageCount int `json:"page_count"`
	}
	r.must("pdf_merge", `{"file_ids": ["b.pdf", "a.pdf"], "output_name": "m", "passwords": {"a.pdf": "ü"}}`, &merged)
	r.wantTexts("m.pdf", "page-1", "page-2")
	r.must("pdf_decrypt", `{"file_id": "a.pdf", "password": "o"}`, &struct{}{})
	r.wantTexts("a.pdf", "page-2")
}

func TestSplitting(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "report.pdf", blank(t, 5, nil))
	var out struct {
		Files []struct {
			Name, Pages string
			PageCount   int `json:"page_count"`
		}
	}
	r.must("pdf_split_pages", `{"file_id": "report.pdf", "ranges": ["1-2", 3, [4, 5], "5,1-2", "4-"]}`, &out)
	if got := fmt.Sprint(out.Files); got != "[{report-p1-2.pdf 1-2 2} {report-p3.pdf 3 1} {report-p4-5.pdf 4-5 2} {report-p5,1-2.pdf 5,1-2 3} {report-p4-5 (2).pdf 4-5 2}]" {
		t.Error(got)
	}
	r.wantTexts("report-p5,1-2.pdf", "page-5", "page-1", "page-2")
	r.must("pdf_split_pages", `{"file_id": "report.pdf"}`, &out)
	if len(out.Files) != 5 {
		t.Errorf("%+v", out)
	}
	r.wantTexts("report-p4.pdf", "page-4")
	for _, ranges := range []string{`["0"]`, `["6"]`, `["3-2"]`, `["x"]`, `[1.5]`, `[[1]]`, `["1-2,"]`, `[null]`} {
		if err := r.tool("pdf_split_pages", `{"file_id": "report.pdf", "ranges": `+ranges+`}`, nil); problem.CodeOf(err) != problem.InvalidArgument {
			t.Errorf("%s: %v", ranges, err)
		}
	}
}

func TestMergingKeepsForms(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "form.pdf", corpusFile(t, "pj_annotation-text-widget.pdf"))
	var one, both struct {
		Fields []struct{ Name string }
	}
	r.must("pdf_get_form_fields", `{"file_id": "form.pdf"}`, &one)
	var out struct {
		Renamed []struct{ From, To string } `json:"renamed_fields"`
	}
	r.must("pdf_merge", `{"file_ids": ["form.pdf", "form.pdf"], "output_name": "both.pdf"}`, &out)
	r.must("pdf_get_form_fields", `{"file_id": "both.pdf"}`, &both)
	if len(one.Fields) == 0 || len(both.Fields) != 2*len(one.Fields) || len(out.Renamed) == 0 {
		t.Errorf("%d fields, %d of both, renamed %v", len(one.Fields), len(both.Fields), out.Renamed)
	}
	names := map[string]bool{}
	for _, f := range both.Fields {
		if names[f.Name] {
			t.Errorf("two fields are called %s", f.Name)
		}
		names[f.Name] = true
	}
	r.sound("both.pdf")
	var part struct{ Files []struct{ Name string } }
	r.must("pdf_split_pages", `{"file_id": "both.pdf", "ranges": [1]}`, &part)
	r.must("pdf_get_form_fields", fmt.Sprintf(`{"file_id": %q}`, part.Files[0].Name), &both)
	if len(both.Fields) != len(one.Fields) {
		t.Errorf("the first part has %d fields", len(both.Fields))
	}
}

func TestWhatIsDamagedIsRepaired(t *testing.T) {
	r := newRun(t)
	whole := blank(t, 3, nil)
	r.host.Add(t, "ok.pdf", whole)
	r.host.Add(t, "cut.pdf", corpusFile(t, "pj_poppler-85140-0.pdf"))
	r.host.Add(t, "junk.pdf", []byte("%PDF-1.7\nnothing that can be read"))
	var out struct {
		Parts []struct {
			File     string
			Pages    int
			Repaired bool
		}
	}
	r.must("pdf_merge", `{"file_ids": ["ok.pdf", "cut.pdf"], "output_name": "m.pdf"}`, &out)
	if len(out.Parts) != 2 || out.Parts[0].Repaired || !out.Parts[1].Repaired || out.Parts[1].Pages == 0 {
		t.Errorf("%+v", out)
	}
	r.sound("m.pdf")
	err := r.tool("pdf_merge", `{"file_ids": ["ok.pdf", "junk.pdf"], "output_name": "n.pdf"}`, nil)
	if problem.CodeOf(err) != problem.DamagedFile || !strings.Contains(err.Error(), "junk.pdf") {
		t.Errorf("%v", err)
	}
}

func TestWithoutPDFiumAssemblingWorks(t *testing.T) {
	r := newRunWithin(t, limits.Limits{})
	r.env.Engines = nil
	r.host.Add(t, "a.pdf", blank(t, 2, nil))
	r.must("pdf_merge", `{"file_ids": ["a.pdf", "a.pdf"], "output_name": "m.pdf"}`, &struct{}{})
	r.must("pdf_add_text", `{"file_id": "m.pdf", "page": 1, "text": "Grüße", "position": {"x": 50, "y": 60}}`, &struct{}{})
	r.must("pdf_split_pages", `{"file_id": "m.pdf"}`, &struct{}{})
	r.sound("m.pdf")
	if err := r.tool("pdf_add_text", `{"file_id": "m.pdf", "page": 1, "text": "Привет", "position": {"x": 50, "y": 60}}`, nil); problem.CodeOf(err) != problem.EngineMissing {
		t.Errorf("%v", err)
	}
	r.host.Add(t, "cut.pdf", []byte("%PDF-1.7\nnothing that can be read"))
	if err := r.tool("pdf_delete_page", `{"file_id": "cut.pdf", "page_num": 1}`, nil); problem.CodeOf(err) != problem.DamagedFile {
		t.Errorf("%v", err)
	}
}

func TestOptimizing(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "a.pdf", corpusFile(t, "pc_adobe_errata.pdf"))
	before := r.texts("a.pdf")
	var out struct {
		Before int `json:"size_before"`
		After  int `json:"size_after"`
	}
	r.must("pdf_optimize", `{"file_id": "a.pdf"}`, &out)
	if out.After > out.Before || len(r.bytes("a.pdf")) != out.After {
		t.Errorf("%+v", out)
	}
	if after := r.texts("a.pdf"); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Error("the text is another one")
	}
	r.sound("a.pdf")
}

func TestLimitsHoldForAssembling(t *testing.T) {
	r := newRunWithin(t, limits.Limits{PDFPages: 3, FileBytes: 20_000})
	r.host.Add(t, "a.pdf", blank(t, 3, nil))
	r.host.Add(t, "b.pdf", blank(t, 4, nil))
	r.host.Add(t, "big.png", swatch(t, 10, 10, color.Black))
	for args, code := range map[string]problem.Code{
		`pdf_add_page {"file_id": "a.pdf"}`:                                     problem.TooComplex,
		`pdf_delete_page {"file_id": "b.pdf", "page_num": 1}`:                   problem.TooComplex,
		`pdf_merge {"file_ids": ["a.pdf", "a.pdf"], "output_name": "m.pdf"}`:    problem.TooComplex,
		`pdf_merge {"file_ids": [], "output_name": "m.pdf"}`:                    problem.InvalidArgument,
		`pdf_merge {"file_ids": ["a.pdf"], "output_name": "a.pdf"}`:             problem.Exists,
		`pdf_merge {"file_ids": ["a.pdf", "none.pdf"], "output_name": "m.pdf"}`: problem.NotFound,
		`pdf_merge {"file_ids": ["a.pdf", "big.png"], "output_name": "m.pdf"}`:  problem.UnsupportedFormat,
	} {
		tool, in, _ := strings.Cut(args, " ")
		if err := r.tool(tool, in, nil); problem.CodeOf(err) != code {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestChangesAtTheSameTimeAllStay(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "a.pdf", blank(t, 3, nil))
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			text := fmt.Sprintf(`{"file_id": "a.pdf", "page": %d, "text": "word-%d-", "position": {"x": 20, "y": %d}}`, i%3+1, i, 30+20*i)
			if err := r.tool("pdf_add_text", text, &struct{}{}); err != nil {
				t.Error(err)
			}
			if err := r.tool("pdf_info", `{"file_id": "a.pdf"}`, &struct{}{}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	text := strings.Join(r.texts("a.pdf"), "\n")
	for i := range 12 {
		if !strings.Contains(text, fmt.Sprintf("word-%d-", i)) {
			t.Errorf("word %d is lost", i)
		}
	}
	r.sound("a.pdf")
}

// What users call the fonts that every viewer has, and names with a style at their end.
func TestFontsGoByTheNamesThatUsersGiveThem(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "a.pdf", blank(t, 1, nil))
	for name, want := range map[string]string{
		"Arial": "Helvetica", "arial bold": "Helvetica-Bold", "Arial-BoldMT": "Helvetica-Bold", "helvetica-bold": "Helvetica-Bold", "Helvetica Bold Oblique": "Helvetica-BoldOblique",
		"Times New Roman": "Times-Roman", "TimesNewRomanPS-BoldItalicMT": "Times-BoldItalic", "times-roman": "Times-Roman", "serif": "Times-Roman",
		"Courier New": "Courier", "COURIER-BOLD": "Courier-Bold", "monospace": "Courier", "Georgia, 'Times New Roman', serif": "Times-Roman",
		"Noto Sans": "Noto Sans", "NotoSans-Bold": "Noto Sans Bold", "DejaVu Sans Mono": "DejaVu Sans Mono",
	} {
		var out struct{ Fonts []string }
		r.must("pdf_add_text", fmt.Sprintf(`{"file_id": "a.pdf", "page": 1, "text": "Width", "position": {"x": 50, "y": 60}, "style": {"font": %q}}`, name), &out)
		if len(out.Fonts) != 1 || out.Fonts[0] != want {
			t.Errorf("%s: written in %q, want %s", name, out.Fonts, want)
		}
	}
	for _, name := range []string{"Georgia", "Bold", ",", "Comic Sans MS"} {
		err := r.tool("pdf_add_text", fmt.Sprintf(`{"file_id": "a.pdf", "page": 1, "text": "Width", "position": {"x": 50, "y": 60}, "style": {"font": %q}}`, name), nil)
		wantCode(t, err, problem.InvalidArgument, name, "Noto Sans", "Helvetica")
	}
	var out struct{ Fonts []string }
	r.must("pdf_create", `{"name": "bold.pdf", "font": "Helvetica-Bold", "markdown": "All of it, *also this*."}`, &out)
	if !slices.Contains(out.Fonts, "Helvetica-Bold") || !slices.Contains(out.Fonts, "Helvetica-BoldOblique") {
		t.Errorf("created in %q", out.Fonts)
	}
}

// An arrow took the whole line into another font.
func TestASymbolLeavesTheTextInItsFont(t *testing.T) {
	for text, want := range map[string]string{"5 → 6 ✓": "DejaVu Sans,Helvetica", "≥ 5 €": "DejaVu Sans,Helvetica", "Győr": "Noto Sans", "Привет, мир!": "Noto Sans"} {
		r := newRun(t)
		r.host.Add(t, "a.pdf", blank(t, 1, nil))
		var out struct{ Fonts []string }
		r.must("pdf_add_text", fmt.Sprintf(`{"file_id": "a.pdf", "page": 1, "text": %q, "position": {"x": 50, "y": 60}}`, text), &out)
		if got := strings.Join(out.Fonts, ","); got != want {
			t.Errorf("%s: written in %s, want %s", text, got, want)
		}
		var found struct{ Matches []json.RawMessage }
		r.must("pdf_search", fmt.Sprintf(`{"file_id": "a.pdf", "text": %q}`, text), &found)
		if len(found.Matches) != 1 {
			t.Errorf("%q is found %d times", text, len(found.Matches))
		}
	}
}

// What lies off the page nobody sees: it was written all the same, and nothing said.
func TestNothingIsPutOffThePage(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "a.pdf", blank(t, 1, nil)) // 400 x 300
	r.host.Add(t, "blue.png", swatch(t, 40, 20, color.NRGBA{0, 0, 255, 255}))
	for more, want := range map[string]string{
		`"position": {"x": 50, "y": 60}`:                                  "whole",
		`"position": {"x": 380, "y": 60}`:                                 "clipped",
		`"position": {"x": 380, "y": 60}, "style": {"align": "right"}`:    "whole",
		`"position": {"x": 410, "y": 60}`:                                 "off",
		`"position": {"x": 50, "y": -40}`:                                 "off",
		`"position": {"x": 50, "y": 700}`:                                 "off",
		`"position": {"x": -500, "y": 50}`:                                "off",
		`"position": {"x": 390, "y": 299}, "style": {"rotate": 180}`:      "whole",
		`"position": {"x": 410, "y": 60}, "style": {"rotate": 180}`:       "clipped",
		`"position": {"x": 50, "y": 10}, "style": {"max_width": 30}`:      "clipped",
		`"position": {"x": 50, "y": 2}`:                                   "whole",
		`"position": {"x": 9999, "y": 9999}, "style": {"align": "right"}`: "off",
	} {
		var out struct{ Clipped bool }
		err := r.tool("pdf_add_text", `{"file_id": "a.pdf", "page": 1, "text": "Some words", `+more+`}`, &out)
		switch {
		case want == "off":
			wantCode(t, err, problem.InvalidArgument, "off the page", "400 points wide and 300 high", "bottom-left")
		case err != nil || out.Clipped != (want == "clipped"):
			t.Errorf("%s: %+v, %v; want %s", more, out, err, want)
		}
	}
	var out struct{ Clipped bool }
	r.must("pdf_add_text", `{"file_id": "a.pdf", "page": 1, "text": "", "position": {"x": 900, "y": 900}}`, &out)
	r.must("pdf_add_image", `{"file_id": "a.pdf", "page": 1, "image_file_id": "blue.png", "position": {"x": 300, "y": 10}, "size": {"width": 200}}`, &out)
	if !out.Clipped {
		t.Error("an image half off the page is not clipped")
	}
	wantCode(t, r.tool("pdf_add_image", `{"file_id": "a.pdf", "page": 1, "image_file_id": "blue.png", "position": {"x": 400, "y": 10}}`, nil), problem.InvalidArgument, "off the page")
}
