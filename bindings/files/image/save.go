package image

import (
	"bytes"
	"context"
	"errors"
	"image/color"
	"io"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"github.com/sandboxd/sandboxd/bindings/files/image/builtin"
	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// fileOut is what every change answers.
type fileOut struct {
	ID     string `json:"id" doc:"The file's id"`
	Name   string `json:"name"`
	Width  int    `json:"width" doc:"In pixels"`
	Height int    `json:"height" doc:"In pixels"`
	Format string `json:"format" doc:"jpeg, png, webp, gif, tiff, avif or bmp"`
	Size   int64  `json:"size" doc:"Of the file, in bytes"`
}

// asOptions say where a result goes.
type asOptions struct {
	As string `json:"as,omitempty" doc:"Name of a new file for the result; its ending says the format. Without it the file itself gets a new version."`
}

// saveOptions say where a result goes and how it is written.
type saveOptions struct {
	asOptions
	Quality     int    `json:"quality,omitempty" min:"1" max:"100" doc:"Of JPEG, WebP and AVIF. Defaults to 80, and 50 for AVIF."`
	Lossless    bool   `json:"lossless,omitempty" doc:"WebP and AVIF without loss"`
	Progressive bool   `json:"progressive,omitempty" doc:"JPEG and PNG that appear bit by bit"`
	Palette     int    `json:"palette,omitempty" min:"2" max:"256" doc:"PNG and GIF with at most so many colours"`
	Background  string `json:"background,omitempty" doc:"Colour where there is no picture: #RRGGBB, #RRGGBBAA, a name, or transparent. Defaults to transparent, and white in formats that are opaque."`
}

// encoding is how the result is written, in a format.
func (o saveOptions) encoding(format picture.Format, from picture.Header) (picture.Encoding, error) {
	enc := picture.Encoding{Format: format, Quality: o.Quality, Lossless: o.Lossless, Progressive: o.Progressive, Colors: o.Palette,
		Delays: from.Delays, Loop: from.Loop}
	var err error
	enc.Background, err = o.background(format)
	if enc.Background.A < 255 {
		enc.Background = white
	}
	return enc, err
}

// background is the colour asked for, or what stands for none in a format.
func (o saveOptions) background(format picture.Format) (color.NRGBA, error) {
	switch {
	case o.Background != "":
		return parseColor(o.Background, "background")
	case format.HasAlpha():
		return color.NRGBA{}, nil
	}
	return white, nil
}

var white = color.NRGBA{255, 255, 255, 255}

// formats are the names that formats go by, in options and as endings.
var formats = map[string]picture.Format{"jpeg": picture.JPEG, "jpg": picture.JPEG, "jpe": picture.JPEG, "png": picture.PNG, "webp": picture.WebP,
	"gif": picture.GIF, "tiff": picture.TIFF, "tif": picture.TIFF, "avif": picture.AVIF, "bmp": picture.BMP, "heic": picture.HEIC, "heif": picture.HEIC}

func formatOfName(name string) (picture.Format, bool) {
	f, ok := formats[strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))]
	return f, ok
}

// format is what a result is written in: what the new name says, or as the picture was.
func (o asOptions) format(from picture.Format) (picture.Format, error) {
	if o.As == "" {
		return from, nil
	}
	if f, ok := formatOfName(o.As); ok {
		return f, nil
	}
	if path.Ext(o.As) == "" {
		return from, nil
	}
	return "", problem.New(problem.InvalidArgument, "as: %q does not end as a picture's name does", o.As).With("argument", "as").
		WithHint("Use .jpg, .png, .webp, .gif, .tiff, .avif or .bmp.")
}

// work says what to do with a picture that is to be written in a format. upright tells that
// the steps apply the orientation.
type work func(o *opened, format picture.Format) (steps []picture.Step, upright bool, err error)

// plan is a change to a picture.
type plan struct {
	ref    string
	save   saveOptions
	format picture.Format // "" is what save says
	unique string         // a new file by this name, or one like it, where save names none
	frame  int            // the frame to take, from 0
	still  bool           // that frame alone
	work   work
}

// change does a plan: it opens the picture, has the engine work, and saves the outcome.
// Changes of one file take turns.
func change(ctx context.Context, env *op.Env, p plan) (out fileOut, err error) {
	if p.save.As == "" && p.unique == "" {
		file, err := env.Direct.Stat(ctx, p.ref)
		if err != nil {
			return out, err
		}
		unlock, err := env.Lock(ctx, file.ID)
		if err != nil {
			return out, err
		}
		defer unlock()
	}
	eng := engineOf(env)
	o, err := openFrame(ctx, env, eng, p.ref, p.frame)
	if err != nil {
		return out, err
	}
	if p.format == "" {
		if p.format, err = p.save.format(o.header.Format); err != nil {
			return out, err
		}
	}
	job, enc, exif, err := p.job(env, o)
	if err != nil {
		return out, err
	}
	made, err := encode(ctx, eng, job, enc)
	if err != nil {
		return out, named(err, o.file.Name)
	}
	defer made.Release()
	data := picture.WithEXIF(made.Data, enc.Format, exif)
	file, err := save(ctx, env, o.file, p, enc.Format, data)
	return fileOut{file.ID, file.Name, made.Width, made.Height, string(enc.Format), file.Size}, err
}

// job is what the engine has to do, and the metadata that its outcome gets.
func (p plan) job(env *op.Env, o *opened) (job picture.Job, enc picture.Encoding, exif []byte, err error) {
	if enc, err = p.save.encoding(p.format, o.header); err != nil {
		return
	}
	if job.Source, err = o.source(); err != nil {
		return
	}
	job.Frame = p.frame
	job.All = o.animated() && p.format.Animates() && !p.still
	var upright bool
	if p.work != nil {
		if job.Steps, upright, err = p.work(o, p.format); err != nil {
			return
		}
	}
	orientation := o.header.Orientation
	if !upright && !picture.Carries(p.format) { // what cannot be said must be done
		job.Steps = append(job.Steps, picture.Upright(orientation)...)
		upright = true
	}
	if upright {
		orientation = 1
	}
	return job, enc, picture.OrientedEXIF(o.header.EXIF, orientation), affordable(env, o.file.Name, job)
}

// encode has the engine do a job, or the parts of it that engines share.
func encode(ctx context.Context, eng picture.Engine, job picture.Job, enc picture.Encoding) (*picture.Encoded, error) {
	if enc.Format == picture.BMP {
		m, err := eng.Pixels(ctx, job)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := builtin.EncodeBMP(&b, m, enc.Background); err != nil {
			return nil, err
		}
		return picture.NewEncoded(b.Bytes(), m.Rect.Dx(), m.Rect.Dy(), 1, nil), nil
	}
	if err := eng.Writes(enc); err != nil {
		return nil, err
	}
	return eng.Encode(ctx, job, enc)
}

// save makes data a new version of a file, or a new file as the plan says.
func save(ctx context.Context, env *op.Env, from host.File, p plan, format picture.Format, data []byte) (host.File, error) {
	if int64(len(data)) > env.Limits.FileBytes {
		return host.File{}, problem.New(problem.FileTooLarge, "the result has %d bytes; a file may have %d", len(data), env.Limits.FileBytes).With("limit", env.Limits.FileBytes).
			WithHint("Make it smaller, or write it as JPEG or WebP.")
	}
	renamed := ""
	if p.save.As == "" && p.unique == "" {
		if renamed = inFormat(from.Name, format); renamed != from.Name {
			if other, err := env.Host.Stat(ctx, renamed); err == nil {
				return host.File{}, problem.New(problem.Exists, "%q would become %q, and there is one already", from.Name, renamed).With("id", other.ID)
			}
		}
	}
	stage, err := env.Host.Stage(ctx)
	if err != nil {
		return host.File{}, err
	}
	defer stage.Data.Close()
	if _, err := stage.Data.Write(data); err != nil {
		return host.File{}, failedToWrite(from.Name, err)
	}
	switch {
	case p.save.As != "":
		name := p.save.As
		if path.Ext(name) == "" {
			name += ending(format)
		}
		return env.Host.Create(ctx, host.NewFile{Name: name, Source: host.SourceDerived, Stage: stage.ID})
	case p.unique != "":
		return env.Host.Create(ctx, host.NewFile{Name: inFormat(p.unique, format), Source: host.SourceDerived, Stage: stage.ID, Unique: true})
	}
	file, err := env.Host.Put(ctx, from.ID, stage.ID)
	if err == nil && renamed != file.Name {
		file, err = env.Host.Rename(ctx, file.ID, renamed)
	}
	return file, err
}

// inFormat is a name with the ending of a format, if it has another format's.
func inFormat(name string, format picture.Format) string {
	has, known := formatOfName(name)
	if !known || has == format {
		return name
	}
	return strings.TrimSuffix(name, path.Ext(name)) + ending(format)
}

func ending(format picture.Format) string {
	if format == picture.JPEG {
		return ".jpg"
	}
	return "." + string(format)
}

// beside is a name for a new file made from another: "cat.jpg" and " thumbnail" make
// "cat thumbnail.jpg".
func beside(name, what string) string {
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + what + ext
}

func failedToWrite(name string, err error) error {
	var known *problem.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, syscall.EFBIG), errors.Is(err, io.ErrShortWrite):
		return problem.New(problem.FileTooLarge, "%q is larger than a file may be", name).WithCause(err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return problem.New(problem.WorkspaceFull, "there is no space left for %q", name).WithCause(err)
	case errors.Is(err, fs.ErrClosed):
		return problem.New(problem.Canceled, "the run ended while %q was written", name).WithCause(err)
	}
	return problem.New(problem.Internal, "could not write %q", name).WithCause(err)
}
