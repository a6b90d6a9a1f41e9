package pdf

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/sandboxd/sandboxd/bindings/files/pdf/document"
	"github.com/sandboxd/sandboxd/bindings/files/pdf/typeset"
	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// position is a place on a page.
type position struct {
	X float64 `json:"x" doc:"Points from the left edge of the page as a person sees it"`
	Y float64 `json:"y" doc:"Points from its bottom edge"`
}

// textStyle is how text looks.
type textStyle struct {
	Font       string  `json:"font,omitempty" doc:"Helvetica, Times or Courier, which Arial, Times New Roman and Courier New mean as well, or the family of an installed font; -Bold and -Italic at the end are understood. Defaults to Helvetica, and to a font that has the characters where that has not."`
	Size       float64 `json:"size,omitempty" alias:"font_size" min:"1" max:"1000" doc:"In points. Defaults to 12."`
	Color      string  `json:"color,omitempty" doc:"#rrggbb, #rgb, or black, white, red, green, blue, gray, orange, purple. Defaults to black."`
	Bold       bool    `json:"bold,omitempty"`
	Italic     bool    `json:"italic,omitempty"`
	Underline  bool    `json:"underline,omitempty"`
	Align      string  `json:"align,omitempty" enum:"left,center,right" also:"centre=center" doc:"Of the lines: to x, or within max_width. Defaults to left."`
	MaxWidth   float64 `json:"max_width,omitempty" min:"1" doc:"Lines are broken at this width, in points. Defaults to no limit."`
	LineHeight float64 `json:"line_height,omitempty" min:"0.5" max:"10" doc:"Distance of the lines, in font sizes. Defaults to 1.2."`
	Rotate     float64 `json:"rotate,omitempty" doc:"Degrees counter-clockwise about the position"`
	Opacity    float64 `json:"opacity,omitempty" min:"0.01" max:"1" doc:"Defaults to 1"`
}

type addTextIn struct {
	FileID   string     `json:"file_id" doc:"File id or name"`
	Page     int        `json:"page" min:"1" doc:"Counted from 1"`
	Text     string     `json:"text" doc:"Of any script; line breaks begin new lines"`
	Position position   `json:"position" doc:"Where the first line begins, on its baseline"`
	Style    *textStyle `json:"style,omitempty"`
	Options  secret     `json:"options,omitempty" op:"options"`
}

type addTextOut struct {
	Width   float64  `json:"width" doc:"Of the widest line, in points"`
	Lines   int      `json:"lines" doc:"Number of lines"`
	EndY    float64  `json:"end_y" doc:"Where the next line would have its baseline"`
	Fonts   []string `json:"fonts" doc:"The fonts that it is written in"`
	Clipped bool     `json:"clipped,omitempty" doc:"Whether some of it lies off the page, where nobody sees it"`
	repair
}

func addText(ctx context.Context, env *op.Env, in addTextIn) (out addTextOut, err error) {
	style := textStyle{}
	if in.Style != nil {
		style = *in.Style
	}
	look, err := style.look(env)
	if err != nil {
		return out, err
	}
	if err := in.Position.check(); err != nil {
		return out, err
	}
	out.repair, err = rework(ctx, env, in.FileID, in.Options.Password, func(g *graph) error {
		d, name := g.doc, g.name
		i, err := pageIndex("page", name, len(d.Pages), in.Page)
		if err != nil {
			return err
		}
		page := d.Pages[i]
		lines, err := g.set.Lines([]typeset.Span{{Text: in.Text, Style: look}}, style.MaxWidth)
		if err != nil {
			return err
		}
		places, down := style.places(lines)
		m := document.Turned(style.Rotate).Times(document.Moved(in.Position.X, in.Position.Y))
		if out.Clipped, err = style.clipped(page, m, lines, places); err != nil {
			return err
		}
		content := m.Concat(opacity(d, page, style.Opacity, nil))
		for n, line := range lines {
			content = line.Draw(page, content, places[n].x, places[n].y)
			out.Width = max(out.Width, points(line.Width))
		}
		page.Draw(content)
		out.Lines, out.EndY, out.Fonts = len(lines), points(in.Position.Y-down), typeset.Fonts(lines)
		return nil
	})
	return out, err
}

// place is where a line begins, on its baseline.
type place struct{ x, y float64 }

// places gives the places of lines one below the other from the origin, and how far they
// reach down.
func (s textStyle) places(lines []typeset.Line) (places []place, down float64) {
	for _, line := range lines {
		x, room := 0.0, s.MaxWidth
		switch s.Align {
		case "center":
			x = (room - line.Width) / 2
		case "right":
			x = room - line.Width
		case "":
			if line.RTL && room > 0 {
				x = room - line.Width
			}
		}
		places = append(places, place{x, -down})
		down += s.size() * s.leading()
	}
	return places, down
}

// clipped tells whether some of the lines, put onto the page by m, lies off it. It is an error if all does.
func (s textStyle) clipped(page *document.Page, m document.Matrix, lines []typeset.Line, places []place) (bool, error) {
	left, right := math.Inf(1), math.Inf(-1)
	for i, line := range lines {
		if line.Width > 0 {
			left, right = min(left, places[i].x), max(right, places[i].x+line.Width)
		}
	}
	if left >= right {
		return false, nil // nothing is written
	}
	// What letters have above and below the body of a line counts for little.
	whole, err := seen(page, m, left, places[len(places)-1].y, right, s.size()*.7, "text")
	return !whole, err
}

// size is the font size, with its default.
func (s textStyle) size() float64 {
	if s.Size == 0 {
		return 12
	}
	return s.Size
}

func (s textStyle) leading() float64 {
	if s.LineHeight == 0 {
		return 1.2
	}
	return s.LineHeight
}

// look is the style as it is set. The error names a font or a colour that there is not.
func (s textStyle) look(env *op.Env) (typeset.Style, error) {
	look := typeset.Style{Family: s.Font, Size: s.size(), Bold: s.Bold, Italic: s.Italic, Underline: s.Underline}
	if look.Family == "" {
		look.Family = "Helvetica"
	}
	if err := setFont(env, &look, look.Family); err != nil {
		return look, err
	}
	var err error
	look.Color, err = colorOf("color", s.Color, typeset.Color{})
	return look, err
}

// colors are names for the colours that people ask for.
var colors = map[string]string{
	"black": "#000000", "white": "#ffffff", "red": "#cc0000", "green": "#007a33", "blue": "#0047ab",
	"gray": "#808080", "grey": "#808080", "orange": "#e67300", "purple": "#6a0dad",
}

func colorOf(argument, text string, otherwise typeset.Color) (typeset.Color, error) {
	if text == "" {
		return otherwise, nil
	}
	code, ok := colors[strings.ToLower(text)]
	if !ok {
		code = text
	}
	code = strings.TrimPrefix(code, "#")
	if len(code) == 3 {
		code = string([]byte{code[0], code[0], code[1], code[1], code[2], code[2]})
	}
	n, err := strconv.ParseUint(code, 16, 32)
	if err != nil || len(code) != 6 {
		return otherwise, problem.New(problem.InvalidArgument, "%s: expected a colour such as #c00000, got %q", argument, text).
			WithHint("Use #rrggbb, #rgb, or black, white, red, green, blue, gray, orange or purple.").With("argument", argument)
	}
	return typeset.Color{float64(n>>16) / 255, float64(n>>8&255) / 255, float64(n&255) / 255}, nil
}

func (p position) check() error {
	for name, v := range map[string]float64{"x": p.X, "y": p.Y} {
		if math.IsNaN(v) || math.Abs(v) > 2*maxPage {
			return problem.New(problem.InvalidArgument, "position.%s: expected a number of points, got %v", name, v).With("argument", "position")
		}
	}
	return nil
}

// opacity writes that what follows can be seen through.
func opacity(d *document.Document, page *document.Page, value float64, content []byte) []byte {
	if value == 0 || value == 1 {
		return content
	}
	state := d.Add(types.Dict{"Type": types.Name("ExtGState"), "ca": types.Float(value), "CA": types.Float(value)})
	return fmt.Appendf(content, "/%s gs\n", page.Use("ExtGState", state))
}
