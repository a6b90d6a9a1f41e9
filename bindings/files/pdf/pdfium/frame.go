package pdfium

// Rect is a rectangle in points. Where the binding answers one, it is as a person sees
// the page: from the bottom-left corner of its crop box, after its rotation.
type Rect struct {
	Left, Bottom, Right, Top float64
}

// Width is how wide it is.
func (r Rect) Width() float64 { return r.Right - r.Left }

// Height is how high it is.
func (r Rect) Height() float64 { return r.Top - r.Bottom }

// Empty is whether it has no area.
func (r Rect) Empty() bool { return r.Right <= r.Left || r.Top <= r.Bottom }

// Union is the least rectangle around both; the zero Rect counts as none.
func (r Rect) Union(other Rect) Rect {
	if r == (Rect{}) {
		return other
	}
	if other == (Rect{}) {
		return r
	}
	return Rect{min(r.Left, other.Left), min(r.Bottom, other.Bottom), max(r.Right, other.Right), max(r.Top, other.Top)}
}

// frame is how the page's own coordinates become those that a person sees.
type frame struct {
	box      Rect // what is shown, in the page's own coordinates
	quarters int  // turned clockwise
}

// frame gives that of a page that is entered.
func (m *module) frame(page ptr) frame {
	out := m.alloc(16)
	defer m.drop(out)
	f := frame{quarters: m.FPDFPage_GetRotation(page)}
	if m.FPDF_GetPageBoundingBox(page, out) != 0 {
		v := m.floats(out, 4) // left, top, right, bottom
		f.box = Rect{v[0], v[3], v[2], v[1]}
	}
	return f
}

// point gives a point as a person sees it.
func (f frame) point(x, y float64) (float64, float64) {
	switch f.quarters {
	case 1:
		return y - f.box.Bottom, f.box.Right - x
	case 2:
		return f.box.Right - x, f.box.Top - y
	case 3:
		return f.box.Top - y, x - f.box.Left
	}
	return x - f.box.Left, y - f.box.Bottom
}

// rect gives a rectangle as a person sees it.
func (f frame) rect(r Rect) Rect {
	x1, y1 := f.point(r.Left, r.Bottom)
	x2, y2 := f.point(r.Right, r.Top)
	return Rect{min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)}
}
