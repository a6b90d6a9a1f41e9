package pdf_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/pdfium"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

func TestInfo(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "a.pdf", makePDF("", []page{
		{content: say(20, 50, "one")},
		{attributes: "/Rotate 90/MediaBox[0 0 600 400]/CropBox[100 100 500 300]"},
	}))
	var got struct {
		PageCount int `json:"page_count"`
		Pages     []struct {
			Width, Height float64
			Rotation      int
		}
		Title, Author string
		CreatedOn     string `json:"created_on"`
		HasForms      bool   `json:"has_forms"`
		FormType      string `json:"form_type"`
		Version       string
		Repaired      bool
	}
	r.must("pdf_info", `{"file_id": "a.pdf"}`, &got)
	if got.PageCount != 2 || got.Title != "A test" || got.Author != "Someone" || got.HasForms || got.FormType != "none" ||
		got.Version != "1.7" || got.Repaired || got.CreatedOn != "2024-01-31T10:00:00.000Z" {
		t.Errorf("%+v", got)
	}
	if p := got.Pages[1]; p.Width != 200 || p.Height != 400 || p.Rotation != 90 {
		t.Errorf("the second page is %+v", p)
	}
}

type textAnswer struct {
	Pages []struct {
		Page  int
		Text  string
		Lines []placed
		Words []placed
		Error string
	}
	Repaired bool
}

type placed struct {
	Text                      string
	X, Y, Width, Height, Size float64
}

func TestExtractText(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "a.pdf", makePDF("", []page{
		{content: say(20, 150, "Hello there") + say(20, 100, "second line")}, {content: say(20, 50, "page two")}, {},
	}))
	var got textAnswer
	r.must("pdf_extract_text", `{"file_id": "a.pdf"}`, &got)
	if len(got.Pages) != 3 || got.Pages[0].Text != "Hello there\nsecond line" || got.Pages[1].Text != "page two" || got.Pages[2].Text != "" {
		t.Errorf("%+v", got)
	}
	r.must("pdf_extract_text", `{"file_id": "a.pdf", "pages": [2, 1, 2]}`, &got)
	if len(got.Pages) != 3 || got.Pages[0].Page != 2 || got.Pages[1].Page != 1 || got.Pages[2].Text != "page two" {
		t.Errorf("%+v", got)
	}
	err := r.tool("pdf_extract_text", `{"file_id": "a.pdf", "pages": [4]}`, &got)
	wantCode(t, err, problem.InvalidArgument, "3 pages", "got 4")
}

// The plain text of an ordinary document needs no PDFium, and is answered again without
// reading the file; what needs PDFium says so.
func TestPlainTextWithoutPDFium(t *testing.T) {
	r := newRunWithin(t, limits.Limits{})
	r.env.Engines = engine.NewSet(nil, engine.Places{})
	pages := []page{{content: say(20, 150, "Hello there")}, {content: say(20, 50, "page two")}}
	r.host.Add(t, "a.pdf", makePDF("", pages))
	for range 2 {
		var got textAnswer
		r.must("pdf_extract_text", `{"file_id": "a.pdf", "pages": [2, 1]}`, &got)
		if len(got.Pages) != 2 || got.Pages[0].Text != "page two" || got.Pages[1].Text != "Hello there" || got.Repaired {
			t.Errorf("%+v", got)
		}
	}
	wantCode(t, r.tool("pdf_extract_text", `{"file_id": "a.pdf", "pages": [3]}`, nil), problem.InvalidArgument, "2 pages", "got 3")
	wantCode(t, r.tool("pdf_extract_text", `{"file_id": "a.pdf", "layout": "lines"}`, nil), problem.EngineMissing)
	wantCode(t, r.tool("pdf_extract_text", `{"file_id": "none.pdf"}`, nil), problem.NotFound)
	pages[1].content = "BT /Missing 24 Tf (text) Tj ET"
	r.host.Add(t, "odd.pdf", makePDF("", pages))
	for range 2 {
		wantCode(t, r.tool("pdf_extract_text", `{"file_id": "odd.pdf"}`, nil), problem.EngineMissing)
	}
}

// Wherever the page's own corner is and however it is turned, a text that a person sees
// at a place is answered with that place.
func TestPlacesAreAsSeen(t *testing.T) {
	// Each shows its text 40 points from the left and with its baseline 60 points from the
	// bottom of a page of 200 × 300.
	pages := []page{
		{"/MediaBox[0 0 200 300]", "1 0 0 1 40 60 cm\n"},
		{"/MediaBox[-10 -20 400 500]/CropBox[30 50 230 350]", "1 0 0 1 70 110 cm\n"},
		{"/MediaBox[0 0 300 200]/Rotate 90", "0 1 -1 0 240 40 cm\n"},
		{"/MediaBox[0 0 200 300]/Rotate 180", "-1 0 0 -1 160 240 cm\n"},
		{"/MediaBox[100 100 400 300]/Rotate 270", "0 -1 1 0 160 260 cm\n"},
		{"/MediaBox[0 0 500 500]/CropBox[100 100 400 300]/Rotate -90", "0 -1 1 0 160 260 cm\n"},
	}
	for i := range pages {
		pages[i].content += say(0, 0, "Here")
	}
	r := newRun(t)
	r.host.Add(t, "turned.pdf", makePDF("", pages))
	var got textAnswer
	r.must("pdf_extract_text", `{"file_id": "turned.pdf", "layout": "boxes"}`, &got)
	var found struct {
		Matches []struct {
			Page  int
			Boxes []placed
		}
	}
	r.must("pdf_search", `{"file_id": "turned.pdf", "text": "here"}`, &found)
	if len(found.Matches) != len(pages) {
		t.Fatalf("%d matches", len(found.Matches))
	}
	first := got.Pages[0].Words[0]
	if math.Abs(first.X-40) > 2 || first.Y > 60 || first.Y < 50 || first.Y+first.Height < 75 || first.Width < 40 || first.Width > 70 {
		t.Errorf("the plain page has its text at %+v", first)
	}
	for i, p := range got.Pages {
		if len(p.Words) != 1 || !near(p.Words[0], first) {
			t.Errorf("page %d: %+v, want %+v", i+1, p.Words, first)
		}
		if b := found.Matches[i].Boxes; len(b) != 1 || !near(b[0], found.Matches[0].Boxes[0]) {
			t.Errorf("search, page %d: %+v, want %+v", i+1, b, found.Matches[0].Boxes)
		}
	}
}

func near(a, b placed) bool {
	const by = 0.1
	return math.Abs(a.X-b.X) < by && math.Abs(a.Y-b.Y) < by && math.Abs(a.Width-b.Width) < by && math.Abs(a.Height-b.Height) < by
}

func TestSearch(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "a.pdf", makePDF("", []page{
		{content: say(20, 150, "The cat sat") + say(20, 100, "on the catalogue")}, {content: say(20, 50, "CAT")},
	}))
	count := func(args string) (n int, truncated bool) {
		t.Helper()
		var got struct {
			Matches []struct {
				Page          int
				Text, Context string
			}
			Truncated bool
		}
		r.must("pdf_search", `{"file_id": "a.pdf", "text": `+args+`}`, &got)
		for _, m := range got.Matches {
			if !strings.Contains(m.Context, m.Text) {
				t.Errorf("%+v", m)
			}
		}
		return len(got.Matches), got.Truncated
	}
	for args, want := range map[string]int{
		`"cat"`: 3, `"cat", "match_case": true`: 2, `"cat", "whole_word": true`: 2, `"cat", "pages": [2]`: 1, `"dog"`: 0,
		`"sat on"`: 1, `"cat", "limit": 2`: 2,
	} {
		if n, truncated := count(args); n != want || truncated != strings.Contains(args, "limit") {
			t.Errorf("%s: %d matches, truncated %v", args, n, truncated)
		}
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	r := newRun(t)
	whole := makePDF("", []page{{content: say(20, 50, "one")}})
	r.host.Add(t, "text.pdf", []byte("hello"))
	r.host.Add(t, "empty.pdf", nil)
	r.host.Add(t, "head.pdf", whole[:200])
	r.host.Add(t, "a.pdf", whole)
	for name, code := range map[string]problem.Code{
		"none.pdf": problem.NotFound, "text.pdf": problem.UnsupportedFormat, "empty.pdf": problem.UnsupportedFormat, "head.pdf": problem.DamagedFile,
	} {
		_, err := r.js("info", name)
		wantCode(t, err, code)
	}
	r.env.Engines = engine.NewSet(nil, engine.Places{})
	_, err := r.js("info", "a.pdf")
	wantCode(t, err, problem.EngineMissing)
}

func TestRepaired(t *testing.T) {
	r := newRun(t)
	whole := makePDF("", []page{{content: say(20, 50, "one")}})
	r.host.Add(t, "a.pdf", bytes.Replace(whole, []byte("\nstartxref\n"), []byte("\nstartxref\n77"), 1))
	var got textAnswer
	r.must("pdf_extract_text", `{"file_id": "a.pdf"}`, &got)
	if !got.Repaired || got.Pages[0].Text != "one" {
		t.Errorf("%+v", got)
	}
}

// A file that opens with its password alone says so, and what it opened as is not kept
// for those who have none.
func TestPasswords(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "locked.pdf", makePDF("", []page{{content: say(20, 50, "secret words")}}))
	r.must("pdf_encrypt", `{"file_id": "locked.pdf", "user_password": "open sesame"}`, &struct{}{})
	read := func(password string) error {
		var got textAnswer
		err := r.tool("pdf_extract_text", fmt.Sprintf(`{"file_id": "locked.pdf"%s}`, password), &got)
		if err == nil && got.Pages[0].Text != "secret words" {
			t.Errorf("%+v", got)
		}
		return err
	}
	wantCode(t, read(""), problem.PasswordRequired, "password")
	wantCode(t, read(`, "password": "open barley"`), problem.PasswordRequired, "another one")
	if err := read(`, "password": "open sesame"`); err != nil {
		t.Error(err)
	}
	wantCode(t, read(""), problem.PasswordRequired)
}

// The limit of pages ends a document before any of them is looked at.
func TestPageLimit(t *testing.T) {
	newRun(t)
	r := newRunWithin(t, limits.Limits{PDFPages: 3})
	for n := 3; n <= 4; n++ {
		name := fmt.Sprintf("%d.pdf", n)
		r.host.Add(t, name, makePDF("", make([]page, n)))
		_, err := r.js("info", name)
		if n == 3 && err != nil {
			t.Error(err)
		}
		if n == 4 {
			wantCode(t, err, problem.TooComplex, "4 pages", "3")
		}
	}
}

// TestCorpus reads every file of the corpus in every way. Each call answers, or says what
// is wrong with the file; none takes long.
func TestCorpus(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(corpus, "pdf", "*.pdf"))
	if len(paths) == 0 {
		t.Skip("the corpus is not here")
	}
	allowed := []problem.Code{problem.DamagedFile, problem.PasswordRequired, problem.UnsupportedFormat, problem.TooComplex}
	r := newRun(t)
	repaired, refused := 0, map[string]bool{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		r.host.Add(t, name, data)
		for _, call := range [][2]string{
			{"pdf_info", ""}, {"pdf_extract_text", ""}, {"pdf_extract_text", `, "layout": "lines"`}, {"pdf_extract_text", `, "layout": "boxes"`},
			{"pdf_search", `, "text": "the"`}, {"pdf_extract_tables", ""}, {"pdf_outline", ""}, {"pdf_annotations", ""}, {"pdf_get_form_fields", ""},
		} {
			began := time.Now()
			var answer struct{ Repaired bool }
			err := r.tool(call[0], fmt.Sprintf(`{"file_id": %q%s}`, name, call[1]), &answer)
			if took := time.Since(began); took > time.Minute && !testing.Short() {
				t.Errorf("%s of %s took %v", call[0], name, took)
			}
			if err != nil {
				refused[name] = true
				if !slices.Contains(allowed, problem.CodeOf(err)) {
					t.Errorf("%s of %s: %v", call[0], name, err)
				}
			}
			if call[0] == "pdf_info" && answer.Repaired {
				repaired++
			}
		}
	}
	t.Logf("%d files, %d repaired, refused: %v", len(paths), repaired, slices.Sorted(maps.Keys(refused)))
	if len(refused)*20 > len(paths) {
		t.Errorf("%d of %d files were refused", len(refused), len(paths))
	}
}

// Many documents at once, and one by many: readers take turns, and the memory of documents
// that nobody uses any more is given back.
func TestManyAtOnce(t *testing.T) {
	r := newRun(t)
	lib, err := engine.Of[*pdfium.Library](r.env.Engines, pdfium.Name)
	if err != nil {
		t.Fatal(err)
	}
	const files = 40
	for i := range files {
		r.host.Add(t, fmt.Sprintf("%d.pdf", i), makePDF("", []page{{content: say(20, 50, fmt.Sprintf("file %d", i))}}))
	}
	var all sync.WaitGroup
	for i := range 3 * files {
		all.Go(func() {
			var got textAnswer
			n := i % files
			if i%3 == 0 {
				n = 0
			}
			if err := r.tool("pdf_extract_text", fmt.Sprintf(`{"file_id": "%d.pdf"}`, n), &got); err != nil {
				t.Error(err)
			} else if want := fmt.Sprintf("file %d", n); got.Pages[0].Text != want {
				t.Errorf("%q, want %q", got.Pages[0].Text, want)
			}
		})
	}
	all.Wait()
	for deadline := time.Now().Add(2 * time.Minute); lib.Instances() > files/2; runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatalf("%d documents are open", lib.Instances())
		}
	}
}
