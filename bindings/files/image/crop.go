package image

import (
	"context"
	goimage "image"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type regionIn struct {
	Left   int `json:"left" alias:"x" min:"0" doc:"From the left, in pixels"`
	Top    int `json:"top" alias:"y" min:"0" doc:"From the top, in pixels"`
	Width  int `json:"width" min:"1" doc:"In pixels"`
	Height int `json:"height" min:"1" doc:"In pixels"`
}

type cropIn struct {
	FileID  string   `json:"file_id" doc:"File id or name"`
	Region  regionIn `json:"region" doc:"What to keep, in pixels from the top left"`
	Options struct {
		AutoOrient bool `json:"auto_orient,omitempty" doc:"Apply the EXIF orientation first: the region is then where people see it"`
		saveOptions
	} `op:"options"`
}

func crop(ctx context.Context, env *op.Env, in cropIn) (fileOut, error) {
	o := in.Options
	return change(ctx, env, plan{ref: in.FileID, save: o.saveOptions, work: func(src *opened, _ picture.Format) (steps []picture.Step, upright bool, err error) {
		w, h := src.header.Width, src.header.Height
		if o.AutoOrient {
			w, h = src.header.UprightSize()
			steps = picture.Upright(src.header.Orientation)
		}
		r, err := region(in.Region, w, h)
		return append(steps, picture.Crop{Rect: r}), o.AutoOrient, err
	}})
}

type trimIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Options struct {
		Threshold *float64 `json:"threshold,omitempty" min:"0" max:"255" doc:"How far a pixel may be from the border's colour, in each channel. Defaults to 10."`
		Color     string   `json:"color,omitempty" doc:"The border's colour. Defaults to that of the top left pixel."`
		saveOptions
	} `op:"options"`
}

func trim(ctx context.Context, env *op.Env, in trimIn) (fileOut, error) {
	step := picture.Trim{Threshold: 10}
	if in.Options.Threshold != nil {
		step.Threshold = *in.Options.Threshold
	}
	if in.Options.Color != "" {
		c, err := parseColor(in.Options.Color, "color")
		if err != nil {
			return fileOut{}, err
		}
		step.Background = &c
	}
	return change(ctx, env, plan{ref: in.FileID, save: in.Options.saveOptions, work: func(src *opened, format picture.Format) ([]picture.Step, bool, error) {
		if src.animated() && format.Animates() {
			return nil, false, problem.New(problem.UnsupportedFormat, "%q is animated: its frames would be cut to different sizes", src.file.Name).
				WithHint("Take a frame with files.image.extractFrame, or use files.image.crop.")
		}
		return []picture.Step{step}, false, nil
	}})
}

type padIn struct {
	FileID string `json:"file_id" doc:"File id or name"`
	Edges  struct {
		Top    *int `json:"top,omitempty" min:"0" max:"10000"`
		Right  *int `json:"right,omitempty" min:"0" max:"10000"`
		Bottom *int `json:"bottom,omitempty" min:"0" max:"10000"`
		Left   *int `json:"left,omitempty" min:"0" max:"10000"`
		All    int  `json:"all,omitempty" min:"0" max:"10000" doc:"On every side that is not given"`
	} `json:"edges" doc:"How many pixels to add on which sides"`
	Options saveOptions `op:"options"`
}

func pad(ctx context.Context, env *op.Env, in padIn) (fileOut, error) {
	side := func(given *int) int {
		if given == nil {
			return in.Edges.All
		}
		return *given
	}
	top, right, bottom, left := side(in.Edges.Top), side(in.Edges.Right), side(in.Edges.Bottom), side(in.Edges.Left)
	return change(ctx, env, plan{ref: in.FileID, save: in.Options, work: func(src *opened, format picture.Format) ([]picture.Step, bool, error) {
		background, err := in.Options.background(format)
		w, h := src.header.Width+left+right, src.header.Height+top+bottom
		return []picture.Step{picture.Extend{Width: w, Height: h, X: left, Y: top, Background: background}}, false, err
	}})
}

// cutOut is a part of pixels.
func cutOut(m *goimage.NRGBA, r goimage.Rectangle) *goimage.NRGBA {
	out := goimage.NewNRGBA(goimage.Rect(0, 0, r.Dx(), r.Dy()))
	for y := range r.Dy() {
		copy(out.Pix[y*out.Stride:][:4*r.Dx()], m.Pix[m.PixOffset(r.Min.X, r.Min.Y+y):])
	}
	return out
}
