package image

import (
	"context"
	"errors"
	goimage "image"
	"io"

	"github.com/sandboxd/sandboxd/bindings/files/image/builtin"
	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/bindings/files/image/vips"
	"github.com/sandboxd/sandboxd/engine"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

const (
	// maxFrames is how many frames an animation may have that is worked on.
	maxFrames = 2000
	// maxPages is how many pages a TIFF may have that is worked on: a decoder walks over all.
	maxPages = 10_000
	// maxDecodedSide is the longest side that is decoded. Beyond some millions libvips ends the
	// process, or takes minutes.
	maxDecodedSide = 1 << 20
)

// engineOf is libvips, if it is there, and the built-in engine otherwise.
func engineOf(env *op.Env) picture.Engine {
	if v, err := engine.Of[*vips.Vips](env.Engines, vips.Name); err == nil {
		return v
	}
	return builtin.Engine{Memory: env.Limits.Memory / 2}
}

// opened is a file with its header.
type opened struct {
	file   host.File
	data   []byte
	header picture.Header
}

// look opens a picture for what its header says.
func look(ctx context.Context, env *op.Env, ref string) (*opened, error) {
	from, err := env.Host.Open(ctx, ref, 0)
	if err != nil {
		return nil, err
	}
	defer from.Data.Close()
	if from.File.Size > env.Limits.FileBytes {
		return nil, problem.New(problem.FileTooLarge, "%q has %d bytes; a file may have %d", from.File.Name, from.File.Size, env.Limits.FileBytes).
			With("limit", env.Limits.FileBytes)
	}
	o := &opened{file: from.File, data: make([]byte, from.File.Size)}
	if _, err := io.ReadFull(io.NewSectionReader(from.Data, 0, from.File.Size), o.data); err != nil {
		return nil, problem.New(problem.Internal, "%q could not be read", from.File.Name).WithCause(err)
	}
	if o.header, err = picture.ReadHeader(o.data); err != nil {
		return nil, named(err, from.File.Name)
	}
	return o, nil
}

// open opens a picture whose pixels will be decoded: what its header says must be within the
// limits, and the engine must know its format.
func open(ctx context.Context, env *op.Env, eng picture.Engine, ref string) (*opened, error) {
	return openFrame(ctx, env, eng, ref, 0)
}

// openFrame is open for a frame or page, counting from 0, whose size is then that of the header.
func openFrame(ctx context.Context, env *op.Env, eng picture.Engine, ref string, frame int) (*opened, error) {
	o, err := look(ctx, env, ref)
	if err != nil {
		return nil, err
	}
	h := o.header
	if frame >= h.Frames {
		return nil, noFrame(o, frame+1)
	}
	if o.header, err = h.OfPage(o.data, frame); err != nil {
		return nil, named(err, o.file.Name)
	}
	h = o.header
	if h.Frames > maxFrames && h.Format.Animates() {
		return nil, problem.New(problem.TooComplex, "%q has %d frames; an animation may have %d", o.file.Name, h.Frames, maxFrames).With("limit", maxFrames)
	}
	if h.Format == picture.TIFF {
		if h.Frames > maxPages {
			return nil, problem.New(problem.TooComplex, "%q has %d pages; a TIFF may have %d", o.file.Name, h.Frames, maxPages).With("limit", maxPages)
		}
		h.Frames = 1 // its pages are not played
	}
	if max(h.Width, h.Height) > maxDecodedSide {
		return nil, problem.New(problem.TooComplex, "%q has %d × %d pixels; a picture may have %d on a side", o.file.Name, h.Width, h.Height, maxDecodedSide).
			With("limit", maxDecodedSide)
	}
	if h.Pixels() > env.Limits.Pixels {
		if h.Frames > 1 {
			return nil, problem.New(problem.TooComplex, "%q has %d frames of %d × %d pixels; a picture may have %d pixels in all",
				o.file.Name, h.Frames, h.Width, h.Height, env.Limits.Pixels).With("limit", env.Limits.Pixels)
		}
		return nil, problem.New(problem.TooComplex, "%q has %d × %d pixels; a picture may have %d", o.file.Name, h.Width, h.Height, env.Limits.Pixels).
			With("limit", env.Limits.Pixels)
	}
	if need := decoderMemory(h); need > env.Limits.Memory*3/4 {
		return nil, problem.New(problem.TooComplex, "%q has %d × %d pixels, which take some %d MB to decode in this format; there are %d",
			o.file.Name, h.Width, h.Height, need>>20, env.Limits.Memory*3/4>>20).With("limit", env.Limits.Memory*3/4)
	}
	if h.Format == picture.BMP { // the same for both engines
		return o, named(builtin.ReadsBMP(o.data, h), o.file.Name)
	}
	return o, named(eng.Reads(h), o.file.Name)
}

// decoderMemory is about what a decoder holds at once of a format that is not decoded row by row.
func decoderMemory(h picture.Header) int64 {
	frame := int64(h.Width) * int64(h.Height)
	switch {
	case h.Format == picture.JPEG && h.Progressive:
		return frame * int64(h.Channels) // coefficients, of chroma a quarter
	case h.Format == picture.PNG && h.Progressive:
		return frame * int64(h.Channels) * int64(h.Depth/8)
	case h.Format == picture.WebP:
		return frame * 5
	case h.Format == picture.GIF, h.Format == picture.AVIF:
		return frame * 8
	case h.Format == picture.BMP && h.Palette:
		return frame * 5
	case h.Format == picture.BMP: // as it is decoded, and as it is worked on
		return frame * 8
	}
	return 0
}

// source is the opened picture for a job.
func (o *opened) source() (picture.Source, error) {
	if o.header.Format != picture.BMP {
		return picture.Source{Data: o.data, Header: o.header}, nil
	}
	frames, err := builtin.DecodeBMP(o.data, o.header)
	if err != nil {
		return picture.Source{}, problem.New(problem.DamagedFile, "%q is damaged", o.file.Name).WithCause(err)
	}
	return picture.OfPixels(frames[0]), nil
}

// animated tells whether the picture plays.
func (o *opened) animated() bool { return o.header.Frames > 1 && o.header.Format.Animates() }

// affordable holds a job against the limits: the pixels of each step's outcome, and the memory
// of steps that need all of a picture at once.
func affordable(env *op.Env, name string, job picture.Job) error {
	h := job.Source.Header
	frames := int64(1)
	if job.All {
		frames = int64(h.Frames)
	}
	w, ht, most := picture.SizeAfter(h.Width, h.Height, job.Steps)
	if most *= frames; most > env.Limits.Pixels {
		return problem.New(problem.TooComplex, "%q would have %d × %d pixels in the end and %d at most; a picture may have %d", name, w, ht, most, env.Limits.Pixels).
			With("limit", env.Limits.Pixels)
	}
	if still := stillPixels(h, job) * frames; still*4 > env.Limits.Memory/2 {
		return problem.New(problem.TooComplex, "%q has %d pixels that must be in memory at once; there is room for %d", name, still, env.Limits.Memory/8).
			WithHint("Make it smaller first, with files.image.resize.").With("limit", env.Limits.Memory/8)
	}
	return nil
}

// stillPixels is the largest size at which a job needs the whole picture in memory.
func stillPixels(h picture.Header, job picture.Job) (most int64) {
	w, ht := h.Width, h.Height
	if job.All && h.Frames > 1 {
		most = int64(w) * int64(ht)
	}
	for _, step := range job.Steps {
		switch step := step.(type) {
		case picture.Turn, picture.Rotate, picture.Trim, picture.Flip:
			most = max(most, int64(w)*int64(ht))
		case picture.Layers:
			for _, l := range step.Layers {
				lw, lh, _ := picture.SizeAfter(l.Job.Source.Header.Width, l.Job.Source.Header.Height, l.Job.Steps)
				most = max(most, int64(lw)*int64(lh))
			}
		}
		w, ht, _ = picture.SizeAfter(w, ht, []picture.Step{step})
	}
	return most
}

// pixels decodes a picture and does steps with it, for what is measured here.
func (o *opened) pixels(ctx context.Context, env *op.Env, eng picture.Engine, frame int, steps ...picture.Step) (*goimage.NRGBA, error) {
	source, err := o.source()
	if err != nil {
		return nil, err
	}
	job := picture.Job{Source: source, Frame: frame, Steps: steps}
	if err := affordable(env, o.file.Name, job); err != nil {
		return nil, err
	}
	if w, h, _ := picture.SizeAfter(o.header.Width, o.header.Height, steps); int64(w)*int64(h)*4 > env.Limits.Memory/4 {
		return nil, problem.New(problem.TooComplex, "%q has %d × %d pixels, too many to look at each of them; %d would do", o.file.Name, w, h, env.Limits.Memory/16).
			WithHint("Make it smaller first, with files.image.resize.").With("limit", env.Limits.Memory/16)
	}
	m, err := eng.Pixels(ctx, job)
	return m, named(err, o.file.Name)
}

// named says of a problem with a file which one it is.
func named(err error, name string) error {
	var e *problem.Error
	if !errors.As(err, &e) || e.Code == problem.Canceled || e.Code == problem.Timeout {
		return err
	}
	c := *e
	c.Message = "\"" + name + "\": " + e.Message
	return &c
}
