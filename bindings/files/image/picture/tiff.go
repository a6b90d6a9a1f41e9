package picture

import (
	"encoding/binary"
	"math"
)

// tags are those of a TIFF structure's first directory that say how a picture lies, and how
// many directories there are. EXIF is such a structure.
type tags struct {
	order              binary.ByteOrder
	orientation        int
	orientationAt      int // where its value lies; 0 if it is nowhere
	width, height      int
	bits, samples      int
	photometric, extra int
	xRes               float64
	unit               int
	icc, xmp           []byte
	directories        int
	sound              bool
}

// maxDirectories is how many pages are counted.
const maxDirectories = 100_000

func (t tags) density() int {
	if t.unit == 0 {
		t.unit = 2
	}
	return densityOf(t.xRes, t.unit-1)
}

// readTags reads what there is; sound tells whether the first directory could be read.
func readTags(data []byte) tags {
	t := tags{unit: 2}
	if len(data) < 8 {
		return t
	}
	switch string(data[:2]) {
	case "II":
		t.order = binary.LittleEndian
	case "MM":
		t.order = binary.BigEndian
	default:
		return t
	}
	if t.order.Uint16(data[2:]) != 42 {
		return t // BigTIFF is not read
	}
	for at := int64(t.order.Uint32(data[4:])); at > 0 && t.directories < maxDirectories; {
		if at+2 > int64(len(data)) {
			break
		}
		n := int64(t.order.Uint16(data[at:]))
		end := at + 2 + 12*n
		if end > int64(len(data)) {
			break
		}
		if t.directories == 0 {
			for e := at + 2; e < end; e += 12 {
				t.entry(data, int(e))
			}
			t.sound = true
		}
		t.directories++
		if end+4 > int64(len(data)) {
			break
		}
		next := int64(t.order.Uint32(data[end:]))
		if next <= at {
			break // a loop, or the end
		}
		at = next
	}
	return t
}

func (t *tags) entry(data []byte, at int) {
	kind, count := t.order.Uint16(data[at+2:]), int64(t.order.Uint32(data[at+4:]))
	number := func() int {
		switch kind {
		case 1:
			return int(data[at+8])
		case 3:
			return int(t.order.Uint16(data[at+8:]))
		case 4:
			return int(min(t.order.Uint32(data[at+8:]), math.MaxInt32))
		}
		return 0
	}
	far := func(size int64) []byte { // a value that does not lie in the entry itself
		from := int64(t.order.Uint32(data[at+8:]))
		if size < 0 || from+size > int64(len(data)) {
			return nil
		}
		return data[from : from+size]
	}
	switch t.order.Uint16(data[at:]) {
	case 256:
		t.width = number()
	case 257:
		t.height = number()
	case 258:
		t.bits = number()
		if kind == 3 && count > 2 {
			if v := far(2); v != nil {
				t.bits = int(t.order.Uint16(v))
			}
		}
	case 262:
		t.photometric = number()
	case 274:
		if kind == 3 {
			t.orientation, t.orientationAt = number(), at+8
		}
	case 277:
		t.samples = number()
	case 282:
		if v := far(8); kind == 5 && v != nil && t.order.Uint32(v[4:]) > 0 {
			t.xRes = float64(t.order.Uint32(v)) / float64(t.order.Uint32(v[4:]))
		}
	case 296:
		t.unit = number()
	case 338:
		t.extra = int(min(count, 8))
	case 700:
		t.xmp = far(count)
	case 34675:
		t.icc = far(count)
	}
}

// Photometric interpretations of TIFF 6.0.
const (
	tiffPalette = 3
	tiffCMYK    = 5
	tiffLab     = 8
)

func readTIFF(data []byte) (Header, error) {
	h := Header{Format: TIFF}
	t := readTags(data)
	if !t.sound {
		return h, damaged(TIFF, "its first directory cannot be read")
	}
	h.Width, h.Height, h.Frames = t.width, t.height, t.directories
	h.Channels, h.Depth = max(t.samples, 1), max(t.bits, 8)
	h.ICC, h.XMP, h.EXIF, h.Density = t.icc, t.xmp, nil, t.density()
	if t.orientation >= 1 && t.orientation <= 8 {
		h.Orientation = t.orientation
	}
	colours := 1
	switch t.photometric {
	case tiffPalette:
		h.Space, h.Palette, colours = "srgb", true, 3
		h.Channels = 3
	case tiffCMYK:
		h.Space, colours = "cmyk", 4
	case tiffLab:
		h.Space, colours = "lab", 3
	default:
		h.Space = "b-w"
		if h.Channels >= 3 {
			h.Space, colours = "srgb", 3
		}
	}
	h.HasAlpha = h.Channels > colours
	if h.Depth == 16 {
		switch h.Space {
		case "b-w":
			h.Space = "grey16"
		case "srgb":
			h.Space = "rgb16"
		}
	}
	return h, nil
}
