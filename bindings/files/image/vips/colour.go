//go:build !nolibvips && (linux || darwin) && (amd64 || arm64)

package vips

import "image/color"

// Values of libvips' VipsInterpretation and VipsBandFormat.
const (
	bw, cmyk, lab, labs = 1, 15, 13, 21
	srgb, grey16, rgb16 = 22, 26, 25
	uchar               = 0
)

// toSRGB makes a picture just loaded 8 bits of sRGB or of grey, with or without alpha.
func (s *session) toSRGB(p *pic) error {
	v := s.v
	space := v.interpretation(p.img)
	profiled := v.typeOf(p.img, "icc-profile-data") != 0
	transform := func(input string) error {
		o := s.op("icc_transform").image("in", p.img).set("output-profile", "srgb").set("intent", "perceptual").set("depth", 8)
		if input == "" {
			o.set("embedded", true)
		} else {
			o.set("input-profile", input)
		}
		return s.then(p, o)
	}
	switch {
	case profiled && space != lab && space != labs && space != grey16:
		if err := transform(""); err != nil && space == cmyk { // a profile that does not fit is ignored
			if err := transform("cmyk"); err != nil {
				return err
			}
		}
	case space == cmyk:
		if err := transform("cmyk"); err != nil {
			return err
		}
	}
	switch space = v.interpretation(p.img); {
	case space == grey16:
		if err := s.then(p, s.op("colourspace").image("in", p.img).set("space", "b-w")); err != nil {
			return err
		}
	case space != srgb && space != bw:
		if err := s.then(p, s.op("colourspace").image("in", p.img).set("space", "srgb")); err != nil {
			return err
		}
	}
	if v.format(p.img) != uchar {
		if err := s.then(p, s.op("cast").image("in", p.img).set("format", "uchar")); err != nil {
			return err
		}
	}
	p.alpha = v.hasAlpha(p.img) != 0
	want := 3
	if space == bw || space == grey16 {
		want = 1
	}
	if p.alpha {
		want++
	}
	if int(v.bands(p.img)) > want { // further channels, as TIFF has them
		return s.then(p, s.op("extract_band").image("in", p.img).set("band", 0).set("n", want))
	}
	return nil
}

// coloured makes a picture of grey one of colours.
func (s *session) coloured(p *pic) error {
	if s.v.bands(p.img) >= 3 {
		return nil
	}
	return s.then(p, s.op("colourspace").image("in", p.img).set("space", "srgb"))
}

// withAlpha makes a picture of four channels.
func (s *session) withAlpha(p *pic) error {
	if err := s.coloured(p); err != nil || p.alpha {
		return err
	}
	p.alpha = true
	return s.then(p, s.op("bandjoin_const").image("in", p.img).set("c", []float64{255}))
}

// background is a colour in the picture's channels, which become more if they must.
func (s *session) background(p *pic, c color.NRGBA) ([]float64, error) {
	if c.A < 255 {
		if err := s.withAlpha(p); err != nil {
			return nil, err
		}
	} else if c.R != c.G || c.G != c.B {
		if err := s.coloured(p); err != nil {
			return nil, err
		}
	}
	list := []float64{float64(c.R), float64(c.G), float64(c.B)}
	if s.v.bands(p.img) < 3 {
		list = list[:1]
	}
	if p.alpha {
		list = append(list, float64(c.A))
	}
	return list, nil
}

// premultiplied does something in which transparent pixels' colours must not count.
func (s *session) premultiplied(p *pic, do func() error) error {
	if !p.alpha {
		return do()
	}
	if err := s.then(p, s.op("premultiply").image("in", p.img)); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	if err := s.then(p, s.op("unpremultiply").image("in", p.img)); err != nil {
		return err
	}
	return s.then(p, s.op("cast").image("in", p.img).set("format", "uchar"))
}

// onColours does something with the colours and leaves the alpha.
func (s *session) onColours(p *pic, do func() error) error {
	if !p.alpha {
		return do()
	}
	n := int(s.v.bands(p.img)) - 1
	alpha, err := s.op("extract_band").image("in", p.img).set("band", n).set("n", 1).out()
	if err != nil {
		return err
	}
	if err := s.then(p, s.op("extract_band").image("in", p.img).set("band", 0).set("n", n)); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return s.then(p, s.op("bandjoin").images("in", []uintptr{p.img, alpha}))
}
