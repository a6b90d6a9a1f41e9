package image

import (
	"context"
	goimage "image"
	"image/color"
	"image/draw"

	"github.com/sandboxd/sandboxd/bindings/files/image/picture"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// maxMarks is how many boxes or texts one call draws.
const maxMarks = 1000

type drawRectIn struct {
	FileID  string  `json:"file_id" doc:"File id or name"`
	Boxes   []boxIn `json:"boxes" doc:"What to draw, at most 1000"`
	Options struct {
		AutoOrient bool `json:"auto_orient,omitempty" doc:"Apply the EXIF orientation first: places are then where people see them"`
		saveOptions
	} `op:"options"`
}

type boxIn struct {
	Left      int    `json:"left" alias:"x" min:"-100000" max:"100000" doc:"In pixels"`
	Top       int    `json:"top" alias:"y" min:"-100000" max:"100000" doc:"In pixels"`
	Width     int    `json:"width" min:"1" max:"100000" doc:"In pixels"`
	Height    int    `json:"height" min:"1" max:"100000" doc:"In pixels"`
	Color     string `json:"color,omitempty" alias:"stroke" doc:"Of the line. Defaults to red."`
	Thickness *int   `json:"thickness,omitempty" alias:"stroke_width,line_width" min:"0" max:"1000" doc:"Of the line, in pixels, inwards. Defaults to one that can be seen."`
	Fill      string `json:"fill,omitempty" doc:"Colour inside, such as #FF000040; defaults to none"`
	Label     string `json:"label,omitempty" doc:"Text on a tag at the top left"`
}

var red = color.NRGBA{R: 255, A: 255}

func drawRect(ctx context.Context, env *op.Env, in drawRectIn) (fileOut, error) {
	if err := fewMarks(len(in.Boxes), "boxes"); err != nil {
		return fileOut{}, err
	}
	return change(ctx, env, drawing(env, in.FileID, in.Options.saveOptions, in.Options.AutoOrient, func(c *canvas) error {
		for _, b := range in.Boxes {
			if err := b.draw(c); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (b boxIn) draw(c *canvas) error {
	line, err := parseColor(firstOf(b.Color, "red"), "color")
	if err != nil {
		return err
	}
	r := goimage.Rect(b.Left, b.Top, b.Left+b.Width, b.Top+b.Height)
	if b.Fill != "" {
		fill, err := parseColor(b.Fill, "fill")
		if err != nil {
			return err
		}
		c.fill(r, fill)
	}
	t := max(2, min(c.size.X, c.size.Y)/250)
	if b.Thickness != nil {
		t = *b.Thickness
	}
	t = min(t, (b.Width+1)/2, (b.Height+1)/2)
	if t > 0 {
		c.fill(goimage.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+t), line)
		c.fill(goimage.Rect(r.Min.X, r.Max.Y-t, r.Max.X, r.Max.Y), line)
		c.fill(goimage.Rect(r.Min.X, r.Min.Y+t, r.Min.X+t, r.Max.Y-t), line)
		c.fill(goimage.Rect(r.Max.X-t, r.Min.Y+t, r.Max.X, r.Max.Y-t), line)
	}
	if b.Label == "" {
		return nil
	}
	line.A = 255
	tag := textIn{Text: b.Label, Left: r.Min.X, Top: r.Min.Y, Background: hexOf(line), Color: hexOf(contrasting(line)), Position: "above"}
	return tag.draw(c)
}

type drawTextIn struct {
	FileID  string   `json:"file_id" doc:"File id or name"`
	Texts   []textIn `json:"texts" doc:"What to write, at most 1000"`
	Options struct {
		AutoOrient bool `json:"auto_orient,omitempty" doc:"Apply the EXIF orientation first: places are then where people see them"`
		saveOptions
	} `op:"options"`
}

type textIn struct {
	Text       string   `json:"text" doc:"At most 10,000 characters; line ends begin new lines"`
	Left       int      `json:"left" alias:"x" min:"-100000" max:"100000" doc:"In pixels"`
	Top        int      `json:"top" alias:"y" min:"-100000" max:"100000" doc:"In pixels"`
	Size       *float64 `json:"size,omitempty" alias:"font_size" min:"4" max:"2000" doc:"Height of a line's letters, in pixels. Defaults to one that can be read."`
	Color      string   `json:"color,omitempty" alias:"fill" doc:"Defaults to black, and white on a dark background"`
	Background string   `json:"background,omitempty" doc:"Colour of a box behind the text. Defaults to none."`
	Font       string   `json:"font,omitempty" enum:"sans,bold,mono" doc:"Defaults to sans"`
	Width      *int     `json:"width,omitempty" min:"1" max:"100000" doc:"Break lines to be at most so wide, in pixels"`
	Align      string   `json:"align,omitempty" enum:"left,center,right" also:"centre=center,middle=center" doc:"Of lines among each other. Defaults to left."`
	Position   string   `json:"position,omitempty" enum:"below,above,center" also:"centre=center" doc:"Where the text lies of left and top: below and to the right (the default), above and to the right, or about it."`
}

func drawText(ctx context.Context, env *op.Env, in drawTextIn) (fileOut, error) {
	if err := fewMarks(len(in.Texts), "texts"); err != nil {
		return fileOut{}, err
	}
	return change(ctx, env, drawing(env, in.FileID, in.Options.saveOptions, in.Options.AutoOrient, func(c *canvas) error {
		for _, t := range in.Texts {
			if err := t.draw(c); err != nil {
				return err
			}
		}
		return nil
	}))
}

func fewMarks(n int, argument string) error {
	if n == 0 || n > maxMarks {
		return problem.New(problem.InvalidArgument, "%s: expected 1 to %d, got %d", argument, maxMarks, n).With("argument", argument)
	}
	return nil
}

// canvas is where marks are drawn, over a picture of a size. It is only as large as what is on
// it: marks are drawn twice, once to find out where they lie.
type canvas struct {
	env     *op.Env
	size    goimage.Point
	touched goimage.Rectangle
	pixels  *goimage.NRGBA // nil while places are found out
}

// on hands out the pixels of a place, or notes it.
func (c *canvas) on(r goimage.Rectangle) *goimage.NRGBA {
	r = r.Intersect(goimage.Rectangle{Max: c.size})
	if c.pixels == nil {
		c.touched = c.touched.Union(r)
		return nil
	}
	if r.Empty() {
		return nil
	}
	return c.pixels.SubImage(r).(*goimage.NRGBA)
}

func (c *canvas) fill(r goimage.Rectangle, with color.NRGBA) {
	if m := c.on(r); m != nil {
		draw.Draw(m, m.Rect, goimage.NewUniform(with), goimage.Point{}, draw.Over)
	}
}

// drawing is a plan to lay marks over a picture.
func drawing(env *op.Env, ref string, save saveOptions, upright bool, marks func(*canvas) error) plan {
	return plan{ref: ref, save: save, work: func(src *opened, _ picture.Format) ([]picture.Step, bool, error) {
		w, h := src.header.Width, src.header.Height
		var steps []picture.Step
		if upright {
			w, h = src.header.UprightSize()
			steps = picture.Upright(src.header.Orientation)
		}
		c := &canvas{env: env, size: goimage.Pt(w, h)}
		if err := marks(c); err != nil || c.touched.Empty() {
			return steps, upright, err
		}
		at := c.touched
		if area := int64(at.Dx()) * int64(at.Dy()); area*4 > env.Limits.Memory/4 {
			return nil, false, problem.New(problem.TooComplex, "what is drawn spreads over %d × %d pixels; there is room for %d", at.Dx(), at.Dy(), env.Limits.Memory/16).
				With("limit", env.Limits.Memory/16)
		}
		c.pixels = goimage.NewNRGBA(at)
		if err := marks(c); err != nil {
			return nil, false, err
		}
		c.pixels.Rect = goimage.Rect(0, 0, at.Dx(), at.Dy())
		layer := picture.Layer{Job: picture.Job{Source: picture.OfPixels(c.pixels)}, X: at.Min.X, Y: at.Min.Y, Opacity: 1}
		return append(steps, picture.Layers{Layers: []picture.Layer{layer}}), upright, nil
	}}
}
