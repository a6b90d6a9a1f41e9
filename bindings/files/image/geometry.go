package image

import (
	goimage "image"
	"image/color"
	"math"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/problem"
)

// maxSide is the longest side that a result may have.
const maxSide = 32767

// fitting is how a picture of one size becomes one of another.
type fitting struct {
	width, height      int // 0 follows from the other
	fit                string
	position           string
	background         color.NRGBA
	kernel             picture.Kernel
	withoutEnlargement bool
	jpeg               bool // the picture comes from a JPEG
}

// scales are the factors by which a picture of w × h becomes one of tw × th.
func (f fitting) scales(w, h, tw, th int, fit string) (x, y float64) {
	x, y = float64(tw)/float64(w), float64(th)/float64(h)
	switch fit {
	case "cover", "outside":
		x, y = max(x, y), max(x, y)
	case "contain", "inside":
		x, y = min(x, y), min(x, y)
	}
	if f.withoutEnlargement {
		x, y = min(x, 1), min(y, 1)
	}
	return x, y
}

// steps are those that fit a picture of w × h. What is cut off or added comes after the
// scaling; orient goes between, and w and h are sizes after it.
func (f fitting) steps(w, h int, orientation int) ([]picture.Step, error) {
	if f.width == 0 && f.height == 0 {
		return nil, problem.New(problem.InvalidArgument, "width or height: at least one of them is needed").With("argument", "width")
	}
	if f.width > maxSide || f.height > maxSide {
		return nil, problem.New(problem.InvalidArgument, "width and height: at most %d, got %d × %d", maxSide, f.width, f.height).With("argument", "width")
	}
	tw, th, fit := f.width, f.height, f.fit
	if fit == "" {
		fit = "cover"
	}
	switch { // of one side only, no fit is to be made
	case tw == 0:
		tw, fit = math.MaxInt32, "inside"
	case th == 0:
		th, fit = math.MaxInt32, "inside"
	}
	xf, yf := f.scales(w, h, tw, th, fit)
	sw, sh := w, h
	n := picture.JPEGShrink(min(1/xf, 1/yf))
	if f.jpeg && n > 1 {
		// Decoders make a JPEG smaller by whole numbers first, and what is left over at its
		// edges falls away. sharp has sizes follow from that, and so do we.
		sw, sh = w/n, h/n
		xf, yf = f.scales(sw, sh, tw, th, fit)
	}
	sw, sh = max(1, round(float64(sw)*xf)), max(1, round(float64(sh)*yf))
	if int64(sw)*int64(sh) > math.MaxInt32 || sw > 1<<20 || sh > 1<<20 {
		return nil, problem.New(problem.TooComplex, "a picture of %d × %d would be %d × %d on the way to %d × %d", w, h, sw, sh, tw, th)
	}
	var steps []picture.Step
	if sw != w || sh != h {
		scale := picture.Scale{Width: sw, Height: sh, Kernel: f.kernel, X: xf, Y: yf, Shrink: n}
		if picture.Swaps(orientation) { // it comes before the picture is turned
			scale.Width, scale.Height, scale.X, scale.Y = sh, sw, yf, xf
		}
		steps = append(steps, scale)
	}
	steps = append(steps, picture.Upright(orientation)...)
	switch fit {
	case "cover":
		if cw, ch := min(tw, sw), min(th, sh); cw < sw || ch < sh {
			x, y := place(f.position, sw-cw, sh-ch, true)
			steps = append(steps, picture.Crop{Rect: goimage.Rect(x, y, x+cw, y+ch)})
		}
	case "contain":
		if sw < tw || sh < th {
			x, y := place(f.position, tw-sw, th-sh, false)
			steps = append(steps, picture.Extend{Width: tw, Height: th, X: x, Y: y, Background: f.background})
		}
	}
	return steps, nil
}

func round(v float64) int { return int(math.Floor(v + 0.5)) }

// positions are where something stands in the room that there is: 0, 1 or 2 halves of it.
var positions = map[string][2]int{"": {1, 1}, "center": {1, 1}, "top": {1, 0}, "bottom": {1, 2}, "left": {0, 1}, "right": {2, 1},
	"top-left": {0, 0}, "top-right": {2, 0}, "bottom-left": {0, 2}, "bottom-right": {2, 2}}

const positionNames = "center,top,bottom,left,right,top-left,top-right,bottom-left,bottom-right"

// place divides room on both axes; up rounds halves up.
func place(position string, x, y int, up bool) (int, int) {
	p := positions[position]
	odd := 0
	if up {
		odd = 1
	}
	at := func(room, halves int) int {
		if halves == 1 {
			return (room + odd) / 2
		}
		return room * halves / 2
	}
	return at(x, p[0]), at(y, p[1])
}

// region checks a rectangle against a picture's size.
func region(r regionIn, w, h int) (goimage.Rectangle, error) {
	if r.Left >= w || r.Top >= h || r.Width > w-r.Left || r.Height > h-r.Top {
		return goimage.Rectangle{}, problem.New(problem.InvalidArgument, "region: %d × %d pixels at %d, %d do not lie within the picture, which has %d × %d",
			r.Width, r.Height, r.Left, r.Top, w, h).With("argument", "region").With("width", w).With("height", h)
	}
	return goimage.Rect(r.Left, r.Top, r.Left+r.Width, r.Top+r.Height), nil
}
