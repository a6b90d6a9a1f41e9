package plaintext_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zlib"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/hostile"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/plaintext"
)

const helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"

// pdfOf makes a PDF of one page with the font F and the resources given. More objects follow
// from number 6 on.
func pdfOf(font, resources, content string, more ...string) []byte {
	objects := append([]string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>" + resources + ">>>>",
		streamOf("", content),
		font,
	}, more...)
	return fileOf("", objects)
}

func streamOf(attributes, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>stream\n%s\nendstream", attributes, len(data), data)
}

func fileOf(trailer string, objects []string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	table := "0000000000 65535 f \n"
	for i, o := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n%strailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table, len(objects)+1, trailer, at)
	return b.Bytes()
}

func deflated(text string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

// check wants a text, and PDFium to find the same if it is there.
func check(t *testing.T, data []byte, want string) {
	t.Helper()
	got, err := all(data)
	if err != nil {
		t.Error(err)
		return
	}
	if text := strings.Join(got, "\f"); text != want {
		t.Errorf("%q, want %q", text, want)
	}
	lib, err := library()
	if err != nil {
		return
	}
	doc, err := lib.Open(data, "")
	if err != nil {
		t.Error(err)
		return
	}
	defer doc.Close()
	for i := range got {
		if theirs, err := doc.Text(i); err != nil || strings.TrimRight(theirs, "\n ") != got[i] {
			t.Errorf("%q, and PDFium says %q, %v", got[i], theirs, err)
		}
	}
}

func wantUnsure(t *testing.T, data []byte) {
	t.Helper()
	if texts, err := all(data); !errors.Is(err, plaintext.ErrUnsure) {
		t.Errorf("%q, %v", texts, err)
	}
}

func TestOperators(t *testing.T) {
	form := "/XObject<</X 6 0 R>>"
	for name, c := range map[string]struct{ content, want string }{
		"two lines":                     {"BT /F 12 Tf 50 700 Td (one) Tj 0 -20 Td (two) Tj ET", "one\ntwo"},
		"TL and T*":                     {"BT /F 12 Tf 20 TL 50 700 Td (one) Tj T* (two) Tj ET", "one\ntwo"},
		"TD sets the leading":           {"BT /F 12 Tf 50 700 Td (one) Tj 0 -20 TD (two) Tj T* (three) Tj ET", "one\ntwo\nthree"},
		"'":                             {"BT /F 12 Tf 20 TL 50 700 Td (one) Tj (two) ' ET", "one\ntwo"},
		`" sets the spaces`:             {`BT /F 12 Tf 20 TL 50 700 Td (one) Tj 9 8 (two) " (abc) Tj ET`, "one\ntwo abc"},
		"Tm":                            {"BT /F 12 Tf 1 0 0 1 50 700 Tm (one) Tj 1 0 0 1 50 600 Tm (two) Tj ET", "one\ntwo"},
		"Tm scales":                     {"BT /F 1 Tf 12 0 0 12 50 700 Tm (one) Tj 0 -2 Td (two) Tj ET", "one\ntwo"},
		"cm, q and Q":                   {"q 1 0 0 1 0 300 cm BT /F 12 Tf 50 300 Td (one) Tj ET Q BT /F 12 Tf 50 300 Td (two) Tj ET", "one\ntwo"},
		"kerning within a word":         {"BT /F 12 Tf 50 700 Td [(W)80(ord)] TJ ET", "Word"},
		"kerning between words":         {"BT /F 12 Tf 50 700 Td [(two)-300(words)] TJ ET", "two words"},
		"a gap between texts":           {"BT /F 12 Tf 50 700 Td (two) Tj 30 0 Td (words) Tj ET", "two words"},
		"no gap between texts":          {"BT /F 12 Tf 50 700 Td (wo) Tj 15.34 0 Td (rd) Tj ET", "word"},
		"a text in two pieces":          {"BT /F 12 Tf 50 700 Td (wo) Tj (rd) Tj ET", "word"},
		"spaced letters":                {"BT /F 12 Tf 5 Tc 50 700 Td (wide) Tj ET", "wide"},
		"Tw":                            {"BT /F 12 Tf 50 Tw 50 700 Td (a b) Tj ET", "a b"},
		"Tz":                            {"BT /F 12 Tf 50 Tz 50 700 Td (narrow) Tj 30 0 Td (text) Tj ET", "narrow text"},
		"raised":                        {"BT /F 12 Tf 50 700 Td (W) Tj 2 Ts /F 8 Tf (2) Tj ET", "W2"},
		"hidden text is text":           {"BT /F 12 Tf 3 Tr 50 700 Td (hidden) Tj ET", "hidden"},
		"outside the page":              {"BT /F 12 Tf 50 900 Td (far) Tj 0 -200 Td (near) Tj ET", "far\nnear"},
		"from right to left in a line":  {"BT /F 12 Tf 150 700 Td (second) Tj -100 0 Td (first) Tj ET", "first second"},
		"twice for bold print":          {"BT /F 12 Tf 50 700 Td (bold) Tj 0.3 0 Td (bold) Tj 0 -20 Td (next) Tj ET", "bold\nnext"},
		"a word on two lines":           {"BT /F 12 Tf 50 700 Td (hyphen-) Tj 0 -15 Td (ated) Tj ET", "hyphen-\nated"},
		"spaces at the end of a line":   {"BT /F 12 Tf 50 700 Td (one  ) Tj 0 -20 Td (two) Tj ET", "one\ntwo"},
		"a space within a text":         {"BT /F 6 Tf 50 700 Td (MMM) Tj 8 0 Td ( ) Tj (e.g.) Tj ET", "MMM e.g."},
		"several spaces":                {"BT /F 12 Tf 50 700 Td (a    b) Tj ET", "a b"},
		"escapes in strings":            {`BT /F 12 Tf 50 700 Td (\(a\) \101\102 c\` + "\n" + `d <)Tj 0 -20 Td <41 4> Tj ET`, "(a) AB cd <\nA@"},
		"upwards":                       {"BT /F 12 Tf 0 1 -1 0 50 400 Tm (up) Tj 0 -20 Td (wards) Tj ET", "up\nwards"},
		"a text without a font":         {"BT 50 700 Td (none) Tj /F 12 Tf (some) Tj ET", "some"},
		"an image in the content":       {"BI /W 2 /H 2 /BPC 8 /CS /G ID \x01EI\x02 EI BT /F 12 Tf 50 700 Td (after) Tj ET", "after"},
		"marked content":                {"/P <</MCID 0>> BDC BT /F 12 Tf 50 700 Td (in) Tj ET EMC BT /F 12 Tf 50 600 Td (out) Tj ET", "in\nout"},
		"what is no operator":           {"BX what EX BT /F 12 Tf 50 700 Td (text) Tj ET", "text"},
		"a form":                        {"BT /F 12 Tf 50 700 Td (before) Tj ET q 1 0 0 1 50 600 cm /X Do Q BT /F 12 Tf 50 500 Td (after) Tj ET", "before\nform\nafter"},
		"the font of what draws a form": {"/F 12 Tf 1 0 0 1 50 600 cm /X Do", "form"},
	} {
		t.Run(name, func(t *testing.T) {
			formContent := "BT /F 12 Tf (form) Tj ET"
			if strings.HasPrefix(name, "the font") {
				formContent = "BT (form) Tj ET"
			}
			check(t, pdfOf(helvetica, form, c.content, streamOf("/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Matrix[1 0 0 1 5 5]", formContent)), c.want)
		})
	}
}

// Each shows a string in a font; what cannot be told for sure is left to PDFium.
func TestFonts(t *testing.T) {
	const simple = "<</Type/Font/Subtype/Type1/BaseFont/Some/FirstChar 0/LastChar 255/Widths 7 0 R/FontDescriptor<</Type/FontDescriptor/FontName/Some/Flags %d>>%s>>"
	widths := "[" + strings.Repeat("500 ", 256) + "]"
	wide := "<</Type/Font/Subtype/Type0/BaseFont/Some/Encoding/%s/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/Some" +
		"/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 500/W[1[600 700]3 9 400]>>]%s>>"
	unicode := streamOf("", "1 begincodespacerange <0000> <FFFF> endcodespacerange 2 beginbfchar <0001> <0041> <0002> <D83D00660069> endbfchar "+
		"3 beginbfrange <0003> <0005> <0061> <0010> <0011> [<0416> <00660066>] <000D> <000D> <0072> endbfrange")
	unicode = strings.Replace(unicode, "D83D00660069", "006600660069", 1)
	for name, c := range map[string]struct{ font, text, want string }{
		"WinAnsi":                   {helvetica, `(a\200\223\344\255\240b)`, "a€“ä- b"},
		"MacRoman":                  {fmt.Sprintf(simple, 32, "/Encoding/MacRomanEncoding"), `(\212\245\322)`, "ä•“"},
		"Standard":                  {fmt.Sprintf(simple, 32, "/Encoding/StandardEncoding"), `('a\256\341\273)`, "’afiÆ»"},
		"none":                      {fmt.Sprintf(simple, 32, ""), `('b\320)`, "’b—"},
		"Differences":               {fmt.Sprintf(simple, 32, "/Encoding<</Differences[1/Euro/Scaron/uni0416 65/fi/emdash/alpha/u20AC]>>"), `(\001\002\003ABCD E)`, "€ŠЖfi—α€ E"},
		"a symbolic one's names":    {fmt.Sprintf(simple, 4, "/Encoding<</Differences[65/B/a/space]>>"), `(ABC)`, "Ba"},
		"ToUnicode before the rest": {fmt.Sprintf(simple, 4, "/ToUnicode 6 0 R"), `(\001\003\020)`, "AaЖ"},
		"two bytes":                 {fmt.Sprintf(wide, "Identity-H", "/ToUnicode 6 0 R"), "<000100020003001000110005>", "AffiaЖffc"},
		"a code with a CR":          {fmt.Sprintf(wide, "Identity-H", "/ToUnicode 6 0 R"), "(\x00\r\x00\x03)", "ra"},
		"half a code":               {fmt.Sprintf(wide, "Identity-H", "/ToUnicode 6 0 R"), "<000100>", ""},
		"two bytes, no ToUnicode":   {fmt.Sprintf(wide, "Identity-H", ""), "<0001>", ""},
		"vertical":                  {fmt.Sprintf(wide, "Identity-V", "/ToUnicode 6 0 R"), "<0001>", ""},
		"a predefined CMap":         {fmt.Sprintf(wide, "UniGB-UCS2-H", "/ToUnicode 6 0 R"), "<0001>", ""},
		"a program has a say":       {strings.Replace(fmt.Sprintf(simple, 4, "/Encoding<</Differences[65/B]>>"), ">>", "/FontFile3 6 0 R>>", 1), `(Z)`, ""},
		"names nobody knows":        {fmt.Sprintf(simple, 32, "/Encoding<</Differences[65/g123]>>"), `(A)`, ""},
		"from right to left":        {fmt.Sprintf(simple, 32, "/Encoding<</Differences[65/uni05D0]>>"), `(A)`, ""},
		"Type3":                     {"<</Type/Font/Subtype/Type3/FontMatrix[1 0 0 1 0 0]>>", `(A)`, ""},
		"missing":                   {"null", `(A)`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			data := pdfOf(c.font, "", "BT /F 12 Tf 50 700 Td "+c.text+" Tj ET", unicode, widths)
			if c.want == "" {
				wantUnsure(t, data)
				return
			}
			check(t, data, c.want)
		})
	}
}

func TestPages(t *testing.T) {
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Count 3/Kids[3 0 R 4 0 R]/MediaBox[0 0 300 200]/Resources<</Font<</F 9 0 R>>>>>>",
		"<</Type/Page/Parent 2 0 R/Contents[6 0 R 7 0 R]>>",
		"<</Type/Pages/Count 2/Parent 2 0 R/Kids[5 0 R 8 0 R]/Rotate 90>>",
		"<</Type/Page/Parent 4 0 R/Contents 6 0 R>>",
		streamOf("", "BT /F 12 Tf 20 100 Td (one) Tj"),
		streamOf("", "0 -20 Td (two) Tj ET"),
		"<</Type/Page/Parent 4 0 R>>",
		helvetica,
	}
	check(t, fileOf("", objects), "one\ntwo\fone\f")
	objects[1] = strings.Replace(objects[1], "Count 3", "Count 4", 1)
	wantUnsure(t, fileOf("", objects))
}

// What is packed into streams is read, and an update's objects instead of the old ones.
func TestStructure(t *testing.T) {
	whole := pdfOf(helvetica, "", "BT /F 12 Tf 50 700 Td (old) Tj ET")
	var b bytes.Buffer
	b.Write(whole)
	content := deflated("BT /F 12 Tf 50 700 Td (new) Tj ET")
	at := b.Len()
	fmt.Fprintf(&b, "4 0 obj\n%s\nendobj\n", streamOf("/Filter/FlateDecode", content))
	table := b.Len()
	before := bytes.LastIndex(whole, []byte("xref\n0 "))
	fmt.Fprintf(&b, "xref\n4 1\n%010d 00000 n \ntrailer\n<</Size 6/Root 1 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n%% more\n", at, before, table)
	check(t, b.Bytes(), "new")

	b.Reset()
	b.WriteString("%PDF-1.7\n")
	packed := []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>", helvetica}
	head, body := "", ""
	for i, o := range packed {
		head += fmt.Sprintf("%d %d ", []int{1, 2, 3, 5}[i], len(body))
		body += o + " "
	}
	at4 := b.Len()
	fmt.Fprintf(&b, "4 0 obj\n%s\nendobj\n", streamOf("/Filter[/FlateDecode]", content))
	at6 := b.Len()
	fmt.Fprintf(&b, "6 0 obj\n%s\nendobj\n", streamOf(fmt.Sprintf("/Type/ObjStm/N 4/First %d/Filter/FlateDecode", len(head)), deflated(head+body)))
	at7 := b.Len()
	rows := []byte{0, 0, 0, 0, 2, 0, 6, 0, 2, 0, 6, 1, 2, 0, 6, 2, 1, 0, byte(at4), 0, 2, 0, 6, 3, 1, byte(at6 >> 8), byte(at6), 0, 1, byte(at7 >> 8), byte(at7), 0}
	var filtered []byte // PNG's filter Up
	for i := 0; i < len(rows); i += 4 {
		filtered = append(filtered, 2)
		for k := range 4 {
			above := byte(0)
			if i > 0 {
				above = rows[i-4+k]
			}
			filtered = append(filtered, rows[i+k]-above)
		}
	}
	fmt.Fprintf(&b, "7 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n", streamOf("/Type/XRef/Size 8/Root 1 0 R/W[1 2 1]/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 4>>",
		deflated(string(filtered))), at7)
	check(t, b.Bytes(), "new")
}

// What is out of the ordinary is not read at all.
func TestUnsure(t *testing.T) {
	const text = "BT /F 12 Tf 50 700 Td (text) Tj ET"
	good := pdfOf(helvetica, "", text)
	form := func(attributes, content string) []byte {
		return pdfOf(helvetica, "/XObject<</X 6 0 R>>", "/X Do", streamOf("/Type/XObject/Subtype/Form"+attributes, content))
	}
	for name, data := range map[string][]byte{
		"nothing":                nil,
		"half":                   good[:len(good)/2],
		"bytes before":           append([]byte("x"), good...),
		"a wrong table":          bytes.ReplaceAll(good, []byte(" 00000 n"), []byte(" 00007 x")),
		"an object elsewhere":    bytes.Replace(good, []byte("%PDF-1.7\n"), []byte("%PDF-1.7 abcd\n"), 1),
		"encrypted":              fileOf("/Encrypt<</Filter/Standard>>", []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 0/Kids[]>>"}),
		"no pages":               fileOf("", []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 0/Kids[]>>"}),
		"a circle of pages":      fileOf("", []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[2 0 R]>>"}),
		"a wrong length":         bytes.Replace(good, []byte("/Length 3"), []byte("/Length 2"), 1),
		"a form in itself":       form("/Resources<</XObject<</X 6 0 R>>>>", "/X Do"),
		"nowhere":                pdfOf(helvetica, "", strings.Repeat("1000000000000000 0 0 1000000000000000 0 0 cm ", 4)+text),
		"an ActualText":          pdfOf(helvetica, "", "/Span <</ActualText(other)>> BDC "+text+" EMC"),
		"a broken number":        pdfOf(helvetica, "", "BT /F 12 Tf 50 7-0 Td (text) Tj ET"),
		"a string without end":   pdfOf(helvetica, "", "BT /F 12 Tf 50 700 Td (text Tj ET"),
		"from right to left":     fileOf("", []string{"<</Type/Catalog/Pages 2 0 R/ViewerPreferences<</Direction/R2L>>>>", "<</Type/Pages/Count 0/Kids[]>>"}),
		"too deep":               pdfOf(helvetica, "/Properties "+strings.Repeat("[", 1000)+strings.Repeat("]", 1000), text),
		"a row of 10,000 texts":  pdfOf(helvetica, "", "BT /F 1 Tf 500 700 Td "+strings.Repeat("(a) Tj -0.9 0 Td ", 10_000)+"ET"),
		"texts that may be even": pdfOf(helvetica, "", "BT /F 6.3 Tf 50 700 Td (WWWW) Tj 0 -4.4 Td (WWWW) Tj ET"),
	} {
		t.Run(name, func(t *testing.T) { wantUnsure(t, data) })
	}
}

func TestBounds(t *testing.T) {
	text := "BT /F 12 Tf 50 700 Td (text) Tj ET"
	packed := deflated(text + strings.Repeat(" ", 1<<20))
	bomb := fileOf("", []string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 2/Kids[3 0 R 6 0 R]>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>", streamOf("/Filter/FlateDecode", packed), helvetica, "<</Type/Page/Parent 2 0 R>>"})
	ctx, cancel := context.WithCancel(t.Context())
	read := func(opts plaintext.Options) error {
		d, err := plaintext.Open(ctx, bomb, opts)
		if err == nil {
			_, err = d.Text(ctx, 0)
		}
		return err
	}
	for i, c := range []struct {
		opts plaintext.Options
		ok   bool
	}{
		{plaintext.Options{}, true}, {plaintext.Options{MaxPages: 2, MaxBytes: 1<<20 + 100}, true},
		{plaintext.Options{MaxPages: 1}, false}, {plaintext.Options{MaxBytes: 1 << 20}, false},
	} {
		if err := read(c.opts); c.ok != (err == nil) || err != nil && !errors.Is(err, plaintext.ErrUnsure) {
			t.Errorf("%d: %v", i, err)
		}
	}
	cancel()
	if err := read(plaintext.Options{}); !errors.Is(err, context.Canceled) || errors.Is(err, plaintext.ErrUnsure) {
		t.Errorf("a cancelled context says %v", err)
	}
}

// Files made to break readers are read, or not, in no time.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("the files take seconds to make")
	}
	for _, f := range hostile.Files() {
		began := time.Now()
		if _, err := all(f.Data); err != nil && !errors.Is(err, plaintext.ErrUnsure) {
			t.Errorf("%s: %v", f.Name, err)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s took %v", f.Name, took)
		}
	}
}

// FuzzText reads whatever there is, as a file, as a page's content and as a font, without a
// panic and in no time.
func FuzzText(f *testing.F) {
	content := "BT /F 12 Tf 50 700 Td [(text)-300<41>] TJ ET q /X Do Q BI /W 1 ID x EI"
	f.Add(pdfOf(helvetica, "/XObject<</X 6 0 R>>", content, streamOf("/Subtype/Form", "BT (form) Tj ET")))
	f.Add([]byte(content + " BT 12 TL 1 0 0 1 5 5 Tm (a) ' 1 2 (b) \" 50 Tz 3 Ts 2 Tr 1 Tc 2 Tw (c-) Tj T* (d) Tj 0 1 -1 0 9 9 cm /P <</MCID 1>> BDC EMC"))
	f.Add([]byte("<</Type/Font/Subtype/TrueType/BaseFont/A/FirstChar 0/Widths[500 600]/Encoding<</BaseEncoding/MacRomanEncoding/Differences[1/a/b]>>/ToUnicode 6 0 R>>"))
	f.Add([]byte("1 beginbfchar <0001> <0041> endbfchar 1 beginbfrange <0003> <0005> [<0061><0062><0063>] <0006> <0008> <0061> endbfrange"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		text := "BT /F 12 Tf 50 700 Td (\x01\x02\x03A) Tj ET"
		for _, file := range [][]byte{
			data, pdfOf(helvetica, "", string(data)), pdfOf(string(data), "", text),
			pdfOf("<</Type/Font/Subtype/Type1/BaseFont/Courier/ToUnicode 6 0 R>>", "", text, streamOf("", string(data))),
		} {
			d, err := plaintext.Open(ctx, file, plaintext.Options{MaxPages: 100, MaxBytes: 1 << 20})
			if err != nil {
				continue
			}
			for i := range d.Pages() {
				if _, err := d.Text(ctx, i); err != nil && !errors.Is(err, plaintext.ErrUnsure) {
					t.Fatal(err)
				}
			}
		}
	})
}
