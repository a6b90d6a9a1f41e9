package picture

import (
	"bytes"
	"encoding/binary"
	"math"
)

const (
	exifPrefix = "Exif\x00\x00"
	xmpPrefix  = "http://ns.adobe.com/xap/1.0/\x00"
	iccPrefix  = "ICC_PROFILE\x00"
)

// segments calls visit with each marker segment before the first scan, its payload without
// the length, and where it lies with its marker. It tells where the scan begins.
func segments(data []byte, visit func(marker byte, payload []byte, from, to int)) (scan int, err error) {
	at := 2
	for {
		for at < len(data) && data[at] != 0xff { // stray bytes, as libjpeg skips them
			at++
		}
		from := at
		for at < len(data) && data[at] == 0xff {
			at++
		}
		if at >= len(data) {
			return 0, damaged(JPEG, "it ends before its pixels")
		}
		marker := data[at]
		at++
		switch {
		case marker == 0xda:
			return at - 2, nil
		case marker == 0xd9:
			return 0, damaged(JPEG, "it has no pixels")
		case marker == 0, marker == 1, marker >= 0xd0 && marker <= 0xd8:
			continue
		}
		if at+2 > len(data) {
			return 0, damaged(JPEG, "it ends before its pixels")
		}
		size := int(binary.BigEndian.Uint16(data[at:]))
		if size < 2 || at+size > len(data) {
			return 0, damaged(JPEG, "a segment of its header is cut off")
		}
		visit(marker, data[at+2:at+size], from, at+size)
		at += size
	}
}

func readJPEG(data []byte) (Header, error) {
	h := Header{Format: JPEG, Frames: 1}
	icc := map[byte][]byte{}
	var jfif, exif int
	_, err := segments(data, func(marker byte, p []byte, _, _ int) {
		switch {
		case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
			if len(p) < 6 || h.Width != 0 {
				return
			}
			h.Depth, h.Height, h.Width, h.Channels = int(p[0]), int(binary.BigEndian.Uint16(p[1:])), int(binary.BigEndian.Uint16(p[3:])), int(p[5])
			h.Progressive = marker&3 == 2
		case marker == 0xe0 && bytes.HasPrefix(p, []byte("JFIF\x00")) && len(p) >= 12:
			jfif = densityOf(float64(binary.BigEndian.Uint16(p[8:])), int(p[7]))
		case marker == 0xe1 && h.EXIF == nil && bytes.HasPrefix(p, []byte(exifPrefix)):
			h.EXIF = p[len(exifPrefix):]
		case marker == 0xe1 && h.XMP == nil && bytes.HasPrefix(p, []byte(xmpPrefix)):
			h.XMP = p[len(xmpPrefix):]
		case marker == 0xe2 && bytes.HasPrefix(p, []byte(iccPrefix)) && len(p) > 14:
			icc[p[12]] = p[14:]
		}
	})
	if err != nil {
		return h, err
	}
	switch h.Channels {
	case 1:
		h.Space = "b-w"
	case 3:
		h.Space = "srgb"
	case 4:
		h.Space = "cmyk"
	default:
		return h, damaged(JPEG, "it says nothing sound of its colours")
	}
	for n := byte(1); len(icc) > 0 && icc[n] != nil && n < 255; n++ {
		h.ICC = append(h.ICC, icc[n]...)
	}
	if h.EXIF != nil {
		exif = readTags(h.EXIF, 0).density()
	}
	h.Density = max(jfif, 0)
	if exif > 0 {
		h.Density = exif
	}
	h.Depth = max(h.Depth, 8)
	return h, nil
}

// densityOf makes pixels an inch of a density in a unit: 1 inch, 2 centimetre.
func densityOf(value float64, unit int) int {
	switch {
	case value <= 0 || value > 1e6:
		return 0
	case unit == 1:
		return int(math.Round(value))
	case unit == 2:
		return int(math.Round(value * 2.54))
	}
	return 0
}
