package builtin

import (
	"encoding/binary"
	"image"
	"math"
)

// toSRGB brings pixels from the colours of an ICC profile (ICC.1:2010) into sRGB, in place. It
// knows profiles of a matrix and three curves, which cameras and screens have; with others the
// pixels stay as they are.
func toSRGB(m *image.NRGBA, icc []byte) {
	p, ok := readProfile(icc)
	if !ok || p.isSRGB() {
		return
	}
	encoded := encoded()
	var last [3]byte
	var result [3]byte
	known := false
	for i := 0; i+4 <= len(m.Pix); i += 4 {
		px := m.Pix[i : i+4 : i+4]
		if now := [3]byte{px[0], px[1], px[2]}; !known || now != last {
			r, g, b := p.curves[0][px[0]], p.curves[1][px[1]], p.curves[2][px[2]]
			for c := range 3 {
				result[c] = encoded[place(p.matrix[c][0]*r+p.matrix[c][1]*g+p.matrix[c][2]*b)]
			}
			last, known = now, true
		}
		px[0], px[1], px[2] = result[0], result[1], result[2]
	}
}

// profile is a matrix from linear device colours to linear sRGB, and the curves before it.
type profile struct {
	matrix [3][3]float64
	curves [3][256]float64
}

// fromPCS is from XYZ of the profile connection space (D50) to linear sRGB.
var fromPCS = [3][3]float64{
	{3.1338561, -1.6168667, -0.4906146},
	{-0.9787684, 1.9161415, 0.0334540},
	{0.0719453, -0.2289914, 1.4052427},
}

func readProfile(icc []byte) (p profile, ok bool) {
	if len(icc) < 132 || string(icc[16:20]) != "RGB " || string(icc[20:24]) != "XYZ " {
		return p, false
	}
	tag := func(name string) []byte {
		n := min(int(binary.BigEndian.Uint32(icc[128:])), 100)
		for i := range n {
			at := 132 + 12*i
			if at+12 > len(icc) {
				return nil
			}
			from, size := uint64(binary.BigEndian.Uint32(icc[at+4:])), uint64(binary.BigEndian.Uint32(icc[at+8:]))
			if string(icc[at:at+4]) == name && from+size <= uint64(len(icc)) {
				return icc[from : from+size]
			}
		}
		return nil
	}
	var colorants [3][3]float64
	for c, name := range []string{"r", "g", "b"} {
		xyz := tag(name + "XYZ")
		if len(xyz) < 20 || !curve(&p.curves[c], tag(name+"TRC")) {
			return p, false
		}
		for i := range 3 {
			colorants[i][c] = fixed(xyz[8+4*i:])
		}
	}
	for i := range 3 {
		for j := range 3 {
			for k := range 3 {
				p.matrix[i][j] += fromPCS[i][k] * colorants[k][j]
			}
		}
	}
	return p, true
}

func fixed(b []byte) float64 { return float64(int32(binary.BigEndian.Uint32(b))) / 65536 }

// curve reads a curv or para element.
func curve(table *[256]float64, tag []byte) bool {
	if len(tag) < 12 {
		return false
	}
	var f func(x float64) float64
	switch string(tag[:4]) {
	case "curv":
		n := int(min(binary.BigEndian.Uint32(tag[8:]), 1<<16))
		if len(tag) < 12+2*n {
			return false
		}
		at := func(i int) float64 { return float64(binary.BigEndian.Uint16(tag[12+2*i:])) }
		switch n {
		case 0:
			f = func(x float64) float64 { return x }
		case 1:
			f = func(x float64) float64 { return math.Pow(x, at(0)/256) }
		default:
			f = func(x float64) float64 {
				i, part := math.Modf(x * float64(n-1))
				low := at(int(i))
				if int(i) < n-1 {
					low += part * (at(int(i)+1) - low)
				}
				return low / 65535
			}
		}
	case "para":
		kind := binary.BigEndian.Uint16(tag[8:])
		counts := []int{1, 3, 4, 5, 7}
		if int(kind) >= len(counts) || len(tag) < 12+4*counts[kind] {
			return false
		}
		var v [7]float64
		for i := range counts[kind] {
			v[i] = fixed(tag[12+4*i:])
		}
		f = parametric(kind, v)
	default:
		return false
	}
	for i := range table {
		table[i] = max(0, min(f(float64(i)/255), 1))
		if math.IsNaN(table[i]) {
			return false
		}
	}
	return true
}

// parametric are the functions of parametricCurveType, with g a b c d e f in v.
func parametric(kind uint16, v [7]float64) func(float64) float64 {
	g, a, b, c, d, e, f := v[0], v[1], v[2], v[3], v[4], v[5], v[6]
	switch kind {
	case 0:
		return func(x float64) float64 { return math.Pow(x, g) }
	case 1:
		return func(x float64) float64 {
			if a*x+b >= 0 {
				return math.Pow(a*x+b, g)
			}
			return 0
		}
	case 2:
		return func(x float64) float64 {
			if a*x+b >= 0 {
				return math.Pow(a*x+b, g) + c
			}
			return c
		}
	case 3:
		e, f = 0, 0
	}
	return func(x float64) float64 {
		if x >= d {
			return math.Pow(a*x+b, g) + e
		}
		return c*x + f
	}
}

// isSRGB tells whether a profile is sRGB's as near as bytes can tell.
func (p profile) isSRGB() bool {
	linear := linear()
	for i := range 3 {
		for j := range 3 {
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(p.matrix[i][j]-want) > 0.01 {
				return false
			}
		}
		for v, light := range p.curves[i] {
			if math.Abs(light-linear[v]) > 0.004 {
				return false
			}
		}
	}
	return true
}
