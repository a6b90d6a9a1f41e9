package picture

import (
	"image"
	"image/color"
	"math"
)

// Step is one thing to do with a picture: one of the types below.
type Step interface{ step() }

type (
	// Scale resamples to a size. X and Y are the factors that it came from before it was
	// rounded to whole pixels, of the picture as its decoder gives it; 0 is that of the sizes.
	// Shrink is by how much a JPEG's decoder makes it smaller first; 0 leaves that to the engine.
	Scale struct {
		Width, Height int
		Kernel        Kernel
		X, Y          float64
		Shrink        int
	}
	// Crop keeps a part, which lies within the picture.
	Crop struct{ Rect image.Rectangle }
	// Extend lays the picture on a canvas of a size, its corner at X, Y.
	Extend struct {
		Width, Height, X, Y int
		Background          color.NRGBA
	}
	// Turn rotates clockwise by quarters: 1, 2 or 3.
	Turn struct{ Quarters int }
	// Flip mirrors: left and right, top and bottom.
	Flip struct{ Horizontal, Vertical bool }
	// Rotate rotates clockwise by degrees onto a canvas that holds all of it.
	Rotate struct {
		Degrees    float64
		Background color.NRGBA
	}
	// Blur is Gaussian, with a standard deviation in pixels.
	Blur struct{ Sigma float64 }
	// Sharpen is an unsharp mask: pixels + Amount × (pixels − blurred).
	Sharpen struct{ Sigma, Amount float64 }
	// Grayscale leaves the luminance.
	Grayscale struct{}
	// Adjust multiplies brightness, contrast about the middle, and saturation about the
	// luminance; 1 leaves each as it is.
	Adjust struct{ Brightness, Contrast, Saturation float64 }
	// Trim takes away borders that differ from the background by no more than Threshold
	// in each channel (0 to 255). Without a background it is the top left pixel's colour.
	Trim struct {
		Threshold  float64
		Background *color.NRGBA
	}
	// Flatten lays transparent pixels over a colour.
	Flatten struct{ Background color.NRGBA }
	// Layers lays pictures over this one, in order.
	Layers struct{ Layers []Layer }
)

// Layer is a picture that is laid over another, its corner at X, Y.
type Layer struct {
	Job     Job
	X, Y    int
	Opacity float64 // 0 to 1
	Blend   Blend
	Tile    bool // repeat it all over, with one copy's corner at X, Y
}

// Kernel is how pixels are resampled.
type Kernel string

// The kernels.
const (
	Lanczos3 Kernel = "lanczos3"
	Cubic    Kernel = "cubic"
	Mitchell Kernel = "mitchell"
	Linear   Kernel = "linear"
	Nearest  Kernel = "nearest"
)

// Blend is how a layer's colours meet those below, as W3C Compositing Level 1 has them.
type Blend string

// The blend modes.
const (
	Over       Blend = "over"
	Multiply   Blend = "multiply"
	Screen     Blend = "screen"
	Overlay    Blend = "overlay"
	Darken     Blend = "darken"
	Lighten    Blend = "lighten"
	ColorDodge Blend = "color-dodge"
	ColorBurn  Blend = "color-burn"
	HardLight  Blend = "hard-light"
	SoftLight  Blend = "soft-light"
	Difference Blend = "difference"
	Exclusion  Blend = "exclusion"
	Add        Blend = "add"
	DestIn     Blend = "dest-in"  // keep what is below where the layer is
	DestOut    Blend = "dest-out" // keep what is below where the layer is not
)

func (Scale) step()     {}
func (Crop) step()      {}
func (Extend) step()    {}
func (Turn) step()      {}
func (Flip) step()      {}
func (Rotate) step()    {}
func (Blur) step()      {}
func (Sharpen) step()   {}
func (Grayscale) step() {}
func (Adjust) step()    {}
func (Trim) step()      {}
func (Flatten) step()   {}
func (Layers) step()    {}

// Upright gives the steps that show a picture as its EXIF orientation says (1 to 8).
func Upright(orientation int) []Step {
	switch orientation {
	case 2:
		return []Step{Flip{Horizontal: true}}
	case 3:
		return []Step{Turn{2}}
	case 4:
		return []Step{Flip{Vertical: true}}
	case 5:
		return []Step{Turn{1}, Flip{Horizontal: true}}
	case 6:
		return []Step{Turn{1}}
	case 7:
		return []Step{Turn{1}, Flip{Vertical: true}}
	case 8:
		return []Step{Turn{3}}
	}
	return nil
}

// Swaps tells whether an orientation exchanges width and height.
func Swaps(orientation int) bool { return orientation >= 5 && orientation <= 8 }

// RotatedSize is the canvas that holds all of a picture of w × h rotated by degrees.
func RotatedSize(w, h int, degrees float64) (int, int) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	sin, cos = math.Abs(sin), math.Abs(cos)
	const slack = 1e-6 // what is a whole number but for rounding
	return int(math.Ceil(float64(w)*cos + float64(h)*sin - slack)), int(math.Ceil(float64(w)*sin + float64(h)*cos - slack))
}

// SizeAfter is the largest that a picture of w × h can be at any step and at the end, in
// pixels: what has to be held against the limits.
func SizeAfter(w, h int, steps []Step) (endW, endH int, most int64) {
	most = int64(w) * int64(h)
	for _, s := range steps {
		switch s := s.(type) {
		case Scale:
			w, h = s.Width, s.Height
		case Crop:
			w, h = s.Rect.Dx(), s.Rect.Dy()
		case Extend:
			w, h = s.Width, s.Height
		case Turn:
			if s.Quarters%2 != 0 {
				w, h = h, w
			}
		case Rotate:
			w, h = RotatedSize(w, h, s.Degrees)
		}
		most = max(most, int64(w)*int64(h))
	}
	return w, h, most
}

// SaturationMatrix is the colour matrix of a saturation, row by row, as CSS Filter Effects
// has it.
func SaturationMatrix(s float64) [9]float64 {
	const r, g, b = 0.213, 0.715, 0.072
	return [9]float64{
		r + (1-r)*s, g - g*s, b - b*s,
		r - r*s, g + (1-g)*s, b - b*s,
		r - r*s, g - g*s, b + (1-b)*s,
	}
}

// JPEGShrink is the power of two by which a JPEG is decoded smaller for a scale, as sharp
// chooses it. Where the scale is just that, it is half of it, since the decoder rounds sizes.
func JPEGShrink(scale float64) int {
	n := 1
	for n < 8 && float64(2*n) <= scale {
		n *= 2
	}
	if n > 1 && int(scale) == n {
		n /= 2
	}
	return n
}
