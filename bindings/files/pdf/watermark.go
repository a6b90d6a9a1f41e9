package pdf

import (
	"context"
	"math"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/picture"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/typeset"
	"github.com/sandboxd/sandboxd/host"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

type watermarkIn struct {
	FileID  string `json:"file_id" doc:"File id or name"`
	Options struct {
		Text     string   `json:"text,omitempty" doc:"Such as DRAFT; this or image"`
		Image    string   `json:"image,omitempty" doc:"File id or name of an image; this or text"`
		Pages    pageList `json:"pages,omitempty" min:"1" doc:"Pages to mark, counted from 1: 3, [1, 2], \"1-3,7-\" or \"all\". Defaults to all."`
		Opacity  float64  `json:"opacity,omitempty" min:"0.01" max:"1" doc:"Defaults to 0.2"`
		Rotate   float64  `json:"rotate,omitempty" doc:"Degrees counter-clockwise. Text without it lies along the diagonal; 360 is level."`
		Scale    float64  `json:"scale,omitempty" min:"0.01" max:"2" doc:"Its width as a part of the page's, or of the diagonal's. Defaults to 0.7."`
		Position string   `json:"position,omitempty" enum:"center,top,bottom,top-left,top-right,bottom-left,bottom-right" also:"centre=center" doc:"Defaults to center"`
		Layer    string   `json:"layer,omitempty" enum:"over,under" doc:"Over what the page shows, or under it. Defaults to over."`
		Font     string   `json:"font,omitempty" doc:"Defaults to Helvetica"`
		Color    string   `json:"color,omitempty" doc:"Defaults to gray"`
		Bold     bool     `json:"bold,omitempty"`
		secret
	} `json:"options,omitempty" op:"options"`
}

func watermark(ctx context.Context, env *op.Env, in watermarkIn) (out pageCount, err error) {
	o := in.Options
	if (o.Text == "") == (o.Image == "") {
		return out, problem.New(problem.InvalidArgument, "expected text or image, one of the two").With("argument", "text")
	}
	if o.Color == "" {
		o.Color = "gray"
	}
	if o.Opacity == 0 {
		o.Opacity = .2
	}
	if o.Scale == 0 {
		o.Scale = .7
	}
	in.Options = o
	look, err := textStyle{Font: o.Font, Color: o.Color, Bold: o.Bold, Size: 100}.look(env)
	if err != nil {
		return out, err
	}
	var data []byte
	var file host.File
	if o.Image != "" {
		if data, file, err = imageBytes(ctx, env, o.Image); err != nil {
			return out, err
		}
	}
	out.repair, err = rework(ctx, env, in.FileID, o.Password, func(g *graph) error {
		d, name := g.doc, g.name
		pages, err := o.Pages.indexes(name, len(d.Pages))
		if err != nil {
			return err
		}
		out.PageCount = len(d.Pages)
		draw, err := in.mark(env, g, look, data, file)
		if err != nil {
			return err
		}
		for _, i := range pages {
			page := d.Pages[i]
			content := draw(page, opacity(d, page, o.Opacity, nil))
			if o.Layer == "under" {
				page.DrawUnder(content)
			} else {
				page.Draw(content)
			}
		}
		return nil
	})
	return out, err
}

// mark prepares what is drawn on each page.
func (in watermarkIn) mark(env *op.Env, g *graph, look typeset.Style, data []byte, file host.File) (draw func(*document.Page, []byte) []byte, err error) {
	if in.Options.Image != "" {
		img, err := addPicture(env, g.doc, data, file)
		if err != nil {
			return nil, err
		}
		return func(page *document.Page, content []byte) []byte {
			width, height := page.Size()
			w, h := within(img, width*in.Options.Scale, height*in.Options.Scale)
			content = in.place(width, height, w, h, in.Options.Rotate).Concat(content)
			return img.Draw(page, content, -w/2, -h/2, w, h)
		}, nil
	}
	lines, err := g.set.Lines([]typeset.Span{{Text: in.Options.Text, Style: look}}, 0)
	if err != nil {
		return nil, err
	}
	textWidth := 1.0
	for _, line := range lines {
		textWidth = max(textWidth, line.Width)
	}
	textHeight := float64(len(lines)) * look.Size * 1.2
	return func(page *document.Page, content []byte) []byte {
		width, height := page.Size()
		turn, room := in.Options.Rotate, width
		if turn == 0 && (in.Options.Position == "" || in.Options.Position == "center") {
			turn, room = math.Atan2(height, width)*180/math.Pi, math.Hypot(width, height)
		}
		scale := room * in.Options.Scale / textWidth
		content = in.place(width, height, textWidth*scale, textHeight*scale, turn).Concat(content)
		content = document.Matrix{scale, 0, 0, scale, 0, 0}.Concat(content)
		y := textHeight/2 - look.Size*.95
		for _, line := range lines {
			content = line.Draw(page, content, -line.Width/2, y)
			y -= look.Size * 1.2
		}
		return content
	}, nil
}

// within gives the size of an image that is as large as fits.
func within(img *picture.Picture, width, height float64) (w, h float64) {
	scale := min(width/float64(img.Width), height/float64(img.Height))
	return float64(img.Width) * scale, float64(img.Height) * scale
}

// place moves the origin to the middle of a mark of a size, turned.
func (in watermarkIn) place(pageWidth, pageHeight, width, height, turn float64) document.Matrix {
	sin, cos := math.Sincos(turn * math.Pi / 180)
	const margin = 24
	w := math.Abs(width*cos)/2 + math.Abs(height*sin)/2 + margin // half of what it covers
	h := math.Abs(width*sin)/2 + math.Abs(height*cos)/2 + margin
	x, y := pageWidth/2, pageHeight/2
	switch in.Options.Position {
	case "top", "top-left", "top-right":
		y = pageHeight - h
	case "bottom", "bottom-left", "bottom-right":
		y = h
	}
	switch in.Options.Position {
	case "top-left", "bottom-left":
		x = w
	case "top-right", "bottom-right":
		x = pageWidth - w
	}
	return document.Turned(turn).Times(document.Moved(x, y))
}
