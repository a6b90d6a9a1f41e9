package image

import (
	"context"
	"encoding/base64"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/op"
)

type toBase64In struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Options struct {
		MaxWidth  int    `json:"max_width,omitempty" min:"1" max:"32767" doc:"Make it smaller to be at most so wide, in pixels"`
		MaxHeight int    `json:"max_height,omitempty" min:"1" max:"32767" doc:"Make it smaller to be at most so high, in pixels"`
		Format    string `json:"format,omitempty" enum:"jpeg,jpg,png,webp" doc:"Defaults to the picture's own, or else jpeg, and png for what is transparent"`
		Quality   int    `json:"quality,omitempty" min:"1" max:"100" doc:"Of JPEG and WebP. Defaults to 80."`
		Frame     int    `json:"frame,omitempty" min:"1" doc:"Of an animation (1-based). Defaults to 1."`
	} `op:"options"`
}

type toBase64Out struct {
	Base64   string `json:"base64" doc:"The picture in base64"`
	MimeType string `json:"mime_type" js:"mime_type" doc:"image/jpeg, image/png or image/webp"`
	Width    int    `json:"width" doc:"In pixels"`
	Height   int    `json:"height" doc:"In pixels"`
	Format   string `json:"format" doc:"jpeg, png or webp"`
	Size     int64  `json:"size" doc:"Of the picture, in bytes"`
}

func toBase64(ctx context.Context, env *op.Env, in toBase64In) (out toBase64Out, err error) {
	eng := engineOf(env)
	o := in.Options
	src, err := openFrame(ctx, env, eng, in.FileID, max(o.Frame-1, 0))
	if err != nil {
		return out, err
	}
	h := src.header
	enc := picture.Encoding{Format: formats[o.Format], Quality: o.Quality, Background: white}
	if o.Format == "" {
		enc.Format = shownAs(eng, h)
	}
	steps, err := src.inside(o.MaxWidth, o.MaxHeight)
	if err != nil {
		return out, err
	}
	answer := func(data []byte, w, h int) toBase64Out {
		return toBase64Out{base64.StdEncoding.EncodeToString(data), enc.Format.MimeType(), w, h, string(enc.Format), int64(len(data))}
	}
	if len(steps) == 0 && enc.Format == h.Format && h.Frames == 1 && o.Quality == 0 && h.Space == "srgb" && h.ICC == nil {
		if data, ok := picture.Strip(src.data, h); ok { // as it is, but for what it says of its maker
			w, h := h.UprightSize()
			return answer(data, w, h), nil
		}
	}
	source, err := src.source()
	if err != nil {
		return out, err
	}
	job := picture.Job{Source: source, Frame: max(o.Frame-1, 0), Steps: steps}
	if err := affordable(env, src.file.Name, job); err != nil {
		return out, err
	}
	made, err := encode(ctx, eng, job, enc)
	if err != nil {
		return out, named(err, src.file.Name)
	}
	defer made.Release()
	return answer(made.Data, made.Width, made.Height), nil
}

// inside are the steps that make a picture smaller where it is larger than the sides that are
// given, and turn it upright.
func (o *opened) inside(maxWidth, maxHeight int) ([]picture.Step, error) {
	h := o.header
	if maxWidth == 0 && maxHeight == 0 {
		return picture.Upright(h.Orientation), nil
	}
	w, ht := h.UprightSize()
	f := fitting{width: maxWidth, height: maxHeight, fit: "inside", withoutEnlargement: true, jpeg: h.Format == picture.JPEG}
	return f.steps(w, ht, h.Orientation)
}

// shownAs is a format that every browser and every model takes.
func shownAs(eng picture.Engine, h picture.Header) picture.Format {
	switch {
	case h.Format == picture.JPEG || h.Format == picture.PNG:
		return h.Format
	case h.Format == picture.WebP && eng.Writes(picture.Encoding{Format: picture.WebP}) == nil:
		return picture.WebP
	case h.HasAlpha || h.Palette:
		return picture.PNG
	}
	return picture.JPEG
}
