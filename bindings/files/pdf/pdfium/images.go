package pdfium

import (
	"crypto/sha256"
	"image"
)

// Image is an image that is placed on a page.
type Image struct {
	Width, Height int  // in pixels
	Box           Rect // where it is on the page
	// JPEG is the file as it is in the document, where it is one that viewers show as it
	// is; otherwise Pixels are what is decoded.
	JPEG   []byte
	Pixels *image.NRGBA
	Sum    [sha256.Size]byte // of its bytes: images that are placed often are alike
}

// Images hands each image of a page to use. Those smaller than least pixels in width or
// height are left out, and so are those of more than most pixels, which skipped counts,
// and those that cannot be decoded. An error of use ends it.
func (d *Document) Images(page, least int, most int64, use func(Image) error) (skipped int, err error) {
	defer guard(&err)
	p, err := d.enterPage(page)
	if err != nil {
		return 0, err
	}
	f := d.m.frame(p)
	out := d.m.alloc(8)
	defer d.m.drop(out)
	var failed error
	d.walk(p, func(object ptr, kind int, around matrix) bool {
		if kind != objectImage || d.m.FPDFImageObj_GetImagePixelSize(object, out, out+4) == 0 {
			return true
		}
		size := d.m.ints(out, 2)
		img := Image{Width: size[0], Height: size[1]}
		if img.Width < max(least, 1) || img.Height < max(least, 1) {
			return true
		}
		if int64(img.Width) > most/int64(img.Height) {
			skipped++
			return true
		}
		img.Box = f.rect(unitSquare(d.m.matrixOf(object).then(around)))
		if !d.decode(object, &img) {
			skipped++
			return true
		}
		failed = use(img)
		return failed == nil
	})
	return skipped, failed
}

// unitSquare is where an image lies: it fills the unit square of its coordinates.
func unitSquare(m matrix) Rect {
	x, y := m.apply(0, 0)
	r := Rect{x, y, x, y}
	for _, corner := range [][2]float64{{1, 0}, {0, 1}, {1, 1}} {
		x, y := m.apply(corner[0], corner[1])
		r = Rect{min(r.Left, x), min(r.Bottom, y), max(r.Right, x), max(r.Top, y)}
	}
	return r
}

// decode gets the image's bytes or its pixels.
func (d *Document) decode(object ptr, img *Image) bool {
	if d.isJPEG(object) {
		n := d.m.FPDFImageObj_GetImageDataRaw(object, 0, 0)
		if n > 4 && n <= 64<<20 {
			buf := d.m.alloc(n)
			defer d.m.drop(buf)
			n = min(n, d.m.FPDFImageObj_GetImageDataRaw(object, buf, n))
			data := append([]byte(nil), d.m.bytes(buf, n)...)
			if components := jpegComponents(data); components == 1 || components == 3 {
				img.JPEG, img.Sum = data, sha256.Sum256(data)
				return true
			}
		}
	}
	bitmap := d.m.FPDFImageObj_GetBitmap(object)
	if bitmap == 0 {
		return false
	}
	defer func() {
		if d.m.broken == nil {
			d.m.FPDFBitmap_Destroy(bitmap)
		}
	}()
	return d.pixels(bitmap, img)
}

// isJPEG is whether the image is stored as JPEG and in no other way besides.
func (d *Document) isJPEG(object ptr) bool {
	if d.m.FPDFImageObj_GetImageFilterCount(object) != 1 {
		return false
	}
	return d.m.narrowOf(func(buf ptr, size int) int { return d.m.FPDFImageObj_GetImageFilter(object, 0, buf, size) }) == "DCTDecode"
}

// jpegComponents is how many colours a JPEG has: 1 or 3, or 4 for what is printed, which
// few viewers show rightly; 0 if it is none.
func jpegComponents(data []byte) int {
	for i := 2; i+9 < len(data) && data[i] == 0xFF; {
		marker := data[i+1]
		if marker == 0xFF {
			i++
			continue
		}
		if marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC {
			return int(data[i+9])
		}
		i += 2 + int(data[i+2])<<8 + int(data[i+3])
	}
	return 0
}

// pixels copies a bitmap of any of PDFium's formats.
func (d *Document) pixels(bitmap ptr, img *Image) bool {
	width, height := d.m.FPDFBitmap_GetWidth(bitmap), d.m.FPDFBitmap_GetHeight(bitmap)
	stride, format := d.m.FPDFBitmap_GetStride(bitmap), d.m.FPDFBitmap_GetFormat(bitmap)
	bytesPerPixel := map[int]int{bitmapGray: 1, bitmapBGR: 3, bitmapBGRx: 4, bitmapBGRA: 4}[format]
	if bytesPerPixel == 0 || width <= 0 || height <= 0 || stride < width*bytesPerPixel {
		return false
	}
	from := d.m.bytes(d.m.FPDFBitmap_GetBuffer(bitmap), stride*height)
	img.Width, img.Height, img.Sum = width, height, sha256.Sum256(from)
	img.Pixels = image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		row, to := from[y*stride:], img.Pixels.Pix[y*img.Pixels.Stride:]
		for x := range width {
			p := row[x*bytesPerPixel:]
			switch format {
			case bitmapGray:
				to[4*x], to[4*x+1], to[4*x+2], to[4*x+3] = p[0], p[0], p[0], 255
			case bitmapBGRA:
				to[4*x], to[4*x+1], to[4*x+2], to[4*x+3] = p[2], p[1], p[0], p[3]
			default:
				to[4*x], to[4*x+1], to[4*x+2], to[4*x+3] = p[2], p[1], p[0], 255
			}
		}
	}
	return true
}
