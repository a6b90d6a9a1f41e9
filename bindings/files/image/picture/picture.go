// Package picture is what the image engines agree on: the header of a file, read here
// without decoding anything; a Job, which says what to do with a picture as a list of
// steps; and Engine, which does it.
//
// Headers come first: what a file claims is held against the limits before an engine sees
// it. Metadata is carried from file to file here too, without decoding, so that it is the
// same whichever engine made the pixels.
//
// Imports problem and the standard library. Start reading at Engine, then ReadHeader.
package picture

import (
	"context"
	"image"
	"image/color"

	"github.com/sandboxd/sandboxd/problem"
)

// Engine makes pictures: libvips, or the built-in one that is always there. It is safe
// for concurrent use.
type Engine interface {
	// Name tells which it is, with its version.
	Name() string
	// Reads and Writes answer engine_missing for what this engine cannot decode or encode.
	Reads(Header) error
	Writes(Encoding) error
	// Encode does a job and writes its result down in a format. The caller releases it.
	Encode(ctx context.Context, job Job, as Encoding) (*Encoded, error)
	// Pixels does a job and answers its first frame, 8 bits a channel, in sRGB.
	Pixels(ctx context.Context, job Job) (*image.NRGBA, error)
}

// Format is a file format, as results call it.
type Format string

// The formats.
const (
	JPEG Format = "jpeg"
	PNG  Format = "png"
	WebP Format = "webp"
	GIF  Format = "gif"
	TIFF Format = "tiff"
	AVIF Format = "avif"
	HEIC Format = "heic"
	BMP  Format = "bmp"
)

// MimeType is the format's media type.
func (f Format) MimeType() string { return "image/" + string(f) }

// HasAlpha tells whether files of the format can be transparent.
func (f Format) HasAlpha() bool { return f != JPEG && f != BMP }

// Animates tells whether files of the format can have several frames that play.
func (f Format) Animates() bool { return f == GIF || f == WebP }

// Job is a picture and what to do with it, in order.
type Job struct {
	Source Source
	// Frame is the frame to take, counting from 0; All takes them all and does the steps
	// with each.
	Frame int
	All   bool
	Steps []Step
}

// Source is a file's content with its header, or pixels that are there already.
type Source struct {
	Data   []byte
	Header Header
	Pixels *image.NRGBA
}

// OfPixels makes a source of pixels.
func OfPixels(m *image.NRGBA) Source {
	return Source{Pixels: m, Header: Header{Width: m.Rect.Dx(), Height: m.Rect.Dy(), Frames: 1, Channels: 4, Depth: 8, Space: "srgb", HasAlpha: true}}
}

// Encoding is how a result is written down.
type Encoding struct {
	Format      Format
	Quality     int  // 1 to 100; 0 is 80, and 50 for AVIF
	Lossless    bool // WebP and AVIF
	Progressive bool // JPEG, PNG
	Colors      int  // of a palette, for PNG and GIF; 0 is no palette for PNG, 256 for GIF
	// Background is what transparent pixels are laid over where the format has none.
	Background color.NRGBA
	Delays     []int // milliseconds, for each frame of an animation
	Loop       int   // how often an animation plays; 0 is without end
}

// longestSides are those that files of a format, or their encoders, can have.
var longestSides = map[Format]int{JPEG: 65_500, WebP: 16_383, GIF: 65_535, AVIF: 16_384}

// Holds answers too_complex where a file of the format cannot hold a picture of a size.
func (e Encoding) Holds(width, height int) error {
	if most, ok := longestSides[e.Format]; ok && max(width, height) > most {
		return problem.New(problem.TooComplex, "the result has %d × %d pixels; a %s file may have %d on a side", width, height, e.Format, most).
			WithHint("Make it smaller with files.image.resize, or write it as PNG or TIFF.").With("limit", most)
	}
	return nil
}

// Encoded is a job's result.
type Encoded struct {
	Data          []byte
	Width, Height int // of one frame
	Frames        int
	free          func()
}

// NewEncoded makes a result; free, which may be nil, gives back Data.
func NewEncoded(data []byte, width, height, frames int, free func()) *Encoded {
	return &Encoded{data, width, height, frames, free}
}

// Release gives back Data, which is not Go memory with every engine.
func (e *Encoded) Release() {
	if e.free != nil {
		e.free()
		e.free, e.Data = nil, nil
	}
}
