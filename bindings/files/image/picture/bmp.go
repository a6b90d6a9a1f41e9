package picture

import (
	"encoding/binary"
	"math"

	"github.com/sandboxd/sandboxd/problem"
)

func readBMP(data []byte) (Header, error) {
	h := Header{Format: BMP, Frames: 1, Channels: 3, Depth: 8, Space: "srgb"}
	size := binary.LittleEndian.Uint32(data[14:])
	if size == 12 {
		return h, problem.New(problem.UnsupportedFormat, "the bmp file is of an age before Windows 3").
			WithHint("Save it as a BMP of 24 bits without compression, or as PNG.")
	}
	if size < 40 || len(data) < 54 {
		return h, damaged(BMP, "it ends in its header")
	}
	width, height := int64(int32(binary.LittleEndian.Uint32(data[18:]))), int64(int32(binary.LittleEndian.Uint32(data[22:])))
	if height < 0 {
		height = -height // from the top down
	}
	if width < 0 || height > math.MaxInt32 {
		return h, damaged(BMP, "it has no size")
	}
	h.Width, h.Height = int(width), int(height)
	bits := binary.LittleEndian.Uint16(data[28:])
	h.Palette = bits <= 8
	if h.HasAlpha = bits == 32 && size >= 56; h.HasAlpha {
		h.Channels = 4
	}
	if d := int32(binary.LittleEndian.Uint32(data[38:])); d > 0 {
		h.Density = int(math.Round(float64(d) * 0.0254))
	}
	return h, nil
}
