package image

import (
	"context"
	"fmt"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// maxLayers is how many pictures one call takes.
const maxLayers = 100

type overlayIn struct {
	FileID   string   `json:"file_id" alias:"input,image,file,id,src" doc:"File id or name of the picture to lay over"`
	Left     *int     `json:"left,omitempty" alias:"x" doc:"Where its left side goes, in pixels; may be outside"`
	Top      *int     `json:"top,omitempty" alias:"y" doc:"Where its top goes, in pixels; may be outside"`
	Position string   `json:"position,omitempty" alias:"gravity" enum:"center,top,bottom,left,right,top-left,top-right,bottom-left,bottom-right" also:"north=top,south=bottom,west=left,east=right,northwest=top-left,northeast=top-right,southwest=bottom-left,southeast=bottom-right,left-top=top-left,right-top=top-right,left-bottom=bottom-left,right-bottom=bottom-right,centre=center" doc:"Where it goes without left and top. Defaults to center."`
	Width    *int     `json:"width,omitempty" min:"1" max:"32767" doc:"Scale it to this width; the height follows if it is not given"`
	Height   *int     `json:"height,omitempty" min:"1" max:"32767" doc:"Scale it to this height"`
	Scale    *float64 `json:"scale,omitempty" min:"0.001" max:"100" doc:"Scale it by a factor"`
	Opacity  *float64 `json:"opacity,omitempty" min:"0" max:"1" doc:"0 is invisible, 1 (the default) as it is"`
	Blend    string   `json:"blend,omitempty" alias:"blend_mode,mode" enum:"over,multiply,screen,overlay,darken,lighten,color-dodge,color-burn,hard-light,soft-light,difference,exclusion,add,dest-in,dest-out" also:"normal=over,colour-dodge=color-dodge,colour-burn=color-burn" doc:"How colours meet. Defaults to over; dest-in keeps only what is below it, as a mask does."`
	Tile     bool     `json:"tile,omitempty" doc:"Repeat it all over"`
}

type compositeIn struct {
	FileID   string      `json:"file_id" doc:"File id or name of the picture below"`
	Overlays []overlayIn `json:"overlays" doc:"What to lay over it, in order, at most 100"`
	Options  saveOptions `op:"options"`
}

func composite(ctx context.Context, env *op.Env, in compositeIn) (fileOut, error) {
	if len(in.Overlays) == 0 || len(in.Overlays) > maxLayers {
		return fileOut{}, problem.New(problem.InvalidArgument, "overlays: expected 1 to %d, got %d", maxLayers, len(in.Overlays)).With("argument", "overlays")
	}
	eng := engineOf(env)
	return change(ctx, env, plan{ref: in.FileID, save: in.Options, work: func(base *opened, _ picture.Format) ([]picture.Step, bool, error) {
		var layers picture.Layers
		var pixels, held int64
		for i, over := range in.Overlays {
			top, err := open(ctx, env, eng, over.FileID)
			if err != nil {
				return nil, false, err
			}
			layer, err := over.layer(top, base)
			if err != nil {
				return nil, false, named(err, fmt.Sprintf("overlays[%d]", i))
			}
			w, h, most := picture.SizeAfter(top.header.Width, top.header.Height, layer.Job.Steps)
			if pixels += int64(w) * int64(h); most > env.Limits.Pixels || pixels*4 > env.Limits.Memory/2 {
				return nil, false, problem.New(problem.TooComplex, "overlays: %d pixels in all are too many; there is room for %d", pixels, env.Limits.Memory/8).
					With("limit", env.Limits.Memory/8)
			}
			if held += int64(len(top.data)); held > env.Limits.Memory/4 {
				return nil, false, problem.New(problem.TooComplex, "overlays: their files have %d bytes in all; there is room for %d", held, env.Limits.Memory/4).
					With("limit", env.Limits.Memory/4)
			}
			layers.Layers = append(layers.Layers, layer)
		}
		return []picture.Step{layers}, false, nil
	}})
}

// layer says how an overlay lies on the base.
func (o overlayIn) layer(top, base *opened) (l picture.Layer, err error) {
	w, h := top.header.Width, top.header.Height
	f := fitting{width: or0(o.Width), height: or0(o.Height), fit: "fill"}
	if f.width == 0 && f.height == 0 && o.Scale != nil {
		f.width, f.height = max(1, round(float64(w)**o.Scale)), max(1, round(float64(h)**o.Scale))
	}
	if l.Job.Source, err = top.source(); err != nil {
		return l, err
	}
	if f.width != 0 || f.height != 0 {
		if l.Job.Steps, err = f.steps(w, h, 1); err != nil {
			return l, err
		}
		w, h, _ = picture.SizeAfter(w, h, l.Job.Steps)
	}
	l.X, l.Y = place(o.Position, base.header.Width-w, base.header.Height-h, false)
	if o.Left != nil || o.Top != nil {
		l.X, l.Y = or0(o.Left), or0(o.Top)
	}
	const far = 1 << 20
	if l.X < -far || l.X > far || l.Y < -far || l.Y > far {
		return l, problem.New(problem.InvalidArgument, "left and top: expected at most %d, got %d, %d", far, l.X, l.Y).With("argument", "left")
	}
	l.Opacity, l.Blend, l.Tile = orElse(o.Opacity, 1), picture.Blend(o.Blend), o.Tile
	return l, nil
}
