package plaintext

import (
	"strings"

	metrics "github.com/pdfcpu/pdfcpu/pkg/font"
	"golang.org/x/text/encoding/charmap"
)

// widths are those of a font's codes, in thousandths of its size, cut to whole numbers as
// PDFium does.
type widths struct {
	small     [256]int
	wide      map[uint32]int // nil for a simple font
	otherwise int
}

func (w *widths) of(code uint32) int {
	if w.wide == nil {
		return w.small[code&0xFF]
	}
	if v, ok := w.wide[code]; ok {
		return v
	}
	return w.otherwise
}

// readWide reads the widths of codes of two bytes; false is for what is out of the ordinary.
func (w *widths) readWide(d *Document, dict Dict) bool {
	w.wide = map[uint32]int{}
	w.otherwise = d.number(dict["DW"], 1000)
	list, _ := d.get(dict["W"]).(Array)
	set := func(code, width int) {
		d.keep(1)
		if _, ok := w.wide[uint32(code)]; !ok {
			w.wide[uint32(code)] = width
		}
	}
	for len(list) > 0 {
		if len(list) == 1 {
			return false
		}
		first := d.number(list[0], -1)
		if first < 0 || first > 0xFFFF {
			return false
		}
		if each, ok := d.get(list[1]).(Array); ok {
			for i, o := range each {
				set(first+i, d.number(o, 0))
			}
			list = list[2:]
		} else {
			if len(list) < 3 {
				return false
			}
			last, width := d.number(list[1], -1), d.number(list[2], 0)
			if last < first || last > 0xFFFF {
				return false
			}
			for code := first; code <= last; code++ {
				set(code, width)
			}
			list = list[3:]
		}
	}
	return true
}

// readSimple reads the widths of a simple font: its own, or those of the standard font that
// it is, whose codes stand for these characters.
func (w *widths) readSimple(d *Document, dict, descriptor Dict, standard string, codes *[256]rune) bool {
	fixed := strings.HasPrefix(standard, "Courier")
	for c := range w.small {
		if fixed {
			w.small[c] = 600
		} else if missing := descriptor["MissingWidth"]; missing != nil {
			w.small[c] = d.number(missing, 0)
		}
	}
	list, ok := d.get(dict["Widths"]).(Array)
	if !ok {
		if standard == "" {
			return false
		}
		for c, r := range codes {
			w.small[c] = unknown
			if code, ok := charmap.Windows1252.EncodeRune(r); ok && r > 0 {
				w.small[c], _ = metrics.CharWidth(standard, rune(code))
			}
		}
		return true
	}
	first := d.number(dict["FirstChar"], 0)
	last := d.number(dict["LastChar"], 0)
	if last == 0 || last >= first+len(list) {
		last = first + len(list) - 1
	}
	for c := first; c >= 0 && c <= min(last, 255); c++ {
		w.small[c] = d.number(list[c-first], 0)
	}
	return true
}

// standardFont gives the name of the standard font with letters that a font is, or "".
func standardFont(base Name) string {
	switch base {
	case "Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Helvetica-BoldOblique",
		"Times-Roman", "Times-Bold", "Times-Italic", "Times-BoldItalic",
		"Courier", "Courier-Bold", "Courier-Oblique", "Courier-BoldOblique":
		return string(base)
	}
	return ""
}
