package picture

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// Carries tells whether WithEXIF can put metadata into files of a format.
func Carries(f Format) bool { return f == JPEG || f == PNG || f == WebP }

// OrientedEXIF is a copy of an EXIF structure that says another orientation, or where there is
// none, one that says only that. Nil where there is nothing to say.
func OrientedEXIF(exif []byte, orientation int) []byte {
	if exif == nil {
		if orientation <= 1 {
			return nil
		}
		return []byte{'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, byte(orientation), 0, 0, 0, 0, 0, 0, 0}
	}
	t := readTags(exif, 0)
	if t.orientationAt == 0 {
		return exif
	}
	exif = slices.Clone(exif)
	t.order.PutUint16(exif[t.orientationAt:], uint16(max(orientation, 1)))
	return exif
}

// WithEXIF puts an EXIF structure into a file just encoded, which has none. What a format
// does not carry, or a segment does not hold, is left out.
func WithEXIF(data []byte, f Format, exif []byte) []byte {
	if len(exif) == 0 {
		return data
	}
	switch f {
	case JPEG:
		if len(exif) > 65533-len(exifPrefix) {
			return data
		}
		at := 2 // after the start, or the JFIF segment, which must come first
		if len(data) > 6 && data[2] == 0xff && data[3] == 0xe0 {
			at = min(4+int(binary.BigEndian.Uint16(data[4:])), len(data))
		}
		size := len(exif) + len(exifPrefix) + 2
		segment := append([]byte{0xff, 0xe1, byte(size >> 8), byte(size)}, exifPrefix...)
		return slices.Concat(data[:at], segment, exif, data[at:])
	case PNG:
		const at = len(pngMagic) + 25 // after IHDR
		if len(data) < at {
			return data
		}
		return slices.Concat(data[:at], pngChunk("eXIf", exif), data[at:])
	case WebP:
		return webPWithEXIF(data, exif)
	}
	return data
}

func pngChunk(kind string, payload []byte) []byte {
	c := binary.BigEndian.AppendUint32(nil, uint32(len(payload)))
	c = append(append(c, kind...), payload...)
	return binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:]))
}

// webPWithEXIF writes the extended form of a file, which metadata asks for.
func webPWithEXIF(data, exif []byte) []byte {
	h, err := readWebP(data)
	if err != nil {
		return data
	}
	var rest []byte
	flags := byte(0x08)
	_ = riff(data, func(kind string, p []byte, from, to int) {
		switch kind {
		case "VP8X":
			flags |= p[0]
		case "EXIF":
		default:
			rest = append(rest, data[from:to]...)
		}
	})
	if h.HasAlpha {
		flags |= 0x10
	}
	w, hh := h.Width-1, h.Height-1
	out := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00"), flags, 0, 0, 0,
		byte(w), byte(w>>8), byte(w>>16), byte(hh), byte(hh>>8), byte(hh>>16))
	out = append(out, rest...)
	out = binary.LittleEndian.AppendUint32(append(out, "EXIF"...), uint32(len(exif)))
	out = append(out, exif...)
	if len(exif)%2 != 0 {
		out = append(out, 0)
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out
}

// Strip takes EXIF, XMP, IPTC, comments and texts out of a file without decoding it; colour
// profiles stay, and an orientation other than 1 too, as the whole of the EXIF. ok is false
// for formats that cannot be cut like that, and for files that have no end.
func Strip(data []byte, h Header) (stripped []byte, ok bool) {
	keep := OrientedEXIF(nil, h.Orientation)
	switch h.Format {
	case JPEG:
		stripped, ok = stripJPEG(data)
	case PNG:
		stripped, ok = stripPNG(data)
	case WebP:
		stripped, ok = stripWebP(data)
	case GIF:
		return stripGIF(data), bytes.IndexByte(data[max(0, len(data)-2):], 0x3b) >= 0
	}
	if !ok {
		return nil, false
	}
	return WithEXIF(stripped, h.Format, keep), true
}

func stripJPEG(data []byte) ([]byte, bool) {
	out := slices.Clone(data[:2])
	scan, err := segments(data, func(marker byte, p []byte, from, to int) {
		profile := marker == 0xe2 && bytes.HasPrefix(p, []byte(iccPrefix))
		adobe := marker == 0xee && bytes.HasPrefix(p, []byte("Adobe"))
		if marker >= 0xe1 && marker <= 0xef && !profile && !adobe || marker == 0xfe {
			return
		}
		out = append(out, data[from:to]...)
	})
	if err != nil {
		return nil, false
	}
	// What follows the end, such as previews with metadata of their own, goes too.
	end, whole := endOfScans(data, scan)
	return append(out, data[scan:end]...), whole
}

// endOfScans is where a JPEG's pixels end, from the marker of its first scan, and whether it
// says so.
func endOfScans(data []byte, at int) (end int, whole bool) {
	for at+1 < len(data) {
		if data[at] != 0xff {
			next := bytes.IndexByte(data[at:], 0xff)
			if next < 0 {
				return len(data), false
			}
			at += next
			continue
		}
		switch marker := data[at+1]; {
		case marker == 0xd9:
			return at + 2, true
		case marker == 0xff:
			at++
		case marker == 0 || marker == 1 || marker >= 0xd0 && marker <= 0xd8:
			at += 2
		default:
			if at+4 > len(data) {
				return len(data), false
			}
			at += 2 + max(2, int(binary.BigEndian.Uint16(data[at+2:])))
		}
	}
	return len(data), false
}

func stripPNG(data []byte) ([]byte, bool) {
	out := slices.Clone(data[:len(pngMagic)])
	err := chunks(data, true, func(kind string, _ []byte, from, to int) {
		switch kind {
		case "eXIf", "tEXt", "zTXt", "iTXt", "tIME":
		default:
			out = append(out, data[from:to]...)
		}
	})
	return out, err == nil
}

func stripWebP(data []byte) ([]byte, bool) {
	out := slices.Clone(data[:12])
	err := riff(data, func(kind string, p []byte, from, to int) {
		switch {
		case kind == "EXIF", kind == "XMP ":
		case kind == "VP8X" && len(p) >= 10:
			at := len(out) + 8
			out = append(out, data[from:to]...)
			out[at] &^= 0x0c
		default:
			out = append(out, data[from:to]...)
		}
	})
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	whole := err == nil && int64(binary.LittleEndian.Uint32(data[4:]))+8 <= int64(len(data))
	return out, whole
}

// stripGIF drops comments, and the application extensions that do not play the animation.
func stripGIF(data []byte) []byte {
	at := 13
	if len(data) > 10 && data[10]&0x80 != 0 {
		at += 3 << (data[10]&7 + 1)
	}
	out := slices.Clone(data[:min(at, len(data))])
	for at < len(data) {
		from := at
		drop := false
		switch data[at] {
		case 0x21:
			if at+14 <= len(data) {
				drop = data[at+1] == 0xfe || data[at+1] == 0xff && string(data[at+3:at+14]) != "NETSCAPE2.0" && string(data[at+3:at+14]) != "ANIMEXTS1.0"
			}
			at = afterBlocks(data, at+2)
		case 0x2c:
			if at+10 > len(data) {
				at = len(data)
				break
			}
			flags := data[at+9]
			at += 10
			if flags&0x80 != 0 {
				at += 3 << (flags&7 + 1)
			}
			at = afterBlocks(data, at+1)
		default:
			at = len(data)
		}
		if !drop {
			out = append(out, data[min(from, len(data)):min(at, len(data))]...)
		}
	}
	return out
}
