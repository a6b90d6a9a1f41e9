package plaintext

import (
	"context"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// assembler puts the texts of a page together by the rules of PDFium's CPDF_TextPage, in the
// same order and with the same thresholds.
type assembler struct {
	display    matrix // from the page to a picture of it, its first line on top
	horizontal flow   // how most lines run

	row  []*object // objects about as high as each other, from left to right
	xs   []float32 // where these begin
	out  strings.Builder
	tail rune // the last character of out
	line []char
	area rect    // around the line
	prev *object // the last that was written
	done *object // whose character is the last of out; nil for what was inserted
}

// char is a character of the line that is being put together.
type char struct {
	r      rune
	glyph  *glyph  // nil for an inserted space
	object *object // nil for a space between objects
	at     point
}

// hyphen stands for a hyphen at the end of a line, with the end of the line.
const hyphen = -2

// assemble gives the text of a page.
func assemble(ctx context.Context, p *page, objects []*object) string {
	a := &assembler{}
	width, height := p.box.width(), p.box.height()
	var turned matrix
	switch p.turns {
	case 0:
		turned = matrix{1, 0, 0, 1, -p.box.left, -p.box.bottom}
	case 1:
		turned = matrix{0, -1, 1, 0, -p.box.bottom, p.box.right}
	case 2:
		turned = matrix{-1, 0, 0, -1, p.box.right, p.box.top}
	case 3:
		turned = matrix{0, 1, -1, 0, p.box.top, -p.box.left}
	}
	if p.turns%2 == 1 {
		width, height = height, width
	}
	w, h := float32(int(width)), float32(int(height))
	a.display = turned.then(matrix{w / width, 0, 0, -h / height, 0, h})
	a.horizontal = flowOf(int(w), int(h), objects)
	for i, o := range objects {
		if i%1024 == 0 {
			proceed(ctx)
		}
		a.add(o)
	}
	a.endRow()
	a.endLine()
	return strings.TrimRight(a.out.String(), "\n ")
}

// maxRow is how many objects one row may have.
const maxRow = 5000

// add puts an object into the row, or begins another row with it.
func (a *assembler) add(o *object) {
	n := len(a.row)
	at := a.display.at(o.form.at(o.pos))
	if !(rect{at.x, at.y, at.x, at.y}).finite() {
		fail("a place that is none")
	}
	if n == 0 {
		a.insert(o, 0, at.x)
		return
	}
	if a.isRepeated(o) {
		return
	}
	before := a.row[n-1]
	lastWidth := before.matrix.then(before.form).distance(abs(before.advance(len(before.items) - 1)))
	thisWidth := o.matrix.then(o.form).distance(abs(o.advance(0)))
	far := max(lastWidth, thisWidth) / 4
	if abs(at.y-a.display.at(before.form.at(before.pos)).y) > far*2 {
		a.endRow()
		a.insert(o, 0, at.x)
		return
	}
	if n == maxRow {
		fail("a row of too many texts")
	}
	a.insert(o, sort.Search(n, func(i int) bool { return a.xs[i] > at.x }), at.x)
}

func (a *assembler) insert(o *object, i int, x float32) {
	a.row, a.xs = slices.Insert(a.row, i, o), slices.Insert(a.xs, i, x)
}

func (a *assembler) endRow() {
	for _, o := range a.row {
		a.write(o)
	}
	a.row, a.xs = a.row[:0], a.xs[:0]
}

// advance is the width of an item's character, in text space; 0 for a kerning.
func (o *object) advance(i int) float32 {
	if g := o.items[i].glyph; g != nil {
		return float32(g.space()) * o.size / 1000
	}
	return 0
}

// space is a glyph's width, or that of its ink if it has none.
func (g *glyph) space() int {
	if g == nil {
		return 0
	}
	if g.width > 0 {
		return g.width
	}
	return max(g.right-g.left, 0)
}

// isRepeated tells whether one of the five texts before shows the same at the same place,
// as bold print is made.
func (a *assembler) isRepeated(o *object) bool {
	i := 0
	for other := o.before; other != nil && i < 5; other = other.before {
		if a.same(other, o) {
			return true
		}
		i++
	}
	return false
}

func (a *assembler) same(earlier, o *object) bool {
	both := o.rect
	if o.rect.empty() && earlier.rect.empty() { // several spaces
		if a.out.Len() > 0 && earlier.rect.left != o.rect.left {
			return false
		}
	} else {
		if both = both.intersect(earlier.rect); both.empty() || abs(both.width()-earlier.rect.width()) > earlier.rect.width()/2 || o.size != earlier.size {
			return false
		}
	}
	if len(o.items) != len(earlier.items) {
		return false
	}
	for i, it := range o.items {
		if other := earlier.items[i].glyph; (it.glyph == nil) != (other == nil) || it.glyph != nil && it.glyph.code != other.code {
			return false
		}
	}
	last := float32(o.items[len(o.items)-1].glyph.space())
	return abs(earlier.pos.x-o.pos.x) <= 0.9*last*o.size/1000 && abs(earlier.pos.y-o.pos.y) <= max(both.height(), both.width(), o.size)/8
}

// write puts an object's characters on the line, after what has to be between.
func (a *assembler) write(o *object) {
	if a.prev == nil {
		a.area = o.rect
	} else {
		if last := a.lastObject(); last != nil {
			a.prev = last
		}
		between := a.between(o)
		if between == lineBreak {
			a.area = o.rect
		} else {
			a.area = a.area.union(o.rect)
		}
		switch between {
		case wordBreak:
			if len(a.line) > 0 || a.out.Len() > 0 {
				a.line = append(a.line, char{r: ' '})
			}
		case lineBreak:
			a.endLine()
			if a.out.Len() > 0 {
				a.put('\n')
				a.done = nil
			}
		case hyphenation:
			if o.chars == 1 && isHyphen(o.items[0].glyph.text[0]) {
				return
			}
			for len(a.line) > 0 && a.line[len(a.line)-1].r == ' ' {
				a.line = a.line[:len(a.line)-1]
			}
			if len(a.line) == 0 {
				fail("a hyphen without a line")
			}
			a.line[len(a.line)-1].r = hyphen
		}
	}
	a.prev = o
	a.characters(o)
}

// lastObject is the one that the last character is of.
func (a *assembler) lastObject() *object {
	if n := len(a.line); n > 0 {
		return a.line[n-1].object
	}
	return a.done
}

// characters puts those of an object on the line, with spaces where the gaps are wide.
func (a *assembler) characters(o *object) {
	m := o.matrix.then(o.form)
	usual := o.usualGap(m)
	across := o.across()
	perChar := m.distance(abs(o.charSpace))
	if abs(o.charSpace) <= 0.001 {
		perChar = 0
	} else if o.charSpace < 0 {
		perChar = -perChar
	}
	near := hypot(m.a*0.07*o.size, m.b*0.07*o.size)
	var gap float32
	for i, it := range o.items {
		if it.glyph == nil {
			if last := a.last(); last != 0 && last != ' ' {
				gap = -across * it.x / 1000
			}
			continue
		}
		at := m.at(point{it.x, 0})
		gap += perChar - usual
		if gap != 0 && i > 0 {
			if wide := it.glyph.wideGap(o.font, across); wide != 0 && gap >= wide {
				a.line = append(a.line, char{r: ' ', object: o, at: at})
			}
		}
		gap = 0
		if a.isDouble(it.glyph, at, near) {
			if n := len(a.line); i == 0 && n > 0 && a.line[n-1].r == ' ' {
				a.line = a.line[:n-1]
			}
			continue
		}
		for _, r := range it.glyph.text {
			a.line = append(a.line, char{r, it.glyph, o, at})
		}
	}
}

// last is the last character so far, or 0.
func (a *assembler) last() rune {
	if n := len(a.line); n > 0 {
		return a.line[n-1].r
	}
	return a.tail
}

// usualGap is by how much all characters of an object are spaced out, where they are.
func (o *object) usualGap(m matrix) float32 {
	if o.charSpace == 0 || len(o.items) < 3 {
		return 0
	}
	each := m.distance(o.charSpace)
	usual, kerned := each, false
	for _, it := range o.items {
		if it.glyph == nil {
			usual = min(usual, each-o.across()*it.x/1000)
			kerned = true
		}
	}
	if usual < 0 || len(o.items) == 3 && kerned {
		return 0
	}
	return usual
}

// wideGap is from which gap before a character on it begins a word.
func (g *glyph) wideGap(f *font, across float32) float32 {
	var wide float32
	if f.spaces >= 0 {
		wide = across * f.spaces / 1000
	}
	if wide > across/3 {
		wide = 0
	} else {
		wide /= 2
	}
	if wide == 0 {
		wide = across * part(float32(g.space()), 300, 500, 700) / 1000
	}
	return wide
}

// part is how much of a width is a gap.
func part(width, t1, t2, t3 float32) float32 {
	switch {
	case width < t1:
		return width / 2
	case width < t2:
		return width / 4
	case width < t3:
		return width / 5
	}
	return width / 6
}

// isDouble tells whether a character stands there already.
func (a *assembler) isDouble(g *glyph, at point, near float32) bool {
	for n := len(a.line); n > 0 && n > len(a.line)-7; n-- {
		c := &a.line[n-1]
		if c.glyph == g && abs(c.at.x-at.x) < near && abs(c.at.y-at.y) < near {
			return true
		}
	}
	return false
}

// endLine writes the line out, several spaces as one, and none at its end unless that is
// all there is.
func (a *assembler) endLine() {
	if len(a.line) == 0 {
		return
	}
	for n := len(a.line); n > 1 && a.line[n-1].r == ' '; n-- {
		a.line = a.line[:n-1]
	}
	spaced := false
	for _, c := range a.line {
		if c.r == ' ' && spaced {
			continue
		}
		spaced = c.r == ' '
		switch {
		case c.r == hyphen:
			a.out.WriteByte('-')
			a.put('\n')
			a.tail = hyphen
		case c.r >= 0xFB00 && c.r <= 0xFB06:
			for _, r := range ligatures[c.r-0xFB00] {
				a.put(r)
			}
		case !isControl(c.r):
			a.put(c.r)
		}
	}
	a.done = a.line[len(a.line)-1].object
	a.line = a.line[:0]
}

var ligatures = [...]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}

// isControl tells characters that PDFium leaves out.
func isControl(r rune) bool {
	switch r {
	case 0x02, 0x03, 0x93, 0x94, 0x96, 0x97, 0x98:
		return true
	}
	return false
}

// put writes a character, unless it is one that is not seen.
func (a *assembler) put(r rune) {
	a.tail = r
	if r == '\n' || r == '\t' || r >= ' ' && r != 0x7F && r != 0xAD {
		a.out.WriteRune(r)
	}
}

func isHyphen(r rune) bool { return r == '-' || r == 0xAD }

// endsInHyphen tells whether what is written so far ends in a hyphen after a letter, so that
// the word goes on with next.
func (a *assembler) endsInHyphen(next rune) bool {
	i := len(a.line) - 1
	for i > 0 && a.line[i].r == ' ' {
		i--
	}
	if i < 0 || !isHyphen(a.line[i].r) {
		return false // what is out ends in the end of a line
	}
	return i > 0 && unicode.IsLetter(a.line[i-1].r) && (unicode.IsLetter(next) || unicode.IsDigit(next))
}
