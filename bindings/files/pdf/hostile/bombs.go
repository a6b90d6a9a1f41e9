package hostile

import (
	"bytes"
	"fmt"
	"strings"
)

// bombs are small files that become large ones.
func bombs() []File {
	spaces := bytes.Repeat([]byte(" "), 64<<20)
	return []File{
		{"flate-bomb.pdf", newBuilder().set(4, "%s", flate("", spaces, 1)).bytes()},
		{"flate-bomb-in-bomb.pdf", newBuilder().set(4, "%s", doubleBomb()).bytes()},
		{"run-length-bomb.pdf", newBuilder().set(4, "%s", runLengthBomb()).bytes()},
		{"operator-bomb.pdf", newBuilder().set(4, "%s", flate("", bytes.Repeat([]byte("q 1 0 0 1 0 0 cm "), 2_000_000), 1)).bytes()},
		{"text-bomb.pdf", newBuilder().set(4, "%s", flate("", []byte("BT /F 1 Tf "+strings.Repeat("(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj 1 0 Td ", 150_000)+"ET"), 1)).bytes()},
		{"path-bomb.pdf", newBuilder().set(4, "%s", flate("", []byte("0 0 m "+strings.Repeat("300 200 l 0 0 l ", 1_000_000)+"S"), 1)).bytes()},
		{"form-bomb.pdf", formBomb()},
		{"object-bomb.pdf", objectBomb()},
		{"page-bomb.pdf", pageBomb()},
		{"annotation-bomb.pdf", annotationBomb()},
		{"field-bomb.pdf", fieldBomb()},
		{"tile-bomb.pdf", newBuilder().page("/Resources<</Pattern<</P 6 0 R>>>>").
			set(6, "%s", stream("/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]/XStep 0.0005/YStep 0.0005/Resources<<>>", "1 0 0 rg 0 0 1 1 re f")).
			content("/Pattern cs /P scn 0 0 300 200 re f").bytes()},
		{"shading-bomb.pdf", newBuilder().page("/Resources<</Shading<</S 6 0 R>>>>").
			set(6, "<</ShadingType 1/ColorSpace/DeviceRGB/Domain[0 1 0 1]/Matrix[300 0 0 200 0 0]/Function 7 0 R>>").
			set(7, "%s", stream("/FunctionType 4/Domain[0 1 0 1]/Range[0 1 0 1 0 1]", "{ "+strings.Repeat("2 copy mul sin exch cos add exch ", 3000)+" dup }")).
			content(strings.Repeat("/S sh ", 200)).bytes()},
	}
}

// doubleBomb is a quarter of a gigabyte, compressed twice over.
func doubleBomb() string { return flate("", bytes.Repeat([]byte(" "), 256<<20), 2) }

func runLengthBomb() string {
	// Two million pairs, each of which is 128 bytes: 256 MB.
	data := deflate(append(bytes.Repeat([]byte{129, ' '}, 2<<20), 128))
	return stream("/Filter[/FlateDecode/RunLengthDecode]", string(data))
}

// formBomb is a form that draws ten forms that draw ten, ten levels deep.
func formBomb() []byte {
	const levels, first = 10, 10
	b := newBuilder().page("/Resources<</XObject<</X 10 0 R>>>>").content("/X Do")
	for i := range levels {
		next, what := "", "0 0 1 1 re f"
		if i < levels-1 {
			next, what = fmt.Sprintf("/Resources<</XObject<</X %d 0 R>>>>", first+i+1), strings.Repeat("/X Do ", 10)
		}
		b.set(first+i, "%s", stream("/Type/XObject/Subtype/Form/BBox[0 0 300 200]"+next, what))
	}
	return b.bytes()
}

func objectBomb() []byte {
	objects := map[int]string{}
	for i := range 120_000 {
		objects[10+i] = "<</A[1 2 3]>>"
	}
	return packed(newBuilder(), objects)
}

// pageBomb has one page three hundred thousand times.
func pageBomb() []byte {
	const pages = 300_000
	b := newBuilder()
	delete(b.objects, 2)
	return packed(b, map[int]string{2: fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", pages, strings.Repeat("3 0 R ", pages))})
}

func annotationBomb() []byte {
	b := newBuilder()
	delete(b.objects, 3)
	return packed(b, map[int]string{3: "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Annots[" +
		strings.Repeat("<</Type/Annot/Subtype/Square/Rect[0 0 300 200]/C[1 0 0]>>", 100_000) + "]>>"})
}

func fieldBomb() []byte {
	const fields = 15_000
	b := newBuilder()
	delete(b.objects, 1)
	delete(b.objects, 3)
	objects := map[int]string{}
	var all strings.Builder
	for i := range fields {
		objects[10+i] = fmt.Sprintf("<</Type/Annot/Subtype/Widget/FT/Tx/T(f%d)/Rect[0 0 9 9]/DA(/F 1 Tf)>>", i)
		fmt.Fprintf(&all, "%d 0 R ", 10+i)
	}
	objects[1] = "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[" + all.String() + "]>>>>"
	objects[3] = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Annots[" + all.String() + "]>>"
	return packed(b, objects)
}
