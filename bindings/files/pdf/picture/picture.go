// Package picture puts images into documents: a JPEG as it is, everything else packed
// without loss, with its transparency.
//
// Imports document, pdfcpu and decoders. Start reading at Add.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // formats that image.Decode knows
	_ "image/jpeg"
	_ "image/png"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	_ "golang.org/x/image/bmp"
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
)

// Picture is an image in a document.
type Picture struct {
	Ref    types.IndirectRef
	Width  int // in pixels, as a person sees it
	Height int
	turn   document.Matrix // of the unit square, to be seen upright
}

// The errors of Add.
var (
	ErrFormat = errors.New("picture: not an image of a format that is known")
	ErrPixels = errors.New("picture: too many pixels")
)

// pixelBytes is what a pixel takes in memory while an image is packed anew.
const pixelBytes = 10

// Add puts an image into a document. It may have at most limit pixels, and take at most
// memory bytes if it is to be packed anew.
func Add(d *document.Document, data []byte, limit, memory int64) (p *Picture, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: a decoder panicked: %v", ErrFormat, r)
		}
	}()
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if config.Width <= 0 || config.Height <= 0 {
		return nil, ErrFormat
	}
	pixels := int64(config.Width) * int64(config.Height)
	if pixels > limit || format != "jpeg" && pixels > memory/pixelBytes {
		return nil, ErrPixels
	}
	p = &Picture{Width: config.Width, Height: config.Height, turn: document.Matrix{1, 0, 0, 1, 0, 0}}
	if format == "jpeg" {
		p.upright(orientation(data))
		p.Ref = d.Add(photo(config, data))
		return p, nil
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	p.Ref = d.Add(drawing(d, img))
	return p, nil
}

func dict(width, height int, space string) types.Dict {
	return types.Dict{
		"Type": types.Name("XObject"), "Subtype": types.Name("Image"), "Width": types.Integer(width), "Height": types.Integer(height),
		"ColorSpace": types.Name(space), "BitsPerComponent": types.Integer(8),
	}
}

// photo is a JPEG.
func photo(config image.Config, data []byte) types.StreamDict {
	space, inverted := "DeviceRGB", false
	switch config.ColorModel {
	case color.GrayModel:
		space = "DeviceGray"
	case color.CMYKModel:
		space, inverted = "DeviceCMYK", bytes.Contains(data[:min(len(data), 64<<10)], []byte("Adobe\x00"))
	}
	about := dict(config.Width, config.Height, space)
	about["Filter"] = types.Name("DCTDecode")
	if inverted {
		one, zero := types.Integer(1), types.Integer(0)
		about["Decode"] = types.Array{one, zero, one, zero, one, zero, one, zero}
	}
	return types.StreamDict{Dict: about, Raw: data}
}

// drawing is an image in colours or greys, with a mask if parts of it can be seen through.
func drawing(d *document.Document, img image.Image) types.StreamDict {
	b := img.Bounds()
	width, height := b.Dx(), b.Dy()
	rgb, mask := make([]byte, 0, 3*width*height), make([]byte, 0, width*height)
	grey, opaque := true, true
	row := make([]color.NRGBA, width)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		pixels(img, y, row)
		for _, c := range row {
			rgb, mask = append(rgb, c.R, c.G, c.B), append(mask, c.A)
			grey = grey && c.R == c.G && c.G == c.B
			opaque = opaque && c.A == 0xff
		}
	}
	space := "DeviceRGB"
	if grey {
		space = "DeviceGray"
		for i := range width * height {
			rgb[i] = rgb[3*i]
		}
		rgb = rgb[:width*height]
	}
	about := dict(width, height, space)
	if !opaque {
		about["SMask"] = d.Add(d.Stream(dict(width, height, "DeviceGray"), mask))
	}
	return d.Stream(about, rgb)
}

// pixels reads a row of an image; those that decoders make most are read as they lie.
func pixels(img image.Image, y int, row []color.NRGBA) {
	left := img.Bounds().Min.X
	switch img := img.(type) {
	case *image.NRGBA:
		pix := img.Pix[img.PixOffset(left, y):]
		for i := range row {
			row[i] = color.NRGBA{pix[4*i], pix[4*i+1], pix[4*i+2], pix[4*i+3]}
		}
	case *image.Gray:
		pix := img.Pix[img.PixOffset(left, y):]
		for i := range row {
			row[i] = color.NRGBA{pix[i], pix[i], pix[i], 0xff}
		}
	case *image.RGBA:
		pix := img.Pix[img.PixOffset(left, y):]
		for i := range row {
			if pix[4*i+3] == 0xff {
				row[i] = color.NRGBA{pix[4*i], pix[4*i+1], pix[4*i+2], 0xff}
			} else {
				row[i] = color.NRGBAModel.Convert(img.RGBAAt(left+i, y)).(color.NRGBA)
			}
		}
	default:
		for i := range row {
			row[i] = color.NRGBAModel.Convert(img.At(left+i, y)).(color.NRGBA)
		}
	}
}

// Draw writes the picture into the content of a page with its lower left corner at x, y.
func (p *Picture) Draw(page *document.Page, to []byte, x, y, width, height float64) []byte {
	m := p.turn.Times(document.Matrix{width, 0, 0, height, x, y})
	to = append(to, "q\n"...)
	to = m.Concat(to)
	to = append(append(append(to, '/'), page.Use("XObject", p.Ref)...), " Do\nQ\n"...)
	return to
}

// upright turns the picture as the camera says that it was held.
func (p *Picture) upright(orientation int) {
	turns := map[int]document.Matrix{
		2: {-1, 0, 0, 1, 1, 0}, 3: {-1, 0, 0, -1, 1, 1}, 4: {1, 0, 0, -1, 0, 1},
		5: {0, -1, -1, 0, 1, 1}, 6: {0, -1, 1, 0, 0, 1}, 7: {0, 1, 1, 0, 0, 0}, 8: {0, 1, -1, 0, 1, 0},
	}
	turn, ok := turns[orientation]
	if !ok {
		return
	}
	p.turn = turn
	if orientation >= 5 {
		p.Width, p.Height = p.Height, p.Width
	}
}

// orientation reads the tag of that name from a JPEG's Exif; 1 if there is none.
func orientation(data []byte) int {
	for at := 2; at+4 <= len(data) && data[at] == 0xff; {
		size := int(data[at+2])<<8 | int(data[at+3])
		end := at + 2 + size
		if size < 2 || end > len(data) || data[at+1] == 0xda {
			break
		}
		if body := data[at+4 : end]; data[at+1] == 0xe1 && bytes.HasPrefix(body, []byte("Exif\x00\x00")) {
			return exif(body[6:])
		}
		at = end
	}
	return 1
}

// exif finds the orientation among the tags of the first directory of a TIFF header.
func exif(b []byte) int {
	if len(b) < 8 {
		return 1
	}
	little := b[0] == 'I'
	short := func(at int) int {
		if at < 0 || at+2 > len(b) {
			return 0
		}
		if little {
			return int(b[at]) | int(b[at+1])<<8
		}
		return int(b[at])<<8 | int(b[at+1])
	}
	start := short(4)<<16 | short(6)
	if little {
		start = short(6)<<16 | short(4)
	}
	for i := range min(short(start), 200) {
		if entry := start + 2 + 12*i; short(entry) == 0x0112 {
			return short(entry + 8)
		}
	}
	return 1
}
