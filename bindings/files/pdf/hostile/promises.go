package hostile

import "fmt"

// promises are numbers that are larger than what follows.
func promises() []File {
	image := func(attributes, data string) []byte {
		return newBuilder().page("/Resources<</XObject<</X 6 0 R>>>>").content("q 300 0 0 200 0 0 cm /X Do Q").
			set(6, "%s", stream("/Type/XObject/Subtype/Image"+attributes, data)).bytes()
	}
	// A JPEG 2000 and a JBIG2 whose headers say that they are of 2^31 pixels by as many.
	jpx := "\x00\x00\x00\x0CjP  \r\n\x87\n\xFF\x4F\xFF\x51\x00\x2F\x00\x00\x7F\xFF\xFF\xFF\x7F\xFF\xFF\xFF\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x07\x01\x01\x07\x01\x01\x07\x01\x01"
	jbig2 := "\x00\x00\x00\x00\x30\x00\x01\x00\x00\x00\x13\x7F\xFF\xFF\xFF\x7F\xFF\xFF\xFF\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	return []File{
		{"page-count.pdf", newBuilder().set(2, "<</Type/Pages/Count 2147483647/Kids[3 0 R]>>").bytes()},
		{"page-count-negative.pdf", newBuilder().set(2, "<</Type/Pages/Count -5/Kids[3 0 R]>>").bytes()},
		{"page-huge.pdf", newBuilder().set(3, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 3e38 3e38]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>").bytes()},
		{"page-thin.pdf", newBuilder().set(3, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 0.0001 200000]/Contents 4 0 R>>").bytes()},
		{"image-huge.pdf", image("/Width 100000/Height 100000/BitsPerComponent 8/ColorSpace/DeviceRGB", "x")},
		{"image-overflow.pdf", image("/Width 2147483647/Height 2147483647/BitsPerComponent 16/ColorSpace/DeviceCMYK", "x")},
		{"image-flate-bomb.pdf", newBuilder().page("/Resources<</XObject<</X 6 0 R>>>>").content("q 300 0 0 200 0 0 cm /X Do Q").
			set(6, "%s", flate("/Type/XObject/Subtype/Image/Width 9000/Height 9000/BitsPerComponent 8/ColorSpace/DeviceRGB", make([]byte, 243_000_000), 1)).bytes()},
		{"jpeg2000-huge.pdf", image("/Width 2147483647/Height 2147483647/Filter/JPXDecode", jpx)},
		{"jbig2-huge.pdf", image("/Width 2147483647/Height 2147483647/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/JBIG2Decode", jbig2)},
		{"indexed-huge.pdf", image("/Width 9/Height 9/BitsPerComponent 8/ColorSpace[/Indexed/DeviceRGB 2147483647 <00>]", "123456789")},
		{"sampled-function-huge.pdf", newBuilder().page("/Resources<</Shading<</S 6 0 R>>>>").content("/S sh").
			set(6, "<</ShadingType 1/ColorSpace/DeviceRGB/Function 7 0 R>>").
			set(7, "%s", stream("/FunctionType 0/Domain[0 1 0 1]/Range[0 1 0 1 0 1]/Size[65535 65535]/BitsPerSample 32", "x")).bytes()},
		{"mesh-huge.pdf", newBuilder().page("/Resources<</Shading<</S 6 0 R>>>>").content("/S sh").
			set(6, "%s", flate("/ShadingType 5/VerticesPerRow 2/ColorSpace/DeviceRGB/BitsPerCoordinate 8/BitsPerComponent 8/Decode[0 300 0 200 0 1 0 1 0 1]", make([]byte, 20_000_000), 1)).bytes()},
		{"to-unicode-huge.pdf", newBuilder().set(5, "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/ToUnicode 6 0 R/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>]>>").
			set(6, "%s", stream("", "1 begincodespacerange <00000000> <FFFFFFFF> endcodespacerange 1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange")).bytes()},
		{"widths-huge.pdf", newBuilder().set(5, "<</Type/Font/Subtype/TrueType/BaseFont/A/FirstChar 0/LastChar 2147483647/Widths[500]>>").bytes()},
		{"dash-huge.pdf", newBuilder().content("[0.00001 0.00001] 0 d 1 w 0 0 m 300 200 l 100000 100000 l S").bytes()},
		{"font-size-huge.pdf", newBuilder().content("BT /F 1e30 Tf 1e30 Tz 20 20 Td (hostile) Tj 1e-30 0 0 1e-30 0 0 Tm (hostile) Tj ET").bytes()},
		{"table-huge.pdf", tableHuge()},
	}
}

// tableHuge says that there are two billion objects.
func tableHuge() []byte {
	b := newBuilder()
	b.table = []byte("xref\n0 2147483647\n0000000000 65535 f \ntrailer\n<</Size 2147483647/Root 1 0 R>>\n")
	data := b.bytes()
	return fmt.Appendf(data, "startxref\n%d\n%%%%EOF\n", len(data)-len(b.table))
}
