package pdf

import (
	"image"
	"image/png"
	"io"
)

// encodePNG writes an image as PNG, with more regard for time than for size.
func encodePNG(w io.Writer, img image.Image) error {
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	return e.Encode(w, img)
}
