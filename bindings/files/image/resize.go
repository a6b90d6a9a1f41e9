package image

import (
	"context"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type resizeIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Width   *int   `json:"width" min:"1" max:"32767" doc:"In pixels; without it, it follows from the height"`
	Height  *int   `json:"height" min:"1" max:"32767" doc:"In pixels; without it, it follows from the width"`
	Options struct {
		Fit                string `json:"fit,omitempty" enum:"cover,contain,fill,inside,outside" doc:"How it fits where both sides are given. cover (the default) fills them and cuts off what is too much; contain keeps all of it and adds background; fill distorts; inside and outside keep the shape and are at most, or at least, that large."`
		Position           string `json:"position,omitempty" alias:"gravity" enum:"center,top,bottom,left,right,top-left,top-right,bottom-left,bottom-right" also:"north=top,south=bottom,west=left,east=right,northwest=top-left,northeast=top-right,southwest=bottom-left,southeast=bottom-right,left-top=top-left,right-top=top-right,left-bottom=bottom-left,right-bottom=bottom-right,centre=center" doc:"What cover keeps, and where contain puts it. Defaults to center."`
		WithoutEnlargement bool   `json:"without_enlargement,omitempty" doc:"Never make it larger"`
		Kernel             string `json:"kernel,omitempty" enum:"lanczos3,cubic,mitchell,linear,nearest" also:"lanczos=lanczos3,bicubic=cubic,bilinear=linear" doc:"How pixels are resampled. Defaults to lanczos3; nearest keeps pixel art sharp."`
		AutoOrient         bool   `json:"auto_orient,omitempty" doc:"Apply the EXIF orientation; width and height are then those that people see"`
		saveOptions
	} `op:"options"`
}

func resize(ctx context.Context, env *op.Env, in resizeIn) (fileOut, error) {
	o := in.Options
	return change(ctx, env, plan{ref: in.FileID, save: o.saveOptions, work: func(src *opened, format picture.Format) ([]picture.Step, bool, error) {
		background, err := o.background(format)
		if err != nil {
			return nil, false, err
		}
		f := fitting{width: or0(in.Width), height: or0(in.Height), fit: o.Fit, position: o.Position, background: background,
			kernel: picture.Kernel(o.Kernel), withoutEnlargement: o.WithoutEnlargement, jpeg: src.header.Format == picture.JPEG}
		w, h, orientation := src.header.Width, src.header.Height, 1
		if o.AutoOrient {
			w, h = src.header.UprightSize()
			orientation = src.header.Orientation
		}
		steps, err := f.steps(w, h, orientation)
		return steps, o.AutoOrient, err
	}})
}

func or0(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

type thumbnailIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Width   int    `json:"width" min:"1" max:"4096" doc:"In pixels"`
	Height  *int   `json:"height" min:"1" max:"4096" doc:"In pixels. Defaults to the width."`
	Options struct {
		Position string `json:"position,omitempty" enum:"smart,center,top,bottom,left,right" also:"attention=smart,entropy=smart,north=top,south=bottom,west=left,east=right,centre=center" doc:"What is kept where the shapes differ. smart (the default) looks for the part with faces' colours, contrast and detail."`
		saveOptions
	} `op:"options"`
}

// thumbnail scales a picture so that it covers a size, and then looks at the small pixels for
// the part to keep.
func thumbnail(ctx context.Context, env *op.Env, in thumbnailIn) (out fileOut, err error) {
	o := in.Options
	width, height := in.Width, in.Width
	if in.Height != nil {
		height = *in.Height
	}
	eng := engineOf(env)
	src, err := open(ctx, env, eng, in.FileID)
	if err != nil {
		return out, err
	}
	format, err := o.format(src.header.Format)
	if err != nil {
		return out, err
	}
	position := o.Position
	smart := position == "" || position == "smart"
	fit := "cover"
	if smart {
		position, fit = "", "outside"
	}
	w, h := src.header.UprightSize()
	steps, err := fitting{width: width, height: height, fit: fit, position: position, jpeg: src.header.Format == picture.JPEG}.steps(w, h, src.header.Orientation)
	if err != nil {
		return out, err
	}
	if w, h, _ := picture.SizeAfter(src.header.Width, src.header.Height, steps); int64(w)*int64(h) > 16<<20 {
		return out, problem.New(problem.TooComplex, "%q is so narrow that a thumbnail of it would be cut from %d × %d pixels", src.file.Name, w, h)
	}
	m, err := src.pixels(ctx, env, eng, 0, steps...)
	if err != nil {
		return out, err
	}
	if smart {
		m = cutOut(m, interesting(m, width, height))
	}
	enc, err := o.encoding(format, src.header)
	if err != nil {
		return out, err
	}
	made, err := encode(ctx, eng, picture.Job{Source: picture.OfPixels(m)}, enc)
	if err != nil {
		return out, named(err, src.file.Name)
	}
	defer made.Release()
	file, err := save(ctx, env, src.file, plan{save: o.saveOptions, unique: beside(src.file.Name, " thumbnail")}, format, made.Data)
	return fileOut{file.ID, file.Name, made.Width, made.Height, string(format), file.Size}, err
}

type convertIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Format  string `json:"format" enum:"png,jpeg,jpg,webp,gif,tiff,avif,bmp" also:"tif=tiff,image/png=png,image/jpeg=jpeg,image/webp=webp,image/gif=gif,image/tiff=tiff,image/avif=avif,image/bmp=bmp" doc:"What to convert to"`
	Options struct {
		AutoOrient bool `json:"auto_orient,omitempty" doc:"Apply the EXIF orientation"`
		saveOptions
	} `op:"options"`
}

type convertOut struct {
	fileOut
	RenamedFrom string `json:"renamed_from,omitempty" doc:"The name that the file had before, where it got the ending of its new format: nothing has that name now"`
}

func convert(ctx context.Context, env *op.Env, in convertIn) (out convertOut, err error) {
	format := formats[in.Format]
	if as, ok := formatOfName(in.Options.As); ok && as != format {
		return out, problem.New(problem.InvalidArgument, "as: %q does not end as the name of a %s does", in.Options.As, format).With("argument", "as")
	}
	before, err := env.Direct.Stat(ctx, in.FileID)
	if err != nil {
		return out, err
	}
	out.fileOut, err = change(ctx, env, plan{ref: before.ID, save: in.Options.saveOptions, format: format, work: oriented(in.Options.AutoOrient, nil)})
	if out.ID == before.ID && out.Name != before.Name {
		out.RenamedFrom = before.Name
	}
	return out, err
}

// oriented does steps after applying the orientation, if that is asked for.
func oriented(apply bool, steps []picture.Step) work {
	return func(src *opened, _ picture.Format) ([]picture.Step, bool, error) {
		if !apply {
			return steps, false, nil
		}
		return append(picture.Upright(src.header.Orientation), steps...), true, nil
	}
}

type extractFrameIn struct {
	FileID  string      `json:"file_id" doc:"File id or name of an animated GIF or WebP, or of a TIFF with pages"`
	Frame   int         `json:"frame" min:"1" doc:"Which one (1-based)"`
	Options saveOptions `op:"options"`
}

func extractFrame(ctx context.Context, env *op.Env, in extractFrameIn) (fileOut, error) {
	src, err := look(ctx, env, in.FileID)
	if err != nil {
		return fileOut{}, err
	}
	if in.Frame > src.header.Frames {
		return fileOut{}, problem.New(problem.InvalidArgument, "frame: %q has %d, got %d", src.file.Name, src.header.Frames, in.Frame).
			With("argument", "frame").With("frames", src.header.Frames)
	}
	p := plan{ref: src.file.ID, save: in.Options, frame: in.Frame - 1, still: true}
	if in.Options.As == "" {
		p.format, p.unique = picture.PNG, beside(src.file.Name, " frame")
	}
	return change(ctx, env, p)
}
