package pdf_test

import (
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestOutline(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "book.pdf", makePDF("/Outlines 10 0 R", []page{{}, {attributes: "/Rotate 90"}},
		"<</Type/Outlines/First 11 0 R/Last 13 0 R>>",
		"<</Title(One)/Parent 10 0 R/Next 13 0 R/First 12 0 R/Last 12 0 R/Dest[14 0 R/XYZ 0 150 0]>>",
		"<</Title<FEFF00C4>/Parent 11 0 R/A<</S/URI/URI(https://example.com/a)>>>>",
		// The last one leads back to the first.
		"<</Title(Two)/Parent 10 0 R/Prev 11 0 R/Next 11 0 R/Dest[16 0 R/XYZ 30 0 0]>>",
	))
	var got struct {
		Items []struct {
			Title string
			Level int
			Page  int
			Y     *float64
			URL   string
		}
	}
	r.must("pdf_outline", `{"file_id": "book.pdf"}`, &got)
	text := ""
	for _, i := range got.Items {
		y := -1.0
		if i.Y != nil {
			y = *i.Y
		}
		text += fmt.Sprintf("%d %s p%d y%v %s\n", i.Level, i.Title, i.Page, y, i.URL)
	}
	// The second page is turned: what is 30 points from its left edge is 270 from the bottom.
	if want := "1 One p1 y150 \n2 Ä p0 y-1 https://example.com/a\n1 Two p2 y270 \n"; text != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
}

func TestAnnotations(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "a.pdf", makePDF("", []page{{
		attributes: "/Annots[10 0 R 11 0 R 12 0 R 13 0 R]/MediaBox[100 100 400 300]",
		content:    say(120, 200, "marked words"),
	}},
		"<</Type/Annot/Subtype/Text/Rect[110 110 130 130]/Contents(Look at this)/T(Ada)/M(D:20240102030405Z)/C[1 0.8 0]>>",
		"<</Type/Annot/Subtype/Link/Rect[100 100 200 120]/A<</S/URI/URI(https://example.com)>>>>",
		"<</Type/Annot/Subtype/Highlight/Rect[120 190 205 230]/QuadPoints[120 230 205 230 120 190 205 190]/C[1 1 0]>>",
		"<</Type/Annot/Subtype/Link/Rect[100 100 200 120]/Dest[14 0 R/Fit]>>",
	))
	out, err := r.js("annotations", "a.pdf")
	if err != nil {
		t.Fatal(err)
	}
	if list, ok := out.([]any); !ok || len(list) != 4 {
		t.Fatalf("%v", out)
	}
	var got struct {
		Annotations []struct {
			Type, Contents, Author, URL, Color string
			X, Y, Width, Height                float64
			ModifiedOn                         string `json:"modified_on"`
			MarkedText                         string `json:"marked_text"`
			TargetPage                         int    `json:"target_page"`
		}
	}
	r.must("pdf_annotations", `{"file_id": "a.pdf"}`, &got)
	note, link, mark, inside := got.Annotations[0], got.Annotations[1], got.Annotations[2], got.Annotations[3]
	if note.Type != "Text" || note.Contents != "Look at this" || note.Author != "Ada" || note.X != 10 || note.Y != 10 ||
		note.Width != 20 || note.ModifiedOn != "2024-01-02T03:04:05.000Z" || note.Color != "#FFCC00" {
		t.Errorf("%+v", note)
	}
	if link.Type != "Link" || link.URL != "https://example.com" || inside.TargetPage != 1 {
		t.Errorf("%+v, %+v", link, inside)
	}
	if mark.Type != "Highlight" || !strings.HasPrefix(mark.MarkedText, "marked") || strings.Contains(mark.MarkedText, "words") {
		t.Errorf("%+v", mark)
	}
}

func TestExtractImages(t *testing.T) {
	r := newRun(t)
	// A red image of 20 × 30 with a blue corner, twice on the first page and once on the second.
	var pixels strings.Builder
	for y := range 30 {
		for x := range 20 {
			if x < 5 && y < 5 {
				pixels.WriteString("\x00\x00\xFF")
			} else {
				pixels.WriteString("\xFF\x00\x00")
			}
		}
	}
	img := fmt.Sprintf("<</Type/XObject/Subtype/Image/Width 20/Height 30/BitsPerComponent 8/ColorSpace/DeviceRGB/Length %d>>stream\n%s\nendstream", pixels.Len(), pixels.String())
	r.host.Add(t, "in/a.pdf", makePDF("", []page{
		{content: "q 100 0 0 50 20 30 cm /X Do Q q 10 0 0 10 0 0 cm /X Do Q"}, {content: "q 60 0 0 90 5 5 cm /X Do Q"},
	}, img))
	type answer struct {
		Images []struct {
			ID, Name string
			Mime     string `json:"mime_type"`
			Page     int
			Width    int `json:"pixel_width"`
			Height   int `json:"pixel_height"`
			Box      placed
		}
		Truncated bool
	}
	var got answer
	r.must("pdf_extract_images", `{"file_id": "in/a.pdf"}`, &got)
	if len(got.Images) != 3 || got.Images[0].ID != got.Images[2].ID || got.Images[0].Name != "in/a-p1-1.png" || got.Images[0].Width != 20 || got.Images[0].Height != 30 {
		t.Fatalf("%+v", got)
	}
	if b := got.Images[0].Box; b.X != 20 || b.Y != 30 || b.Width != 100 || b.Height != 50 {
		t.Errorf("the first is at %+v", b)
	}
	decoded := decode(t, r.bytes("in/a-p1-1.png"))
	if decoded.Bounds().Size() != (image.Point{20, 30}) || !sameColor(decoded.At(2, 2), color.NRGBA{0, 0, 255, 255}) || !sameColor(decoded.At(10, 10), color.NRGBA{255, 0, 0, 255}) {
		t.Errorf("the image is another: %v, %v", decoded.At(2, 2), decoded.At(10, 10))
	}
	var none answer
	r.must("pdf_extract_images", `{"file_id": "in/a.pdf", "min_size": 21}`, &none)
	if len(none.Images) != 0 {
		t.Errorf("%+v", none)
	}
}

func sameColor(a, b color.Color) bool {
	r1, g1, b1, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	return r1 == r2 && g1 == g2 && b1 == b2
}

// A JPEG in a PDF comes out as it went in.
func TestExtractImagesOfCorpus(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(corpus, "pdf", "*.pdf"))
	if len(paths) == 0 {
		t.Skip("the corpus is not here")
	}
	r := newRun(t)
	total, jpegs := 0, 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		r.host.Add(t, name, data)
		var got struct {
			Images []struct {
				Name     string
				MimeType string `json:"mime_type"`
			}
		}
		if r.tool("pdf_extract_images", fmt.Sprintf(`{"file_id": %q}`, name), &got) != nil {
			continue
		}
		for _, img := range got.Images {
			total++
			decode(t, r.bytes(img.Name))
			if img.MimeType == "image/jpeg" {
				jpegs++
			}
		}
	}
	if total < 20 {
		t.Errorf("%d images, %d of them JPEG", total, jpegs)
	}
}

type tablesAnswer struct {
	Tables []struct {
		Page  int
		Rows  [][]string
		Ruled bool
		Box   placed
	}
}

func TestExtractTables(t *testing.T) {
	r := newRun(t)
	cell := func(x, y int, text string) string {
		return fmt.Sprintf("BT /F 10 Tf %d %d Td (%s) Tj ET\n", x, y, text)
	}
	var ruled, aligned strings.Builder
	rows := [][]string{{"Item", "Count", "Price"}, {"Nuts", "12", "3.50"}, {"Bolts and rings", "7", "11.00"}, {"Sum", "19", "14.50"}}
	for i, row := range rows {
		for j, text := range row {
			ruled.WriteString(cell(25+90*j, 155-20*i, text))
			aligned.WriteString(cell(25+100*j, 155-14*i, text))
		}
	}
	ruled.WriteString("0.5 w ")
	for i := range 5 {
		fmt.Fprintf(&ruled, "20 %d m 290 %d l S\n", 170-20*i, 170-20*i)
	}
	for j := range 4 {
		fmt.Fprintf(&ruled, "%d 170 m %d 90 l S\n", 20+90*j, 20+90*j)
	}
	ruled.WriteString(cell(25, 40, "Text below the table is no part of it."))
	prose := ""
	for i := range 8 {
		prose += cell(20, 180-14*i, "It is a truth universally acknowledged that a man")
	}
	r.host.Add(t, "tables.pdf", makePDF("", []page{{content: ruled.String()}, {content: aligned.String()}, {content: prose}}))
	var got tablesAnswer
	r.must("pdf_extract_tables", `{"file_id": "tables.pdf"}`, &got)
	if len(got.Tables) != 2 {
		t.Fatalf("%+v", got)
	}
	for i, ruled := range []bool{true, false} {
		if table := got.Tables[i]; table.Page != i+1 || table.Ruled != ruled || !reflect.DeepEqual(table.Rows, rows) {
			t.Errorf("%+v", table)
		}
	}
	if b := got.Tables[0].Box; b.X != 20 || b.Y != 90 || b.Width != 270 || b.Height != 80 {
		t.Errorf("the grid is at %+v", b)
	}
}
