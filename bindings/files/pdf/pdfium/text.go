package pdfium

import "math"

// maxChars is how many characters of a page are looked at.
const maxChars = 4 << 20

// Text is a page's text in reading order as PDFium finds it, its lines ended by "\n".
func (d *Document) Text(page int) (text string, err error) {
	defer guard(&err)
	t, err := d.enterText(page)
	if err != nil {
		return "", err
	}
	n := min(d.m.FPDFText_CountChars(t), maxChars)
	if n <= 0 {
		return "", nil
	}
	buf := d.m.alloc(2*n + 2)
	defer d.m.drop(buf)
	written := d.m.FPDFText_GetText(t, 0, n, buf)
	return plain(d.m.wideAll(buf, min(written, n))), nil
}

// Char is a character of a page.
type Char struct {
	Rune rune
	Box  Rect    // of the glyph's cell, from descent to ascent; empty for what was inserted
	Size float64 // of the font, in points, as it is drawn
	// Inserted is true for the spaces and ends of lines that PDFium puts between words
	// and lines; they are ' ' and '\n'.
	Inserted bool
}

// Chars are a page's characters in reading order.
func (d *Document) Chars(page int) (chars []Char, err error) {
	defer guard(&err)
	t, err := d.enterText(page)
	if err != nil {
		return nil, err
	}
	n := min(d.m.FPDFText_CountChars(t), maxChars)
	if n <= 0 {
		return nil, nil
	}
	f := d.m.frame(d.page.page)
	out := d.m.alloc(24)
	defer d.m.drop(out)
	chars = make([]Char, 0, n)
	for i := range n {
		c := Char{Rune: rune(uint32(d.m.FPDFText_GetUnicode(t, i)))}
		switch {
		case d.m.FPDFText_IsGenerated(t, i) == 1:
			c.Inserted = true
		case d.m.FPDFText_GetLooseCharBox(t, i, out) != 0:
			v := d.m.floats(out, 4) // left, top, right, bottom
			c.Box = f.rect(Rect{v[0], v[3], v[2], v[1]})
			c.Size = d.m.FPDFText_GetFontSize(t, i)
			if d.m.FPDFText_GetMatrix(t, i, out) != 0 {
				v := d.m.floats(out, 4)
				c.Size *= math.Hypot(v[2], v[3])
			}
		}
		chars = append(chars, c)
	}
	return readable(chars), nil
}

// Match is a place where a text was found: in one box for each line that it spans.
type Match struct {
	Text  string // as it stands there
	Boxes []Rect
	Start int // index of its first character on the page
	Chars int // how many it has
}

// Search finds a text on a page, at most limit times. Ends of lines count as spaces.
func (d *Document) Search(page int, text string, matchCase, wholeWord bool, limit int) (matches []Match, err error) {
	defer guard(&err)
	t, err := d.enterText(page)
	if err != nil {
		return nil, err
	}
	var flags int
	if matchCase {
		flags |= 1
	}
	if wholeWord {
		flags |= 2
	}
	what := d.m.putWide(text)
	defer d.m.drop(what)
	search := d.m.FPDFText_FindStart(t, what, flags, 0)
	if search == 0 {
		return nil, nil
	}
	defer func() {
		if d.m.broken == nil {
			d.m.FPDFText_FindClose(search)
		}
	}()
	f := d.m.frame(d.page.page)
	for len(matches) < limit && d.m.FPDFText_FindNext(search) != 0 {
		start, count := d.m.FPDFText_GetSchResultIndex(search), d.m.FPDFText_GetSchCount(search)
		if count <= 0 {
			break
		}
		matches = append(matches, Match{d.textOf(t, start, count), d.rects(t, f, start, count), start, count})
	}
	return matches, nil
}

// TextAt is count characters of a page from start; what is beyond its ends is left out.
func (d *Document) TextAt(page, start, count int) (text string, err error) {
	defer guard(&err)
	t, err := d.enterText(page)
	if err != nil {
		return "", err
	}
	if start < 0 {
		start, count = 0, count+start
	}
	return d.textOf(t, start, min(count, d.m.FPDFText_CountChars(t)-start)), nil
}

func (d *Document) textOf(t ptr, start, count int) string {
	if count <= 0 {
		return ""
	}
	buf := d.m.alloc(2*count + 2)
	defer d.m.drop(buf)
	written := d.m.FPDFText_GetText(t, start, count, buf)
	return plain(d.m.wideAll(buf, min(written, count)))
}

// rects are the boxes of a range of characters.
func (d *Document) rects(t ptr, f frame, start, count int) []Rect {
	out := d.m.alloc(32)
	defer d.m.drop(out)
	n := min(d.m.FPDFText_CountRects(t, start, count), 1000)
	var boxes []Rect
	for i := range n {
		if d.m.FPDFText_GetRect(t, i, out, out+8, out+16, out+24) != 0 {
			v := d.m.doubles(out, 4) // left, top, right, bottom
			boxes = append(boxes, f.rect(Rect{v[0], v[3], v[2], v[1]}))
		}
	}
	return boxes
}
