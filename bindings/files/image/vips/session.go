//go:build !nolibvips && (linux || darwin) && (amd64 || arm64)

package vips

import (
	"context"
	"errors"
	"fmt"
	"image"
	"regexp"
	"runtime"
	"unsafe"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/problem"
)

var _ picture.Engine = (*Vips)(nil)

// Name tells the version.
func (v *Vips) Name() string { return v.name }

// Reads answers engine_missing for formats that this libvips was built without.
func (v *Vips) Reads(h picture.Header) error {
	if h.Format == picture.HEIC || !v.loaders[operations[h.Format]+"load_source"] {
		return problem.New(problem.EngineMissing, "%s cannot be read here: %s is without it", h.Format, v.name)
	}
	return nil
}

// Writes answers engine_missing for formats that this libvips was built without.
func (v *Vips) Writes(e picture.Encoding) error {
	if e.Format == picture.HEIC || !v.loaders[operations[e.Format]+"save_buffer"] {
		return problem.New(problem.EngineMissing, "%s cannot be written here: %s is without it", e.Format, v.name)
	}
	return nil
}

// operations are the names of formats in those of operations.
var operations = map[picture.Format]string{picture.JPEG: "jpeg", picture.PNG: "png", picture.WebP: "webp", picture.GIF: "gif",
	picture.TIFF: "tiff", picture.AVIF: "heif"}

// Encode does a job and writes its result down.
func (v *Vips) Encode(ctx context.Context, job picture.Job, as picture.Encoding) (*picture.Encoded, error) {
	s := &session{v: v, ctx: ctx}
	defer s.close()
	p, err := s.run(job)
	if err != nil {
		return nil, s.explain(err)
	}
	out, err := s.encode(p, as)
	if err != nil {
		return nil, s.explain(err)
	}
	return out, nil
}

// Pixels does a job and answers its pixels.
func (v *Vips) Pixels(ctx context.Context, job picture.Job) (*image.NRGBA, error) {
	s := &session{v: v, ctx: ctx}
	defer s.close()
	p, err := s.run(job)
	if err == nil {
		err = s.withAlpha(p)
	}
	if err != nil {
		return nil, s.explain(err)
	}
	m, err := s.pixels(p)
	if err != nil {
		return nil, s.explain(err)
	}
	return m, nil
}

// session is one pipeline: it owns the C objects and pins the Go memory of a call.
type session struct {
	v    *Vips
	ctx  context.Context
	refs []uintptr
	pins runtime.Pinner
	// reads tells that a picture of the pipeline is decoded from a file.
	reads bool
}

// pic is a picture at some place of the pipeline.
type pic struct {
	img     uintptr
	stream  bool // rows come from a file, once and in order
	alpha   bool
	frames  int
	density float64
}

func (p *pic) size(v *Vips) (w, h int) { return int(v.width(p.img)), int(v.height(p.img)) }

// keep has the session drop a reference when it closes.
func (s *session) keep(object uintptr) uintptr {
	if object != 0 {
		s.refs = append(s.refs, object)
	}
	return object
}

func (s *session) close() {
	for i := len(s.refs) - 1; i >= 0; i-- {
		s.v.unref(s.refs[i])
	}
	s.pins.Unpin()
}

// watch stops what moves pixels into an image when the caller gives up.
func (s *session) watch(img uintptr) (stop func()) {
	done := context.AfterFunc(s.ctx, func() { s.v.setKill(img, 1) })
	return func() { done() }
}

// then replaces the picture's image by an operation's.
func (s *session) then(p *pic, o *operation) error {
	img, err := o.out()
	if err != nil {
		return err
	}
	p.img = img
	return nil
}

// still brings all of a picture into memory, for steps that do not go from top to bottom.
func (s *session) still(p *pic) error {
	if !p.stream {
		return nil
	}
	defer s.watch(p.img)()
	img := s.keep(s.v.copyMemory(p.img))
	if img == 0 {
		return s.v.failure()
	}
	p.img, p.stream = img, false
	return nil
}

func (s *session) pixels(p *pic) (*image.NRGBA, error) {
	w, h := p.size(s.v)
	defer s.watch(p.img)()
	var size uintptr
	data := s.v.writeToMemory(p.img, &size)
	if data == 0 {
		return nil, s.v.failure()
	}
	defer s.v.free(data)
	if int(size) != w*h*4 {
		return nil, fmt.Errorf("%d bytes for %d × %d pixels", size, w, h)
	}
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	copy(m.Pix, bytesAt(data, int(size)))
	return m, nil
}

// ofPixels makes an image of Go memory, which stays pinned as long as the session.
func (s *session) ofPixels(m *image.NRGBA) (uintptr, error) {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	pix := m.Pix
	if m.Stride != 4*w || len(pix) != 4*w*h {
		pix = make([]byte, 0, 4*w*h)
		for y := range h {
			pix = append(pix, m.Pix[m.PixOffset(m.Rect.Min.X, m.Rect.Min.Y+y):][:4*w]...)
		}
	}
	s.pins.Pin(&pix[0])
	img := s.keep(s.v.imageFromMemory(unsafe.Pointer(&pix[0]), uintptr(len(pix)), int32(w), int32(h), 4, 0))
	if img == 0 {
		return 0, s.v.failure()
	}
	return s.op("copy").image("in", img).set("interpretation", "srgb").out()
}

func sliceOf[T any](first *T, n int) []T {
	if first == nil || n <= 0 {
		return nil
	}
	return unsafe.Slice(first, n)
}

var (
	aboutTheFile = regexp.MustCompile(`(?i)jpeg|pngload|spng|libpng|webp|gifload|nsgif|tiff|heif|avif|source|read error|premature|truncat|corrupt|out of order|end of (file|stream)|sequential`)
	// Some decoders say nothing: then there is what the encoder says that has got no pixels, and
	// that writes into memory.
	saysNothing = regexp.MustCompile(`unable to write to target`)
	// What libjpeg says of other processes and precisions, libtiff of compressions.
	aboutItsKind = regexp.MustCompile(`Unsupported JPEG|compression support is not configured|compression scheme .* not`)
	aboutMemory  = regexp.MustCompile(`(?i)out of memory|unable to allocate|unable to malloc|cannot allocate|error creating thread`)
)

// explain makes a problem of what libvips said.
func (s *session) explain(err error) error {
	known := problem.From(err)
	switch {
	case s.ctx.Err() != nil:
		return problem.From(s.ctx.Err())
	case known.Code != problem.Internal:
		return err
	case aboutMemory.MatchString(err.Error()):
		return problem.New(problem.MemoryLimit, "the picture takes more memory than there is").WithCause(err)
	case s.reads && aboutItsKind.MatchString(err.Error()):
		return problem.New(problem.UnsupportedFormat, "pictures of this kind cannot be read").WithCause(err)
	case aboutTheFile.MatchString(err.Error()), s.reads && (errors.Is(err, errUntold) || saysNothing.MatchString(err.Error())):
		return problem.New(problem.DamagedFile, "the picture is damaged").WithCause(err)
	}
	return problem.New(problem.Internal, "the picture could not be worked on").WithCause(err)
}
