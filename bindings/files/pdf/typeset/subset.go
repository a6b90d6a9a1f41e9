package typeset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sort"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/fonts"
)

// subset makes a TrueType font of some glyphs of f, numbered as in the list; components
// that they are made of follow them. Hinting is left out: it is larger than the outlines
// of a few words, and viewers do not use it.
func subset(f *fonts.Font, glyphs []uint16) ([]byte, error) {
	head, err := f.Table("head")
	if err != nil || len(head) < 54 {
		return nil, errors.Join(errSubset, err)
	}
	maxp, err := f.Table("maxp")
	if err != nil || len(maxp) < 6 {
		return nil, errors.Join(errSubset, err)
	}
	hhea, err := f.Table("hhea")
	if err != nil || len(hhea) < 36 {
		return nil, errors.Join(errSubset, err)
	}
	hmtx, err := f.Table("hmtx")
	if err != nil {
		return nil, err
	}
	loca, err := f.Table("loca")
	if err != nil {
		return nil, err
	}
	glyf, err := f.Table("glyf")
	if err != nil {
		return nil, err
	}
	src := outlines{loca: loca, glyf: glyf, long: binary.BigEndian.Uint16(head[50:]) != 0}
	metrics := int(binary.BigEndian.Uint16(hhea[34:]))

	list := append([]uint16{}, glyphs...)
	numbers := map[uint16]uint16{}
	for i, old := range list {
		if _, known := numbers[old]; !known {
			numbers[old] = uint16(i)
		}
	}
	var data, offsets []byte
	for i := 0; i < len(list); i++ {
		offsets = binary.BigEndian.AppendUint32(offsets, uint32(len(data)))
		glyph, err := bare(src.glyph(list[i]))
		if err != nil {
			return nil, err
		}
		err = components(glyph, func(at int) error {
			old := binary.BigEndian.Uint16(glyph[at:])
			number, known := numbers[old]
			if !known {
				if len(list) == 0xffff {
					return errSubset
				}
				number = uint16(len(list))
				numbers[old] = number
				list = append(list, old)
			}
			binary.BigEndian.PutUint16(glyph[at:], number)
			return nil
		})
		if err != nil {
			return nil, err
		}
		data = append(data, glyph...)
		for len(data)%4 != 0 {
			data = append(data, 0)
		}
	}
	offsets = binary.BigEndian.AppendUint32(offsets, uint32(len(data)))

	var widths []byte
	for _, old := range list {
		widths = append(widths, metric(hmtx, metrics, int(old))...)
	}
	head, maxp, hhea = append([]byte{}, head...), append([]byte{}, maxp...), append([]byte{}, hhea...)
	binary.BigEndian.PutUint32(head[8:], 0) // the file's checksum, which nobody looks at
	binary.BigEndian.PutUint16(head[50:], 1)
	binary.BigEndian.PutUint16(maxp[4:], uint16(len(list)))
	binary.BigEndian.PutUint16(hhea[34:], uint16(len(list)))
	if len(data) == 0 {
		data = make([]byte, 4)
	}
	return sfnt(map[string][]byte{"head": head, "hhea": hhea, "hmtx": widths, "loca": offsets, "glyf": data, "maxp": maxp}), nil
}

var errSubset = errors.New("typeset: the font is damaged")

// outlines are the glyphs of a font.
type outlines struct {
	loca, glyf []byte
	long       bool
}

func (o outlines) glyph(number uint16) []byte {
	at := func(i int) int {
		if o.long {
			if len(o.loca) < 4*i+4 {
				return -1
			}
			return int(binary.BigEndian.Uint32(o.loca[4*i:]))
		}
		if len(o.loca) < 2*i+2 {
			return -1
		}
		return 2 * int(binary.BigEndian.Uint16(o.loca[2*i:]))
	}
	from, to := at(int(number)), at(int(number)+1)
	if from < 0 || to <= from || to > len(o.glyf) {
		return nil
	}
	return o.glyf[from:to]
}

// Flags of a component of a glyph.
const (
	argsAreWords = 1 << 0
	hasScale     = 1 << 3
	moreFollow   = 1 << 5
	hasTwoScales = 1 << 6
	hasMatrix    = 1 << 7
	hasCode      = 1 << 8
)

// bare copies a glyph without its instructions.
func bare(glyph []byte) ([]byte, error) {
	if len(glyph) < 10 {
		return nil, nil
	}
	contours := int(int16(binary.BigEndian.Uint16(glyph)))
	if contours < 0 {
		own := append([]byte{}, glyph...)
		end := 10
		for at := 10; ; {
			if at+4 > len(own) {
				return nil, errSubset
			}
			flags := binary.BigEndian.Uint16(own[at:])
			binary.BigEndian.PutUint16(own[at:], flags&^hasCode)
			at += componentSize(flags)
			if end = at; flags&moreFollow == 0 {
				break
			}
		}
		if end > len(own) {
			return nil, errSubset
		}
		return own[:end], nil
	}
	at := 10 + 2*contours
	if at+2 > len(glyph) {
		return nil, errSubset
	}
	code := int(binary.BigEndian.Uint16(glyph[at:]))
	if at+2+code > len(glyph) {
		return nil, errSubset
	}
	own := append(append([]byte{}, glyph[:at]...), 0, 0)
	return append(own, glyph[at+2+code:]...), nil
}

func componentSize(flags uint16) int {
	n := 6
	if flags&argsAreWords != 0 {
		n += 2
	}
	switch {
	case flags&hasScale != 0:
		n += 2
	case flags&hasTwoScales != 0:
		n += 4
	case flags&hasMatrix != 0:
		n += 8
	}
	return n
}

// components hands out where in a composite glyph the numbers of its parts stand.
func components(glyph []byte, each func(at int) error) error {
	if len(glyph) < 10 || int16(binary.BigEndian.Uint16(glyph)) >= 0 {
		return nil
	}
	for at := 10; at+4 <= len(glyph); {
		flags := binary.BigEndian.Uint16(glyph[at:])
		if err := each(at + 2); err != nil {
			return err
		}
		if flags&moreFollow == 0 {
			return nil
		}
		at += componentSize(flags)
	}
	return nil
}

// metric gives the entry of hmtx for a glyph.
func metric(hmtx []byte, metrics, glyph int) []byte {
	if metrics == 0 {
		return make([]byte, 4)
	}
	if glyph < metrics {
		if 4*glyph+4 > len(hmtx) {
			return make([]byte, 4)
		}
		return hmtx[4*glyph : 4*glyph+4]
	}
	entry := make([]byte, 4)
	if last := 4 * (metrics - 1); last+2 <= len(hmtx) {
		copy(entry, hmtx[last:last+2])
	}
	if at := 4*metrics + 2*(glyph-metrics); at+2 <= len(hmtx) {
		copy(entry[2:], hmtx[at:at+2])
	}
	return entry
}

// sfnt writes a font file.
func sfnt(tables map[string][]byte) []byte {
	var tags []string
	for tag := range tables {
		tags = append(tags, tag)
	}
	sort.Strings(tags)
	n := len(tags)
	power, log := 1, 0
	for power*2 <= n {
		power, log = power*2, log+1
	}
	out := []byte{0, 1, 0, 0}
	for _, v := range []int{n, power * 16, log, n*16 - power*16} {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	offset := 12 + 16*n
	for _, tag := range tags {
		table := tables[tag]
		out = append(out, tag...)
		out = binary.BigEndian.AppendUint32(out, checksum(table))
		out = binary.BigEndian.AppendUint32(out, uint32(offset))
		out = binary.BigEndian.AppendUint32(out, uint32(len(table)))
		offset += (len(table) + 3) &^ 3
	}
	for _, tag := range tags {
		out = append(out, tables[tag]...)
		for len(out)%4 != 0 {
			out = append(out, 0)
		}
	}
	return out
}

func checksum(table []byte) uint32 {
	var sum uint32
	for i := 0; i < len(table); i += 4 {
		var word [4]byte
		copy(word[:], table[i:])
		sum += binary.BigEndian.Uint32(word[:])
	}
	return sum
}

// tag is the six letters before the name of a subset font, from what is in it.
func tag(glyphs []uint16) string {
	h := uint32(2166136261)
	for _, g := range glyphs {
		h = (h ^ uint32(g)) * 16777619
	}
	var letters [6]byte
	for i := range letters {
		letters[i] = 'A' + byte(h%26)
		h /= 26
	}
	return fmt.Sprintf("%s+", letters[:])
}
