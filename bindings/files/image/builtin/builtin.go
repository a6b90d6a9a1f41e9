// Package builtin is the image engine that is always there: the standard library, x/image
// and imaging, without anything outside the binary.
//
// It decodes JPEG, PNG, GIF, WebP without animation, TIFF and BMP, and encodes JPEG, PNG, GIF,
// TIFF, BMP and lossless WebP; what it cannot do is engine_missing. Pictures are whole in
// memory, 4 bytes a pixel, except that JPEGs are made smaller on the way when the first step
// scales them down. Decoded pixels become NRGBA here before imaging sees them: it panics in
// goroutines of its own where a palette is shorter than its pixels say, which nothing can
// recover.
//
// Imports picture, problem and the libraries above. Start reading at Engine.
package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/limits"
	"github.com/sandboxd/sandboxd/problem"
)

// Engine is the built-in engine.
type Engine struct {
	// Memory is what a job may take, in bytes. Defaults to 256 MB.
	Memory int64
}

var _ picture.Engine = Engine{}

// Name is "builtin".
func (Engine) Name() string { return "builtin" }

// Reads answers engine_missing for AVIF, HEIC and animated WebP.
func (Engine) Reads(h picture.Header) error {
	switch {
	case h.Format == picture.AVIF || h.Format == picture.HEIC:
		return missing("%s cannot be read", h.Format)
	case h.Format == picture.WebP && len(h.Delays) > 0:
		return missing("animated WebP cannot be read")
	case h.BigTIFF:
		return missing("BigTIFF cannot be read")
	case h.Format == picture.TIFF && (h.Space == "cmyk" || h.Space == "lab"):
		return missing("TIFF in %s colours cannot be read", h.Space)
	}
	return nil
}

// Writes answers engine_missing for AVIF and lossy WebP.
func (Engine) Writes(e picture.Encoding) error {
	switch {
	case e.Format == picture.AVIF || e.Format == picture.HEIC:
		return missing("%s cannot be written", e.Format)
	case e.Format == picture.WebP && !e.Lossless:
		return missing("lossy WebP cannot be written")
	case e.Format == picture.JPEG && e.Progressive || e.Format == picture.PNG && e.Progressive:
		return missing("progressive %s cannot be written", e.Format)
	}
	return nil
}

func missing(format string, args ...any) *problem.Error {
	return problem.New(problem.EngineMissing, format+" without libvips, which is not installed here", args...)
}

// Encode does a job and writes its result down.
func (e Engine) Encode(ctx context.Context, job picture.Job, as picture.Encoding) (*picture.Encoded, error) {
	frames, err := e.run(ctx, job)
	if err != nil {
		return nil, err
	}
	if len(frames) > 1 && as.Format == picture.WebP {
		return nil, missing("animated WebP cannot be written")
	}
	size := frames[0].Rect.Size()
	if err := as.Holds(size.X, size.Y); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := write(&out, frames, as); err != nil {
		return nil, problem.New(problem.Internal, "the picture could not be written").WithCause(err)
	}
	return picture.NewEncoded(out.Bytes(), size.X, size.Y, len(frames), nil), nil
}

// Pixels does a job and answers its pixels.
func (e Engine) Pixels(ctx context.Context, job picture.Job) (*image.NRGBA, error) {
	frames, err := e.run(ctx, job)
	if err != nil {
		return nil, err
	}
	return frames[0], nil
}

// run decodes a job's frames and does its steps with each.
func (e Engine) run(ctx context.Context, job picture.Job) (frames []*image.NRGBA, err error) {
	defer func() {
		if p := recover(); p != nil { // decoders of hostile files
			frames, err = nil, problem.New(problem.DamagedFile, "the picture is damaged").WithCause(fmt.Errorf("panic: %v", p))
		}
	}()
	if err := e.affords(job); err != nil {
		return nil, err
	}
	frames, err = e.decode(job)
	if err != nil {
		return nil, explain(err)
	}
	for _, step := range job.Steps {
		for i, m := range frames {
			if err := ctx.Err(); err != nil {
				return nil, problem.From(err)
			}
			if frames[i], err = e.step(ctx, m, step); err != nil {
				return nil, err
			}
		}
	}
	return frames, nil
}

// affords tells whether a job's pixels fit in memory: those decoded, and those of a step's
// outcome beside them.
func (e Engine) affords(job picture.Job) error {
	max := e.Memory
	if max <= 0 {
		max = 256 * limits.MB
	}
	h := job.Source.Header
	bytes := int64(4)
	if h.Format == picture.JPEG {
		bytes = 5
		if first, ok := firstScale(job.Steps); ok && shrinkFor(h, first) > 1 {
			bytes = 2
		}
		if h.Progressive { // coefficients are kept, 4 bytes each
			bytes += 8
		}
	} else if h.Depth > 8 {
		bytes = 12
	}
	frames := int64(1)
	if job.All {
		frames = int64(h.Frames)
	}
	_, _, most := picture.SizeAfter(h.Width, h.Height, job.Steps)
	need := int64(h.Width)*int64(h.Height)*bytes*frames + 4*most*frames
	if len(job.Steps) == 0 {
		need = int64(h.Width) * int64(h.Height) * bytes * frames
	}
	if need > max {
		return problem.New(problem.TooComplex, "a picture of %d × %d pixels would take some %d MB of memory without libvips; there are %d",
			h.Width, h.Height, need>>20, max>>20).With("limit", max)
	}
	return nil
}

// explain makes a problem of what a decoder said.
func explain(err error) error {
	var known *problem.Error
	var inJPEG jpeg.UnsupportedError
	var inPNG png.UnsupportedError
	var inTIFF tiff.UnsupportedError
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &inJPEG), errors.As(err, &inPNG), errors.As(err, &inTIFF), errors.Is(err, bmp.ErrUnsupported):
		return missing("pictures of this kind cannot be read").WithCause(err)
	}
	return problem.New(problem.DamagedFile, "the picture is damaged").WithCause(err)
}
