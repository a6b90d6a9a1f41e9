package typeset_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/fonts"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/typeset"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/engine/enginetest"
	"github.com/sandboxd/sandboxd/problem"
)

func setter(t *testing.T, d *document.Document) *typeset.Setter {
	t.Helper()
	engines := engine.NewSet([]engine.Engine{fonts.Engine()}, enginetest.Places(t))
	if _, err := engine.Of[*fonts.Set](engines, fonts.Name); err != nil {
		t.Skip("there are no fonts: make engines")
	}
	return typeset.New(d, func() (*fonts.Set, error) { return engine.Of[*fonts.Set](engines, fonts.Name) })
}

// texts are what must come out of a PDF as it went in.
var texts = []string{
	"Grüße, naïve façade — “quoted” € 5",
	"Привет, мир. Καλημέρα κόσμε",
	"中文字体与标点，测试。日本語のテキスト",
	"한국어 문장입니다",
	"สวัสดีชาวโลก",
	"שלום עולם",
	"مرحبا بالعالم",
	"دولار لأن الآن إلإ",
	"office affluent fjord",
	"हिन्दी",
	"x² + y₃ = ∑ √π ≤ ∞",
}

// extract reads a PDF's text by poppler.
func extract(t *testing.T, d *document.Document) string {
	t.Helper()
	if _, err := exec.LookPath("pdftotext"); err != nil {
		t.Skip("poppler is not installed: apt-get install poppler-utils")
	}
	var out bytes.Buffer
	if err := d.Write(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "out.pdf")
	if dir := os.Getenv("TYPESET_OUT"); dir != "" {
		path = filepath.Join(dir, strings.ReplaceAll(t.Name(), "/", "_")+".pdf")
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command("pdftotext", "-enc", "UTF-8", path, "-").CombinedOutput()
	if err != nil {
		t.Fatal(err, string(text))
	}
	if _, err := exec.LookPath("qpdf"); err == nil {
		if report, err := exec.Command("qpdf", "--check", path).CombinedOutput(); err != nil {
			t.Errorf("qpdf: %s", report)
		}
	}
	return string(text)
}

func TestTextOfEveryScriptComesOutAsItWentIn(t *testing.T) {
	d := document.New()
	page := d.NewPage(0, 500, 60*float64(len(texts)))
	s := setter(t, d)
	var content []byte
	for i, text := range texts {
		for j, style := range []typeset.Style{{Size: 14}, {Size: 12, Bold: true, Italic: true, Underline: true}} {
			lines, err := s.Lines([]typeset.Span{{Text: text, Style: style}}, 0)
			if err != nil {
				t.Fatal(text, err)
			}
			content = lines[0].Draw(page, content, 20, float64(60*i+20+25*j))
		}
	}
	page.Draw(content)
	got := extract(t, d)
	for _, text := range texts {
		if strings.Count(squeeze(got), squeeze(text)) != 2 {
			t.Errorf("%q is not there twice in %q", text, got)
		}
	}
}

// squeeze takes away what extractors add: spaces, and marks of direction.
func squeeze(text string) string {
	text = norm.NFKC.String(text) // ligatures may come out as characters of their own
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\u202a' || r == '\u202b' || r == '\u202c' || r == '\u200f' || r == '\u200e' || r == '\f' {
			return -1
		}
		return r
	}, text)
}

func TestSpansDoNotChangeTheOrderOfReading(t *testing.T) {
	d := document.New()
	page := d.NewPage(0, 300, 100)
	s := setter(t, d)
	plain := typeset.Style{Size: 12}
	bold := typeset.Style{Size: 12, Bold: true}
	lines, err := s.Lines([]typeset.Span{{Text: "שלום with ", Style: plain}, {Text: "English ", Style: bold}, {Text: "inside.", Style: plain}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	page.Draw(lines[0].Draw(page, nil, 10, 10))
	if got := squeeze(extract(t, d)); !lines[0].RTL || !strings.Contains(got, "withEnglishinside") {
		t.Errorf("%q", got)
	}
}

func TestLinesBreakWhereTheyMay(t *testing.T) {
	s := setter(t, document.New())
	for _, c := range []struct {
		text  string
		width float64
		want  int
	}{
		{"one two three four five", 0, 1},
		{"one\ntwo\n\nthree", 0, 4},
		{strings.Repeat("word ", 100), 200, 0},
		{strings.Repeat("中", 100), 200, 0},
		{strings.Repeat("x", 100), 200, 0},
	} {
		lines, err := s.Lines([]typeset.Span{{Text: c.text, Style: typeset.Style{Size: 10}}}, c.width)
		if err != nil {
			t.Fatal(err)
		}
		if c.want != 0 && len(lines) != c.want || c.want == 0 && len(lines) < 2 {
			t.Errorf("%.20q: %d lines", c.text, len(lines))
		}
		for _, line := range lines {
			if c.width > 0 && line.Width > c.width+.1 {
				t.Errorf("%.20q: a line is %.1f wide, of %g", c.text, line.Width, c.width)
			}
		}
	}
}

func TestACharacterThatNoFontHasIsNamed(t *testing.T) {
	s := setter(t, document.New())
	_, err := s.Lines([]typeset.Span{{Text: "fine 𒀀", Style: typeset.Style{Size: 10}}}, 0)
	if problem.CodeOf(err) != problem.InvalidArgument || !strings.Contains(err.Error(), "𒀀") {
		t.Errorf("%v", err)
	}
	if _, err = s.Lines([]typeset.Span{{Text: "fine", Style: typeset.Style{Size: 10}}}, 0); err != nil {
		t.Error(err)
	}
}

func TestStandardFontsNeedNoFile(t *testing.T) {
	d := document.New()
	page := d.NewPage(0, 300, 100)
	s := typeset.New(d, func() (*fonts.Set, error) { return nil, problem.New(problem.EngineMissing, "no fonts") })
	lines, err := s.Lines([]typeset.Span{{Text: "Grüße für 5 €", Style: typeset.Style{Size: 12, Family: "Times", Bold: true}}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	page.Draw(lines[0].Draw(page, nil, 10, 10))
	if got := extract(t, d); !strings.Contains(got, "Grüße für 5 €") {
		t.Errorf("%q", got)
	}
	if _, err = s.Lines([]typeset.Span{{Text: "Привет", Style: typeset.Style{Size: 12, Family: "Times"}}}, 0); problem.CodeOf(err) != problem.EngineMissing {
		t.Errorf("%v", err)
	}
}

// A space after an emoji was as wide as the emoji, and a keycap lay beside its digit.
func TestEmojiStandInText(t *testing.T) {
	d := document.New()
	s := setter(t, d)
	width := func(text string) float64 {
		t.Helper()
		lines, err := s.Lines([]typeset.Span{{Text: text, Style: typeset.Style{Size: 30}}}, 0)
		if err != nil {
			t.Skip("there is no font for emoji: make engines: ", err)
		}
		return lines[0].Width
	}
	if space := width("🚀 a") - width("🚀a"); space < 5 || space > 10.5 {
		t.Errorf("a space of text of 30 points is %.1f wide after an emoji", space)
	}
	if keycap, digit := width("1\ufe0f\u20e3 a"), width("1 a"); keycap != digit {
		t.Errorf("a keycap takes %.1f beside the digit", keycap-digit)
	}
	if family, one := width("👨‍👩‍👧"), width("🚀"); family > 1.5*one {
		t.Errorf("a family is %.1f wide, a rocket %.1f", family, one)
	}
}

// A number within words of a script from the right stands between them in a paragraph from
// the left too, and words of another such script follow them.
func TestNumbersWithinWordsFromTheRight(t *testing.T) {
	s := setter(t, document.New())
	for _, c := range []struct{ read, seen string }{
		{"see |שלום |123| עולם| now", "see |עולם|123|שלום|now"},
		{"see |שלום |123|. مرحبا| now", "see |. مرحبا|123|שלום|now"},
		{"see |مرحبا |שלום| now", "see |שלום|مرحبا|now"},
		{"שלום |see |123| עולם", "עולם|see |123|שלום"},
		{"one |two |שלום", "one |two |שלום"},
	} {
		var spans []typeset.Span
		for _, word := range strings.Split(c.read, "|") {
			spans = append(spans, typeset.Span{Text: word, Style: typeset.Style{Size: 12, Link: strings.TrimSpace(word)}})
		}
		lines, err := s.Lines(spans, 0)
		if err != nil {
			t.Fatal(err)
		}
		var seen []string
		for i, piece := range lines[0].Pieces {
			if n := len(seen); n == 0 || seen[n-1] != piece.Link {
				seen = append(seen, piece.Link)
			}
			if i > 0 && piece.X < lines[0].Pieces[i-1].X {
				t.Errorf("%q: piece %d lies left of the one before", c.read, i)
			}
		}
		if got := strings.Join(seen, "|"); got != strings.ReplaceAll(c.seen, " |", "|") {
			t.Errorf("%q is seen as %q, want %q", c.read, got, c.seen)
		}
	}
}
