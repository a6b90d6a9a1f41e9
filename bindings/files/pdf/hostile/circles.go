package hostile

import (
	"fmt"
	"strings"
)

// circles are structures that lead back to themselves, and those that are too deep.
func circles() []File {
	deepPages := newBuilder()
	const depth = 5000
	for i := range depth {
		deepPages.set(10+i, "<</Type/Pages/Count 1/Parent %d 0 R/Kids[%d 0 R]>>", max(9+i, 2), 11+i)
	}
	deepPages.set(2, "<</Type/Pages/Count 1/Kids[10 0 R]>>").set(10+depth, "%s", deepPages.objects[3])

	return []File{
		{"page-tree-circle.pdf", newBuilder().set(2, "<</Type/Pages/Count 2/Parent 2 0 R/Kids[3 0 R 2 0 R]>>").bytes()},
		{"page-tree-deep.pdf", deepPages.bytes()},
		{"parent-circle.pdf", newBuilder().set(3, "<</Type/Page/Parent 6 0 R/Contents 4 0 R>>").set(6, "<</Type/Pages/Parent 6 0 R>>").bytes()},
		{"reference-circle.pdf", newBuilder().set(4, "6 0 R").set(6, "7 0 R").set(7, "6 0 R").bytes()},
		{"length-circle.pdf", newBuilder().set(4, "<</Length 4 0 R>>stream\nq Q\nendstream").bytes()},
		{"previous-table-circle.pdf", previousCircle()},
		{"object-stream-circle.pdf", newBuilder().set(6, "%s", stream("/Type/ObjStm/N 1/First 4/Extends 6 0 R", "7 0 6 0 R")).bytes()},
		{"form-circle.pdf", newBuilder().page("/Resources<</XObject<</X 6 0 R>>>>").content("/X Do").
			set(6, "%s", stream("/Type/XObject/Subtype/Form/BBox[0 0 300 200]/Resources<</XObject<</X 6 0 R>>>>", "/X Do /X Do")).bytes()},
		{"pattern-circle.pdf", newBuilder().page("/Resources<</Pattern<</P 6 0 R>>>>").content("/Pattern cs /P scn 0 0 300 200 re f").
			set(6, "%s", stream("/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 9 9]/XStep 9/YStep 9/Resources<</Pattern<</P 6 0 R>>>>", "/Pattern cs /P scn 0 0 9 9 re f")).bytes()},
		{"glyph-circle.pdf", newBuilder().page("/Resources<</Font<</F 6 0 R>>>>").content("BT /F 50 Tf 9 9 Td (aaa) Tj ET").
			set(6, "<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/FirstChar 97/LastChar 97/Widths[1]/Encoding<</Differences[97/a]>>/CharProcs<</a 7 0 R>>/Resources<</Font<</F 6 0 R>>>>>>").
			set(7, "%s", stream("", "1 0 d0 BT /F 1 Tf (aa) Tj ET")).bytes()},
		{"soft-mask-circle.pdf", newBuilder().page("/Resources<</ExtGState<</G 6 0 R>>>>").content("/G gs 0 0 300 200 re f").
			set(6, "<</Type/ExtGState/SMask<</S/Alpha/G 7 0 R>>>>").
			set(7, "%s", stream("/Type/XObject/Subtype/Form/BBox[0 0 300 200]/Group<</S/Transparency>>/Resources<</ExtGState<</G 6 0 R>>>>", "/G gs 0 0 300 200 re f")).bytes()},
		{"colour-space-circle.pdf", newBuilder().page("/Resources<</ColorSpace<</C 6 0 R>>>>").content("/C cs 1 scn 0 0 300 200 re f").
			set(6, "[/Indexed 6 0 R 1 <00FF>]").bytes()},
		{"function-circle.pdf", newBuilder().page("/Resources<</Shading<</S 6 0 R>>>>").content("/S sh").
			set(6, "<</ShadingType 2/ColorSpace/DeviceGray/Coords[0 0 300 0]/Function 7 0 R>>").
			set(7, "<</FunctionType 3/Domain[0 1]/Functions[7 0 R 7 0 R]/Bounds[0.5]/Encode[0 1 0 1]>>").bytes()},
		{"outline-circle.pdf", newBuilder().set(1, "<</Type/Catalog/Pages 2 0 R/Outlines 6 0 R>>").
			set(6, "<</First 7 0 R/Last 8 0 R>>").set(7, "<</Title(a)/First 6 0 R/Next 8 0 R>>").set(8, "<</Title(b)/First 7 0 R/Next 7 0 R>>").bytes()},
		{"name-tree-circle.pdf", newBuilder().set(1, "<</Type/Catalog/Pages 2 0 R/Names<</Dests 6 0 R>>/Outlines 7 0 R>>").
			set(6, "<</Kids[6 0 R 6 0 R]/Limits[(a)(z)]>>").set(7, "<</First 8 0 R>>").set(8, "<</Title(a)/Dest(m)>>").bytes()},
		{"field-circle.pdf", newBuilder().set(1, "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R]>>>>").
			page("/Annots[7 0 R]").set(6, "<</T(a)/Kids[7 0 R 6 0 R]/Parent 7 0 R>>").
			set(7, "<</Type/Annot/Subtype/Widget/FT/Tx/T(b)/Rect[0 0 50 20]/Parent 6 0 R/Kids[6 0 R]>>").bytes()},
		{"font-circle.pdf", newBuilder().set(5, "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[5 0 R]/ToUnicode 5 0 R>>").bytes()},
		{"arrays-deep.pdf", newBuilder().set(6, "%s", strings.Repeat("[", 200_000)+strings.Repeat("]", 200_000)).page("/Resources 6 0 R").bytes()},
		{"dictionaries-deep.pdf", newBuilder().set(6, "%s", strings.Repeat("<</A", 50_000)+" 1 "+strings.Repeat(">>", 50_000)).page("/Resources 6 0 R").bytes()},
		{"states-deep.pdf", newBuilder().set(4, "%s", flate("", []byte(strings.Repeat("q ", 3_000_000)), 1)).bytes()},
	}
}

// previousCircle has a table of objects that names itself as the one before it.
func previousCircle() []byte {
	b := newBuilder()
	b.table = []byte{}
	start := len(b.bytes())
	b.table = nil
	b.trailer = fmt.Sprintf("/Prev %d", start)
	return b.bytes()
}
