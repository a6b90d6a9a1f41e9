package builtin

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"github.com/sandboxd/sandboxd/bindings/files/image/builtin/scaledjpeg"
	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/problem"
)

// decode gives the frames that a job asks for.
func (e Engine) decode(job picture.Job) ([]*image.NRGBA, error) {
	if job.Source.Pixels != nil {
		return []*image.NRGBA{job.Source.Pixels}, nil
	}
	r, h := bytes.NewReader(job.Source.Data), job.Source.Header
	var m image.Image
	var err error
	switch h.Format {
	case picture.JPEG:
		small, err := decodeSmaller(job)
		if small != nil || err != nil {
			return small, err
		}
		if m, err = jpeg.Decode(r); err != nil {
			return nil, err
		}
	case picture.PNG:
		m, err = png.Decode(r)
	case picture.GIF:
		return decodeGIF(r, h, job)
	case picture.WebP:
		if m, err = webp.Decode(r); err == nil {
			return fitting(ofWebP(m), h)
		}
	case picture.TIFF:
		if job.Frame > 0 {
			return nil, missing("pages of a TIFF after the first cannot be read")
		}
		m, err = tiff.Decode(r)
	case picture.BMP:
		return DecodeBMP(job.Source.Data, h)
	default:
		return nil, fmt.Errorf("no decoder for %s", h.Format)
	}
	if err != nil {
		return nil, err
	}
	if b := m.Bounds(); b.Dx() != h.Width || b.Dy() != h.Height {
		return nil, fmt.Errorf("the decoder finds %d × %d pixels, the header %d × %d", b.Dx(), b.Dy(), h.Width, h.Height)
	}
	out, err := ToNRGBA(m)
	if err != nil {
		return nil, err
	}
	return fitting(out, h)
}

// decodeSmaller decodes a JPEG that is scaled down at once; nil where it is not.
func decodeSmaller(job picture.Job) ([]*image.NRGBA, error) {
	h := job.Source.Header
	first, ok := firstScale(job.Steps)
	if !ok {
		return nil, nil
	}
	if n := first.Shrink; n > 1 {
		small, err := scaledjpeg.Decode(job.Source.Data, n)
		if err == nil {
			if b := small.Bounds(); b.Dx() != max(1, h.Width/n) || b.Dy() != max(1, h.Height/n) {
				return nil, fmt.Errorf("the decoder finds %v pixels at 1/%d, the header %d × %d", b.Size(), n, h.Width, h.Height)
			}
			out, err := ToNRGBA(small)
			if err != nil {
				return nil, err
			}
			return fitting(out, h)
		}
		if !errors.Is(err, scaledjpeg.ErrUnsupported) {
			return nil, err
		}
	}
	n := shrinkFor(h, first)
	if n <= 1 {
		return nil, nil
	}
	m, err := jpeg.Decode(bytes.NewReader(job.Source.Data))
	if err != nil {
		return nil, err
	}
	if m.Bounds().Size() != image.Pt(h.Width, h.Height) {
		return nil, fmt.Errorf("the decoder finds %v pixels, the header %d × %d", m.Bounds().Size(), h.Width, h.Height)
	}
	return fitting(shrink(m, n), h)
}

// ReadsBMP answers unsupported_format for BMPs that are not decoded, and damaged_file for those
// that have less than the pixels they claim, before memory is taken for these.
func ReadsBMP(data []byte, h picture.Header) error {
	_, err := bmp.DecodeConfig(bytes.NewReader(data))
	if errors.Is(err, bmp.ErrUnsupported) {
		return problem.New(problem.UnsupportedFormat, "BMPs of this kind (compressed, of 16 bits a pixel, or very old) cannot be read").
			WithHint("Save it as a BMP of 24 bits without compression, or as PNG.").WithCause(err)
	}
	if err != nil {
		return explain(err)
	}
	bits := int64(binary.LittleEndian.Uint16(data[28:]))
	if need := (int64(h.Width)*bits + 31) / 32 * 4 * int64(h.Height); need > int64(len(data)) {
		return problem.New(problem.DamagedFile, "the BMP is cut off: its pixels take %d bytes, it has %d", need, len(data))
	}
	return nil
}

// DecodeBMP decodes a BMP, which libvips does not: both engines have its pixels from here.
func DecodeBMP(data []byte, h picture.Header) ([]*image.NRGBA, error) {
	m, err := bmp.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out, err := ToNRGBA(m)
	if err != nil {
		return nil, err
	}
	return fitting(out, h)
}

// fitting brings the colours of a profile into sRGB.
func fitting(m *image.NRGBA, h picture.Header) ([]*image.NRGBA, error) {
	if h.ICC != nil && h.Space != "cmyk" {
		toSRGB(m, h.ICC)
	}
	return []*image.NRGBA{m}, nil
}

// ToNRGBA makes 8 bit pixels of whatever a decoder gives. A palette index that the palette
// does not have is an error.
func ToNRGBA(m image.Image) (*image.NRGBA, error) {
	b := m.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	rows := func(row func(dst []byte, y int)) {
		for y := range b.Dy() {
			row(out.Pix[y*out.Stride:][:4*b.Dx()], y)
		}
	}
	switch m := m.(type) {
	case *image.NRGBA:
		if m.Rect == out.Rect && m.Stride == out.Stride {
			return m, nil
		}
		rows(func(dst []byte, y int) { copy(dst, m.Pix[y*m.Stride:]) })
	case *image.Gray:
		rows(func(dst []byte, y int) {
			for x, v := range m.Pix[y*m.Stride:][:b.Dx()] {
				dst[4*x], dst[4*x+1], dst[4*x+2], dst[4*x+3] = v, v, v, 255
			}
		})
	case *image.Gray16:
		rows(func(dst []byte, y int) {
			for x := range b.Dx() {
				v := m.Pix[y*m.Stride+2*x]
				dst[4*x], dst[4*x+1], dst[4*x+2], dst[4*x+3] = v, v, v, 255
			}
		})
	case *image.NRGBA64:
		rows(func(dst []byte, y int) {
			for i := range dst {
				dst[i] = m.Pix[y*m.Stride+2*i]
			}
		})
	case *image.CMYK:
		rows(func(dst []byte, y int) {
			for x := range b.Dx() {
				p := m.Pix[y*m.Stride+4*x:][:4]
				k := 255 - uint32(p[3])
				for c := range 3 {
					dst[4*x+c] = byte((255 - uint32(p[c])) * k / 255)
				}
				dst[4*x+3] = 255
			}
		})
	case *image.Paletted:
		return out, ofPalette(out, m)
	default:
		if opaque, ok := m.(interface{ Opaque() bool }); !ok || !opaque.Opaque() {
			draw.Draw(out, out.Rect, m, b.Min, draw.Src)
			return out, nil
		}
		// Opaque RGBA is NRGBA, and the faster to draw on.
		draw.Draw(&image.RGBA{Pix: out.Pix, Stride: out.Stride, Rect: out.Rect}, out.Rect, m, b.Min, draw.Src)
	}
	return out, nil
}

func ofPalette(out *image.NRGBA, m *image.Paletted) error {
	var table [256][4]byte
	for i, c := range m.Palette {
		if i < 256 {
			n := nrgbaOf(c)
			table[i] = [4]byte{n.R, n.G, n.B, n.A}
		}
	}
	b := m.Bounds()
	for y := range b.Dy() {
		dst := out.Pix[y*out.Stride:]
		for x, index := range m.Pix[y*m.Stride:][:b.Dx()] {
			if int(index) >= len(m.Palette) {
				return fmt.Errorf("palette index %d of %d", index, len(m.Palette))
			}
			copy(dst[4*x:], table[index][:])
		}
	}
	return nil
}

// ofWebP makes pixels of WebP's YCbCr, which has the range of video (ITU-R BT.601), and not
// that of JPEG as the standard library takes it.
func ofWebP(m image.Image) *image.NRGBA {
	var y *image.YCbCr
	var alpha func(x, y int) byte
	switch m := m.(type) {
	case *image.YCbCr:
		y, alpha = m, func(int, int) byte { return 255 }
	case *image.NYCbCrA:
		y, alpha = &m.YCbCr, func(x, y int) byte { return m.A[m.AOffset(x, y)] }
	default:
		out, _ := ToNRGBA(m)
		return out
	}
	b := y.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	for row := range b.Dy() {
		dst := out.Pix[row*out.Stride:]
		for x := range b.Dx() {
			c := y.COffset(b.Min.X+x, b.Min.Y+row)
			luma := 76309 * (int32(y.Y[y.YOffset(b.Min.X+x, b.Min.Y+row)]) - 16)
			cb, cr := int32(y.Cb[c])-128, int32(y.Cr[c])-128
			dst[4*x] = clamp16(luma + 104597*cr)
			dst[4*x+1] = clamp16(luma - 25674*cb - 53278*cr)
			dst[4*x+2] = clamp16(luma + 132201*cb)
			dst[4*x+3] = alpha(b.Min.X+x, b.Min.Y+row)
		}
	}
	return out
}

// clamp16 rounds a 16.16 fixed point number to a byte.
func clamp16(v int32) byte {
	v = (v + 1<<15) >> 16
	return byte(max(0, min(v, 255)))
}

// decodeGIF plays a GIF up to the frame asked for, or all of it.
func decodeGIF(r *bytes.Reader, h picture.Header, job picture.Job) ([]*image.NRGBA, error) {
	if !job.All && job.Frame == 0 {
		first, err := gif.Decode(r)
		if err != nil {
			return nil, err
		}
		p, ok := first.(*image.Paletted)
		if !ok {
			return nil, fmt.Errorf("a frame is a %T", first)
		}
		canvas := image.NewNRGBA(image.Rect(0, 0, h.Width, h.Height))
		return []*image.NRGBA{canvas}, paint(canvas, p)
	}
	g, err := gif.DecodeAll(r)
	if err != nil {
		return nil, err
	}
	canvas := image.NewNRGBA(image.Rect(0, 0, h.Width, h.Height))
	var frames []*image.NRGBA
	var before *image.NRGBA
	for i, p := range g.Image {
		disposal := byte(gif.DisposalNone)
		if i < len(g.Disposal) {
			disposal = g.Disposal[i]
		}
		if disposal == gif.DisposalPrevious {
			before = copied(canvas)
		}
		if err := paint(canvas, p); err != nil {
			return nil, err
		}
		if job.All {
			frames = append(frames, copied(canvas))
		} else if i == job.Frame {
			return []*image.NRGBA{canvas}, nil
		}
		switch disposal {
		case gif.DisposalBackground:
			draw.Draw(canvas, p.Rect, image.Transparent, image.Point{}, draw.Src)
		case gif.DisposalPrevious:
			canvas = before
		}
	}
	if len(frames) == 0 {
		return nil, fmt.Errorf("there is no frame %d", job.Frame)
	}
	return frames, nil
}

// paint lays a frame over the canvas where it is not transparent.
func paint(canvas *image.NRGBA, p *image.Paletted) error {
	part := image.NewNRGBA(image.Rect(0, 0, p.Rect.Dx(), p.Rect.Dy()))
	if err := ofPalette(part, p); err != nil {
		return err
	}
	for y := range part.Rect.Dy() {
		for x := range part.Rect.Dx() {
			if at := image.Pt(p.Rect.Min.X+x, p.Rect.Min.Y+y); at.In(canvas.Rect) {
				if px := part.Pix[part.PixOffset(x, y):][:4]; px[3] != 0 {
					copy(canvas.Pix[canvas.PixOffset(at.X, at.Y):], px)
				}
			}
		}
	}
	return nil
}

func copied(m *image.NRGBA) *image.NRGBA {
	c := *m
	c.Pix = bytes.Clone(m.Pix)
	return &c
}
