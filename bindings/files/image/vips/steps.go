//go:build !nolibvips && (linux || darwin) && (amd64 || arm64)

package vips

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"unsafe"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
)

// run loads a job's picture and does its steps.
func (s *session) run(job picture.Job) (*pic, error) {
	p, steps, err := s.load(job)
	if err != nil {
		return nil, err
	}
	if p.frames > 1 {
		return p, s.eachFrame(p, steps)
	}
	for _, step := range steps {
		if err := s.step(p, step); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// eachFrame does the steps with each frame of an animation, which libvips has as one tall
// image.
func (s *session) eachFrame(p *pic, steps []picture.Step) error {
	if len(steps) == 0 {
		return nil
	}
	if err := s.still(p); err != nil {
		return err
	}
	w, h := p.size(s.v)
	height := h / p.frames
	list := make([]uintptr, p.frames)
	for i := range list {
		frame := &pic{alpha: p.alpha, frames: 1}
		var err error
		if frame.img, err = s.cut(p.img, image.Rect(0, i*height, w, (i+1)*height)).out(); err != nil {
			return err
		}
		for _, step := range steps {
			if err := s.step(frame, step); err != nil {
				return err
			}
		}
		list[i] = frame.img
		p.alpha = frame.alpha
	}
	return s.then(p, s.op("arrayjoin").images("in", list).set("across", 1))
}

func (s *session) step(p *pic, step picture.Step) error {
	switch step := step.(type) {
	case picture.Scale:
		return s.scale(p, step)
	case picture.Crop:
		return s.then(p, s.cut(p.img, step.Rect))
	case picture.Extend:
		background, err := s.background(p, step.Background)
		if err != nil {
			return err
		}
		return s.then(p, s.op("embed").image("in", p.img).set("x", step.X).set("y", step.Y).set("width", step.Width).set("height", step.Height).
			set("extend", "background").set("background", background))
	case picture.Turn:
		if err := s.still(p); err != nil {
			return err
		}
		return s.then(p, s.op("rot").image("in", p.img).set("angle", []string{"d0", "d90", "d180", "d270"}[step.Quarters&3]))
	case picture.Flip:
		return s.flip(p, step)
	case picture.Rotate:
		return s.rotate(p, step)
	case picture.Blur:
		return s.premultiplied(p, func() error {
			return s.then(p, s.op("gaussblur").image("in", p.img).set("sigma", step.Sigma))
		})
	case picture.Sharpen:
		return s.onColours(p, func() error { return s.sharpen(p, step) })
	case picture.Grayscale:
		return s.then(p, s.op("colourspace").image("in", p.img).set("space", "b-w"))
	case picture.Adjust:
		return s.onColours(p, func() error { return s.adjust(p, step) })
	case picture.Trim:
		return s.trim(p, step)
	case picture.Flatten:
		return s.flatten(p, step.Background)
	case picture.Layers:
		for _, l := range step.Layers {
			if err := s.lay(p, l); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("there is no step %T", step)
}

var kernels = map[picture.Kernel]string{"": "lanczos3", picture.Lanczos3: "lanczos3", picture.Cubic: "cubic", picture.Mitchell: "mitchell",
	picture.Linear: "linear", picture.Nearest: "nearest"}

func (s *session) scale(p *pic, step picture.Scale) error {
	w, h := p.size(s.v)
	if w == step.Width && h == step.Height {
		return nil
	}
	factor := func(exact float64, from, to int) float64 {
		if int(float64(from)*exact+0.5) == to {
			return exact
		}
		return float64(to) / float64(from)
	}
	err := s.premultiplied(p, func() error {
		return s.then(p, s.op("resize").image("in", p.img).set("scale", factor(step.X, w, step.Width)).
			set("vscale", factor(step.Y, h, step.Height)).set("kernel", kernels[step.Kernel]))
	})
	if err != nil {
		return err
	}
	if w, h = p.size(s.v); w != step.Width || h != step.Height { // by rounding
		return s.then(p, s.op("embed").image("in", p.img).set("x", 0).set("y", 0).set("width", step.Width).set("height", step.Height).set("extend", "copy"))
	}
	return nil
}

func (s *session) flip(p *pic, step picture.Flip) error {
	if step.Horizontal {
		if err := s.then(p, s.op("flip").image("in", p.img).set("direction", "horizontal")); err != nil {
			return err
		}
	}
	if step.Vertical {
		return errors.Join(s.still(p), s.then(p, s.op("flip").image("in", p.img).set("direction", "vertical")))
	}
	return nil
}

func (s *session) rotate(p *pic, step picture.Rotate) error {
	if err := s.still(p); err != nil {
		return err
	}
	background, err := s.background(p, step.Background)
	if err != nil {
		return err
	}
	return s.then(p, s.op("rotate").image("in", p.img).set("angle", step.Degrees).set("background", background))
}

// sharpen adds what a blur takes away.
func (s *session) sharpen(p *pic, step picture.Sharpen) error {
	blurred, err := s.op("gaussblur").image("in", p.img).set("sigma", step.Sigma).set("min-ampl", 0.01).out()
	if err != nil {
		return err
	}
	less, err := s.op("linear").image("in", blurred).set("a", []float64{-step.Amount}).set("b", []float64{0.5}).out()
	if err != nil {
		return err
	}
	more, err := s.op("linear").image("in", p.img).set("a", []float64{1 + step.Amount}).set("b", []float64{0}).out()
	if err != nil {
		return err
	}
	if err := s.then(p, s.op("add").image("left", more).image("right", less)); err != nil {
		return err
	}
	return s.then(p, s.op("cast").image("in", p.img).set("format", "uchar"))
}

func (s *session) adjust(p *pic, step picture.Adjust) error {
	err := s.then(p, s.op("linear").image("in", p.img).set("a", []float64{step.Brightness * step.Contrast}).set("b", []float64{127.5 * (1 - step.Contrast)}))
	if err != nil {
		return err
	}
	if s.v.bands(p.img) == 3 && step.Saturation != 1 {
		matrix := picture.SaturationMatrix(step.Saturation)
		s.pins.Pin(&matrix[0])
		m := s.keep(s.v.imageFromMemory(unsafe.Pointer(&matrix[0]), 9*8, 3, 3, 1, 8))
		if m == 0 {
			return s.v.failure()
		}
		if err := s.then(p, s.op("recomb").image("in", p.img).image("m", m)); err != nil {
			return err
		}
	}
	if err := s.then(p, s.op("linear").image("in", p.img).set("a", []float64{1}).set("b", []float64{0.5})); err != nil { // to round
		return err
	}
	if err := s.then(p, s.op("cast").image("in", p.img).set("format", "uchar")); err != nil {
		return err
	}
	if s.v.bands(p.img) == 3 {
		return s.then(p, s.op("copy").image("in", p.img).set("interpretation", "srgb"))
	}
	return nil
}

func (s *session) trim(p *pic, step picture.Trim) error {
	if err := s.still(p); err != nil {
		return err
	}
	colours := int(s.v.bands(p.img))
	if p.alpha {
		colours--
	}
	var background []float64
	if step.Background != nil {
		var err error
		if background, err = s.background(p, *step.Background); err != nil {
			return err
		}
	} else {
		o := s.op("getpoint").image("in", p.img).set("x", 0).set("y", 0)
		if err := o.run(func() { background = o.numbers("out-array") }); err != nil {
			return err
		}
	}
	background = background[:min(colours, len(background))]
	var left, top, width, height int
	o := s.op("find_trim").image("in", p.img).set("threshold", step.Threshold).set("background", background).set("line-art", true)
	if err := o.run(func() {
		left, top, width, height = o.number("left"), o.number("top"), o.number("width"), o.number("height")
	}); err != nil {
		return err
	}
	if width == 0 || height == 0 {
		return nil // it is all background
	}
	return s.then(p, s.cut(p.img, image.Rect(left, top, left+width, top+height)))
}

func (s *session) flatten(p *pic, c color.NRGBA) error {
	if !p.alpha {
		return nil
	}
	background := []float64{float64(c.R), float64(c.G), float64(c.B)}
	if s.v.bands(p.img) == 2 {
		if c.R != c.G || c.G != c.B {
			if err := s.coloured(p); err != nil {
				return err
			}
		} else {
			background = background[:1]
		}
	}
	p.alpha = false
	return s.then(p, s.op("flatten").image("in", p.img).set("background", background))
}

// lay composites a layer.
func (s *session) lay(p *pic, l picture.Layer) error {
	top, err := s.run(l.Job)
	if err != nil {
		return err
	}
	if err := errors.Join(s.coloured(top), s.withAlpha(top)); err != nil {
		return err
	}
	if l.Opacity < 1 {
		err := s.then(top, s.op("linear").image("in", top.img).set("a", []float64{1, 1, 1, l.Opacity}).set("b", []float64{0, 0, 0, 0}).set("uchar", true))
		if err != nil {
			return err
		}
	}
	if err := s.coloured(p); err != nil {
		return err
	}
	if l.Tile || !p.stream { // otherwise its rows are asked for in order, too
		if err := s.still(top); err != nil {
			return err
		}
	}
	w, h := p.size(s.v)
	x, y := l.X, l.Y
	if l.Tile {
		err := s.then(top, s.op("embed").image("in", top.img).set("x", x).set("y", y).set("width", w).set("height", h).set("extend", "repeat"))
		if err != nil {
			return err
		}
		x, y = 0, 0
	}
	opaque := !p.alpha && l.Blend != picture.DestIn && l.Blend != picture.DestOut
	if !opaque {
		if err := s.withAlpha(p); err != nil {
			return err
		}
	}
	// Only where the layer lies does anything change, but with dest-in, and the rest of a large
	// picture should not pass through the compositor.
	tw, th := top.size(s.v)
	part := image.Rect(x, y, x+tw, y+th).Intersect(image.Rect(0, 0, w, h))
	if part.Empty() && l.Blend != picture.DestIn {
		return nil
	}
	if l.Blend == picture.DestIn || p.stream {
		part = image.Rect(0, 0, w, h) // rows that come in order cannot be taken apart
	}
	within := *p
	if part.Dx() < w || part.Dy() < h {
		if err := s.then(&within, s.cut(p.img, part)); err != nil {
			return err
		}
	}
	err = s.then(&within, s.op("composite2").image("base", within.img).image("overlay", top.img).set("mode", blends[l.Blend]).
		set("x", x-part.Min.X).set("y", y-part.Min.Y))
	if err != nil {
		return err
	}
	if err := s.then(&within, s.op("cast").image("in", within.img).set("format", "uchar")); err != nil {
		return err
	}
	if opaque {
		if err := s.then(&within, s.op("extract_band").image("in", within.img).set("band", 0).set("n", 3)); err != nil {
			return err
		}
	}
	if part.Dx() == w && part.Dy() == h {
		p.img = within.img
		return nil
	}
	return s.then(p, s.op("insert").image("main", p.img).image("sub", within.img).set("x", part.Min.X).set("y", part.Min.Y))
}

// cut takes a part of an image.
func (s *session) cut(img uintptr, r image.Rectangle) *operation {
	return s.op("extract_area").image("input", img).set("left", r.Min.X).set("top", r.Min.Y).set("width", r.Dx()).set("height", r.Dy())
}

var blends = map[picture.Blend]string{"": "over", picture.Over: "over", picture.Multiply: "multiply", picture.Screen: "screen", picture.Overlay: "overlay",
	picture.Darken: "darken", picture.Lighten: "lighten", picture.ColorDodge: "colour-dodge", picture.ColorBurn: "colour-burn",
	picture.HardLight: "hard-light", picture.SoftLight: "soft-light", picture.Difference: "difference", picture.Exclusion: "exclusion",
	picture.Add: "add", picture.DestIn: "dest-in", picture.DestOut: "dest-out"}
