package plaintext

import "unicode"

func (s *stream) fontOf(what Name) *font {
	o := s.resource("Font", what)
	ref, isRef := o.(Ref)
	if isRef {
		if f := s.doc.fonts[ref]; f != nil {
			return f
		}
	}
	dict, _ := s.doc.get(o).(Dict)
	f := &font{doc: s.doc, dict: dict}
	f.why = f.load()
	if isRef {
		s.doc.fonts[ref] = f
	}
	return f
}

func (s *stream) showLast() {
	n := len(s.operands)
	if n == 0 {
		return
	}
	switch last := s.operands[n-1]; {
	case last.kind == name:
		fail("a name that is shown")
	case last.kind == text && len(last.text) > 0:
		s.show(s.operands[n-1:])
	}
}

// show makes an object of strings and what is between them.
func (s *stream) show(parts []operand) {
	st := &s.state
	if st.font == nil {
		return
	}
	if st.font.why != "" {
		fail("the font: %s", st.font.why)
	}
	if s.actual > 0 {
		fail("an ActualText")
	}
	if st.size == 0 || st.scale == 0 {
		fail("letters of no size")
	}
	o := &object{font: st.font, size: st.size, charSpace: st.charSpace, form: s.form, inForm: s.inForm, before: s.last}
	n, empty := 0, false
	for _, part := range parts {
		if part.kind == text {
			n += len(part.text) + 1
			empty = empty || len(part.text) == 0
		}
		if len(part.text) > maxString {
			fail("a string of %d bytes", len(part.text))
		}
	}
	if s.chars += n; s.chars > maxText {
		fail("too much text")
	}
	o.items = make([]item, 0, n)
	var kern float32 // since the last string
	move := func() { st.pos.x -= kern * st.size * st.scale / 1000 }
	for _, part := range parts {
		if part.kind == number {
			kern += part.num
			continue
		}
		if len(part.text) == 0 {
			continue
		}
		if len(o.items) == 0 {
			move()
		} else {
			o.items = append(o.items, item{x: kern})
		}
		kern = 0
		o.items = st.font.glyphs(o.items, part.text)
	}
	if o.place(st); len(o.items) == 0 {
		move()
		return
	}
	if s.chars += objectChars; s.chars > maxText {
		fail("too much text")
	}
	s.last = o
	s.objects = append(s.objects, o)
	if !empty { // PDFium loses it
		move()
	}
}

// maxString is how long a string may be; PDFium cuts off more.
const maxString = 32767

// place works out where an object's characters are, and moves on by them.
func (o *object) place(st *state) {
	if len(o.items) == 0 {
		return
	}
	f := o.font
	o.pos = st.ctm.at(st.text.at(point{st.pos.x, st.pos.y + st.rise}))
	o.matrix = st.shown
	o.matrix.e, o.matrix.f = o.pos.x, o.pos.y
	var x float32
	around := rect{10000, 10000, -10000, -10000}
	visible, vague := 0, false
	for i := range o.items {
		it := &o.items[i]
		g := it.glyph
		if g == nil {
			x -= it.x * o.size / 1000
			continue
		}
		it.x = x
		o.chars++
		if g.top > g.bottom {
			visible++
			vague = vague || !g.agreed
		}
		left, right := x+float32(g.left)*o.size/1000, x+float32(g.right)*o.size/1000
		around.left, around.right = min(around.left, left, right), max(around.right, left, right)
		around.bottom, around.top = min(around.bottom, float32(g.bottom)), max(around.top, float32(g.top))
		x += float32(g.width) * o.size / 1000
		if g.code == ' ' && !f.wide {
			x += st.wordSpace
		}
		x += st.charSpace
	}
	switch {
	case !vague:
		o.slack = slackOfKnown
	case visible < 3:
		o.slack = slackOfFew
	default:
		o.slack = slackOfSome
	}
	around.bottom, around.top = around.bottom*o.size/1000, around.top*o.size/1000
	o.rect = o.matrix.rect(around)
	if m := st.mode; m == 1 || m == 2 || m == 5 || m == 6 {
		half := st.lineWidth / 2
		o.rect = rect{o.rect.left - half, o.rect.bottom - half, o.rect.right + half, o.rect.top + half}
	}
	if !o.rect.finite() {
		fail("a place that is none")
	}
	if o.rect.width() < 0.01 {
		for _, it := range o.items {
			if it.glyph != nil && !unicode.IsSpace(it.glyph.text[0]) {
				fail("letters of no width") // PDFium knows their ink
			}
		}
	}
	st.pos.x += x * st.scale
}
