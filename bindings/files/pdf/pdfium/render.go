package pdfium

import (
	"errors"
	"image"
)

// ErrPixels is an image for which there is no memory.
var ErrPixels = errors.New("pdfium: there is no memory for so many pixels")

// MaxPixels is how many pixels Render makes at most: they are in the document's memory.
const MaxPixels = 25_000_000

// Flags of FPDF_RenderPageBitmap, and the formats of bitmaps.
const (
	renderAnnotations = 0x01
	renderRGBA        = 0x10

	bitmapGray = 1
	bitmapBGR  = 2
	bitmapBGRx = 3
	bitmapBGRA = 4
)

// Render draws a page with its annotations and form fields on white, width × height
// pixels, and hands it to use, which must not keep it.
func (d *Document) Render(page, width, height int, use func(img *image.RGBA) error) (err error) {
	defer guard(&err)
	if width <= 0 || height <= 0 || width > MaxPixels/height {
		return ErrPixels
	}
	if err := d.enterForm(); err != nil {
		return err
	}
	p, err := d.enterPage(page)
	if err != nil {
		return err
	}
	bitmap := d.m.FPDFBitmap_CreateEx(width, height, bitmapBGRA, 0, 0)
	if bitmap == 0 {
		return ErrPixels
	}
	defer func() {
		if d.m.broken == nil {
			d.m.FPDFBitmap_Destroy(bitmap)
		}
	}()
	d.m.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, -1)
	d.m.FPDF_RenderPageBitmap(bitmap, p, 0, 0, width, height, 0, renderAnnotations|renderRGBA)
	if d.form != 0 {
		d.m.FPDF_FFLDraw(d.form, bitmap, p, 0, 0, width, height, 0, renderAnnotations|renderRGBA)
	}
	stride := d.m.FPDFBitmap_GetStride(bitmap)
	pixels := d.m.bytes(d.m.FPDFBitmap_GetBuffer(bitmap), stride*height)
	return use(&image.RGBA{Pix: pixels, Stride: stride, Rect: image.Rect(0, 0, width, height)})
}

// enterForm makes the environment without which form fields are neither shown nor filled,
// if the document has a form.
func (d *Document) enterForm() error {
	if d.form != 0 || d.m.FPDF_GetFormType(d.doc) == int(NoForm) {
		return nil
	}
	d.leavePage()
	if d.info = d.m.PDFiumExt_OpenFormFillInfo(); d.info == 0 {
		return ErrBroken
	}
	if d.form = d.m.PDFiumExt_InitFormFillEnvironment(d.doc, d.info); d.form == 0 {
		return ErrBroken
	}
	d.m.FPDF_SetFormFieldHighlightAlpha(d.form, 0)
	return nil
}
