package pdf_test

import (
	"encoding/json"
	"fmt"
	"image/color"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

type created struct {
	ID        string
	Name      string
	PageCount int `json:"page_count"`
	Fonts     []string
}

// create calls the tool with args as JSON has them.
func (r *run) create(args map[string]any) (out created, err error) {
	r.t.Helper()
	if args["name"] == nil {
		args["name"] = "new.pdf"
	}
	text, err := json.Marshal(args)
	if err != nil {
		r.t.Fatal(err)
	}
	return out, r.tool("pdf_create", string(text), &out)
}

func TestADocumentIsMadeOfMarkdown(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "chart.png", swatch(t, 300, 100, color.NRGBA{0, 0, 255, 255}))
	var rows strings.Builder
	for i := range 80 {
		fmt.Fprintf(&rows, "| row-%d | value %d |\n", i, i*i)
	}
	out, err := r.create(map[string]any{"markdown": "# The title\n\nWith **bold**, *italic*, `code`, ~~gone~~ and [a link](https://example.com/ü).\n\n" +
		"1. one\n2. two\n   - inner\n\n- [x] done\n\n> quoted\n\n```\nfunc main() {}\n```\n\n![](chart.png)\n\n" +
		"## A table\n\n| Name | Amount |\n|---|--:|\n" + rows.String() + "\n<!-- pagebreak -->\n\n### The end\n\nСпасибо 谢谢 [back](#a-table)"})
	if err != nil {
		t.Fatal(err)
	}
	r.sound("new.pdf")
	texts := r.texts("new.pdf")
	if len(texts) != out.PageCount || out.PageCount != 4 {
		t.Fatalf("%d pages", len(texts))
	}
	first := strings.Join(strings.Fields(texts[0]), " ")
	for _, want := range []string{"The title", "With bold, italic, code, gone and a link.", "1. one", "• inner", "☑ done", "quoted", "func main() {}", "Name Amount row-0 value 0", "1 / 4"} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not on the first page: %q", want, first)
		}
	}
	if !strings.Contains(texts[1], "Name") || !strings.Contains(texts[2], "Name") {
		t.Error("the head of the table is not on each of its pages")
	}
	if !strings.Contains(texts[3], "Спасибо 谢谢") || !strings.Contains(texts[3], "4 / 4") {
		t.Errorf("the last page is %q", texts[3])
	}
	var about struct{ Title string }
	r.must("pdf_info", `{"file_id": "new.pdf"}`, &about)
	if about.Title != "The title" {
		t.Errorf("the title is %q", about.Title)
	}
	if got := inked(r.render("new.pdf"), color.NRGBA{0, 0, 255, 255}); got.Dx() < 220 || got.Dx() > 230 {
		t.Errorf("the image is at %v", got)
	}
}

func TestADocumentIsMadePageByPage(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "chart.png", swatch(t, 300, 100, color.NRGBA{0, 0, 255, 255}))
	out, err := r.create(map[string]any{"name": "album", "size": "200x300", "page_numbers": false, "author": "Ü", "pages": []map[string]any{
		{"image": "chart.png"}, {"text": "one\n\ntwo", "orientation": "landscape"}, {}, {"markdown": "# Three", "size": "A6"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	r.wantTexts(out.Name, "", "one\ntwo", "", "Three")
	var about struct {
		Author string
		Pages  []struct{ Width, Height float64 }
	}
	r.must("pdf_info", `{"file_id": "album.pdf"}`, &about)
	if got := fmt.Sprint(about); got != "{Ü [{200 300} {300 200} {200 300} {297.64 419.53}]}" {
		t.Error(got)
	}
}

func TestWhatCannotBeMade(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "note.txt", []byte("no image"))
	for _, c := range []struct {
		args map[string]any
		code problem.Code
		say  string
	}{
		{map[string]any{}, problem.InvalidArgument, "markdown or pages"},
		{map[string]any{"markdown": "x", "pages": []any{map[string]any{}}}, problem.InvalidArgument, "markdown or pages"},
		{map[string]any{"pages": []any{map[string]any{"text": "x", "image": "y"}}}, problem.InvalidArgument, "one of"},
		{map[string]any{"markdown": "![](none.png)"}, problem.NotFound, "none.png"},
		{map[string]any{"markdown": "![](note.txt)"}, problem.UnsupportedFormat, "note.txt"},
		{map[string]any{"markdown": "![](https://example.com/a.png)"}, problem.InvalidArgument, "address"},
		{map[string]any{"markdown": "![](data:image/png;base64,iVBORw0KGgo=)"}, problem.InvalidArgument, "data: address"},
		{map[string]any{"markdown": "a 𒀀"}, problem.InvalidArgument, "𒀀"},
		{map[string]any{"markdown": "x", "font": "Nope"}, problem.InvalidArgument, "Nope"},
		{map[string]any{"markdown": "x", "size": "huge"}, problem.InvalidArgument, "huge"},
		{map[string]any{"markdown": strings.Repeat("> ", 200) + "x"}, problem.TooComplex, "levels"},
		{map[string]any{"markdown": "x", "name": " "}, problem.InvalidArgument, "name"},
		{map[string]any{"markdown": "x", "name": "note.txt.pdf", "margin": -1}, problem.InvalidArgument, "margin"},
	} {
		if _, err := r.create(c.args); problem.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%.80v: %v", c.args, err)
		}
	}
	few := newRunWithin(t, limits.Limits{PDFPages: 2})
	if _, err := few.create(map[string]any{"markdown": strings.Repeat("line\n\n", 200)}); problem.CodeOf(err) != problem.TooComplex {
		t.Errorf("%v", err)
	}
}

func TestWithoutFontsADocumentHasThoseOfEveryViewer(t *testing.T) {
	r := newRunWithin(t, limits.Limits{})
	r.env.Engines = nil
	out, err := r.create(map[string]any{"markdown": "# Größe\n\n- `code` and **text**\n\n| a |\n|---|\n| b |"})
	if err != nil || fmt.Sprint(out.Fonts) != "[Courier Helvetica Helvetica-Bold]" {
		t.Errorf("%v %v", out.Fonts, err)
	}
	r.sound("new.pdf")
	if _, err := r.create(map[string]any{"name": "other", "markdown": "Привет"}); problem.CodeOf(err) != problem.EngineMissing {
		t.Errorf("%v", err)
	}
}

// Letters with marks and ligatures of scripts from the right are read back, and found, as they
// were written.
func TestMarksAndLigaturesFromTheRightAreReadBack(t *testing.T) {
	r := newRun(t)
	for i, text := range []string{"שָלוֹם", "دولار", "لأن الآن"} {
		name := fmt.Sprintf("r%d.pdf", i)
		if _, err := r.create(map[string]any{"name": name, "markdown": text, "page_numbers": false}); err != nil {
			t.Fatal(err)
		}
		r.wantTexts(name, text)
	}
}
