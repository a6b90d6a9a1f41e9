package pdf_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/problem"
)

// Pages are written in one way wherever an operation takes some of them.
func TestPagesAreNamedInSeveralWays(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "a.pdf", blank(t, 5, nil))
	for pages, want := range map[string]string{
		`3`:               "3",
		`[1, 2]`:          "1 2",
		`"1-2"`:           "1 2",
		`"2"`:             "2",
		`"4-"`:            "4 5",
		`" 4 - 5 , 1 "`:   "4 5 1",
		`"1–2"`:           "1 2",
		`"last"`:          "5",
		`"4-last"`:        "4 5",
		`"All"`:           "1 2 3 4 5",
		`["1-2", 5]`:      "1 2 5",
		`[5, 1]`:          "5 1",
		`[2, 2]`:          "2 2",
		`[]`:              "1 2 3 4 5",
		`null`:            "1 2 3 4 5",
		`["last", "1-2"]`: "5 1 2",
	} {
		var out struct{ Pages []struct{ Page int } }
		r.must("pdf_extract_text", `{"file_id": "a.pdf", "pages": `+pages+`}`, &out)
		if got := strings.Trim(strings.ReplaceAll(fmt.Sprint(out.Pages), "} {", " "), "[{}]"); got != want {
			t.Errorf("%s: got pages %s, want %s", pages, got, want)
		}
	}
	for pages, word := range map[string]string{
		`0`: `"1-3,7-"`, `""`: `1-3`, `true`: `"1-3,7-"`, `"3-2"`: "a.pdf", `6`: "1 to 5", `"1-6"`: "1 to 5", `"7-"`: "1 to 5", `"x"`: `"x"`, `"1,,2"`: "1-3",
		`[1, 0]`: "pages[1]", `{"from": 1}`: `"1-3,7-"`, `"1-5,1"`: "1-3", `["1-5", "1-5"]`: "more than once",
	} {
		err := r.tool("pdf_extract_text", `{"file_id": "a.pdf", "pages": `+pages+`}`, nil)
		wantCode(t, err, problem.InvalidArgument, word, "pages")
	}
	for tool, more := range map[string]string{
		"pdf_search": `, "text": "page"`, "pdf_extract_tables": "", "pdf_extract_images": "", "pdf_annotations": "",
		"pdf_rotate_pages": `, "degrees": 90`, "pdf_watermark": `, "text": "x"`,
	} {
		var out json.RawMessage
		for _, pages := range []string{`"1-2,5"`, `2`, `"all"`, `[1]`} {
			r.must(tool, `{"file_id": "a.pdf", "pages": `+pages+more+`}`, &out)
		}
		wantCode(t, r.tool(tool, `{"file_id": "a.pdf", "pages": "2-9"`+more+`}`, nil), problem.InvalidArgument, "pages", "1 to 5")
		o, _ := table.LookupTool(tool)
		schema, _ := json.Marshal(o.InSchema().Properties["pages"])
		if want := `"anyOf":[{"type":"integer","minimum":1},{"type":"string"},{"type":"array"`; !strings.Contains(string(schema), want) {
			t.Errorf("%s: the schema of pages is %s", tool, schema)
		}
	}
}

// A text of ranges was refused: it had to be a list.
func TestSplittingByATextOfRanges(t *testing.T) {
	for ranges, want := range map[string]string{
		`"1-2,3"`: "1-2 3", `"3-"`: "3-5", `"2"`: "2", `"all"`: "1 2 3 4 5", `["all"]`: "1-5", `["1-2,5"]`: "1-2,5", `[[2, 3], "last"]`: "2-3 5",
	} {
		r := newRun(t)
		r.host.Add(t, "a.pdf", blank(t, 5, nil))
		var out struct{ Files []struct{ Pages string } }
		r.must("pdf_split_pages", `{"file_id": "a.pdf", "ranges": `+ranges+`}`, &out)
		if got := strings.Trim(strings.ReplaceAll(fmt.Sprint(out.Files), "} {", " "), "[{}]"); got != want {
			t.Errorf("%s: got %s, want %s", ranges, got, want)
		}
	}
	r := newRun(t)
	r.host.Add(t, "a.pdf", blank(t, 5, nil))
	wantCode(t, r.tool("pdf_split_pages", `{"file_id": "a.pdf", "ranges": 2}`, nil), problem.InvalidArgument, `["1-3", "4-"]`)
	wantCode(t, r.tool("pdf_split_pages", `{"file_id": "a.pdf", "ranges": [[1, 2, 3]]}`, nil), problem.InvalidArgument, "[1 2 3]", "1-3")
}

func TestAPageHasTheSizeThatIsGiven(t *testing.T) {
	r := newRun(t)
	r.host.Add(t, "a.pdf", blank(t, 1, nil))
	for size, want := range map[string]string{
		`"400x300"`: "400 300", `[400, 300.5]`: "400 300.5", `"a5"`: "419.53 595.28", `"100 X 50 mm"`: "283.46 141.73", `"1e3x300"`: "",
		`[400]`: "", `[1, 2]`: "", `{"width": 3}`: "", `400`: "", `"A9"`: "",
	} {
		var out struct{ Width, Height float64 }
		err := r.tool("pdf_add_page", `{"file_id": "a.pdf", "size": `+size+`}`, &out)
		switch got := fmt.Sprint(out.Width, " ", out.Height); {
		case want == "":
			wantCode(t, err, problem.InvalidArgument, "size", "400x300")
		case err != nil || got != want:
			t.Errorf("%s: %s, %v", size, got, err)
		}
	}
}
