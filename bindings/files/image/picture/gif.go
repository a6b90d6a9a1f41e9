package picture

import (
	"encoding/binary"
	"slices"
)

// readGIF walks over the blocks of a GIF, which is how to know its frames.
func readGIF(data []byte) (Header, error) {
	h := Header{Format: GIF, Channels: 3, Depth: 8, Space: "srgb", Palette: true, Loop: 1}
	if len(data) < 13 {
		return h, damaged(GIF, "it ends in its header")
	}
	h.Width, h.Height = int(binary.LittleEndian.Uint16(data[6:])), int(binary.LittleEndian.Uint16(data[8:]))
	at := 13
	if data[10]&0x80 != 0 {
		at += 3 << (data[10]&7 + 1)
	}
	delay := 0
	for at < len(data) {
		switch data[at] {
		case 0x3b:
			return h.ofGIF()
		case 0x21:
			if at+3 > len(data) {
				return h.ofGIF()
			}
			size := int(data[at+2])
			if body := data[min(at+3, len(data)):min(at+3+size, len(data))]; len(body) == size {
				switch {
				case data[at+1] == 0xf9 && size == 4:
					delay = 10 * int(binary.LittleEndian.Uint16(body[1:]))
					if body[0]&1 != 0 {
						h.HasAlpha = true
					}
				case data[at+1] == 0xff && size == 11 && (string(body) == "NETSCAPE2.0" || string(body) == "ANIMEXTS1.0"):
					if sub := data[at+3+size:]; len(sub) >= 4 && sub[0] == 3 && sub[1] == 1 {
						h.Loop = int(binary.LittleEndian.Uint16(sub[2:]))
						if h.Loop > 0 {
							h.Loop++ // it says how often more
						}
					}
				}
			}
			at = afterBlocks(data, at+2)
		case 0x2c:
			if at+10 > len(data) {
				return h.ofGIF()
			}
			if h.Frames == 0 {
				h.canvas(data[at+1:])
			}
			flags := data[at+9]
			h.Progressive = h.Progressive || flags&0x40 != 0
			at += 10
			if flags&0x80 != 0 {
				at += 3 << (flags&7 + 1)
			}
			h.Frames++
			h.Delays = append(h.Delays, delay)
			delay = 0
			at = afterBlocks(data, at+1)
		default:
			return h.ofGIF()
		}
	}
	return h.ofGIF()
}

// screens are sizes that programs wrote down which meant the screen that they ran on.
var screens = [][2]int{{640, 480}, {640, 512}, {800, 600}, {1024, 768}, {1280, 1024}, {1600, 1200}}

// canvas gives the size that libnsgif, and with it libvips and sharp, takes: that of the first
// frame, from the place and size of its descriptor, where the file's says nothing, and no less
// than it in any case.
func (h *Header) canvas(frame []byte) {
	at := func(i int) int { return int(binary.LittleEndian.Uint16(frame[i:])) }
	if slices.Contains(screens, [2]int{h.Width, h.Height}) || h.Width == 0 || h.Height == 0 || h.Width > 2048 || h.Height > 2048 {
		h.Width, h.Height = 1, 1
	}
	h.Width, h.Height = max(h.Width, at(0)+at(4)), max(h.Height, at(2)+at(6))
}

func (h Header) ofGIF() (Header, error) {
	if h.Frames == 0 {
		return h, damaged(GIF, "it has no frame")
	}
	if h.HasAlpha {
		h.Channels = 4
	}
	return h, nil
}

// afterBlocks is the place after a chain of sub-blocks.
func afterBlocks(data []byte, at int) int {
	for at < len(data) && data[at] != 0 {
		at += 1 + int(data[at])
	}
	return at + 1
}
