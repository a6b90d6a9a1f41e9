package plaintext_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/plaintext"
)

// packedFile makes a PDF whose objects, but for its streams, are in one object stream.
func packedFile(objects []string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	n := len(objects)
	rows := make([]byte, 7)
	var head, body bytes.Buffer
	count := 0
	for i, o := range objects {
		if strings.HasSuffix(o, "endstream") {
			at := b.Len()
			fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
			rows = append(rows, 1, byte(at>>24), byte(at>>16), byte(at>>8), byte(at), 0, 0)
			continue
		}
		rows = append(rows, 2, 0, byte((n+1)>>16), byte((n+1)>>8), byte(n+1), byte(count>>8), byte(count))
		fmt.Fprintf(&head, "%d %d ", i+1, body.Len())
		body.WriteString(o + " ")
		count++
	}
	for i, s := range []string{
		streamOf(fmt.Sprintf("/Type/ObjStm/N %d/First %d/Filter/FlateDecode", count, head.Len()), deflated(head.String()+body.String())), "",
	} {
		at := b.Len()
		rows = append(rows, 1, byte(at>>24), byte(at>>16), byte(at>>8), byte(at), 0, 0)
		if i == 1 {
			s = streamOf(fmt.Sprintf("/Type/XRef/Size %d/Root 1 0 R/W[1 4 2]/Filter/FlateDecode", n+3), deflated(string(rows)))
		}
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", n+1+i, s)
		if i == 1 {
			fmt.Fprintf(&b, "startxref\n%d\n%%%%EOF\n", at)
		}
	}
	return b.Bytes()
}

// onePage makes the first objects of a PDF of so many pages that share everything: 4 is the
// contents, 5 the resources.
func onePage(pages int, contents, resources string, more ...string) []string {
	kids := ""
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", "null", contents, resources}
	objects = append(objects, more...)
	for range pages {
		objects = append(objects, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources 5 0 R>>")
		kids += fmt.Sprintf("%d 0 R ", len(objects))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", pages, kids)
	return objects
}

// TestWorst makes small files that cost as much as they can; each would take gigabytes, or
// minutes, if nothing were counted.
func TestWorst(t *testing.T) {
	if testing.Short() {
		t.Skip("they take seconds")
	}
	zip := func(attributes, data string) string {
		return streamOf(attributes+"/Filter/FlateDecode", deflated(data))
	}
	fonts := func(n int, text string, f func(i int) string) (list []string, resources, content string) {
		var r, c strings.Builder
		for i := range n {
			list = append(list, f(i))
			fmt.Fprintf(&r, "/F%d %d 0 R", i, 8+i)
			fmt.Fprintf(&c, "/F%d 9 Tf %s Tj ", i, text)
		}
		return list, "<</Font<<" + r.String() + ">>>>", "BT " + c.String() + "ET"
	}
	wide := "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/ToUnicode 6 0 R/DescendantFonts[<</DW 5/W %s>>]>>"
	unicode := "1 beginbfchar <0041> <0041> endbfchar"
	unicodes := ""
	for i := range 256 {
		unicodes += fmt.Sprintf("1 beginbfrange <%02X00> <%02XFF> <0041> endbfrange ", i, i)
	}
	wideFonts, wideResources, wideContent := fonts(5000, "<0041>", func(int) string { return fmt.Sprintf(wide, "7 0 R") })
	bareFonts, bareResources, bareContent := fonts(60_000, "(A)", func(int) string { return "<</Subtype/Type1/BaseFont/Courier>>" })
	simple := "<</Font<</F<</Subtype/Type1/BaseFont/Helvetica>>>>>>"
	lengths := []string{}
	for i := range 20_000 {
		lengths = append(lengths, fmt.Sprintf("<</Length %d 0 R>>stream\n\nendstream", 7+i))
	}
	dicts := ""
	for range 40 {
		dicts += "[" + strings.Repeat("<</A 1>>", 30_000) + "]\n"
	}
	for name, data := range map[string][]byte{
		"contents many times":     packedFile(onePage(1, "["+strings.Repeat("6 0 R ", 100_000)+"]", "<<>>", streamOf("", strings.Repeat(" ", 500_000)))),
		"contents listed long":    packedFile(onePage(4000, "["+strings.Repeat("6 0 R ", 500_000)+"]", "<<>>", streamOf("", " "))),
		"fonts with wide ranges":  packedFile(onePage(1, zip("", wideContent), wideResources, append([]string{streamOf("", unicode), "[0 65535 500 0 65535 600 0 65535 700]"}, wideFonts...)...)),
		"fonts with many codes":   packedFile(onePage(1, zip("", wideContent), wideResources, append([]string{zip("", unicodes), "[]"}, wideFonts...)...)),
		"a range many times":      packedFile(onePage(1, zip("", "BT /F0 9 Tf <0041> Tj ET"), "<</Font<</F0 7 0 R>>>>", zip("", "1000000 beginbfrange "+strings.Repeat("<00><FF><0041>", 1_000_000)+" endbfrange"), fmt.Sprintf(wide, "[]"))),
		"a font again and again":  packedFile(onePage(1, zip("", "BT "+strings.Repeat("/F 9 Tf ", 3_000_000)+"ET"), simple)),
		"fonts by the thousands":  packedFile(onePage(1, zip("", bareContent), bareResources, append([]string{"null", "null"}, bareFonts...)...)),
		"rows from right to left": packedFile(onePage(4, zip("", "BT /F 1 Tf 500 700 Td "+strings.Repeat(strings.Repeat("(a) Tj -0.9 0 Td ", 4900)+"4410 -2 Td ", 20)+"ET"), simple)),
		"a string after another":  packedFile(onePage(20, zip("", "BT /F 1 Tf 0.01 Tc 5 700 Td "+strings.Repeat("(a) Tj ", 1_000_000)+"ET"), simple)),
		"letters":                 packedFile(onePage(4, zip("", "BT /F 1 Tf 5 700 Td "+strings.Repeat("("+strings.Repeat("a b", 1000)+") Tj 0 -1 Td ", 300)+"ET"), simple)),
		"an array of numbers":     packedFile(onePage(1, zip("", "BT /F 1 Tf ["+strings.Repeat("1 ", 20_000_000)+"] TJ"), simple)),
		"arrays of numbers":       packedFile(onePage(20, zip("", "BT /F 1 Tf "+strings.Repeat("[(a)"+strings.Repeat("1 ", 10_000)+"] TJ ", 1_000)), simple)),
		"marks":                   packedFile(onePage(20, zip("", strings.Repeat("/P BMC ", 9_000)+"BT /F 1 Tf "+strings.Repeat("(a) Tj ", 100_000)), simple)),
		"states":                  packedFile(onePage(20, zip("", strings.Repeat("q ", 10_000)+strings.Repeat("Q q ", 1_000_000)), simple)),
		"forms in forms":          packedFile(onePage(20, zip("", strings.Repeat("/X Do ", 1000)), "<</XObject<</X 6 0 R/Y 7 0 R>>>>", streamOf("/Subtype/Form", strings.Repeat("/Y Do ", 1000)), streamOf("/Subtype/Form", strings.Repeat(" ", 400_000)))),
		"lengths of lengths":      fileOf("", append([]string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>", "<</Type/Page/Parent 2 0 R/Contents 6 0 R>>", "null", "null"}, lengths...)),
		"many small dictionaries": packedFile(onePage(1, zip("", " "), "6 0 R", "["+dicts+"]")),
		"Differences by the million": packedFile(onePage(1, zip("", bareContent), bareResources, append([]string{"[" + strings.Repeat("/a", 1_000_000) + "]", "null"},
			strings.Split(strings.Repeat("<</Subtype/Type1/BaseFont/Courier/Encoding<</Differences 6 0 R>>>>\n", 50_000), "\n")...)...)),
	} {
		t.Run(name, func(t *testing.T) {
			runtime.GC()
			var before, m runtime.MemStats
			runtime.ReadMemStats(&before)
			done, peak := make(chan bool), make(chan uint64)
			go func() {
				var most uint64
				for {
					runtime.ReadMemStats(&m)
					most = max(most, m.HeapInuse)
					select {
					case <-done:
						peak <- most
						return
					case <-time.After(5 * time.Millisecond):
					}
				}
			}()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			began := time.Now()
			d, err := plaintext.Open(ctx, data, plaintext.Options{})
			for i := 0; err == nil && i < d.Pages(); i++ {
				_, err = d.Text(ctx, i)
			}
			took := time.Since(began)
			done <- true
			most := (int64(<-peak) - int64(before.HeapInuse)) >> 20
			t.Logf("%d KB: %v, %d MB, %v", len(data)>>10, took, most, err)
			if err != nil && !errors.Is(err, plaintext.ErrUnsure) { // the time is over
				t.Error(err)
			}
			if most > 300 {
				t.Errorf("%d MB", most)
			}
		})
	}
}
