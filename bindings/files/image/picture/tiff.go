package picture

import (
	"encoding/binary"
	"fmt"
	"math"
)

// tags are those of one directory of a TIFF structure that say how a picture lies, and how
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
	big                bool // BigTIFF, whose counts and offsets have 8 bytes
}

// maxDirectories is how many pages are counted.
const maxDirectories = 100_000

func (t tags) density() int {
	if t.unit == 0 {
		t.unit = 2
	}
	return densityOf(t.xRes, t.unit-1)
}

// readTags reads what there is in a directory, counting from 0; sound tells whether it could
// be read.
func readTags(data []byte, page int) tags {
	t := tags{unit: 2}
	if len(data) < 16 {
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
	counts, entries, at := int64(2), int64(12), int64(t.order.Uint32(data[4:]))
	switch t.order.Uint16(data[2:]) {
	case 42:
	case 43:
		t.big = true
		counts, entries, at = 8, 20, t.offset(data[8:])
	default:
		return t
	}
	seen := map[int64]bool{}
	for at > 0 && !seen[at] && t.directories < maxDirectories {
		seen[at] = true
		if at+counts > int64(len(data)) {
			break
		}
		n := int64(t.order.Uint16(data[at:]))
		if t.big {
			n = min(t.offset(data[at:]), int64(len(data)))
		}
		end := at + counts + entries*n
		if end > int64(len(data)) {
			break
		}
		if t.directories == page {
			for e := at + counts; e < end; e += entries {
				t.entry(data, int(e))
			}
			t.sound = true
		}
		t.directories++
		switch next := data[end:]; {
		case t.big && len(next) >= 8:
			at = t.offset(next)
		case !t.big && len(next) >= 4:
			at = int64(t.order.Uint32(next))
		default:
			at = 0
		}
	}
	return t
}

// offset reads a number of 8 bytes; what is beyond any file is where no file goes.
func (t *tags) offset(b []byte) int64 { return int64(min(t.order.Uint64(b), 1<<40)) }

func (t *tags) entry(data []byte, at int) {
	kind, count, value, room := t.order.Uint16(data[at+2:]), int64(t.order.Uint32(data[at+4:])), at+8, int64(4)
	if t.big {
		count, value, room = t.offset(data[at+4:]), at+12, 8
	}
	number := func() int {
		switch kind {
		case 1:
			return int(data[value])
		case 3:
			return int(t.order.Uint16(data[value:]))
		case 4:
			return int(min(t.order.Uint32(data[value:]), math.MaxInt32))
		case 16:
			if t.big {
				return int(min(t.offset(data[value:]), math.MaxInt32))
			}
		}
		return 0
	}
	// far is the beginning of a value of so many bytes, which lies elsewhere if the entry has no
	// room for it.
	far := func(size, n int64) []byte {
		if size <= room {
			return data[value:][:n]
		}
		from := int64(t.order.Uint32(data[value:]))
		if t.big {
			from = t.offset(data[value:])
		}
		if n < 0 || from+n > int64(len(data)) {
			return nil
		}
		return data[from : from+n]
	}
	switch t.order.Uint16(data[at:]) {
	case 256:
		t.width = number()
	case 257:
		t.height = number()
	case 258:
		t.bits = number()
		if kind == 3 && count > 1 {
			if v := far(2*count, 2); v != nil {
				t.bits = int(t.order.Uint16(v))
			}
		}
	case 262:
		t.photometric = number()
	case 274:
		if kind == 3 {
			t.orientation, t.orientationAt = number(), value
		}
	case 277:
		t.samples = number()
	case 282:
		if v := far(8, 8); kind == 5 && v != nil && t.order.Uint32(v[4:]) > 0 {
			t.xRes = float64(t.order.Uint32(v)) / float64(t.order.Uint32(v[4:]))
		}
	case 296:
		t.unit = number()
	case 338:
		t.extra = int(min(count, 8))
	case 700:
		t.xmp = far(count, count)
	case 34675:
		t.icc = far(count, count)
	}
}

// Photometric interpretations of TIFF 6.0.
const (
	tiffPalette = 3
	tiffCMYK    = 5
	tiffLab     = 8
)

// readTIFF reads the header of a page, counting from 0.
func readTIFF(data []byte, page int) (Header, error) {
	h := Header{Format: TIFF}
	t := readTags(data, page)
	if !t.sound {
		return h, damaged(TIFF, fmt.Sprintf("directory %d cannot be read", page+1))
	}
	h.BigTIFF = t.big
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
