package picture

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
)

const pngMagic = "\x89PNG\r\n\x1a\n"

// maxProfile is the most that an ICC profile or a text inflates to.
const maxProfile = 4 << 20

// chunks calls visit with each chunk before the first one of pixels, or with all of them
// but the pixels' content; where tells where it lies with its length and checksum.
func chunks(data []byte, all bool, visit func(kind string, payload []byte, from, to int)) error {
	for at := len(pngMagic); ; {
		if at+12 > len(data) {
			return damaged(PNG, "it ends before its pixels")
		}
		size := binary.BigEndian.Uint32(data[at:])
		kind := string(data[at+4 : at+8])
		if kind == "IDAT" && !all || kind == "IEND" {
			visit(kind, nil, at, min(at+12, len(data)))
			return nil
		}
		if uint64(size) > uint64(len(data)-at-12) {
			return damaged(PNG, "a part of its header is cut off")
		}
		end := at + 12 + int(size)
		visit(kind, data[at+8:end-4], at, end)
		at = end
	}
}

func readPNG(data []byte) (Header, error) {
	h := Header{Format: PNG, Frames: 1}
	var kind byte
	transparent := false
	first := true
	err := chunks(data, false, func(name string, p []byte, _, _ int) {
		defer func() { first = false }()
		switch {
		case first != (name == "IHDR"):
			return // the header comes first, once
		case name == "IHDR" && len(p) >= 13:
			h.Width, h.Height = dimension(binary.BigEndian.Uint32(p)), dimension(binary.BigEndian.Uint32(p[4:]))
			h.Depth, kind, h.Progressive = int(p[8]), p[9], p[12] == 1
		case name == "tRNS":
			transparent = true
		case name == "pHYs" && len(p) >= 9 && p[8] == 1:
			h.Density = int(math.Round(float64(binary.BigEndian.Uint32(p)) * 0.0254))
		case name == "eXIf":
			h.EXIF = withoutExifMagic(p)
		case name == "iCCP":
			if _, packed, ok := bytes.Cut(p, []byte{0}); ok && len(packed) > 1 {
				h.ICC = inflate(packed[1:])
			}
		case name == "iTXt" && bytes.HasPrefix(p, []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00")):
			h.XMP = p[len("XML:com.adobe.xmp")+5:]
		}
	})
	if err != nil {
		return h, err
	}
	switch kind {
	case 0, 4:
		h.Channels, h.Space = 1, "b-w"
	case 2, 6:
		h.Channels, h.Space = 3, "srgb"
	case 3:
		h.Channels, h.Space, h.Palette = 3, "srgb", true
	default:
		return h, damaged(PNG, "its colours are of no known kind")
	}
	if kind >= 4 || transparent {
		h.HasAlpha = true
		h.Channels++
	}
	if h.Depth == 16 {
		h.Space = map[string]string{"b-w": "grey16", "srgb": "rgb16"}[h.Space]
	}
	h.Depth = max(h.Depth, 8)
	return h, nil
}

// dimension is a width or height that a header says; what is out of the format's range is 0.
func dimension(n uint32) int {
	if n > math.MaxInt32 {
		return 0
	}
	return int(n)
}

// inflate gives what there is of a zlib stream, up to maxProfile; nil if it is broken.
func inflate(packed []byte) []byte {
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(z, maxProfile+1))
	if err != nil || len(data) > maxProfile {
		return nil
	}
	return data
}
