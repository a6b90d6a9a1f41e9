package image

import (
	"context"

	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type infoIn struct {
	FileID string `json:"file_id" doc:"File id or name"`
}

type infoOut struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Width       int    `json:"width" doc:"In pixels, as stored: the orientation is not applied"`
	Height      int    `json:"height" doc:"In pixels, as stored"`
	Format      string `json:"format" doc:"jpeg, png, webp, gif, tiff, avif, heic or bmp"`
	Size        int64  `json:"size" doc:"Of the file, in bytes"`
	ColorDepth  int    `json:"color_depth" doc:"Bits of a channel: 8, 16 or 32"`
	Channels    int    `json:"channels" doc:"With alpha: 1 to 5"`
	Space       string `json:"space" doc:"Colours: srgb, b-w, cmyk, rgb16, grey16 or lab"`
	HasAlpha    bool   `json:"has_alpha"`
	Orientation int    `json:"orientation,omitempty" doc:"EXIF, 1 to 8; 1 is upright"`
	Density     int    `json:"density,omitempty" doc:"Pixels an inch"`
	Progressive bool   `json:"progressive" doc:"Or interlaced"`
	Palette     bool   `json:"palette"`
	HasProfile  bool   `json:"has_profile" doc:"It has an ICC profile"`
	Frames      int    `json:"frames" doc:"Of an animation, or pages of a TIFF"`
	Delays      []int  `json:"delays,omitempty" doc:"Of each frame, in milliseconds"`
	Loop        *int   `json:"loop,omitempty" doc:"How often an animation plays; 0 is without end"`
	Engine      string `json:"engine" doc:"What works on pictures here: libvips with its version, or builtin"`
}

func info(ctx context.Context, env *op.Env, in infoIn) (out infoOut, err error) {
	o, err := look(ctx, env, in.FileID)
	if err != nil {
		return out, err
	}
	h := o.header
	out = infoOut{ID: o.file.ID, Name: o.file.Name, Width: h.Width, Height: h.Height, Format: string(h.Format), Size: o.file.Size,
		ColorDepth: h.Depth, Channels: h.Channels, Space: h.Space, HasAlpha: h.HasAlpha, Orientation: h.Orientation, Density: h.Density,
		Progressive: h.Progressive, Palette: h.Palette, HasProfile: h.ICC != nil, Frames: h.Frames, Engine: engineOf(env).Name()}
	if o.animated() {
		out.Delays, out.Loop = h.Delays[:min(len(h.Delays), maxFrames)], &h.Loop
	}
	return out, nil
}

func noFrame(o *opened, frame int) error {
	return problem.New(problem.InvalidArgument, "frame: %q has %d, got %d", o.file.Name, o.header.Frames, frame).
		With("argument", "frame").With("frames", o.header.Frames)
}
