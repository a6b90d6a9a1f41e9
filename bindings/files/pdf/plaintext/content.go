package plaintext

import "context"

// object is what one operator shows: its codes, and where.
type object struct {
	font      *font
	size      float32
	items     []item
	chars     int // of the items
	pos       point
	matrix    matrix // of the text, with pos
	form      matrix // of the form that it is in, to the page
	inForm    bool
	charSpace float32
	rect      rect    // around it, within its form
	slack     float32 // what fonts may make of its height, as a part of it
	before    *object // the one before it in the same page or form
}

// item is a character, or a kerning between two.
type item struct {
	glyph *glyph // nil for a kerning
	x     float32
}

// across is the size of the font along the line.
func (o *object) across() float32 { return abs(hypot(o.matrix.a, o.matrix.b) * o.size) }

// state is what q keeps and Q brings back.
type state struct {
	ctm       matrix
	text      matrix // what Tm set
	shown     matrix // horizontal scale, text and ctm, without the place
	pos, line point
	leading   float32
	rise      float32
	scale     float32 // horizontal
	font      *font
	size      float32
	charSpace float32
	wordSpace float32
	mode      int
	lineWidth float32
}

func (s *state) change() {
	s.shown = matrix{a: s.scale, d: 1}.then(s.text).then(s.ctm)
}

// runner runs the content of a page for the text in it.
type runner struct {
	doc     *Document
	ctx     context.Context
	objects []*object
	chars   int
	open    []*Stream // the forms that are being run
}

func (r *runner) page(p *page) {
	var content []byte
	switch c := r.doc.get(p.contents).(type) {
	case nil:
	case *Stream:
		content = r.doc.inflate(c)
	case Array:
		for _, item := range c {
			r.count(1)
			switch s := r.doc.get(item).(type) {
			case nil:
			case *Stream:
				if content = append(append(content, r.doc.inflate(s)...), ' '); int64(len(content)) > r.doc.most {
					fail("contents that are too long")
				}
			default:
				fail("contents that are no stream")
			}
		}
	default:
		fail("contents that are no stream")
	}
	s := stream{runner: r, resources: p.resources, page: p.resources, form: identity}
	s.state = state{ctm: identity, text: identity, shown: identity, scale: 1, lineWidth: 1}
	s.run(content)
}

// stream runs one content stream: a page's or a form's.
type stream struct {
	*runner
	lexer
	resources Dict
	page      Dict // the page's resources, for forms without any
	form      matrix
	inForm    bool
	state     state
	saved     []state
	marks     []bool // the marked content that is open: whether it has an ActualText
	actual    int    // how many of these have
	operands  []operand
	array     []operand // the items of the operand that is an array
	last      *object
}

// operand is what stands before an operator. Arrays are kept beside.
type operand struct {
	kind kind
	num  float32
	text []byte
	dict Dict
}

// maxOperands is how many operands are kept; more are the first ones' end.
const maxOperands = 16

// maxItems is how many strings and numbers one array may have.
const maxItems = 100_000

func (s *stream) run(content []byte) {
	s.data, s.left = content, &s.doc.values
	for {
		t := s.next()
		switch t.kind {
		case end:
			return
		case number:
			s.push(operand{kind: number, num: float32(t.num)})
		case name, text:
			s.push(operand{kind: t.kind, text: t.bytes})
		case open:
			s.array = s.items(s.array[:0])
			s.count(len(s.array) / 4)
			s.push(operand{kind: open})
		case openDict:
			dict, _ := s.objectOf(t, 0).(Dict)
			s.push(operand{kind: openDict, dict: dict})
		case keyword:
			s.count(1)
			s.operator(t.bytes)
			s.operands, s.scratch = s.operands[:0], s.scratch[:0]
		default:
			fail("a stray bracket")
		}
	}
}

// count bounds the operators; one may be as much work as n.
func (r *runner) count(n int) {
	before := r.doc.operators
	if r.doc.operators += n; r.doc.operators > maxOperators {
		fail("too many operators")
	}
	if before>>12 != r.doc.operators>>12 {
		proceed(r.ctx)
	}
}

func (s *stream) push(o operand) {
	if len(s.operands) == maxOperands {
		copy(s.operands, s.operands[1:])
		s.operands = s.operands[:maxOperands-1]
	}
	s.operands = append(s.operands, o)
}

func (s *stream) items(list []operand) []operand {
	for {
		if len(list) > maxItems {
			fail("an array of too much")
		}
		t := s.next()
		switch t.kind {
		case shut:
			return list
		case number:
			list = append(list, operand{kind: number, num: float32(t.num)})
		case text:
			list = append(list, operand{kind: text, text: t.bytes})
		case name, keyword:
		default:
			fail("an array in the content")
		}
	}
}

// num is the operand that stands i before the last; 0 if there is none.
func (s *stream) num(i int) float32 {
	if i = len(s.operands) - 1 - i; i < 0 || s.operands[i].kind != number {
		return 0
	}
	return s.operands[i].num
}

func (s *stream) matrix() matrix {
	return matrix{s.num(5), s.num(4), s.num(3), s.num(2), s.num(1), s.num(0)}
}

func (s *stream) name(i int) Name {
	if i = len(s.operands) - 1 - i; i < 0 || s.operands[i].kind != name {
		return ""
	}
	return Name(s.operands[i].text)
}

func (s *stream) operator(op []byte) {
	st := &s.state
	switch string(op) {
	case "q":
		if len(s.saved) > 10_000 {
			fail("too many q")
		}
		s.saved = append(s.saved, *st)
	case "Q":
		if n := len(s.saved); n > 0 {
			*st, s.saved = s.saved[n-1], s.saved[:n-1]
		}
	case "cm":
		st.ctm = s.matrix().then(st.ctm)
		st.change()
	case "w":
		st.lineWidth = s.num(0)
	case "gs":
		s.graphics()
	case "BT":
		st.text, st.pos, st.line = identity, point{}, point{}
		st.change()
	case "Tm":
		st.text, st.pos, st.line = s.matrix(), point{}, point{}
		st.change()
	case "Td", "TD":
		st.line.x += s.num(1)
		st.line.y += s.num(0)
		st.pos = st.line
		if string(op) == "TD" {
			st.leading = -s.num(0)
		}
	case "T*":
		s.nextLine()
	case "TL":
		st.leading = s.num(0)
	case "Tc":
		st.charSpace = s.num(0)
	case "Tw":
		st.wordSpace = s.num(0)
	case "Tz":
		st.scale = s.num(0) / 100
		st.change()
	case "Ts":
		st.rise = s.num(0)
	case "Tr":
		if mode := int(s.num(0)); mode >= 0 && mode <= 7 {
			st.mode = mode
		}
	case "Tf":
		st.size = s.num(0)
		st.font = s.fontOf(s.name(1))
	case "Tj":
		s.showLast()
	case "'":
		s.nextLine()
		s.showLast()
	case `"`:
		st.wordSpace, st.charSpace = s.num(2), s.num(1)
		s.nextLine()
		s.showLast()
	case "TJ":
		if n := len(s.operands); n > 0 && s.operands[n-1].kind == open {
			s.show(s.array)
		}
	case "Do":
		s.draw(s.name(0))
	case "BMC":
		s.marks = append(s.marks, false)
	case "BDC":
		s.mark()
	case "EMC":
		if n := len(s.marks); n > 0 {
			if s.marks[n-1] {
				s.actual--
			}
			s.marks = s.marks[:n-1]
		}
	case "BI":
		s.inlineImage()
	}
	if len(s.marks) > 10_000 {
		fail("too much marked content")
	}
}

func (s *stream) nextLine() {
	s.state.line.y -= s.state.leading
	s.state.pos = s.state.line
}

// resource finds what a name stands for.
func (s *stream) resource(category, what Name) any {
	if dict, _ := s.doc.get(s.resources[category]).(Dict); dict != nil {
		return dict[what]
	}
	dict, _ := s.doc.get(s.page[category]).(Dict)
	return dict[what]
}

// graphics takes what concerns text from a dictionary of graphics state.
func (s *stream) graphics() {
	dict, _ := s.doc.get(s.resource("ExtGState", s.name(0))).(Dict)
	if dict["Font"] != nil {
		fail("a font in the graphics state")
	}
	if w, ok := s.doc.get(dict["LW"]).(float64); ok {
		s.state.lineWidth = float32(w)
	}
}

// mark begins marked content with properties. Where they say what the text is, PDFium may
// take that instead.
func (s *stream) mark() {
	var dict Dict
	if n := len(s.operands); n > 0 && s.operands[n-1].kind == openDict {
		dict = s.operands[n-1].dict
	} else if what := s.name(0); what != "" {
		dict, _ = s.doc.get(s.resource("Properties", what)).(Dict)
	}
	has := dict["ActualText"] != nil
	if has {
		s.actual++
	}
	s.marks = append(s.marks, has)
}

// draw runs a form.
func (s *stream) draw(what Name) {
	form, ok := s.doc.get(s.resource("XObject", what)).(*Stream)
	if !ok || s.doc.get(form.Dict["Subtype"]) != Name("Form") {
		return
	}
	s.count(500)
	if len(s.open) == maxForms {
		fail("too many forms within each other")
	}
	for _, o := range s.open {
		if o == form {
			fail("a form in itself")
		}
	}
	inner := stream{runner: s.runner, page: s.page, form: s.state.ctm.then(s.form), inForm: true}
	if inner.resources, ok = s.doc.get(form.Dict["Resources"]).(Dict); !ok {
		inner.resources = s.resources
	}
	inner.state = state{ctm: identity, text: identity, shown: identity, scale: 1, lineWidth: s.state.lineWidth,
		font: s.state.font, size: s.state.size, charSpace: s.state.charSpace, wordSpace: s.state.wordSpace, mode: s.state.mode}
	if m, ok := s.doc.get(form.Dict["Matrix"]).(Array); ok && len(m) == 6 {
		var v [6]float32
		for i := range v {
			n, _ := s.doc.get(m[i]).(float64)
			v[i] = float32(n)
		}
		inner.state.ctm = matrix{v[0], v[1], v[2], v[3], v[4], v[5]}
	}
	s.open = append(s.open, form)
	inner.run(s.doc.inflate(form))
	s.open = s.open[:len(s.open)-1]
}
