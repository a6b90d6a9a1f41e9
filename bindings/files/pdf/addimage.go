package pdf

import (
	"context"
	"errors"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/picture"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// imageSize is how large an image is drawn.
type imageSize struct {
	Width  float64 `json:"width,omitempty" min:"0.1" max:"14400" doc:"In points. Defaults to what keeps the proportions."`
	Height float64 `json:"height,omitempty" min:"0.1" max:"14400" doc:"In points. Defaults to what keeps the proportions."`
}

type addImageIn struct {
	FileID   string     `json:"file_id" doc:"File id or name of the PDF"`
	Page     int        `json:"page" min:"1" doc:"Counted from 1"`
	Image    string     `json:"image_file_id" doc:"File id or name of the image: PNG, JPEG, GIF, WebP, BMP or TIFF"`
	Position position   `json:"position" doc:"Where the lower left corner of the image is"`
	Size     *imageSize `json:"size,omitempty" doc:"Defaults to one point for a pixel, or what fits on the page above and to the right of the position"`
	Options  struct {
		Rotate  float64 `json:"rotate,omitempty" doc:"Degrees counter-clockwise about the position"`
		Opacity float64 `json:"opacity,omitempty" min:"0.01" max:"1" doc:"Defaults to 1"`
		secret
	} `json:"options,omitempty" op:"options"`
}

type addImageOut struct {
	box
	Clipped bool `json:"clipped,omitempty" doc:"Whether some of it lies off the page, where nobody sees it"`
	repair
}

func addImage(ctx context.Context, env *op.Env, in addImageIn) (out addImageOut, err error) {
	if err := in.Position.check(); err != nil {
		return out, err
	}
	data, file, err := imageBytes(ctx, env, in.Image)
	if err != nil {
		return out, err
	}
	change := rework
	if len(data) > graphBytes/8 {
		change = rewrite // what grows is not kept in memory twice
	}
	out.repair, err = change(ctx, env, in.FileID, in.Options.Password, func(g *graph) error {
		d, name := g.doc, g.name
		i, err := pageIndex("page", name, len(d.Pages), in.Page)
		if err != nil {
			return err
		}
		page := d.Pages[i]
		img, err := addPicture(env, d, data, file)
		if err != nil {
			return err
		}
		width, height := in.sizeOf(page, img)
		m := document.Turned(in.Options.Rotate).Times(document.Moved(in.Position.X, in.Position.Y))
		whole, err := seen(page, m, 0, 0, width, height, "image")
		if err != nil {
			return err
		}
		out.Clipped = !whole
		content := m.Concat(opacity(d, page, in.Options.Opacity, nil))
		page.Draw(img.Draw(page, content, 0, 0, width, height))
		out.box = box{points(in.Position.X), points(in.Position.Y), points(width), points(height)}
		return nil
	})
	return out, err
}

// sizeOf is how large the image is drawn.
func (in addImageIn) sizeOf(page *document.Page, img *picture.Picture) (width, height float64) {
	w, h := float64(img.Width), float64(img.Height)
	if in.Size == nil || in.Size.Width == 0 && in.Size.Height == 0 {
		pageWidth, pageHeight := page.Size()
		scale := min(1, max((pageWidth-in.Position.X)/w, .01), max((pageHeight-in.Position.Y)/h, .01))
		return w * scale, h * scale
	}
	width, height = in.Size.Width, in.Size.Height
	if width == 0 {
		width = height * w / h
	}
	if height == 0 {
		height = width * h / w
	}
	return width, height
}

// imageBytes reads an image from the workspace.
func imageBytes(ctx context.Context, env *op.Env, ref string) ([]byte, host.File, error) {
	opened, err := env.Host.Open(ctx, ref, 0)
	if err != nil {
		return nil, host.File{}, err
	}
	defer opened.Data.Close()
	data := make([]byte, opened.File.Size)
	if n, err := opened.Data.ReadAt(data, 0); n < len(data) {
		return nil, opened.File, problem.New(problem.Internal, "%q cannot be read", opened.File.Name).WithCause(err)
	}
	return data, opened.File, nil
}

// addPicture puts an image of the workspace into a document.
func addPicture(env *op.Env, d *document.Document, data []byte, file host.File) (*picture.Picture, error) {
	img, err := picture.Add(d, data, env.Limits.Pixels, env.Limits.Memory/2)
	switch {
	case errors.Is(err, picture.ErrPixels):
		return nil, problem.New(problem.TooComplex, "%q has too many pixels", file.Name).
			WithHint("Make it smaller with files.image.resize, or convert it to JPEG, which goes in as it is.").With("limit", env.Limits.Pixels)
	case errors.Is(err, picture.ErrFormat):
		return nil, problem.New(problem.UnsupportedFormat, "%q is not an image that can be put into a PDF; it is %s", file.Name, file.MimeType).
			WithHint("Use a PNG, JPEG, GIF, WebP, BMP or TIFF; files.image.convert makes one of others.").WithCause(err)
	}
	return img, err
}
