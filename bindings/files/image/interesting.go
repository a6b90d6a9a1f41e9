package image

import goimage "image"

// interesting finds the part of w × h that is most worth keeping: where there are edges, strong
// colours and the colours of skin. Only whole pictures that are larger on one side come here,
// so that the part moves along one axis alone.
func interesting(m *goimage.NRGBA, w, h int) goimage.Rectangle {
	mw, mh := m.Rect.Dx(), m.Rect.Dy()
	w, h = min(w, mw), min(h, mh)
	columns, rows := weights(m)
	return goimage.Rect(0, 0, w, h).Add(goimage.Pt(best(columns, w), best(rows, h)))
}

// weights sum up by columns and rows how interesting pixels are.
func weights(m *goimage.NRGBA) (columns, rows []float64) {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	columns, rows = make([]float64, w), make([]float64, h)
	luma := func(p []byte) int { return 299*int(p[0]) + 587*int(p[1]) + 114*int(p[2]) }
	for y := 1; y < h-1; y++ {
		for x := 1; x < w-1; x++ {
			i := m.PixOffset(x, y)
			p := m.Pix[i : i+4]
			if p[3] < 128 {
				continue
			}
			// The Laplacian of the luminance.
			edge := 4*luma(p) - luma(m.Pix[i-4:]) - luma(m.Pix[i+4:]) - luma(m.Pix[i-m.Stride:]) - luma(m.Pix[i+m.Stride:])
			weight := float64(max(edge, -edge)) / 255_000
			r, g, b := int(p[0]), int(p[1]), int(p[2])
			if high := max(r, g, b); high > 60 {
				weight += 0.15 * float64(high-min(r, g, b)) / float64(high)
			}
			if r > 95 && g > 40 && b > 20 && r > g && g > b && r-g > 15 && r-b < 150 {
				weight += 0.5 // as skin is, of people of all colours, in ordinary light
			}
			columns[x] += weight
			rows[y] += weight
		}
	}
	return columns, rows
}

// best is where a window of n holds most, and of equals the one nearest to the middle.
func best(weights []float64, n int) int {
	room := len(weights) - n
	if room <= 0 {
		return 0
	}
	var sum float64
	for _, v := range weights[:n] {
		sum += v
	}
	at, most := 0, sum*central(0, room)
	for i := 1; i <= room; i++ {
		sum += weights[i+n-1] - weights[i-1]
		if v := sum * central(i, room); v > most {
			at, most = i, v
		}
	}
	return at
}

// central favours the middle a little: people put there what they photograph.
func central(i, room int) float64 {
	off := float64(2*i-room) / float64(room)
	return 1 - 0.1*off*off
}
