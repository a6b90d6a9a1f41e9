package picture

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/sandboxd/sandboxd/problem"
)

// Header is what a file says of itself before its pixels.
type Header struct {
	Format        Format
	Width, Height int    // of a frame, as stored: the orientation is not applied
	Frames        int    // at least 1
	Channels      int    // with alpha; palettes count as the colours they stand for
	Depth         int    // bits of a channel: 8, 16 or 32; less counts as 8
	Space         string // srgb, b-w, cmyk, rgb16, grey16 or lab
	HasAlpha      bool
	Orientation   int // EXIF, 1 to 8; 0 if it is not said
	Density       int // pixels an inch; 0 if it is not said
	Progressive   bool
	Palette       bool
	BigTIFF       bool
	Delays        []int // milliseconds, for each frame of an animation
	Loop          int   // how often an animation plays; 0 is without end

	EXIF []byte // a TIFF structure, without the "Exif" in front
	ICC  []byte
	XMP  []byte
}

// Pixels is width × height × frames.
func (h Header) Pixels() int64 { return int64(h.Width) * int64(h.Height) * int64(h.Frames) }

// UprightSize is the size with the orientation applied.
func (h Header) UprightSize() (w, h2 int) {
	if Swaps(h.Orientation) {
		return h.Height, h.Width
	}
	return h.Width, h.Height
}

// ReadHeader reads the header of a whole file's content. It decodes no pixels and allocates
// little: no more than what metadata and frame delays take. Errors are unsupported_format
// where the bytes are no picture, and damaged_file.
func ReadHeader(data []byte) (Header, error) {
	var h Header
	var err error
	switch format := Sniff(data); format {
	case JPEG:
		h, err = readJPEG(data)
	case PNG:
		h, err = readPNG(data)
	case GIF:
		h, err = readGIF(data)
	case WebP:
		h, err = readWebP(data)
	case TIFF:
		h, err = readTIFF(data, 0)
	case BMP:
		h, err = readBMP(data)
	case AVIF, HEIC:
		h, err = readISO(data, format)
	default:
		return h, problem.New(problem.UnsupportedFormat, "this is not a picture that can be read").
			WithHint("JPEG, PNG, WebP, GIF, TIFF, AVIF and BMP can be read.")
	}
	if err != nil {
		return h, err
	}
	if h.Width <= 0 || h.Height <= 0 {
		return h, damaged(h.Format, "it has no size")
	}
	h.Frames = max(h.Frames, 1)
	if h.EXIF != nil && h.Format != TIFF {
		tags := readTags(h.EXIF, 0)
		if o := tags.orientation; o >= 1 && o <= 8 && h.Orientation == 0 {
			h.Orientation = o
		}
		if h.Density == 0 && h.Format != WebP { // as sharp has it, and with the next rule
			h.Density = tags.density()
		}
	}
	if h.Density <= leastDensity {
		h.Density = 0
	}
	return h, nil
}

// OfPage is the header of a page of a TIFF, counting from 0: each has a size of its own. Other
// formats have frames of one size, and h is the header of them all.
func (h Header) OfPage(data []byte, page int) (Header, error) {
	if h.Format != TIFF || page == 0 {
		return h, nil
	}
	p, err := readTIFF(data, page)
	if err == nil && (p.Width <= 0 || p.Height <= 0) {
		err = damaged(TIFF, fmt.Sprintf("page %d has no size", page+1))
	}
	return p, err
}

// leastDensity and what is below it says nothing: one pixel a millimetre is what libvips writes
// where it knows of none.
const leastDensity = 25

// Sniff tells the format by the first bytes; "" is none that is known.
func Sniff(data []byte) Format {
	has := func(at int, magic string) bool {
		return len(data) >= at+len(magic) && string(data[at:at+len(magic)]) == magic
	}
	switch {
	case has(0, "\xff\xd8\xff"):
		return JPEG
	case has(0, pngMagic):
		return PNG
	case has(0, "GIF87a"), has(0, "GIF89a"):
		return GIF
	case has(0, "RIFF") && has(8, "WEBP"):
		return WebP
	case has(0, "II*\x00"), has(0, "MM\x00*"), has(0, "II+\x00"), has(0, "MM\x00+"):
		return TIFF
	case has(0, "BM") && len(data) >= 26:
		return BMP
	case has(4, "ftyp") && len(data) >= 16:
		return sniffISO(data)
	}
	return ""
}

// sniffISO tells AVIF and HEIC by their brands.
func sniffISO(data []byte) Format {
	size := int(min(binary.BigEndian.Uint32(data), 256))
	brands := data[8:max(8, min(size, len(data)))]
	for i := 0; i+4 <= len(brands); i += 4 {
		if i == 4 {
			continue // the minor version
		}
		switch string(brands[i : i+4]) {
		case "avif", "avis":
			return AVIF
		case "heic", "heix", "hevc", "hevx", "heim", "heis":
			return HEIC
		}
	}
	return ""
}

func damaged(f Format, what string) error {
	return problem.New(problem.DamagedFile, "the %s file is damaged: %s", f, what)
}

var exifMagic = []byte("Exif\x00\x00")

func withoutExifMagic(data []byte) []byte { return bytes.TrimPrefix(data, exifMagic) }
