package plaintext

// flow is the direction of lines.
type flow uint8

const (
	anyhow flow = iota
	horizontally
	vertically
	unclear // what boxOf leaves open may decide
)

// flowOf tells how most lines of a page run, by how much of its width and of its height
// has text.
func flowOf(width, height int, objects []*object) flow {
	high := flowIn(width, height, objects, 1)
	for _, o := range objects {
		if o.slack == slackOfFew {
			if flowIn(width, height, objects, 0.15) != high {
				return unclear
			}
			break
		}
	}
	return high
}

// flowIn takes texts that may be low for as high as a part of what is expected.
func flowIn(width, height int, objects []*object, part float32) flow {
	if width <= 0 || height <= 0 {
		return anyhow
	}
	// How many texts begin less how many end at each point.
	across, down := make([]int32, width+1), make([]int32, height+1)
	left, right, bottom, top := width, 0, height, 0
	var lineHeight float32
	for _, o := range objects {
		if o.inForm {
			continue
		}
		x0, x1 := within(o.rect.left, width), within(o.rect.right, width)
		below, above := o.rect.bottom, o.rect.top
		if o.slack == slackOfFew {
			off := o.rect.height() * (1 - part) / 2
			below, above = below+off, above-off
		}
		y0, y1 := within(below, height), within(above, height)
		if x0 >= x1 || y0 >= y1 {
			continue
		}
		across[x0]++
		across[x1]--
		down[y0]++
		down[y1]--
		left, right, bottom, top = min(left, x0), max(right, x1), min(bottom, y0), max(top, y1)
		if lineHeight <= 0 {
			lineHeight = above - below
		}
	}
	const open = 0.3
	twoLines := 2 * lineHeight
	for i, length := range [2]int{top - bottom, right - left} {
		switch far := float32(length); {
		case abs(far-twoLines) <= max(1, open*twoLines):
			return unclear
		case far < twoLines:
			return [2]flow{horizontally, vertically}[i]
		}
	}
	filledAcross, filledDown := filled(across, left, right), filled(down, bottom, top)
	switch {
	case filledAcross > 0.8+open/2:
		return horizontally
	case abs(filledAcross-filledDown) < open || filledAcross > 0.8-open/2 && filledAcross < filledDown:
		return unclear
	case filledAcross > filledDown:
		return horizontally
	case filledAcross < filledDown:
		return vertically
	}
	return anyhow
}

func within(v float32, limit int) int { return int(max(0, min(v, float32(limit)))) }

// filled is which part from one point to another has text.
func filled(changes []int32, from, to int) float32 {
	if from >= to {
		return 0
	}
	n, texts := 0, int32(0)
	for i, change := range changes[:to] {
		if texts += change; texts > 0 && i >= from {
			n++
		}
	}
	return float32(n) / float32(to-from)
}

// flowOf tells how an object's line runs.
func (a *assembler) flowOf(o *object) flow {
	if o.chars <= 1 {
		return a.horizontal
	}
	first, last := -1, 0
	for i, it := range o.items {
		if it.glyph != nil {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	from, to := o.matrix.at(point{o.items[first].x, 0}), o.matrix.at(point{o.items[last].x, 0})
	dx, dy := abs(to.x-from.x), abs(to.y-from.y)
	if dx <= 0.0001 && dy <= 0.0001 {
		return anyhow
	}
	const little = 0.0872 // the sine of five degrees
	length := hypot(dx, dy)
	flatX, flatY := dx/length <= little, dy/length <= little
	switch {
	case flatY && !flatX:
		return horizontally
	case flatX && !flatY:
		return vertically
	}
	return a.horizontal
}

type breaking uint8

const (
	noBreak breaking = iota
	wordBreak
	lineBreak
	hyphenation // a line break within a word
)

// between tells what is between the last object and the next.
func (a *assembler) between(o *object) breaking {
	prev := a.prev
	f := a.flowOf(o)
	if f == anyhow {
		f = a.flowOf(prev)
	}
	if f == unclear {
		fail("lines that may run either way")
	}
	lastItem, first := prev.items[len(prev.items)-1], o.items[0]
	next := first.glyph.text[0]
	isApart, close := false, false
	switch f {
	case horizontally:
		isApart, close = a.areApart(o)
	case vertically:
		isApart = o.rect.width() > o.size*0.1 && prev.rect.width() > prev.size*0.1 &&
			min(o.rect.right, a.area.right) <= max(o.rect.left, a.area.left)
	}
	if isApart && !close {
		return a.newLine(next)
	}

	lastWidth := abs(float32(lastItem.glyph.space()) * prev.size / 1000)
	thisWidth := abs(float32(first.glyph.space()) * o.size / 1000)
	far := max(lastWidth, thisWidth) / 4
	back := prev.matrix.then(prev.form).inverse()
	at := back.at(o.form.at(o.pos))
	if lastWidth < thisWidth {
		far = back.distance(far)
	}
	if f == horizontally && a.isBelow(o, at, far) {
		return a.newLine(next)
	}
	if close {
		fail("two texts that may be on one line")
	}
	if o.chars == 1 && isHyphen(next) && a.endsInHyphen(next) {
		return hyphenation
	}
	if next == ' ' {
		return noBreak
	}
	if g := lastItem.glyph; g != nil && g.text[len(g.text)-1] == ' ' {
		return noBreak
	}
	if isWide(at, lastItem.x, thisWidth, lastWidth, a.wordGap(o, lastItem.glyph, first.glyph, back)) {
		return wordBreak
	}
	return noBreak
}

// areApart tells whether an object is wholly above or below the last one, both being high
// enough to tell. It is close if what boxOf leaves open may decide.
func (a *assembler) areApart(o *object) (apart, close bool) {
	const enough = 4.5
	one, other := o.rect, a.prev.rect
	slack := float32(slackOfKnown)
	if abs(o.pos.y-a.prev.pos.y) > 0.02*abs(o.size) {
		slack = max(o.slack, a.prev.slack)
	}
	height := min(one.height(), other.height())
	between := max(one.bottom, other.bottom) - min(one.top, other.top)
	open := slack * height
	apart = height > enough && between >= 0
	close = height > enough*(1-slack) && between > -open && (height < enough*(1+slack) || between < open)
	return apart, close
}

func (a *assembler) newLine(next rune) breaking {
	if a.endsInHyphen(next) {
		return hyphenation
	}
	return lineBreak
}

// isBelow tells whether an object, whose place is at as the last one sees it, is too high or
// too low to be on its line.
func (a *assembler) isBelow(o *object, at point, far float32) bool {
	prev := a.prev
	if !(prev.rect.empty() && prev.rect.height() > 5) &&
		!((at.y > far*2 || at.y < far*-3) && (abs(at.y) >= 1 || abs(at.y) > abs(at.x))) {
		return false
	}
	// Raised and lowered text stays on its line.
	d, m := a.display, prev.matrix
	if n := len(prev.items); n > 1 && prev.items[n-1].x > prev.items[0].x &&
		d.a > 0.9 && d.b < 0.1 && d.c < 0.1 && d.d < -0.9 && m.b < 0.1 && m.c < 0.1 {
		if (rect{0, prev.rect.bottom, 1000, prev.rect.top}).contains(o.pos) ||
			(rect{0, o.rect.bottom, 1000, o.rect.top}).contains(prev.pos) {
			return false
		}
	}
	return true
}

// wordGap is from which gap on between two objects they are two words.
func (a *assembler) wordGap(o *object, last, first *glyph, back matrix) float32 {
	lastWidth, thisWidth := last.space(), first.space()
	gap := part(float32(max(lastWidth, thisWidth)), 400, 700, 800)
	if lastWidth >= thisWidth {
		gap *= abs(a.prev.size)
	} else {
		gap = back.distance(o.matrix.then(o.form).distance(gap * abs(o.size)))
	}
	gap /= 1000
	if gap > 1.4879 && gap < 1.4881 || gap > 1.38999 && gap < 1.39001 {
		gap *= 1.5
	}
	return gap
}

func isWide(at point, last, thisWidth, lastWidth, gap float32) bool {
	if abs(last+lastWidth-at.x) <= gap {
		return false
	}
	moved := at.x - last
	return abs(moved) > gap+lastWidth || at.x < 0 && -(gap+lastWidth) > moved || moved > thisWidth+lastWidth
}
