package picture

import "encoding/binary"

// riff calls visit with each chunk of a WebP file, and where it lies with its padding.
func riff(data []byte, visit func(kind string, payload []byte, from, to int)) error {
	if len(data) < 20 {
		return damaged(WebP, "it ends in its header")
	}
	for at := 12; at+8 <= len(data); {
		size := int64(binary.LittleEndian.Uint32(data[at+4:]))
		end := int64(at) + 8 + size
		visit(string(data[at:at+4]), data[at+8:min(end, int64(len(data)))], at, int(min(end+size&1, int64(len(data)))))
		if end += size & 1; end > int64(len(data)) {
			return nil // what is cut off is the decoder's to say
		}
		at = int(end)
	}
	return nil
}

func readWebP(data []byte) (Header, error) {
	h := Header{Format: WebP, Channels: 3, Depth: 8, Space: "srgb", Loop: 1}
	extended := false
	err := riff(data, func(kind string, p []byte, _, _ int) {
		switch {
		case kind == "VP8X" && len(p) >= 10:
			extended = true
			h.HasAlpha = p[0]&0x10 != 0
			h.Width, h.Height = 1+uint24(p[4:]), 1+uint24(p[7:])
		case kind == "VP8 " && !extended && len(p) >= 10 && p[3] == 0x9d && p[4] == 0x01 && p[5] == 0x2a:
			h.Width, h.Height = int(binary.LittleEndian.Uint16(p[6:]))&0x3fff, int(binary.LittleEndian.Uint16(p[8:]))&0x3fff
		case kind == "VP8L" && !extended && len(p) >= 5 && p[0] == 0x2f:
			bits := binary.LittleEndian.Uint32(p[1:])
			h.Width, h.Height = 1+int(bits&0x3fff), 1+int(bits>>14&0x3fff)
			h.HasAlpha = bits>>28&1 != 0
		case kind == "ANIM" && len(p) >= 6:
			h.Loop = int(binary.LittleEndian.Uint16(p[4:]))
		case kind == "ANMF" && len(p) >= 16:
			h.Frames++
			h.Delays = append(h.Delays, uint24(p[12:]))
		case kind == "ICCP":
			h.ICC = p
		case kind == "EXIF":
			h.EXIF = withoutExifMagic(p)
		case kind == "XMP ":
			h.XMP = p
		}
	})
	if err == nil && h.Width == 0 {
		err = damaged(WebP, "it has no frame")
	}
	if h.HasAlpha {
		h.Channels = 4
	}
	return h, err
}

func uint24(p []byte) int { return int(p[0]) | int(p[1])<<8 | int(p[2])<<16 }
