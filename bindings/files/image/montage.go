package image

import (
	"context"
	goimage "image"
	"image/color"
	"image/draw"
	"math"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type montageIn struct {
	FileIDs []string `json:"file_ids" doc:"File ids or names, at most 100"`
	Options struct {
		Columns    int  `json:"columns,omitempty" min:"1" max:"100" doc:"Defaults to about as many as rows"`
		CellWidth  int  `json:"cell_width,omitempty" min:"1" max:"4096" doc:"Of a picture's place, in pixels. Defaults to 256."`
		CellHeight int  `json:"cell_height,omitempty" min:"1" max:"4096" doc:"Defaults to the width"`
		Gap        *int `json:"gap,omitempty" min:"0" max:"1000" doc:"Between pictures and around them, in pixels. Defaults to 8."`
		Labels     bool `json:"labels,omitempty" doc:"Write each file's name below its picture"`
		saveOptions
	} `op:"options"`
}

const labelSize = 14

// montage lays small pictures side by side, each upright and whole in a cell of its own.
func montage(ctx context.Context, env *op.Env, in montageIn) (out fileOut, err error) {
	n, o := len(in.FileIDs), in.Options
	if n == 0 || n > maxLayers {
		return out, problem.New(problem.InvalidArgument, "fileIds: expected 1 to %d, got %d", maxLayers, n).With("argument", "fileIds")
	}
	format, err := o.format(picture.PNG)
	if err != nil {
		return out, err
	}
	background, err := parseColor(firstOf(o.Background, "white"), "background")
	if err != nil {
		return out, err
	}
	columns := o.Columns
	if columns == 0 {
		columns = int(math.Ceil(math.Sqrt(float64(n))))
	}
	columns = min(columns, n)
	cw := firstOf(o.CellWidth, 256)
	ch, gap, label := firstOf(o.CellHeight, cw), 8, 0
	if o.Gap != nil {
		gap = *o.Gap
	}
	if o.Labels {
		label = labelSize * 3 / 2
	}
	rows := (n + columns - 1) / columns
	w, h := gap+columns*(cw+gap), gap+rows*(ch+label+gap)
	if pixels := int64(w) * int64(h); pixels > env.Limits.Pixels || pixels*4 > env.Limits.Memory/4 {
		most := min(env.Limits.Pixels, env.Limits.Memory/16)
		return out, problem.New(problem.TooComplex, "the montage would have %d × %d pixels; it may have %d", w, h, most).With("limit", most).
			WithHint("Use smaller cells.")
	}
	canvas := goimage.NewNRGBA(goimage.Rect(0, 0, w, h))
	draw.Draw(canvas, canvas.Rect, goimage.NewUniform(background), goimage.Point{}, draw.Src)
	eng := engineOf(env)
	for i, ref := range in.FileIDs {
		src, err := open(ctx, env, eng, ref)
		if err != nil {
			return out, err
		}
		steps, err := src.inside(cw, ch)
		if err != nil {
			return out, err
		}
		m, err := src.pixels(ctx, env, eng, 0, steps...)
		if err != nil {
			return out, err
		}
		cell := goimage.Pt(gap+i%columns*(cw+gap), gap+i/columns*(ch+label+gap))
		at := cell.Add(goimage.Pt((cw-m.Rect.Dx())/2, (ch-m.Rect.Dy())/2))
		draw.Draw(canvas, m.Rect.Add(at), m, goimage.Point{}, draw.Over)
		if o.Labels {
			under := goimage.Rect(cell.X, cell.Y+ch, cell.X+cw, cell.Y+ch+label)
			if err := writeLabel(env, canvas, under, src.file.Name, contrasting(background)); err != nil {
				return out, err
			}
		}
	}
	enc, err := o.encoding(format, picture.Header{})
	if err != nil {
		return out, err
	}
	made, err := encode(ctx, eng, picture.Job{Source: picture.OfPixels(canvas)}, enc)
	if err != nil {
		return out, err
	}
	defer made.Release()
	file, err := save(ctx, env, host.File{Name: "montage.png"}, plan{save: o.saveOptions, unique: "montage.png"}, format, made.Data)
	return fileOut{file.ID, file.Name, made.Width, made.Height, string(format), file.Size}, err
}

func firstOf[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// contrasting is black or white, whichever can be read on a colour.
func contrasting(c color.NRGBA) color.NRGBA {
	if c.A >= 128 && 299*int(c.R)+587*int(c.G)+114*int(c.B) < 128*1000 {
		return white
	}
	return color.NRGBA{A: 255}
}
