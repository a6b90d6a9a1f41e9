package image

import (
	"context"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/op"
)

// outIn is the input of changes that have no arguments but where the result goes.
type outIn struct {
	FileID  string      `json:"file_id" doc:"File id or name"`
	Options saveOptions `op:"options"`
}

type rotateIn struct {
	FileID  string      `json:"file_id" doc:"File id or name"`
	Angle   float64     `json:"angle" min:"-360" max:"360" doc:"Clockwise, in degrees. Multiples of 90 lose nothing but what the format does; others add background."`
	Options saveOptions `op:"options"`
}

func rotate(ctx context.Context, env *op.Env, in rotateIn) (fileOut, error) {
	return change(ctx, env, plan{ref: in.FileID, save: in.Options, work: func(_ *opened, format picture.Format) ([]picture.Step, bool, error) {
		if quarters := in.Angle / 90; quarters == float64(int(quarters)) {
			if n := (int(quarters)%4 + 4) % 4; n != 0 {
				return []picture.Step{picture.Turn{Quarters: n}}, false, nil
			}
			return nil, false, nil
		}
		background, err := in.Options.background(format)
		return []picture.Step{picture.Rotate{Degrees: in.Angle, Background: background}}, false, err
	}})
}

type flipIn struct {
	FileID    string      `json:"file_id" doc:"File id or name"`
	Direction string      `json:"direction,omitempty" enum:"horizontal,vertical,both" doc:"horizontal (the default) exchanges left and right, vertical top and bottom"`
	Options   saveOptions `op:"options"`
}

func flip(ctx context.Context, env *op.Env, in flipIn) (fileOut, error) {
	step := picture.Flip{Horizontal: in.Direction != "vertical", Vertical: in.Direction == "vertical" || in.Direction == "both"}
	return change(ctx, env, plan{ref: in.FileID, save: in.Options, work: oriented(false, []picture.Step{step})})
}

func autoOrient(ctx context.Context, env *op.Env, in outIn) (fileOut, error) {
	return change(ctx, env, plan{ref: in.FileID, save: in.Options, work: oriented(true, nil)})
}

type blurIn struct {
	FileID  string      `json:"file_id" doc:"File id or name"`
	Sigma   *float64    `json:"sigma" min:"0.3" max:"100" doc:"How much: the standard deviation, in pixels. Defaults to 3."`
	Options saveOptions `op:"options"`
}

func blur(ctx context.Context, env *op.Env, in blurIn) (fileOut, error) {
	step := picture.Blur{Sigma: 3}
	if in.Sigma != nil {
		step.Sigma = *in.Sigma
	}
	return change(ctx, env, plan{ref: in.FileID, save: in.Options, work: oriented(false, []picture.Step{step})})
}

type sharpenIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Options struct {
		Sigma  *float64 `json:"sigma,omitempty" min:"0.3" max:"10" doc:"Size of the details, in pixels. Defaults to 1."`
		Amount *float64 `json:"amount,omitempty" min:"0" max:"10" doc:"How much. Defaults to 1."`
		saveOptions
	} `op:"options"`
}

func sharpen(ctx context.Context, env *op.Env, in sharpenIn) (fileOut, error) {
	step := picture.Sharpen{Sigma: orElse(in.Options.Sigma, 1), Amount: orElse(in.Options.Amount, 1)}
	return change(ctx, env, plan{ref: in.FileID, save: in.Options.saveOptions, work: oriented(false, []picture.Step{step})})
}

func orElse(n *float64, otherwise float64) float64 {
	if n == nil {
		return otherwise
	}
	return *n
}

func grayscale(ctx context.Context, env *op.Env, in outIn) (fileOut, error) {
	return change(ctx, env, plan{ref: in.FileID, save: in.Options, work: oriented(false, []picture.Step{picture.Grayscale{}})})
}

type adjustIn struct {
	FileID string `json:"file_id" doc:"File id or name"`
	By     struct {
		Brightness *float64 `json:"brightness,omitempty" min:"0" max:"10" doc:"Factor: 1 leaves it, 1.2 is a fifth brighter"`
		Contrast   *float64 `json:"contrast,omitempty" min:"0" max:"10" doc:"Factor about the middle"`
		Saturation *float64 `json:"saturation,omitempty" min:"0" max:"10" doc:"Factor: 0 is grey"`
	} `json:"by" doc:"What to change, and how much"`
	Options saveOptions `op:"options"`
}

func adjust(ctx context.Context, env *op.Env, in adjustIn) (fileOut, error) {
	step := picture.Adjust{Brightness: orElse(in.By.Brightness, 1), Contrast: orElse(in.By.Contrast, 1), Saturation: orElse(in.By.Saturation, 1)}
	return change(ctx, env, plan{ref: in.FileID, save: in.Options, work: oriented(false, []picture.Step{step})})
}
