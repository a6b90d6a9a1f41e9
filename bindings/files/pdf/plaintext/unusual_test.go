package plaintext_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/plaintext"
)

// agree wants the text to be what PDFium finds, or not to be answered.
func agree(t *testing.T, data []byte) {
	t.Helper()
	got, err := all(data)
	if errors.Is(err, plaintext.ErrUnsure) {
		t.Log(err)
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	lib, err := library()
	if err != nil {
		t.Skip(err)
	}
	doc, err := lib.Open(data, "")
	if err != nil {
		t.Errorf("%q, and PDFium says %v", got, err)
		return
	}
	defer doc.Close()
	for i := range got {
		if theirs, err := doc.Text(i); err != nil || strings.TrimRight(theirs, "\n ") != got[i] {
			t.Errorf("%q, and PDFium says %q, %v", got[i], theirs, err)
		} else {
			t.Logf("%q", got[i])
		}
	}
}

// Whatever is unusual in a page's content is read as PDFium reads it, or left to it.
func TestUnusualContent(t *testing.T) {
	const start = "BT /F 12 Tf 50 700 Td "
	for name, content := range map[string]string{
		"a string of 40,000":             "BT /F 0.01 Tf 50 700 Td (" + strings.Repeat("ab ", 14_000) + ") Tj ET",
		"a number too large":             start + "(one) Tj 0 99999999999 Td (two) Tj ET",
		"a number beyond a signed one":   start + "(one) Tj 0 3000000000 Td (two) Tj ET",
		"a size of 0":                    "BT /F 0 Tf 50 700 Td (one) Tj ET",
		"a negative size":                "BT /F -12 Tf 50 700 Td (one two) Tj 0 20 Td (three) Tj ET",
		"a negative size, mirrored":      "BT /F -12 Tf -1 0 0 -1 50 700 Tm (one two) Tj 0 20 Td (three) Tj ET",
		"a negative scale":               "BT /F 12 Tf -100 Tz 150 700 Td (one two) Tj 0 -20 Td (three) Tj ET",
		"a scale of 0":                   "BT /F 12 Tf 0 Tz 150 700 Td (one two) Tj 0 -20 Td (three) Tj ET",
		"mirrored":                       "BT /F 12 Tf -1 0 0 1 300 700 Tm (one two) Tj 0 -20 Td (three) Tj ET",
		"upside down":                    "BT /F 12 Tf -1 0 0 -1 300 700 Tm (one two) Tj 0 -20 Td (three) Tj ET",
		"slanted by 45 degrees":          "BT /F 12 Tf 0.7 0.7 -0.7 0.7 100 100 Tm (one two) Tj 0 -20 Td (three) Tj 30 0 Td (four) Tj ET",
		"downwards":                      "BT /F 12 Tf 0 -1 1 0 100 500 Tm (one two) Tj 0 -20 Td (three) Tj ET",
		"spread far":                     start + "40 Tc (abc) Tj 0 Tc 0 -20 Td (def) Tj ET",
		"spread far, in strings":         start + "40 Tc [(a) -10 (b) 10 (c)] TJ ET",
		"narrowed":                       start + "-3 Tc (abcdef) Tj 0 Tc 0 -20 Td (def) Tj ET",
		"narrowed to nothing":            start + "-30 Tc (abcdef) Tj ET",
		"negative word spaces":           start + "-9 Tw (ab cd ef) Tj ET",
		"raised a lot":                   start + "(base) Tj 30 Ts (up) Tj -30 Ts (down) Tj ET",
		"superscripts":                   start + "(E = mc) Tj /F 7 Tf 5 Ts (2) Tj /F 12 Tf 0 Ts ( and H) Tj /F 7 Tf -3 Ts (2) Tj /F 12 Tf 0 Ts (O) Tj ET",
		"a footnote mark":                "BT /F 10 Tf 50 700 Td (word) Tj /F 6 Tf 22 4 Td (12) Tj /F 10 Tf 8 -4 Td (next) Tj ET",
		"clipping":                       "q BT /F 12 Tf 7 Tr 50 700 Td (clip) Tj ET BT 50 600 Td (more) Tj ET Q BT /F 12 Tf 50 500 Td (after) Tj ET",
		"outlines":                       start + "2 Tr 5 w (one) Tj 0 -13 Td (two) Tj ET",
		"a mode that there is none":      start + "9 Tr (one) Tj -1 Tr (two) Tj ET",
		"white":                          "1 1 1 rg " + start + "(white) Tj ET",
		"in a clip":                      "0 0 10 10 re W n " + start + "(clipped) Tj ET",
		"bold by four":                   start + "(bold) Tj ET BT 50.2 700 Td (bold) Tj ET BT 50 700.2 Td (bold) Tj ET BT 50.2 700.2 Td (bold) Tj ET BT 100 700 Td (x) Tj ET",
		"a shadow":                       start + "(shadow) Tj ET BT 52 698 Td (shadow) Tj ET",
		"twice, then between":            start + "(abc) Tj ET BT 200 700 Td (def) Tj ET BT 50 700 Td (abc) Tj ET",
		"letters twice":                  start + "(b) Tj 0.3 0 Td (b) Tj 6.4 0 Td (o) Tj 0.3 0 Td (o) Tj 6.4 0 Td (l) Tj 0.3 0 Td (l) Tj ET",
		"a soft hyphen":                  start + `(soft\255) Tj 0 -15 Td (ened) Tj ET`,
		"a hyphen in a number":           start + `(12-) Tj 0 -15 Td (34) Tj ET`,
		"a hyphen by itself":             start + `(word) Tj 24.7 0 Td (-) Tj -24 -15 Td (next) Tj ET`,
		"a hyphen and spaces":            start + `(word-   ) Tj 0 -15 Td (next) Tj ET`,
		"a hyphen and a sign":            start + `(word-) Tj 0 -15 Td (\(next) Tj ET`,
		"hyphens and an empty line":      start + `(word-) Tj 0 -15 Td (  ) Tj 0 -15 Td (next) Tj ET`,
		"columns":                        start + "(left one) Tj 0 -15 Td (left two) Tj 250 15 Td (right one) Tj 0 -15 Td (right two) Tj ET",
		"columns, line by line":          start + "(left one) Tj 250 0 Td (right one) Tj -250 -15 Td (left two) Tj 250 0 Td (right two) Tj ET",
		"cells out of order":             start + "200 0 Td (b) Tj -100 0 Td (a) Tj 0 -20 Td (c) Tj 200 0 Td (e) Tj -100 0 Td (d) Tj 0 20 Td (late) Tj ET",
		"upwards, line by line":          start + "(three) Tj 0 20 Td (two) Tj 0 20 Td (one) Tj ET",
		"letters one by one":             "BT /F 12 Tf 1 0 0 1 50 700 Tm (w) Tj 1 0 0 1 58.6 700 Tm (o) Tj 1 0 0 1 65.3 700 Tm (r) Tj 1 0 0 1 69.3 700 Tm (d) Tj 1 0 0 1 79.3 700 Tm (s) Tj ET",
		"letters from the right":         "BT /F 12 Tf 1 0 0 1 79.3 700 Tm (s) Tj 1 0 0 1 69.3 700 Tm (d) Tj 1 0 0 1 65.3 700 Tm (r) Tj 1 0 0 1 58.6 700 Tm (o) Tj ET",
		"letters downwards":              start + "(w) Tj 0 -12 Td (o) Tj 0 -12 Td (r) Tj 0 -12 Td (d) Tj ET",
		"letters downwards, wide apart":  start + "(w) Tj 0 -32 Td (o) Tj 0 -32 Td (r) Tj 0 -32 Td (d) Tj ET",
		"far away":                       "BT /F 12 Tf 1 0 0 1 50000 700 Tm (far) Tj 1 0 0 1 -90000 -700 Tm (near) Tj ET",
		"very far":                       "BT /F 12 Tf 1 0 0 1 5000000 700 Tm (far) Tj (away) Tj 1 0 0 1 -90000000 -700 Tm (near) Tj ET",
		"very small":                     "0.001 0 0 0.001 0 0 cm BT /F 12 Tf 50 700 Td (small) Tj 0 -20 Td (text) Tj ET",
		"very large":                     "BT /F 900 Tf 0 100 Td (AB) Tj 0 -50 Td (CD) Tj ET",
		"small in a large scale":         "1000 0 0 1000 0 0 cm BT /F 0.012 Tf 0.05 0.7 Td (small) Tj 0 -0.02 Td (text) Tj ET",
		"a single space":                 start + "(a) Tj ( ) Tj (b) Tj ET",
		"a space on a line of its own":   start + "(aa) Tj 0 -50 Td ( ) Tj 0 -50 Td (bb) Tj 300 -50 Td (far from these) Tj ET",
		"two spaces":                     start + "(a) Tj (  ) Tj (b) Tj ET",
		"only spaces":                    start + "(    ) Tj 0 -20 Td (   ) Tj ET",
		"spaces first":                   start + "(   a) Tj 0 -20 Td (   b) Tj ET",
		"control characters":             start + `(a\001b\011c\012d\015e\037f\177g\002h) Tj ET`,
		"characters that are none":       start + `(a\201b\215c\235d) Tj ET`,
		"kernings first and last":        start + "[-5000 (a) -5000] TJ [(b)] TJ [500 500 (c) 20000] TJ (d) Tj ET",
		"kernings alone":                 start + "(a) Tj [-5000 -500] TJ (b) Tj ET",
		"empty strings":                  start + "[() -5000 (a) () -300 () (b) -300 ()] TJ () Tj (c) Tj ET",
		"names among strings":            start + "[(a) /N (b) null (c)] TJ ET",
		"a string for a name":            start + "(F) 12 Tf (one) Tj ET",
		"a name for a string":            start + "/Name Tj ET",
		"true before numbers":            start + "true 0 -20 Td (one) Tj null (two) Tj ET",
		"operands before a string":       start + "1 2 3 (one) Tj ET",
		"too many operands":              start + strings.Repeat("1 ", 40) + "0 -20 Td (one) Tj ET",
		"an operand too few":             start + "(one) Tj -20 Td (two) Tj ET",
		"without BT":                     "/F 12 Tf 50 700 Td (one) Tj 0 -20 Td (two) Tj",
		"Q within a text":                "q " + start + "(one) Tj 0 -20 Td Q /F 12 Tf (two) Tj 0 -40 Td (three) Tj ET",
		"too many Q":                     "Q Q " + start + "(one) Tj ET Q",
		"a text within a text":           start + "(one) Tj BT 0 -20 Td (two) Tj ET 5 5 Td (three) Tj ET",
		"cm within a text":               start + "(one) Tj 1 0 0 1 0 -50 cm (two) Tj ET",
		"comments":                       start + "(one) Tj % (no) Tj\n0 -20 Td % no\r(two) Tj ET",
		"no space":                       "BT/F 12 Tf 50 700 Td(one)Tj 0 -20 Td[(two)-300<41>]TJ ET",
		"numbers run together":           "BT /F 12 Tf 50 700.5.5 Td (one) Tj ET",
		"a number's point":               "BT /F 12. Tf +50 .5 Td (one) Tj 0 -.5 Td -0 +20. Td (two) Tj ET",
		"an ActualText of nothing":       "/Span <</ActualText()>> BDC " + start + "(one) Tj ET EMC",
		"an ActualText around a form":    "/Span <</ActualText(other)>> BDC /X Do EMC",
		"an Artifact":                    "/Artifact BMC " + start + "(header) Tj ET EMC " + "BT /F 12 Tf 50 600 Td (text) Tj ET",
		"a layer that is off":            "/OC /L BDC " + start + "(hidden) Tj ET EMC BT /F 12 Tf 50 600 Td (text) Tj ET",
		"a form in a layer that is off":  start + "(one) Tj ET /H Do",
		"a form twice":                   "q 1 0 0 1 50 700 cm /X Do Q q 1 0 0 1 50 500 cm /X Do Q",
		"a form over itself":             "q 1 0 0 1 50 700 cm /X Do /X Do Q",
		"a form after a text":            start + "(text) Tj ET q 1 0 0 1 80 700 cm /X Do Q",
		"a form with a slanted text":     "q 0.7 0.7 -0.7 0.7 300 300 cm /X Do Q",
		"a form within a form":           "q 2 0 0 2 50 300 cm /N Do Q",
		"a form with its own font":       start + "(F) Tj ET q 1 0 0 1 50 600 cm /R Do Q",
		"a form of a wrong matrix":       "q 1 0 0 1 50 600 cm /M Do Q",
		"a form with state left":         "q 1 0 0 1 50 600 cm 5 Tc 200 Tz 20 Ts /F 12 Tf /X Do Q " + start + "(x) Tj ET",
		"a pattern":                      "/Pattern cs /P scn 0 0 600 800 re f " + start + "(one) Tj ET",
		"no such form":                   "/None Do " + start + "(one) Tj ET",
		"no such font":                   "BT /None 12 Tf 50 700 Td (one) Tj ET",
		"an image, EI at once":           "BI /W 2 /H 2 /BPC 8 /CS /G ID abcdEI " + start + "(one) Tj ET BI /W 2 /H 2 /BPC 8 /CS /G ID abcd EI BT /F 12 Tf 50 600 Td (two) Tj ET",
		"an image in hexadecimal":        "BI /W 2 /H 2 /BPC 8 /CS /G /F /AHx ID 61626364>EI " + start + "(one) Tj ET BI /W 2 /H 2 /BPC 8 /CS /G ID abcd EI BT /F 12 Tf 50 600 Td (two) Tj ET",
		"an image, then raw codes":       "BI /W 2 /H 2 /BPC 8 /CS /G ID abcd\nEI BT /F 12 Tf 50 700 Td(\xe4\xe4\xe4\xe4\xe4)Tj ET BI /W 2 /H 2 /BPC 8 /CS /G ID abcd\nEI BT /F 12 Tf 50 600 Td (two) Tj ET                ",
		"an image, then a short raw one": "q BI /W 2 /H 2 /BPC 8 /CS /G ID abcd\nEI Q(\xe4)pop BT /F 12 Tf 50 700 Td(one)Tj ET BI /W 2 /H 2 /BPC 8 /CS /G ID abcd\nEI BT /F 12 Tf 50 600 Td (two) Tj ET                ",
		"an image that looks like text":  "BI /W 50 /H 1 /BPC 8 /CS /G ID 1234 EI BT /F 12 Tf 50 700 Td (no) Tj ET 123456789012345678901234567890 EI " + start + "(one) Tj ET",
		"an image, EI before a name":     "BI /W 2 /H 2 /BPC 8 /CS /G ID abcd EI/X Do " + start + "(one) Tj ET BI /W 2 /H 2 /BPC 8 /CS /G ID abcd EI BT /F 12 Tf 50 600 Td (two) Tj ET",
		"an image, at the end":           start + "(one) Tj ET BI /W 2 /H 2 /BPC 8 /CS /G ID abcd EI",
		"an image of EI":                 "BI /W 4 /H 1 /BPC 8 /CS /G ID  EI  EI " + start + "(one) Tj ET",
		"a dictionary operand":           "/P <</A [1 2 (x)] /B <</C /D>>>> DP " + start + "(one) Tj ET",
		"overlapping lines":              "BT /F 12 Tf 50 700 Td (one) Tj 60 -4 Td (two) Tj 60 -4 Td (three) Tj 60 -4 Td (four) Tj ET",
		"sizes mixed in a line":          "BT /F 30 Tf 50 700 Td (Drop) Tj /F 8 Tf 80 0 Td (small) Tj 0 12 Td (above) Tj ET",
		"a drop cap":                     "BT /F 30 Tf 50 676 Td (D) Tj /F 10 Tf 24 12 Td (rop and) Tj 0 -12 Td (second) Tj -24 -12 Td (third) Tj ET",
		"a watermark among lines":        start + "(one) Tj ET BT /F 60 Tf 0.7 0.7 -0.7 0.7 100 300 Tm (DRAFT) Tj ET BT /F 12 Tf 50 685 Td (two) Tj ET",
		"letters that may be a column":   "BT /F 24 Tf 0 1 -1 0 272 650 Tm -0.32 Tc (Itwo) Tj (.) Tj 92 Tz (ill   ) Tj ET",
		"dots":                           start + "(Chapter) Tj 50 0 Td (. . . . . . . . . .) Tj 150 0 Td (12) Tj ET",
		"dots one by one":                start + "(Chapter) Tj 50 0 Td (.) Tj 6 0 Td (.) Tj 6 0 Td (.) Tj 6 0 Td (.) Tj 6 0 Td (12) Tj ET",
		"underscores":                    start + "(Name) Tj 40 -2 Td (______) Tj 0 -20 Td (______) Tj ET",
		"a tight leading":                start + "(one) Tj 0 -8 Td (two) Tj 0 -8 Td (three) Tj ET",
		"a very tight leading":           start + "(ONE) Tj 0 -5 Td (TWO) Tj 0 -5 Td (THREE) Tj ET",
	} {
		t.Run(name, func(t *testing.T) {
			form := func(attributes, content string) string {
				return streamOf("/Type/XObject/Subtype/Form/BBox[0 0 99 99]"+attributes, content)
			}
			agree(t, pdfOf(helvetica, "/XObject<</X 6 0 R/N 7 0 R/R 8 0 R/H 9 0 R/M 12 0 R>>/Properties<</L 11 0 R>>/Pattern<</P 13 0 R>>", content,
				form("", "BT /F 12 Tf (form) Tj ET"),
				form("/Matrix[0.5 0 0 0.5 20 20]/Resources<</XObject<</Y 6 0 R>>>>", "BT /F 12 Tf 0 50 Td (outer) Tj ET q 3 0 0 3 0 0 cm /Y Do Q BT /F 12 Tf 0 -50 Td (after) Tj ET"),
				form("/Resources<</Font<</F 10 0 R>>>>", "BT /F 12 Tf (F) Tj ET"),
				form("/OC 11 0 R", "BT /F 12 Tf 50 600 Td (hidden) Tj ET"),
				"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[70/G]>>>>",
				"<</Type/OCG/Name(L)>>",
				form("/Matrix[2 0 0 2]", "BT /F 12 Tf (form) Tj ET"),
				streamOf("/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 99 99]/XStep 99/YStep 99/Resources<</Font<</F 5 0 R>>>>", "BT /F 12 Tf (tile) Tj ET"),
			))
		})
	}
}

// The same for what fonts say of codes.
func TestUnusualFonts(t *testing.T) {
	simple := func(subtype string, flags int, more string) string {
		return fmt.Sprintf("<</Type/Font/Subtype/%s/BaseFont/Some/FirstChar 0/LastChar 255/Widths 7 0 R/FontDescriptor<</Type/FontDescriptor/FontName/Some/Flags %d>>%s>>", subtype, flags, more)
	}
	wide := func(inner string) string {
		return "<</Type/Font/Subtype/Type0/BaseFont/Some/Encoding/Identity-H/ToUnicode 6 0 R/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/Some" +
			"/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>" + inner + ">>]>>"
	}
	latin := "(aZ'`\\344\\240\\255\\200\\260\\001\\n)"
	var accented []string
	for _, mark := range strings.Fields("grave acute circumflex tilde macron breve dotaccent dieresis ring hungarumlaut caron ogonek cedilla commaaccent") {
		for c := 'A'; c <= 'z'; c++ {
			if c <= 'Z' || c >= 'a' {
				accented = append(accented, string(c)+mark)
			}
		}
	}
	type fontCase struct{ font, text, unicode string }
	cases := map[string]fontCase{
		"nothing said":               {simple("Type1", 32, ""), latin, ""},
		"symbolic":                   {simple("Type1", 4, ""), latin, ""},
		"symbolic with WinAnsi":      {simple("Type1", 4, "/Encoding/WinAnsiEncoding"), latin, ""},
		"symbolic with Mac":          {simple("Type1", 4, "/Encoding/MacRomanEncoding"), latin, ""},
		"symbolic with both":         {simple("Type1", 36, "/Encoding/MacRomanEncoding"), latin, ""},
		"TrueType":                   {simple("TrueType", 32, ""), latin, ""},
		"TrueType, ASCII":            {simple("TrueType", 32, ""), "(aZ'`)", ""},
		"TrueType, symbolic":         {simple("TrueType", 4, ""), "(aZ)", ""},
		"TrueType, symbolic, '":      {simple("TrueType", 4, "/Encoding/WinAnsiEncoding"), "(aZ'`)", ""},
		"TrueType, symbolic, Mac":    {simple("TrueType", 4, "/Encoding/MacRomanEncoding"), "(aZ'`)", ""},
		"TrueType, Differences":      {simple("TrueType", 32, "/Encoding<</Differences[65/.notdef/B/C]>>"), "(xABCD)", ""},
		"Type1, .notdef":             {simple("Type1", 32, "/Encoding<</Differences[65/.notdef/B/C]>>"), "(xABCD)", ""},
		"Type1, .notdef, symbolic":   {simple("Type1", 4, "/Encoding<</Differences[65/.notdef/B/C]>>"), "(xABC)", ""},
		"an unknown BaseEncoding":    {simple("Type1", 32, "/Encoding<</BaseEncoding/Nothing/Differences[65/B]>>"), latin, ""},
		"an unknown Encoding":        {simple("Type1", 32, "/Encoding/Nothing"), latin, ""},
		"Identity-H for a Type1":     {simple("Type1", 32, "/Encoding/Identity-H"), latin, ""},
		"Differences beyond":         {simple("Type1", 32, "/Encoding<</Differences[255/A/B/C -1/D/E]>>"), "(\\377\\000x)", ""},
		"ToUnicode without codes":    {simple("Type1", 32, "/Encoding<</Differences[65/B]>>/ToUnicode 6 0 R"), "(ABC)", "1 beginbfchar <43> <0058> endbfchar"},
		"odd digits for a code":      {simple("Type1", 32, "/ToUnicode 6 0 R"), "(\\001\\020AB)", "1 beginbfchar <1> <0058> endbfchar"},
		"odd digits for a text":      {simple("Type1", 32, "/ToUnicode 6 0 R"), "(AB)", "1 beginbfchar <41> <058> endbfchar"},
		"one byte for a text":        {simple("Type1", 32, "/ToUnicode 6 0 R"), "(AB)", "1 beginbfchar <41> <58> endbfchar"},
		"odd digits of a range":      {simple("Type1", 32, "/ToUnicode 6 0 R"), "(AB\\004)", "1 beginbfrange <41> <4> <0058> endbfrange"},
		"spaces in a code":           {simple("Type1", 32, "/ToUnicode 6 0 R"), "(AB)", "1 beginbfchar <0 0 4 1> <0058> endbfchar"},
		"spaces in a text":           {simple("Type1", 32, "/ToUnicode 6 0 R"), "(AB)", "1 beginbfchar <0041> <0058 0059> <42> <00 57> endbfchar"},
		"strings for codes":          {simple("Type1", 32, "/ToUnicode 6 0 R"), "(AB)", "1 beginbfchar (A) (\x00X) endbfchar"},
		"a text of nothing":          {simple("Type1", 32, "/ToUnicode 6 0 R"), "(AB)", "1 beginbfchar <41> <> endbfchar"},
		"a text of NUL":              {simple("Type1", 32, "/ToUnicode 6 0 R"), "(AB)", "1 beginbfchar <41> <0000> endbfchar"},
		"a text of no character":     {simple("Type1", 32, "/ToUnicode 6 0 R"), "(AB)", "1 beginbfchar <41> <FFFF> endbfchar"},
		"a text of several":          {simple("Type1", 32, "/ToUnicode 6 0 R"), "(ABA)", "1 beginbfchar <41> <00660066006900200078> endbfchar"},
		"a text of spaces":           {simple("Type1", 32, "/ToUnicode 6 0 R"), "(xAyAAz)", "1 beginbfchar <41> <00200020> endbfchar"},
		"a space and a letter":       {simple("Type1", 32, "/ToUnicode 6 0 R"), "(xAyBz)", "2 beginbfchar <41> <00200041> <42> <0058> endbfchar"},
		"a letter and a space":       {simple("Type1", 32, "/ToUnicode 6 0 R"), "(xAy Az)", "1 beginbfchar <41> <00410020> endbfchar"},
		"a text of a tab":            {simple("Type1", 32, "/ToUnicode 6 0 R"), "(xAyBzCxDE)", "5 beginbfchar <41> <0009> <42> <000A> <43> <000D> <44> <000B> <45> <00A0> endbfchar"},
		"a text with NBSP":           {simple("Type1", 32, "/ToUnicode 6 0 R"), "(xAy AzBx)", "5 beginbfchar <41> <00A0> <42> <3000> endbfchar"},
		"no width at all":            {simple("Type1", 32, "/ToUnicode 6 0 R"), "(xAyBz)", "5 beginbfchar <41> <200B> <42> <FEFF> endbfchar"},
		"a letter of mathematics":    {simple("Type1", 32, "/ToUnicode 6 0 R"), "(xAy)", "5 beginbfchar <41> <D835DC00> endbfchar"},
		"half a surrogate":           {simple("Type1", 32, "/ToUnicode 6 0 R"), "(xAy)", "5 beginbfchar <41> <D835> endbfchar"},
		"an fi":                      {simple("Type1", 32, "/ToUnicode 6 0 R"), "(xAyBz)", "5 beginbfchar <41> <FB01> <42> <FB06> endbfchar"},
		"an accent":                  {simple("Type1", 32, "/ToUnicode 6 0 R"), "(aAyB)", "5 beginbfchar <41> <0301> <42> <00B4> endbfchar"},
		"usecmap":                    {simple("Type1", 32, "/ToUnicode 6 0 R"), "(AB)", "/Other usecmap 1 beginbfchar <41> <0058> endbfchar"},
		"a range down":               {simple("Type1", 32, "/ToUnicode 6 0 R"), "(AB)", "1 beginbfrange <42> <41> <0058> endbfrange"},
		"a range too short":          {simple("Type1", 32, "/ToUnicode 6 0 R"), "(ABCD)", "1 beginbfrange <41> <43> [<0058>] <44> <44> <0059> endbfrange"},
		"a range of words":           {simple("Type1", 32, "/ToUnicode 6 0 R"), "(ABC)", "1 beginbfrange <41> <43> <0058FFFE> endbfrange"},
		"a range over FF":            {simple("Type1", 32, "/ToUnicode 6 0 R"), "(ABC)", "1 beginbfrange <41> <43> <03FE> endbfrange"},
		"two bytes for one":          {simple("Type1", 32, "/ToUnicode 6 0 R"), "(ABC)", "1 beginbfchar <0041> <0058> <4242> <0059> endbfchar"},
		"a longer code":              {simple("Type1", 32, "/ToUnicode 6 0 R"), "(ABC)", "1 beginbfchar <00000041> <0058> endbfchar"},
		"a code twice":               {simple("Type1", 32, "/ToUnicode 6 0 R"), "(ABC)", "2 beginbfchar <41> <0058> <41> <0059> endbfchar"},
		"wide, one byte":             {wide("/DW 500"), "<004100420041>", "1 beginbfchar <41> <0058> endbfchar"},
		"wide, a code without":       {wide("/DW 500"), "<004100420043>", "1 beginbfchar <0041> <0058> endbfchar"},
		"wide, code 0":               {wide("/DW 500"), "<004100000041>", "1 beginbfchar <0041> <0058> endbfchar"},
		"wide, no DW":                {wide(""), "<00410041>", "1 beginbfchar <0041> <0058> endbfchar"},
		"wide, a width of 0":         {wide("/DW 0"), "<00410041>", "1 beginbfchar <0041> <0058> endbfchar"},
		"wide, a negative width":     {wide("/DW -500"), "<00410041>", "1 beginbfchar <0041> <0058> endbfchar"},
		"wide, a W of fractions":     {wide("/DW 500/W[65.7[600.9 300.2]66 70 400.5]"), "<00410042004100430041>", "1 beginbfrange <0041> <0044> <0058> endbfrange"},
		"wide, ordering a name":      {strings.Replace(wide("/DW 500"), "(Identity)", "/Japan1", 1), "<004100420041>", "1 beginbfchar <41> <0058> endbfchar"},
		"wide, ordering UCS":         {strings.Replace(wide("/DW 500"), "(Identity)", "(UCS)", 1), "<004100420041>", "1 beginbfchar <41> <0058> endbfchar"},
		"wide, Encoding a stream":    {strings.Replace(wide("/DW 500"), "/Identity-H", " 6 0 R", 1), "<4100420041>", "2 begincodespacerange <41><41> <0000> <FFFF> endcodespacerange 1 beginbfchar <41> <0058> endbfchar"},
		"no Widths":                  {strings.Replace(simple("TrueType", 32, "/Encoding/WinAnsiEncoding"), "/Widths 7 0 R", "", 1), "(one two)", ""},
		"Arial without Widths":       {"<</Type/Font/Subtype/TrueType/BaseFont/Arial/Encoding/WinAnsiEncoding>>", "(one two)", ""},
		"Helvetica as TrueType":      {"<</Type/Font/Subtype/TrueType/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>", latin, ""},
		"Helvetica as bare TrueType": {"<</Type/Font/Subtype/TrueType/BaseFont/Helvetica>>", "(aZ'`)", ""},
		"Courier":                    {"<</Type/Font/Subtype/Type1/BaseFont/Courier>>", latin, ""},
		"Symbol":                     {"<</Type/Font/Subtype/Type1/BaseFont/Symbol>>", "(ab)", ""},
		"widths of 0":                {strings.Replace(simple("Type1", 32, ""), "7 0 R", "[0]", 1), "(A)", ""},
		"widths of 0, several":       {strings.Replace(simple("Type1", 32, ""), "7 0 R", "[0]", 1), "(ABC)", ""},
		"one width":                  {strings.Replace(simple("Type1", 32, ""), "/FirstChar 0/LastChar 255/Widths 7 0 R", "/FirstChar 65/LastChar 65/Widths[500]", 1), "(ABCA)", ""},
		"negative widths":            {strings.Replace(simple("Type1", 32, ""), "7 0 R", "["+strings.Repeat("-500 ", 256)+"]", 1), "(ABC)", ""},
		"huge widths":                {strings.Replace(simple("Type1", 32, ""), "7 0 R", "["+strings.Repeat("70000 ", 256)+"]", 1), "(ABC)", ""},
		"widths that are none":       {strings.Replace(simple("Type1", 32, ""), "7 0 R", "["+strings.Repeat("/x ", 256)+"]", 1), "(ABC)", ""},
		"a MissingWidth":             {strings.Replace(simple("Type1", 32, ""), "/Widths 7 0 R", "/Widths[300]/FirstChar 65/LastChar 65", 1), "(ABC)", ""},
		"small capitals":             {simple("Type1", 32|1<<16, ""), "(abc)", ""},
		"MMType1":                    {simple("MMType1", 32, ""), "(abc)", ""},
	}
	for _, name := range accented {
		cases["the name "+name] = fontCase{simple("Type1", 32, "/Encoding<</Differences[65/"+name+"]>>"), "(xAy)", ""}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			agree(t, pdfOf(c.font, "", "BT /F 12 Tf 50 700 Td "+c.text+" Tj 0 -20 Td "+c.text+" Tj ET", streamOf("", c.unicode), "["+strings.Repeat("500 ", 256)+"]"))
		})
	}
}
