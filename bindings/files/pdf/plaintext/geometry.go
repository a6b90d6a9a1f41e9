package plaintext

import "math"

// Geometry is in single precision, as PDFium's is, so that what is close falls alike.

type point struct{ x, y float32 }

// matrix is a transformation as PDF writes it.
type matrix struct{ a, b, c, d, e, f float32 }

var identity = matrix{a: 1, d: 1}

// then is m followed by n.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d,
		m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d,
		m.e*n.a + m.f*n.c + n.e, m.e*n.b + m.f*n.d + n.f,
	}
}

func (m matrix) at(p point) point {
	return point{m.a*p.x + m.c*p.y + m.e, m.b*p.x + m.d*p.y + m.f}
}

// inverse is the identity where there is none.
func (m matrix) inverse() matrix {
	i := m.a*m.d - m.b*m.c
	if i == 0 {
		return identity
	}
	j := -i
	v := matrix{a: m.d / i, b: m.b / j, c: m.c / j, d: m.a / i}
	v.e = (m.c*m.f - m.d*m.e) / i
	v.f = (m.a*m.f - m.b*m.e) / j
	return v
}

// distance is how long d is in the mean of both directions.
func (m matrix) distance(d float32) float32 { return d * (hypot(m.a, m.b) + hypot(m.c, m.d)) / 2 }

func (m matrix) rect(r rect) rect {
	p := m.at(point{r.left, r.bottom})
	out := rect{p.x, p.y, p.x, p.y}
	for _, corner := range [3]point{{r.left, r.top}, {r.right, r.bottom}, {r.right, r.top}} {
		p := m.at(corner)
		out = rect{min(out.left, p.x), min(out.bottom, p.y), max(out.right, p.x), max(out.top, p.y)}
	}
	return out
}

func hypot(a, b float32) float32 {
	switch {
	case b == 0:
		return abs(a)
	case a == 0:
		return abs(b)
	}
	return float32(math.Sqrt(float64(a*a + b*b)))
}

func abs(v float32) float32 { return float32(math.Abs(float64(v))) }

type rect struct{ left, bottom, right, top float32 }

func (r rect) width() float32  { return r.right - r.left }
func (r rect) height() float32 { return r.top - r.bottom }
func (r rect) empty() bool     { return r.left >= r.right || r.bottom >= r.top }

// finite tells whether the rectangle is somewhere.
func (r rect) finite() bool {
	const far = 1e9
	return abs(r.left) < far && abs(r.bottom) < far && abs(r.right) < far && abs(r.top) < far
}

// intersect is empty at the origin where the two do not meet.
func (r rect) intersect(o rect) rect {
	r = rect{max(r.left, o.left), max(r.bottom, o.bottom), min(r.right, o.right), min(r.top, o.top)}
	if r.left > r.right || r.bottom > r.top {
		return rect{}
	}
	return r
}

func (r rect) union(o rect) rect {
	return rect{min(r.left, o.left), min(r.bottom, o.bottom), max(r.right, o.right), max(r.top, o.top)}
}

func (r rect) contains(p point) bool {
	return p.x >= r.left && p.x <= r.right && p.y >= r.bottom && p.y <= r.top
}
