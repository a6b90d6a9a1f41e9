package pdf

import (
	"math"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/problem"
)

// seen tells whether all of a box, which m puts onto a page, lies within it. If nothing of
// it does, nobody would see what is drawn: the error says so, and how large the page is.
func seen(page *document.Page, m document.Matrix, left, bottom, right, top float64, what string) (whole bool, err error) {
	width, height := page.Size()
	x1, y1, x2, y2 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, corner := range [][2]float64{{left, bottom}, {right, bottom}, {left, top}, {right, top}} {
		at := document.Moved(corner[0], corner[1]).Times(m)
		x1, y1, x2, y2 = min(x1, at[4]), min(y1, at[5]), max(x2, at[4]), max(y2, at[5])
	}
	if x2 <= 0 || y2 <= 0 || x1 >= width || y1 >= height {
		return false, problem.New(problem.InvalidArgument, "position: the %s would lie wholly off the page, from %v, %v to %v, %v", what,
			points(x1), points(y1), points(x2), points(y2)).
			WithHint("The page is %v points wide and %v high, and 0, 0 is its bottom-left corner.", points(width), points(height)).With("argument", "position")
	}
	return x1 >= -1 && y1 >= -1 && x2 <= width+1 && y2 <= height+1, nil
}
