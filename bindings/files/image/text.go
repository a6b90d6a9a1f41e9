package image

import (
	"encoding/hex"
	goimage "image"
	"image/color"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"

	"github.com/sandboxd/sandboxd/op"
	"github.com/sandboxd/sandboxd/problem"
)

// draw writes a text, with its background, if it has one.
func (t textIn) draw(c *canvas) error {
	if utf8.RuneCountInString(t.Text) > 10_000 {
		return problem.New(problem.InvalidArgument, "text: at most 10000 characters, got %d", utf8.RuneCountInString(t.Text)).With("argument", "text")
	}
	size := max(12, float64(min(c.size.X, c.size.Y))/35)
	if t.Size != nil {
		size = *t.Size
	}
	t.Text = visible(t.Text)
	if err := canBeWritten(t.Text); err != nil {
		return err
	}
	face, err := facesFor(c.env, t.Font, size, t.Text)
	if err != nil {
		return err
	}
	defer face.Close()
	lines, widths := t.lines(face)
	metrics := face.Metrics()
	step := metrics.Height.Ceil()
	var widest int
	for _, w := range widths {
		widest = max(widest, w)
	}
	padding := 0
	if t.Background != "" {
		padding = max(2, int(size/5))
	}
	box := goimage.Rect(0, 0, widest+2*padding, (len(lines)-1)*step+metrics.Ascent.Ceil()+metrics.Descent.Ceil()+2*padding).Add(goimage.Pt(t.Left, t.Top))
	switch t.Position {
	case "above":
		box = box.Sub(goimage.Pt(0, box.Dy()))
		if box.Min.Y < 0 && t.Top >= 0 { // rather inside than cut off
			box = box.Add(goimage.Pt(0, t.Top-box.Min.Y))
		}
	case "center":
		box = box.Sub(goimage.Pt(box.Dx()/2, box.Dy()/2))
	}
	if widest > 0 && !box.Overlaps(goimage.Rectangle{Max: c.size}) {
		return problem.New(problem.InvalidArgument, "%q would lie wholly off the picture, from %d, %d to %d, %d", shortened(t.Text), box.Min.X, box.Min.Y, box.Max.X, box.Max.Y).
			WithHint("The picture has %d × %d pixels, and 0, 0 is its top-left corner.", c.size.X, c.size.Y).With("argument", "left")
	}
	background, ink, err := t.colors()
	if err != nil {
		return err
	}
	c.fill(box, background)
	m := c.on(box.Inset(-int(size / 4))) // letters may reach over their box
	if m == nil {
		return nil
	}
	d := font.Drawer{Dst: m, Src: goimage.NewUniform(ink), Face: face}
	for i, line := range lines {
		x := box.Min.X + padding
		switch t.Align {
		case "center":
			x += (widest - widths[i]) / 2
		case "right":
			x += widest - widths[i]
		}
		d.Dot = fixed.P(x, box.Min.Y+padding+metrics.Ascent.Ceil()+i*step)
		d.DrawString(line)
	}
	return nil
}

// shortened is a text as a message shows it.
func shortened(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}

func (t textIn) colors() (background, ink color.NRGBA, err error) {
	ink = color.NRGBA{A: 255}
	if t.Background != "" {
		if background, err = parseColor(t.Background, "background"); err != nil {
			return
		}
		ink = contrasting(background)
	}
	if t.Color != "" {
		ink, err = parseColor(t.Color, "color")
	}
	return background, ink, err
}

// lines breaks the text at its line ends, and where it would be too wide at its spaces.
func (t textIn) lines(face font.Face) (lines []string, widths []int) {
	width := func(s string) int { return font.MeasureString(face, s).Ceil() }
	for line := range strings.SplitSeq(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "    ").Replace(t.Text), "\n") {
		if t.Width != nil {
			words := strings.Fields(line)
			line = ""
			for _, word := range words {
				if line != "" && width(line+" "+word) > *t.Width {
					lines = append(lines, line)
					line = ""
				}
				line = strings.TrimPrefix(line+" "+word, " ")
			}
		}
		lines = append(lines, line)
	}
	for _, line := range lines {
		widths = append(widths, width(line))
	}
	return lines, widths
}

// writeLabel writes a name into a box, cut so that it fits.
func writeLabel(env *op.Env, m *goimage.NRGBA, box goimage.Rectangle, name string, ink color.NRGBA) error {
	name = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, name)
	face, err := facesFor(env, "sans", labelSize, name)
	if err != nil { // a name may have letters of any script
		name = strings.Map(func(r rune) rune {
			if r < 0x250 {
				return r
			}
			return '?'
		}, name)
		if face, err = facesFor(env, "sans", labelSize, name); err != nil {
			return err
		}
	}
	defer face.Close()
	runes := []rune(name)
	for len(runes) > 1 && font.MeasureString(face, string(runes)).Ceil() > box.Dx() {
		runes = append(runes[:len(runes)-2], '…')
	}
	text := string(runes)
	x := box.Min.X + (box.Dx()-font.MeasureString(face, text).Ceil())/2
	d := font.Drawer{Dst: m, Src: goimage.NewUniform(ink), Face: face, Dot: fixed.P(x, box.Min.Y+labelSize)}
	d.DrawString(text)
	return nil
}

func hexOf(c color.NRGBA) string {
	b := []byte{c.R, c.G, c.B, c.A}
	if c.A == 255 {
		b = b[:3]
	}
	return "#" + strings.ToUpper(hex.EncodeToString(b))
}
