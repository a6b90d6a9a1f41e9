//go:build !nolibvips && (linux || darwin) && (amd64 || arm64)

package vips

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
)

// load opens a job's source, and answers what steps are left: a first Scale is partly done
// by the decoders of JPEG and WebP.
func (s *session) load(job picture.Job) (*pic, []picture.Step, error) {
	steps := job.Steps
	if m := job.Source.Pixels; m != nil {
		img, err := s.ofPixels(m)
		return &pic{img: img, alpha: true, frames: 1}, steps, err
	}
	data, h := job.Source.Data, job.Source.Header
	if len(data) == 0 {
		return nil, nil, fmt.Errorf("source: no bytes")
	}
	s.reads = true
	s.pins.Pin(&data[0])
	source := s.keep(s.v.sourceFromMemory(unsafe.Pointer(&data[0]), uintptr(len(data))))
	if source == 0 {
		return nil, nil, s.v.failure()
	}
	o := s.op(operations[h.Format]+"load_source").object("source", s.v.sourceType(), source).
		set("access", "sequential").set("fail-on", failOn(h.Format))
	p := &pic{stream: true, frames: 1}
	whole := true // not made smaller by the decoder
	paged := h.Frames > 1 && (h.Format == picture.GIF || h.Format == picture.WebP || h.Format == picture.TIFF)
	switch {
	case paged && job.All && h.Format.Animates():
		o.set("n", -1)
		p.frames = h.Frames
	case paged && job.Frame > 0:
		o.set("page", job.Frame)
	}
	if first, ok := firstScale(steps); ok && p.frames == 1 {
		shrink := min(float64(h.Width)/float64(first.Width), float64(h.Height)/float64(first.Height))
		switch {
		case h.Format == picture.JPEG:
			if first.Shrink == 0 {
				first.Shrink = picture.JPEGShrink(shrink)
			}
			if first.Shrink > 1 {
				o.set("shrink", first.Shrink)
				whole = false
			}
		case h.Format == picture.WebP && shrink > 1:
			o.set("scale", 1/shrink)
			whole = false
		}
	}
	if err := s.then(p, o); err != nil {
		return nil, nil, err
	}
	if w, ht := p.size(s.v); whole && (w != h.Width || ht%h.Height != 0) {
		// What was held against the limits must be what is decoded.
		return nil, nil, fmt.Errorf("source: the decoder finds %d × %d pixels, the header %d × %d", w, ht, h.Width, h.Height)
	}
	if p.frames > 1 {
		// What the decoder sees counts: pages that it does not find are not there.
		if page := int(s.v.pageHeight(p.img)); page > 0 {
			p.frames = int(s.v.height(p.img)) / page
		}
	}
	if err := s.toSRGB(p); err != nil {
		return nil, nil, err
	}
	return p, steps, s.withoutOrientation(p)
}

// withoutOrientation has a picture not say how it is to be turned: what the steps leave of that
// goes into the EXIF of the result, and savers of AVIF and TIFF would write it down again.
func (s *session) withoutOrientation(p *pic) error {
	if s.v.typeOf(p.img, "orientation") == 0 {
		return nil
	}
	if err := s.then(p, s.op("copy").image("in", p.img)); err != nil {
		return err
	}
	s.v.remove(p.img, "orientation")
	return nil
}

// failOn is at what a decoder gives up. libjpeg only warns of pixels that are not there, where a
// file has an end, and makes them grey; libtiff does the same for those of strips and tiles.
func failOn(f picture.Format) string {
	switch f {
	case picture.JPEG:
		// Colours at half the size at every quality, as sharp has them: 4:4:4 from 90 on takes 1.5 times the bytes.
		return "warning"
	case picture.TIFF:
		return "error"
	}
	return "truncated"
}

func firstScale(steps []picture.Step) (picture.Scale, bool) {
	if len(steps) == 0 {
		return picture.Scale{}, false
	}
	first, ok := steps[0].(picture.Scale)
	return first, ok
}

func (s *session) encode(p *pic, as picture.Encoding) (*picture.Encoded, error) {
	if !as.Format.HasAlpha() {
		if err := s.flatten(p, as.Background); err != nil {
			return nil, err
		}
	}
	w, h := p.size(s.v)
	frames := 1
	if as.Format.Animates() {
		frames = p.frames
	}
	if err := as.Holds(w, h/frames); err != nil {
		return nil, err
	}
	if p.frames > 1 && as.Format.Animates() {
		if err := s.animation(p, as, h/p.frames); err != nil {
			return nil, err
		}
		h /= p.frames
	}
	o := s.op(operations[as.Format]+"save_buffer").image("in", p.img).set("keep", "none")
	quality := as.Quality
	if quality == 0 {
		quality = 80
		if as.Format == picture.AVIF {
			quality = 50
		}
	}
	switch as.Format {
	case picture.JPEG:
		// Colours at half the size at every quality, as sharp has them: 4:4:4 from 90 on takes 1.5 times the bytes.
		o.set("Q", quality).set("interlace", as.Progressive).set("optimize-coding", true).set("subsample-mode", "on")
	case picture.PNG:
		o.set("compression", 6).set("interlace", as.Progressive).set("filter", "none")
		if as.Colors > 0 {
			o.set("palette", true).set("bitdepth", depthOf(as.Colors)).set("Q", quality)
		}
	case picture.WebP:
		o.set("Q", quality).set("lossless", as.Lossless)
	case picture.GIF:
		if as.Colors > 0 {
			o.set("bitdepth", depthOf(as.Colors))
		}
	case picture.TIFF:
		o.set("compression", "deflate").set("predictor", "horizontal")
	case picture.AVIF:
		// Colours at full size, as sharp has them: with those of half the size, edges of text blur.
		o.set("Q", quality).set("lossless", as.Lossless).set("compression", "av1").set("effort", 4).set("subsample-mode", "off")
	}
	defer s.watch(p.img)()
	var value gvalue
	var out *picture.Encoded
	err := o.run(func() {
		s.v.valueInit(&value, s.v.blobType())
		s.v.getProperty(o.ptr, "buffer", &value)
		var n uintptr
		start := s.v.blobGet(s.v.valueGetBoxed(&value), &n)
		out = picture.NewEncoded(bytesAt(start, int(n)), w, h, p.frames, func() { s.v.valueUnset(&value) })
	})
	return out, err
}

// depthOf is how many bits tell so many colours apart, as formats have them.
func depthOf(colors int) int {
	switch n := bits.Len(uint(max(colors, 2) - 1)); {
	case n <= 2:
		return n
	case n <= 4:
		return 4
	}
	return 8
}

// animation says how frames lie in the tall image and how they play.
func (s *session) animation(p *pic, as picture.Encoding, height int) error {
	if err := s.then(p, s.op("copy").image("in", p.img)); err != nil {
		return err
	}
	s.v.setInt(p.img, "page-height", int32(height))
	s.v.setInt(p.img, "loop", int32(as.Loop))
	delays := make([]int32, p.frames)
	for i := range delays {
		if i < len(as.Delays) {
			delays[i] = int32(as.Delays[i])
		}
	}
	s.v.setArrayInt(p.img, "delay", &delays[0], int32(len(delays)))
	return nil
}
