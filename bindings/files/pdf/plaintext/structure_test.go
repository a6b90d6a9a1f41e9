package plaintext_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// tabled makes a file of objects by number with a table in the form of a stream, whose columns
// and sections are given; rows gives its lines.
func tabled(objects map[int]string, w, index string, rows func(at map[int]int) []byte, more string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	at := map[int]int{}
	for n := 1; n < 40; n++ {
		if o, ok := objects[n]; ok {
			at[n] = b.Len()
			fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", n, o)
		}
	}
	table := b.Len()
	fmt.Fprintf(&b, "40 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n", streamOf("/Type/XRef/Size 41/Root 1 0 R/W"+w+index+more, string(rows(at))), table)
	return b.Bytes()
}

// TestUnusualStructure reads files that are put together as few are.
func TestUnusualStructure(t *testing.T) {
	const text = "BT /F 12 Tf 50 700 Td (text) Tj 0 -20 Td (more) Tj ET"
	plain := map[int]string{1: "<</Type/Catalog/Pages 2 0 R>>", 2: "<</Type/Pages/Count 1/Kids[3 0 R]>>",
		3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>", 4: streamOf("", text), 5: helvetica}
	with := func(changes map[int]string) map[int]string {
		all := map[int]string{}
		for n, o := range plain {
			all[n] = o
		}
		for n, o := range changes {
			all[n] = o
		}
		return all
	}
	list := func(changes map[int]string) (out []string) {
		all := with(changes)
		for n := 1; n <= len(all); n++ {
			out = append(out, all[n])
		}
		return out
	}
	page := func(attributes string) []byte {
		return fileOf("", list(map[int]string{3: "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>" + attributes + ">>"}))
	}
	rows := func(at map[int]int) (out []byte) {
		for n := 1; n <= 5; n++ {
			out = append(out, byte(at[n]>>8), byte(at[n]))
		}
		return out
	}
	good := fileOf("", list(nil))
	update := func(old []byte, object string, number int, trailer string) []byte {
		var b bytes.Buffer
		b.Write(old)
		at := b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", number, object)
		table := b.Len()
		entry := fmt.Sprintf("%d 1\n%010d 00000 n \n", number, at)
		if object == "" {
			entry = fmt.Sprintf("%d 1\n0000000000 00001 f \n", number)
		}
		fmt.Fprintf(&b, "xref\n%strailer\n<</Size 6/Root 1 0 R/Prev %d%s>>\nstartxref\n%d\n%%%%EOF\n", entry, bytes.LastIndex(old, []byte("\nxref\n"))+1, trailer, table)
		return b.Bytes()
	}
	packed := func(extends string) []byte {
		body := helvetica
		return tabled(with(map[int]string{5: "null", 6: streamOf("/Type/ObjStm/N 1/First 4"+extends, "7 0 "+body),
			3: strings.Replace(plain[3], "5 0 R", "7 0 R", 1)}), "[1 2 1]", "/Index[1 7]", func(at map[int]int) (out []byte) {
			for n := 1; n <= 6; n++ {
				out = append(out, 1, byte(at[n]>>8), byte(at[n]), 0)
			}
			return append(out, 2, 0, 6, 0)
		}, "")
	}
	inherited := map[int]string{2: "<</Type/Pages/Count 1/Kids[3 0 R]/MediaBox[0 0 300 200]/Rotate 270/Resources<</Font<</F 6 0 R>>>>>>", 6: strings.Replace(helvetica, "/WinAnsiEncoding", "<</Differences[116/x]>>", 1),
		3: "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>"}
	orphan := map[int]string{2: inherited[2], 6: inherited[6], 3: "<</Type/Page/Contents 4 0 R>>"}
	adopted := map[int]string{2: inherited[2], 6: inherited[6], 3: "<</Type/Page/Parent 7 0 R/Contents 4 0 R>>", 7: "<</Type/Pages/Count 1/Kids[3 0 R]/Resources<</Font<</F 5 0 R>>>>>>"}
	for name, data := range map[string][]byte{
		"columns without a type":         tabled(plain, "[0 2 0]", "/Index[1 5]", rows, ""),
		"an odd Index":                   tabled(plain, "[0 2 0]", "/Index[1 5 9]", rows, ""),
		"an Index too long":              tabled(plain, "[0 2 0]", "/Index[1 50]", rows, ""),
		"a negative Index":               tabled(plain, "[0 2 0]", "/Index[-1 5]", rows, ""),
		"columns of 8 bytes":             tabled(plain, "[0 8 0]", "/Index[1 5]", rows, ""),
		"no columns":                     tabled(plain, "[0 0 0]", "/Index[1 5]", rows, ""),
		"sections that overlap":          tabled(plain, "[0 2 0]", "/Index[1 5 4 1]", func(at map[int]int) []byte { return append(rows(at), 0, 9) }, ""),
		"an object stream":               packed(""),
		"an object stream on another":    packed("/Extends 5 0 R"),
		"an object stream on itself":     packed("/Extends 6 0 R"),
		"a negative number of an object": bytes.Replace(good, []byte("xref\n0 6\n"), []byte("xref\n-1 6\n"), 1),
		"a table from 1":                 bytes.Replace(good, []byte("xref\n0 6\n"), []byte("xref\n1 6\n"), 1),
		"a Size too small":               bytes.Replace(good, []byte("/Size 6"), []byte("/Size 4"), 1),
		"an update":                      update(good, streamOf("", "BT /F 12 Tf 50 700 Td (new) Tj ET"), 4, ""),
		"two updates":                    update(update(good, streamOf("", "BT /F 12 Tf 50 700 Td (new) Tj ET"), 4, ""), streamOf("", "BT /F 12 Tf 50 700 Td (newer) Tj ET"), 4, ""),
		"a deletion":                     update(good, "", 4, ""),
		"an update, encrypted":           update(good, helvetica, 5, "/Encrypt<</Filter/Standard/V 1/R 2>>"),
		"an update of one encrypted":     update(fileOf("/Encrypt<</Filter/Standard/V 1/R 2>>", list(nil)), helvetica, 5, ""),
		"a hybrid":                       update(good, helvetica, 5, "/XRefStm 9"),
		"a table in a circle":            bytes.Replace(good, []byte("/Size 6"), []byte(fmt.Sprintf("/Size 6/Prev %d", bytes.LastIndex(good, []byte("\nxref\n"))+1)), 1),
		"a negative Prev":                bytes.Replace(good, []byte("/Size 6"), []byte("/Size 6/Prev -9"), 1),
		"inherited":                      fileOf("", list(inherited)),
		"no parent":                      fileOf("", list(orphan)),
		"another parent":                 fileOf("", list(adopted)),
		"turned by 90":                   page("/MediaBox[0 0 600 800]/Rotate 90"),
		"turned by 180":                  page("/MediaBox[0 0 600 800]/Rotate -180"),
		"turned by 45":                   page("/MediaBox[0 0 600 800]/Rotate 45"),
		"turned by 450":                  page("/MediaBox[0 0 600 800]/Rotate 450"),
		"a UserUnit":                     page("/MediaBox[0 0 600 800]/UserUnit 10"),
		"a box the other way round":      page("/MediaBox[600 800 0 0]"),
		"a box far away":                 page("/MediaBox[5000 5000 5600 5800]"),
		"a box of nothing":               page("/MediaBox[0 0 0 0]"),
		"a box of names":                 page("/MediaBox[/a 0 600 800]"),
		"a box of three":                 page("/MediaBox[0 0 600]"),
		"a very small box":               page("/MediaBox[0 0 0.5 0.5]"),
		"a crop box":                     page("/MediaBox[0 0 600 800]/CropBox[0 690 600 800]"),
		"a crop box elsewhere":           page("/MediaBox[0 0 600 800]/CropBox[900 900 1000 1000]"),
		"no resources":                   fileOf("", list(map[int]string{3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R>>"})),
		"contents in pieces":             fileOf("", list(map[int]string{3: strings.Replace(plain[3], "4 0 R", "[4 0 R 6 0 R]", 1), 4: streamOf("", "BT /F 12 Tf 50 700 Td (one) T"), 6: streamOf("", "j 0 -20 Td (two) Tj ET")})),
		"a string in pieces":             fileOf("", list(map[int]string{3: strings.Replace(plain[3], "4 0 R", "[4 0 R 6 0 R]", 1), 4: streamOf("", "BT /F 12 Tf 50 700 Td (on"), 6: streamOf("", "e) Tj ET")})),
		"contents of null":               fileOf("", list(map[int]string{3: strings.Replace(plain[3], "4 0 R", "[6 0 R 4 0 R null]", 1), 6: "null"})),
		"contents by an object":          fileOf("", list(map[int]string{3: strings.Replace(plain[3], "4 0 R", "6 0 R", 1), 6: "[4 0 R]"})),
		"contents in a list of lists":    fileOf("", list(map[int]string{3: strings.Replace(plain[3], "4 0 R", "[6 0 R]", 1), 6: "[4 0 R]"})),
		"contents twice":                 fileOf("", list(map[int]string{3: strings.Replace(plain[3], "4 0 R", "[4 0 R 4 0 R]", 1)})),
		"a length elsewhere":             fileOf("", list(map[int]string{4: "<</Length 6 0 R>>stream\r\n" + text + "\nendstream", 6: fmt.Sprint(len(text))})),
		"a predictor's short line":       fileOf("", list(map[int]string{4: streamOf("/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 9>>", deflated("\x00BT /F 12 \x00Tf 50 700\x00 Td (on)T\x00j ET"))})),
		"a predictor that adds":          fileOf("", list(map[int]string{4: streamOf("/Filter/FlateDecode/DecodeParms<</Predictor 11/Columns 9>>", deflated("\x01BT       "))})),
		"filters of nothing":             fileOf("", list(map[int]string{4: streamOf("/Filter[]/DecodeParms[null]", text)})),
		"two filters":                    fileOf("", list(map[int]string{4: streamOf("/Filter[/ASCIIHexDecode/FlateDecode]", "41>")})),
		"half of a compressed stream":    fileOf("", list(map[int]string{4: streamOf("/Filter/FlateDecode", deflated(text)[:20])})),
		"a key twice":                    fileOf("", list(map[int]string{3: strings.Replace(plain[3], "/Contents 4 0 R", "/Contents 6 0 R/Contents 4 0 R", 1), 6: streamOf("", "BT /F 12 Tf 50 700 Td (no) Tj ET")})),
		"a key of null":                  fileOf("", list(map[int]string{3: strings.Replace(plain[3], "/Contents 4 0 R", "/Contents 4 0 R/Rotate null/CropBox null", 1), 2: "<</Type/Pages/Count 1/Kids[3 0 R]/Rotate 90>>"})),
		"annotations":                    fileOf("", list(map[int]string{3: strings.Replace(plain[3], "/Contents", "/Annots[6 0 R]/Contents", 1), 6: "<</Type/Annot/Subtype/FreeText/Rect[50 500 200 550]/Contents(note)/DA(/F 9 Tf)/AP<</N 7 0 R>>>>", 7: streamOf("/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<</Font<</F 5 0 R>>>>", "BT /F 9 Tf 5 5 Td (note) Tj ET")})),
		"kids without a count":           fileOf("", list(map[int]string{2: "<</Type/Pages/Kids[3 0 R]>>"})),
		"a page twice":                   fileOf("", list(map[int]string{2: "<</Type/Pages/Count 2/Kids[3 0 R 3 0 R]>>"})),
	} {
		t.Run(name, func(t *testing.T) { agree(t, data) })
	}
}
