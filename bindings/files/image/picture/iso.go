package picture

import "encoding/binary"

// boxes calls visit with each ISO base media box of a content.
func boxes(data []byte, visit func(kind string, payload []byte)) {
	for at := 0; at+8 <= len(data); {
		size, head := int64(binary.BigEndian.Uint32(data[at:])), int64(8)
		switch size {
		case 0:
			size = int64(len(data) - at)
		case 1:
			if at+16 > len(data) {
				return
			}
			size, head = int64(min(binary.BigEndian.Uint64(data[at+8:]), 1<<40)), 16
		}
		if size < head || int64(at)+size > int64(len(data)) {
			return
		}
		visit(string(data[at+4:at+8]), data[int64(at)+head:int64(at)+size])
		at += int(size)
	}
}

// readISO reads AVIF and HEIC (ISO/IEC 23008-12): the size is that of the largest item, since
// the tiles of a grid have sizes too.
func readISO(data []byte, format Format) (Header, error) {
	h := Header{Format: format, Frames: 1, Channels: 3, Depth: 8, Space: "srgb"}
	turned := 0
	property := func(kind string, p []byte) {
		switch {
		case kind == "ispe" && len(p) >= 12:
			w, hh := dimension(binary.BigEndian.Uint32(p[4:])), dimension(binary.BigEndian.Uint32(p[8:]))
			if int64(w)*int64(hh) > int64(h.Width)*int64(h.Height) {
				h.Width, h.Height = w, hh
			}
		case kind == "pixi" && len(p) >= 6:
			h.Depth = max(h.Depth, int(p[5]))
		case kind == "colr" && len(p) > 4 && (string(p[:4]) == "prof" || string(p[:4]) == "rICC"):
			h.ICC = p[4:]
		case kind == "irot" && len(p) >= 1:
			turned = int(p[0] & 3)
		case kind == "auxC":
			if len(p) > 4 && string(p[4:min(len(p), 48)]) == "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\x00" {
				h.HasAlpha, h.Channels = true, 4
			}
		}
	}
	boxes(data, func(kind string, p []byte) {
		if kind != "meta" || len(p) < 4 {
			return
		}
		boxes(p[4:], func(kind string, p []byte) {
			if kind != "iprp" {
				return
			}
			boxes(p, func(kind string, p []byte) {
				if kind == "ipco" {
					boxes(p, property)
				}
			})
		})
	})
	if h.Width == 0 {
		return h, damaged(format, "it has no size")
	}
	if turned%2 != 0 { // decoders apply it
		h.Width, h.Height = h.Height, h.Width
	}
	if h.Depth > 8 {
		h.Depth, h.Space = 16, "rgb16"
	}
	return h, nil
}
