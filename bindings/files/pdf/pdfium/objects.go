package pdfium

import "math"

// Kinds of page objects.
const (
	objectPath  = 2
	objectImage = 3
	objectForm  = 5
)

// maxObjects is how many objects of a page are looked at, those in forms included, and
// maxDepth how deep forms may lie in forms.
const (
	maxObjects = 200_000
	maxDepth   = 12
)

// matrix maps an object's coordinates to those around it.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

func (m matrix) apply(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// then is m followed by outer.
func (m matrix) then(outer matrix) matrix {
	return matrix{
		m[0]*outer[0] + m[1]*outer[2], m[0]*outer[1] + m[1]*outer[3],
		m[2]*outer[0] + m[3]*outer[2], m[2]*outer[1] + m[3]*outer[3],
		m[4]*outer[0] + m[5]*outer[2] + outer[4], m[4]*outer[1] + m[5]*outer[3] + outer[5],
	}
}

// matrixOf is an object's own.
func (m *module) matrixOf(object ptr) matrix {
	out := m.alloc(24)
	defer m.drop(out)
	if m.FPDFPageObj_GetMatrix(object, out) == 0 {
		return identity
	}
	return matrix(m.floats(out, 6))
}

// walk goes through a page's objects and those of its forms. look gets an object, its kind
// and what is around it; it answers whether to go on.
func (d *Document) walk(page ptr, look func(object ptr, kind int, around matrix) bool) {
	left := maxObjects
	var inside func(form ptr, around matrix, depth int) bool
	inside = func(form ptr, around matrix, depth int) bool {
		n := 0
		if form == 0 {
			n = d.m.FPDFPage_CountObjects(page)
		} else {
			n = d.m.FPDFFormObj_CountObjects(form)
		}
		for i := range n {
			if left--; left < 0 {
				return false
			}
			var object ptr
			if form == 0 {
				object = d.m.FPDFPage_GetObject(page, i)
			} else {
				object = d.m.FPDFFormObj_GetObject(form, i)
			}
			if object == 0 {
				continue
			}
			kind := d.m.FPDFPageObj_GetType(object)
			if kind == objectForm && depth < maxDepth {
				if !inside(object, d.m.matrixOf(object).then(around), depth+1) {
					return false
				}
				continue
			}
			if !look(object, kind, around) {
				return false
			}
		}
		return true
	}
	inside(0, identity, 0)
}

// Rule is a straight line of a page, level or upright, as the borders of tables are.
type Rule struct {
	X1, Y1, X2, Y2 float64 // X1 ≤ X2, Y1 ≤ Y2
}

// Kinds of segments of paths.
const (
	segmentLine = 0
	segmentMove = 2
)

// maxRules is how many are answered.
const maxRules = 50_000

// Rules lists the level and upright lines that are drawn on a page, the edges of
// rectangles among them.
func (d *Document) Rules(page int) (rules []Rule, err error) {
	defer guard(&err)
	p, err := d.enterPage(page)
	if err != nil {
		return nil, err
	}
	f := d.m.frame(p)
	out := d.m.alloc(8)
	defer d.m.drop(out)
	budget := maxObjects
	d.walk(p, func(object ptr, kind int, around matrix) bool {
		if kind != objectPath {
			return true
		}
		place := d.m.matrixOf(object).then(around)
		var startX, startY, x, y float64
		line := func(toX, toY float64) {
			if r, ok := ruleOf(x, y, toX, toY); ok && len(rules) < maxRules {
				rules = append(rules, r)
			}
			x, y = toX, toY
		}
		for i := range d.m.FPDFPath_CountSegments(object) {
			if budget--; budget < 0 {
				return false
			}
			segment := d.m.FPDFPath_GetPathSegment(object, i)
			if segment == 0 || d.m.FPDFPathSegment_GetPoint(segment, out, out+4) == 0 {
				continue
			}
			at := d.m.floats(out, 2)
			toX, toY := f.point(place.apply(at[0], at[1]))
			switch d.m.FPDFPathSegment_GetType(segment) {
			case segmentMove:
				startX, startY, x, y = toX, toY, toX, toY
			case segmentLine:
				line(toX, toY)
			default:
				x, y = toX, toY
			}
			if d.m.FPDFPathSegment_GetClose(segment) != 0 {
				line(startX, startY)
			}
		}
		return true
	})
	return rules, nil
}

// ruleOf tells whether a line is level or upright and long enough to be seen as one.
func ruleOf(x1, y1, x2, y2 float64) (Rule, bool) {
	const slope, shortest = 0.5, 4
	r := Rule{min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)}
	width, height := r.X2-r.X1, r.Y2-r.Y1
	if math.IsNaN(width) || math.IsNaN(height) {
		return r, false
	}
	return r, width >= shortest && height <= slope || height >= shortest && width <= slope
}
